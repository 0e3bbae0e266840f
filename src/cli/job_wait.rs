//! `trigger --wait` and `--logs`: waits for Jobs, prints what happens to them, and shows their logs.

use std::collections::{HashMap, VecDeque};
use std::io::{self, Write};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::changing::{ChangeRun, job_from_object, text_at};
use super::interrupt::Busy;
use super::job_findings::{say_sidecar, say_why};
use super::watch::{Next, WatchLoop};
use super::{CommandOutcome, complain, say_plainly, stdio, warn};
use crate::change::{JobEnd, JobProgress, JobUpdate, choose};
use crate::cluster::{
    Beside, ClusterError, FollowedJob, Following, LogOptions, News, OfJobs, Pods, WatchEvent,
    WatchedObject, WatchedObjects, Writer,
};
use crate::duration::human;
use crate::model::{CronJob, Job};
use crate::output::actions::{
    Observation, observed, write_job_deleted, write_job_end, write_job_update,
};

pub(super) struct CreatedJob {
    pub(super) cron_job: CronJob,
    pub(super) object: Value,
}

/// How often to check what else is due.
const TICK: Duration = Duration::from_millis(200);
/// How far the kubelet may be behind the API server.
const PAUSE: Duration = Duration::from_secs(1);
/// How often in a row a log is requested whose container has only just started.
const TRIES: u32 = 5;
/// How often to check whether a sidecar keeps a Job running.
const CHECK_HELD: Duration = Duration::from_secs(5);
/// How many of the last lines of a log show why a Job failed.
const LAST_LINES: u64 = 10;
/// How much later than the end of a Job its logs may come.
const GRACE: Duration = Duration::from_secs(3);

/// What to wait for, and what to show.
#[derive(Clone, Copy)]
pub(super) struct WaitOptions<'a> {
    pub(super) timeout: Option<Duration>,
    pub(super) logs: bool,
    /// The container whose logs are shown.
    pub(super) container: Option<&'a str>,
    /// Whether results are lines on stdout. Otherwise there is a document.
    pub(super) to_stdout: bool,
    pub(super) quiet: bool,
    pub(super) beside: Beside,
}

impl WaitOptions<'_> {
    /// Writes that a Job was deleted, where its end was written.
    pub(super) fn write_deleted(&self, job: &str) -> io::Result<()> {
        if self.to_stdout {
            return write_job_deleted(&mut stdio::stdout(), job);
        }
        if !self.quiet {
            // Nobody reads a closed stderr.
            let _ = write_job_deleted(&mut stdio::stderr(), job);
        }
        Ok(())
    }
}

pub(super) struct JobWait<'a> {
    options: WaitOptions<'a>,
    jobs: Vec<WaitedJob>,
    /// The logs to read, each with the number of its Job. The first one is being read.
    logs: VecDeque<(usize, Writer)>,
    /// When the log was last asked for, or something came of it.
    heard_at: Instant,
    deadline: Option<Instant>,
}

struct WaitedJob {
    cron_job: CronJob,
    container: Option<String>,
    progress: JobProgress,
    /// When to ask again for a log that was not available yet.
    again_at: Option<Instant>,
    /// How often the log of a pod was not available yet.
    tries: HashMap<String, u32>,
    /// When to check again whether a sidecar keeps the Job running; `None` after that was shown.
    check_held_at: Option<Instant>,
    ended_at: Option<Instant>,
    is_reported: bool,
}

pub(super) struct WaitResult {
    pub(super) outcome: CommandOutcome,
    pub(super) observed: Vec<(CronJob, Observation)>,
    /// How each Job ended, in the order of the Jobs; `None` if it had not.
    pub(super) endings: Vec<Option<JobEnd>>,
    pub(super) written: io::Result<()>,
}

