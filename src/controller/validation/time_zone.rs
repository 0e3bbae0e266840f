//! What the API server says of `spec.timeZone`.

use super::{FieldError, Review};
use crate::schedule::{Zones, load_location};

/// It is looked up only where it changes: the server's own database may have forgotten it since.
pub(super) fn errors(review: &Review<'_>) -> Vec<FieldError> {
    let new = &review.new.spec.time_zone;
    let is_old = review.old.is_some_and(|old| old.spec.time_zone == *new);
    let (Some(name), true) = (new, review.behaviour.time_zone_field && !is_old) else {
        return Vec::new();
    };
    details(name, review.admission.checks_zone_characters, review.zones)
        .into_iter()
        .map(|detail| FieldError::invalid_text("spec.timeZone", name, &detail))
        .collect()
}

/// The details of the errors that the API server (1.27 and later) finds in a `timeZone`, in order.
///
/// ```
/// use cronjob_doctor::controller::validate_time_zone;
/// use cronjob_doctor::schedule::BundledZones;
///
/// assert!(validate_time_zone("Europe/Berlin", &BundledZones).is_empty());
/// assert_eq!(validate_time_zone("europe/berlin", &BundledZones), ["unknown time zone europe/berlin"]);
/// ```
pub fn validate_time_zone(name: &str, zones: &dyn Zones) -> Vec<String> {
    details(name, true, zones)
}

/// The details, with the check of the characters or, as in older releases, without it.
pub(super) fn details(name: &str, checks_characters: bool, zones: &dyn Zones) -> Vec<String> {
    if name.is_empty() {
        return vec!["timeZone must be nil or non-empty string".to_owned()];
    }
    if checks_characters && !name.split('/').all(is_plain_part) {
        return vec![format!("unknown time zone {name}")];
    }
    let mut errors = Vec::new();
    if name.eq_ignore_ascii_case("local") {
        errors.push(
            "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
                .to_owned(),
        );
    }
    if let Err(error) = load_location(name, zones) {
        errors.push(error.to_string());
    }
    errors
}

fn is_plain_part(part: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_+".contains(&byte);
    part != "."
        && part != ".."
        && !part.starts_with('-')
        && (1..=14).contains(&part.len())
        && part.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::validate_time_zone;
    use crate::schedule::BundledZones;

    /// By the rules of `validateTimeZone` in Kubernetes' `pkg/apis/batch/validation`.
    #[test]
    fn details_and_their_order() {
        let explicit =
            "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
        let validate = |name: &str| validate_time_zone(name, &BundledZones);
        assert_eq!(validate(""), ["timeZone must be nil or non-empty string"]);
        assert_eq!(validate("Local"), [explicit]);
        assert_eq!(validate("local"), [explicit, "unknown time zone local"]);
        for unknown in [
            "Mars/Base",
            "../UTC",
            "Europe//Berlin",
            "-05",
            "Europe/Ber lin",
            " UTC",
        ] {
            assert_eq!(validate(unknown), [format!("unknown time zone {unknown}")]);
        }
        assert_eq!(validate("Etc/GMT+5"), [""; 0]);
        assert_eq!(validate("UTC"), [""; 0]);
    }
}
