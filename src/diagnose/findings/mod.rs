//! The rules, one file each.

mod blocked_by_running_job;
mod clock_doubles_run;
mod clock_loses_run;
mod clock_skew;
mod creation_fails;
mod deadline_shorter_than_delay;
mod deadline_under_ten_seconds;
mod deadline_zero;
mod deletion_stuck;
mod finished_job_still_active;
mod history_limit_hides_failures;
mod history_limit_hides_successes;
mod hot_loop;
mod last_run_failed;
mod manual_jobs_unexpected;
mod name_taken;
mod name_too_long;
mod never_runs;
mod never_succeeded;
mod next_run_announced;
mod no_pod_ready;
mod no_room_in_quota;
mod phantom_start;
mod pod_config_missing;
mod pod_crashes;
mod pod_image_not_pulled;
mod pod_not_scheduled;
mod pods_refused;
mod refuses_too_many_missed;
mod resume_starts_at_once;
mod resume_starts_nothing;
mod runs_longer_than_period;
mod runs_past_deadline;
mod schedule_unparseable;
mod search_stands_still;
mod slots_lost_silently;
mod start_overdue;
mod sub_minute_every;
mod suspended_long;
mod template_suspended;
mod time_zone_not_read;
mod time_zone_unset_not_utc;
mod too_many_missed;
mod too_many_missed_soon;
mod ttl_hides_failures;
mod uneven_schedule_can_lose;
mod unknown_time_zone;
mod vanished_job_still_active;
mod zone_in_schedule;

use super::{Rule, Severity};

/// Every rule, in the order in which findings of one severity are shown.
pub const RULES: &[Rule] = &[
    deadline_zero::RULE,
    schedule_unparseable::RULE,
    unknown_time_zone::RULE,
    never_runs::RULE,
    search_stands_still::RULE,
    refuses_too_many_missed::RULE,
    hot_loop::RULE,
    creation_fails::RULE,
    no_room_in_quota::RULE,
    name_taken::RULE,
    pods_refused::RULE,
    pod_image_not_pulled::RULE,
    pod_config_missing::RULE,
    pod_crashes::RULE,
    last_run_failed::RULE,
    runs_past_deadline::RULE,
    slots_lost_silently::RULE,
    start_overdue::RULE,
    pod_not_scheduled::RULE,
    no_pod_ready::RULE,
    blocked_by_running_job::RULE,
    finished_job_still_active::RULE,
    vanished_job_still_active::RULE,
    suspended_long::RULE,
    resume_starts_nothing::RULE,
    phantom_start::RULE,
    too_many_missed::RULE,
    deadline_shorter_than_delay::RULE,
    deadline_under_ten_seconds::RULE,
    runs_longer_than_period::RULE,
    never_succeeded::RULE,
    zone_in_schedule::RULE,
    time_zone_not_read::RULE,
    time_zone_unset_not_utc::RULE,
    next_run_announced::RULE,
    sub_minute_every::RULE,
    template_suspended::RULE,
    name_too_long::RULE,
    clock_skew::RULE,
    clock_loses_run::RULE,
    deletion_stuck::RULE,
    history_limit_hides_failures::RULE,
    resume_starts_at_once::RULE,
    too_many_missed_soon::RULE,
    uneven_schedule_can_lose::RULE,
    clock_doubles_run::RULE,
    manual_jobs_unexpected::RULE,
    ttl_hides_failures::RULE,
    history_limit_hides_successes::RULE,
];

/// All rules as Markdown, by severity.
pub fn documentation() -> String {
    let mut text = String::new();
    for severity in [Severity::Error, Severity::Warning, Severity::Info] {
        text.push_str(&format!("## {}\n\n", severity.as_str()));
        for rule in RULES.iter().filter(|rule| rule.severity == severity) {
            text.push_str(&format!("### {}\n\n**{}**", rule.code, rule.title));
            if let Some(field) = rule.field {
                text.push_str(&format!(" (`{field}`)"));
            }
            text.push_str(&format!("\n\n{}\n\n", rule.reason));
            text.push_str(&format!(
                "An example: `examples/findings/{}.yaml`.\n\n",
                rule.code
            ));
        }
    }
    text
}
