//! The past of one `CronJob`, beside what it was told from.

use jiff::Timestamp;

use super::{Basis, History, Window, history, run};
use crate::diagnose::Facts;

/// What became of the past slots of one `CronJob`.
pub struct Item<'a> {
    /// What is known of it.
    pub facts: Facts<'a>,
    /// What became of its slots.
    pub history: History,
}

impl<'a> Item<'a> {
    /// Lays the slots of a window beside the facts. One that begins before the `CronJob` did begins with
    /// it, unless it ends before that.
    pub fn of(facts: Facts<'a>, window: &Window) -> Self {
        let until = window.until.unwrap_or(facts.now).min(facts.now);
        let begins = beginning(&facts).filter(|(begins, _)| {
            window.since.is_some_and(|since| since < *begins) && *begins <= until
        });
        let since = begins.map(|(begins, _)| begins).or(window.since);
        let mut history = history(&facts, &Window { since, ..*window });
        if let Some((_, basis)) = begins {
            history.basis = basis;
        }
        Item { facts, history }
    }
}

/// When the first slot can have been: that of the oldest run, where one of its name was there before.
fn beginning(facts: &Facts<'_>) -> Option<(Timestamp, Basis)> {
    let created = facts.cron_job.creation_timestamp?;
    let runs = facts.runs.iter().filter_map(run::slot);
    let oldest = runs.chain(facts.cron_job.status.last_schedule_time).min();
    Some(match oldest {
        Some(oldest) if oldest < created => (oldest, Basis::OldestRun),
        _ => (created, Basis::Creation),
    })
}
