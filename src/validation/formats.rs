//! The forms of names, labels, paths and IP addresses, and the words for what breaks them.
//!
//! The forms are those of `k8s.io/apimachinery/pkg/util/validation` and `pkg/api/validate/content`.

use std::net::{IpAddr, Ipv4Addr};

use super::at::At;
use super::review::ManifestReview;
use crate::controller::Release;
use crate::schedule::go_quote;

const LABEL_FORM: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN_FORM: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const SUBDOMAIN_UNDERSCORE_FORM: &str =
    "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*";
const KEY_FORM: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const KEY_RULE: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start \
                        and end with an alphanumeric character";

const LABEL_LIMIT: usize = 63;
const SUBDOMAIN_LIMIT: usize = 253;

/// The error of the API server for the name of a new Job. A name that is too long for the label of its
/// pods is rejected because of the label; here the error is about the name.
pub(crate) fn job_name_error(name: &str, release: Release) -> Option<String> {
    if name.is_empty() {
        return Some("metadata.name: Required value: name or generateName is required".to_owned());
    }
    let review = ManifestReview::new(release);
    let too_long =
        (name.len() > LABEL_LIMIT).then(|| longer_than(LABEL_LIMIT, review.server.length_unit));
    let detail = subdomain(name, &review).into_iter().next().or(too_long)?;
    let name = go_quote(name);
    Some(format!("metadata.name: Invalid value: {name}: {detail}"))
}

/// That a text is too long.
pub(super) fn longer_than(limit: usize, unit: &str) -> String {
    format!("must be no more than {limit} {unit}")
}

/// What breaks a form, with examples of what does not.
fn form(rule: &str, examples: &str, form: &str) -> String {
    format!("{rule} (e.g. {examples}, regex used for validation is '{form}')")
}

fn is_lower(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

/// Whether a text begins and ends with a character of one kind, and has others of another kind
/// between them.
fn is_framed(text: &str, edge: fn(u8) -> bool, inner: fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    matches!((bytes.first(), bytes.last()), (Some(first), Some(last)) if edge(*first) && edge(*last))
        && bytes.iter().all(|byte| inner(*byte))
}

fn is_label(text: &str) -> bool {
    is_framed(text, is_lower, |byte| is_lower(byte) || byte == b'-')
}

fn is_subdomain(text: &str) -> bool {
    text.split('.').all(is_label)
}

/// A DNS label, such as the name of a container.
pub(super) fn label(text: &str, review: &ManifestReview) -> Vec<String> {
    let mut details = Vec::new();
    if text.len() > LABEL_LIMIT {
        details.push(longer_than(LABEL_LIMIT, "characters"));
    }
    if is_label(text) {
        return details;
    }
    details.push(if is_subdomain(text) {
        "must not contain dots".to_owned()
    } else {
        let kind = review.server.subdomain.replace("subdomain", "label");
        let rule = format!(
            "{kind} must consist of lower case alphanumeric characters or '-', and must start and \
             end with an alphanumeric character"
        );
        form(&rule, "'my-name',  or '123-abc'", LABEL_FORM)
    });
    details
}

/// A DNS subdomain, such as the name of most objects.
pub(super) fn subdomain(text: &str, review: &ManifestReview) -> Vec<String> {
    subdomain_in(text, review, "characters")
}

/// A DNS subdomain to which the server adds something: a hyphen at the end will be followed by that,
/// and the server puts a letter there.
pub(super) fn subdomain_prefix(text: &str, review: &ManifestReview) -> Vec<String> {
    match text.len().checked_sub(2).and_then(|end| text.get(..end)) {
        Some(start) if text.ends_with('-') => subdomain(&format!("{start}a"), review),
        _ => subdomain(text, review),
    }
}

fn subdomain_in(text: &str, review: &ManifestReview, unit: &str) -> Vec<String> {
    let mut details = Vec::new();
    if text.len() > SUBDOMAIN_LIMIT {
        details.push(longer_than(SUBDOMAIN_LIMIT, unit));
    }
    if !is_subdomain(text) {
        let rule = format!(
            "{} must consist of lower case alphanumeric characters, '-' or '.', and must start \
             and end with an alphanumeric character",
            review.server.subdomain
        );
        details.push(form(&rule, "'example.com'", SUBDOMAIN_FORM));
    }
    details
}

/// A DNS subdomain that may have underscores: a search domain.
pub(super) fn subdomain_with_underscore(text: &str, review: &ManifestReview) -> Vec<String> {
    let fits = |part: &str| {
        let part = part.strip_prefix('_').unwrap_or(part);
        is_framed(part, is_lower, |byte| {
            is_lower(byte) || byte == b'-' || byte == b'_'
        })
    };
    let mut details = Vec::new();
    if text.len() > SUBDOMAIN_LIMIT {
        details.push(longer_than(SUBDOMAIN_LIMIT, "characters"));
    }
    if !text.split('.').all(fits) {
        let rule = format!(
            "{} must consist of lower case alphanumeric characters, '_', '-' or '.', and must \
             start and end with an alphanumeric character",
            review.server.subdomain
        );
        details.push(form(&rule, "'example.com'", SUBDOMAIN_UNDERSCORE_FORM));
    }
    details
}

fn is_key(text: &str) -> bool {
    is_framed(
        text,
        |byte| byte.is_ascii_alphanumeric(),
        |byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte),
    )
}

