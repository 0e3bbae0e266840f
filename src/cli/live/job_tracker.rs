//! The Jobs that a command waits for: the state of each, from the changes that a watch reports, until all have
//! ended.
//!
//! A command adds the Jobs that it knows with [`JobTracker::add`], and calls [`JobTracker::apply`] with each change
//! and [`JobTracker::settle`] when something came or [`JobTracker::due`] is reached. Both return events; what a
//! command does about them is all that differs.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use super::log_reader::GRACE;
use cronjob_diagnosis::change::{JobEnd, JobProgress, JobUpdate};
use kube_access::{WatchEvent, WatchedObject, WatchedObjects};
use kube_model::Job;

/// A Job usually ends within this time after its result is decided.
const LONG_END: Duration = Duration::from_secs(5);

/// What happened to a Job, with its number in the order in which the Jobs were added.
pub(super) enum JobEvent {
    /// A Job was seen that is not tracked.
    Created(Box<Job>),
    /// It is not over, and what happened to it or its pods is worth a line.
    Running(usize, JobUpdate),
    /// Its result is decided, and for a while only a pod has kept it from ending. Comes once.
    Ending(usize, JobEnd),
    /// It has ended, or was deleted before ([`JobEnd::Deleted`]). Comes once.
    Ended(usize, JobEnd),
}

/// When a Job counts as ended.
#[derive(Clone, Copy)]
pub(super) enum EndsWith {
    /// As soon as its result is decided, although a pod may still be terminating.
    Result,
    /// When its pods have ended, too.
    Pods,
}

pub(super) struct JobTracker<T> {
    ends_with: EndsWith,
    jobs: Vec<TrackedJob<T>>,
    /// The numbers of the Jobs by their UIDs.
    numbers: HashMap<String, usize>,
}

/// A Job, with what else is known `about` it.
pub(super) struct TrackedJob<T> {
    pub(super) about: T,
    pub(super) progress: JobProgress,
    /// The watch that reports its changes.
    watch: usize,
    /// When it was first seen that its result is decided, and that it counts as ended.
    decided_at: Option<Instant>,
    ended_at: Option<Instant>,
    is_ending_said: bool,
    /// How it ended, once an event has said so.
    end: Option<JobEnd>,
}

impl<T> TrackedJob<T> {
    pub(super) fn job(&self) -> &Job {
        self.progress.job()
    }

    /// How it ended, if an event has said so.
    pub(super) fn end(&self) -> Option<&JobEnd> {
        self.end.as_ref()
    }

    /// When its end takes long, unless that was said.
    fn long_end(&self) -> Option<Instant> {
        let decided_at = self.decided_at.filter(|_| !self.is_ending_said);
        decided_at?.checked_add(LONG_END)
    }

    /// Whether it has ended, and changes of its pods may still come.
    pub(super) fn may_miss_pods(&self, now: Instant) -> bool {
        self.pods_may_come_until().is_some_and(|until| now < until)
    }

    fn pods_may_come_until(&self) -> Option<Instant> {
        let until = self.ended_at?.checked_add(GRACE);
        until.filter(|_| self.progress.misses_pods())
    }
}

impl<T> JobTracker<T> {
    pub(super) fn new(ends_with: EndsWith) -> Self {
        JobTracker {
            ends_with,
            jobs: Vec::new(),
            numbers: HashMap::new(),
        }
    }

    /// Adds a Job whose changes a watch reports.
    pub(super) fn add(&mut self, watch: usize, progress: JobProgress, about: T) {
        let uid = progress.job().uid.clone();
        self.numbers.insert(uid, self.jobs.len());
        self.jobs.push(TrackedJob {
            about,
            progress,
            watch,
            decided_at: None,
            ended_at: None,
            is_ending_said: false,
            end: None,
        });
    }

    pub(super) fn get(&self, number: usize) -> Option<&TrackedJob<T>> {
        self.jobs.get(number)
    }

    pub(super) fn get_mut(&mut self, number: usize) -> Option<&mut TrackedJob<T>> {
        self.jobs.get_mut(number)
    }

    pub(super) fn all(&self) -> &[TrackedJob<T>] {
        &self.jobs
    }

    pub(super) fn all_mut(&mut self) -> &mut [TrackedJob<T>] {
        &mut self.jobs
    }

