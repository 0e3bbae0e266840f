//! `logs`: the logs of one run of a CronJob.

mod errors;
mod follow;
mod output;
mod tail;

use std::io;

use anyhow::bail;
use clap::{ArgGroup, Args};
use serde_json::Value;

use self::errors::{cannot_read_log, concerns_all};
use self::follow::{FollowedLogs, follow, report_end};
use self::output::{LogOutput, PrintedLog};
pub(super) use self::tail::{log_tails, newest_logs};
use super::args::{
    BasisArgs, Common, PAST_TIME, ResourceArg, Selection, Side, TimeArg, TimeReference, resolve,
};
use super::diagnostic::Diagnostic;
use super::world::{facts_of, job_name};
use super::{CommandOutcome, complain, warn};
use crate::change::{ChoiceReason, JobProgress, choose};
use crate::cli::verb::{Group, Verb, VerbSpec};
use crate::cluster::{ClusterError, LogOptions, LogSource, LogsSince, OfJobs};
use crate::diagnose::{
    ContainerLog, Facts, Input, LogContainers, NoLogs, container_logs, diagnose,
    missing_containers, missing_pods,
};
use crate::evidence::{Live, Needs, SelectedCronJob, World};
use crate::history::{RunChoice, choose_run};
use crate::model::{CronJobEvidence, Job, PastRun, ResourceKind};
use crate::output::logs;
use crate::query::{ObjectQuery, PodSelection, Resource};
use crate::rules::RuleTopic;
use crate::upcoming::display_zone;

/// Print the logs of a run, and how its containers ended
///
/// Prints the logs of all pods of one Job of a CronJob, in the order in which the pods were created: by default
/// those of the newest Job. The lines between them show how each container ended, and go to stderr. If there
/// are no logs, the error shows what deleted them, and which setting keeps them.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("run"),
    before_long_help = "\
Examples:
  # Print the logs of the last run
  kubectl cronjob-doctor logs nightly -n shop

  # Print the last 20 lines of each pod of the last run that failed
  kubectl cronjob-doctor logs nightly --failed --tail 20

  # Print the logs of the run that was scheduled at a time
  kubectl cronjob-doctor logs nightly --at 2026-11-21T02:00:00+01:00

  # Follow a running Job until it has finished, with the pods of later attempts
  kubectl cronjob-doctor logs nightly -f"
)]
pub(super) struct LogsArgs {
    /// CronJobs by name: NAME, NAMESPACE/NAME, cronjob/NAME or cj/NAME
    #[arg(value_name = "NAME", required = true, display_order = 0)]
    names: Vec<String>,
    /// Use the newest Job (default)
    #[arg(long, group = "run", help_heading = "Run")]
    last: bool,
    /// Use the newest Job that failed
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
    /// Specify if the logs should be streamed. Ends when the Job has finished, and exits with 1 if it failed.
    #[arg(long, short)]
    pub(crate) follow: bool,
    /// Print the logs of the previous instance of the container
    ///
    /// If true, print the logs for the previous instance of the container in a pod if it exists.
    #[arg(long, short, conflicts_with = "follow")]
    previous: bool,
    /// Lines of recent log file to display (default: all)
    ///
    /// Lines of recent log file to display, of each container. Defaults to -1, showing all log lines.
    #[arg(long, value_name = "LINES", value_parser = tail, allow_negative_numbers = true)]
    tail: Option<Tail>,
    /// Only return logs newer than a duration or a time
    #[arg(
        long,
        value_name = "TIME",
        long_help = format!("\
Only return logs newer than a relative duration like 5s, 2m, or 3h, or after a specific date (RFC3339). \
Defaults to all logs. {PAST_TIME}")
    )]
    since: Option<TimeArg>,
    /// Print the logs of this container
    ///
    /// Print the logs of this container (default: the container in the annotation
    /// kubectl.kubernetes.io/default-container, or else all containers of the Job template that are not init
    /// containers; and an init container that failed)
    #[arg(long, short, value_name = "NAME", conflicts_with = "all_containers")]
    container: Option<String>,
    /// Get all containers' logs in the pods
    ///
    /// Get all containers' logs in the pod(s).
    #[arg(long)]
    all_containers: bool,
    /// Prefix each log line with its pod and container
    ///
    /// Prefix each log line with the log source (pod name and container name). This is the default if the logs of
    /// several containers are printed, or if pods that run at the same time are followed.
    #[arg(long)]
    prefix: bool,
    /// Include timestamps on each line in the log output
    #[arg(long)]
    timestamps: bool,
    #[command(flatten)]
    resource: ResourceArg,
    #[command(flatten)]
    basis: BasisArgs,
}