impl<'a> JobWait<'a> {
    /// Waits for Jobs until all have finished, a signal, the timeout, or the output is closed.
    pub(super) fn run(
        run: &ChangeRun<'_>,
        created: &[CreatedJob],
        options: WaitOptions<'a>,
        busy: &Busy,
    ) -> anyhow::Result<WaitResult> {
        let timeout = options.timeout;
        let mut wait = JobWait {
            options,
            jobs: Vec::new(),
            logs: VecDeque::new(),
            heard_at: Instant::now(),
            deadline: timeout.and_then(|timeout| Instant::now().checked_add(timeout)),
        };
        let mut following = run.live.session.following();
        for (number, created) in created.iter().enumerate() {
            let object = &created.object;
            let job = FollowedJob {
                namespace: &text_at(object, "/metadata/namespace"),
                name: &text_at(object, "/metadata/name"),
                version: &text_at(object, "/metadata/resourceVersion"),
            };
            following.watch(number, &job, options.beside);
            wait.jobs.push(WaitedJob {
                container: log_container(object, options.container),
                progress: JobProgress::of(job_from_object(object)),
                cron_job: created.cron_job.clone(),
                again_at: None,
                tries: HashMap::new(),
                check_held_at: Some(Instant::now()),
                ended_at: None,
                is_reported: false,
            });
        }
        wait.say_suspended();
        let mut written = Ok(());
        if !(options.to_stdout && run.report.is_unwritten()) {
            let mut is_first = true;
            let ended = WatchLoop::new(following, !options.quiet)
                .until(busy, wait.deadline)
                .run(|following, news| {
                    let is_refused = news.iter().any(|news| matches!(news, News::Refused(_)));
                    if !std::mem::take(&mut is_first)
                        && let Err(error) = wait.handle(run, following, news)
                    {
                        return Ok(Next::End(Err(error)));
                    }
                    Ok(
                        if is_refused || wait.jobs.iter().all(|job| job.is_reported) {
                            Next::End(Ok(()))
                        } else {
                            Next::Wait(TICK)
                        },
                    )
                })?;
            written = ended.unwrap_or(Ok(()));
        }
        Ok(wait.result(run, written))
    }

    fn result(&self, run: &ChangeRun<'_>, written: io::Result<()>) -> WaitResult {
        let (mut has_failed, mut is_unknown) = (false, false);
        let (mut seen, mut endings) = (Vec::new(), Vec::new());
        for job in &self.jobs {
            let ending = job.progress.ending().filter(|_| job.is_reported);
            match &ending {
                Some(JobEnd::Complete { .. }) => {}
                Some(JobEnd::Failed { .. }) => has_failed = true,
                Some(JobEnd::Deleted) => is_unknown = true,
                None => {
                    is_unknown = true;
                    self.give_up(run, job);
                }
            }
            let name = &job.progress.job().name;
            seen.push((job.cron_job.clone(), observed(name, ending.as_ref())));
            endings.push(ending);
        }
        WaitResult {
            outcome: CommandOutcome::of(!is_unknown, has_failed),
            observed: seen,
            endings,
            written,
        }
    }

    /// Handles what has come, and what is due.
    fn handle(
        &mut self,
        run: &ChangeRun<'_>,
        following: &mut Following<'_>,
        news: Vec<News>,
    ) -> io::Result<()> {
        for news in news {
            match news {
                News::Change(number, change) => {
                    if let Some(job) = self.jobs.get_mut(number) {
                        let updates = update(&mut job.progress, change);
                        self.say(number, updates);
                        self.find_logs(following, number);
                    }
                }
                News::Written(writer, piece) if self.is_read(&writer) => {
                    self.heard_at = Instant::now();
                    self.forget_tries(&writer);
                    self.write(&piece.text)?;
                }
                News::Ended(writer, error) if self.is_read(&writer) => {
                    self.log_ended(following, &writer, error);
                }
                // Of a log that is no longer read; or reported already.
                News::Written(..) | News::Ended(..) | News::Refused(_) => {}
            }
        }
        self.ask_again(following);
        self.leave_open_logs(following);
        self.say_held(run);
        self.report_endings(run)
    }

