//! The logs of containers that are followed: which wait, which are read, when one is requested again, and when
//! it is left.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use kube_access::{ClusterError, LogSource};

/// How much later the end of a log, a pod or its status may come than the end of the Job.
pub(super) const GRACE: Duration = Duration::from_secs(5);
/// The pause before a log is requested again: the kubelet may be behind the API server.
const PAUSE: Duration = Duration::from_secs(1);
/// How often in a row a log is requested again.
const TRIES: u32 = 5;

/// The logs, each with what else is known `about` it. It requests nothing itself.
pub(super) struct LogReader<T> {
    waiting: VecDeque<(LogSource, T)>,
    active: Vec<ActiveLog<T>>,
}

pub(super) struct ActiveLog<T> {
    pub(super) source: LogSource,
    pub(super) about: T,
    /// When it was requested, or its last piece came.
    last_at: Instant,
    ended_at: Option<Instant>,
    retry_at: Option<Instant>,
    tries: u32,
}

/// A log that ended with an error.
pub(super) enum LogFailure {
    /// It will be requested again.
    Passing,
    Final(ClusterError),
}

impl<T> LogReader<T> {
    pub(super) fn new() -> Self {
        LogReader {
            waiting: VecDeque::new(),
            active: Vec::new(),
        }
    }

    /// Adds a log, to be read after those before it.
    pub(super) fn add(&mut self, source: LogSource, about: T) {
        self.waiting.push_back((source, about));
    }

    /// What is known about each log that is read or waits.
    pub(super) fn all(&self) -> impl Iterator<Item = &T> {
        let waiting = self.waiting.iter().map(|(_, about)| about);
        self.active.iter().map(|log| &log.about).chain(waiting)
    }

    /// Begins with the next log, if none is being read.
    pub(super) fn start(&mut self, now: Instant) -> Option<&ActiveLog<T>> {
        if !self.active.is_empty() {
            return None;
        }
        let (source, about) = self.waiting.pop_front()?;
        self.active.push(ActiveLog {
            source,
            about,
            last_at: now,
            ended_at: None,
            retry_at: None,
            tries: 0,
        });
        self.active.last()
    }

    /// Notes that a piece of a log has come. `None` if the log is no longer read.
    pub(super) fn receive(&mut self, source: &LogSource, now: Instant) -> Option<&mut T> {
        let log = self.find(source)?;
        (log.last_at, log.tries) = (now, 0);
        Some(&mut log.about)
    }

    /// Notes that a log has ended. With a passing error it is requested again for a while.
    pub(super) fn end(
        &mut self,
        source: &LogSource,
        error: Option<ClusterError>,
        is_passing: impl FnOnce(&ClusterError) -> bool,
        now: Instant,
    ) -> Option<LogFailure> {
        let log = self.find(source)?;
        let Some(error) = error else {
            log.ended_at = Some(now);
            return None;
        };
        if log.tries < TRIES && is_passing(&error) {
            log.tries += 1;
            log.retry_at = now.checked_add(PAUSE);
            return Some(LogFailure::Passing);
        }
        self.active.retain(|log| log.source != *source);
        Some(LogFailure::Final(error))
    }

    /// The logs that are requested again now.
    pub(super) fn retry(&mut self, now: Instant) -> impl Iterator<Item = &ActiveLog<T>> {
        self.active.iter_mut().filter_map(move |log| {
            log.retry_at.take_if(|at| *at <= now)?;
            log.last_at = now;
            Some(&*log)
        })
    }

    /// Leaves logs of Jobs that are over if nothing comes: some kubelets keep a log open.
    pub(super) fn leave_silent(
        &mut self,
        now: Instant,
        is_over: impl Fn(&T) -> bool,
    ) -> Vec<LogSource> {
        let silent = self.active.iter_mut().filter(|log| {
            let is_silent = now.duration_since(log.last_at) >= GRACE;
            log.ended_at.is_none() && log.retry_at.is_none() && is_silent && is_over(&log.about)
        });
        let left = silent.map(|log| {
            log.ended_at = Some(now);
            log.source.clone()
        });
        left.collect()
    }

