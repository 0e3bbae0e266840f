//! When the controller syncs a `CronJob` again by itself.

use jiff::{SignedDuration, Timestamp};
use kube_cron::{Endless, Timetable};

use super::Controller;
use super::behavior::{Arithmetic, Behavior, Requeue};
use super::clock::ScheduleClock;
use super::gotime::GoTime;
use super::unmet::{self, MissedClass, SearchStart, Unmet};
use kube_model::{CronJob, Job};

/// The first generation syncs everything this often, apart from the time that it takes.
pub(crate) const POLL: SignedDuration = SignedDuration::from_secs(10);

/// What fails is tried again after this, and then after twice as long each time.
const FIRST_RETRY: SignedDuration = SignedDuration::from_millis(5);
const LAST_RETRY: SignedDuration = SignedDuration::from_secs(1000);

/// How long the queue waits before it tries again what has failed; `failures` is how often it failed before.
pub(crate) fn retry_pause(failures: u32) -> SignedDuration {
    let doubled = 1_i32.checked_shl(failures).filter(|times| *times > 0);
    let pause = doubled.and_then(|times| FIRST_RETRY.checked_mul(times));
    pause.unwrap_or(LAST_RETRY).min(LAST_RETRY)
}

/// When a missed run will be past the deadline: syncs that follow each other find something else from then on.
pub(crate) fn past_deadline(
    missed: Timestamp,
    deadline_seconds: Option<i64>,
    now: Timestamp,
) -> Option<Timestamp> {
    let past = missed.as_second().checked_add(deadline_seconds?)?;
    Timestamp::from_second(past).ok().filter(|past| *past > now)
}

/// When the next minute begins, where the distance of two runs is multiplied: the result may be another one then.
pub(crate) fn next_minute(behavior: &Behavior, now: Timestamp) -> Option<Timestamp> {
    let minute = (now.as_second().div_euclid(60) + 1) * 60;
    let next = Timestamp::from_second(minute).ok();
    next.filter(|_| behavior.arithmetic == Arithmetic::Multiplied)
}

/// The queue wakes the controller a little after the scheduled time.
const DELTA: i64 = 100_000_000;

/// Whether the wake-up counts from the sync before it, and not from a scheduled time: that of `@every` before 1.25.
pub(crate) fn counts_from_sync(controller: &Controller, timetable: &Timetable) -> bool {
    controller.behavior().requeue == Requeue::AfterNow && timetable.is_every()
}

/// The first wake-up at or after a moment, if it counts from the sync before it. Every sync that created a Job was
/// a wake-up, and a sync in between does not delay the next one, because the queue keeps the earlier entry. What
/// nothing shows is a restart of the controller, which begins again from then.
pub(crate) fn wake_after_syncs(
    timetable: &Timetable,
    cron_job: &CronJob,
    jobs: &[Job],
    from: Timestamp,
) -> Option<Timestamp> {
    let own = jobs.iter().filter(|job| cron_job.created(job));
    let created = own.filter_map(|job| job.creation_timestamp).max();
    let sync = created.max(cron_job.status.last_schedule_time);
    let sync = sync.or(cron_job.creation_timestamp)?;
    let delta = SignedDuration::from_nanos(DELTA);
    // A wake-up within the second of `from` can still be ahead.
    let before = from.checked_sub(delta).ok()?;
    let next = timetable.next(timetable.search_start(sync, before));
    next.ok()??.checked_add(delta).ok()
}

/// In how many nanoseconds the controller syncs again; it can lie in the past. `known` is what the
/// same sync found before.
pub(super) fn requeue_after(
    behavior: &Behavior,
    clock: &ScheduleClock,
    last: GoTime,
    now: GoTime,
    known: Option<Unmet>,
) -> Result<Option<i64>, Endless> {
    let mut timetable = &clock.timetable;
    let mut next = None;
    let base = match behavior.requeue {
        Requeue::Poll => return Ok(None),
        // The framework takes what is not in the future for never.
        Requeue::AtNext => {
            let wait = now.next(timetable)?.since(now);
            return Ok((wait > 0).then_some(wait));
        }
        Requeue::AfterNow => now,
        Requeue::AfterMostRecent | Requeue::AfterMostRecentOrNow => {
            // The deadline does not count here.
            let since = SearchStart {
                last,
                deadline_seconds: None,
            };
            let searched = known.filter(|known| known.earliest == last && known.first.is_some());
            let unmet = match searched {
                Some(known) => known,
                None => unmet::find(behavior.arithmetic, timetable, since, now)?,
            };
            let trusts_last = behavior.requeue == Requeue::AfterMostRecent;
            match unmet.scheduled_time {
                _ if unmet.failure.is_some() => now,
                Some(scheduled_time) => {
                    if behavior.arithmetic == Arithmetic::Multiplied && unmet.estimate > Some(1) {
                        timetable = &clock.in_utc;
                    }
                    scheduled_time
                }
                None if unmet.class == MissedClass::None || trusts_last => {
                    next = unmet.first;
                    last
                }
                None => now,
            }
        }
    };
    let next = next.map_or_else(|| base.next(timetable), Ok)?;
    Ok(Some(next.add(DELTA).since(now)))
}

#[cfg(test)]
mod tests {
    use kube_cron::{BundledZones, Schedule, Zone};

    use super::*;
    use kube_model::testing::cron_job;

    fn timetable(controller: &Controller, schedule: &str) -> Timetable {
        let schedule = Schedule::parse(schedule, controller.dialect(), &BundledZones).unwrap();
        schedule.in_zone(&Zone::utc())
    }

    /// Up to 1.24, `nextScheduledTimeDuration` counts from `now`, which makes a difference to `@every` only.
    #[test]
    fn wake_ups_of_every_count_from_the_sync_up_to_1_24() {
        for (release, schedule, expected) in [
            ("1.24", "@every 10m", true),
            ("1.24", "*/10 * * * *", false),
            ("1.25", "@every 10m", false),
            ("1.20", "@every 10m", false),
        ] {
            let controller = Controller {
                release: release.parse().unwrap(),
                ..Controller::assumed()
            };
            let timetable = timetable(&controller, schedule);
            assert_eq!(
                counts_from_sync(&controller, &timetable),
                expected,
                "{release} {schedule}"
            );
        }
    }

    /// Every ten minutes from the last sync that is known, and a tenth of a second.
    #[test]
    fn wake_up_follows_the_last_sync() {
        let at = |time: &str| -> Timestamp { format!("2026-03-10T{time}Z").parse().unwrap() };
        let timetable = timetable(&Controller::assumed(), "@every 10m");
        let mut own = cron_job("own");
        own.creation_timestamp = Some(at("08:00:00"));
        let next = |own: &CronJob, from: &str| wake_after_syncs(&timetable, own, &[], at(from));
        assert_eq!(next(&own, "08:25:00"), Some(at("08:30:00.1")));
        own.status.last_schedule_time = Some(at("08:03:00"));
        assert_eq!(next(&own, "08:25:00"), Some(at("08:33:00.1")));
        // Within the tenth of a second it is still to come.
        assert_eq!(next(&own, "08:33:00.05"), Some(at("08:33:00.1")));
        assert_eq!(next(&own, "08:33:00.2"), Some(at("08:43:00.1")));
    }
}
