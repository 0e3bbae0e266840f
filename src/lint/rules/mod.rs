//! The rules, one file each.

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
pub(super) mod duplicate_value;
mod either_day_field;
mod every_follows_no_clock;
mod every_minute_of_hour;
mod forbid_without_active_deadline;
pub(super) mod forbidden_value;
mod history_limit_hides_failures;
mod history_limit_hides_successes;
mod history_limit_high;
pub(super) mod invalid_value;
pub(super) mod kustomize_patch;
mod limits;
pub(super) mod missing_value;
mod never_runs;
mod no_deadline;
mod no_deadline_stops;
mod on_failure_loses_logs;
mod phantom_start;
pub(super) mod refused_by_cluster;
mod replace_short_period;
mod retries_over_period;
mod runs_pile_up;
mod same_name_twice;
mod search_stands_still;
pub(super) mod server_warning;
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
pub(super) mod unknown_field;
pub(super) mod unknown_reference;
pub(super) mod unreadable;
pub(super) mod unserved_version;
pub(super) mod unsupported_value;
pub(super) mod unused_ignore;
pub(super) mod wrong_type;
mod zone_abbreviation;
mod zone_alias;
mod zone_in_schedule;
mod zone_sign;

use super::Rule;

/// Every rule, in the order of the codes.
pub static RULES: &[&Rule] = &[
    &unreadable::RULE,
    &template::RULE,
    &duplicate_key::RULE,
    &unused_ignore::RULE,
    &kustomize_patch::RULE,
    &unserved_version::RULE,
    &wrong_type::RULE,
    &unknown_field::RULE,
    &missing_value::RULE,
    &invalid_value::RULE,
    &unsupported_value::RULE,
    &forbidden_value::RULE,
    &duplicate_value::RULE,
    &unknown_reference::RULE,
    &server_warning::RULE,
    &refused_by_cluster::RULE,
    &never_runs::RULE,
    &either_day_field::RULE,
    &uneven_step::RULE,
    &step_too_large::RULE,
    &every_minute_of_hour::RULE,
    &stepped_star_changed::RULE,
    &sub_minute_every::RULE,
    &every_follows_no_clock::RULE,
    &day_not_in_every_month::RULE,
    &clock_loses_run::RULE,
    &clock_doubles_run::RULE,
    &search_stands_still::RULE,
    &zone_in_schedule::RULE,
    &zone_alias::RULE,
    &zone_abbreviation::RULE,
    &zone_sign::RULE,
    &time_zone_not_read::RULE,
    &time_zone_unset::RULE,
    &deadline_zero::RULE,
    &deadline_under_ten_seconds::RULE,
    &deadline_over_hundred_periods::RULE,
    &no_deadline_stops::RULE,
    &no_deadline::RULE,
    &forbid_without_active_deadline::RULE,
    &active_deadline_over_period::RULE,
    &runs_pile_up::RULE,
    &replace_short_period::RULE,
    &uneven_catch_up::RULE,
    &phantom_start::RULE,
    &suspended::RULE,
    &history_limit_hides_failures::RULE,
    &history_limit_hides_successes::RULE,
    &history_limit_high::RULE,
    &ttl_hides_failures::RULE,
    &ttl_before_history_limit::RULE,
    &on_failure_loses_logs::RULE,
    &template_suspended::RULE,
    &retries_over_period::RULE,
    &api_version_dropped::RULE,
    &crowded_minute::RULE,
    &same_name_twice::RULE,
];

/// The rule of a code or a name, in any case.
pub fn find(code_or_name: &str) -> Option<&'static Rule> {
    RULES
        .iter()
        .find(|rule| is_called(rule, code_or_name))
        .copied()
}

/// Whether a rule has a code or a name, in any case.
pub(super) fn is_called(rule: &Rule, code_or_name: &str) -> bool {
    rule.code.eq_ignore_ascii_case(code_or_name) || rule.name.eq_ignore_ascii_case(code_or_name)
}
