//! `suspend`: what is stopped, what goes on, and what is missed meanwhile.

use jiff::Timestamp;
use serde_json::Value;

use super::Outcome;
use super::args::{Common, DryRun, Suspend as Args};
use super::changing::{Round, SavedState, Step, load_targets};
use super::interrupt::Busy;
use crate::change::{Request, Suspension};
use crate::diagnose::{Facts, SUSPEND_REASON};
use crate::evidence::{Live, World};
use crate::model::CronJob;
use crate::output::actions::{self, ActionEffect};

pub(super) fn run(common: &Common, args: &Args) -> anyhow::Result<Outcome> {
    let basis = common.basis(&args.basis)?;
    let reached = load_targets(common, basis, &args.targets)?;
    change(common, args, reached)
}

/// Suspends what was found.
pub(super) fn change(
    common: &Common,
    args: &Args,
    (live, world): (Live, World),
) -> anyhow::Result<Outcome> {
    check_until(args, world.basis.now)?;
    let mut step = Suspending { args, state: None };
    let (mut round, planned) = Round::plan(common, &args.changing, (live, world), &step);
    if planned.is_empty() {
        return round.finish(&step, &[], None);
    }
    round.ensure_rights(&planned, None)?;
    round.show(&planned, &step)?;
    let question = match planned.as_slice() {
        [one] => format!("Suspend {}?", one.evidence.cron_job.name),
        many => format!("Suspend {} CronJobs?", many.len()),
    };
    if !round.is_agreed(&question)? {
        super::say_plainly("Nothing was changed.");
        return Ok(Outcome::Incomplete);
    }
    if let (Some(path), DryRun::None) = (&args.save_state, args.changing.dry_run) {
        step.state = Some(SavedState::begin(path, round.live.session.server())?);
    }
    let busy = Busy::begin(&round.live.session);
    let left = round.run(planned, &mut step, &busy);
    round.finish(&step, &left, busy.ended_by())
}

/// A window that is over already is a mistake.
fn check_until(args: &Args, now: Timestamp) -> anyhow::Result<()> {
    match args.until {
        Some(until) if until <= now => {
            anyhow::bail!("--until {until}: it is {now} already")
        }
        _ => Ok(()),
    }
}

struct Suspending<'a> {
    args: &'a Args,
    state: Option<SavedState>,
}

impl Step for Suspending<'_> {
    type Plan = Suspension;
    const VERB: &'static str = "suspend";
    const DONE: &'static str = "suspended";

    fn plan(&self, facts: &Facts<'_>) -> Suspension {
        Suspension::of(facts, self.args.until)
    }

    fn sentences(&self, facts: &Facts<'_>, plan: &Suspension) -> String {
        actions::suspension(facts, plan)
    }

    fn document(&self, facts: &Facts<'_>, plan: &Suspension) -> Value {
        actions::suspension_document(facts, plan)
    }

    fn requests(&self, _: &CronJob, _: &Suspension) -> Vec<Request> {
        Request::suspend(self.args.reason.as_deref())
    }

    fn is_done(&self, cron_job: &CronJob) -> bool {
        cron_job.spec.suspend == Some(true)
    }

    fn begin(&mut self, cron_job: &CronJob, _: &Suspension, _: &Busy) -> anyhow::Result<()> {
        let reason = self.args.reason.as_deref();
        let reason = reason.or_else(|| cron_job.annotations.get(SUSPEND_REASON));
        match &mut self.state {
            Some(state) => state.note(cron_job, reason),
            None => Ok(()),
        }
    }

    fn settle(&mut self, effect: &ActionEffect) -> anyhow::Result<()> {
        match (&mut self.state, effect) {
            (Some(state), ActionEffect::Failed(_) | ActionEffect::Unchanged) => {
                return state.take_back();
            }
            (Some(state), _) => state.keep(),
            (None, _) => {}
        }
        Ok(())
    }

    fn go_on(&self) -> &'static str {
        if self.state.is_some() {
            "run the same command again, with another --save-state file"
        } else {
            "run the same command again; what is suspended stays as it is"
        }
    }
}
