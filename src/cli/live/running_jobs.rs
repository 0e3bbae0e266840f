//! `suspend --wait`: waits until the Jobs of the CronJobs have finished, and prints what happens to them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::time::{Duration, Instant};

use super::changing::ChangeRun;
use super::job_findings::say_why;
use super::job_lines::JobLines;
use super::job_tracker::{EndsWith, JobEvent, JobTracker, TrackedJob};
use super::watch::{Next, WatchLoop, is_refused};
use crate::cli::live::busy::Busy;
use crate::cli::{CommandOutcome, complain, is_quiet, say_plainly};
use crate::output::actions::{Observation, observed_jobs};
use cronjob_diagnosis::change::{JobEnd, JobProgress, JobUpdate};
use cronjob_text::duration::human_duration;
use cronjob_text::words::{counted, plural, some_of};
use kube_access::{OfJobs, Update, WatchEvent, WatchedObjects};
use kube_model::{BACKFILLED, CronJob, Job, Pod, SCHEDULED_TIME_ANNOTATION};
use kube_objects::query::PodSelection;

/// A controller that has just read a CronJob creates its Job up to this long after the suspension.
const LATE_START: Duration = Duration::from_secs(3);
/// How much longer than the timeout to wait for the list of Jobs.
const LISTING: Duration = Duration::from_secs(30);
/// The pods of more Jobs than these are not shown.
const MANY: usize = 10;

/// The Jobs of suspended CronJobs that have not finished, and those that have since.
pub(super) struct RunningJobs<'a> {
    cron_jobs: &'a [CronJob],
    /// The positions of the CronJobs by their UIDs.
    owners: HashMap<&'a str, usize>,
    /// Each with the number of its CronJob.
    jobs: JobTracker<usize>,
    /// The namespaces whose Jobs were listed.
    listed: BTreeSet<usize>,
    namespaces: Vec<Option<String>>,
    started: Instant,
    timeout: Option<Duration>,
    /// Whether the Jobs were listed in all namespaces, and those that are running were named.
    is_announced: bool,
    lines: JobLines,
    with_namespace: bool,
    /// Whether all CronJobs that were to be suspended are.
    is_all: bool,
}

enum WaitEnd {
    Finished,
    TimedOut,
    Refused,
    Unwritten(io::Error),
}

impl<'a> RunningJobs<'a> {
    /// Waits until no Job of the CronJobs is running, a signal, or the timeout.
    pub(super) fn wait(
        run: &mut ChangeRun<'_>,
        cron_jobs: &'a [CronJob],
        timeout: Option<Duration>,
        is_all: bool,
        busy: &Busy,
    ) -> anyhow::Result<CommandOutcome> {
        let owners = cron_jobs.iter().enumerate();
        let mut wait = RunningJobs {
            cron_jobs,
            owners: owners
                .map(|(number, cron_job)| (cron_job.uid.as_str(), number))
                .collect(),
            jobs: JobTracker::new(EndsWith::Pods),
            listed: BTreeSet::new(),
            namespaces: namespaces(run, cron_jobs),
            started: Instant::now(),
            timeout,
            is_announced: false,
            lines: JobLines {
                to_stdout: run.changing.output.is_none(),
            },
            with_namespace: run.report.with_namespace,
            is_all,
        };
        if cron_jobs.is_empty()
            || busy.is_interrupted()
            || (wait.lines.to_stdout && run.report.unwritten.is_some())
        {
            return Ok(CommandOutcome::Fine);
        }
        let live = &run.live;
        let mut updates = live.session.updates();
        for (number, namespace) in wait.namespaces.iter().enumerate() {
            updates.watch_jobs(number, namespace.as_deref(), live.wanted.page);
        }
        let ended = WatchLoop::new(updates, !is_quiet())
            .until(busy, None)
            .run(|_, came| {
                let is_refused = is_refused(&came);
                for update in came {
                    if let Update::Change(number, change) = update {
                        wait.apply(number, change);
                    }
                }
                wait.announce();
                let now = Instant::now();
                Ok(match wait.report_endings(now) {
                    Err(error) => Next::End(WaitEnd::Unwritten(error)),
                    Ok(()) if is_refused => Next::End(WaitEnd::Refused),
                    Ok(()) => wait.next(now),
                })
            })?;
        for (number, cron_job) in cron_jobs.iter().enumerate() {
            run.report.observe(cron_job, wait.observed(number));
        }
        Ok(match ended {
            Some(WaitEnd::Finished) => wait.outcome(),
            Some(WaitEnd::Unwritten(error)) => {
                run.report.note_written(Err(error));
                CommandOutcome::Incomplete
            }
            Some(WaitEnd::TimedOut | WaitEnd::Refused) | None => {
                wait.give_up(run, ended.as_ref());
                CommandOutcome::Incomplete
            }
        })
    }

