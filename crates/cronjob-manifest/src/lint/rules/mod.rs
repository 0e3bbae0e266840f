//! The checks of the rules for manifests.

mod clock_change;
mod comment;
mod concurrency;
mod deadline;
mod expectations;
mod history;
pub(super) mod kinds;
pub(super) mod manifest;
mod metric;
mod schedule;
mod script;
mod sidecar;
mod simultaneous_starts;
mod steps;
mod time_zone;

use super::RuleCheck::{self, Across, Each, Single};
use crate::rules::{Rule, checks};

/// The checks, in the order of the rules' codes.
pub(super) static CHECKS: &[(&Rule, RuleCheck)] = checks! {
    NEVER_SCHEDULED: Single(schedule::never_scheduled),
    EITHER_DAY_FIELD: Single(schedule::either_day_field),
    UNEVEN_STEP: Each(steps::uneven_step),
    STEP_TOO_LARGE: Each(steps::step_too_large),
    EVERY_MINUTE_OF_HOUR: Single(schedule::every_minute_of_hour),
    STEPPED_STAR_CHANGED: Single(schedule::stepped_star_changed),
    SUB_MINUTE_EVERY: Single(schedule::sub_minute_every),
    EVERY_NOT_ALIGNED_TO_CLOCK: Single(schedule::every_not_aligned_to_clock),
    DAY_NOT_IN_EVERY_MONTH: Single(schedule::day_not_in_every_month),
    NEXT_RUN_METRIC_DIFFERS: Each(metric::next_run_metric_differs),
    COMMENT_CONTRADICTS_SCHEDULE: Single(comment::comment_contradicts_schedule),
    CLOCK_CHANGE_SKIPS_RUN: Single(clock_change::clock_change_skips_run),
    CLOCK_CHANGE_REPEATS_RUN: Single(clock_change::clock_change_repeats_run),
    SCHEDULE_SEARCH_HANGS: Single(clock_change::schedule_search_hangs),
    TIME_ZONE_IN_SCHEDULE: Single(time_zone::time_zone_in_schedule),
    TIME_ZONE_ALIAS: Single(time_zone::time_zone_alias),
    TIME_ZONE_ABBREVIATION: Single(time_zone::time_zone_abbreviation),
    TIME_ZONE_SIGN: Single(time_zone::time_zone_sign),
    TIME_ZONE_IGNORED: Single(time_zone::time_zone_ignored),
    TIME_ZONE_UNSET: Across(time_zone::time_zone_unset),
    TIME_ZONE_ONLY_IN_CONTAINER: Each(time_zone::time_zone_only_in_container),
    STARTING_DEADLINE_ZERO: Single(deadline::starting_deadline_zero),
    STARTING_DEADLINE_UNDER_EVERY: Single(deadline::starting_deadline_under_every),
    STARTING_DEADLINE_UNDER_10S: Single(deadline::starting_deadline_under_10s),
    STARTING_DEADLINE_OVER_100_PERIODS: Single(deadline::starting_deadline_over_100_periods),
    STARTING_DEADLINE_UNSET_STOPS: Single(deadline::starting_deadline_unset_stops),
    STARTING_DEADLINE_UNSET: Single(deadline::starting_deadline_unset),
    FORBID_WITHOUT_ACTIVE_DEADLINE: Single(concurrency::forbid_without_active_deadline),
    ACTIVE_DEADLINE_OVER_PERIOD: Single(concurrency::active_deadline_over_period),
    RUNS_PILE_UP: Single(concurrency::runs_pile_up),
    REPLACE_SHORT_PERIOD: Single(concurrency::replace_short_period),
    UNEVEN_SCHEDULE_CATCH_UP: Single(deadline::uneven_schedule_catch_up),
    START_AT_UNSCHEDULED_TIME: Single(deadline::start_at_unscheduled_time),
    SUSPENDED: Single(deadline::suspended),
    SUSPEND_UNSET: Single(deadline::suspend_unset),
    STARTING_DEADLINE_FOR_RARE_RUN: Single(deadline::starting_deadline_for_rare_run),
    HISTORY_LIMIT_HIDES_FAILURES: Single(history::history_limit_hides_failures),
    HISTORY_LIMIT_HIDES_SUCCESSES: Single(history::history_limit_hides_successes),
    HISTORY_LIMIT_HIGH: Each(history::history_limit_high),
    TTL_HIDES_FAILURES: Single(history::ttl_hides_failures),
    TTL_BEFORE_HISTORY_LIMIT: Single(history::ttl_before_history_limit),
    ON_FAILURE_LOSES_LOGS: Single(history::on_failure_loses_logs),
    JOB_TEMPLATE_SUSPENDED: Single(concurrency::job_template_suspended),
    RETRIES_OVER_PERIOD: Single(concurrency::retries_over_period),
    HELD_BY_SIDECAR: Each(sidecar::held_by_sidecar),
    INVALID_EXPECTATION: Each(expectations::invalid_expectations),
    KUEUE_LABEL_ON_CRONJOB: Single(concurrency::kueue_label_on_cronjob),
    JOB_MANAGED_ELSEWHERE: Single(concurrency::job_managed_elsewhere),
    RESTART_DESPITE_BACKOFF_LIMIT: Single(concurrency::restart_despite_backoff_limit),
    EXIT_CODE_LOST: Each(script::exit_code_lost),
    API_VERSION_REMOVED: Single(manifest::api_version_removed),
    SIMULTANEOUS_STARTS: Across(simultaneous_starts::check),
    DUPLICATE_NAME: Across(manifest::duplicate_name),
};
