//! What a recorder stored of the past of a `CronJob`.

use std::ops::Range;

use jiff::Timestamp;

use super::run::time_in_name;
use super::{JobResult, RunPhases};

string_enum! {
    /// What happened at a scheduled time.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum RunStatus {
        OnTime = "onTime",
        Late = "late",
        /// Its Job was not created by the controller, and has finished.
        Backfilled = "backfilled",
        Running = "running",
        /// None of its containers has started.
        Waiting = "waiting",
        /// It is due, and the controller may still start it.
        Pending = "pending",
        Skipped = "skipped",
        /// The evidence does not show it.
        Unknown = "unknown",
    }
}

string_enum! {
    /// How a run ended, or that it is running.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum RunResult {
        Succeeded = "succeeded",
        Failed = "failed",
        Running = "running",
    }
}

impl From<JobResult> for RunResult {
    fn from(result: JobResult) -> Self {
        match result {
            JobResult::Succeeded => RunResult::Succeeded,
            JobResult::Failed => RunResult::Failed,
        }
    }
}

string_enum! {
    /// What a Job was started for.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum RunKind {
        #[default]
        Scheduled = "scheduled",
        /// For a time that the schedule did not contain then, or that had a Job already.
        OffSchedule = "offSchedule",
        Manual = "manual",
    }
}

/// What is stored of a `CronJob`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CronJobRecord {
    /// When the recorder was watching, oldest first: a run outside of these times that is not stored is unknown.
    pub watched: Vec<Range<Timestamp>>,
    /// The UIDs of the CronJobs that had the name, with when each was first seen, oldest first.
    pub first_seen: Vec<(Timestamp, String)>,
    /// When the recorder noticed that the last of them was deleted.
    pub deleted_at: Option<Timestamp>,
    /// The runs, oldest first.
    pub runs: Vec<StoredRun>,
    /// The time of the first run that was left out, with all later ones.
    pub cut_at: Option<Timestamp>,
}

/// A run as it is stored. Messages are stored up to the end of their first line, since they can hold secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredRun {
    pub kind: RunKind,
    /// The scheduled time, or when a manually created Job was created.
    pub at: Timestamp,
    /// `None` unless it was scheduled.
    pub status: Option<RunStatus>,
    pub result: Option<RunResult>,
    pub cause: Option<String>,
    pub reason: Option<String>,
    pub exit_code: Option<i32>,
    pub job_name: Option<String>,
    /// Not known if the Job is only known from events.
    pub job_uid: Option<String>,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    /// Known if its pods were read before they were gone.
    pub phases: Option<RunPhases>,
    /// The fingerprint of the template of its Job, if the whole Job was seen.
    pub template: Option<String>,
    /// The digests of its images, if its pods were read before they were gone.
    pub images: Option<String>,
}

/// What a Job is recognized by: several can have the same scheduled time, and even the same name.
#[derive(Clone, Copy, Debug)]
pub struct JobIdentity<'a> {
    pub name: &'a str,
    /// Not known if the Job is only known from events, or from another recorder.
    pub uid: Option<&'a str>,
    pub created: Option<Timestamp>,
}

/// How much later than the Job the event about its creation can be, in seconds.
const EVENT_DELAY: i64 = 5;

impl<'a> JobIdentity<'a> {
    /// Whether both are the same Job. One that was deleted and created again under its name is another one.
    pub fn is_same(&self, other: &JobIdentity<'_>) -> bool {
        if let (Some(one), Some(other)) = (self.uid, other.uid) {
            return one == other;
        }
        let is_near = match (self.created, other.created) {
            (Some(one), Some(other)) => (one.as_second() - other.as_second()).abs() <= EVENT_DELAY,
            _ => true,
        };
        self.name == other.name && is_near
    }

    /// Of several Jobs of a scheduled time, the first one is its run: the one with the name that the controller gave
    /// it, or else the one that was created first. The others are copies, or were created again under the name.
    pub fn precedence(&self, cron_job: &str, scheduled_time: Timestamp) -> impl Ord + use<'a> {
        let named_for = time_in_name(cron_job, self.name);
        let is_named = named_for.is_some_and(|named_for| {
            (0..60).contains(&(scheduled_time.as_second() - named_for.as_second()))
        });
        let created = self.created.map(Timestamp::as_second);
        (!is_named, created.is_none(), created, self.name, self.uid)
    }
}

impl CronJobRecord {
    /// Adds the runs of a later page.
    pub fn extend(&mut self, later: CronJobRecord) {
        self.runs.extend(later.runs);
        if self.first_seen.is_empty() {
            (self.watched, self.first_seen) = (later.watched, later.first_seen);
            self.deleted_at = later.deleted_at;
        }
    }

    /// When the first `CronJob` of the name was seen first, or the time of the first run if that is earlier.
    pub fn begins(&self) -> Option<Timestamp> {
        let first_run = self.runs.first().map(|run| run.at);
        let first_seen = self.first_seen.first().map(|(at, _)| *at);
        first_run.into_iter().chain(first_seen).min()
    }

