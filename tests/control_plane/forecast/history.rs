//! What actually happened to a `CronJob`.

use std::collections::BTreeMap;

use jiff::Timestamp;

/// How a sync ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sync {
    /// With an error.
    Failed,
    /// A running Job blocked the run.
    Blocked,
    /// Anything else.
    Done,
}

/// A Job that the controller created.
#[derive(Clone, Debug)]
pub(crate) struct Created {
    pub(crate) at: Timestamp,
    pub(crate) job: String,
}

/// How a Job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Finished(Timestamp),
    Deleted(Timestamp),
}

impl End {
    fn at(self) -> Timestamp {
        match self {
            End::Finished(at) | End::Deleted(at) => at,
        }
    }
}

/// Everything that was seen of a `CronJob` since it was created.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    pub(crate) cron_job: String,
    pub(crate) created: Vec<Created>,
    /// The first end of each Job: one that has finished does not run, even if it is deleted later.
    pub(crate) ended: BTreeMap<String, End>,
    /// `status.active` from each moment on.
    pub(crate) active: Vec<(Timestamp, Vec<String>)>,
    pub(crate) syncs: Vec<(Timestamp, Sync)>,
    /// When the quota of the namespace was zero.
    pub(crate) refused: Vec<(Timestamp, Option<Timestamp>)>,
}

impl History {
    /// The name of the Job for a scheduled time.
    pub(crate) fn job_name(&self, scheduled: Timestamp) -> String {
        let minute = scheduled.as_second().div_euclid(60);
        format!("{}-{minute}", self.cron_job)
    }

    /// Notes the end of a sync in order of time, because the log and the events are read one after the other.
    pub(crate) fn note(&mut self, at: Timestamp, sync: Sync) {
        let place = self.syncs.partition_point(|(other, _)| *other <= at);
        self.syncs.insert(place, (at, sync));
    }

    /// When a Job was created in a period.
    pub(crate) fn created_in(
        &self,
        from: Timestamp,
        to: Timestamp,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Option<Timestamp> {
        let mut created = self.created.iter();
        let found = created.find(|one| (from..=to).contains(&one.at) && is_wanted(&one.job));
        found.map(|one| one.at)
    }

    /// When a sync ended in this way in a period.
    pub(crate) fn syncs_in(&self, how: Sync, from: Timestamp, to: Timestamp) -> Option<Timestamp> {
        let mut syncs = self.syncs.iter();
        let found = syncs.find(|(at, sync)| *sync == how && (from..=to).contains(at));
        found.map(|(at, _)| *at)
    }

    /// Whether a sync of any kind ended in a period.
    pub(crate) fn is_synced(&self, from: Timestamp, to: Timestamp) -> bool {
        self.syncs.iter().any(|(at, _)| (from..=to).contains(at))
    }

    /// The Jobs in `status.active` at a moment that have not finished.
    pub(crate) fn running(&self, at: Timestamp) -> Vec<&str> {
        let listed = self.active.iter().rev().find(|(since, _)| *since <= at);
        let jobs = listed.map(|(_, jobs)| jobs.as_slice()).unwrap_or_default();
        let ended = |job: &str| self.ended.get(job).is_some_and(|end| end.at() <= at);
        let jobs = jobs.iter().map(String::as_str);
        jobs.filter(|job| !ended(job)).collect()
    }

    /// Whether a Job that runs at the start of a period finishes in it.
    pub(crate) fn finishes_in(&self, from: Timestamp, to: Timestamp) -> bool {
        let mut ends = self
            .running(from)
            .into_iter()
            .filter_map(|job| self.ended.get(job));
        ends.any(|end| matches!(end, End::Finished(at) if *at <= to))
    }

    /// Whether any Job finishes in a period, which makes the controller sync.
    pub(crate) fn job_finishes(&self, from: Timestamp, to: Timestamp) -> bool {
        let mut ends = self.ended.values();
        ends.any(|end| matches!(end, End::Finished(at) if (from..=to).contains(at)))
    }

    /// Whether each Job that runs at the start of a period is deleted in it.
    pub(crate) fn all_deleted(&self, from: Timestamp, to: Timestamp) -> bool {
        let mut ends = self
            .running(from)
            .into_iter()
            .map(|job| self.ended.get(job));
        ends.all(|end| matches!(end, Some(End::Deleted(at)) if *at <= to))
    }

    /// When the last of the Jobs that run at the start of a period ended, if all of them ended in it.
    pub(crate) fn all_finished(&self, from: Timestamp, to: Timestamp) -> Option<Timestamp> {
        let ends = self
            .running(from)
            .into_iter()
            .map(|job| self.ended.get(job));
        let last = ends.map(|end| end.map(|end| end.at()));
        let last = last
            .collect::<Option<Vec<Timestamp>>>()?
            .into_iter()
            .max()?;
        (last <= to).then_some(last)
    }

    /// Whether the quota was zero at some time in a period.
    pub(crate) fn is_refused(&self, from: Timestamp, to: Timestamp) -> bool {
        let mut refused = self.refused.iter();
        refused.any(|(begin, end)| *begin <= to && end.is_none_or(|end| end >= from))
    }

    /// Whether the last attempt before a moment failed.
    pub(crate) fn fails_at(&self, at: Timestamp) -> bool {
        let before = self.syncs.iter().rev().find(|(since, _)| *since <= at);
        before.is_some_and(|(_, sync)| *sync == Sync::Failed)
    }

    /// Whether something changed in a period that a forecast made then may or may not have seen.
    pub(crate) fn changes_in(&self, from: Timestamp, to: Timestamp) -> bool {
        let within = |at: Timestamp| (from..=to).contains(&at);
        self.created.iter().any(|one| within(one.at))
            || self.ended.values().any(|end| within(end.at()))
            || self.active.iter().any(|(at, _)| within(*at))
    }
}
