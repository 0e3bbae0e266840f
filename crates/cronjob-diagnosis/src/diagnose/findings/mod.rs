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

use super::{Facts, FailureCause, SuspensionRecord};
use crate::kubectl::Remedy;
use cronjob_manifest::rules::{self, FindingRule, Rule, Severity};
use cronjob_text::text::Text;
pub(super) use deadline::is_lost_without_cause;
use kube_model::PastRun;

type FindingCheck = fn(&Facts<'_>) -> Option<FindingDetails>;

/// Pairs rules with their checks.
macro_rules! checks {
    ($($rule:ident: $check:expr,)*) => { &[$((&rules::$rule, $check)),*] };
}

/// The checks, in the order in which findings of one severity are shown.
pub(super) static CHECKS: &[(&Rule, FindingCheck)] = checks! {
    STARTING_DEADLINE_ZERO: deadline::starting_deadline_zero,
    STARTING_DEADLINE_UNDER_EVERY: deadline::starting_deadline_under_every,
    SCHEDULE_UNPARSEABLE: schedule::schedule_unparseable,
    UNKNOWN_TIME_ZONE: time_zone::unknown_time_zone,
    NEVER_SCHEDULED: schedule::never_scheduled,
    SCHEDULE_SEARCH_HANGS: time_zone::schedule_search_hangs,
    TOO_MANY_MISSED_STOPS: missed::too_many_missed_stops,
    HOT_LOOP: schedule::hot_loop,
    JOB_CREATION_FAILS: job::job_creation_fails,
    QUOTA_EXCEEDED: job::quota_exceeded,
    JOB_NAME_TAKEN: job::job_name_taken,
    POD_CREATION_REJECTED: pods::pod_creation_rejected,
    POD_IMAGE_PULL_FAILS: pods::pod_image_pull_fails,
    POD_CONFIG_MISSING: pods::pod_config_missing,
    POD_CRASHES: pods::pod_crashes,
    JOB_ENDING: ending::job_ending,
    HELD_BY_SIDECAR: sidecar::held_by_sidecar,
    LAST_RUN_FAILED: history::last_run_failed,
    SUCCESS_OVERDUE: expectations::success_overdue,
    MAX_DURATION_EXCEEDED: expectations::max_duration_exceeded,
    STARTING_DEADLINE_EXCEEDED: deadline::starting_deadline_exceeded,
    MISSED_WITHOUT_EVENT: missed::missed_without_event,
    START_OVERDUE: missed::start_overdue,
    CLOCK_SKEW: time_zone::clock_skew,
    POD_NOT_SCHEDULED: pods::pod_not_scheduled,
    NO_POD_READY: pods::no_pod_ready,
    RUN_WAITING: pods::run_waiting,
    BLOCKED_BY_RUNNING_JOB: concurrency::blocked_by_running_job,
    RUNNING_LONGER_THAN_USUAL: expectations::running_longer_than_usual,
    FINISHED_SUSPICIOUSLY_FAST: expectations::finished_suspiciously_fast,
    FINISHED_JOB_STILL_ACTIVE: concurrency::finished_job_still_active,
    DELETED_JOB_STILL_ACTIVE: concurrency::deleted_job_still_active,
    SUSPENDED_PAST_UNTIL: suspended::suspended_past_until,
    SUSPENDED_LONG: suspended::suspended_long,
    RESUME_SKIPS_MISSED_RUNS: suspended::resume_skips_missed_runs,
    START_AT_UNSCHEDULED_TIME: missed::start_at_unscheduled_time,
    TOO_MANY_MISSED: missed::too_many_missed,
    SUSPENDED: suspended::suspended,
    STARTING_DEADLINE_SHORTER_THAN_DELAY: deadline::starting_deadline_shorter_than_delay,
    STARTING_DEADLINE_UNDER_10S: deadline::starting_deadline_under_10s,
    RUNS_LONGER_THAN_PERIOD: concurrency::runs_longer_than_period,
    MANUAL_RUN_FAILED: history::manual_run_failed,
    LAST_RUN_WITHOUT_SUCCESS: history::last_run_without_success,
    NEVER_SUCCEEDED: history::never_succeeded,
    RUNS_WITHOUT_SUCCESS: history::runs_without_success,
    TIME_ZONE_IN_SCHEDULE: time_zone::time_zone_in_schedule,
    TIME_ZONE_IGNORED: time_zone::time_zone_ignored,
    TIME_ZONE_UNSET_NOT_UTC: time_zone::time_zone_unset_not_utc,
    PUBLISHED_NEXT_RUN_DIFFERS: time_zone::published_next_run_differs,
    SUB_MINUTE_EVERY: schedule::sub_minute_every,
    JOB_TEMPLATE_SUSPENDED: job::job_template_suspended,
    NAME_TOO_LONG: job::name_too_long,
    INVALID_EXPECTATION: expectations::invalid_expectations,
    CLOCK_CHANGE_SKIPS_RUN: time_zone::clock_change_skips_run,
    DELETION_STUCK: job::deletion_stuck,
    HISTORY_LIMIT_HIDES_FAILURES: history::history_limit_hides_failures,
    SUSPENDED_OUTSIDE_GITOPS: suspended::suspended_outside_gitops,
    STALE_SUSPENSION_ANNOTATIONS: suspended::stale_suspension_annotations,
    RESUME_STARTS_IMMEDIATELY: suspended::resume_starts_immediately,
    TOO_MANY_MISSED_SOON: missed::too_many_missed_soon,
    UNEVEN_SCHEDULE_CAN_MISS_RUNS: missed::uneven_schedule_can_miss_runs,
    CLOCK_CHANGE_REPEATS_RUN: time_zone::clock_change_repeats_run,
    JOB_NOT_OWNED: unowned::job_not_owned,
    TTL_HIDES_FAILURES: history::ttl_hides_failures,
    HISTORY_LIMIT_HIDES_SUCCESSES: history::history_limit_hides_successes,
};

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

/// What a user knows who suspended a `CronJob` with a reason: that runs failed before, or are missed now.
const KNOWN_WHEN_SUSPENDED: [&Rule; 6] = [
    &rules::LAST_RUN_FAILED,
    &rules::LAST_RUN_WITHOUT_SUCCESS,
    &rules::NEVER_SUCCEEDED,
    &rules::RESUME_SKIPS_MISSED_RUNS,
    &rules::SUSPENDED,
    &rules::TOO_MANY_MISSED,
];

/// What a suspension with a reason is about is only information until its planned end.
pub(super) fn defer_to_suspension(facts: &Facts<'_>, found: &mut [Finding]) {
    let Some(suspension) = SuspensionRecord::of(&facts.input.cron_job) else {
        return;
    };
    let is_over = suspension
        .until
        .is_some_and(|until| until <= facts.input.now);
    if suspension.reason.is_none() || is_over {
        return;
    }
    // A run that was under way may have failed since.
    let since = suspension.since(&facts.input);
    let last = facts.last_scheduled_run().and_then(|last| last.since);
    let is_news = last > since;
    for finding in found {
        let mut known = KNOWN_WHEN_SUSPENDED.iter();
        let is_known = known.any(|rule| rule.name == finding.code);
        if is_known && !(is_news && finding.code == rules::LAST_RUN_FAILED.name) {
            finding.severity = finding.severity.min(Severity::Info);
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
    pub detail: Text,
    /// What to do about it.
    pub remedy: Option<Remedy>,
    /// The field of the `CronJob` that the finding is about.
    pub field: Option<&'static str>,
    #[serde(skip)]
    pub rule: &'static FindingRule,
    /// The object that it is due to, if the evidence names one.
    #[serde(skip)]
    pub(crate) cause: Option<Box<FailureCause>>,
    /// Whether it is about a manually created Job.
    #[serde(skip)]
    pub(crate) is_manual: bool,
    /// The Job that it is about, if it is about one.
    #[serde(skip)]
    pub job: Option<String>,
}

impl Finding {
    /// The finding of a rule, unless the rule is only for manifests.
    pub(crate) fn new(rule: &'static Rule, mut found: FindingDetails) -> Option<Self> {
        let of_finding = rule.finding.as_ref()?;
        found.detail.shrink_to_fit();
        if let Some(remedy) = &mut found.remedy {
            remedy.shrink_to_fit();
        }
        Some(Finding {
            code: rule.name,
            severity: found.severity.unwrap_or(of_finding.severity),
            title: found.title.unwrap_or(rule.title),
            detail: found.detail,
            remedy: found.remedy,
            field: of_finding.field,
            rule: of_finding,
            cause: found.cause,
            is_manual: found.is_manual,
            job: found.job,
        })
    }
}

/// The parts of a finding that differ between CronJobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FindingDetails {
    /// What is wrong with this CronJob.
    pub detail: Text,
    pub remedy: Option<Remedy>,
    /// The severity, if it differs from that of the rule.
    pub severity: Option<Severity>,
    /// Whether it is about a manually created Job.
    pub is_manual: bool,
    /// The Job that it is about.
    job: Option<String>,
    /// The title, if it differs from that of the rule.
    pub title: Option<&'static str>,
    /// The object that it is due to.
    cause: Option<Box<FailureCause>>,
}

impl FindingDetails {
    pub(crate) fn new(detail: impl Into<Text>) -> Self {
        FindingDetails {
            detail: detail.into(),
            remedy: None,
            severity: None,
            is_manual: false,
            job: None,
            title: None,
            cause: None,
        }
    }

    /// The finding is about this Job alone.
    #[must_use]
    pub(crate) fn about(self, run: &PastRun<'_>) -> Self {
        FindingDetails {
            is_manual: run.is_manual(),
            ..self.about_job(&run.job.name)
        }
    }

    /// The finding is about the Job of this name, which may not have been read.
    #[must_use]
    pub(crate) fn about_job(self, name: &str) -> Self {
        FindingDetails {
            job: Some(name.to_owned()),
            ..self
        }
    }

    #[must_use]
    pub(crate) fn titled(self, title: &'static str) -> Self {
        FindingDetails {
            title: Some(title),
            ..self
        }
    }

    /// Sets the object that it is due to.
    #[must_use]
    pub(crate) fn cause(self, cause: Option<FailureCause>) -> Self {
        FindingDetails {
            cause: cause.map(Box::new),
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