    /// When it was deleted, or else when the recorder saw it last.
    pub fn last_seen(&self) -> Option<Timestamp> {
        self.deleted_at.or_else(|| Some(self.watched.last()?.end))
    }

    /// Whether the recorder was watching at a time.
    pub fn covers(&self, at: Timestamp) -> bool {
        let after = self
            .watched
            .partition_point(|interval| interval.start <= at);
        let interval = after
            .checked_sub(1)
            .and_then(|index| self.watched.get(index));
        interval.is_some_and(|interval| at < interval.end)
    }
}

impl StoredRun {
    /// Whether its result is known.
    pub fn is_over(&self) -> bool {
        matches!(self.result, Some(RunResult::Succeeded | RunResult::Failed))
    }

    /// How much is known of it. What is known later of the same run replaces it, unless that is less.
    fn knowledge(&self) -> u8 {
        match (&self.job_name, self.result, self.status) {
            (Some(_), ..) if self.is_over() => 4,
            (Some(_), None, _) => 3,
            (Some(_), ..) => 2,
            (None, _, Some(RunStatus::Skipped)) => 1,
            (None, ..) => 0,
        }
    }

    /// The Job of it, if it has one.
    pub fn job(&self) -> Option<JobIdentity<'_>> {
        Some(JobIdentity {
            name: self.job_name.as_deref()?,
            uid: self.job_uid.as_deref(),
            created: self.started_at,
        })
    }

    /// What is stored once `later` is known of the same run; `None` if that is nothing new.
    pub fn updated(&self, later: &StoredRun) -> Option<StoredRun> {
        let mut merged = later.clone();
        // It is judged once, by the schedule of that time, and a Job that is only known from events has no UID.
        if self.job_uid.is_some() {
            (merged.kind, merged.at) = (self.kind, self.at);
            merged.job_uid.clone_from(&self.job_uid);
        }
        if merged.kind != later.kind {
            merged.status = self.status;
        }
        if merged.kind != later.kind || self.job_name.is_some() && later.cause.is_none() {
            merged.cause.clone_from(&self.cause);
            merged.reason.clone_from(&self.reason);
        }
        merged.exit_code = merged.exit_code.or(self.exit_code);
        merged.started_at = merged.started_at.or(self.started_at);
        let earlier = self.phases.unwrap_or_default();
        merged.phases = merged.phases.unwrap_or_default().or(earlier).if_known();
        merged.template = merged.template.or_else(|| self.template.clone());
        merged.images = merged.images.or_else(|| self.images.clone());
        if merged.status == Some(RunStatus::Unknown) {
            merged.status = self.status;
        }
        // Without a Job, the first judgment counts.
        let is_better = match (&self.job_name, &later.job_name) {
            (None, None) => later.knowledge() > self.knowledge(),
            _ => later.knowledge() >= self.knowledge(),
        };
        (is_better && merged != *self).then_some(merged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn skipped() -> StoredRun {
        StoredRun {
            at: at(600),
            status: Some(RunStatus::Skipped),
            cause: Some("forbid".to_owned()),
            ..StoredRun::default()
        }
    }

    fn with_job(result: Option<RunResult>) -> StoredRun {
        StoredRun {
            at: at(600),
            status: Some(RunStatus::OnTime),
            result,
            job_name: Some("a-10".to_owned()),
            job_uid: Some("u-10".to_owned()),
            started_at: Some(at(601)),
            ..StoredRun::default()
        }
    }

    #[test]
    fn run_is_never_replaced_by_one_with_less_information() {
        let unknown = StoredRun {
            status: Some(RunStatus::Unknown),
            ..skipped()
        };
        let gone = StoredRun {
            job_uid: None,
            ..with_job(None)
        };
        let (running, succeeded) = (Some(RunResult::Running), Some(RunResult::Succeeded));
        let states = [
            unknown,
            skipped(),
            with_job(running),
            gone,
            with_job(succeeded),
        ];
        for (earlier, known) in states.iter().enumerate() {
            for (later, incoming) in states.iter().enumerate() {
                let replaces = known.updated(incoming).is_some();
                assert_eq!(replaces, later > earlier, "{known:?} {incoming:?}");
            }
        }
        let lost = with_job(running).updated(&states[3]).unwrap();
        assert_eq!((lost.result, lost.job_uid.as_deref()), (None, Some("u-10")));
    }

    #[test]
    fn job_keeps_the_kind_that_it_was_first_stored_with() {
        let known = with_job(Some(RunResult::Running));
        let moved = StoredRun {
            kind: RunKind::OffSchedule,
            status: None,
            ..with_job(Some(RunResult::Failed))
        };
        let merged = known.updated(&moved).unwrap();
        assert_eq!(
            (merged.kind, merged.result),
            (RunKind::Scheduled, Some(RunResult::Failed))
        );
    }

    #[test]
    fn watched_interval_excludes_its_end() {
        let record = CronJobRecord {
            watched: vec![at(10)..at(20), at(30)..at(40)],
            ..CronJobRecord::default()
        };
        let covered = [9, 10, 19, 20, 29, 30, 39, 40].map(|second| record.covers(at(second)));
        assert_eq!(
            covered,
            [false, true, true, false, false, true, true, false]
        );
    }
}
