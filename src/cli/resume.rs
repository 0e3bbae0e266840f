//! `resume`: which missed run starts late, whether it should, and what then happens.

use std::io;
use std::path::Path;

use anyhow::{Context as _, anyhow, bail};

use super::args::{CatchUpFlag, Common, DryRun, Resume as Args, SkipMethod};
use super::changing::{
    Named, Planned, Round, State, ask, can_ask, deed_in_namespace, deed_on_status, full_name,
    load_named, load_targets, may, read_state,
};
use super::diagnostic::Diagnostic;
use super::interrupt::Busy;
use super::resuming::{Resuming, Skip};
use super::{Outcome, complain, say_plainly, warn};
use crate::change::{CatchUp, Resumption, field_owner};
use crate::cluster::Resource;
use crate::diagnose::{SUSPEND_REASON, suspend_reason};
use crate::evidence::{Basis, Live, World};
use crate::snapshot::Input;

pub(super) fn run(common: &Common, args: &Args) -> anyhow::Result<Outcome> {
    let basis = common.basis(&args.basis)?;
    let reached = match &args.from_state {
        Some(path) => from_state(common, basis, args, path)?,
        None => load_targets(common, basis, &args.targets)?,
    };
    change(common, args, reached)
}

/// Resumes what was found.
pub(super) fn change(
    common: &Common,
    args: &Args,
    reached: (Live, World),
) -> anyhow::Result<Outcome> {
    let mut step = Resuming::new(args.stagger, common.global.quiet);
    let (mut round, mut planned) = Round::plan(common, &args.changing, reached, &step);
    if planned.is_empty() {
        return round.finish(&step, &[], None);
    }
    round.ensure_rights(&planned, None)?;
    let watches = args.wait && args.changing.dry_run == DryRun::None;
    if watches {
        let jobs = Resource::jobs();
        for verb in ["list", "watch"] {
            round.ensure_may(&planned, deed_in_namespace(verb, &jobs, None))?;
        }
    }
    let mut shown = false;
    let choice = match args.catch_up {
        CatchUpFlag::Ask if late(&planned) > 0 && args.changing.dry_run == DryRun::None => {
            round.show(&planned, &step)?;
            shown = true;
            choose(args, &planned)?
        }
        CatchUpFlag::Ask | CatchUpFlag::Run => Some(Choice::Run),
        CatchUpFlag::Skip => Some(Choice::Skip),
    };
    let Some(choice) = choice else {
        say_plainly("Nothing was changed.");
        return Ok(Outcome::Incomplete);
    };
    if choice == Choice::Skip {
        step.skip = Some(skip_method(args, &round, &planned)?);
        round.plan_again(&mut planned, &step);
        refuse_what_cannot_be_skipped(&planned)?;
        refuse_what_is_yet_to_come(args, &round.basis, &planned)?;
        refuse_deadlines_of_others(args, &planned)?;
    }
    if !shown || choice == Choice::Skip {
        round.show(&planned, &step)?;
    }
    say_what_comes_together(args, common.global.quiet, &planned);
    if choice == Choice::Run && args.catch_up == CatchUpFlag::Ask && !shown && late(&planned) > 0 {
        say_plainly(CHOOSE);
    }
    let question = match planned.as_slice() {
        [one] => format!("Resume {}?", one.evidence.cron_job.name),
        many => format!("Resume {} CronJobs?", many.len()),
    };
    if !shown && !round.is_agreed(&question)? {
        say_plainly("Nothing was changed.");
        return Ok(Outcome::Incomplete);
    }
    let busy = Busy::begin(&round.live.session);
    let left = round.run(planned, &mut step, &busy);
    let as_predicted = if watches {
        step.watch(&mut round, args.changing.output.is_none(), &busy)
    } else {
        Some(true)
    };
    let outcome = round.finish(&step, &left, busy.ended_by())?;
    Ok(match (outcome, as_predicted) {
        (Outcome::Fine, Some(false)) => Outcome::Found,
        (Outcome::Fine, None) => Outcome::Incomplete,
        (other, _) => other,
    })
}

/// How to answer the question before it is asked.
const CHOOSE: &str = "Choose with --catch-up=run (let the controller catch up) or --catch-up=skip \
                      (go on with the next run).";

/// What becomes of the runs that would start late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Run,
    Skip,
}

/// How many start a run late.
fn late(planned: &[Planned<Resumption>]) -> usize {
    let slots = planned
        .iter()
        .filter_map(|one| one.plan.first_start.late_slot());
    slots.count()
}

/// Asks what becomes of them; nothing means that nothing is to be done.
fn choose(args: &Args, planned: &[Planned<Resumption>]) -> anyhow::Result<Option<Choice>> {
    if args.changing.yes || !can_ask() {
        let what = match late(planned) {
            1 => "a missed run would start late".to_owned(),
            many => format!("{many} missed runs would start late"),
        };
        bail!("nothing was changed: {what}. {CHOOSE}");
    }
    let question = match late(planned) {
        1 => "Run the missed one late, skip it, or cancel?".to_owned(),
        many => format!("Run the {many} missed ones late, skip them, or cancel?"),
    };
    let choices = [
        ("run", Some(Choice::Run)),
        ("skip", Some(Choice::Skip)),
        ("cancel", None),
    ];
    ask(&question, &choices, None, None)
}

