//! `suspend`: which runs will be missed, and which Jobs keep running.

use serde_json::Value;

use super::Outcome;
use super::args::{Common, DryRun, Suspend as Args};
use super::changing::{ChangeRun, ChangeVerb, PlannedChange, StateFileWriter, load_targets};
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

/// Suspends the CronJobs of a World.
pub(super) fn change(
    common: &Common,
    args: &Args,
    (live, world): (Live, World),
) -> anyhow::Result<Outcome> {
    let now = world.basis.now;
    if let Some(until) = args.until.filter(|until| *until <= now) {
        anyhow::bail!("--until {until}: must be in the future (now: {now})")
    }
    let mut verb = SuspendVerb { args, state: None };
    let (run, planned) = ChangeRun::plan(common, &args.changing, (live, world), &verb);
    run.carry_out(planned, &mut verb)
}

struct SuspendVerb<'a> {
    args: &'a Args,
    state: Option<StateFileWriter>,
}

impl ChangeVerb for SuspendVerb<'_> {
    type Plan = Suspension;
    const VERB: &'static str = "suspend";
    const DONE: &'static str = "suspended";

    fn plan(&self, facts: &Facts<'_>) -> Suspension {
        Suspension::of(facts, self.args.until)
    }

    fn is_done(&self, cron_job: &CronJob) -> bool {
        cron_job.spec.suspend == Some(true)
    }

    fn sentences(&self, facts: &Facts<'_>, plan: &Suspension) -> String {
        actions::suspension(facts, plan, &self.args.changing.field_manager)
    }

    fn document(&self, facts: &Facts<'_>, plan: &Suspension) -> Value {
        actions::suspension_document(facts, plan, &self.args.changing.field_manager)
    }

    fn question(&self, planned: &[PlannedChange<Suspension>]) -> String {
        match planned {
            [one] => format!("Suspend {}?", one.evidence.cron_job.name),
            many => format!("Suspend {} CronJobs?", many.len()),
        }
    }

    fn prepare(&mut self, run: &ChangeRun<'_>) -> anyhow::Result<()> {
        if let (Some(path), DryRun::None) = (&self.args.save_state, self.args.changing.dry_run) {
            self.state = Some(StateFileWriter::create(path, run.live.session.server())?);
        }
        Ok(())
    }

    fn before_change(
        &mut self,
        cron_job: &CronJob,
        _: &Suspension,
        _: &Busy,
    ) -> anyhow::Result<()> {
        let reason = self.args.reason.as_deref();
        let reason = reason.or_else(|| cron_job.annotations.get(SUSPEND_REASON));
        match &mut self.state {
            Some(state) => state.add(cron_job, reason),
            None => Ok(()),
        }
    }

    fn requests(&self, _: &CronJob, _: &Suspension) -> Vec<Request> {
        Request::suspend(self.args.reason.as_deref())
    }

    fn after_change(&mut self, effect: &ActionEffect) -> anyhow::Result<()> {
        match (&mut self.state, effect) {
            (Some(state), ActionEffect::Failed(_) | ActionEffect::Unchanged) => {
                return state.remove_last();
            }
            (Some(state), _) => state.keep_last(),
            (None, _) => {}
        }
        Ok(())
    }

    fn how_to_continue(&self) -> &'static str {
        if self.state.is_some() {
            "run the same command again with a new --save-state file"
        } else {
            "run the same command again; suspended CronJobs stay suspended"
        }
    }
}
