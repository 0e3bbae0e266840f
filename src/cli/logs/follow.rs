//! `logs --follow`: the logs of the pods of a Job until it has finished.

use std::io;
use std::time::Instant;

use jiff::Timestamp;

use super::errors::cannot_read_log;
use super::output::{LogOutput, PrintedLog};
use super::{WantedLogs, logs};
use crate::change::{JobEnd, JobProgress, JobUpdate};
use crate::cli::job_lines::JobLines;
use crate::cli::job_tracker::{EndsWith, JobEvent, JobTracker};
use crate::cli::log_reader::{ActiveLog, LogFailure, LogReader, log_left_open};
use crate::cli::watch::{Next, WatchLoop, is_refused};
use crate::cli::{CommandOutcome, complain, warn};
use crate::cluster::{AlsoWatch, ClusterError, LogOptions, LogSource, LogsSince, Update, Updates};
use crate::controller::Controller;
use crate::diagnose::{Facts, PodPlace, ending, started_containers};
use crate::evidence::{Live, SelectedCronJob};
use crate::kubectl::Kubectl;
use crate::model::{ContainerStatus, Coverage, CronJobEvidence, Job, Pod};

/// As many logs are followed at the same time.
const MOST_AT_ONCE: usize = 20;
/// Of logs that are followed at the same time, longer lines are broken.
const LONGEST_LINE: usize = 64 << 10;

/// The Job whose logs are followed, and what times are shown in.
pub(super) struct FollowedLogs<'a> {
    pub(super) live: &'a Live,
    pub(super) cron_job: &'a SelectedCronJob,
    pub(super) coverage: Coverage,
    pub(super) controller: &'a Controller,
    pub(super) kubectl: &'a Kubectl,
}

/// What was printed of a log.
struct FollowedLog {
    printed: PrintedLog,
    /// The beginning of a line, while other logs are read, too.
    pending: Vec<u8>,
    /// When the last piece came, on the server's clock.
    last_at: Option<Timestamp>,
}

struct Follow<'a> {
    followed: FollowedLogs<'a>,
    wanted: &'a WantedLogs,
    output: &'a mut LogOutput,
    jobs: JobTracker<()>,
    logs: LogReader<FollowedLog>,
    /// The number of logs so far.
    count: usize,
    /// The pods in the order in which their logs are read; it decides on their colors.
    pods: Vec<String>,
    has_error: bool,
}

/// Follows the logs of a Job until it has finished. The outcome is that of the Job.
pub(super) fn follow(
    followed: FollowedLogs<'_>,
    job: &Job,
    wanted: &WantedLogs,
    output: &mut LogOutput,
) -> anyhow::Result<CommandOutcome> {
    let mut updates = followed.live.session.updates();
    let also = AlsoWatch {
        pods: true,
        events: false,
    };
    updates.watch_job(0, job, "", also);
    let mut jobs = JobTracker::new(EndsWith::Pods);
    jobs.add(0, JobProgress::of(job.clone()), ());
    let mut follow = Follow {
        followed,
        wanted,
        output,
        jobs,
        logs: LogReader::new(),
        count: 0,
        pods: Vec::new(),
        has_error: false,
    };
    let warns = !follow.output.is_quiet;
    let outcome = WatchLoop::new(updates, warns).run(|updates, came| {
        let is_refused = is_refused(&came);
        Ok(match follow.step(updates, came)? {
            Next::Wait(_) if is_refused => Next::End(CommandOutcome::Incomplete),
            next => next,
        })
    })?;
    Ok(outcome.unwrap_or(CommandOutcome::Incomplete))
}

/// The outcome of a Job whose logs were followed, after a line about its end.
pub(super) fn report_end(
    job: &JobProgress,
    has_error: bool,
    quiet: bool,
) -> Option<CommandOutcome> {
    let end = job.ending()?;
    // Lines on stderr do not fail.
    let _ = JobLines::on_stderr(quiet).end(&job.job().name, &end);
    Some(match end {
        _ if has_error => CommandOutcome::Incomplete,
        JobEnd::Complete { .. } => CommandOutcome::Fine,
        JobEnd::Failed { .. } => CommandOutcome::Found,
        JobEnd::Deleted => CommandOutcome::Incomplete,
    })
}

