//! `metadata.name`.

use super::{Admission, FieldError, Review};
use crate::controller::Release;

const FIELD: &str = "metadata.name";
const SUBDOMAIN_LIMIT: usize = 253;
/// The name of a Job is a label of its pods.
const LABEL_LIMIT: usize = 63;

/// A new object's name must be a DNS subdomain.
pub(super) fn malformed(review: &Review<'_>) -> Vec<FieldError> {
    if review.old.is_some() {
        return Vec::new();
    }
    no_subdomain(&review.new.name, review.admission)
}

/// What the API server of a release says of the name of a new Job. One that is too long for the
/// label of its pods is refused for the label's sake; here it is the name that is at fault.
///
/// ```
/// use cronjob_doctor::controller::{Release, validation::validate_job_name};
///
/// assert!(validate_job_name("again", Release::NEWEST).is_empty());
/// let errors = validate_job_name(&"a".repeat(64), Release::NEWEST);
/// assert!(errors[0].to_string().ends_with("must be no more than 63 bytes"));
/// ```
pub fn validate_job_name(name: &str, release: Release) -> Vec<FieldError> {
    let admission = Admission::of(release);
    let mut errors = no_subdomain(name, admission);
    if errors.is_empty() && name.len() > LABEL_LIMIT {
        let detail = longer_than(LABEL_LIMIT, admission.length_unit);
        errors.push(FieldError::invalid_text(FIELD, name, &detail));
    }
    errors
}

fn no_subdomain(name: &str, admission: Admission) -> Vec<FieldError> {
    if name.is_empty() {
        let detail = "name or generateName is required";
        return vec![FieldError::required(FIELD, detail)];
    }
    let mut details = Vec::new();
    if name.len() > SUBDOMAIN_LIMIT {
        details.push(longer_than(SUBDOMAIN_LIMIT, admission.length_unit));
    }
    if !name.split('.').all(is_label) {
        let subdomain = admission.subdomain;
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
        // This one is always said in characters.
        .then(|| FieldError::invalid_text(FIELD, name, &longer_than(limit, "characters")))
}

/// That a text is too long.
pub(in crate::controller) fn longer_than(limit: usize, unit: &str) -> String {
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
