//! `simulate`: simulates the controller over time.

mod args;

use std::collections::BTreeMap;

use anyhow::{Context as _, anyhow, bail};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::args::{Common, Side, TimeArg, TimeReference, later, resolve};
use super::diagnostic::{LocatedSubject, explain_problem};
use super::query::{Asked, Query, scope};
use super::side_by_side::{cores, side_by_side};
use super::verb::{Group, VerbSpec};
use super::world::{controller_document, shown_zone, world_of_schedule};
use super::{CommandOutcome, caution, complain, edits, is_quiet, writes};
use crate::evidence::{Needs, SelectedCronJob, World};
use crate::output::contexts::ContextAnswers;
use crate::output::simulate::{
    AssumedEdit, AssumedUpgrade, Assumptions, SimulateAnswer, SimulatedCronJob, SimulationHeader,
    SimulationSubject,
};
use args::{FailOnRun, TimeRange};
use cronjob_controller::controller::{Controller, Model, Release};
use cronjob_controller::simulate::{
    InitialState, PlannedEdit, Simulation, SimulationDifferences, SimulationPlan, TimeSpan,
    TimeSpans, initial_state, outlasting_jobs, simulate, simulate_upgrade,
};
use cronjob_controller::upcoming::{display_zone, timetable};
use cronjob_diagnosis::diagnose::{nearest_rank, with_just_started};
use cronjob_manifest::validation::WriteChange;
use cronjob_text::duration::{exact, human};
use kube_cron::Timetable;
use kube_model::{ConcurrencyPolicy, CronJob, CronJobEvidence, PastRun, SpecChange, past_runs};

pub(super) use args::SimulateArgs;

/// The default length of a simulation, in seconds.
const DEFAULT_LENGTH: i64 = 7 * 86_400;

pub(super) const SPEC: VerbSpec = VerbSpec {
    predicts_changes: true,
    synonyms: &[("simulate --compare", &["upgrade"])],
    ..VerbSpec::query::<SimulateArgs>("simulate", Group::Plan)
};

impl Query for SimulateArgs {
    type Found = FoundSimulations;
    type Answer<'a> = SimulateAnswer<'a>;

    const SEVERAL_CONTEXTS: bool = false;

    scope!();

    fn needs(&self) -> anyhow::Result<Needs> {
        // Running Jobs matter only if the simulation begins now.
        Ok(Needs {
            jobs: self.from.is_none() && self.selection.cron_jobs.filename.is_empty()
                || self.job_duration.is_none(),
            ..Needs::default()
        })
    }

    fn begin(&self, _common: &Common) -> anyhow::Result<Option<CommandOutcome>> {
        edits::check(&self.changes)?;
        edits_of(self)?;
        Ok(None)
    }

    fn world(&self, common: &Common) -> anyhow::Result<Option<World>> {
        let (schedule, zone) = (self.schedule.as_deref(), self.time_zone.as_ref());
        world_of_schedule(common, &self.basis, schedule, zone)
    }

    fn find(&self, asked: Asked<'_>) -> anyhow::Result<FoundSimulations> {
        FoundSimulations::of(self, &asked.world)
    }

    fn answer<'a>(
        &'a self,
        found: &'a ContextAnswers<FoundSimulations>,
    ) -> Option<SimulateAnswer<'a>> {
        let found = found.as_one()?;
        let is_void = found.items.is_empty() && !found.complete;
        (!is_void).then(|| SimulateAnswer {
            header: &found.header,
            items: &found.items,
            with_headings: !self.no_headers,
            hints: !is_quiet(),
        })
    }

    fn is_complete(&self, found: &FoundSimulations) -> bool {
        found.complete
    }

    fn fails(&self, found: &FoundSimulations) -> bool {
        fails(self.fail_on, &found.items)
    }
}

/// The simulations of a World.
pub(crate) struct FoundSimulations {
    header: SimulationHeader,
    items: Vec<SimulatedCronJob>,
    complete: bool,
}

