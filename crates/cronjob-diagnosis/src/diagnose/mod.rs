//! What is wrong or risky with a `CronJob`: evidence becomes findings.

mod admission;
mod durations;
mod ending;
mod event_jobs;
mod expectations;
mod explanation;
mod facts;
mod failure_cause;
mod findings;
mod input;
mod just_started;
mod last_run;
mod missed;
mod nodes;
mod outage;
mod past_outages;
mod phases;
mod pods;
mod prediction;
mod remedies;
mod run_logs;
mod schedule_edit;
mod since_success;
mod success_due;
mod successes;
mod suspension;
mod together;
mod verdict;
mod waiting;

pub use cronjob_manifest::rules::Severity;
use cronjob_text::printable::one_line;
pub use durations::{DurationSource, UsualDuration, nearest_rank};
pub(crate) use event_jobs::{EventJob, EventJobs, JobRemoval};
pub use expectations::{Expectations, is_link};
pub use explanation::{Compared, ExplainedMissedRuns, Explanation, WhatIf};
pub use facts::Facts;
pub use failure_cause::CauseKind;
pub(crate) use failure_cause::FailureCause;
pub use findings::Finding;
pub(crate) use findings::FindingDetails;
pub use input::Input;
pub use just_started::with_just_started;
pub(crate) use last_run::failure_reason;
pub use last_run::{LastRun, LastRunState, LastSuccess, NO_SUCCESS, no_run_yet};
pub use missed::causes;
pub(crate) use missed::{MissedFor, MissedRuns};
pub(crate) use outage::left_undone;
pub use outage::{ControllerOutage, DOWN, LeftUndone};
pub use pods::PodState;
use pods::job_in_words;
pub use prediction::{
    Observed, PredictionCheck, compare, is_fulfilled, is_refuted, is_unseen_event,
};
pub use remedies::patch_command;
pub use run_logs::{
    ContainerLog, LogTail, NoLogs, PodPlace, WantedLog, first_logs, keep, log_of_run, missing_pods,
};
pub use schedule_edit::ScheduleEdit;
pub use since_success::{
    ChangedConfigMap, ComparedPart, ComparedRuns, FieldWriter, SinceSuccess, TemplateChange,
};
pub use suspension::by_manager;
pub(crate) use suspension::undone_by_sync;
pub use suspension::{SkippedRuns, SuspensionRecord, last_run_skipped_by};
pub(crate) use together::expected_delays;
pub use together::{Beside, MissingBeside, MissingCronJobs, judge_together};
pub use verdict::{
    action_time, lateness, local, local_time, utc_or, verdict, verdict_on_change, when,
};
pub(crate) use verdict::{for_run, no_time_to_start, starts_when_running};

pub fn diagnose(facts: &Facts<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = findings::CHECKS
        .iter()
        .filter_map(|(rule, check)| Finding::new(rule, check(facts)?))
        .collect();
    findings::defer_to_causes(&mut found);
    findings::defer_to_suspension(facts, &mut found);
    found.sort_by_key(|finding| (std::cmp::Reverse(finding.severity), finding.is_manual));
    // Most CronJobs have none or one, and those of thousands are kept.
    found.shrink_to_fit();
    found
}

/// The rules for findings, in the order in which those of one severity are shown.
pub fn finding_rules() -> impl Iterator<Item = &'static cronjob_manifest::rules::Rule> {
    findings::CHECKS.iter().map(|(rule, _)| *rule)
}
