//! `trigger --wait` and `--logs`: waits for Jobs, prints what happens to them, and shows their logs.

use std::io;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::changing::{ChangeRun, job_from_object, text_at};
use super::job_findings::{say_sidecar, say_why};
use super::job_lines::JobLines;
use super::job_tracker::{EndsWith, JobEvent, JobTracker, TrackedJob};
use super::log_output::LogOutput;
use super::log_reader::{LogReader, log_left_open};
use super::watch::{Next, WatchLoop, is_refused};
use crate::cli::live::busy::Busy;
use crate::cli::{CommandOutcome, complain, hint, is_quiet, say_plainly, warn};
use crate::output::actions::{observed, waits_for_pod};
use cronjob_diagnosis::change::{JobEnd, JobProgress, choose};
use cronjob_diagnosis::diagnose::DOWN;
use cronjob_text::duration::human_duration;
use kube_access::{AlsoWatch, ClusterError, LogOptions, LogSource, OfJobs, Update, Updates};
use kube_model::{CronJob, Job};
use kube_objects::query::PodSelection;

pub(super) struct CreatedJob {
    pub(super) cron_job: CronJob,
    pub(super) object: Value,
    /// Whether the controller manager seemed to be down.
    pub(super) is_down: bool,
}

/// How often to check whether a sidecar keeps a Job running.
const CHECK_HELD: Duration = Duration::from_secs(5);
/// How many of the last lines of a log show why a Job failed.
const LAST_LINES: u64 = 10;

/// What to wait for, and what to show.
#[derive(Clone, Copy)]
pub(super) struct WaitOptions<'a> {
    pub(super) timeout: Option<Duration>,
    pub(super) logs: bool,
    /// The container whose logs are shown.
    pub(super) container: Option<&'a str>,
    pub(super) lines: JobLines,
    pub(super) also: AlsoWatch,
}

pub(super) struct JobWait<'a> {
    options: WaitOptions<'a>,
    jobs: JobTracker<Waited>,
    logs: LogReader,
    /// Stdout, unless a document is written there.
    output: LogOutput,
    deadline: Option<Instant>,
}

struct Waited {
    cron_job: CronJob,
    is_down: bool,
    container: Option<String>,
    /// When to check again whether a sidecar keeps the Job running; `None` after that was shown.
    check_held_at: Option<Instant>,
}

impl<'a> JobWait<'a> {
    /// Waits for Jobs until all have finished, a signal, the timeout, or the output is closed. Returns the outcome, and
    /// how each Job ended, in their order; `None` if it had not.
    pub(super) fn run(
        run: &mut ChangeRun<'_>,
        created: &[CreatedJob],
        options: WaitOptions<'a>,
        busy: &Busy,
    ) -> anyhow::Result<(CommandOutcome, Vec<Option<JobEnd>>)> {
        let timeout = options.timeout;
        let mut wait = JobWait {
            options,
            jobs: JobTracker::new(EndsWith::Result),
            logs: LogReader::default(),
            output: if options.lines.to_stdout {
                LogOutput::to_stdout()
            } else {
                LogOutput::to_stderr()
            },
            deadline: timeout.and_then(|timeout| Instant::now().checked_add(timeout)),
        };
        let mut updates = run.live.session.updates();
        for (number, created) in created.iter().enumerate() {
            let CreatedJob {
                cron_job, object, ..
            } = created;
            let job = job_from_object(object);
            let version = text_at(object, "/metadata/resourceVersion");
            updates.watch_job(number, &job, &version, options.also);
            // It may be suspended from the start.
            let mut progress = JobProgress::of(Job {
                suspend: None,
                ..job.clone()
            });
            JobLines::updates(&job.name, progress.set_job(&job));
            let waited = Waited {
                container: log_container(object, options.container),
                cron_job: cron_job.clone(),
                is_down: created.is_down,
                check_held_at: Some(Instant::now()),
            };
            wait.jobs.add(number, progress, waited);
        }
        let mut written = Ok(());
        if !(options.lines.to_stdout && run.report.unwritten.is_some()) {
            let ended = WatchLoop::new(updates, !is_quiet())
                .until(busy, wait.deadline)
                .run(|updates, came| {
                    let is_refused = is_refused(&came);
                    let handled = wait.handle(run, updates, came);
                    Ok(match handled {
                        Ok(due) if !is_refused && wait.jobs.unfinished().next().is_some() => {
                            Next::wait_until(due)
                        }
                        handled => Next::End(handled.map(drop)),
                    })
                })?;
            written = ended.unwrap_or(Ok(()));
        }
        run.report.note_written(written);
        Ok(wait.result(run))
    }