    /// The Jobs of which no event has said that they have ended.
    pub(super) fn unfinished(&self) -> impl Iterator<Item = &TrackedJob<T>> {
        self.jobs.iter().filter(|job| job.end.is_none())
    }

    /// Applies a change that a watch reports.
    pub(super) fn apply(&mut self, watch: usize, change: WatchEvent) -> Vec<JobEvent> {
        match change {
            WatchEvent::Now(WatchedObject::Job(job)) => Vec::from_iter(self.set_job(*job)),
            WatchEvent::Gone(WatchedObject::Job(job)) => {
                if let Some(known) = self
                    .number(&job)
                    .and_then(|number| self.jobs.get_mut(number))
                {
                    known.progress.remove_job(&job);
                }
                Vec::new()
            }
            WatchEvent::All(WatchedObjects::Jobs(jobs)) => {
                let there: BTreeSet<&str> = jobs.iter().map(|job| job.uid.as_str()).collect();
                for known in self.jobs.iter_mut().filter(|known| known.watch == watch) {
                    let last = known.job();
                    if !there.contains(last.uid.as_str()) {
                        let last = last.clone();
                        known.progress.remove_job(&last);
                    }
                }
                jobs.into_iter()
                    .filter_map(|job| self.set_job(job))
                    .collect()
            }
            WatchEvent::Now(WatchedObject::Pod(pod))
            | WatchEvent::Gone(WatchedObject::Pod(pod)) => {
                self.update(watch, &[*pod], JobProgress::set_pod)
            }
            WatchEvent::All(WatchedObjects::Pods(pods)) => {
                self.update(watch, &pods, JobProgress::set_pod)
            }
            WatchEvent::Now(WatchedObject::Event(event)) => {
                self.update(watch, &[*event], JobProgress::set_event)
            }
            WatchEvent::All(WatchedObjects::Events(events)) => {
                self.update(watch, &events, JobProgress::set_event)
            }
            _ => Vec::new(),
        }
    }

    fn number(&self, job: &Job) -> Option<usize> {
        self.numbers.get(&job.uid).copied()
    }

    fn set_job(&mut self, job: Job) -> Option<JobEvent> {
        let Some(number) = self.number(&job) else {
            return Some(JobEvent::Created(Box::new(job)));
        };
        let update = self.jobs.get_mut(number)?.progress.set_job(&job)?;
        Some(JobEvent::Running(number, update))
    }

    /// Passes pods or events to the Jobs of a watch, which know their own.
    fn update<O>(
        &mut self,
        watch: usize,
        objects: &[O],
        set: fn(&mut JobProgress, &O) -> Option<JobUpdate>,
    ) -> Vec<JobEvent> {
        let mut events = Vec::new();
        for (number, known) in self.jobs.iter_mut().enumerate() {
            if known.watch == watch {
                let updates = objects
                    .iter()
                    .filter_map(|object| set(&mut known.progress, object));
                events.extend(updates.map(|update| JobEvent::Running(number, update)));
            }
        }
        events
    }

    /// What the changes up to now lead to: which Jobs have ended, and which take long to end.
    pub(super) fn settle(&mut self, now: Instant) -> Vec<JobEvent> {
        self.settle_if(now, |_, _| true)
    }

    /// What the changes up to now lead to, except that a Job that has ended is kept back until it is ready.
    pub(super) fn settle_if(
        &mut self,
        now: Instant,
        is_ready: impl Fn(usize, &TrackedJob<T>) -> bool,
    ) -> Vec<JobEvent> {
        let mut events = Vec::new();
        let unfinished = self.jobs.iter_mut().enumerate();
        for (number, known) in unfinished.filter(|(_, known)| known.end.is_none()) {
            let Some(decided) = known.progress.decided() else {
                continue;
            };
            known.decided_at.get_or_insert(now);
            let ended = match self.ends_with {
                EndsWith::Result => Some(decided.clone()),
                EndsWith::Pods => known.progress.ending(),
            };
            if let Some(end) = ended {
                known.ended_at.get_or_insert(now);
                if is_ready(number, known) {
                    known.end = Some(end.clone());
                    events.push(JobEvent::Ended(number, end));
                }
            } else if known.long_end().is_some_and(|at| at <= now) {
                known.is_ending_said = true;
                events.push(JobEvent::Ending(number, decided));
            }
        }
        events
    }

