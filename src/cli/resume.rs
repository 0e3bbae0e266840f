//! `resume`: predicts which missed run starts late, asks whether it should, and compares what happens.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use anyhow::{Context as _, anyhow, bail};

use super::args::{CatchUpFlag, Common, DryRun, Resume as Args, SkipMethod};
use super::changing::{
    ChangeRun, Expected, NamedTargets, Patch, PlannedChange, StateFile, ask, can_ask,
    check_predictions, cron_jobs_of, load_named, load_targets, nothing_changed, nothing_selected,
    read_state,
};
use super::diagnostic::Diagnostic;
use super::interrupt::Busy;
use super::{CommandOutcome, complain, say_plainly, stdio, warn};
use crate::change::{CatchUp, Request, Resumption, quiet_deadline, reverted_by};
use crate::cli::args::CronJobArgs;
use crate::cli::verb::{Group, Verb, VerbSpec};
use crate::cluster::Right;
use crate::diagnose::{Facts, SuspensionRecord, is_refuted};
use crate::duration::exact;
use crate::evidence::{Basis, Live, World};
use crate::model::{CronJob, ManualChange};
use crate::output::actions::{
    ActionEffect, ActionWords, compared, resumption_totals, write_checks,
};
use crate::query::Resource;
use crate::snapshot::Input;
use crate::words::counted;

pub(super) const SPEC: VerbSpec = VerbSpec {
    alias: Some("unsuspend"),
    synonyms: &[("resume", &["unpause", "enable"])],
    ..VerbSpec::of::<Args>("resume", Group::Act)
};

impl Verb for Args {
    fn run(&self, common: &Common) -> anyhow::Result<CommandOutcome> {
        run(common, self)
    }

    fn cron_jobs(&self) -> Option<&CronJobArgs> {
        Some(&self.targets.cron_jobs)
    }

    fn flags_of_one_namespace(&self) -> Vec<(&'static str, bool)> {
        vec![("--wait", self.wait)]
    }
}

fn run(common: &Common, args: &Args) -> anyhow::Result<CommandOutcome> {
    let basis = common.basis(&args.basis)?;
    let (live, world) = match &args.from_state {
        Some(path) => return from_state(common, basis, args, path),
        None if !args.targets.is_chosen() => {
            bail!(nothing_selected(
                ", -A (all namespaces) or --from-state FILE (those suspended by suspend --save-state)"
            ))
        }
        None => load_targets(common, basis, &args.targets)?,
    };
    change(common, args, live, world)
}

const WORDS: ActionWords = ActionWords {
    verb: "resume",
    done: "resumed",
    not_needed: "not suspended",
};

/// Resumes the CronJobs of a World.
pub(super) fn change(
    common: &Common,
    args: &Args,
    live: Live,
    world: World,
) -> anyhow::Result<CommandOutcome> {
    let quiet = common.global.quiet;
    let mut change = ResumeChange {
        skip: None,
        field_manager: &args.changing.field_manager,
    };
    let (mut run, all_evidence) = ChangeRun::new(common, &args.changing, live, world, WORDS);
    let is_done = |cron_job: &CronJob| change.is_done(cron_job);
    let mut planned = run.predict(all_evidence, is_done, |facts| change.plan(facts));
    check_rights(args, &run, &planned)?;
    if planned.is_empty() {
        return run.finish_unneeded();
    }
    if !confirm(args, &mut run, &mut change, &mut planned)? {
        return Ok(nothing_changed());
    }
    let busy = Busy::begin(&run.live.session);
    // Those that were resumed, as they were before.
    let mut resumed: Vec<PlannedChange<Resumption>> = Vec::new();
    let mut has_started_late = false;
    let left = run.send_each(planned, &busy, |run, one| {
        let late = one.plan.first_start.late();
        if late.is_some_and(|late| late.starts_after.is_empty()) {
            if let Some(pause) = args.stagger.filter(|_| has_started_late) {
                if !quiet {
                    let seconds = i64::try_from(pause.as_secs()).unwrap_or(i64::MAX);
                    say_plainly(&format!("Resuming the next CronJob in {}.", exact(seconds)));
                }
                run.live.session.pause(pause);
            }
            has_started_late = true;
            if busy.is_interrupted() {
                return Ok(None);
            }
        }
        let attempt = run.patch(one, &change, &busy);
        if matches!(
            attempt.action.effect,
            ActionEffect::Done | ActionEffect::Shown
        ) {
            resumed.push(one.clone());
        }
        Ok(Some(attempt))
    });
    let waited = if waits(args) {
        compare(&mut run, &resumed, &busy)
    } else {
        Ok(CommandOutcome::Fine)
    };
    let how_to_continue = "run the same command again; resumed CronJobs stay resumed";
    run.finish(&left, how_to_continue, waited, &busy)
}

