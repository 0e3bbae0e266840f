//! Rules about time zones and clocks.

use super::rules;
use cronjob_controller::controller::Outcome;

rules! {
    rule CLOCK_CHANGE_SKIPS_RUN: "clock-change-skips-run",
    title: "Clock change skips a run",
    reason: "A local time that is skipped because the clock of the zone is set forward has no run \
             that day, and no event is recorded. Where the change skips midnight, other runs of \
             that day can be missed, too.",
    finding: Warning "spec.schedule" { is_future: true },
    lint: "CJD301" Warning by Check,
    remedy: "Choose a local time that occurs exactly once every day (from 04:00 until \
             22:59 in nearly all zones), or set spec.timeZone to Etc/UTC.",

    rule CLOCK_CHANGE_REPEATS_RUN: "clock-change-repeats-run",
    title: "Clock change repeats a run",
    reason: "A local time that occurs twice because the clock of the zone is set back usually has \
             two runs, an hour apart.",
    finding: Info "spec.schedule" { is_future: true },
    lint: "CJD302" Warning by Check,
    remedy: "Choose a local time that occurs exactly once every day (from 04:00 until \
             22:59 in nearly all zones), or set spec.timeZone to Etc/UTC.",

    rule SCHEDULE_SEARCH_HANGS: "schedule-search-hangs",
    title: "Search for the next run gets stuck",
    reason: "Where a zone changes its clock at a time that is not on the hour, as Pacific/Chatham \
             does, the cron library can return the same scheduled time again when it is asked for \
             the next one. The controller treats this as a schedule that never runs, and starts \
             nothing after it.",
    finding: Error "spec.schedule",
    lint: "CJD303" Error by Check,
    remedy: "Choose an hour that the clock of the zone neither skips nor repeats, or set \
             spec.timeZone to Etc/UTC.",

    rule TIME_ZONE_IN_SCHEDULE: "time-zone-in-schedule",
    title: "Time zone in spec.schedule",
    reason: "Kubernetes 1.22 to 1.28 accept TZ= in a schedule by accident. Since 1.29 new \
             objects with it are rejected, so the CronJob cannot be restored or moved.",
    finding: Warning "spec.schedule" { is_future: true },
    lint: "CJD304" Warning by Check,
    remedy: "Set spec.timeZone instead; it is enabled by default since 1.25.",

    rule TIME_ZONE_ALIAS: "time-zone-alias",
    title: "Old name of a time zone",
    reason: "Kubernetes includes the old names of the tz database, but other programs that read \
             the manifest may not.",
    lint: "CJD305" Info by Check,
    remedy: "Use the current name.",

    rule TIME_ZONE_ABBREVIATION: "time-zone-abbreviation",
    title: "Time zone without daylight saving time",
    reason: "EST and MST are zones whose clocks never change. If EST stands for New York, runs are \
             an hour off from March to November.",
    lint: "CJD306" Warning by Check,
    remedy: "Use the name of a city, such as America/New_York.",

    rule TIME_ZONE_SIGN: "time-zone-sign",
    title: "Etc/GMT+2 is two hours behind UTC, not ahead",
    reason: "The Etc/GMT zones have the signs of POSIX, where positive offsets are west of \
             Greenwich: Etc/GMT+2 is UTC-02:00.",
    lint: "CJD307" Info by Check,
    remedy: "Use the name of a city, or reverse the sign if you want the other offset.",

    rule TIME_ZONE_IGNORED: "time-zone-ignored",
    title: "spec.timeZone is ignored",
    reason: "Before Kubernetes 1.25, API servers drop spec.timeZone by default, and the schedule \
             follows the controller manager's own clock, usually UTC.",
    finding: Warning "spec.timeZone" { is_future: true },
    lint: "CJD308" Warning by Check,
    remedy: "Write the schedule in UTC until the cluster runs 1.25 or later.",

    rule TIME_ZONE_UNSET: "time-zone-unset",
    title: "No time zone, unlike other CronJobs in the namespace",
    reason: "A schedule without spec.timeZone follows the clock of the controller manager, \
             usually UTC. If other CronJobs in the namespace set a local time zone, one without \
             was probably meant to have it.",
    lint: "CJD309" Info by Check,
    remedy: "Set spec.timeZone. To make UTC explicit, set it to Etc/UTC.",

    rule TIME_ZONE_ONLY_IN_CONTAINER: "time-zone-only-in-container",
    title: "TZ of a container does not apply to the schedule",
    reason: "The environment variable TZ sets only the clock of the container. The schedule \
             follows spec.timeZone or, without it, the clock of the controller manager, usually \
             UTC.",
    lint: "CJD310" Info by Check,
    remedy: "If the schedule is meant in that zone, set spec.timeZone, too.",

    rule TIME_ZONE_UNSET_NOT_UTC: "time-zone-unset-not-utc",
    title: "Controller time zone is not UTC",
    reason: "A schedule without spec.timeZone follows the clock of the controller manager. That is \
             usually UTC, but the past runs of this CronJob fit only another zone.",
    finding: Warning "spec.timeZone",

    rule UNKNOWN_TIME_ZONE: "unknown-time-zone",
    title: "Unknown time zone",
    reason: "The controller starts nothing while it cannot load the time zone. Names are \
             case-sensitive, and a name that the API server once accepted can be missing from the \
             controller's own database.",
    finding: Error "spec.timeZone" { repeats: Some(Outcome::UnknownTimeZone) },

    rule PUBLISHED_NEXT_RUN_DIFFERS: "published-next-run-differs",
    title: "status.nextScheduleTime differs from the schedule",
    reason: "Some controllers publish their next run in status.nextScheduleTime. If that is not \
             the next time in the schedule, the controller uses another time zone or version than \
             assumed here, or has not synced since the schedule was changed.",
    finding: Warning "status.nextScheduleTime",

    rule CLOCK_SKEW: "clock-skew",
    title: "Last start is in the future",
    reason: "The controller starts nothing scheduled at or before status.lastScheduleTime. If a \
             clock was wrong when that was recorded, nothing starts until real time has caught up.",
    finding: Warning "status.lastScheduleTime",
}
