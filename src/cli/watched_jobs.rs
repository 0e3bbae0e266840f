//! Jobs that a command waits for: their state, and the lines about them.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use super::log_reader::GRACE;
use super::{complain, say_plainly, stdio};
use crate::change::{JobEnd, JobProgress, JobUpdate};
use crate::cluster::{Update, WatchEvent, WatchedObject, WatchedObjects};
use crate::output::actions::{job_end, waits_for_pod, write_job_deleted, write_job_update};

/// How often to check what else is due.
pub(super) const TICK: Duration = Duration::from_millis(200);

/// A Job usually ends within this time after its result is decided.
const LONG_END: Duration = Duration::from_secs(5);

/// Where the lines about Jobs go.
#[derive(Clone, Copy)]
pub(super) struct JobLines {
    /// Whether results are lines on stdout. Otherwise there is a document.
    pub(super) to_stdout: bool,
    pub(super) quiet: bool,
}

impl JobLines {
    /// All lines on stderr, where stdout has logs.
    pub(super) fn on_stderr(quiet: bool) -> Self {
        JobLines {
            to_stdout: false,
            quiet,
        }
    }

    /// Writes what happened to a Job.
    pub(super) fn updates(self, job: &str, updates: impl IntoIterator<Item = JobUpdate>) {
        for update in updates.into_iter().filter(|_| !self.quiet) {
            // Nobody reads a closed stderr.
            let _ = write_job_update(&mut stdio::stderr(), job, &update);
        }
    }

    /// Writes how a Job ended.
    pub(super) fn end(self, job: &str, end: &JobEnd) -> io::Result<()> {
        if *end == JobEnd::Deleted {
            complain(&format!("job.batch/{job}: deleted before it finished"));
            return Ok(());
        }
        self.result(|out| writeln!(out, "{}", job_end(job, end)))
    }

    /// Writes how a Job will end, and what it waits for.
    pub(super) fn ending(self, job: &str, decided: &JobEnd) {
        if !self.quiet {
            say_plainly(&job_end(job, decided));
            say_plainly(&waits_for_pod(job));
        }
    }

    /// Writes that a Job was deleted after it had finished.
    pub(super) fn deleted(self, job: &str) -> io::Result<()> {
        self.result(|out| write_job_deleted(out, job))
    }

    fn result(self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        if self.to_stdout {
            return write(&mut stdio::stdout());
        }
        if !self.quiet {
            // Nobody reads a closed stderr.
            let _ = write(&mut stdio::stderr());
        }
        Ok(())
    }
}

/// Whether the credentials were rejected, so that no more changes come. Reports it.
pub(super) fn is_refused(updates: &[Update]) -> bool {
    let refused = updates.iter().find_map(|update| match update {
        Update::Refused(error) => Some(error),
        _ => None,
    });
    refused.map(complain).is_some()
}

/// A Job until it has finished, with what else is known `about` it.
pub(super) struct WatchedJob<T> {
    pub(super) about: T,
    pub(super) progress: JobProgress,
    ended_at: Option<Instant>,
    /// Whether it was said that only a pod keeps it from ending.
    is_ending_said: bool,
    pub(super) is_reported: bool,
}

impl<T> WatchedJob<T> {
    pub(super) fn new(progress: JobProgress, about: T) -> Self {
        WatchedJob {
            about,
            progress,
            ended_at: None,
            is_ending_said: false,
            is_reported: false,
        }
    }

    /// How the Job ended by a way to tell, and whether changes of its pods may still come.
    pub(super) fn ending(
        &mut self,
        how: fn(&JobProgress) -> Option<JobEnd>,
        now: Instant,
    ) -> Option<(JobEnd, bool)> {
        let end = how(&self.progress)?;
        let ended_at = *self.ended_at.get_or_insert(now);
        let may_miss = self.progress.misses_pods() && now.duration_since(ended_at) < GRACE;
        Some((end, may_miss))
    }

    /// How a Job will end whose result is decided, and that only a pod keeps from ending: once, if that takes long.
    pub(super) fn long_ending(&mut self, now: Instant) -> Option<JobEnd> {
        if self.is_ending_said || self.progress.ending().is_some() {
            return None;
        }
        let decided = self.progress.decided()?;
        let decided_at = *self.ended_at.get_or_insert(now);
        self.is_ending_said = now.duration_since(decided_at) >= LONG_END;
        self.is_ending_said.then_some(decided)
    }

    /// Notes that a list no longer has the Job.
    pub(super) fn remove(&mut self) {
        let last = self.progress.job().clone();
        self.progress.remove_job(&last);
    }

    /// Applies a change, and returns what is worth a line.
    pub(super) fn apply(&mut self, change: WatchEvent) -> Vec<JobUpdate> {
        let progress = &mut self.progress;
        match change {
            WatchEvent::Now(WatchedObject::Job(job)) => Vec::from_iter(progress.set_job(&job)),
            WatchEvent::Gone(WatchedObject::Job(job)) => {
                progress.remove_job(&job);
                Vec::new()
            }
            WatchEvent::All(WatchedObjects::Jobs(jobs)) => {
                let own = jobs.iter().find(|job| job.uid == progress.job().uid);
                if let Some(own) = own {
                    return Vec::from_iter(progress.set_job(own));
                }
                self.remove();
                Vec::new()
            }
            WatchEvent::Now(WatchedObject::Pod(pod))
            | WatchEvent::Gone(WatchedObject::Pod(pod)) => Vec::from_iter(progress.set_pod(&pod)),
            WatchEvent::All(WatchedObjects::Pods(pods)) => {
                let pods = pods.iter();
                pods.filter_map(|pod| progress.set_pod(pod)).collect()
            }
            WatchEvent::Now(WatchedObject::Event(event)) => {
                Vec::from_iter(progress.set_event(&event))
            }
            WatchEvent::All(WatchedObjects::Events(events)) => {
                let events = events.iter();
                events
                    .filter_map(|event| progress.set_event(event))
                    .collect()
            }
            _ => Vec::new(),
        }
    }
}