impl FoundSimulations {
    fn of(args: &SimulateArgs, world: &World) -> anyhow::Result<Self> {
        let (now, mut complete) = (world.basis.now, world.complete);
        let plan = plan(args, edits_of(args)?, world)?;
        let controller = &world.basis.controller;
        let mut controllers = vec![controller.clone()];
        controllers.extend(edits::controllers(&args.compare, controller));
        if plan.upgrade.is_some() {
            check_upgrade(&controllers)?;
        }
        let before = state_before(args, &plan, now);
        let mut tasks = Vec::new();
        let is_fleet = args.output.is_none() && world.cron_jobs.len() > 1 && controllers.len() > 1;
        let mut size = Size::new(&plan, controllers.len(), is_fleet);
        for one in &world.cron_jobs {
            let evidence = &one.evidence;
            let cron_job = with_just_started(controller, &evidence.cron_job, &evidence.jobs, now);
            let cron_job = edits::apply(&cron_job, &args.changes)?;
            let job_duration = match timetable(controller, &cron_job) {
                Ok(timetable) => {
                    let takes = job_duration(args, evidence);
                    size.add(&cron_job, &timetable, takes)?;
                    takes
                }
                Err(problem) => {
                    let located = LocatedSubject::of(one, &cron_job, args.schedule.is_none());
                    complain(explain_problem(&located, &problem));
                    complete = false;
                    continue;
                }
            };
            tasks.push(Task {
                selected: one,
                is_named: args.schedule.is_none(),
                plan: SimulationPlan {
                    job_duration,
                    ..plan.clone()
                },
                cron_job,
            });
        }
        if before == InitialState::AsFound {
            tasks.iter().for_each(Task::warn_of_outlasting_jobs);
        }
        tasks.iter().for_each(Task::warn_of_later_creation);
        let items = side_by_side(&tasks, cores(), |task| {
            let mut simulations = task.compute(&controllers, before);
            let differences = SimulationDifferences::of(&simulations);
            if is_fleet && differences.is_empty() {
                // It is only counted.
                for (_, simulation) in &mut simulations {
                    simulation.runs = Vec::new();
                }
            }
            SimulatedCronJob {
                subject: SimulationSubject {
                    zone: display_zone(controller, &task.cron_job),
                    cron_job: task.cron_job.clone(),
                    is_named: task.is_named,
                },
                simulations,
                differences,
                writes: task.writes(&controllers),
            }
        });
        Ok(FoundSimulations {
            items,
            header: SimulationHeader {
                controller: controller_document(&world.basis),
                compared: args.compare.clone(),
                from: plan.from,
                to: plan.to,
                given: assumptions(args, &plan),
            },
            complete,
        })
    }
}

fn state_before(args: &SimulateArgs, plan: &SimulationPlan, now: Timestamp) -> InitialState {
    if args.from.is_none() || plan.from == now {
        InitialState::AsFound
    } else {
        InitialState::AllStarted
    }
}

/// The simulations of one `CronJob`.
struct Task<'a> {
    selected: &'a SelectedCronJob,
    /// The `CronJob` at the beginning.
    cron_job: CronJob,
    /// Whether it is an actual `CronJob`, not a schedule from the command line.
    is_named: bool,
    plan: SimulationPlan,
}