    /// The log of a pod is available now.
    fn forget_tries(&mut self, writer: &Writer) {
        let number = self.logs.front().map(|(number, _)| *number);
        if let Some(job) = number.and_then(|number| self.jobs.get_mut(number)) {
            job.tries.remove(&writer.pod);
        }
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|until| Instant::now() >= until)
    }

    /// Prints which Jobs are suspended from the start.
    fn say_suspended(&mut self) {
        for number in 0..self.jobs.len() {
            let Some(waited) = self.jobs.get_mut(number) else {
                continue;
            };
            let job = waited.progress.job().clone();
            let before = Job {
                suspend: None,
                ..job.clone()
            };
            waited.progress = JobProgress::of(before);
            let news = waited.progress.set_job(&job);
            self.say(number, news);
        }
    }

    /// Whether this is what is being read.
    fn is_read(&self, writer: &Writer) -> bool {
        self.logs.front().is_some_and(|(_, front)| front == writer)
    }

    fn say(&self, number: usize, updates: impl IntoIterator<Item = JobUpdate>) {
        let Some(job) = self.jobs.get(number).filter(|_| !self.options.quiet) else {
            return;
        };
        say_progress(&job.progress.job().name, updates);
    }

    /// Queues the logs that a Job has now, and begins to read unless another log is being read.
    fn find_logs(&mut self, following: &mut Following<'_>, number: usize) {
        let Some(job) = self.jobs.get_mut(number).filter(|_| self.options.logs) else {
            return;
        };
        let Some(container) = job.container.clone() else {
            return;
        };
        let is_idle = self.logs.is_empty();
        for pod in job.progress.unread(&container) {
            let writer = Writer {
                namespace: job.progress.job().namespace.clone(),
                pod,
                container: container.clone(),
            };
            self.logs.push_back((number, writer));
        }
        if is_idle {
            self.read_next(following);
        }
    }

    fn read_next(&mut self, following: &mut Following<'_>) {
        self.heard_at = Instant::now();
        let Some((_, writer)) = self.logs.front() else {
            return;
        };
        if !self.options.quiet {
            let Writer { pod, container, .. } = writer;
            say_plainly(&format!("{pod}: log of container {container}"));
        }
        let options = LogOptions {
            follow: true,
            ..LogOptions::default()
        };
        following.read_log(writer.clone(), options);
    }

    /// Reads the next log after one has ended.
    fn log_ended(
        &mut self,
        following: &mut Following<'_>,
        writer: &Writer,
        error: Option<ClusterError>,
    ) {
        let number = self.logs.pop_front().map(|(number, _)| number);
        if let Some(error) = error {
            let too_soon = error.status().is_some_and(|status| status.code == 400);
            let job = number.and_then(|number| self.jobs.get_mut(number));
            // The kubelet may be behind the API server, but not for long.
            let again = job.filter(|_| too_soon).and_then(|job| {
                let tries = job.tries.entry(writer.pod.clone()).or_default();
                *tries += 1;
                (*tries <= TRIES).then_some(job)
            });
            match again {
                Some(job) => {
                    job.progress.forget_read(&writer.pod);
                    job.again_at = Instant::now().checked_add(PAUSE);
                }
                None => warn(&format!("cannot read the log of {}: {error}", writer.pod)),
            }
        }
        self.read_next(following);
    }

    /// Reads the next log if the Job has finished and nothing has come for a while: some kubelets keep a log
    /// open.
    fn leave_open_logs(&mut self, following: &mut Following<'_>) {
        let Some((number, writer)) = self.logs.front() else {
            return;
        };
        let job = self.jobs.get(*number);
        let is_over = job.is_some_and(|job| job.progress.ending().is_some());
        if !is_over || self.heard_at.elapsed() < GRACE {
            return;
        }
        warn(&format!(
            "stopped reading the log of {}: the Job has finished, but the log is still open",
            writer.pod
        ));
        self.logs.pop_front();
        self.read_next(following);
    }

    /// Asks again for logs that came too soon.
    fn ask_again(&mut self, following: &mut Following<'_>) {
        let now = Instant::now();
        for number in 0..self.jobs.len() {
            let job = self.jobs.get_mut(number);
            let Some(job) = job.filter(|job| job.again_at.is_some_and(|at| at <= now)) else {
                continue;
            };
            job.again_at = None;
            self.find_logs(following, number);
        }
    }

    /// Writes logs to stdout, unless a document is written there.
    fn write(&self, text: &[u8]) -> io::Result<()> {
        let (mut stdout, mut stderr);
        let out: &mut dyn Write = if self.options.to_stdout {
            stdout = io::stdout().lock();
            &mut stdout
        } else {
            stderr = io::stderr().lock();
            &mut stderr
        };
        out.write_all(text)?;
        out.flush()
    }

    /// Reports Jobs that have finished, once their logs were read.
    fn report_endings(&mut self, run: &ChangeRun<'_>) -> io::Result<()> {
        for number in 0..self.jobs.len() {
            let logs = self.options.logs;
            let is_read = self.logs.iter().all(|(other, _)| *other != number);
            let Some(job) = self.jobs.get_mut(number).filter(|job| !job.is_reported) else {
                continue;
            };
            let Some(how) = job.progress.ending() else {
                continue;
            };
            let ended_at = *job.ended_at.get_or_insert_with(Instant::now);
            let may_miss = job.progress.misses_pods() && ended_at.elapsed() < GRACE;
            if logs && (!is_read || may_miss || job.again_at.is_some()) {
                continue;
            }
            job.is_reported = true;
            if let Some(job) = self.jobs.get(number) {
                self.report_ending(run, job, &how)?;
            }
        }
        Ok(())
    }

    fn report_ending(
        &self,
        run: &ChangeRun<'_>,
        waited: &WaitedJob,
        how: &JobEnd,
    ) -> io::Result<()> {
        let job = &waited.progress.job().name;
        if *how == JobEnd::Deleted {
            complain(&format!("job.batch/{job}: deleted before it finished"));
        } else if self.options.to_stdout {
            write_job_end(&mut stdio::stdout(), job, how)?;
        } else if !self.options.quiet {
            // Nobody reads a closed stderr.
            let _ = write_job_end(&mut stdio::stderr(), job, how);
        }
        if matches!(how, JobEnd::Failed { .. }) {
            self.say_why(run, waited);
        }
        Ok(())
    }

    /// Prints once which sidecar keeps a Job running.
    fn say_held(&mut self, run: &ChangeRun<'_>) {
        if !self.options.beside.pods || self.options.quiet {
            return;
        }
        let now = Instant::now();
        for job in &mut self.jobs {
            let is_due = job.check_held_at.is_some_and(|at| at <= now);
            if !is_due || job.is_reported || !job.progress.has_ended_partly() {
                continue;
            }
            job.check_held_at = now.checked_add(CHECK_HELD);
            if say_sidecar(run, &job.cron_job, &job.progress) {
                job.check_held_at = None;
            }
        }
    }

    /// Prints that a Job keeps running, and why.
    fn give_up(&self, run: &ChangeRun<'_>, waited: &WaitedJob) {
        let job = &waited.progress.job().name;
        if !self.is_late() {
            say_plainly(&format!("job.batch/{job} is still running"));
            return;
        }
        let timeout = self.options.timeout.unwrap_or_default().as_secs();
        let timeout = human(i64::try_from(timeout).unwrap_or(i64::MAX));
        complain(&format!(
            "job.batch/{job}: timed out after {timeout}; the Job is still running"
        ));
        self.say_why(run, waited);
    }

    /// Prints the findings about the pods of a Job.
    fn say_why(&self, run: &ChangeRun<'_>, waited: &WaitedJob) {
        if !self.options.beside.pods || self.options.quiet {
            return;
        }
        let job = waited.progress.job();
        // The pods may be deleted by now, but not their events.
        let of = OfJobs {
            namespace: Some(job.namespace.clone()),
            jobs: vec![job.name.clone()],
            lack_pods: false,
            failed: job
                .failure()
                .map(|_| job.name.clone())
                .into_iter()
                .collect(),
        };
        let seen = run.live.session.pods(&[of], Pods::OfUnsettled);
        let events = seen.map(|(seen, _)| seen.events).unwrap_or_default();
        let is_failed = job.failure().is_some();
        let lines = (is_failed && !self.options.logs).then_some(LAST_LINES);
        say_why(run, &waited.cron_job, &waited.progress, events, lines);
    }
}