    /// Whether the wait continues, and until when.
    fn next(&self, now: Instant) -> Next<WaitEnd> {
        let is_listed = self.listed.len() == self.namespaces.len();
        let (longest, end) = if is_listed && self.jobs.unfinished().next().is_none() {
            (Some(LATE_START), WaitEnd::Finished)
        } else if is_listed {
            // A timeout is about Jobs that are running.
            (self.timeout, WaitEnd::TimedOut)
        } else {
            let listing = self.timeout.map(|timeout| timeout.saturating_add(LISTING));
            (listing, WaitEnd::TimedOut)
        };
        let until = longest.and_then(|longest| self.started.checked_add(longest));
        if until.is_some_and(|until| until <= now) {
            return Next::End(end);
        }
        Next::wait_until(self.jobs.due(now).into_iter().chain(until).min())
    }

    fn apply(&mut self, namespace: usize, change: WatchEvent) {
        let is_list = matches!(change, WatchEvent::All(WatchedObjects::Jobs(_)));
        for event in self.jobs.apply(namespace, change) {
            match event {
                JobEvent::Created(job) => self.add(namespace, *job),
                JobEvent::Running(number, update) => {
                    if let Some(known) = self.jobs.get(number) {
                        JobLines::updates(&self.label(known.job()), [update]);
                    }
                }
                JobEvent::Ending(..) | JobEvent::Ended(..) => {}
            }
        }
        if is_list {
            self.listed.insert(namespace);
        }
    }

    /// Adds a Job of the CronJobs that has not ended.
    fn add(&mut self, namespace: usize, job: Job) {
        let mut owners = job.owner_references.iter();
        let owner = owners.find_map(|owner| self.owners.get(owner.uid.as_str()).copied());
        let Some(owner) = owner.filter(|_| job.ending().is_none()) else {
            return;
        };
        if self.is_announced && !is_quiet() {
            let why = self.why_created(owner, &job).unwrap_or_default();
            say_plainly(&format!(
                "{} was created in the meantime. Waiting for it, too.{why}",
                self.label(&job)
            ));
            self.say_suspended(&job);
        }
        self.jobs.add(namespace, JobProgress::of(job), owner);
    }

    /// What it means that a Job of the schedule was created.
    fn why_created(&self, owner: usize, job: &Job) -> Option<String> {
        let name = &self.cron_jobs.get(owner)?.name;
        let is_scheduled = job.annotations.get(SCHEDULED_TIME_ANNOTATION).is_some()
            && job.annotations.get(BACKFILLED).is_none();
        is_scheduled.then(|| {
            format!(
                " It is a scheduled run: the controller had not seen the suspension yet, or {name} was \
                 resumed."
            )
        })
    }

    /// Names the running Jobs once they were listed.
    fn announce(&mut self) {
        if self.is_announced || self.listed.len() < self.namespaces.len() {
            return;
        }
        self.is_announced = true;
        if is_quiet() {
            return;
        }
        let jobs: Vec<&Job> = self.jobs.unfinished().map(TrackedJob::job).collect();
        if jobs.is_empty() {
            say_plainly(if self.is_all {
                "No Job is running."
            } else {
                "No Job of the suspended CronJobs is running."
            });
            return;
        }
        say_plainly(&format!(
            "Waiting for {}: {}.",
            counted(jobs.len(), "Job"),
            self.names(&jobs)
        ));
        for job in jobs.iter().take(MANY) {
            self.say_suspended(job);
        }
    }

    fn say_suspended(&self, job: &Job) {
        if job.suspend == Some(true) {
            JobLines::updates(&self.label(job), [JobUpdate::Suspended]);
        }
    }

    /// Reports the Jobs that have finished or were deleted, and those that take long to end.
    fn report_endings(&mut self, now: Instant) -> io::Result<()> {
        for event in self.jobs.settle(now) {
            let label = |number| {
                let known = self.jobs.get(number);
                known.map_or_else(String::new, |known| self.label(known.job()))
            };
            match event {
                JobEvent::Ending(number, decided) => JobLines::ending(&label(number), &decided),
                JobEvent::Ended(number, JobEnd::Deleted) => complain(&format!(
                    "job.batch/{}: deleted before it finished; its pods may still be terminating",
                    label(number)
                )),
                JobEvent::Ended(number, how) => self.lines.end(&label(number), &how)?,
                JobEvent::Created(_) | JobEvent::Running(..) => {}
            }
        }
        Ok(())
    }