    fn result(&self, run: &mut ChangeRun<'_>) -> (CommandOutcome, Vec<Option<JobEnd>>) {
        let (mut has_failed, mut is_unknown) = (false, false);
        for job in self.jobs.all() {
            match job.end() {
                Some(JobEnd::Complete { .. }) => {}
                Some(JobEnd::Failed { .. }) => has_failed = true,
                Some(JobEnd::Deleted) => is_unknown = true,
                None => {
                    is_unknown = true;
                    self.give_up(run, job);
                }
            }
            let name = &job.job().name;
            run.report
                .observe(&job.about.cron_job, observed(name, job.end()));
        }
        let endings = self.jobs.all().iter().map(|job| job.end().cloned());
        let outcome = CommandOutcome::of(!is_unknown, has_failed);
        (outcome, endings.collect())
    }

    /// Handles what has come, and what is due. Returns when more is due although nothing comes.
    fn handle(
        &mut self,
        run: &ChangeRun<'_>,
        updates: &mut Updates<'_>,
        came: Vec<Update>,
    ) -> io::Result<Option<Instant>> {
        let now = Instant::now();
        for update in came {
            match update {
                Update::Change(number, change) => {
                    for event in self.jobs.apply(number, change) {
                        if let JobEvent::Running(number, update) = event
                            && let Some(job) = self.jobs.get(number)
                        {
                            JobLines::updates(&job.job().name, [update]);
                        }
                    }
                    self.find_logs(number);
                }
                Update::Log(source, piece) => {
                    if self.logs.receive(&source, now) {
                        self.output.write(&piece.text)?;
                    }
                }
                Update::LogEnded(source, error) => {
                    self.output.end()?;
                    // The kubelet may be behind the API server.
                    let too_soon = |error: &ClusterError| {
                        error.status().is_some_and(|status| status.code == 400)
                    };
                    if let Some(error) = self.logs.end(&source, error, too_soon, now) {
                        warn(&format!("cannot read the log of {}: {error}", source.pod));
                    }
                }
                Update::Refused(_) => {}
            }
        }
        self.read_logs(updates, now);
        self.say_held(run, now);
        self.report_endings(run, now)?;
        let logs = self.logs.due(|number| is_decided(&self.jobs, number));
        let held = self.jobs.unfinished().filter_map(|job| {
            let at = job.about.check_held_at;
            at.filter(|_| self.shows_pods() && job.progress.has_ended_partly())
        });
        Ok(self.jobs.due(now).into_iter().chain(logs).chain(held).min())
    }

    /// Whether the findings about pods are shown.
    fn shows_pods(&self) -> bool {
        self.options.also.pods && !is_quiet()
    }

    /// Adds the logs that a Job has now.
    fn find_logs(&mut self, number: usize) {
        let Some(job) = self.jobs.get_mut(number).filter(|_| self.options.logs) else {
            return;
        };
        let Some(container) = job.about.container.clone() else {
            return;
        };
        for pod in job.progress.unread(&container) {
            let source = LogSource {
                namespace: job.job().namespace.to_string(),
                pod,
                container: container.clone(),
            };
            self.logs.add(source, number);
        }
    }