/// How many of the last lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tail {
    All,
    Lines(u64),
}

fn tail(text: &str) -> Result<Tail, String> {
    match text.parse::<i64>().ok().filter(|number| *number >= -1) {
        Some(-1) => Ok(Tail::All),
        Some(lines) => Ok(Tail::Lines(lines.unsigned_abs())),
        None => Err("must be a number of lines, or -1 for all".to_owned()),
    }
}

impl LogsArgs {
    /// A flag that makes sense only with one `CronJob`.
    fn flag_about_one(&self) -> Option<&'static str> {
        if self.follow {
            return Some("--follow");
        }
        self.job.as_ref().map(|_| "--job")
    }

    fn choice(&self, reference: TimeReference<'_>) -> anyhow::Result<RunChoice> {
        let at = resolve(self.at.as_ref(), "--at", Side::Past, reference)?;
        Ok(match (&self.job, at) {
            (Some(job), _) => RunChoice::Job(job_name(job).unwrap_or(job).to_owned()),
            (None, Some(at)) => RunChoice::At(at),
            (None, None) if self.failed => RunChoice::Failed,
            (None, None) if self.succeeded => RunChoice::Succeeded,
            (None, None) => RunChoice::Last,
        })
    }

    fn options(&self, reference: TimeReference<'_>) -> anyhow::Result<LogOptions> {
        // As in kubectl, 0 seconds are all logs.
        let since = self
            .since
            .as_ref()
            .filter(|since| since.distance() != Some(0));
        let since = since.map(|since| {
            if let Some(seconds) = since.distance() {
                return Ok(LogsSince::Ago(seconds));
            }
            let at = since.resolve("--since", Side::Past, reference);
            at.map(LogsSince::At)
        });
        let since = since.transpose()?;
        Ok(LogOptions {
            follow: self.follow,
            previous: self.previous,
            timestamps: self.timestamps,
            tail: match self.tail {
                Some(Tail::Lines(lines)) => Some(lines),
                Some(Tail::All) | None => None,
            },
            since,
            limit_bytes: None,
        })
    }
}

pub(super) const SPEC: VerbSpec = VerbSpec {
    hidden_alias: Some("log"),
    ..VerbSpec::of::<LogsArgs>("logs", Group::Look)
};

impl Verb for LogsArgs {
    fn run(&self, common: &Common) -> anyhow::Result<CommandOutcome> {
        run(common, self)
    }

    fn names(&self) -> &[String] {
        &self.names
    }
}

fn run(common: &Common, args: &LogsArgs) -> anyhow::Result<CommandOutcome> {
    if let (true, Some(flag)) = (args.names.len() > 1, args.flag_about_one()) {
        bail!("{flag} requires one CronJob");
    }
    let selection = Selection::by_names(args.names.clone(), args.resource.clone());
    let (live, world) = common.load_live(common.basis(&args.basis)?, &selection, Needs::JOBS)?;
    show(common, args, &live, &world)
}

/// Shows the logs of a run of each `CronJob` in the World.
fn show(
    common: &Common,
    args: &LogsArgs,
    live: &Live,
    world: &World,
) -> anyhow::Result<CommandOutcome> {
    if !world.cron_jobs.is_empty() && !world.coverage.jobs_read {
        bail!("logs requires permission to list Jobs");
    }
    if let ([only], 1) = (world.cron_jobs.as_slice(), args.names.len()) {
        return show_one(common, args, live, world, only);
    }
    // The errors about others were printed.
    let mut outcome = CommandOutcome::of(world.complete && world.not_found.is_empty(), false);
    for selected in &world.cron_jobs {
        let shown = show_one(common, args, live, world, selected).unwrap_or_else(|error| {
            complain(Diagnostic::of(&error));
            CommandOutcome::Incomplete
        });
        if shown != CommandOutcome::Fine {
            outcome = shown;
        }
    }
    Ok(outcome)
}