    /// A Job that failed has ended, too. Of one that was deleted the end is unknown.
    fn outcome(&self) -> CommandOutcome {
        let mut endings = self.jobs.all().iter().map(TrackedJob::end);
        let is_unknown = endings.any(|how| matches!(how, None | Some(JobEnd::Deleted)));
        CommandOutcome::of(!is_unknown, false)
    }

    fn observed(&self, owner: usize) -> Observation {
        let jobs = self.jobs.all().iter();
        let jobs = jobs.filter(|job| job.about == owner);
        let is_listed = self.listed.len() == self.namespaces.len();
        observed_jobs(
            is_listed,
            jobs.map(|job| (job.job().name.as_str(), job.progress.ending())),
        )
    }

    /// Prints which Jobs have not finished, and why.
    fn give_up(&self, run: &ChangeRun<'_>, end: Option<&WaitEnd>) {
        let jobs: Vec<&TrackedJob<usize>> = self.jobs.unfinished().collect();
        let objects: Vec<&Job> = jobs.iter().map(|job| job.job()).collect();
        let unfinished = match objects.len() {
            0 if self.is_announced => "a Job may still start".to_owned(),
            0 => "the Jobs could not be listed".to_owned(),
            many => format!(
                "{} {} not finished: {}",
                counted(many, "Job"),
                plural(many, "has", "have"),
                self.names(&objects)
            ),
        };
        let is_late = matches!(end, Some(WaitEnd::TimedOut));
        if is_late {
            let timeout = human_duration(self.timeout.unwrap_or_default());
            complain(&format!("timed out after {timeout}: {unfinished}"));
        } else {
            say_plainly(&unfinished);
        }
        if is_quiet() || objects.is_empty() {
            return;
        }
        if is_late {
            self.say_pods(run, &jobs);
        }
        let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for job in objects.iter().take(MANY) {
            names.entry(&job.namespace).or_default().push(&job.name);
        }
        for (namespace, names) in names {
            let selector = format!("job-name in ({})", names.join(", "));
            let command = run.basis.kubectl.command("get pods").namespace(namespace);
            let command = command.argument("-l").argument(&selector);
            say_plainly(&format!("To show the pods: {command}"));
        }
    }

    /// Prints the state of the pods of Jobs, and the findings about them.
    fn say_pods(&self, run: &ChangeRun<'_>, jobs: &[&TrackedJob<usize>]) {
        for running in jobs.iter().take(MANY) {
            let mut progress = running.progress.clone();
            let job = running.job().clone();
            self.say_suspended(&job);
            // Without the permission to list pods, the command below says so.
            let Ok((seen, _)) = run
                .live
                .session
                .pods(&[OfJobs::of(&job)], PodSelection::OfUnsettled)
            else {
                continue;
            };
            let mut pods: Vec<Pod> = seen.pods;
            pods.sort_by(|one, other| one.name.cmp(&other.name));
            let label = self.label(&job);
            for pod in &pods {
                JobLines::updates(&label, progress.set_pod(pod));
            }
            if let Some(cron_job) = self.cron_jobs.get(running.about) {
                say_why(run, cron_job, &progress, seen.events, None);
            }
        }
    }

    /// The names of Jobs, or of the first ones.
    fn names(&self, jobs: &[&Job]) -> String {
        let labels: Vec<String> = jobs.iter().map(|job| self.label(job)).collect();
        some_of(&labels, MANY)
    }

    /// The name of a Job, with its namespace if CronJobs of several are suspended.
    fn label(&self, job: &Job) -> String {
        if self.with_namespace {
            format!("{} (namespace {})", job.name, &*job.namespace)
        } else {
            job.name.clone()
        }
    }
}

/// The namespaces to watch: that of the whole cluster with -A, otherwise those of the CronJobs.
fn namespaces(run: &ChangeRun<'_>, cron_jobs: &[CronJob]) -> Vec<Option<String>> {
    let wanted = &run.live.wanted;
    let is_several = run.common.connection.namespaces.len() > 1;
    if wanted.namespace.is_none() && wanted.names.is_empty() && !is_several {
        return vec![None];
    }
    let namespaces: BTreeSet<&String> = cron_jobs.iter().map(|one| &one.namespace).collect();
    namespaces.into_iter().cloned().map(Some).collect()
}