fn key_form() -> String {
    form(KEY_RULE, "'MyName',  or 'my.name',  or '123-abc'", KEY_FORM)
}

/// The key of a label: a name, and before it a DNS subdomain if need be.
pub(super) fn qualified_name(text: &str, review: &ManifestReview) -> Vec<String> {
    let unit = review.server.length_unit;
    let mut details = Vec::new();
    let name = match text.split_once('/') {
        None => text,
        Some((_, name)) if name.contains('/') => {
            return vec![format!(
                "a {} {} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
                if review.minor >= SAYS_LABEL_KEY {
                    "valid label key"
                } else {
                    "qualified name"
                },
                key_form()
            )];
        }
        Some(("", name)) => {
            details.push("prefix part must be non-empty".to_owned());
            name
        }
        Some((prefix, name)) => {
            let prefix = subdomain_in(prefix, review, unit);
            details.extend(prefix.iter().map(|detail| format!("prefix part {detail}")));
            name
        }
    };
    if name.is_empty() {
        details.push("name part must be non-empty".to_owned());
    } else if name.len() > LABEL_LIMIT {
        details.push(format!("name part {}", longer_than(LABEL_LIMIT, unit)));
    }
    if !is_key(name) {
        details.push(format!("name part {}", key_form()));
    }
    details
}

/// The release that changed the words together with the unit.
const SAYS_LABEL_KEY: u32 = 34;

pub(super) fn label_value(text: &str, review: &ManifestReview) -> Vec<String> {
    let mut details = Vec::new();
    if text.len() > LABEL_LIMIT {
        details.push(longer_than(LABEL_LIMIT, review.server.length_unit));
    }
    if !text.is_empty() && !is_key(text) {
        let rule = format!(
            "a valid label must be an empty string or {}",
            KEY_RULE.replacen("must consist", "consist", 1)
        );
        let form_of_value = format!("({KEY_FORM})?");
        let examples = "'MyValue',  or 'my_value',  or '12345'";
        details.push(form(&rule, examples, &form_of_value));
    }
    details
}

