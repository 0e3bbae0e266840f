//! `logs`: the log of one run of a CronJob.

mod errors;

use std::io;
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail};
use clap::{ArgGroup, Args};
use serde_json::Value;

use self::errors::cannot_read_log;
use super::log_of_job::{pod_template, with_pods};
use super::log_output::{LogOutput, note};
use crate::cli::args::common::ResourceArg;
use crate::cli::args::{
    BasisArgs, Common, PAST_TIME, Selection, Side, TimeArg, TimeReference, resolve,
};
use crate::cli::diagnostic::Diagnostic;
use crate::cli::verb::{Group, Verb, VerbSpec};
use crate::cli::world::{job_name, pod_name};
use crate::cli::{CommandOutcome, complain, is_quiet, warn};
use crate::evidence::{Live, Needs, SelectedCronJob, World};
use crate::output::logs;
use cronjob_controller::upcoming::display_zone;
use cronjob_diagnosis::change::choose;
use cronjob_diagnosis::diagnose::{
    ContainerLog, Facts, Input, NoLogs, WantedLog, diagnose, log_of_run, missing_pods,
};
use cronjob_diagnosis::history::{RunChoice, choose_run};
use cronjob_manifest::rules::RuleTopic;
use kube_access::{ClusterError, LogOptions, LogSource};
use kube_model::{CronJobEvidence, Job, PastRun};
use kube_objects::query::{PodSelection, Resource};

/// How long --follow waits for the container to start, as kubectl does for a Job.
const LONGEST_START: Duration = Duration::from_secs(20);
/// How much later than its log the end of a container may come.
const LONGEST_END: Duration = Duration::from_secs(5);
/// How long a pod may take to read.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often pods are read in the meantime.
const PAUSE: Duration = Duration::from_secs(1);

/// Print the log of a run, and how its container ended
///
/// Prints the log of one container of one pod of one Job of a CronJob: by default of the newest Job, and of its pod
/// that failed last, or else of its newest pod. The lines about it, with how the container ended, go to stderr. If
/// there is no log, the error shows what deleted it, and which setting keeps it.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("run"),
    before_long_help = "\
Examples:
  # Print the log of the last run
  kubectl cronjob-doctor logs nightly -n shop

  # Print the last 20 lines of the last run that failed
  kubectl cronjob-doctor logs nightly --failed --tail 20

  # Print the log of a Job or a pod of a CronJob
  kubectl cronjob-doctor logs job/nightly-29920440

  # Follow the log of a running Job
  kubectl cronjob-doctor logs nightly -f"
)]
pub(super) struct LogsArgs {
    /// A CronJob, or a Job or a pod of one: NAME, NAMESPACE/NAME, cronjob/NAME, job/NAME or pod/NAME
    #[arg(value_name = "NAME", display_order = 0)]
    name: String,
    /// Use the newest Job that failed (default: the newest Job)
    #[arg(long, group = "run", help_heading = "Run")]
    failed: bool,
    /// Use the newest Job that succeeded
    #[arg(long, group = "run", help_heading = "Run")]
    succeeded: bool,
    /// Use the run that was scheduled at this time
    #[arg(long, value_name = "TIME", group = "run", help_heading = "Run", long_help = format!("\
Use the run that was scheduled at this time. {PAST_TIME}"))]
    at: Option<TimeArg>,
    /// Use the Job of this name
    #[arg(long, value_name = "JOB", group = "run", help_heading = "Run")]
    job: Option<String>,
    /// Specify if the logs should be streamed
    ///
    /// Specify if the logs should be streamed. Waits up to 20 seconds until the container starts, ends with it, and
    /// exits with 1 if it failed.
    #[arg(long, short)]
    follow: bool,
    /// Lines of recent log file to display (default: all)
    ///
    /// Lines of recent log file to display. Defaults to -1, showing all log lines.
    #[arg(long, value_name = "LINES", value_parser = tail, allow_negative_numbers = true)]
    tail: Option<Tail>,
    /// Print the logs of this container
    ///
    /// Print the logs of this container (default: the container in the annotation
    /// kubectl.kubernetes.io/default-container, or else the first one; or an init container that failed)
    #[arg(long, short, value_name = "NAME")]
    container: Option<String>,
    #[command(flatten)]
    resource: ResourceArg,
    #[command(flatten)]
    basis: BasisArgs,
}

