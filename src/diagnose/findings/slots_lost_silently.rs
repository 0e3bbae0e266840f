//! Slots were missed, and the estimate finds none of them.

use super::super::commands::{add, counted};
use super::super::{Facts, Found};
use crate::controller::Outcome;
use crate::duration::human;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    if facts.decision.outcome != Outcome::NoSlotFound {
        return None;
    }
    let (missed, last) = (facts.missed?, facts.last_not_run()?);
    let slots = counted(facts.not_run()?, "slot");
    let mut detail = format!(
        "{slots} since {} got no Job. The last was {last}, {} ago; this release's estimate looks \
         for it where there is none, so it starts nothing and records no event.",
        missed.since,
        human(facts.ago(last))
    );
    if let Some(next) = facts.next_run() {
        add(
            &mut detail,
            format_args!(" The next run is that of {next}."),
        );
    }
    Some(Found::new(detail).remedy(facts.run_by_hand()))
}
