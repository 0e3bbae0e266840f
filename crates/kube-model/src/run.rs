//! The Jobs that belong to a `CronJob`, and how they went.

use std::ops::RangeInclusive;

use jiff::Timestamp;

use super::cronjob::CronJob;
use super::job::{Job, JobResult, MANUAL_ANNOTATION};
use super::meta::{Condition, OwnerReference};

/// The annotation with the scheduled time of a Job, since 1.28.
pub const SCHEDULED_TIME_ANNOTATION: &str = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/// A Job that belongs to the `CronJob`.
#[derive(Clone, Copy, Debug)]
pub struct PastRun<'a> {
    pub job: &'a Job,
    /// The scheduled time it was started for; `None` for a manually created Job.
    pub scheduled_time: Option<Timestamp>,
    /// Whether the controller counts it as its own.
    pub controlled: bool,
    /// Whether it was created for a missed run, but not by the controller.
    pub backfilled: bool,
}

/// The annotation of Jobs that `backfill` makes.
pub const BACKFILLED: &str = "cronjob-doctor/backfilled";

impl<'a> PastRun<'a> {
    /// The condition that it ended with; `None` while it is not finished.
    pub fn ending(&self) -> Option<&'a Condition> {
        self.job.ending()
    }

    /// The condition that it failed with.
    pub fn failure(&self) -> Option<&'a Condition> {
        self.job.failure()
    }

    /// Whether it failed, or will fail when its last pod has ended.
    pub fn has_failed(&self) -> bool {
        self.job.decided_result() == Some(JobResult::Failed)
    }

    pub fn succeeded(&self) -> bool {
        self.job.result() == Some(JobResult::Succeeded)
    }

    pub fn finished_at(&self) -> Option<Timestamp> {
        self.job.finished_at()
    }

    /// How long it took from its creation to its end, in seconds.
    pub fn duration_seconds(&self) -> Option<i64> {
        self.job.duration_seconds()
    }

    /// How long it ran, without the time in which it was suspended, in seconds.
    pub fn run_seconds(&self) -> Option<i64> {
        self.job.run_seconds()
    }

    /// How long after its scheduled time the controller created it, in seconds.
    pub fn delay_seconds(&self) -> Option<i64> {
        let created = self.job.creation_timestamp?;
        self.is_by_controller()
            .then_some(created.as_second() - self.scheduled_time?.as_second())
    }

    pub fn is_by_controller(&self) -> bool {
        self.controlled && !self.backfilled && !self.is_manual()
    }

    /// Whether it was created manually from the `CronJob`.
    pub fn is_manual(&self) -> bool {
        let made = self.job.annotations.get(MANUAL_ANNOTATION);
        made.is_some_and(|value| value == "manual") || self.scheduled_time.is_none()
    }
}

/// The Jobs of a `CronJob`, oldest first.
pub fn past_runs<'a>(cron_job: &CronJob, jobs: &'a [Job]) -> Vec<PastRun<'a>> {
    let mut runs: Vec<PastRun<'a>> = jobs
        .iter()
        .filter(|job| job.namespace == cron_job.namespace)
        .filter_map(|job| {
            let owner = reference_to(cron_job, job)?;
            let mut run = PastRun {
                job,
                scheduled_time: scheduled_time_of(cron_job, job),
                controlled: owner.controller == Some(true),
                backfilled: false,
            };
            let by_another = job.annotations.contains(BACKFILLED) || job.by_kubectl;
            run.backfilled = run.controlled && by_another && !run.is_manual();
            Some(run)
        })
        .collect();
    runs.sort_by_key(|run| (run.job.creation_timestamp, run.scheduled_time));
    runs
}

/// The reference of a Job to a `CronJob` that owns it.
pub(super) fn reference_to<'j>(cron_job: &CronJob, job: &'j Job) -> Option<&'j OwnerReference> {
    job.owner_references.iter().find(|owner| {
        owner.kind == "CronJob"
            && owner.name == cron_job.name
            && (cron_job.uid.is_empty() || owner.uid == cron_job.uid)
    })
}

/// The scheduled time of a Job: its annotation, or else the number at the end of its name.
fn scheduled_time_of(cron_job: &CronJob, job: &Job) -> Option<Timestamp> {
    if let Some(scheduled_time) = job.annotations.get(SCHEDULED_TIME_ANNOTATION) {
        return scheduled_time.parse().ok();
    }
    // The number can be another one, such as the date and time of a manually created Job.
    let created = job.creation_timestamp;
    let in_time =
        |time: &Timestamp| created.is_none_or(|created| time.as_second() <= later(created));
    // No run is scheduled before its CronJob exists. Without the UID, it may be the Job of a namesake.
    let created = cron_job
        .creation_timestamp
        .filter(|_| !cron_job.uid.is_empty());
    let may_be_due =
        |time: &Timestamp| created.is_none_or(|created| later(*time) >= created.as_second());
    let time = time_of_named_job(cron_job, &job.name, job.creation_timestamp)?;
    (in_time(&time) && may_be_due(&time)).then_some(time)
}