/// How many of the last lines; all without it. As an `Option` by name, it would be an optional value to clap.
type Tail = Option<u64>;

fn tail(text: &str) -> Result<Tail, String> {
    match text.parse::<i64>().ok().filter(|number| *number >= -1) {
        Some(-1) => Ok(None),
        Some(lines) => Ok(Some(lines.unsigned_abs())),
        None => Err("must be a number of lines, or -1 for all".to_owned()),
    }
}

impl LogsArgs {
    /// The name of the pod in `pod/NAME`.
    fn pod(&self) -> Option<&str> {
        pod_name(&self.name)
    }

    /// Which run is wanted, of a CronJob, or of a Job that was named instead.
    fn choice(
        &self,
        named: Option<&str>,
        reference: TimeReference<'_>,
    ) -> anyhow::Result<RunChoice> {
        let at = resolve(self.at.as_ref(), "--at", Side::Past, reference)?;
        let job = self.job.as_deref();
        let job = job.map(|job| job_name(job).unwrap_or(job));
        Ok(match (at, job.or(named)) {
            (Some(at), _) => RunChoice::At(at),
            (None, _) if self.failed => RunChoice::Failed,
            (None, _) if self.succeeded => RunChoice::Succeeded,
            (None, Some(job)) => RunChoice::Job(job.to_owned()),
            (None, None) => RunChoice::Last,
        })
    }

    fn options(&self) -> LogOptions {
        LogOptions {
            follow: false,
            previous: false,
            tail: self.tail.flatten(),
            limit_bytes: None,
        }
    }
}

pub(crate) const SPEC: VerbSpec = VerbSpec {
    hidden_alias: Some("log"),
    ..VerbSpec::of::<LogsArgs>("logs", Group::Look)
};

impl Verb for LogsArgs {
    fn run(&self, common: &Common) -> anyhow::Result<CommandOutcome> {
        let (job, pod) = (job_name(&self.name), self.pod());
        // Neither a Job nor a pod names its CronJob.
        let is_owned = job.is_some() || pod.is_some();
        let names = if is_owned {
            Vec::new()
        } else {
            vec![self.name.clone()]
        };
        let selection = Selection::by_names(names, self.resource.clone());
        let (live, world) =
            common.load_live(common.basis(&self.basis)?, &selection, Needs::JOBS)?;
        if !world.cron_jobs.is_empty() && !world.coverage.jobs_read {
            bail!("logs requires permission to list Jobs");
        }
        let named_job = match pod {
            Some(pod) => Some(job_of_pod(&live, pod)?),
            None => job.map(str::to_owned),
        };
        let named_job = named_job.as_deref();
        let owns = |one: &&SelectedCronJob| {
            let mut jobs = one.evidence.jobs.iter();
            named_job.is_none_or(|name| jobs.any(|job| job.name == name))
        };
        let Some(selected) = world.cron_jobs.iter().find(owns) else {
            if is_owned && world.complete {
                bail!("no CronJob found that owns {}", self.name);
            }
            // That was printed.
            return Ok(CommandOutcome::Incomplete);
        };
        let choice = {
            let zone = display_zone(&world.basis.controller, &selected.evidence.cron_job);
            self.choice(named_job, TimeReference::of(&world.basis, Some(&zone)))?
        };
        let facts = world.facts(&selected.evidence);
        if named_job.is_some() {
            let owner = &selected.evidence.cron_job.name;
            note(&format!("{} belongs to cronjob/{owner}", self.name));
        }
        let job = match choose_run(&facts, &choice) {
            Ok(run) => run.job.clone(),
            Err(none) => return Ok(no_log(&facts.input, &none)),
        };
        let reader = RunReader {
            args: self,
            live: &live,
            world: &world,
            selected,
            template: pod_template(&live, &selected.evidence, &job)?,
            job,
        };
        reader.show()
    }

    fn names(&self) -> &[String] {
        std::slice::from_ref(&self.name)
    }
}