/// Shows the logs of a run of a `CronJob`.
fn show_one(
    common: &Common,
    args: &LogsArgs,
    live: &Live,
    world: &World,
    selected: &SelectedCronJob,
) -> anyhow::Result<CommandOutcome> {
    let evidence = selected.evidence.clone();
    let controller = world.basis.controller();
    let shown = display_zone(&controller, &evidence.cron_job);
    let reference = TimeReference {
        zone: Some(&shown),
        ..TimeReference::from(&world.basis)
    };
    let job = {
        let facts = facts_of(&controller, world, &evidence);
        match choose_run(&facts, &args.choice(reference)?) {
            Ok(run) => run.job.clone(),
            Err(none) => return Ok(no_logs(&facts.input, &none)),
        }
    };
    let spec = job_spec(live, &evidence, &job)?;
    let template = spec.get("template").unwrap_or(&Value::Null);
    let evidence = with_pods(live, evidence, &job)?;
    let facts = facts_of(&controller, world, &evidence);
    let Some(run) = facts.runs.iter().find(|run| run.job.uid == job.uid) else {
        bail!("Job {} was deleted in the meantime", job.name);
    };
    let wanted = WantedLogs {
        containers: containers(args, template, &evidence)?,
        options: args.options(reference)?,
        prefix: args.prefix,
        is_parallel: is_parallel(&spec),
    };
    let mut output = LogOutput::new(common.global.quiet);
    output.note(&logs::run(&facts, run))?;
    if args.follow && run.ending().is_none() {
        let followed = FollowedLogs {
            live,
            cron_job: selected,
            coverage: world.coverage,
            controller: &controller,
            kubectl: &world.basis.kubectl,
        };
        return follow(followed, &job, &wanted, &mut output);
    }
    let outcome = print(world, live, &facts, run, &wanted, &mut output)?;
    let is_followed = args.follow && outcome == CommandOutcome::Fine;
    let end = is_followed.then(|| report_end(&JobProgress::of(job), false, output.is_quiet));
    Ok(end.flatten().unwrap_or(outcome))
}

/// Which logs are printed, and how.
struct WantedLogs {
    containers: LogContainers,
    options: LogOptions,
    prefix: bool,
    /// Whether pods of the Job may run at the same time.
    is_parallel: bool,
}

impl WantedLogs {
    /// Whether lines have a prefix when pods are printed one after the other.
    fn has_prefix(&self) -> bool {
        self.prefix
            || match &self.containers {
                LogContainers::Named(_) => false,
                LogContainers::All => true,
                LogContainers::Main { containers, .. } => containers.len() > 1,
            }
    }
}

/// The spec of a Job, or that of the Job template if the Job was deleted in the meantime.
fn job_spec(live: &Live, evidence: &CronJobEvidence, job: &Job) -> anyhow::Result<Value> {
    // A list requires no other permission than what was read already.
    let query = ObjectQuery {
        resource: Resource::jobs(),
        namespace: Some(job.namespace.clone()),
        names: vec![job.name.clone()],
        suggests: false,
        label_selector: None,
        field_selector: None,
        jobs: false,
        pods: PodSelection::None,
        page: 1,
    };
    let jobs = live.session.whole_objects(&query, |_, _| true)?;
    let job = jobs.into_iter().next();
    let spec = job.and_then(|(_, job)| job.parse().get("spec").cloned());
    let of_cron_job = || evidence.cron_job.spec.job_template.get("spec").cloned();
    Ok(spec.or_else(of_cron_job).unwrap_or_default())
}

/// Adds the pods of a Job, and the events about them.
fn with_pods(
    live: &Live,
    mut evidence: CronJobEvidence,
    job: &Job,
) -> anyhow::Result<CronJobEvidence> {
    let (seen, lacks) = live
        .session
        .pods(&[OfJobs::of(job)], PodSelection::OfUnsettled)?;
    if let Some(lack) = lacks.iter().find(|lack| lack.what == ResourceKind::Pods) {
        bail!("cannot list pods: {}", lack.reason);
    }
    evidence.pods = seen.pods;
    evidence.events.extend(seen.events);
    Ok(evidence)
}

fn containers(
    args: &LogsArgs,
    template: &Value,
    evidence: &CronJobEvidence,
) -> anyhow::Result<LogContainers> {
    if args.all_containers {
        return Ok(LogContainers::All);
    }
    if let Some(name) = &args.container {
        // Others may have added containers to the pods.
        let mut all = evidence.pods.iter().flat_map(|pod| &pod.containers);
        if !all.any(|container| container.name == *name) {
            choose(template, Some(name))?;
        }
        return Ok(LogContainers::Named(name.clone()));
    }
    let choice = choose(template, None)?;
    let mut containers = vec![choice.name];
    if choice.why == ChoiceReason::First {
        containers.extend(choice.others);
    }
    let init_containers = template.pointer("/spec/initContainers");
    let init_containers = init_containers
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let init_containers =
        init_containers.filter_map(|container| container.get("name")?.as_str().map(str::to_owned));
    Ok(LogContainers::Main {
        containers,
        init_containers: init_containers.collect(),
    })
}

