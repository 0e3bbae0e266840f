//! What is assumed of a `CronJob` where nothing shows when it last ran.

use jiff::{SignedDuration, Timestamp};

use cronjob_controller::controller::Controller;
use cronjob_controller::upcoming::timetable;
use cronjob_text::duration::later;
use kube_model::CronJob;

/// Assumes that a `CronJob` that was never read from a cluster has started its latest run, or, if it is
/// suspended, that it missed that run. Returns whether something had to be assumed.
pub fn assume_history(controller: &Controller, cron_job: &mut CronJob, now: Timestamp) -> bool {
    let is_stored = cron_job.known_creation().is_some() || !cron_job.uid.is_empty();
    if is_stored || cron_job.status.last_schedule_time.is_some() {
        return false;
    }
    cron_job.creation_timestamp = Some(now);
    let Ok(timetable) = timetable(controller, cron_job) else {
        return true;
    };
    let latest = if timetable.is_every() {
        // An @every schedule has no times of its own.
        Some(now)
    } else {
        timetable.previous(later(now, SignedDuration::from_secs(1)))
    };
    let is_suspended = cron_job.spec.suspend == Some(true);
    let last = latest.and_then(|latest| {
        if is_suspended {
            timetable.previous(latest)
        } else {
            Some(latest)
        }
    });
    cron_job.status.last_schedule_time = last;
    cron_job.creation_timestamp = last.or(Some(now));
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use cronjob_controller::controller::Release;

    fn assumed(schedule: &str, suspend: Option<bool>) -> Option<String> {
        let controller = Controller {
            release: Release::NEWEST,
            ..Controller::assumed()
        };
        let mut cron_job = CronJob::default();
        cron_job.spec.schedule = schedule.to_owned();
        cron_job.spec.suspend = suspend;
        let now = "2026-11-21T12:00:00Z".parse().unwrap();
        assert!(assume_history(&controller, &mut cron_job, now));
        let last = cron_job.status.last_schedule_time;
        last.map(|last| last.to_string())
    }

    #[test]
    fn latest_run_has_started_or_is_missed_by_a_suspended_one() {
        let cases = [
            ("0 10 * * *", None, Some("2026-11-21T10:00:00Z")),
            ("0 12 * * *", None, Some("2026-11-21T12:00:00Z")),
            ("0 10 * * *", Some(false), Some("2026-11-21T10:00:00Z")),
            ("0 10 * * *", Some(true), Some("2026-11-20T10:00:00Z")),
            ("@every 1h", None, Some("2026-11-21T12:00:00Z")),
            ("@every 1h", Some(true), Some("2026-11-21T11:00:00Z")),
            ("x", None, None),
        ];
        for (schedule, suspend, expected) in cases {
            assert_eq!(
                assumed(schedule, suspend).as_deref(),
                expected,
                "{schedule}"
            );
        }
    }
}