/// The Job that owns a pod.
fn job_of_pod(live: &Live, pod: &str) -> anyhow::Result<String> {
    let namespace = live.wanted.namespace.as_deref();
    let session = &live.session;
    let pods = session.objects_within(&Resource::pods(), namespace, Some(pod), PATIENCE, 1)?;
    let Some(found) = pods.first() else {
        bail!("pod {pod:?} not found");
    };
    let owners = found.pointer("/metadata/ownerReferences");
    let mut owners = owners.and_then(Value::as_array).into_iter().flatten();
    let owner = owners.find(|owner| owner.get("kind").is_some_and(|kind| kind == "Job"));
    let name = owner.and_then(|owner| owner.get("name")?.as_str());
    let name = name.map(str::to_owned);
    name.ok_or_else(|| anyhow!("pod {pod:?} is not owned by a Job"))
}

/// Reads the pods of a Job, and the log of one of them.
struct RunReader<'a> {
    args: &'a LogsArgs,
    live: &'a Live,
    world: &'a World,
    selected: &'a SelectedCronJob,
    job: Job,
    template: Value,
}

impl RunReader<'_> {
    /// What follows from the pods as they are now. `pod` is the name of the one whose log is printed; `None` if it is not
    /// chosen yet.
    fn read<T>(
        &self,
        pod: Option<&str>,
        then: impl FnOnce(&Facts<'_>, &PastRun<'_>, Option<ContainerLog<'_>>) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let evidence = with_pods(self.live, self.selected.evidence.clone(), &self.job)?;
        let wanted = self.wanted(pod, &evidence)?;
        let facts = self.world.facts(&evidence);
        let Some(run) = facts.runs.iter().find(|run| run.job.uid == self.job.uid) else {
            bail!("Job {} was deleted in the meantime", self.job.name);
        };
        then(&facts, run, log_of_run(&facts, run, &wanted))
    }

    fn wanted(&self, pod: Option<&str>, evidence: &CronJobEvidence) -> anyhow::Result<WantedLog> {
        let name = self.args.container.as_deref();
        // Others may have added containers to the pods.
        let mut all = evidence.pods.iter().flat_map(|pod| &pod.containers);
        let is_added = name.is_some_and(|name| all.any(|container| container.name == name));
        let container = match name.filter(|_| is_added) {
            Some(name) => name.to_owned(),
            None => choose(&self.template, name)?.name,
        };
        let of_template = WantedLog::of_template(&self.template, container);
        let mut wanted = WantedLog {
            pod: pod.or(self.args.pod()).map(str::to_owned),
            ..of_template
        };
        if name.is_some() {
            wanted.init_containers.clear();
        }
        Ok(wanted)
    }

    /// Prints the log.
    fn show(&self) -> anyhow::Result<CommandOutcome> {
        let mut output = LogOutput::to_stdout();
        if self.args.follow {
            self.wait(None, LONGEST_START, |run, log| {
                run.ending().is_some() || log.is_some_and(|log| log.missing.is_none())
            })?;
        }
        let printed = self.read(None, |facts, run, log| {
            note(&logs::run(facts, run));
            let log = match log {
                Some(log) if log.missing.is_none() => log,
                log => return Ok(Ok(self.without_log(facts, run, log))),
            };
            note(&logs::above(&log.pod.name, &log.container, log.place));
            let options = LogOptions {
                follow: self.args.follow && log.is_running,
                ..self.args.options()
            };
            let error = print_log(self.live, &log, &options, &mut output)?.err();
            output.end()?;
            if let Some(error) = error {
                let (pod, container) = (&log.pod.name, &log.container);
                complain(cannot_read_log(&facts.input, pod, container, &error));
                return Ok(Ok(CommandOutcome::Incomplete));
            }
            if options.follow {
                return Ok(Err(log.pod.name.clone()));
            }
            Ok(Ok(self.conclude(facts, run, &log)))
        })?;
        let followed = match printed {
            Ok(outcome) => return Ok(outcome),
            Err(pod) => pod,
        };
        // The API server knows the end of the container a moment later.
        let is_known = |log: Option<&ContainerLog<'_>>| log.is_none_or(|log| !log.is_running);
        self.wait(Some(&followed), LONGEST_END, |_, log| is_known(log))?;
        self.read(Some(&followed), |facts, run, log| match log {
            Some(log) => Ok(self.conclude(facts, run, &log)),
            None => Ok(CommandOutcome::Fine),
        })
    }

    /// Waits until something is so, or for this long.
    fn wait(
        &self,
        pod: Option<&str>,
        longest: Duration,
        is_so: impl Fn(&PastRun<'_>, Option<&ContainerLog<'_>>) -> bool,
    ) -> anyhow::Result<()> {
        let begun = Instant::now();
        while !self.read(pod, |_, run, log| Ok(is_so(run, log.as_ref())))?
            && begun.elapsed() < longest
        {
            self.live.session.pause(PAUSE);
        }
        Ok(())
    }

    /// Prints how the container ended, and how to read more.
    fn conclude(
        &self,
        facts: &Facts<'_>,
        run: &PastRun<'_>,
        log: &ContainerLog<'_>,
    ) -> CommandOutcome {
        note(logs::below(&log.ending));
        if log.restarts > 0 {
            let before = facts.input.kubectl("logs").name(&log.pod.name);
            let before = before.value("-c", &log.container).with("--previous");
            note(&logs::restarted(&log.container, log.restarts, &before));
        }
        if let Some(lost) = missing_pods(facts, run) {
            note(&lost.why);
        }
        if log.place.count > 1 || log.pod.containers.len() > 1 {
            let all = facts.input.kubectl("logs");
            let all = all.value("-l", &format!("job-name={}", run.job.name));
            let all = all.with("--all-containers --prefix --tail=-1");
            note(&format!("all logs of the Job: {all}"));
        }
        let has_failed = log.exit_code.is_some_and(|code| code != 0) && !log.is_running;
        CommandOutcome::of(true, self.args.follow && has_failed)
    }

    /// The error that there is no log.
    fn without_log(
        &self,
        facts: &Facts<'_>,
        run: &PastRun<'_>,
        log: Option<ContainerLog<'_>>,
    ) -> CommandOutcome {
        if let Some(none) = log.and_then(|log| log.missing) {
            return no_log(&facts.input, &none);
        }
        let name = &run.job.name;
        let none = missing_pods(facts, run);
        let none = none.unwrap_or_else(|| NoLogs::new(format!("Job {name} has no such pod")));
        let outcome = no_log(&facts.input, &none);
        if run.ending().is_none() && !is_quiet() {
            let name = facts.input.cron_job.name.clone();
            say_what_holds_pods(self.world, self.live, name);
        }
        outcome
    }
}