/// The key of a `ConfigMap` or a `Secret`.
pub(super) fn config_key(text: &str) -> Vec<String> {
    let mut details = Vec::new();
    if text.len() > SUBDOMAIN_LIMIT {
        details.push(longer_than(SUBDOMAIN_LIMIT, "characters"));
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if text.is_empty() || !text.bytes().all(plain) {
        let rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
        let examples = "'key.name',  or 'KEY_NAME',  or 'key-name'";
        details.push(form(rule, examples, "[-._a-zA-Z0-9]+"));
    }
    details.extend(dots(text));
    details
}

/// A name that a file system would misunderstand.
fn dots(text: &str) -> Option<String> {
    match text {
        "." => Some("must not be '.'".to_owned()),
        ".." => Some("must not be '..'".to_owned()),
        _ if text.starts_with("..") => Some("must not start with '..'".to_owned()),
        _ => None,
    }
}

/// The name of an environment variable. Since 1.32 (beta) nearly everything is one.
pub(super) fn environment_variable(text: &str, review: &ManifestReview) -> Vec<String> {
    const RELAXED_SINCE: u32 = 32;
    if review.minor >= RELAXED_SINCE {
        return relaxed_environment_variable(text);
    }
    let starts = |byte: u8| byte.is_ascii_alphabetic() || b"-_.".contains(&byte);
    let plain = |byte: u8| starts(byte) || byte.is_ascii_digit();
    let mut details = Vec::new();
    if !(text.bytes().next().is_some_and(starts) && text.bytes().all(plain)) {
        let rule = "a valid environment variable name must consist of alphabetic characters, \
                    digits, '_', '-', or '.', and must not start with a digit";
        let examples = "'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1'";
        details.push(form(rule, examples, "[-._a-zA-Z][-._a-zA-Z0-9]*"));
    }
    details.extend(dots(text));
    details
}

/// The name of an environment variable by the newer rule.
pub(super) fn relaxed_environment_variable(text: &str) -> Vec<String> {
    let plain = |byte: u8| (b' '..=b'~').contains(&byte) && byte != b'=';
    if text.is_empty() {
        vec!["environment variable name must be non-empty".to_owned()]
    } else if text.bytes().all(plain) {
        Vec::new()
    } else {
        vec![
            "a valid environment variable name must consist only of printable ASCII characters \
             other than '='"
                .to_owned(),
        ]
    }
}

pub(super) fn port(text: &str) -> Vec<String> {
    const LIMIT: usize = 15;
    let plain = |byte: u8| is_lower(byte) || byte == b'-';
    let mut details = Vec::new();
    if text.len() > LIMIT {
        details.push(longer_than(LIMIT, "characters"));
    }
    let mut say = |wrong: bool, detail: &str| {
        if wrong {
            details.push(detail.to_owned());
        }
    };
    say(
        text.is_empty() || !text.bytes().all(plain),
        "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
    );
    say(
        !text.bytes().any(|byte| byte.is_ascii_lowercase()),
        "must contain at least one letter (a-z)",
    );
    say(text.contains("--"), "must not contain consecutive hyphens");
    say(
        text.starts_with('-') || text.ends_with('-'),
        "must not begin or end with a hyphen",
    );
    details
}

/// The name of an HTTP header.
pub(super) fn header(text: &str) -> Vec<String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if !text.is_empty() && text.bytes().all(plain) {
        return Vec::new();
    }
    let rule = "a valid HTTP header must consist of alphanumeric characters or '-'";
    vec![form(rule, "'X-Header-Name'", "[-A-Za-z0-9]+")]
}

impl ManifestReview {
    /// Checks the format of the text at this position.
    pub(super) fn check_form(
        &mut self,
        at: &At<'_>,
        form: fn(&str, &ManifestReview) -> Vec<String>,
    ) {
        let details = form(at.text(), self);
        self.each_invalid(at, at.text(), details);
    }

    /// A map of labels must stand here. Its causes name the map, not the label.
    pub(super) fn labels(&mut self, at: &At<'_>) {
        self.labels_as(&at.path(), at);
    }

    /// The same where the server has another path for the map.
    pub(super) fn labels_as(&mut self, path: &str, at: &At<'_>) {
        for label in at.entries() {
            let details = qualified_name(label.name(), self);
            self.each_invalid_as(path, label.key_place(), label.name(), details);
            let details = label_value(label.text(), self);
            self.each_invalid_as(path, label.place(), label.text(), details);
        }
    }

    /// A map of annotations must stand here. Their keys may be in any case.
    pub(super) fn annotations(&mut self, at: &At<'_>) {
        self.annotations_as(&at.path(), at);
    }

    /// The same where the server has another path for the map.
    pub(super) fn annotations_as(&mut self, path: &str, at: &At<'_>) {
        const MOST: usize = 256 * 1024;
        let mut size = 0;
        for note in at.entries() {
            size += note.name().len() + note.text().len();
            let details = qualified_name(&note.name().to_lowercase(), self);
            self.each_invalid_as(path, note.key_place(), note.name(), details);
        }
        if size > MOST {
            self.too_long_as(path, at.key_place(), MOST);
        }
    }

