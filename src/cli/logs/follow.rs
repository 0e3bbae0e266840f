//! `logs --follow`: the logs of the pods of a Job until it has finished.

use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::errors::cannot_read_log;
use super::output::{LogOutput, LogSource};
use super::{WantedLogs, logs};
use crate::change::{JobEnd, JobProgress, JobUpdate};
use crate::cli::job_wait::update;
use crate::cli::stdio::stderr;
use crate::cli::watch::{Next, WatchLoop};
use crate::cli::{CommandOutcome, complain, warn};
use crate::cluster::{
    Beside, ClusterError, FollowedJob, Following, LogOptions, LogsSince, News, Writer,
};
use crate::controller::Controller;
use crate::diagnose::{Coverage, Facts, ending, started_containers};
use crate::evidence::{Live, SelectedCronJob};
use crate::model::{ContainerStatus, CronJobEvidence, Job, Pod};
use crate::output::actions::{write_job_end, write_job_update};

/// How often to check what is due while nothing comes.
const TICK: Duration = Duration::from_millis(500);
/// How long the status of a pod may come after the end of its log, and a pod after the end of its Job.
const GRACE: Duration = Duration::from_secs(5);
/// The pause before a log that cannot be read is requested again.
const PAUSE: Duration = Duration::from_secs(1);
const TRIES: u32 = 5;
/// As many logs are followed at the same time.
const MOST_AT_ONCE: usize = 20;
/// Of logs that are followed at the same time, longer lines are broken.
const LONGEST_LINE: usize = 64 << 10;

/// The Job whose logs are followed, and what times are shown in.
pub(super) struct FollowedLogs<'a> {
    pub(super) live: &'a Live,
    pub(super) cron_job: &'a SelectedCronJob,
    pub(super) coverage: Coverage,
    pub(super) controller: &'a Controller<'a>,
}

/// A log that is being read.
struct ActiveLog {
    writer: Writer,
    source: LogSource,
    /// The beginning of a line, while other logs are read, too.
    pending: Vec<u8>,
    heard_at: Instant,
    /// The same moment on the server's clock.
    heard_then: Option<Timestamp>,
    ended_at: Option<Instant>,
    again_at: Option<Instant>,
    tries: u32,
}

struct Follow<'a> {
    followed: FollowedLogs<'a>,
    wanted: &'a WantedLogs,
    output: &'a mut LogOutput,
    progress: JobProgress,
    queue: VecDeque<Writer>,
    active: Vec<ActiveLog>,
    logs: usize,
    /// The pods in the order in which their logs were read; it decides on their colors.
    pods: Vec<String>,
    over_at: Option<Instant>,
    has_error: bool,
}

/// Follows the logs of a Job until it has finished. The outcome is that of the Job.
pub(super) fn follow(
    followed: FollowedLogs<'_>,
    job: &Job,
    wanted: &WantedLogs,
    output: &mut LogOutput,
) -> anyhow::Result<CommandOutcome> {
    let mut following = followed.live.session.following();
    let about = FollowedJob {
        namespace: &job.namespace,
        name: &job.name,
        version: "",
    };
    let beside = Beside {
        pods: true,
        events: false,
    };
    following.watch(0, &about, beside);
    let mut follow = Follow {
        followed,
        wanted,
        output,
        progress: JobProgress::of(job.clone()),
        queue: VecDeque::new(),
        active: Vec::new(),
        logs: 0,
        pods: Vec::new(),
        over_at: None,
        has_error: false,
    };
    let warns = !follow.output.is_quiet;
    let outcome = WatchLoop::new(following, warns).run(|following, news| {
        let is_refused = news.iter().any(|news| matches!(news, News::Refused(_)));
        let outcome = follow.step(following, news)?;
        Ok(match outcome {
            Some(outcome) => Next::End(outcome),
            None if is_refused => Next::End(CommandOutcome::Incomplete),
            None => Next::Wait(TICK),
        })
    })?;
    Ok(outcome.unwrap_or(CommandOutcome::Incomplete))
}

/// The outcome of a Job whose logs were followed, after a line about its end.
pub(super) fn report_end(
    job: &JobProgress,
    has_error: bool,
    is_quiet: bool,
) -> Option<CommandOutcome> {
    let end = job.ending()?;
    let name = &job.job().name;
    if end == JobEnd::Deleted {
        complain(&format!("job.batch/{name}: deleted before it finished"));
    } else if !is_quiet {
        // Nobody reads a closed stderr.
        let _ = write_job_end(&mut stderr(), name, &end);
    }
    Some(match end {
        _ if has_error => CommandOutcome::Incomplete,
        JobEnd::Complete { .. } => CommandOutcome::Fine,
        JobEnd::Failed { .. } => CommandOutcome::Found,
        JobEnd::Deleted => CommandOutcome::Incomplete,
    })
}