/// Streams a log. The outer error is one of stdout.
fn print_log(
    live: &Live,
    log: &ContainerLog<'_>,
    options: &LogOptions,
    output: &mut LogOutput,
) -> io::Result<Result<(), ClusterError>> {
    let source = LogSource {
        namespace: log.pod.namespace.clone(),
        pod: log.pod.name.clone(),
        container: log.container.clone(),
    };
    let mut stream = match live.session.log(&source, options) {
        Ok(stream) => stream,
        Err(error) => return Ok(Err(error)),
    };
    loop {
        match stream.piece() {
            Ok(Some(text)) => output.write(&text)?,
            Ok(None) => return Ok(Ok(())),
            Err(error) => return Ok(Err(error)),
        }
    }
}

/// The error that there are no logs of a run.
fn no_log(input: &Input<'_>, none: &NoLogs) -> CommandOutcome {
    let name = &input.cron_job.name;
    let notice = Diagnostic::new(format!("no logs of cronjob {name}: {}", none.why));
    let helps = none.help.iter();
    complain(helps.fold(notice, |notice, help| notice.help(help)));
    CommandOutcome::Incomplete
}

/// Prints the findings about pods that do not start.
fn say_what_holds_pods(world: &World, live: &Live, cron_job: String) {
    let namespace = live.wanted.namespace.clone();
    let mut live = live.of_names(namespace, vec![cron_job]);
    live.wanted.pods = PodSelection::OfUnsettled;
    let Ok(again) = live.read_again(world.basis.clone(), &mut Vec::new()) else {
        return;
    };
    let again = again.judged(None);
    for one in &again.cron_jobs {
        let facts = again.facts(&one.evidence);
        for finding in diagnose(&facts) {
            if finding.rule.topic == Some(RuleTopic::Pods) {
                let notice = Diagnostic::new(&*finding.detail);
                warn(match &finding.remedy {
                    Some(remedy) => notice.help(&remedy.text),
                    None => notice,
                });
            }
        }
    }
}
