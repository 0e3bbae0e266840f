//! `trigger`: a Job of a CronJob now, beside the schedule.

use anyhow::bail;

use super::Outcome;
use super::args::{Common, DryRun, Limit, Trigger as Args};
use super::changing::{Planned, Round, deed_in_namespace, full_name, load_targets, may};
use super::interrupt::Busy;
use super::triggering::{Plan, Triggering};
use super::waiting::{Waited, Waiting, Wishes};
use crate::change::{Overrides, refusal};
use crate::cluster::{Beside, Resource};
use crate::evidence::{Live, World};
use crate::model::ResourceKind;

pub(super) fn run(common: &Common, args: &Args) -> anyhow::Result<Outcome> {
    overrides(args)?;
    if (args.wait.is_some() || args.logs) && args.changing.dry_run != DryRun::None {
        bail!("--wait and --logs need a Job, and --dry-run makes none");
    }
    let basis = common.basis(&args.basis)?;
    let reached = load_targets(common, basis, &args.targets)?;
    change(common, args, reached)
}

/// Starts a Job of each that was found.
pub(super) fn change(
    common: &Common,
    args: &Args,
    (live, world): (Live, World),
) -> anyhow::Result<Outcome> {
    let overrides = overrides(args)?;
    let lacks_events = world
        .lacks
        .iter()
        .any(|lack| lack.what == ResourceKind::Events);
    let step = Triggering::prepare(args, overrides, (&live, &world))?;
    let (mut round, planned) = Round::plan(common, &args.changing, (live, world), &step);
    if planned.is_empty() {
        return round.finish(&step, &[], None);
    }
    let mut wishes = wishes(args, common.global.quiet, &round, &planned)?;
    wishes.beside.events = !lacks_events;
    round.show(&planned, &step)?;
    refuse(args, &planned)?;
    let question = match planned.as_slice() {
        [one] => format!("Start {}?", one.plan.prospect.job_name),
        many => format!("Start {} Jobs?", many.len()),
    };
    if !round.is_agreed(&question)? {
        super::say_plainly("Nothing was changed.");
        return Ok(Outcome::Incomplete);
    }
    let busy = Busy::begin(&round.live.session);
    let (made, left) = step.make_all(&mut round, planned, &busy);
    let mut waited = Waited::Well;
    if args.wait.is_some() || args.logs {
        let waiting = Waiting::begin(&round, made, wishes);
        let ended = waiting.run(&round, &busy);
        waited = ended.waited;
        for (cron_job, observed) in ended.observed {
            round.observe(&cron_job, observed);
        }
        round.report.note_written(ended.written);
    }
    let outcome = round.finish(&step, &left, busy.ended_by())?;
    Ok(match (outcome, waited) {
        (Outcome::Fine, Waited::Failed) => Outcome::Found,
        (Outcome::Fine, Waited::Unknown) => Outcome::Incomplete,
        (other, _) => other,
    })
}

/// What the run does otherwise. What is wrong with it is said without asking anybody.
fn overrides(args: &Args) -> anyhow::Result<Overrides> {
    let overrides = Overrides {
        container: args.container.clone(),
        image: args.image.clone(),
        command: args.command.clone(),
        env: args.env.clone(),
    };
    overrides.check()?;
    Ok(overrides)
}

/// What is wanted while the Jobs run, if the rights allow it.
fn wishes<'a>(
    args: &'a Args,
    quiet: bool,
    round: &Round<'_>,
    planned: &[Planned<Plan>],
) -> anyhow::Result<Wishes<'a>> {
    let mut wishes = Wishes {
        timeout: match args.wait {
            Some(Limit::After(timeout)) => Some(timeout),
            Some(Limit::None) | None => None,
        },
        logs: args.logs,
        container: args.container.as_deref(),
        to_stdout: round.tells_lines(),
        quiet,
        beside: Beside::default(),
    };
    if args.changing.dry_run == DryRun::Client {
        return Ok(wishes);
    }
    let (jobs, pods) = (Resource::jobs(), Resource::pods());
    round.ensure_may(planned, deed_in_namespace("create", &jobs, None))?;
    if args.wait.is_none() && !args.logs {
        return Ok(wishes);
    }
    round.ensure_may(planned, deed_in_namespace("watch", &jobs, None))?;
    let watch_pods = deed_in_namespace("watch", &pods, None);
    if args.logs {
        round.ensure_may(planned, watch_pods)?;
        round.ensure_may(planned, deed_in_namespace("get", &pods, Some("log")))?;
        wishes.beside.pods = true;
    } else {
        let cron_jobs = planned.iter().map(|one| &one.evidence.cron_job);
        wishes.beside.pods = may(&round.live.session, watch_pods, cron_jobs)?;
        if !wishes.beside.pods && !quiet {
            super::warn("you may not watch pods: what holds a Job up cannot be told");
        }
    }
    Ok(wishes)
}

/// Nothing is started beside what runs, where that was forbidden and nobody insists.
fn refuse(args: &Args, planned: &[Planned<Plan>]) -> anyhow::Result<()> {
    if args.force {
        return Ok(());
    }
    let refused = planned.iter().filter_map(|one| {
        let refusal = refusal(&one.plan.prospect)?;
        Some(format!("{}: {refusal}", full_name(&one.evidence.cron_job)))
    });
    let refused: Vec<String> = refused.collect();
    if refused.is_empty() {
        return Ok(());
    }
    bail!("nothing was changed: {}", refused.join("; "))
}