    /// When to settle again although no change has come; `None` if only changes can lead to more.
    pub(super) fn due(&self, now: Instant) -> Option<Instant> {
        let due = self.unfinished().filter_map(|known| {
            if known.decided_at.is_none() && known.progress.decided().is_some() {
                // It was added since the last call of `settle`.
                return Some(now);
            }
            let due = [known.long_end(), known.pods_may_come_until()];
            due.into_iter().flatten().filter(|at| *at > now).min()
        });
        due.min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_model::testing::{self, condition};

    fn job(uid: &str, conditions: &[&str]) -> Job {
        let conditions = conditions.iter().map(|kind| condition(kind, "True", ""));
        Job {
            uid: uid.to_owned(),
            conditions: conditions.collect(),
            ..testing::job(uid, "")
        }
    }

    fn tracker(ends_with: EndsWith) -> JobTracker<()> {
        let mut jobs = JobTracker::new(ends_with);
        jobs.add(0, JobProgress::of(job("a", &[])), ());
        jobs
    }

    fn seen(job: Job) -> WatchEvent {
        WatchEvent::Now(WatchedObject::Job(Box::new(job)))
    }

    #[test]
    fn job_that_has_ended_is_reported_once() {
        let now = Instant::now();
        let mut jobs = tracker(EndsWith::Pods);
        assert!(jobs.settle(now).is_empty());
        assert_eq!(jobs.due(now), None);
        assert!(jobs.apply(0, seen(job("a", &["Complete"]))).is_empty());
        assert_eq!(jobs.due(now), Some(now));
        let events = jobs.settle(now);
        assert!(matches!(
            events[..],
            [JobEvent::Ended(0, JobEnd::Complete { .. })]
        ));
        assert!(jobs.settle(now).is_empty());
        assert_eq!((jobs.unfinished().count(), jobs.due(now)), (0, None));
    }

    #[test]
    fn job_that_had_ended_when_it_was_added_is_settled_at_once() {
        let now = Instant::now();
        let mut jobs = tracker(EndsWith::Pods);
        assert!(jobs.settle(now).is_empty());
        jobs.add(1, JobProgress::of(job("b", &["Failed"])), ());
        assert_eq!(jobs.due(now), Some(now));
        let events = jobs.settle(now);
        assert!(matches!(
            events[..],
            [JobEvent::Ended(1, JobEnd::Failed { .. })]
        ));
    }

    #[test]
    fn decided_job_ends_with_its_result_or_with_its_pods() {
        let now = Instant::now();
        let mut jobs = tracker(EndsWith::Result);
        jobs.apply(0, seen(job("a", &["FailureTarget"])));
        let events = jobs.settle(now);
        assert!(matches!(
            events[..],
            [JobEvent::Ended(0, JobEnd::Failed { .. })]
        ));

        let mut jobs = tracker(EndsWith::Pods);
        jobs.apply(0, seen(job("a", &["FailureTarget"])));
        assert!(jobs.settle(now).is_empty());
        let later = now + LONG_END;
        assert_eq!(jobs.due(now), Some(later));
        let events = jobs.settle(later);
        assert!(matches!(
            events[..],
            [JobEvent::Ending(0, JobEnd::Failed { .. })]
        ));
        assert!(jobs.settle(later).is_empty());
        assert_eq!((jobs.unfinished().count(), jobs.due(later)), (1, None));
    }

    #[test]
    fn list_of_a_watch_deletes_its_missing_jobs_and_shows_new_ones() {
        let now = Instant::now();
        let mut jobs = tracker(EndsWith::Pods);
        jobs.add(1, JobProgress::of(job("b", &[])), ());
        let list = WatchEvent::All(WatchedObjects::Jobs(vec![job("c", &[])]));
        let events = jobs.apply(0, list);
        assert!(matches!(&events[..], [JobEvent::Created(new)] if new.uid == "c"));
        let events = jobs.settle(now);
        assert!(matches!(events[..], [JobEvent::Ended(0, JobEnd::Deleted)]));
        assert_eq!(jobs.unfinished().count(), 1);
    }

    #[test]
    fn job_that_is_not_ready_is_kept_back() {
        let now = Instant::now();
        let mut jobs = tracker(EndsWith::Pods);
        jobs.apply(0, seen(job("a", &["Complete"])));
        assert!(jobs.settle_if(now, |_, _| false).is_empty());
        assert_eq!(jobs.unfinished().count(), 1);
        assert_eq!(jobs.settle(now).len(), 1);
    }
}
