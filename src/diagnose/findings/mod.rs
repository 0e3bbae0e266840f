//! Findings, and the checks that apply each rule of the catalog to a cluster.

mod concurrency;
mod deadline;
mod ending;
mod expectations;
mod history;
mod job;
mod missed;
mod pods;
mod schedule;
mod sidecar;
mod suspended;
mod time_zone;
mod unowned;

use schemars::JsonSchema;
use serde::Serialize;

use super::Facts;
use crate::kubectl::Remedy;
use crate::model::PastRun;
use crate::rules::{self, FindingRule, Rule, Severity};

type FindingCheck = fn(&Facts<'_>) -> Option<FindingDetails>;

/// The checks, in the order in which findings of one severity are shown.
pub(super) static CHECKS: &[(&Rule, FindingCheck)] = &[
    (
        &rules::STARTING_DEADLINE_ZERO,
        deadline::starting_deadline_zero,
    ),
    (&rules::SCHEDULE_UNPARSEABLE, schedule::schedule_unparseable),
    (&rules::UNKNOWN_TIME_ZONE, time_zone::unknown_time_zone),
    (&rules::NEVER_SCHEDULED, schedule::never_scheduled),
    (
        &rules::SCHEDULE_SEARCH_HANGS,
        time_zone::schedule_search_hangs,
    ),
    (&rules::TOO_MANY_MISSED_STOPS, missed::too_many_missed_stops),
    (&rules::HOT_LOOP, schedule::hot_loop),
    (&rules::JOB_CREATION_FAILS, job::job_creation_fails),
    (&rules::QUOTA_EXCEEDED, job::quota_exceeded),
    (&rules::JOB_NAME_TAKEN, job::job_name_taken),
    (&rules::POD_CREATION_REJECTED, pods::pod_creation_rejected),
    (&rules::POD_IMAGE_PULL_FAILS, pods::pod_image_pull_fails),
    (&rules::POD_CONFIG_MISSING, pods::pod_config_missing),
    (&rules::POD_CRASHES, pods::pod_crashes),
    (&rules::JOB_ENDING, ending::job_ending),
    (&rules::HELD_BY_SIDECAR, sidecar::held_by_sidecar),
    (&rules::LAST_RUN_FAILED, history::last_run_failed),
    (&rules::SUCCESS_OVERDUE, expectations::success_overdue),
    (
        &rules::MAX_DURATION_EXCEEDED,
        expectations::max_duration_exceeded,
    ),
    (
        &rules::STARTING_DEADLINE_EXCEEDED,
        deadline::starting_deadline_exceeded,
    ),
    (&rules::MISSED_WITHOUT_EVENT, missed::missed_without_event),
    (&rules::START_OVERDUE, missed::start_overdue),
    (&rules::POD_NOT_SCHEDULED, pods::pod_not_scheduled),
    (&rules::NO_POD_READY, pods::no_pod_ready),
    (&rules::RUN_WAITING, pods::run_waiting),
    (
        &rules::BLOCKED_BY_RUNNING_JOB,
        concurrency::blocked_by_running_job,
    ),
    (
        &rules::RUNNING_LONGER_THAN_USUAL,
        expectations::running_longer_than_usual,
    ),
    (
        &rules::FINISHED_SUSPICIOUSLY_FAST,
        expectations::finished_suspiciously_fast,
    ),
    (
        &rules::FINISHED_JOB_STILL_ACTIVE,
        concurrency::finished_job_still_active,
    ),
    (
        &rules::DELETED_JOB_STILL_ACTIVE,
        concurrency::deleted_job_still_active,
    ),
    (
        &rules::SUSPENDED_PAST_UNTIL,
        suspended::suspended_past_until,
    ),
    (&rules::SUSPENDED_LONG, suspended::suspended_long),
    (
        &rules::RESUME_SKIPS_MISSED_RUNS,
        suspended::resume_skips_missed_runs,
    ),
    (
        &rules::START_AT_UNSCHEDULED_TIME,
        missed::start_at_unscheduled_time,
    ),
    (&rules::TOO_MANY_MISSED, missed::too_many_missed),
    (&rules::SUSPENDED, suspended::suspended),
    (
        &rules::STARTING_DEADLINE_SHORTER_THAN_DELAY,
        deadline::starting_deadline_shorter_than_delay,
    ),
    (
        &rules::STARTING_DEADLINE_UNDER_10S,
        deadline::starting_deadline_under_10s,
    ),
    (
        &rules::RUNS_LONGER_THAN_PERIOD,
        concurrency::runs_longer_than_period,
    ),
    (&rules::MANUAL_RUN_FAILED, history::manual_run_failed),
    (
        &rules::LAST_RUN_WITHOUT_SUCCESS,
        history::last_run_without_success,
    ),
    (&rules::NEVER_SUCCEEDED, history::never_succeeded),
    (&rules::RUNS_WITHOUT_SUCCESS, history::runs_without_success),
    (
        &rules::TIME_ZONE_IN_SCHEDULE,
        time_zone::time_zone_in_schedule,
    ),
    (&rules::TIME_ZONE_IGNORED, time_zone::time_zone_ignored),
    (
        &rules::TIME_ZONE_UNSET_NOT_UTC,
        time_zone::time_zone_unset_not_utc,
    ),
    (
        &rules::PUBLISHED_NEXT_RUN_DIFFERS,
        time_zone::published_next_run_differs,
    ),
    (&rules::SUB_MINUTE_EVERY, schedule::sub_minute_every),
    (&rules::JOB_TEMPLATE_SUSPENDED, job::job_template_suspended),
    (&rules::NAME_TOO_LONG, job::name_too_long),
    (
        &rules::INVALID_EXPECTATION,
        expectations::invalid_expectations,
    ),
    (&rules::CLOCK_SKEW, time_zone::clock_skew),
    (
        &rules::CLOCK_CHANGE_SKIPS_RUN,
        time_zone::clock_change_skips_run,
    ),
    (&rules::DELETION_STUCK, job::deletion_stuck),
    (
        &rules::HISTORY_LIMIT_HIDES_FAILURES,
        history::history_limit_hides_failures,
    ),
    (
        &rules::SUSPENDED_OUTSIDE_GITOPS,
        suspended::suspended_outside_gitops,
    ),
    (
        &rules::STALE_SUSPENSION_ANNOTATIONS,
        suspended::stale_suspension_annotations,
    ),
    (
        &rules::RESUME_STARTS_IMMEDIATELY,
        suspended::resume_starts_immediately,
    ),
    (&rules::TOO_MANY_MISSED_SOON, missed::too_many_missed_soon),
    (
        &rules::UNEVEN_SCHEDULE_CAN_MISS_RUNS,
        missed::uneven_schedule_can_miss_runs,
    ),
    (
        &rules::CLOCK_CHANGE_REPEATS_RUN,
        time_zone::clock_change_repeats_run,
    ),
    (&rules::MANUAL_JOB_UNEXPECTED, job::manual_job_unexpected),
    (&rules::JOB_NOT_OWNED, unowned::job_not_owned),
    (&rules::TTL_HIDES_FAILURES, history::ttl_hides_failures),
    (
        &rules::HISTORY_LIMIT_HIDES_SUCCESSES,
        history::history_limit_hides_successes,
    ),
];

/// That runs do not succeed is a warning beside a finding that names a cause, whatever their number.
pub(super) fn defer_to_causes(found: &mut [Finding]) {
    let is_consequence = |finding: &Finding| finding.code == rules::RUNS_WITHOUT_SUCCESS.name;
    let is_cause = |finding: &Finding| finding.severity >= Severity::Warning;
    let mut others = found.iter().filter(|finding| !is_consequence(finding));
    if others.any(is_cause) {
        for finding in found.iter_mut().filter(|finding| is_consequence(finding)) {
            finding.severity = Severity::Warning;
        }
    }
}

/// What is wrong or risky with a `CronJob`.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The name of the rule, which never changes.
    pub code: &'static str,
    /// How severe it is.
    pub severity: Severity,
    /// What is wrong, in a few words.
    pub title: &'static str,
    /// What is wrong with this CronJob, with numbers, times and names.
    pub detail: String,
    /// What to do about it.
    pub remedy: Option<Remedy>,
    /// The field of the `CronJob` that the finding is about.
    pub field: Option<&'static str>,
    #[serde(skip)]
    pub(crate) rule: &'static FindingRule,
    /// Whether it is about a manually created Job.
    #[serde(skip)]
    pub(crate) is_manual: bool,
}