impl Task<'_> {
    /// Jobs that have been active for longer than they are assumed to take continue for an unknown time.
    fn warn_of_outlasting_jobs(&self) {
        let takes = exact(self.plan.job_duration.as_secs());
        for (job, active_for) in
            outlasting_jobs(&self.cron_job, &self.selected.evidence.jobs, &self.plan)
        {
            let until = match job.active_deadline_seconds {
                Some(_) => "until its activeDeadlineSeconds have passed",
                None => "until the end of the simulation",
            };
            let (cron_job, job) = (&self.cron_job.name, &job.name);
            let active_for = human(active_for.as_secs());
            caution(&format!(
                "cronjob {cron_job}: Job {job} has been active for {active_for}, longer than {takes}: assuming that it \
                 runs {until}"
            ));
        }
    }

    /// Nothing starts before the CronJob was created.
    fn warn_of_later_creation(&self) {
        let created = self.cron_job.known_creation();
        if let Some(created) = created.filter(|created| *created >= self.plan.to) {
            let cron_job = &self.cron_job.name;
            caution(&format!(
                "cronjob {cron_job}: it was created at {created}, after the simulated period"
            ));
        }
    }

    /// What the API servers of the other versions answer differently.
    fn writes(&self, controllers: &[Controller]) -> Vec<WriteChange> {
        match controllers.split_first() {
            Some((controller, compared)) if self.is_named => {
                // Of a file, all of the Job template was read.
                let is_complete = self.selected.places.is_some();
                writes::changes(&self.cron_job, is_complete, controller, compared)
            }
            _ => Vec::new(),
        }
    }

    /// The simulations by version. With an upgrade, the first is the one with it, and the second the one without.
    fn compute(
        &self,
        controllers: &[Controller],
        before: InitialState,
    ) -> Vec<(Release, Simulation)> {
        if let (Some(_), [old, new]) = (self.plan.upgrade, controllers) {
            let unchanged = SimulationPlan {
                upgrade: None,
                ..self.plan.clone()
            };
            let upgraded = self.simulate(old, before, &self.plan, Some(new));
            let unchanged = self.simulate(old, before, &unchanged, None);
            return vec![(new.release, upgraded), (old.release, unchanged)];
        }
        let one = |controller: &Controller| {
            let simulation = self.simulate(controller, before, &self.plan, None);
            (controller.release, simulation)
        };
        controllers.iter().map(one).collect()
    }

    fn simulate(
        &self,
        controller: &Controller,
        before: InitialState,
        plan: &SimulationPlan,
        successor: Option<&Controller>,
    ) -> Simulation {
        let jobs = &self.selected.evidence.jobs;
        let (cron_job, jobs, from) =
            initial_state(controller, &self.cron_job, jobs, plan.from, before);
        let plan = SimulationPlan {
            from: from.min(plan.to),
            ..plan.clone()
        };
        match successor {
            Some(successor) => simulate_upgrade(controller, successor, &cron_job, &jobs, &plan),
            None => simulate(controller, &cron_job, &jobs, &plan),
        }
    }
}

/// Whether one upgrade is possible from the first controller to the others.
fn check_upgrade(controllers: &[Controller]) -> anyhow::Result<()> {
    let [old, new] = controllers else {
        bail!("--upgrade-at: --compare must name one version, the one after the upgrade");
    };
    if old.model == Model::Kubebuilder {
        bail!("--upgrade-at: the controller of the kubebuilder tutorial is not part of Kubernetes");
    }
    let (new, old) = (new.release, old.release);
    if new.minor() < old.minor() || new == old {
        bail!("--upgrade-at: {new} is not an upgrade from {old}");
    }
    Ok(())
}