impl Follow<'_> {
    /// Handles what has come, and what is due. Ends with the outcome once everything is over.
    fn step(
        &mut self,
        updates: &mut Updates<'_>,
        came: Vec<Update>,
    ) -> io::Result<Next<CommandOutcome>> {
        for update in came {
            match update {
                Update::Change(watch, change) => {
                    for event in self.jobs.apply(watch, change) {
                        if let JobEvent::Running(number, update) = event {
                            self.say(number, &update)?;
                        }
                    }
                    self.find_logs();
                }
                Update::Log(source, piece) => self.write(&source, &piece.text)?,
                Update::LogEnded(source, error) => self.log_ended(&source, error)?,
                Update::Refused(_) => {}
            }
        }
        let now = Instant::now();
        self.read_logs(updates, now)?;
        let logs = &self.logs;
        let events = self
            .jobs
            .settle_if(now, |_, job| logs.is_empty() && !job.may_miss_pods(now));
        for event in events {
            if let JobEvent::Ended(number, _) = event
                && let Some(job) = self.jobs.get(number)
            {
                self.output.pause()?;
                let outcome = report_end(&job.progress, self.has_error, self.output.is_quiet);
                return Ok(Next::End(outcome.unwrap_or(CommandOutcome::Incomplete)));
            }
        }
        let logs = self.logs.due(|_| has_ended(&self.jobs));
        Ok(Next::wait_until(
            self.jobs.due(now).into_iter().chain(logs).min(),
        ))
    }

    /// Reports what keeps pods from starting. How containers end is reported below their logs.
    fn say(&mut self, number: usize, update: &JobUpdate) -> io::Result<()> {
        let is_news = match update {
            JobUpdate::Pod { phase, reason, .. } => phase == "Pending" && !reason.is_empty(),
            JobUpdate::Suspended | JobUpdate::Warning { .. } => true,
        };
        if let Some(job) = self.jobs.get(number).filter(|_| is_news) {
            self.output.pause()?;
            let lines = JobLines::on_stderr(self.output.is_quiet);
            lines.updates(&job.job().name, [update.clone()]);
        }
        Ok(())
    }

    fn has_prefix(&self) -> bool {
        self.wanted.has_prefix() || self.wanted.is_parallel
    }

    fn find_logs(&mut self) {
        let containers = &self.wanted.containers;
        let mut unread = Vec::new();
        for job in self.jobs.all_mut() {
            let namespace = job.job().namespace.clone();
            let progress = &mut job.progress;
            let logs = progress.unread_containers(|pod| started_containers(containers, pod));
            let logs = logs.into_iter();
            unread.extend(logs.map(|(pod, container)| LogSource {
                namespace: namespace.clone(),
                pod,
                container,
            }));
        }
        for source in unread {
            let LogSource { pod, container, .. } = &source;
            let number = self.pods.iter().position(|known| known == pod);
            let number = number.unwrap_or_else(|| {
                self.pods.push(pod.clone());
                self.pods.len() - 1
            });
            let prefix = if self.has_prefix() {
                logs::prefix(pod, container, number, self.output.is_colored)
            } else {
                String::new()
            };
            self.count += 1;
            let log = FollowedLog {
                printed: PrintedLog {
                    number: self.count,
                    prefix,
                },
                pending: Vec::new(),
                last_at: None,
            };
            self.logs.add(source, log);
        }
    }

    /// Does what is due: reads interrupted logs again, leaves open ones, ends those that have ended, and
    /// begins with the next ones.
    fn read_logs(&mut self, updates: &mut Updates<'_>, now: Instant) -> io::Result<()> {
        for log in self.logs.retry(now) {
            let mut options = self.wanted.options;
            // From the second on in which it was interrupted.
            if let Some(at) = log.about.last_at {
                options = LogOptions {
                    tail: None,
                    since: Some(LogsSince::At(at)),
                    ..options
                };
            }
            updates.read_log(log.source.clone(), options);
        }
        let is_over = has_ended(&self.jobs);
        for source in self.logs.leave_silent(now, |_| is_over) {
            self.output.pause()?;
            warn(&log_left_open(&source));
        }
        let jobs = &self.jobs;
        let ended = self
            .logs
            .take_ended(now, |source| !is_running(jobs, source));
        for log in ended {
            self.note_end(&log.source)?;
        }
        let jobs = &self.jobs;
        // One log after the other, those of running containers at the same time.
        let at_once = |next: &LogSource, active: &[ActiveLog<FollowedLog>]| {
            active.len() < MOST_AT_ONCE
                && is_running(jobs, next)
                && active.iter().all(|log| is_running(jobs, &log.source))
        };
        while let Some(log) = self.logs.start(now, at_once) {
            let LogSource { pod, container, .. } = &log.source;
            self.output
                .note(&logs::above(pod, container, PodPlace::ONLY))?;
            updates.read_log(log.source.clone(), self.wanted.options);
        }
        Ok(())
    }

    fn write(&mut self, source: &LogSource, text: &[u8]) -> io::Result<()> {
        let is_alone = self.logs.active().len() == 1;
        let Some(log) = self.logs.receive(source, Instant::now()) else {
            return Ok(());
        };
        log.last_at = Some(self.followed.live.clock.now());
        if is_alone && log.pending.is_empty() {
            return self.output.write(&log.printed, text);
        }
        log.pending.extend_from_slice(text);
        let ends = log.pending.iter().rposition(|byte| *byte == b'\n');
        if let Some(end) = ends {
            let rest = log.pending.split_off(end + 1);
            let lines = std::mem::replace(&mut log.pending, rest);
            self.output.write(&log.printed, &lines)?;
        }
        if log.pending.len() > LONGEST_LINE {
            log.pending.push(b'\n');
            let line = std::mem::take(&mut log.pending);
            self.output.write(&log.printed, &line)?;
        }
        Ok(())
    }

    fn log_ended(&mut self, source: &LogSource, error: Option<ClusterError>) -> io::Result<()> {
        if let Some(log) = self.logs.get(source) {
            let pending = std::mem::take(&mut log.pending);
            self.output.write(&log.printed, &pending)?;
        }
        let code = |error: &ClusterError| error.status().map(|status| status.code);
        // The container starts just now, or the connection was lost.
        let is_passing = |error: &ClusterError| match code(error) {
            Some(code) => code == 400 || code >= 500,
            None => is_running(&self.jobs, source),
        };
        match self.logs.end(source, error, is_passing, Instant::now()) {
            Some(LogFailure::Passing(error))
                if code(&error) != Some(400) && !self.output.is_quiet =>
            {
                self.output.pause()?;
                warn(&format!(
                    "the log of {} was interrupted, continuing: {error}",
                    source.pod
                ));
            }
            Some(LogFailure::Final(error)) => {
                self.output.pause()?;
                self.has_error = true;
                self.with_facts(|facts| {
                    let (pod, container) = (&source.pod, &source.container);
                    complain(cannot_read_log(&facts.input, pod, container, &error));
                });
            }
            Some(LogFailure::Passing(_)) | None => {}
        }
        Ok(())
    }

    /// Writes how a container ended, if its status shows it.
    fn note_end(&mut self, source: &LogSource) -> io::Result<()> {
        let jobs = &self.jobs;
        let is_known = !is_running(jobs, source);
        let ended = pod(jobs, source).filter(|_| is_known).map(|pod| {
            let status = status(jobs, source);
            self.with_facts(|facts| ending(facts, pod, status, false))
        });
        let (pod, container) = (&source.pod, &source.container);
        let is_alone = !self.has_prefix();
        let line = logs::below(pod, container, &ended.unwrap_or_default(), is_alone);
        self.output.note(&line)
    }

    fn with_facts<T>(&self, act: impl FnOnce(&Facts<'_>) -> T) -> T {
        let followed = &self.followed;
        let evidence = CronJobEvidence {
            cron_job: followed.cron_job.evidence.cron_job.clone(),
            ..CronJobEvidence::default()
        };
        let now = followed.live.clock.now();
        act(&Facts::of(
            followed.controller,
            followed.kubectl,
            &evidence,
            followed.coverage,
            now,
        ))
    }
}

fn has_ended(jobs: &JobTracker<()>) -> bool {
    let mut jobs = jobs.all().iter();
    jobs.all(|job| job.progress.ending().is_some())
}

fn pod<'a>(jobs: &'a JobTracker<()>, source: &LogSource) -> Option<&'a Pod> {
    let jobs = jobs.all().iter();
    let mut pods = jobs.flat_map(|job| job.progress.pods());
    pods.find(|pod| pod.name == source.pod)
}

fn status<'a>(jobs: &'a JobTracker<()>, source: &LogSource) -> Option<&'a ContainerStatus> {
    let mut containers = pod(jobs, source)?.containers.iter();
    containers.find(|status| status.name == source.container)
}

fn is_running(jobs: &JobTracker<()>, source: &LogSource) -> bool {
    let status = status(jobs, source);
    status.is_some_and(|status| status.running_since.is_some() || status.terminated.is_none())
}
