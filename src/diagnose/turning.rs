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

/// The local times of a surprise, a few of them.
pub(super) fn local_times(surprise: &Surprise) -> String {
    const SHOWN: usize = 4;
    let shown: Vec<String> = surprise
        .local_times
        .iter()
        .take(SHOWN)
        .map(|local| local.strftime("%H:%M").to_string())
        .collect();
    let more = surprise.count.saturating_sub(SHOWN);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("{}{more}", shown.join(", "))
}
