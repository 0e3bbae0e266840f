//! What is wrong or risky with a `CronJob`: evidence becomes findings.

mod admission;
mod durations;
mod ending;
mod event_jobs;
mod expectations;
mod explanation;
mod facts;
mod findings;
mod input;
mod just_started;
mod last_run;
mod missed;
mod nodes;
mod outage;
mod phases;
mod pods;
mod prediction;
mod remedies;
mod run_logs;
mod schedule_edit;
mod success_due;
mod successes;
mod suspension;
mod together;
mod verdict;
mod waiting;

use crate::printable::one_line;
pub use crate::rules::Severity;
pub(crate) use durations::{DurationSource, UsualDuration, nearest_rank};
pub(crate) use event_jobs::{EventJob, EventJobs, JobRemoval};
pub(crate) use expectations::{Expectations, is_link};
#[cfg(feature = "report")]
pub(crate) use explanation::ExplainedMissedRuns;
pub(crate) use explanation::{Compared, Explanation, WhatIf};
pub use facts::Facts;
pub use findings::Finding;
pub(crate) use findings::FindingDetails;
pub(crate) use input::Input;
pub(crate) use just_started::with_just_started;
pub(crate) use last_run::{
    LastRun, LastRunState, LastSuccess, NO_SUCCESS, failure_reason, no_run_yet,
};
pub use missed::causes;
pub(crate) use missed::{MissedFor, MissedRuns};
pub(crate) use outage::{ControllerOutage, DOWN, LeftUndone, left_undone};
pub(crate) use pods::PodState;
use pods::job_in_words;
pub(crate) use prediction::{
    Observed, PredictionCheck, compare, is_fulfilled, is_refuted, is_unseen_event,
};
pub(crate) use remedies::patch_command;
pub(crate) use run_logs::{
    ContainerLog, LogTail, NoLogs, PodPlace, WantedLog, first_logs, keep, log_of_run, missing_pods,
};
pub(crate) use schedule_edit::ScheduleEdit;
pub(crate) use suspension::{SkippedRuns, SuspensionRecord, last_run_skipped_by, undone_by_sync};
pub(crate) use together::{
    Beside, MissingBeside, MissingCronJobs, expected_delays, judge_together,
};
pub(crate) use verdict::local_time;
pub use verdict::verdict;
pub(crate) use verdict::{
    action_time, lateness, local, no_time_to_start, utc_or, verdict_on_change, when,
};

pub fn diagnose(facts: &Facts<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = findings::CHECKS
        .iter()
        .filter_map(|(rule, check)| Finding::new(rule, check(facts)?))
        .collect();
    findings::defer_to_causes(&mut found);
    findings::defer_to_suspension(facts, &mut found);
    found.sort_by_key(|finding| (std::cmp::Reverse(finding.severity), finding.is_manual));
    found
}

/// The rules for findings, in the order in which those of one severity are shown.
pub fn finding_rules() -> impl Iterator<Item = &'static crate::rules::Rule> {
    findings::CHECKS.iter().map(|(rule, _)| *rule)
}