    /// Removes the logs that have ended, once their end is known or the time for that is over.
    pub(super) fn take_ended(
        &mut self,
        now: Instant,
        is_known: impl Fn(&LogSource) -> bool,
    ) -> Vec<ActiveLog<T>> {
        let is_over = |log: &mut ActiveLog<T>| {
            let ended_at = log.ended_at;
            ended_at.is_some_and(|at| is_known(&log.source) || now.duration_since(at) >= GRACE)
        };
        self.active.extract_if(.., is_over).collect()
    }

    /// When to check the logs again although nothing has come.
    pub(super) fn due(&self, is_over: impl Fn(&T) -> bool) -> Option<Instant> {
        let due = self.active.iter().filter_map(|log| match log.ended_at {
            _ if log.retry_at.is_some() => log.retry_at,
            None if !is_over(&log.about) => None,
            ended_at => ended_at.unwrap_or(log.last_at).checked_add(GRACE),
        });
        due.min()
    }

    fn find(&mut self, source: &LogSource) -> Option<&mut ActiveLog<T>> {
        self.active.iter_mut().find(|log| log.source == *source)
    }
}

/// The warning for a log that is left.
pub(super) fn log_left_open(source: &LogSource) -> String {
    format!(
        "stopped reading the log of {}: the Job has finished, but the log is still open",
        source.pod
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(pod: &str) -> LogSource {
        LogSource {
            namespace: "shop".to_owned(),
            pod: pod.to_owned(),
            container: "main".to_owned(),
        }
    }

    #[test]
    fn logs_are_read_one_after_the_other() {
        let now = Instant::now();
        let mut reader = LogReader::new();
        for pod in ["a", "b", "c"] {
            reader.add(source(pod), pod);
        }
        assert!(reader.start(now).is_some());
        assert!(reader.start(now).is_none());
        assert_eq!(reader.all().copied().collect::<Vec<_>>(), ["a", "b", "c"]);
        assert!(reader.end(&source("a"), None, |_| true, now).is_none());
        assert_eq!(reader.take_ended(now, |_| false).len(), 0);
        assert_eq!(reader.take_ended(now + GRACE, |_| false).len(), 1);
        assert_eq!(reader.take_ended(now + GRACE, |_| true).len(), 0);
        assert!(reader.start(now).is_some_and(|log| log.about == "b"));
    }

    #[test]
    fn failing_log_is_requested_again_for_a_while() {
        let mut now = Instant::now();
        let error = || Some(ClusterError::Login(String::new()));
        let mut reader = LogReader::new();
        reader.add(source("a"), ());
        reader.start(now);
        for _ in 0..TRIES {
            let failure = reader.end(&source("a"), error(), |_| true, now);
            assert!(matches!(failure, Some(LogFailure::Passing)));
            assert_eq!(reader.retry(now).count(), 0);
            assert_eq!(reader.leave_silent(now + GRACE, |()| true), []);
            now += PAUSE;
            assert_eq!(reader.retry(now).count(), 1);
        }
        let failure = reader.end(&source("a"), error(), |_| true, now);
        assert!(matches!(failure, Some(LogFailure::Final(_))));
        assert_eq!(reader.all().count(), 0);
    }

    #[test]
    fn silent_log_of_a_finished_job_is_left() {
        let now = Instant::now();
        let mut reader = LogReader::new();
        reader.add(source("a"), ());
        reader.start(now);
        assert_eq!(reader.leave_silent(now + GRACE, |()| false), []);
        reader.receive(&source("a"), now + PAUSE);
        assert_eq!(reader.leave_silent(now + GRACE, |()| true), []);
        let later = now + PAUSE + GRACE;
        assert_eq!(reader.leave_silent(later, |()| true), [source("a")]);
        assert_eq!(reader.leave_silent(later, |()| true), []);
    }
}
