//! `metadata.name`.

use super::{FieldError, Review};

const FIELD: &str = "metadata.name";
const SUBDOMAIN_LIMIT: usize = 253;

/// A new object's name must be a DNS subdomain.
pub(super) fn malformed(review: &Review<'_>) -> Vec<FieldError> {
    let name = &review.new.name;
    if review.old.is_some() {
        return Vec::new();
    }
    if name.is_empty() {
        let detail = "name or generateName is required";
        return vec![FieldError::required(FIELD, detail)];
    }
    let mut details = Vec::new();
    if name.len() > SUBDOMAIN_LIMIT {
        details.push(longer_than(SUBDOMAIN_LIMIT, "characters"));
    }
    if !name.split('.').all(is_label) {
        let subdomain = review.admission.subdomain;
        details.push(format!(
            "{subdomain} must consist of lower case alphanumeric characters, '-' or '.', and must \
             start and end with an alphanumeric character (e.g. 'example.com', regex used for \
             validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
        ));
    }
    let error = |detail: String| FieldError::invalid_text(FIELD, name, &detail);
    details.into_iter().map(error).collect()
}

fn is_label(label: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !label.is_empty()
        && !label.starts_with('-')
        && !label.ends_with('-')
        && label.bytes().all(plain)
}

/// A new object's name must leave room for what its Jobs' names have behind it.
pub(super) fn too_long(review: &Review<'_>) -> Option<FieldError> {
    let name = &review.new.name;
    let limit = review.admission.name_limit?;
    (review.old.is_none() && name.len() > limit)
        .then(|| FieldError::invalid_text(FIELD, name, &longer_than(limit, "characters")))
}

/// That a text is too long.
pub(crate) fn longer_than(limit: usize, unit: &str) -> String {
    format!("must be no more than {limit} {unit}")
}

/// A name that is taken can be unsuitable for what is derived from it. It is a DNS subdomain that
/// is not too long, so that only dots can keep it from being a label.
pub(super) fn warning(review: &Review<'_>) -> Option<String> {
    let warns = review.admission.warns_of_dots && review.old.is_none();
    (warns && review.new.name.contains('.')).then(|| {
        format!(
            "{FIELD}: this is used in Pod names and hostnames, which can result in surprising \
             behavior; a DNS label is recommended: [must not contain dots]"
        )
    })
}
