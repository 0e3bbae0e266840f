//! `simulate`: the controller, run over time.

mod size;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;
use std::thread;

use anyhow::{Context as _, anyhow, bail};
use jiff::{SignedDuration, Timestamp};

use super::args::{
    Connection, FailOnRun, Global, JobDuration, Simulate as Args, SimulateFormat as Format,
    Stretch, time,
};
use super::gather::gather;
use super::gathered::{Chosen, Needs};
use super::load::later;
use super::next_runs::check_time_zone;
use super::problem::{LocatedSubject, explain_problem};
use super::settings::Settings;
use super::{Outcome, complain, edits, voice, warn};
use crate::controller::Controller;
use crate::diagnose::{PastRun, past_runs};
use crate::model::{CronJob, CronJobEvidence};
use crate::output::simulate::{Given, Header, Item, Subject, csv, document, svg, text};
use crate::output::{self, yaml};
use crate::schedule::Zone;
use crate::simulate::{
    Before, Durations, Edit, Plan, Simulation, beginning, side_by_side, simulate, timetable,
};
use crate::upcoming;
use size::Size;

/// So long is simulated where nothing else is asked for.
const DEFAULT_LENGTH: i64 = 7 * 86_400;

pub(super) fn run(
    global: &Global,
    connection: &Connection,
    args: &Args,
) -> anyhow::Result<Outcome> {
    edits::check(&args.changes)?;
    let edits = edits_of(args)?;
    let mut settings = Settings::new(global, connection, &args.what_if)?;
    let (chosen, mut complete) = find(&mut settings, global, connection, args)?;
    let plan = plan(args, edits, settings.now)?;
    let controller = settings.controller();
    let mut controllers = vec![controller.clone()];
    controllers.extend(edits::controllers(&args.compare, &controller));
    let mut tasks = Vec::new();
    let mut size = Size::new(&plan, controllers.len());
    for one in &chosen {
        let evidence = &one.evidence;
        let cron_job = edits::apply(&evidence.cron_job, &args.changes)?;
        let durations = match timetable(&controller, &cron_job) {
            Ok(timetable) => {
                let durations = durations(args, global, evidence);
                size.add(&cron_job, &timetable, &durations)?;
                durations
            }
            Err(problem) => {
                let located = located(one, &cron_job, args.schedule.is_none());
                complain(explain_problem(&located, &problem));
                complete = false;
                continue;
            }
        };
        tasks.push(Task {
            plan: Plan {
                durations,
                ..plan.clone()
            },
            evidence,
            cron_job,
        });
    }
    if tasks.is_empty() && !complete {
        return Ok(Outcome::Incomplete);
    }
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let before = if args.from.is_none_or(|from| from == settings.now) {
        Before::AsFound
    } else {
        Before::WentWell
    };
    let computed = side_by_side(&tasks, threads, |task| task.compute(&controllers, before));
    let items: Vec<Item<'_>> = tasks
        .iter()
        .zip(computed)
        .map(|(task, simulations)| Item {
            subject: Subject {
                cron_job: &task.cron_job,
                is_named: args.schedule.is_none(),
                zone: zone(&controller, &task.cron_job),
            },
            simulations: controllers
                .iter()
                .map(|controller| controller.release)
                .zip(simulations)
                .collect(),
        })
        .collect();
    let header = Header {
        controller: settings.controller_document(),
        given: given(args, &plan),
    };
    print(args, &header, &items).context("cannot write the result")?;
    Ok(match (complete, fails(args.fail_on, &items)) {
        (false, _) => Outcome::Incomplete,
        (true, true) => Outcome::Found,
        (true, false) => Outcome::Fine,
    })
}

/// What is simulated for one `CronJob`.
struct Task<'a> {
    evidence: &'a CronJobEvidence,
    /// As it is at the beginning.
    cron_job: CronJob,
    plan: Plan,
}

impl Task<'_> {
    fn compute(&self, controllers: &[Controller<'_>], before: Before) -> Vec<Simulation> {
        let simulations = controllers.iter().map(|controller| {
            let (cron_job, jobs, from) = beginning(
                controller,
                &self.cron_job,
                &self.evidence.jobs,
                self.plan.from,
                before,
            );
            let plan = Plan {
                from,
                ..self.plan.clone()
            };
            simulate(controller, &cron_job, &jobs, &plan)
        });
        simulations.collect()
    }
}

/// A CronJob as what is wrong with it is told.
fn located(chosen: &Chosen, cron_job: &CronJob, is_named: bool) -> LocatedSubject {
    LocatedSubject {
        subject: upcoming::Subject {
            name: is_named.then(|| cron_job.name.clone()),
            schedule: cron_job.spec.schedule.clone(),
            time_zone: cron_job.spec.time_zone.clone(),
            ..upcoming::Subject::default()
        },
        places: chosen.places.clone(),
    }
}

