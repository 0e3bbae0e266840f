//! The controller does not know the time zone.

use super::super::commands::one_line;
use super::super::{Facts, Found};
use crate::schedule::suggest_zone;
use crate::upcoming::Problem;
use serde_json::json;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let Err(Problem::TimeZone { name, error }) = &facts.schedule else {
        return None;
    };
    let name = one_line(name);
    let found = Found::new(format!(
        "spec.timeZone is \"{name}\": {error}. The controller starts nothing, and does not look \
         again until something changes."
    ));
    Some(match suggest_zone(&name) {
        Some(zone) => found.remedy(facts.patch(&json!({ "timeZone": zone }))),
        None => {
            found.remedy("Set spec.timeZone to a name of the tz database, such as Europe/Berlin.")
        }
    })
}