fn is_parallel(job_spec: &Value) -> bool {
    let parallelism = job_spec.get("parallelism").and_then(Value::as_i64);
    parallelism.is_some_and(|parallelism| parallelism > 1)
}

/// Prints the logs that exist now, one after the other.
fn print(
    world: &World,
    live: &Live,
    facts: &Facts<'_>,
    run: &PastRun<'_>,
    wanted: &WantedLogs,
    output: &mut LogOutput,
) -> anyhow::Result<CommandOutcome> {
    let all = container_logs(facts, run.job, &wanted.containers, wanted.options.previous);
    let has_prefix = wanted.has_prefix();
    let (mut printed, mut failed) = (0, false);
    let mut missing: Vec<NoLogs> = Vec::new();
    for (number, log) in all.iter().enumerate() {
        if let Some(none) = &log.missing {
            missing.push(none.clone());
            continue;
        }
        for none in missing.drain(..) {
            output.note(&none.why)?;
        }
        output.note(&logs::above(&log.pod.name, &log.container, log.place))?;
        let prefix = if has_prefix {
            logs::prefix(
                &log.pod.name,
                &log.container,
                log.place.number - 1,
                output.is_colored,
            )
        } else {
            String::new()
        };
        let printed_log = PrintedLog { number, prefix };
        match print_log(live, log, &wanted.options, &printed_log, output)? {
            Ok(()) => printed += 1,
            Err(error) => {
                output.pause()?;
                failed = true;
                complain(cannot_read_log(
                    &facts.input,
                    &log.pod.name,
                    &log.container,
                    &error,
                ));
                if concerns_all(&error) {
                    return Ok(CommandOutcome::Incomplete);
                }
            }
        }
        output.note(&logs::below(
            &log.pod.name,
            &log.container,
            &log.ending,
            true,
        ))?;
        if log.restarts > 0 && !wanted.options.previous {
            output.note(&logs::restarted(&log.container, log.restarts))?;
        }
    }
    output.pause()?;
    if printed == 0 && !failed {
        let nothing = || missing_containers(&facts.input, run.job);
        if let Some(none) = missing.pop() {
            return Ok(no_logs(&facts.input, &none));
        }
        let none = missing_pods(facts, run).unwrap_or_else(nothing);
        let outcome = no_logs(&facts.input, &none);
        if run.ending().is_none() && !output.is_quiet {
            say_what_holds_pods(world, live);
        }
        return Ok(outcome);
    }
    for none in missing.into_iter().chain(missing_pods(facts, run)) {
        output.note(&none.why)?;
    }
    Ok(CommandOutcome::of(!failed, false))
}

/// Streams a log. The outer error is one of stdout.
fn print_log(
    live: &Live,
    log: &ContainerLog<'_>,
    options: &LogOptions,
    printed: &PrintedLog,
    output: &mut LogOutput,
) -> io::Result<Result<(), ClusterError>> {
    let source = LogSource {
        namespace: log.pod.namespace.clone(),
        pod: log.pod.name.clone(),
        container: log.container.clone(),
    };
    // What is printed one after the other is what there is now.
    let options = LogOptions {
        follow: false,
        ..*options
    };
    let mut stream = match live.session.log(&source, &options) {
        Ok(stream) => stream,
        Err(error) => return Ok(Err(error)),
    };
    loop {
        match stream.piece() {
            Ok(Some(text)) => output.write(printed, &text)?,
            Ok(None) => return Ok(Ok(())),
            Err(error) => return Ok(Err(error)),
        }
    }
}

/// The error that there are no logs of a run.
fn no_logs(input: &Input<'_>, none: &NoLogs) -> CommandOutcome {
    let name = &input.cron_job.name;
    let notice = Diagnostic::new(format!("no logs of cronjob {name}: {}", none.why));
    let helps = none.help.iter();
    complain(helps.fold(notice, |notice, help| notice.help(help)));
    CommandOutcome::Incomplete
}

/// Prints the findings about pods that do not start.
fn say_what_holds_pods(world: &World, live: &Live) {
    let namespace = live.wanted.namespace.clone();
    let mut live = live.of_names(namespace, live.wanted.names.clone());
    live.wanted.pods = PodSelection::OfUnsettled;
    let Ok(again) = live.read_again(world.basis.clone(), &mut Vec::new()) else {
        return;
    };
    let again = again.judged(None);
    let controller = again.basis.controller();
    for one in &again.cron_jobs {
        let facts = facts_of(&controller, &again, &one.evidence);
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
