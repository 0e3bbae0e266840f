//! What the next changes of a zone's clock do to a `CronJob`.

use jiff::Timestamp;

use super::Facts;
use crate::schedule::{Surprise, SurpriseKind};

/// Farther ahead nobody needs to care yet.
const HORIZON: i64 = 92 * 86_400;

/// The next surprise of a kind, and the zone whose clock is to blame.
pub(super) fn coming(facts: &Facts<'_>, kind: SurpriseKind) -> Option<(String, Surprise)> {
    let timetable = facts.timetable.as_ref()?;
    let zone = timetable.zone()?.name().to_owned();
    let until = Timestamp::from_second(facts.now.as_second() + HORIZON).ok()?;
    let surprises = timetable.surprises(facts.now, until);
    let found = surprises
        .into_iter()
        .find(|surprise| surprise.kind == kind)?;
    Some((zone, found))
}
