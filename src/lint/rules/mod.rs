//! The checks of the rules for manifests, and what else finds them.

mod clock_change;
mod concurrency;
mod crowded_minute;
mod deadline;
mod history;
pub(super) mod manifest;
mod schedule;
mod steps;
mod time_zone;

use super::RuleCheck::{self, Across, Each};
use crate::rules::{self, Rule};

/// The checks, in the order of the rules' codes.
pub(super) static CHECKS: &[(&Rule, RuleCheck)] = &[
    (&rules::NEVER_RUNS, Each(schedule::never_runs)),
    (&rules::EITHER_DAY_FIELD, Each(schedule::either_day_field)),
    (&rules::UNEVEN_STEP, Each(steps::uneven_step)),
    (&rules::STEP_TOO_LARGE, Each(steps::step_too_large)),
    (
        &rules::EVERY_MINUTE_OF_HOUR,
        Each(schedule::every_minute_of_hour),
    ),
    (
        &rules::STEPPED_STAR_CHANGED,
        Each(schedule::stepped_star_changed),
    ),
    (&rules::SUB_MINUTE_EVERY, Each(schedule::sub_minute_every)),
    (
        &rules::EVERY_FOLLOWS_NO_CLOCK,
        Each(schedule::every_follows_no_clock),
    ),
    (
        &rules::DAY_NOT_IN_EVERY_MONTH,
        Each(schedule::day_not_in_every_month),
    ),
    (&rules::CLOCK_LOSES_RUN, Each(clock_change::clock_loses_run)),
    (
        &rules::CLOCK_DOUBLES_RUN,
        Each(clock_change::clock_doubles_run),
    ),
    (
        &rules::SEARCH_STANDS_STILL,
        Each(clock_change::search_stands_still),
    ),
    (&rules::ZONE_IN_SCHEDULE, Each(time_zone::zone_in_schedule)),
    (&rules::ZONE_ALIAS, Each(time_zone::zone_alias)),
    (
        &rules::ZONE_ABBREVIATION,
        Each(time_zone::zone_abbreviation),
    ),
    (&rules::ZONE_SIGN, Each(time_zone::zone_sign)),
    (
        &rules::TIME_ZONE_NOT_READ,
        Each(time_zone::time_zone_not_read),
    ),
    (&rules::TIME_ZONE_UNSET, Across(time_zone::time_zone_unset)),
    (&rules::DEADLINE_ZERO, Each(deadline::deadline_zero)),
    (
        &rules::DEADLINE_UNDER_TEN_SECONDS,
        Each(deadline::deadline_under_ten_seconds),
    ),
    (
        &rules::DEADLINE_OVER_HUNDRED_PERIODS,
        Each(deadline::deadline_over_hundred_periods),
    ),
    (&rules::NO_DEADLINE_STOPS, Each(deadline::no_deadline_stops)),
    (&rules::NO_DEADLINE, Each(deadline::no_deadline)),
    (
        &rules::FORBID_WITHOUT_ACTIVE_DEADLINE,
        Each(concurrency::forbid_without_active_deadline),
    ),
    (
        &rules::ACTIVE_DEADLINE_OVER_PERIOD,
        Each(concurrency::active_deadline_over_period),
    ),
    (&rules::RUNS_PILE_UP, Each(concurrency::runs_pile_up)),
    (
        &rules::REPLACE_SHORT_PERIOD,
        Each(concurrency::replace_short_period),
    ),
    (&rules::UNEVEN_CATCH_UP, Each(deadline::uneven_catch_up)),
    (&rules::PHANTOM_START, Each(deadline::phantom_start)),
    (&rules::SUSPENDED, Each(deadline::suspended)),
    (
        &rules::HISTORY_LIMIT_HIDES_FAILURES,
        Each(history::history_limit_hides_failures),
    ),
    (
        &rules::HISTORY_LIMIT_HIDES_SUCCESSES,
        Each(history::history_limit_hides_successes),
    ),
    (
        &rules::HISTORY_LIMIT_HIGH,
        Each(history::history_limit_high),
    ),
    (
        &rules::TTL_HIDES_FAILURES,
        Each(history::ttl_hides_failures),
    ),
    (
        &rules::TTL_BEFORE_HISTORY_LIMIT,
        Each(history::ttl_before_history_limit),
    ),
    (
        &rules::ON_FAILURE_LOSES_LOGS,
        Each(history::on_failure_loses_logs),
    ),
    (
        &rules::TEMPLATE_SUSPENDED,
        Each(concurrency::template_suspended),
    ),
    (
        &rules::RETRIES_OVER_PERIOD,
        Each(concurrency::retries_over_period),
    ),
    (
        &rules::API_VERSION_DROPPED,
        Each(manifest::api_version_dropped),
    ),
    (&rules::CROWDED_MINUTE, Across(crowded_minute::check)),
    (&rules::SAME_NAME_TWICE, Across(manifest::same_name_twice)),
];
