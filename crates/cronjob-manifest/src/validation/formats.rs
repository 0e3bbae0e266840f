//! The forms of names, labels, paths and IP addresses, and the words for what breaks them.
//!
//! The forms are those of `k8s.io/apimachinery/pkg/util/validation` and `pkg/api/validate/content`.

use std::net::{IpAddr, Ipv4Addr};

use super::{At, ManifestReview, nearest_word};
use cronjob_controller::controller::Release;
use kube_cron::go_quote;

const LABEL_FORM: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN_FORM: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const SUBDOMAIN_UNDERSCORE_FORM: &str =
    "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*";
const KEY_FORM: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const KEY_RULE: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start \
                        and end with an alphanumeric character";

/// What is wrong with a text that should have a form, in the words of a release.
pub(super) type TextForm = fn(&str, &ManifestReview) -> Vec<String>;

const LABEL_LIMIT: usize = 63;
const SUBDOMAIN_LIMIT: usize = 253;

/// The error of the API server for the name of a new Job. A name that is too long for the label of its
/// pods is rejected because of the label; here the error is about the name.
pub fn job_name_error(name: &str, release: Release) -> Option<String> {
    if name.is_empty() {
        return Some("metadata.name: Required value: name or generateName is required".to_owned());
    }
    let review = ManifestReview::new(release);
    let too_long = length(name, LABEL_LIMIT, review.server.length_unit);
    let mut details = subdomain(name, &review).into_iter().chain(too_long);
    let detail = details.next()?;
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

/// That a text is too long, if it is.
fn length(text: &str, limit: usize, unit: &str) -> Vec<String> {
    Vec::from_iter((text.len() > limit).then(|| longer_than(limit, unit)))
}

/// A DNS label, such as the name of a container.
pub(super) fn label(text: &str, review: &ManifestReview) -> Vec<String> {
    let mut details = length(text, LABEL_LIMIT, "characters");
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
    let mut details = length(text, SUBDOMAIN_LIMIT, unit);
    if !is_subdomain(text) {
        details.push(subdomain_form(review, "", SUBDOMAIN_FORM));
    }
    details
}

/// A DNS subdomain that may have underscores: a search domain.
pub(super) fn subdomain_with_underscore(text: &str, review: &ManifestReview) -> Vec<String> {
    let inner = |byte| is_lower(byte) || b"-_".contains(&byte);
    let fits = |part: &str| is_framed(part.strip_prefix('_').unwrap_or(part), is_lower, inner);
    let mut details = length(text, SUBDOMAIN_LIMIT, "characters");
    if !text.split('.').all(fits) {
        details.push(subdomain_form(review, "'_', ", SUBDOMAIN_UNDERSCORE_FORM));
    }
    details
}

fn subdomain_form(review: &ManifestReview, more: &str, regex: &str) -> String {
    let rule = format!(
        "{} must consist of lower case alphanumeric characters, {more}'-' or '.', and must start \
         and end with an alphanumeric character",
        review.server.subdomain
    );
    form(&rule, "'example.com'", regex)
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
    let mut details = length(text, LABEL_LIMIT, review.server.length_unit);
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
pub(super) fn config_key(text: &str, _: &ManifestReview) -> Vec<String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let mut details = length(text, SUBDOMAIN_LIMIT, "characters");
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
        return relaxed_environment_variable(text, review);
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
pub(super) fn relaxed_environment_variable(text: &str, _: &ManifestReview) -> Vec<String> {
    let plain = |byte: u8| (b' '..=b'~').contains(&byte) && byte != b'=';
    if text.is_empty() {
        vec!["environment variable name must be non-empty".to_owned()]
    } else if text.bytes().all(plain) {
        Vec::new()
    } else {
        let rule = "a valid environment variable name must consist only of printable ASCII \
                    characters other than '='";
        vec![rule.to_owned()]
    }
}

pub(super) fn port(text: &str, _: &ManifestReview) -> Vec<String> {
    const LIMIT: usize = 15;
    let plain = |byte: u8| is_lower(byte) || byte == b'-';
    let mut details = length(text, LIMIT, "characters");
    let rules = [
        (
            !text.is_empty() && text.bytes().all(plain),
            "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
        ),
        (
            text.bytes().any(|byte| byte.is_ascii_lowercase()),
            "must contain at least one letter (a-z)",
        ),
        (!text.contains("--"), "must not contain consecutive hyphens"),
        (
            !text.starts_with('-') && !text.ends_with('-'),
            "must not begin or end with a hyphen",
        ),
    ];
    let broken = rules.into_iter().filter(|(holds, _)| !holds);
    details.extend(broken.map(|(_, detail)| detail.to_owned()));
    details
}

/// The name of an HTTP header.
pub(super) fn header(text: &str, _: &ManifestReview) -> Vec<String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if !text.is_empty() && text.bytes().all(plain) {
        return Vec::new();
    }
    let rule = "a valid HTTP header must consist of alphanumeric characters or '-'";
    vec![form(rule, "'X-Header-Name'", "[-A-Za-z0-9]+")]
}

impl ManifestReview {
    /// Checks the form of the text at a position.
    pub(super) fn check_form(&mut self, at: &At<'_>, form: TextForm) {
        self.check_text(at, at.text(), form);
    }

    /// Checks the form of a text that is a part of the one at a position.
    pub(super) fn check_text(&mut self, at: &At<'_>, text: &str, form: TextForm) {
        for detail in form(text, self) {
            self.invalid(at, go_quote(text), &detail);
        }
    }

    /// Checks the form of a map's labels. Causes name the map.
    pub(super) fn labels(&mut self, at: &At<'_>) {
        for label in at.entries() {
            let label = label.named(at);
            for detail in qualified_name(label.name(), self) {
                self.invalid_key(&label, &detail);
            }
            self.check_form(&label, label_value);
        }
    }

    /// Checks the form of a map's annotations, whose keys may be in any case. Causes name the map.
    pub(super) fn annotations(&mut self, at: &At<'_>) {
        const MOST: usize = 256 * 1024;
        let mut size = 0;
        for note in at.entries() {
            size += note.name().len() + note.text().len();
            for detail in qualified_name(&note.name().to_lowercase(), self) {
                self.invalid_key(&note.named(at), &detail);
            }
        }
        if size > MOST {
            self.too_long(at, at.key_place(), MOST);
        }
    }

    pub(super) fn label_selector(&mut self, at: &At<'_>) {
        self.labels(&at.field("matchLabels"));
        for expression in at.field("matchExpressions").items() {
            self.selector_expression(&expression, &[], self.server.checks_selectors);
        }
    }

    /// Checks an expression of a selector with the operators of labels and further ones, which compare
    /// with one number.
    pub(super) fn selector_expression(
        &mut self,
        at: &At<'_>,
        comparisons: &[&str],
        checks_values: bool,
    ) {
        let (operator, values) = (at.field("operator"), at.field("values"));
        match operator.text() {
            "In" | "NotIn" if values.is_empty() => {
                let detail = "must be specified when `operator` is 'In' or 'NotIn'";
                self.required(&values, detail);
            }
            "Exists" | "DoesNotExist" if !values.is_empty() => {
                let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                self.forbidden(&values, detail);
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            other if comparisons.contains(&other) => {
                if values.len() != 1 {
                    let detail = "must be specified single value when `operator` is 'Lt' or 'Gt'";
                    self.required(&values, detail);
                }
            }
            other => {
                self.invalid_text(&operator, "not a valid selector operator");
                let known = ["In", "NotIn", "Exists", "DoesNotExist"];
                let known = known.iter().chain(comparisons).copied();
                self.suggest(nearest_word(other, known));
            }
        }
        self.check_form(&at.field("key"), qualified_name);
        for value in values.items().filter(|_| checks_values) {
            self.check_form(&value, label_value);
        }
    }
}

/// A relative path that does not lead out of where it is put.
pub(super) fn relative_path(path: &str, review: &ManifestReview) -> Vec<String> {
    let absolute = path.starts_with('/');
    let mut details = Vec::from_iter(absolute.then(|| "must be a relative path".to_owned()));
    details.extend(path_without_steps_back(path, review));
    details
}

pub(super) fn path_without_steps_back(path: &str, _: &ManifestReview) -> Vec<String> {
    Vec::from_iter(has_steps_back(path).then(|| "must not contain '..'".to_owned()))
}

pub(super) fn has_steps_back(path: &str) -> bool {
    path.split('/').any(|part| part == "..")
}

/// A relative path, and none that the kubelet keeps for itself.
pub(super) fn unreserved_path(path: &str, review: &ManifestReview) -> Vec<String> {
    let mut details = relative_path(path, review);
    if path.starts_with("..") && !path.starts_with("../") {
        details.push("must not start with '..'".to_owned());
    }
    details
}

/// An address, which since 1.36 must not be ambiguous.
pub(super) fn ip(text: &str, review: &ManifestReview) -> Vec<String> {
    const STRICT_SINCE: u32 = 36;
    let detail = match parse_ip(text) {
        None => return vec![format!("must be {}", review.server.address)],
        Some(_) if review.minor < STRICT_SINCE => return Vec::new(),
        Some(_) if text.parse::<IpAddr>().is_err() => "must not have leading 0s",
        Some(address) if is_mapped(&address) => "must not be an IPv4-mapped IPv6 address",
        Some(_) => return Vec::new(),
    };
    vec![detail.to_owned()]
}

/// The warning of the server, without the path.
pub(super) fn ip_warning(text: &str) -> Option<String> {
    let address = parse_ip(text)?;
    let quoted = go_quote(text);
    if text.parse::<IpAddr>().is_err() || is_mapped(&address) {
        let plain = address.to_canonical();
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
    address.to_canonical() != *address
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
        use crate::validation::job_name_error;
        use cronjob_controller::controller::Release;

        assert_eq!(job_name_error("again", Release::NEWEST), None);
        let error = job_name_error(&"a".repeat(64), Release::NEWEST).unwrap();
        assert!(error.ends_with("must be no more than 63 bytes"));
    }
}
