//! Once slots are missed, a pause in the schedule can hide them.

use super::super::{Facts, Found};
use crate::controller::{Arithmetic, Outcome};
use crate::duration::exact;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let blocked = facts.decision.outcome == Outcome::Blocked;
    let waits = facts.is_suspended() || blocked;
    let looks = facts.behaviour().arithmetic == Arithmetic::Looked;
    if !looks || !waits || facts.prospect().outcome == Outcome::NoSlotFound {
        return None;
    }
    let pace = facts.pace().filter(|pace| pace.is_uneven())?;
    let when = if blocked {
        "the running Job ends"
    } else {
        "it is resumed"
    };
    let detail = format!(
        "Runs are {} to {} apart. If two or more are missed and {when} in a long pause, this \
         release may find none of them: it starts nothing and records no event.",
        exact(pace.shortest),
        exact(pace.longest)
    );
    let run = facts.run_by_hand().comment("makes up for a lost run");
    Some(Found::new(detail).remedy(run))
}
