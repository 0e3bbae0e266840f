//! The checks of the rules for manifests, and what else finds them.

mod active_deadline_over_period;
mod api_version_dropped;
mod clock_doubles_run;
mod clock_loses_run;
mod crowded_minute;
mod day_not_in_every_month;
mod deadline_over_hundred_periods;
mod deadline_under_ten_seconds;
mod deadline_zero;
pub(super) mod duplicate_key;
mod either_day_field;
mod every_follows_no_clock;
mod every_minute_of_hour;
mod forbid_without_active_deadline;
mod history_limit_hides_failures;
mod history_limit_hides_successes;
mod history_limit_high;
pub(super) mod kustomize_patch;
mod limits;
mod never_runs;
mod no_deadline;
mod no_deadline_stops;
mod on_failure_loses_logs;
mod phantom_start;
mod replace_short_period;
mod retries_over_period;
mod runs_pile_up;
mod same_name_twice;
mod search_stands_still;
mod step_too_large;
mod stepped_star_changed;
mod sub_minute_every;
mod suspended;
pub(super) mod template;
mod template_suspended;
mod time_zone_not_read;
mod time_zone_unset;
mod ttl_before_history_limit;
mod ttl_hides_failures;
mod turning;
mod uneven_catch_up;
mod uneven_step;
pub(super) mod unreadable;
pub(super) mod unused_ignore;
mod zone_abbreviation;
mod zone_alias;
mod zone_in_schedule;
mod zone_sign;

use super::Check::{self, Across, Each};
use crate::rules::{self, Rule};

/// The checks, in the order of the rules' codes.
pub(super) static CHECKS: &[(&Rule, Check)] = &[
    (&rules::NEVER_RUNS, Each(never_runs::check)),
    (&rules::EITHER_DAY_FIELD, Each(either_day_field::check)),
    (&rules::UNEVEN_STEP, Each(uneven_step::check)),
    (&rules::STEP_TOO_LARGE, Each(step_too_large::check)),
    (
        &rules::EVERY_MINUTE_OF_HOUR,
        Each(every_minute_of_hour::check),
    ),
    (
        &rules::STEPPED_STAR_CHANGED,
        Each(stepped_star_changed::check),
    ),
    (&rules::SUB_MINUTE_EVERY, Each(sub_minute_every::check)),
    (
        &rules::EVERY_FOLLOWS_NO_CLOCK,
        Each(every_follows_no_clock::check),
    ),
    (
        &rules::DAY_NOT_IN_EVERY_MONTH,
        Each(day_not_in_every_month::check),
    ),
    (&rules::CLOCK_LOSES_RUN, Each(clock_loses_run::check)),
    (&rules::CLOCK_DOUBLES_RUN, Each(clock_doubles_run::check)),
    (
        &rules::SEARCH_STANDS_STILL,
        Each(search_stands_still::check),
    ),
    (&rules::ZONE_IN_SCHEDULE, Each(zone_in_schedule::check)),
    (&rules::ZONE_ALIAS, Each(zone_alias::check)),
    (&rules::ZONE_ABBREVIATION, Each(zone_abbreviation::check)),
    (&rules::ZONE_SIGN, Each(zone_sign::check)),
    (&rules::TIME_ZONE_NOT_READ, Each(time_zone_not_read::check)),
    (&rules::TIME_ZONE_UNSET, Across(time_zone_unset::check)),
    (&rules::DEADLINE_ZERO, Each(deadline_zero::check)),
    (
        &rules::DEADLINE_UNDER_TEN_SECONDS,
        Each(deadline_under_ten_seconds::check),
    ),
    (
        &rules::DEADLINE_OVER_HUNDRED_PERIODS,
        Each(deadline_over_hundred_periods::check),
    ),
    (&rules::NO_DEADLINE_STOPS, Each(no_deadline_stops::check)),
    (&rules::NO_DEADLINE, Each(no_deadline::check)),
    (
        &rules::FORBID_WITHOUT_ACTIVE_DEADLINE,
        Each(forbid_without_active_deadline::check),
    ),
    (
        &rules::ACTIVE_DEADLINE_OVER_PERIOD,
        Each(active_deadline_over_period::check),
    ),
    (&rules::RUNS_PILE_UP, Each(runs_pile_up::check)),
    (
        &rules::REPLACE_SHORT_PERIOD,
        Each(replace_short_period::check),
    ),
    (&rules::UNEVEN_CATCH_UP, Each(uneven_catch_up::check)),
    (&rules::PHANTOM_START, Each(phantom_start::check)),
    (&rules::SUSPENDED, Each(suspended::check)),
    (
        &rules::HISTORY_LIMIT_HIDES_FAILURES,
        Each(history_limit_hides_failures::check),
    ),
    (
        &rules::HISTORY_LIMIT_HIDES_SUCCESSES,
        Each(history_limit_hides_successes::check),
    ),
    (&rules::HISTORY_LIMIT_HIGH, Each(history_limit_high::check)),
    (&rules::TTL_HIDES_FAILURES, Each(ttl_hides_failures::check)),
    (
        &rules::TTL_BEFORE_HISTORY_LIMIT,
        Each(ttl_before_history_limit::check),
    ),
    (
        &rules::ON_FAILURE_LOSES_LOGS,
        Each(on_failure_loses_logs::check),
    ),
    (&rules::TEMPLATE_SUSPENDED, Each(template_suspended::check)),
    (
        &rules::RETRIES_OVER_PERIOD,
        Each(retries_over_period::check),
    ),
    (
        &rules::API_VERSION_DROPPED,
        Each(api_version_dropped::check),
    ),
    (&rules::CROWDED_MINUTE, Across(crowded_minute::check)),
    (&rules::SAME_NAME_TWICE, Across(same_name_twice::check)),
];