/// A day later, in seconds: clocks may differ, but not by that much.
fn later(time: Timestamp) -> i64 {
    const DAY: i64 = 86_400;
    time.as_second().saturating_add(DAY)
}

/// The scheduled time of the Job with a name, which has the minute: runs of `@every` have seconds, too, counted on from
/// one run to the next.
pub fn time_of_named_job(
    cron_job: &CronJob,
    job: &str,
    created: Option<Timestamp>,
) -> Option<Timestamp> {
    let (time, is_minute) = number_in_name(&cron_job.name, job)?;
    let Some(known) = cron_job.anchor().filter(|_| is_minute) else {
        return Some(time);
    };
    let seconds = match known.as_second() - time.as_second() {
        seconds @ 0..60 => seconds,
        seconds => {
            let every = cron_job.spec.every();
            every.map_or(0, |every| seconds.rem_euclid(every))
        }
    };
    let exact = Timestamp::from_second(time.as_second() + seconds).ok()?;
    // Otherwise it was started by another schedule.
    let fits = seconds < 60 && created.is_none_or(|created| exact <= created);
    Some(if fits { exact } else { time })
}

/// The scheduled time that the name of a Job ends with: a number of minutes, or of seconds up to 1.20. A number
/// that cannot be one, such as `1` or the date `20261122`, was chosen by someone.
pub fn time_in_name(cron_job: &str, job: &str) -> Option<Timestamp> {
    number_in_name(cron_job, job).map(|(time, _)| time)
}

/// The scheduled time that the name of a Job ends with, and whether the number counts minutes.
fn number_in_name(cron_job: &str, job: &str) -> Option<(Timestamp, bool)> {
    // The first controller that counts minutes is from 2020, the first that counts seconds from 2016.
    const MINUTES: RangeInclusive<i64> = 26_000_000..=99_999_999;
    const SECONDS: RangeInclusive<i64> = 1_450_000_000..=9_999_999_999;
    let number = job.strip_prefix(cron_job)?.strip_prefix('-')?;
    let digits = number.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = digits && !number.starts_with('0');
    let number: i64 = number.parse().ok().filter(|_| is_plain)?;
    let (seconds, is_minute) = match number {
        minutes if MINUTES.contains(&minutes) => (minutes.checked_mul(60)?, true),
        seconds if SECONDS.contains(&seconds) => (seconds, false),
        _ => return None,
    };
    Some((Timestamp::from_second(seconds).ok()?, is_minute))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::testing;

    fn seconds_in(job: &str) -> Option<i64> {
        time_in_name("nightly", job).map(Timestamp::as_second)
    }

    #[test]
    fn number_in_a_name_is_a_time_only_if_the_controller_can_have_written_it() {
        // 2026-11-22 02:00 UTC in minutes and in seconds.
        assert_eq!(seconds_in("nightly-29921880"), Some(1_795_312_800));
        assert_eq!(seconds_in("nightly-1795312800"), Some(1_795_312_800));
        let chosen = "nightly-1 nightly-0 nightly-100 nightly-20261122 nightly-202611220200 nightly-029921880 \
                      nightly-+29921880 nightly-99999999999 nightly- nightly other-29921880";
        for chosen in chosen.split(' ') {
            assert_eq!(seconds_in(chosen), None, "{chosen}");
        }
    }

    #[test]
    fn job_named_after_a_time_before_its_cronjob_is_manually_created() {
        let at = |text: &str| text.parse::<Timestamp>().ok();
        let scheduled = |uid: &str, job: &str| {
            let mut cron_job = testing::cron_job("nightly");
            cron_job.uid = uid.to_owned();
            cron_job.creation_timestamp = at("2026-11-20T12:00:00Z");
            let mut job = testing::job(job, "nightly");
            job.creation_timestamp = at("2026-11-22T02:00:00Z");
            Arc::make_mut(&mut job.owner_references)[0].uid = uid.to_owned();
            past_runs(&cron_job, &[job]).first()?.scheduled_time
        };
        let due = at("2026-11-22T02:00:00Z");
        assert_eq!(scheduled("a-b", "nightly-29921880"), due);
        // 2026-11-18 02:00 UTC, two days before the CronJob was created.
        assert_eq!(scheduled("a-b", "nightly-29916120"), None);
        let earlier = at("2026-11-18T02:00:00Z");
        assert_eq!(scheduled("", "nightly-29916120"), earlier);
        // 2026-11-24 02:00 UTC, two days after the Job was created.
        assert_eq!(scheduled("a-b", "nightly-29924760"), None);
        assert_eq!(scheduled("a-b", "nightly-1"), None);
    }
}
