//! `spec.schedule`.

use super::{FieldError, Review};
use crate::controller::ZonePrefix;
use crate::controller::clock::names_zone;
use crate::schedule::{ParseError, Schedule};

const FIELD: &str = "spec.schedule";
/// A slip of upstream's, in all releases that warn.
const FIELD_IN_WARNINGS: &str = "spec.spec.schedule";
const SEE: &str = "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/";

fn parsed(review: &Review<'_>) -> Result<Schedule, ParseError> {
    let schedule = &review.new.spec.schedule;
    Schedule::parse(schedule, review.behaviour.dialect, review.zones)
}

/// Whether the server does not get beyond the schedule.
pub(super) fn panics(review: &Review<'_>) -> bool {
    !review.admission.survives_panics && parsed(review).is_err_and(|error| error.is_panic())
}

/// It must be there and be read, and its zone must be said in one place.
pub(super) fn errors(review: &Review<'_>) -> Vec<FieldError> {
    let schedule = &review.new.spec.schedule;
    if schedule.is_empty() {
        return vec![FieldError::required(FIELD, "")];
    }
    let unread = parsed(review).err().map(|error| error.to_string());
    let details = unread.into_iter().chain(zone(review).map(str::to_owned));
    details
        .map(|detail| FieldError::invalid_text(FIELD, schedule, &detail))
        .collect()
}

fn zone(review: &Review<'_>) -> Option<&'static str> {
    if !names_zone(review.new) {
        return None;
    }
    let had_zone = review.old.is_some_and(names_zone);
    let twice = review.behaviour.time_zone_field && review.new.spec.time_zone.is_some();
    match review.behaviour.zone_prefix {
        ZonePrefix::NotParsed => None,
        ZonePrefix::Refused if !had_zone => {
            Some("cannot use TZ or CRON_TZ in schedule, use timeZone field instead")
        }
        ZonePrefix::Accepted | ZonePrefix::Refused => {
            twice.then_some("cannot use both timeZone field and TZ or CRON_TZ in schedule")
        }
    }
}

/// What is taken with a warning.
pub(super) fn warning(review: &Review<'_>) -> Option<String> {
    if !names_zone(review.new) || !review.behaviour.warns_of_zone_prefix {
        return None;
    }
    match review.behaviour.zone_prefix {
        ZonePrefix::NotParsed => None,
        ZonePrefix::Accepted => Some(format!(
            "CRON_TZ or TZ used in {FIELD_IN_WARNINGS} is not officially supported, \
             see {SEE} for more details"
        )),
        ZonePrefix::Refused => Some(format!(
            "cannot use TZ or CRON_TZ in {FIELD_IN_WARNINGS}, use timeZone instead, \
             see {SEE} for more details"
        )),
    }
}