/// How missed runs are skipped: the status is the better way, and not everybody may.
fn skip_method(
    args: &Args,
    round: &Round<'_>,
    planned: &[Planned<Resumption>],
) -> anyhow::Result<Skip> {
    match args.skip_method {
        SkipMethod::Status => {
            round.ensure_rights(planned, Some("status"))?;
            Ok(Skip::Status)
        }
        SkipMethod::Deadline => Ok(Skip::Deadline),
        SkipMethod::Auto => {
            let deed = deed_on_status(&round.live.wanted.resource);
            let cron_jobs = planned.iter().map(|one| &one.evidence.cron_job);
            let allowed = may(&round.live.session, deed, cron_jobs)?;
            Ok(if allowed {
                Skip::Status
            } else {
                Skip::Deadline
            })
        }
    }
}

/// A deadline shorter than the age of the missed slot may be too short to be safe.
fn refuse_what_cannot_be_skipped(planned: &[Planned<Resumption>]) -> anyhow::Result<()> {
    let cannot = |one: &&Planned<Resumption>| one.plan.first_start.late_slot().is_some();
    if let Some(one) = planned.iter().find(cannot) {
        bail!(
            "nothing was changed: the missed run of {}/{} is so recent that no safe deadline keeps \
             it from starting; try again in a minute, use --skip-method=status, or let it run with \
             --catch-up=run",
            one.evidence.cron_job.namespace,
            one.evidence.cron_job.name
        );
    }
    Ok(())
}

/// Where somebody else sets the deadline, or the whole CronJob, ours may not last.
fn refuse_deadlines_of_others(args: &Args, planned: &[Planned<Resumption>]) -> anyhow::Result<()> {
    for one in planned {
        let cron_job = &one.evidence.cron_job;
        if matches!(one.plan.catch_up, CatchUp::Deadline(_))
            && !args.force
            && let Some(owner) = field_owner(
                cron_job,
                "startingDeadlineSeconds",
                &args.changing.field_manager,
            )
        {
            let why = format!(
                "nothing was changed: {}: {owner}, and its next sync may take the \
                 startingDeadlineSeconds away, which starts the missed run",
                full_name(cron_job)
            );
            let help = "--skip-method=status does without it; --force sets it anyway";
            bail!(Diagnostic::new(why).help(help));
        }
    }
    Ok(())
}

/// A slot that only `--now` says is past would keep the CronJob from running until it is.
fn refuse_what_is_yet_to_come(
    args: &Args,
    basis: &Basis,
    planned: &[Planned<Resumption>],
) -> anyhow::Result<()> {
    for one in planned {
        if let CatchUp::Status(slot) = one.plan.catch_up
            && args.changing.dry_run == DryRun::None
            && basis.is_future(slot)
        {
            bail!(
                "nothing was changed: by the server's clock the slot of {slot} is yet to come; what \
                 --now makes up can only be shown, with --dry-run"
            );
        }
    }
    Ok(())
}

fn say_what_comes_together(args: &Args, quiet: bool, planned: &[Planned<Resumption>]) {
    let together = late(planned);
    if together > 1 && args.stagger.is_none() && !quiet {
        say_plainly(&format!(
            "{together} late runs start together; --stagger 30s spaces them."
        ));
    }
}

/// Reads the CronJobs that a call of `suspend` wrote down.
fn from_state(
    common: &Common,
    basis: Basis,
    args: &Args,
    path: &Path,
) -> anyhow::Result<(Live, World)> {
    let place = || format!("--from-state {}", path.display());
    let text = Input::File(path.to_owned())
        .load(&mut io::empty())
        .map_err(|error| anyhow!("--from-state: {error}"))?
        .text;
    let State {
        server,
        suspended,
        is_cut,
    } = read_state(&text).with_context(place)?;
    if is_cut {
        warn(&format!(
            "{}: the last line is cut short, and is left out",
            place()
        ));
    }
    let mut named = Named::new();
    for one in &suspended {
        let names = named.entry(Some(one.namespace.clone())).or_default();
        names.push(one.name.clone());
    }
    if named.is_empty() {
        bail!("{}: nothing was suspended", place());
    }
    let (live, world) = load_named(common, basis, &args.targets, &named)?;
    if live.session.server() != server && !common.global.quiet {
        let this = live.session.server();
        warn(&format!(
            "{}: it was written at {server}, and this is {this}",
            place()
        ));
    }
    let mut complete = true;
    let world = world.only(|cron_job| {
        let name = full_name(cron_job);
        let entries = suspended
            .iter()
            .filter(|one| (&one.namespace, &one.name) == (&cron_job.namespace, &cron_job.name));
        let Some(entry) = entries.rev().find(|one| one.uid == cron_job.uid) else {
            warn(&format!("{name} was made anew since; it is left alone"));
            return false;
        };
        let reason = cron_job.annotations.get(SUSPEND_REASON);
        let again = cron_job.spec.suspend == Some(true) && entry.reason.as_deref() != reason;
        if again {
            let reason = suspend_reason(cron_job);
            let why =
                reason.map_or_else(|| "without a reason".to_owned(), |why| format!("({why})"));
            complain(&format!(
                "{name} was suspended again since {why}; it is left suspended"
            ));
            complete = false;
        }
        !again
    });
    Ok((live, world.complete_if(complete)))
}
