//! It is being deleted for long.

use super::super::{Facts, Found};
use crate::duration::human;

/// Deletions take a while.
const PATIENCE: i64 = 600;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let since = facts.cron_job.deletion_timestamp?;
    let age = facts.ago(since);
    if age < PATIENCE {
        return None;
    }
    let detail = format!(
        "Its deletion was asked for at {since}, {} ago, and it is still there. It starts nothing \
         meanwhile.",
        human(age)
    );
    let look = facts.kubectl("get cronjob").name(&facts.cron_job.name);
    Some(Found::new(detail).remedy(look.with("-o jsonpath='{.metadata.finalizers}'")))
}