/// How missed runs are kept from starting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SkipWith {
    /// `status.lastScheduleTime` says that they were started.
    Status,
    /// A `startingDeadlineSeconds` that they are past.
    Deadline,
}

/// Unsets `spec.suspend`.
struct ResumeChange<'a> {
    /// How missed runs are kept from starting, if they are.
    skip: Option<SkipWith>,
    field_manager: &'a str,
}

impl Patch for ResumeChange<'_> {
    type Plan = Resumption;

    fn is_done(&self, cron_job: &CronJob) -> bool {
        cron_job.spec.suspend != Some(true)
    }

    fn plan(&self, facts: &Facts<'_>) -> Resumption {
        let writer = self.field_manager;
        let as_it_is = Resumption::of(facts, CatchUp::Run, writer);
        let catch_up = match self
            .skip
            .filter(|_| as_it_is.first_start.is_worth_skipping())
        {
            None => None,
            Some(SkipWith::Status) => {
                let last = as_it_is.last_missed.or(as_it_is.first_start.late_time());
                last.map(CatchUp::Status)
            }
            Some(SkipWith::Deadline) => quiet_deadline(facts).map(CatchUp::Deadline),
        };
        catch_up.map_or(as_it_is, |catch_up| Resumption::of(facts, catch_up, writer))
    }

    fn requests(&self, cron_job: &CronJob, plan: &Resumption) -> Vec<Request> {
        Request::resume(cron_job, plan)
    }

    fn still_holds(&self, agreed: &Resumption, new: &Resumption, reads_the_same: bool) -> bool {
        reads_the_same && (&agreed.first_start, agreed.catch_up) == (&new.first_start, new.catch_up)
    }
}

fn waits(args: &Args) -> bool {
    args.wait && args.changing.dry_run == DryRun::None
}

fn check_rights(
    args: &Args,
    run: &ChangeRun<'_>,
    planned: &[PlannedChange<Resumption>],
) -> anyhow::Result<()> {
    run.require_patch(planned, None)?;
    if waits(args) {
        let jobs = Resource::jobs();
        for verb in ["list", "watch"] {
            run.require(cron_jobs_of(planned), Right::to(verb, &jobs))?;
        }
    }
    Ok(())
}

/// Asks how to handle missed runs if there are any, and whether to resume otherwise.
fn confirm(
    args: &Args,
    run: &mut ChangeRun<'_>,
    change: &mut ResumeChange<'_>,
    planned: &mut [PlannedChange<Resumption>],
) -> anyhow::Result<bool> {
    let asks = args.catch_up == CatchUpFlag::Ask && late(planned) > 0;
    let is_choice = asks && args.changing.dry_run == DryRun::None;
    let mut catch_up = Some(args.catch_up);
    if is_choice {
        show(run, planned)?;
        catch_up = choose(args, planned)?;
    }
    let Some(catch_up) = catch_up else {
        return Ok(false);
    };
    let skips = catch_up == CatchUpFlag::Skip;
    if skips {
        change.skip = Some(skip_with(args, run, planned)?);
        for one in planned.iter_mut() {
            one.plan = run.with_facts(&one.evidence, |facts| change.plan(facts));
        }
        refuse_unsafe_skips(args, &run.basis, planned)?;
    }
    if !is_choice || skips {
        show(run, planned)?;
    }
    let at_once = late(planned);
    if at_once > 1 && args.stagger.is_none() && !run.common.global.quiet {
        say_plainly(&format!(
            "{at_once} late runs will start at the same time; use --stagger 30s to space them out."
        ));
    }
    if asks && !is_choice {
        say_plainly(CHOOSE);
    }
    Ok(is_choice || run.confirm(&run.question(planned))?)
}

fn show(run: &mut ChangeRun<'_>, planned: &[PlannedChange<Resumption>]) -> anyhow::Result<()> {
    run.show(planned, |run| {
        let all: Vec<&Resumption> = planned.iter().map(|one| &one.plan).collect();
        let unneeded = run.report.count(&ActionEffect::Unchanged);
        Some(resumption_totals(&all, unneeded))
    })
}