/// Prints what happened to a Job.
pub(super) fn say_progress(job: &str, updates: impl IntoIterator<Item = JobUpdate>) {
    for one in updates {
        // Nobody reads a closed stderr.
        let _ = write_job_update(&mut stdio::stderr(), job, &one);
    }
}

/// The container whose logs are shown.
fn log_container(job: &Value, named: Option<&str>) -> Option<String> {
    let choice = choose(job.pointer("/spec/template")?, named).ok()?;
    Some(choice.name)
}

/// Applies a change to a Job, and returns what is worth a line.
pub(super) fn update(progress: &mut JobProgress, change: WatchEvent) -> Vec<JobUpdate> {
    match change {
        WatchEvent::Now(WatchedObject::Job(job)) => progress.set_job(&job).into_iter().collect(),
        WatchEvent::Gone(WatchedObject::Job(job)) => {
            progress.remove_job(&job);
            Vec::new()
        }
        WatchEvent::All(WatchedObjects::Jobs(jobs)) => {
            let own = jobs.iter().find(|job| job.uid == progress.job().uid);
            if let Some(own) = own {
                return progress.set_job(own).into_iter().collect();
            }
            let last = progress.job().clone();
            progress.remove_job(&last);
            Vec::new()
        }
        WatchEvent::Now(WatchedObject::Pod(pod)) | WatchEvent::Gone(WatchedObject::Pod(pod)) => {
            progress.set_pod(&pod).into_iter().collect()
        }
        WatchEvent::All(WatchedObjects::Pods(pods)) => pods
            .iter()
            .filter_map(|pod| progress.set_pod(pod))
            .collect(),
        WatchEvent::Now(WatchedObject::Event(event)) => {
            progress.set_event(&event).into_iter().collect()
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
