//! The logs of containers that are followed, one after the other: which wait, when one is requested again, and when
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

/// The logs, each with the number of its Job. It requests nothing itself.
#[derive(Default)]
pub(super) struct LogReader {
    waiting: VecDeque<(LogSource, usize)>,
    current: Option<CurrentLog>,
}

/// The log that is being read.
struct CurrentLog {
    source: LogSource,
    job: usize,
    /// When it was requested, or its last piece came.
    last_at: Instant,
    retry_at: Option<Instant>,
    tries: u32,
}

impl LogReader {
    /// Adds a log of a Job, to be read after those before it.
    pub(super) fn add(&mut self, source: LogSource, job: usize) {
        self.waiting.push_back((source, job));
    }

    /// Whether all logs of a Job have been read.
    pub(super) fn has_read(&self, job: usize) -> bool {
        let current = self.current.iter().map(|log| log.job);
        let mut unread = current.chain(self.waiting.iter().map(|(_, job)| *job));
        unread.all(|other| other != job)
    }

    /// Begins with the next log, if none is being read.
    pub(super) fn start(&mut self, now: Instant) -> Option<&LogSource> {
        if self.current.is_some() {
            return None;
        }
        let (source, job) = self.waiting.pop_front()?;
        let current = self.current.insert(CurrentLog {
            source,
            job,
            last_at: now,
            retry_at: None,
            tries: 0,
        });
        Some(&current.source)
    }

    /// Notes that a piece of a log has come. Returns whether the log is still read.
    pub(super) fn receive(&mut self, source: &LogSource, now: Instant) -> bool {
        let Some(log) = self.current(source) else {
            return false;
        };
        (log.last_at, log.tries) = (now, 0);
        true
    }

    /// Notes that a log has ended. With a passing error it is requested again for a while; another one is returned.
    pub(super) fn end(
        &mut self,
        source: &LogSource,
        error: Option<ClusterError>,
        is_passing: impl FnOnce(&ClusterError) -> bool,
        now: Instant,
    ) -> Option<ClusterError> {
        let log = self.current(source)?;
        if log.tries < TRIES && error.as_ref().is_some_and(is_passing) {
            log.tries += 1;
            log.retry_at = now.checked_add(PAUSE);
            return None;
        }
        self.current = None;
        error
    }

    /// The log that is requested again now.
    pub(super) fn retry(&mut self, now: Instant) -> Option<&LogSource> {
        let log = self.current.as_mut()?;
        log.retry_at.take_if(|at| *at <= now)?;
        log.last_at = now;
        Some(&log.source)
    }

    /// Leaves a log of a Job that is over if nothing comes: some kubelets keep a log open.
    pub(super) fn leave_silent(
        &mut self,
        now: Instant,
        is_over: impl Fn(usize) -> bool,
    ) -> Option<LogSource> {
        let left = self.current.take_if(|log| {
            let is_silent = now.duration_since(log.last_at) >= GRACE;
            log.retry_at.is_none() && is_silent && is_over(log.job)
        })?;
        Some(left.source)
    }

    /// When to check the log again although nothing has come.
    pub(super) fn due(&self, is_over: impl Fn(usize) -> bool) -> Option<Instant> {
        let log = self.current.as_ref()?;
        let left_at = || log.last_at.checked_add(GRACE).filter(|_| is_over(log.job));
        log.retry_at.or_else(left_at)
    }

    fn current(&mut self, source: &LogSource) -> Option<&mut CurrentLog> {
        self.current.as_mut().filter(|log| log.source == *source)
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
        let mut reader = LogReader::default();
        for (job, pod) in ["a", "b", "c"].into_iter().enumerate() {
            reader.add(source(pod), job);
        }
        assert_eq!(reader.start(now), Some(&source("a")));
        assert_eq!(reader.start(now), None);
        assert!((0..3).all(|job| !reader.has_read(job)));
        assert!(reader.end(&source("a"), None, |_| true, now).is_none());
        assert!(reader.has_read(0));
        assert_eq!(reader.start(now), Some(&source("b")));
        assert!(!reader.receive(&source("a"), now));
    }

    #[test]
    fn failing_log_is_requested_again_for_a_while() {
        let mut now = Instant::now();
        let error = || Some(ClusterError::Login(String::new()));
        let mut reader = LogReader::default();
        reader.add(source("a"), 0);
        reader.start(now);
        for _ in 0..TRIES {
            assert!(reader.end(&source("a"), error(), |_| true, now).is_none());
            assert_eq!(reader.retry(now), None);
            assert_eq!(reader.leave_silent(now + GRACE, |_| true), None);
            now += PAUSE;
            assert_eq!(reader.due(|_| false), Some(now));
            assert_eq!(reader.retry(now), Some(&source("a")));
        }
        assert!(reader.end(&source("a"), error(), |_| true, now).is_some());
        assert!(reader.has_read(0));
    }

    #[test]
    fn silent_log_of_a_finished_job_is_left() {
        let now = Instant::now();
        let mut reader = LogReader::default();
        reader.add(source("a"), 0);
        reader.start(now);
        assert_eq!(reader.leave_silent(now + GRACE, |_| false), None);
        assert!(reader.receive(&source("a"), now + PAUSE));
        assert_eq!(reader.leave_silent(now + GRACE, |_| true), None);
        let later = now + PAUSE + GRACE;
        assert_eq!(reader.due(|_| true), Some(later));
        assert_eq!(reader.leave_silent(later, |_| true), Some(source("a")));
        assert_eq!(reader.leave_silent(later, |_| true), None);
    }
}