/// Compares what the controller then does with the predictions.
fn compare(
    run: &mut ChangeRun<'_>,
    resumed: &[PlannedChange<Resumption>],
    busy: &Busy,
) -> anyhow::Result<CommandOutcome> {
    let expected = resumed.iter().map(|one| {
        let mut before = one.evidence.clone();
        if let CatchUp::Status(scheduled_time) = one.plan.catch_up {
            before.cron_job.status.last_schedule_time = Some(scheduled_time);
        }
        Expected {
            before,
            decision: one.plan.decision.clone(),
        }
    });
    let verdicts = check_predictions(&run.live, expected.collect(), run.common.global.quiet, busy)?;
    let mut all_right = true;
    for (one, checks) in resumed.iter().zip(verdicts) {
        all_right &= !is_refuted(&checks);
        let cron_job = &one.evidence.cron_job;
        if run.changing.output.is_none() {
            let name = cron_job.full_name();
            let written = write_checks(&mut stdio::stdout(), &name, &checks);
            run.report.note_written(written);
        }
        run.report.observe(cron_job, compared(checks));
    }
    Ok(CommandOutcome::of(true, !all_right))
}

/// The flags that answer the question.
const CHOOSE: &str = "Specify --catch-up=run (let the controller start it) or --catch-up=skip (continue with \
                      the next run).";

/// The number of CronJobs that would start a missed run.
fn late(planned: &[PlannedChange<Resumption>]) -> usize {
    let scheduled_times = planned
        .iter()
        .filter_map(|one| one.plan.first_start.late_time());
    scheduled_times.count()
}

/// Asks how to handle missed runs; `None` cancels.
fn choose(
    args: &Args,
    planned: &[PlannedChange<Resumption>],
) -> anyhow::Result<Option<CatchUpFlag>> {
    if args.changing.yes || !can_ask() {
        let what = match late(planned) {
            1 => "a missed run would start late".to_owned(),
            many => format!("{many} missed runs would start late"),
        };
        bail!("nothing was changed: {what}. {CHOOSE}");
    }
    let question = match late(planned) {
        1 => "Start the missed run late, skip it, or cancel?".to_owned(),
        many => format!("Start the {many} missed runs late, skip them, or cancel?"),
    };
    let choices = [
        ("run", Some(CatchUpFlag::Run)),
        ("skip", Some(CatchUpFlag::Skip)),
        ("cancel", None),
    ];
    ask(&question, &choices, None, None)
}

/// How missed runs are skipped: with the status, if the user may patch it.
fn skip_with(
    args: &Args,
    run: &ChangeRun<'_>,
    planned: &[PlannedChange<Resumption>],
) -> anyhow::Result<SkipWith> {
    match args.skip_method {
        SkipMethod::Status => {
            run.require_patch(planned, Some("status"))?;
            Ok(SkipWith::Status)
        }
        SkipMethod::Deadline => Ok(SkipWith::Deadline),
        SkipMethod::Auto => {
            let right = Right {
                subresource: Some("status"),
                ..Right::to("patch", &run.live.wanted.resource)
            };
            Ok(if run.has_right(cron_jobs_of(planned), right)? {
                SkipWith::Status
            } else {
                SkipWith::Deadline
            })
        }
    }
}