/// What is asked about, and whether that is all of it.
fn find(
    settings: &mut Settings,
    global: &Global,
    connection: &Connection,
    args: &Args,
) -> anyhow::Result<(Vec<Chosen>, bool)> {
    let Some(schedule) = &args.schedule else {
        // What runs now matters only where the simulation begins now.
        let needs = Needs {
            jobs: args.from.is_none() && args.selection.filename.is_empty()
                || args.job_duration == JobDuration::FromHistory,
            ..Needs::default()
        };
        let found = gather(settings, global, connection, &args.selection, needs)?;
        return Ok((found.chosen, found.complete));
    };
    if let Some(name) = &args.time_zone {
        check_time_zone(name, settings)?;
    }
    let mut cron_job = CronJob {
        api_version: "batch/v1".to_owned(),
        namespace: "default".to_owned(),
        name: "simulated".to_owned(),
        ..CronJob::default()
    };
    cron_job.spec.schedule = schedule.clone();
    cron_job.spec.time_zone = args.time_zone.clone();
    let evidence = CronJobEvidence {
        cron_job,
        ..CronJobEvidence::default()
    };
    let chosen = Chosen {
        evidence,
        places: None,
    };
    Ok((vec![chosen], true))
}

fn plan(args: &Args, edits: Vec<Edit>, now: Timestamp) -> anyhow::Result<Plan> {
    let from = args.from.unwrap_or(now);
    let to = match args.to {
        Some(to) => to,
        None => later("--for", from, args.length.unwrap_or(DEFAULT_LENGTH))?,
    };
    if to <= from {
        let beginning = if args.from.is_some() { "--from" } else { "now" };
        bail!("--to {to} is not later than {beginning}, {from}");
    }
    for Edit { at, .. } in &edits {
        if *at < from || *at >= to {
            bail!("--at {at} is not within the simulation, {from} to {to}");
        }
    }
    let stretches = |given: &[Stretch]| given.iter().map(|one| (one.from, one.to)).collect();
    Ok(Plan {
        from,
        to,
        outages: stretches(&args.outage),
        suspended: stretches(&args.suspended),
        edits,
        durations: Durations::of(SignedDuration::ZERO),
        failures_per_million: args.fail_rate,
        seed: args.seed,
    })
}

/// What `--at` changes. What is wrong with it is said without asking anybody.
fn edits_of(args: &Args) -> anyhow::Result<Vec<Edit>> {
    let mut planned = Vec::new();
    for pair in args.at.chunks(2) {
        let [text, change] = pair else { continue };
        let at = time(text).map_err(|why| anyhow!("--at {text}: {why}"))?;
        let change = edits::parse(change).with_context(|| format!("--at {text} {change}"))?;
        planned.push(Edit { at, change });
    }
    Ok(planned)
}

/// How long the Jobs of a `CronJob` take.
fn durations(args: &Args, global: &Global, evidence: &CronJobEvidence) -> Durations {
    const UNKNOWN: SignedDuration = SignedDuration::from_secs(60);
    match args.job_duration {
        JobDuration::Between(low, high) => Durations::Between(
            SignedDuration::from_secs(low),
            SignedDuration::from_secs(high),
        ),
        JobDuration::FromHistory => {
            let runs = past_runs(&evidence.cron_job, &evidence.jobs);
            let seen = runs.iter().filter_map(PastRun::duration_seconds);
            let seen: Vec<_> = seen.map(SignedDuration::from_secs).collect();
            if seen.is_empty() {
                if !global.quiet {
                    let name = &evidence.cron_job.name;
                    let whose = match args.schedule {
                        Some(_) => String::new(),
                        None => format!("cronjob {name}: "),
                    };
                    warn(&format!(
                        "{whose}no finished Job shows how long they take; a minute is assumed"
                    ));
                }
                return Durations::of(UNKNOWN);
            }
            Durations::OneOf(seen)
        }
    }
}

/// The zone whose clock decides.
fn zone(controller: &Controller<'_>, cron_job: &CronJob) -> Arc<Zone> {
    let timetable = timetable(controller, cron_job).ok();
    let own = timetable.and_then(|timetable| timetable.zone().cloned());
    own.unwrap_or_else(|| Arc::clone(&controller.local))
}

/// What was assumed, in the words of the call.
fn given(args: &Args, plan: &Plan) -> Given {
    let mut edits: BTreeMap<Timestamp, Vec<String>> = BTreeMap::new();
    for (edit, pair) in plan.edits.iter().zip(args.at.chunks(2)) {
        let change = pair.get(1).cloned().unwrap_or_default();
        edits.entry(edit.at).or_default().push(change);
    }
    Given {
        outages: plan.outages.clone(),
        suspended: plan.suspended.clone(),
        edits,
        changes: args.changes.clone(),
        durations: args.job_duration.shown(),
        failures_per_million: args.fail_rate,
    }
}

fn fails(fail_on: FailOnRun, items: &[Item<'_>]) -> bool {
    let mut summaries = items
        .iter()
        .filter_map(|item| item.simulations.first())
        .map(|(_, simulation)| simulation.summary);
    summaries.any(|summary| match fail_on {
        FailOnRun::Never => false,
        FailOnRun::Lost => summary.lost + summary.blocked > 0,
        FailOnRun::Late => summary.lost + summary.blocked + summary.late + summary.phantom > 0,
    })
}

fn print(args: &Args, header: &Header, items: &[Item<'_>]) -> io::Result<()> {
    let mut out = io::BufWriter::new(voice::stdout());
    let out = &mut out;
    match args.output {
        Some(Format::Json) => output::json(out, &document(header, items))?,
        Some(Format::Yaml) => yaml::write(out, &document(header, items))?,
        Some(Format::Csv) => csv(out, items, !args.no_headers)?,
        Some(Format::Svg) => svg(out, header, items)?,
        None | Some(Format::Wide) => {
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    writeln!(out)?;
                }
                text(out, header, item, args.output.is_some())?;
            }
        }
    }
    out.flush()
}
