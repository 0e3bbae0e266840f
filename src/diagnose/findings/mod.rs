//! What finds each rule of the catalogue in a cluster.

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

use super::{Facts, Found};
use crate::rules::{self, Rule};

type Check = fn(&Facts<'_>) -> Option<Found>;

/// The checks, in the order in which findings of one severity are shown.
pub(super) static CHECKS: &[(&Rule, Check)] = &[
    (&rules::DEADLINE_ZERO, deadline_zero::check),
    (&rules::SCHEDULE_UNPARSEABLE, schedule_unparseable::check),
    (&rules::UNKNOWN_TIME_ZONE, unknown_time_zone::check),
    (&rules::NEVER_RUNS, never_runs::check),
    (&rules::SEARCH_STANDS_STILL, search_stands_still::check),
    (
        &rules::REFUSES_TOO_MANY_MISSED,
        refuses_too_many_missed::check,
    ),
    (&rules::HOT_LOOP, hot_loop::check),
    (&rules::CREATION_FAILS, creation_fails::check),
    (&rules::NO_ROOM_IN_QUOTA, no_room_in_quota::check),
    (&rules::NAME_TAKEN, name_taken::check),
    (&rules::PODS_REFUSED, pods_refused::check),
    (&rules::POD_IMAGE_NOT_PULLED, pod_image_not_pulled::check),
    (&rules::POD_CONFIG_MISSING, pod_config_missing::check),
    (&rules::POD_CRASHES, pod_crashes::check),
    (&rules::LAST_RUN_FAILED, last_run_failed::check),
    (&rules::RUNS_PAST_DEADLINE, runs_past_deadline::check),
    (&rules::SLOTS_LOST_SILENTLY, slots_lost_silently::check),
    (&rules::START_OVERDUE, start_overdue::check),
    (&rules::POD_NOT_SCHEDULED, pod_not_scheduled::check),
    (&rules::NO_POD_READY, no_pod_ready::check),
    (
        &rules::BLOCKED_BY_RUNNING_JOB,
        blocked_by_running_job::check,
    ),
    (
        &rules::FINISHED_JOB_STILL_ACTIVE,
        finished_job_still_active::check,
    ),
    (
        &rules::VANISHED_JOB_STILL_ACTIVE,
        vanished_job_still_active::check,
    ),
    (&rules::SUSPENDED_LONG, suspended_long::check),
    (&rules::RESUME_STARTS_NOTHING, resume_starts_nothing::check),
    (&rules::PHANTOM_START, phantom_start::check),
    (&rules::TOO_MANY_MISSED, too_many_missed::check),
    (
        &rules::DEADLINE_SHORTER_THAN_DELAY,
        deadline_shorter_than_delay::check,
    ),
    (
        &rules::DEADLINE_UNDER_TEN_SECONDS,
        deadline_under_ten_seconds::check,
    ),
    (
        &rules::RUNS_LONGER_THAN_PERIOD,
        runs_longer_than_period::check,
    ),
    (&rules::NEVER_SUCCEEDED, never_succeeded::check),
    (&rules::ZONE_IN_SCHEDULE, zone_in_schedule::check),
    (&rules::TIME_ZONE_NOT_READ, time_zone_not_read::check),
    (
        &rules::TIME_ZONE_UNSET_NOT_UTC,
        time_zone_unset_not_utc::check,
    ),
    (
        &rules::NEXT_RUN_ANNOUNCED_DIFFERS,
        next_run_announced::check,
    ),
    (&rules::SUB_MINUTE_EVERY, sub_minute_every::check),
    (&rules::TEMPLATE_SUSPENDED, template_suspended::check),
    (&rules::NAME_TOO_LONG, name_too_long::check),
    (&rules::CLOCK_SKEW, clock_skew::check),
    (&rules::CLOCK_LOSES_RUN, clock_loses_run::check),
    (&rules::DELETION_STUCK, deletion_stuck::check),
    (
        &rules::HISTORY_LIMIT_HIDES_FAILURES,
        history_limit_hides_failures::check,
    ),
    (&rules::RESUME_STARTS_AT_ONCE, resume_starts_at_once::check),
    (&rules::TOO_MANY_MISSED_SOON, too_many_missed_soon::check),
    (
        &rules::UNEVEN_SCHEDULE_CAN_LOSE,
        uneven_schedule_can_lose::check,
    ),
    (&rules::CLOCK_DOUBLES_RUN, clock_doubles_run::check),
    (
        &rules::MANUAL_JOBS_UNEXPECTED,
        manual_jobs_unexpected::check,
    ),
    (&rules::TTL_HIDES_FAILURES, ttl_hides_failures::check),
    (
        &rules::HISTORY_LIMIT_HIDES_SUCCESSES,
        history_limit_hides_successes::check,
    ),
];