/// Fails if a missed run cannot be skipped safely.
fn refuse_unsafe_skips(
    args: &Args,
    basis: &Basis,
    planned: &[PlannedChange<Resumption>],
) -> anyhow::Result<()> {
    let is_dry_run = args.changing.dry_run != DryRun::None;
    for PlannedChange { evidence, plan } in planned {
        let cron_job = &evidence.cron_job;
        let name = cron_job.full_name();
        if plan.first_start.late_time().is_some() && cron_job.spec.every().is_some() {
            bail!(
                "nothing was changed: no startingDeadlineSeconds skips the missed run of {name} and starts later \
                 ones, because the times of @every count from it; use --skip-method=status, or start it with \
                 --catch-up=run"
            );
        }
        // A deadline below the age of a recent missed run may be too short to be safe.
        if plan.first_start.late_time().is_some() {
            bail!(
                "nothing was changed: the missed run of {name} is too recent to skip safely with a \
                 startingDeadlineSeconds; try again in a minute, use --skip-method=status, or start it with \
                 --catch-up=run"
            );
        }
        match plan.catch_up {
            // It would prevent all runs before it.
            CatchUp::Status(scheduled_time) if !is_dry_run && basis.is_future(scheduled_time) => {
                bail!(
                    "nothing was changed: the run scheduled at {scheduled_time} is in the future for the API server; a \
                     --now in the future works only with --dry-run"
                );
            }
            CatchUp::Deadline(seconds) if !args.force => {
                let change = ManualChange::StartingDeadlineSeconds(seconds);
                let writer = &args.changing.field_manager;
                if let Some(owner) = reverted_by(cron_job, change, writer) {
                    let why = format!(
                        "nothing was changed: {name}: {owner} and may revert startingDeadlineSeconds, which would \
                         start the missed run"
                    );
                    let help = "Use --skip-method=status, or --force to set it anyway.";
                    bail!(Diagnostic::new(why).help(help));
                }
            }
            CatchUp::Run | CatchUp::Status(_) | CatchUp::Deadline(_) => {}
        }
    }
    Ok(())
}

/// Reads the CronJobs in a state file of `suspend`, and resumes them.
fn from_state(
    common: &Common,
    basis: Basis,
    args: &Args,
    path: &Path,
) -> anyhow::Result<CommandOutcome> {
    let place = format!("--from-state {}", path.display());
    let text = Input::File(path.to_owned())
        .load(&mut io::empty())
        .map_err(|error| anyhow!("--from-state: {error}"))?
        .text;
    let StateFile {
        server,
        suspended,
        is_cut,
    } = read_state(&text).with_context(|| place.clone())?;
    if is_cut {
        warn(&format!(
            "{place}: the last line is incomplete and was ignored"
        ));
    }
    if suspended.is_empty() {
        say_plainly(&format!(
            "{place}: nothing to resume: the file lists no CronJobs"
        ));
        return Ok(CommandOutcome::Fine);
    }
    let wanted = &common.connection.namespaces;
    let (suspended, others): (Vec<_>, Vec<_>) = suspended
        .into_iter()
        .partition(|one| wanted.is_empty() || wanted.contains(&one.namespace));
    let left: BTreeSet<&str> = others.iter().map(|one| one.namespace.as_str()).collect();
    let left = Vec::from_iter(left).join(", ");
    if suspended.is_empty() {
        let wanted = wanted.join(",");
        bail!("{place}: the file lists no CronJobs in -n {wanted}, only in {left}");
    }
    let mut names: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for one in &suspended {
        let namespace = names.entry(Some(one.namespace.clone())).or_default();
        namespace.push(one.name.clone());
    }
    let named = NamedTargets {
        names,
        suggests: false,
    };
    let (live, world) = load_named(common, basis, &args.targets, &named)?;
    let this = live.session.server();
    let other = match server {
        Some(server) => (server != this).then(|| format!("written for {server}, but")),
        None => Some("the file does not name its API server;".to_owned()),
    };
    if let Some(other) = other.filter(|_| !common.global.quiet) {
        warn(&format!("{place}: {other} the current server is {this}"));
    }
    if !others.is_empty() {
        let count = counted(others.len(), "CronJob");
        say_plainly(&format!("{count} of the file left out, in {left}."));
    }
    let mut complete = true;
    let display = world.basis.display.clone();
    let world = world.only(|cron_job| {
        let entries = suspended
            .iter()
            .filter(|one| (&one.namespace, &one.name) == (&cron_job.namespace, &cron_job.name));
        let name = cron_job.full_name();
        let Some(entry) = entries.rev().find(|one| one.uid == cron_job.uid) else {
            warn(&format!(
                "{name} was re-created in the meantime and is not resumed"
            ));
            return false;
        };
        let Some(record) =
            SuspensionRecord::of(cron_job).filter(|record| !entry.is_of(cron_job, record))
        else {
            return true;
        };
        let by_whom = record.by_whom(cron_job, display.as_deref());
        let by_whom = by_whom.map_or_else(String::new, |by| format!(" {by}"));
        let why = record.reason.map(|why| format!(" ({why})"));
        let why = why.unwrap_or_default();
        complain(&format!(
            "{name} was suspended again{by_whom}{why} and stays suspended"
        ));
        complete = false;
        false
    });
    change(common, args, live, world.complete_if(complete))
}