fn plan(
    args: &SimulateArgs,
    edits: Vec<(TimeArg, SpecChange)>,
    world: &World,
) -> anyhow::Result<SimulationPlan> {
    let basis = &world.basis;
    let now = basis.now;
    // Of CronJobs in several zones, the times are those of the controller.
    let shown = shown_zone(world);
    let reference = TimeReference::of(
        basis,
        Some(shown.as_ref().unwrap_or(&basis.controller.local)),
    );
    let from = resolve(args.from.as_ref(), "--from", Side::Past, reference)?.unwrap_or(now);
    let to = resolve(args.to.as_ref(), "--to", Side::Future, reference)?;
    let edits = edits.into_iter().map(|(at, change)| {
        let at = at.resolve("--at", Side::Future, reference)?;
        Ok(PlannedEdit { at, change })
    });
    let edits: Vec<PlannedEdit> = edits.collect::<anyhow::Result<_>>()?;
    let to = match to {
        Some(to) => to,
        None => later("--for", from, args.length.unwrap_or(DEFAULT_LENGTH))?,
    };
    if to <= from {
        let beginning = if args.from.is_some() { "--from" } else { "now" };
        bail!("--to {to}: must be after {beginning} ({from})");
    }
    for PlannedEdit { at, .. } in &edits {
        if *at < from || *at >= to {
            bail!("--at {at}: must be within the simulated period, {from} to {to}");
        }
    }
    let time_ranges = |flag: &str, ranges: &[TimeRange]| -> anyhow::Result<TimeSpans> {
        let resolved = ranges.iter().map(|one| one.resolve(flag, reference));
        let resolved = resolved.collect::<anyhow::Result<Vec<_>>>()?;
        for (begin, end) in resolved.iter().filter(|one| one.1 <= from || one.0 >= to) {
            caution(&format!(
                "{flag} {begin}/{end} is outside of the simulated period, {from} to {to}"
            ));
        }
        Ok(resolved.into_iter().collect())
    };
    let outages = time_ranges("--outage", &args.outage)?;
    let upgrade = args.upgrade_at.as_ref();
    let upgrade = upgrade.map(|one| one.resolve("--upgrade-at", reference));
    let upgrade = upgrade.transpose()?.map(|(from, to)| TimeSpan { from, to });
    if let Some(upgrade) = upgrade {
        if upgrade.from < from || upgrade.to >= to {
            bail!(
                "--upgrade-at {}/{}: must be within the simulated period, {from} to {to}",
                upgrade.from,
                upgrade.to
            );
        }
        let mut outages = outages.iter();
        if outages.any(|outage| outage.from <= upgrade.to && upgrade.from <= outage.to) {
            bail!("--outage: must not overlap with --upgrade-at");
        }
    }
    Ok(SimulationPlan {
        from,
        to,
        outages,
        upgrade,
        suspended: time_ranges("--suspended", &args.suspended)?,
        edits,
        job_duration: SignedDuration::ZERO,
    })
}

/// The changes of `--at`. Checked before any request is sent.
fn edits_of(args: &SimulateArgs) -> anyhow::Result<Vec<(TimeArg, SpecChange)>> {
    let mut planned = Vec::new();
    for pair in args.at.chunks(2) {
        let [text, change] = pair else { continue };
        let at = text.parse().map_err(|why| anyhow!("--at {text}: {why}"))?;
        let change = edits::parse(change).with_context(|| format!("--at {text} {change}"))?;
        planned.push((at, change));
    }
    Ok(planned)
}

/// How long the Jobs of a `CronJob` take.
fn job_duration(args: &SimulateArgs, evidence: &CronJobEvidence) -> SignedDuration {
    const UNKNOWN: SignedDuration = SignedDuration::from_secs(60);
    let median = || {
        let runs = past_runs(&evidence.cron_job, &evidence.jobs);
        let seen = runs.iter().filter_map(PastRun::duration_seconds);
        let mut seen: Vec<i64> = seen.collect();
        seen.sort_unstable();
        nearest_rank(&seen, 50)
    };
    if let Some(seconds) = args.job_duration.or_else(median) {
        return SignedDuration::from_secs(seconds);
    }
    let whose = match args.schedule {
        Some(_) => String::new(),
        None => format!("cronjob {}: ", evidence.cron_job.name),
    };
    caution(&format!(
        "{whose}no finished Job to take the duration from; assuming 1m"
    ));
    UNKNOWN
}

