//! A name that no new CronJob may have.

use super::super::commands::add;
use super::super::{Facts, Found};
use crate::controller::Generation;

const LONGEST: usize = 52;
const LONGEST_JOB: usize = 63;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let length = facts.cron_job.name.len();
    if length <= LONGEST {
        return None;
    }
    // A dash, and the slot in seconds or in minutes.
    let suffix = match facts.behaviour().generation {
        Generation::V1 | Generation::Tutorial => 11,
        Generation::V2 => 9,
    };
    let mut detail = format!(
        "The name has {length} characters, and no new CronJob may have more than {LONGEST}: it \
         cannot be created again."
    );
    if length + suffix > LONGEST_JOB {
        add(
            &mut detail,
            format_args!(
                " Its Jobs would have names of {} characters, where {LONGEST_JOB} are allowed: none \
             can be created.",
                length + suffix
            ),
        );
    }
    Some(Found::new(detail).remedy("Create it anew under a shorter name, then delete this one."))
}