impl Follow<'_> {
    /// Handles what has come, and what is due. The outcome once everything is over.
    fn step(
        &mut self,
        following: &mut Following<'_>,
        news: Vec<News>,
    ) -> io::Result<Option<CommandOutcome>> {
        for news in news {
            match news {
                News::Change(_, change) => {
                    let updates = update(&mut self.progress, change);
                    self.say(&updates)?;
                    self.find_logs();
                }
                News::Written(writer, piece) => self.write(&writer, &piece.text)?,
                News::Ended(writer, error) => self.log_ended(&writer, error)?,
                News::Refused(_) => {}
            }
        }
        self.read_again(following);
        self.leave_open_logs()?;
        self.finish_logs()?;
        self.start_logs(following)?;
        if self.progress.ending().is_none() {
            return Ok(None);
        }
        let over_at = *self.over_at.get_or_insert_with(Instant::now);
        let may_miss = self.progress.misses_pods() && over_at.elapsed() < GRACE;
        if may_miss || !self.active.is_empty() || !self.queue.is_empty() {
            return Ok(None);
        }
        self.output.pause()?;
        Ok(report_end(
            &self.progress,
            self.has_error,
            self.output.is_quiet,
        ))
    }

    /// Reports what keeps pods from starting. How containers end is reported below their logs.
    fn say(&mut self, updates: &[JobUpdate]) -> io::Result<()> {
        for update in updates {
            let is_shown = match update {
                JobUpdate::Pod { phase, reason, .. } => phase == "Pending" && !reason.is_empty(),
                JobUpdate::Suspended | JobUpdate::Warning { .. } => true,
            };
            if is_shown && !self.output.is_quiet {
                self.output.pause()?;
                // Nobody reads a closed stderr.
                let _ = write_job_update(&mut stderr(), &self.progress.job().name, update);
            }
        }
        Ok(())
    }

    fn has_prefix(&self) -> bool {
        self.wanted.has_prefix() || self.wanted.is_parallel
    }

    fn find_logs(&mut self) {
        let containers = &self.wanted.containers;
        let unread = self
            .progress
            .unread_containers(|pod| started_containers(containers, pod));
        let namespace = &self.progress.job().namespace;
        let writers = unread.into_iter().map(|(pod, container)| Writer {
            namespace: namespace.clone(),
            pod,
            container,
        });
        self.queue.extend(writers);
    }

    fn pod(&self, writer: &Writer) -> Option<&Pod> {
        let mut pods = self.progress.pods();
        pods.find(|pod| pod.name == writer.pod)
    }

    fn status(&self, writer: &Writer) -> Option<&ContainerStatus> {
        let mut containers = self.pod(writer)?.containers.iter();
        containers.find(|status| status.name == writer.container)
    }

    fn is_running(&self, writer: &Writer) -> bool {
        let status = self.status(writer);
        status.is_some_and(|status| status.running_since.is_some() || status.terminated.is_none())
    }

    /// Reads what is queued: one log after the other, those of running containers at the same time.
    fn start_logs(&mut self, following: &mut Following<'_>) -> io::Result<()> {
        while let Some(next) = self.queue.front() {
            let at_once = self.active.len() < MOST_AT_ONCE
                && self.is_running(next)
                && self.active.iter().all(|log| self.is_running(&log.writer));
            if !self.active.is_empty() && !at_once {
                return Ok(());
            }
            let Some(writer) = self.queue.pop_front() else {
                return Ok(());
            };
            let pod = self.pods.iter().position(|pod| *pod == writer.pod);
            let pod = pod.unwrap_or_else(|| {
                self.pods.push(writer.pod.clone());
                self.pods.len() - 1
            });
            let prefix = if self.has_prefix() {
                logs::prefix(&writer.pod, &writer.container, pod, self.output.is_colored)
            } else {
                String::new()
            };
            self.output
                .note(&logs::above(&writer.pod, &writer.container, (1, 1)))?;
            following.read_log(writer.clone(), self.wanted.options);
            self.logs += 1;
            self.active.push(ActiveLog {
                writer,
                source: LogSource {
                    number: self.logs,
                    prefix,
                },
                pending: Vec::new(),
                heard_at: Instant::now(),
                heard_then: None,
                ended_at: None,
                again_at: None,
                tries: 0,
            });
        }
        Ok(())
    }

    fn write(&mut self, writer: &Writer, text: &[u8]) -> io::Result<()> {
        let is_alone = self.active.len() == 1;
        let now = self.followed.live.clock.now();
        let mut logs = self.active.iter_mut();
        let Some(log) = logs.find(|log| log.writer == *writer) else {
            return Ok(());
        };
        log.heard_at = Instant::now();
        log.heard_then = Some(now);
        log.tries = 0;
        if is_alone && log.pending.is_empty() {
            return self.output.write(&log.source, text);
        }
        log.pending.extend_from_slice(text);
        let ends = log.pending.iter().rposition(|byte| *byte == b'\n');
        if let Some(end) = ends {
            let rest = log.pending.split_off(end + 1);
            let lines = std::mem::replace(&mut log.pending, rest);
            self.output.write(&log.source, &lines)?;
        }
        if log.pending.len() > LONGEST_LINE {
            log.pending.push(b'\n');
            let line = std::mem::take(&mut log.pending);
            self.output.write(&log.source, &line)?;
        }
        Ok(())
    }

    fn log_ended(&mut self, writer: &Writer, error: Option<ClusterError>) -> io::Result<()> {
        let is_running = self.is_running(writer);
        let mut logs = self.active.iter_mut();
        let Some(log) = logs.find(|log| log.writer == *writer) else {
            return Ok(());
        };
        let pending = std::mem::take(&mut log.pending);
        self.output.write(&log.source, &pending)?;
        let Some(error) = error else {
            log.ended_at = Some(Instant::now());
            return Ok(());
        };
        let code = error.status().map(|status| status.code);
        // The container starts just now, or the connection was lost.
        let is_passing = match code {
            Some(code) => code == 400 || code >= 500,
            None => is_running,
        };
        if is_passing && log.tries < TRIES {
            log.tries += 1;
            log.again_at = Instant::now().checked_add(PAUSE);
            if code != Some(400) && !self.output.is_quiet {
                self.output.pause()?;
                warn(&format!(
                    "the log of {} was interrupted, continuing: {error}",
                    writer.pod
                ));
            }
            return Ok(());
        }
        self.output.pause()?;
        self.has_error = true;
        self.with_facts(|facts| {
            complain(cannot_read_log(
                facts,
                &writer.pod,
                &writer.container,
                &error,
            ));
        });
        self.active.retain(|log| log.writer != *writer);
        Ok(())
    }

    /// Requests interrupted logs again, from the second on in which they were interrupted.
    fn read_again(&mut self, following: &mut Following<'_>) {
        let now = Instant::now();
        for log in &mut self.active {
            if log.again_at.is_none_or(|at| at > now) {
                continue;
            }
            log.again_at = None;
            log.heard_at = now;
            let mut options = self.wanted.options;
            if let Some(then) = log.heard_then {
                options = LogOptions {
                    tail: None,
                    since: Some(LogsSince::At(then)),
                    ..options
                };
            }
            following.read_log(log.writer.clone(), options);
        }
    }

    /// Writes how containers ended whose logs have ended, once their status shows it.
    fn finish_logs(&mut self) -> io::Result<()> {
        let mut index = 0;
        while let Some(log) = self.active.get(index) {
            let Some(ended_at) = log.ended_at else {
                index += 1;
                continue;
            };
            let is_known = !self.is_running(&log.writer);
            if !is_known && ended_at.elapsed() < GRACE {
                index += 1;
                continue;
            }
            let log = self.active.remove(index);
            let (pod, status) = (self.pod(&log.writer), self.status(&log.writer));
            let ended = pod
                .filter(|_| is_known)
                .map(|pod| self.with_facts(|facts| ending(facts, pod, status, false)));
            let (pod, container) = (&log.writer.pod, &log.writer.container);
            let is_alone = !self.has_prefix();
            let line = logs::below(pod, container, &ended.unwrap_or_default(), is_alone);
            self.output.note(&line)?;
        }
        Ok(())
    }

    /// Stops to read logs of a Job that has finished if nothing comes: some kubelets keep a log open.
    fn leave_open_logs(&mut self) -> io::Result<()> {
        if self.progress.ending().is_none() {
            return Ok(());
        }
        for log in &mut self.active {
            let is_silent = log.heard_at.elapsed() >= GRACE;
            if log.ended_at.is_none() && log.again_at.is_none() && is_silent {
                log.ended_at = Some(Instant::now());
                self.output.pause()?;
                warn(&format!(
                    "stopped reading the log of {}: the Job has finished, but the log is still open",
                    log.writer.pod
                ));
            }
        }
        Ok(())
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
            &evidence,
            followed.coverage,
            now,
        ))
    }
}