/// The conditions as given on the command line.
fn assumptions(args: &SimulateArgs, plan: &SimulationPlan) -> Assumptions {
    let mut edits: BTreeMap<Timestamp, Vec<String>> = BTreeMap::new();
    for (edit, pair) in plan.edits.iter().zip(args.at.chunks(2)) {
        let change = pair.get(1).cloned().unwrap_or_default();
        edits.entry(edit.at).or_default().push(change);
    }
    let edits = edits.into_iter();
    let edits = edits.map(|(at, changes)| AssumedEdit { at, changes });
    let upgrade = plan.upgrade.zip(args.compare.first());
    Assumptions {
        outages: plan.outages.clone(),
        upgrade: upgrade.map(|(TimeSpan { from, to }, release)| AssumedUpgrade {
            from,
            to,
            release: *release,
        }),
        suspended: plan.suspended.clone(),
        edits: edits.collect(),
        changes: args.changes.clone(),
        job_duration: match args.job_duration {
            Some(seconds) => exact(seconds),
            None => "as long as the median of past runs".to_owned(),
        },
    }
}

fn fails(fail_on: FailOnRun, items: &[SimulatedCronJob]) -> bool {
    let mut simulations = items.iter().filter_map(|item| item.simulations.first());
    simulations.any(|(_, Simulation { summary, .. })| match fail_on {
        FailOnRun::Never => false,
        FailOnRun::Lost => summary.lost + summary.blocked > 0,
        FailOnRun::Late => summary.lost + summary.blocked + summary.late + summary.phantom > 0,
    })
}

/// Limits the size of the simulations: each run is kept in memory until it is printed.
struct Size<'p> {
    plan: &'p SimulationPlan,
    releases: u64,
    runs: u64,
    most: u64,
}

impl<'p> Size<'p> {
    /// They take about 400 MB, and three seconds.
    const MOST: u64 = 2_000_000;
    /// Where CronJobs for which nothing changes are only counted.
    const MOST_COUNTED: u64 = 20_000_000;
    /// Each sync goes through all Jobs that run.
    const MOST_WORK: u64 = 300_000_000;

    fn new(plan: &'p SimulationPlan, releases: usize, is_fleet: bool) -> Self {
        Size {
            plan,
            releases: u64::try_from(releases).unwrap_or(u64::MAX),
            runs: 0,
            most: if is_fleet {
                Self::MOST_COUNTED
            } else {
                Self::MOST
            },
        }
    }

    /// Counts the runs of one more CronJob, as long as they are not too many.
    fn add(
        &mut self,
        cron_job: &CronJob,
        timetable: &Timetable,
        takes: SignedDuration,
    ) -> anyhow::Result<()> {
        // Where they cannot be counted, the simulation says why.
        let counted = timetable.count(self.plan.from, self.plan.to);
        let runs = counted.map_or(0, |counted| counted.count);
        self.runs = self.runs.saturating_add(runs.saturating_mul(self.releases));
        if self.runs > self.most {
            bail!(
                "more than {} million runs from {} to {}, which is the limit of a simulation: use a \
                 shorter period (--for or --to) or fewer CronJobs",
                self.most / 1_000_000,
                self.plan.from,
                self.plan.to
            );
        }
        let running = self.running(cron_job, runs, takes);
        if runs.saturating_mul(running) > Self::MOST_WORK {
            bail!(
                "about {running} Jobs would run at the same time from {} to {}, which is too many to \
                 simulate: use a shorter period (--for) or a shorter --job-duration",
                self.plan.from,
                self.plan.to
            );
        }
        Ok(())
    }

    /// About how many Jobs of a CronJob run at the same time.
    fn running(&self, cron_job: &CronJob, runs: u64, takes: SignedDuration) -> u64 {
        if cron_job.spec.concurrency_policy != ConcurrencyPolicy::Allow {
            return 1;
        }
        let template = &cron_job.spec.job_template;
        let deadline = template.pointer("/spec/activeDeadlineSeconds");
        let deadline = deadline.and_then(Value::as_u64).unwrap_or(u64::MAX);
        let seconds = |time: SignedDuration| u64::try_from(time.as_secs()).unwrap_or_default();
        let takes = seconds(takes).min(deadline);
        let span = seconds(self.plan.to.duration_since(self.plan.from)).max(1);
        runs.saturating_mul(takes.min(span)) / span
    }
}