impl Finding {
    /// The finding of a rule, unless the rule is only for manifests.
    pub(crate) fn new(rule: &'static Rule, found: FindingDetails) -> Option<Self> {
        let of_finding = rule.finding.as_ref()?;
        Some(Finding {
            code: rule.name,
            severity: found.severity.unwrap_or(of_finding.severity),
            title: rule.title,
            detail: found.detail,
            remedy: found.remedy,
            field: of_finding.field,
            rule: of_finding,
            is_manual: found.is_manual,
        })
    }
}

/// The parts of a finding that differ between CronJobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FindingDetails {
    /// What is wrong with this CronJob.
    pub detail: String,
    pub remedy: Option<Remedy>,
    /// The severity, if it differs from that of the rule.
    pub severity: Option<Severity>,
    /// Whether it is about a manually created Job.
    pub is_manual: bool,
}

impl FindingDetails {
    pub(crate) fn new(detail: impl Into<String>) -> Self {
        FindingDetails {
            detail: detail.into(),
            remedy: None,
            severity: None,
            is_manual: false,
        }
    }

    /// The finding is about this Job alone.
    #[must_use]
    pub(crate) fn about(self, run: &PastRun<'_>) -> Self {
        FindingDetails {
            is_manual: run.is_manual(),
            ..self
        }
    }

    /// Sets another severity than that of the rule.
    #[must_use]
    pub(crate) fn severity(self, severity: Severity) -> Self {
        FindingDetails {
            severity: Some(severity),
            ..self
        }
    }

    /// Sets another severity in a special case.
    #[must_use]
    pub(crate) fn severity_if(self, is_special: bool, severity: Severity) -> Self {
        if is_special {
            self.severity(severity)
        } else {
            self
        }
    }

    #[must_use]
    pub(crate) fn remedy(self, remedy: impl Into<Remedy>) -> Self {
        FindingDetails {
            remedy: Some(remedy.into()),
            ..self
        }
    }
}
