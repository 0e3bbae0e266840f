//! Findings, and the checks that find each rule of the catalogue in a cluster.

mod concurrency;
mod deadline;
mod history;
mod job;
mod missed;
mod pods;
mod schedule;
mod suspended;
mod time_zone;

use schemars::JsonSchema;
use serde::Serialize;

use super::Facts;
use crate::rules::{self, FindingRule, Rule, Severity};

type FindingCheck = fn(&Facts<'_>) -> Option<FindingDetails>;

/// The checks, in the order in which findings of one severity are shown.
pub(super) static CHECKS: &[(&Rule, FindingCheck)] = &[
    (&rules::DEADLINE_ZERO, deadline::deadline_zero),
    (&rules::SCHEDULE_UNPARSEABLE, schedule::schedule_unparseable),
    (&rules::UNKNOWN_TIME_ZONE, time_zone::unknown_time_zone),
    (&rules::NEVER_RUNS, schedule::never_runs),
    (&rules::SEARCH_STANDS_STILL, time_zone::search_stands_still),
    (
        &rules::REFUSES_TOO_MANY_MISSED,
        missed::refuses_too_many_missed,
    ),
    (&rules::HOT_LOOP, schedule::hot_loop),
    (&rules::CREATION_FAILS, job::creation_fails),
    (&rules::NO_ROOM_IN_QUOTA, job::no_room_in_quota),
    (&rules::NAME_TAKEN, job::name_taken),
    (&rules::PODS_REFUSED, pods::pods_refused),
    (&rules::POD_IMAGE_NOT_PULLED, pods::pod_image_not_pulled),
    (&rules::POD_CONFIG_MISSING, pods::pod_config_missing),
    (&rules::POD_CRASHES, pods::pod_crashes),
    (&rules::LAST_RUN_FAILED, history::last_run_failed),
    (&rules::RUNS_PAST_DEADLINE, deadline::runs_past_deadline),
    (&rules::SLOTS_LOST_SILENTLY, missed::slots_lost_silently),
    (&rules::START_OVERDUE, missed::start_overdue),
    (&rules::POD_NOT_SCHEDULED, pods::pod_not_scheduled),
    (&rules::NO_POD_READY, pods::no_pod_ready),
    (
        &rules::BLOCKED_BY_RUNNING_JOB,
        concurrency::blocked_by_running_job,
    ),
    (
        &rules::FINISHED_JOB_STILL_ACTIVE,
        concurrency::finished_job_still_active,
    ),
    (
        &rules::VANISHED_JOB_STILL_ACTIVE,
        concurrency::vanished_job_still_active,
    ),
    (&rules::SUSPENDED_LONG, suspended::suspended_long),
    (
        &rules::RESUME_STARTS_NOTHING,
        suspended::resume_starts_nothing,
    ),
    (&rules::PHANTOM_START, missed::phantom_start),
    (&rules::TOO_MANY_MISSED, missed::too_many_missed),
    (
        &rules::DEADLINE_SHORTER_THAN_DELAY,
        deadline::deadline_shorter_than_delay,
    ),
    (
        &rules::DEADLINE_UNDER_TEN_SECONDS,
        deadline::deadline_under_ten_seconds,
    ),
    (
        &rules::RUNS_LONGER_THAN_PERIOD,
        concurrency::runs_longer_than_period,
    ),
    (&rules::NEVER_SUCCEEDED, history::never_succeeded),
    (&rules::ZONE_IN_SCHEDULE, time_zone::zone_in_schedule),
    (&rules::TIME_ZONE_NOT_READ, time_zone::time_zone_not_read),
    (
        &rules::TIME_ZONE_UNSET_NOT_UTC,
        time_zone::time_zone_unset_not_utc,
    ),
    (
        &rules::NEXT_RUN_ANNOUNCED_DIFFERS,
        time_zone::next_run_announced_differs,
    ),
    (&rules::SUB_MINUTE_EVERY, schedule::sub_minute_every),
    (&rules::TEMPLATE_SUSPENDED, job::template_suspended),
    (&rules::NAME_TOO_LONG, job::name_too_long),
    (&rules::CLOCK_SKEW, time_zone::clock_skew),
    (&rules::CLOCK_LOSES_RUN, time_zone::clock_loses_run),
    (&rules::DELETION_STUCK, job::deletion_stuck),
    (
        &rules::HISTORY_LIMIT_HIDES_FAILURES,
        history::history_limit_hides_failures,
    ),
    (
        &rules::RESUME_STARTS_AT_ONCE,
        suspended::resume_starts_at_once,
    ),
    (&rules::TOO_MANY_MISSED_SOON, missed::too_many_missed_soon),
    (
        &rules::UNEVEN_SCHEDULE_CAN_LOSE,
        missed::uneven_schedule_can_lose,
    ),
    (&rules::CLOCK_DOUBLES_RUN, time_zone::clock_doubles_run),
    (&rules::MANUAL_JOBS_UNEXPECTED, job::manual_jobs_unexpected),
    (&rules::TTL_HIDES_FAILURES, history::ttl_hides_failures),
    (
        &rules::HISTORY_LIMIT_HIDES_SUCCESSES,
        history::history_limit_hides_successes,
    ),
];

/// What is wrong or risky with a `CronJob`.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Which finding: a word that does not change.
    pub code: &'static str,
    /// How severe it is.
    pub severity: Severity,
    /// What is wrong, in a few words.
    pub title: &'static str,
    /// What is wrong here, with the numbers and names that show it.
    pub detail: String,
    /// What to do about it: a command to paste where there is one.
    pub remedy: Option<String>,
    /// The field of the `CronJob` that it is about.
    pub field: Option<&'static str>,
}

impl Finding {
    /// The finding of a rule, unless the rule is only for manifests.
    pub(super) fn new(rule: &Rule, found: FindingDetails) -> Option<Self> {
        let FindingRule { severity, field } = rule.finding.as_ref()?;
        Some(Finding {
            code: rule.name,
            severity: found.severity.unwrap_or(*severity),
            title: rule.title,
            detail: found.detail,
            remedy: found.remedy,
            field: *field,
        })
    }
}

/// What a rule found: the parts of a finding that differ from case to case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FindingDetails {
    /// What is the case here.
    pub detail: String,
    /// What to do about it.
    pub remedy: Option<String>,
    /// How bad it is here, if that differs from the rule.
    pub severity: Option<Severity>,
}

impl FindingDetails {
    /// Something without a remedy of its own.
    pub(crate) fn new(detail: impl Into<String>) -> Self {
        FindingDetails {
            detail: detail.into(),
            remedy: None,
            severity: None,
        }
    }

    /// With another severity than the rule has.
    #[must_use]
    pub(crate) fn severity(self, severity: Severity) -> Self {
        FindingDetails {
            severity: Some(severity),
            ..self
        }
    }

    /// With a command to paste, or a sentence that says what to do.
    #[must_use]
    pub(crate) fn remedy(self, remedy: impl Into<String>) -> Self {
        FindingDetails {
            remedy: Some(remedy.into()),
            ..self
        }
    }
}