    /// A label selector may stand here.
    pub(super) fn label_selector(&mut self, at: &At<'_>) {
        self.labels(&at.field("matchLabels"));
        for expression in at.field("matchExpressions").items() {
            let (operator, values) = (expression.field("operator"), expression.field("values"));
            match operator.text() {
                "In" | "NotIn" if values.is_empty() => {
                    let detail = "must be specified when `operator` is 'In' or 'NotIn'";
                    self.required(&values, detail);
                }
                "Exists" | "DoesNotExist" if !values.is_empty() => {
                    let detail =
                        "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                    self.forbidden(&values, detail);
                }
                "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
                other => self.invalid_text(&operator, other, "not a valid selector operator"),
            }
            self.check_form(&expression.field("key"), qualified_name);
            for value in values.items() {
                self.check_form(&value, label_value);
            }
        }
    }
}

/// A relative path that does not lead out of where it is put.
pub(super) fn relative_path(path: &str) -> Vec<String> {
    let absolute = path.starts_with('/');
    let mut details = Vec::from_iter(absolute.then(|| "must be a relative path".to_owned()));
    details.extend(path_without_steps_back(path));
    details
}

pub(super) fn path_without_steps_back(path: &str) -> Vec<String> {
    Vec::from_iter(has_steps_back(path).then(|| "must not contain '..'".to_owned()))
}

pub(super) fn has_steps_back(path: &str) -> bool {
    path.split('/').any(|part| part == "..")
}

/// A relative path, and none that the kubelet keeps for itself.
pub(super) fn unreserved_path(path: &str) -> Vec<String> {
    let mut details = relative_path(path);
    if path.starts_with("..") && !path.starts_with("../") {
        details.push("must not start with '..'".to_owned());
    }
    details
}

/// The release since which ambiguous addresses are rejected.
pub(super) const STRICT_IP_SINCE: u32 = 36;

/// What is wrong with an address.
pub(super) fn ip_details(text: &str, is_strict: bool) -> Vec<&'static str> {
    let Some(address) = parse_ip(text) else {
        return vec!["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"];
    };
    let mut details = Vec::new();
    if is_strict && text.parse::<IpAddr>().is_err() {
        details.push("must not have leading 0s");
    } else if is_strict && is_mapped(&address) {
        details.push("must not be an IPv4-mapped IPv6 address");
    }
    details
}

/// The warning of the server, without the path.
pub(super) fn ip_warning(text: &str) -> Option<String> {
    let address = parse_ip(text)?;
    let quoted = go_quote(text);
    if text.parse::<IpAddr>().is_err() || is_mapped(&address) {
        let plain = match address {
            IpAddr::V6(six) => six.to_ipv4_mapped().map_or(address, IpAddr::V4),
            IpAddr::V4(_) => address,
        };
        return Some(format!(
            "non-standard IP address {quoted} is invalid: use \"{plain}\""
        ));
    }
    let canonical = address.to_string();
    (address.is_ipv6() && canonical != text).then(|| {
        format!("IPv6 address {quoted} should be in RFC 5952 canonical format (\"{canonical}\")")
    })
}

fn is_mapped(address: &IpAddr) -> bool {
    matches!(address, IpAddr::V6(six) if six.to_ipv4_mapped().is_some())
}

/// As the server reads it: with zeros in front, too.
fn parse_ip(text: &str) -> Option<IpAddr> {
    if let Ok(address) = text.parse() {
        return Some(address);
    }
    let mut octets = Vec::new();
    for part in text.split('.') {
        let digits = (1..=20).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        octets.push(digits.then(|| part.parse::<u8>().ok()).flatten()?);
    }
    let octets: [u8; 4] = octets.try_into().ok()?;
    Some(IpAddr::V4(Ipv4Addr::from(octets)))
}

#[cfg(test)]
mod examples {
    #[test]
    fn job_name_of_64_bytes_is_too_long() {
        use crate::controller::Release;
        use crate::validation::job_name_error;

        assert_eq!(job_name_error("again", Release::NEWEST), None);
        let error = job_name_error(&"a".repeat(64), Release::NEWEST).unwrap();
        assert!(error.ends_with("must be no more than 63 bytes"));
    }
}
