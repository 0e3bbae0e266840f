//! Slots were missed, and on being resumed the controller would find none of them.

use super::super::commands::{add, counted};
use super::super::{Facts, Found};
use crate::controller::Outcome;
use crate::duration::human;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    if facts.if_resumed.as_ref()?.outcome != Outcome::NoSlotFound {
        return None;
    }
    let missed = facts.missed?;
    let slots = counted(facts.not_run()?, "slot");
    let last = facts.last_not_run()?;
    let mut detail = format!(
        "{slots} since {} got no Job, the last at {last}, {} ago. If it is resumed now, this \
         release's estimate finds none of them: it starts nothing and records no event.",
        missed.since,
        human(facts.ago(last))
    );
    if let Some(next) = facts.next_run() {
        add(
            &mut detail,
            format_args!(" The first run would be that of {next}."),
        );
    }
    Some(Found::new(detail).remedy(facts.run_by_hand()))
}