    /// Reads one log after the other.
    fn read_logs(&mut self, updates: &mut Updates<'_>, now: Instant) {
        let jobs = &self.jobs;
        let is_over = |number| is_decided(jobs, number);
        if let Some(source) = self.logs.leave_silent(now, is_over) {
            warn(&log_left_open(&source));
        }
        let options = LogOptions {
            follow: true,
            ..LogOptions::default()
        };
        if let Some(source) = self.logs.retry(now) {
            updates.read_log(source.clone(), options);
        }
        if let Some(source) = self.logs.start(now) {
            let LogSource { pod, container, .. } = source;
            hint(&format!("{pod}: log of container {container}"));
            updates.read_log(source.clone(), options);
        }
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|until| Instant::now() >= until)
    }

    /// Reports Jobs that have finished, once their logs were read.
    fn report_endings(&mut self, run: &ChangeRun<'_>, now: Instant) -> io::Result<()> {
        let (logs, reads_logs) = (&self.logs, self.options.logs);
        let events = self.jobs.settle_if(now, |number, job| {
            !reads_logs || (logs.has_read(number) && !job.may_miss_pods(now))
        });
        for event in events {
            let JobEvent::Ended(number, how) = event else {
                continue;
            };
            let Some(job) = self.jobs.get(number) else {
                continue;
            };
            let name = &job.job().name;
            self.options.lines.end(name, &how)?;
            if job.progress.ending().is_none() && how != JobEnd::Deleted {
                say_plainly(&waits_for_pod(name));
            }
            if let JobEnd::Failed { .. } = how {
                self.say_why(run, job);
            }
        }
        Ok(())
    }

    /// Prints once which sidecar keeps a Job running.
    fn say_held(&mut self, run: &ChangeRun<'_>, now: Instant) {
        if !self.shows_pods() {
            return;
        }
        for job in self.jobs.all_mut() {
            let has_ended = job.end().is_some();
            let Waited {
                cron_job,
                check_held_at,
                ..
            } = &mut job.about;
            let is_due = check_held_at.is_some_and(|at| at <= now);
            if !is_due || has_ended || !job.progress.has_ended_partly() {
                continue;
            }
            *check_held_at = now.checked_add(CHECK_HELD);
            if say_sidecar(run, cron_job, &job.progress) {
                *check_held_at = None;
            }
        }
    }

    /// Prints that a Job keeps running, and why.
    fn give_up(&self, run: &ChangeRun<'_>, waited: &TrackedJob<Waited>) {
        let job = &waited.job().name;
        let state = match (waited.job().start_time, waited.about.is_down) {
            (Some(_), _) => "is still running".to_owned(),
            (None, false) => "has not started".to_owned(),
            (None, true) => format!("has not started: {DOWN} creates its pods"),
        };
        if !self.is_late() {
            say_plainly(&format!("job.batch/{job} {state}"));
            return;
        }
        let timeout = human_duration(self.options.timeout.unwrap_or_default());
        complain(&format!(
            "job.batch/{job}: timed out after {timeout}; the Job {state}"
        ));
        self.say_why(run, waited);
    }

    /// Prints the findings about the pods of a Job.
    fn say_why(&self, run: &ChangeRun<'_>, waited: &TrackedJob<Waited>) {
        if !self.shows_pods() {
            return;
        }
        let job = waited.job();
        // The pods may be deleted by now, but not their events.
        let of = OfJobs::of(job);
        let seen = run.live.session.pods(&[of], PodSelection::OfUnsettled);
        let events = seen.map(|(seen, _)| seen.events).unwrap_or_default();
        let is_failed = job.failure().is_some();
        let lines = (is_failed && !self.options.logs).then_some(LAST_LINES);
        say_why(run, &waited.about.cron_job, &waited.progress, events, lines);
    }
}

fn is_decided(jobs: &JobTracker<Waited>, number: usize) -> bool {
    let job = jobs.get(number);
    job.is_some_and(|job| job.progress.decided().is_some())
}

/// The container whose logs are shown.
fn log_container(job: &Value, named: Option<&str>) -> Option<String> {
    let choice = choose(job.pointer("/spec/template")?, named).ok()?;
    Some(choice.name)
}
