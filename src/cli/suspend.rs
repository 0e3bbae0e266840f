//! `suspend`: which runs will be missed, and which Jobs keep running.

use std::time::Instant;

use anyhow::bail;
use jiff::Timestamp;

use super::args::{Common, DryRun, Side, Suspend as Args, TimeReference, resolve};
use super::changing::{
    ChangeRun, ChangeVerb, PlannedChange, StateFileWriter, cron_jobs_of, load_targets,
};
use super::diagnostic::Diagnostic;
use super::interrupt::Busy;
use super::running_jobs::RunningJobs;
use super::world::shown_zone;
use super::{CommandOutcome, warn};
use crate::change::{Prediction, Request, Suspension};
use crate::cli::args::CronJobArgs;
use crate::cli::verb::{Group, Verb, VerbSpec};
use crate::cluster::{Resource, Right};
use crate::diagnose::{Facts, SuspensionRecord};
use crate::duration::whole_second;
use crate::evidence::{Basis, Live, World};
use crate::model::{CronJob, CronJobEvidence, SUSPEND_REASON, SUSPENDED_UNTIL};
use crate::output::actions::{ActionEffect, SuspensionTotals};

pub(super) const SPEC: VerbSpec = VerbSpec {
    synonyms: &[("suspend", &["pause", "stop", "disable"])],
    ..VerbSpec::of::<Args>("suspend", Group::Act)
};

impl Verb for Args {
    fn run(&self, common: &Common) -> anyhow::Result<CommandOutcome> {
        run(common, self)
    }

    fn cron_jobs(&self) -> Option<&CronJobArgs> {
        Some(&self.targets.cron_jobs)
    }
}

fn run(common: &Common, args: &Args) -> anyhow::Result<CommandOutcome> {
    if args.wait.is_some() && args.changing.dry_run != DryRun::None {
        bail!("--wait cannot be used with --dry-run");
    }
    let basis = common.basis(&args.basis)?;
    let reached = load_targets(common, basis, &args.targets)?;
    change(common, args, reached)
}

/// Suspends the CronJobs of a World.
pub(super) fn change(
    common: &Common,
    args: &Args,
    (live, world): (Live, World),
) -> anyhow::Result<CommandOutcome> {
    let now = world.basis.now;
    let shown = shown_zone(&world);
    let reference = TimeReference {
        zone: shown.as_deref(),
        ..TimeReference::from(&world.basis)
    };
    let until = resolve(args.until.as_ref(), "--until", Side::Future, reference)?;
    if let Some(until) = until.filter(|until| *until <= now) {
        bail!("--until {until}: must be in the future (now: {now})")
    }
    let cron_jobs = world.cron_jobs.iter().map(|one| &one.evidence.cron_job);
    let suspended = cron_jobs.filter(|cron_job| is_suspended(cron_job));
    let record = SuspensionRecord {
        reason: args.reason.clone(),
        until: until.map(whole_second),
        ..SuspensionRecord::default()
    };
    if !common.global.quiet {
        warn_of_kept_records(&world.basis, suspended.clone(), &record);
    }
    let mut verb = SuspendVerb {
        args,
        until,
        record,
        begun: Instant::now(),
        state: None,
        suspended: suspended.cloned().collect(),
    };
    let (run, planned) = ChangeRun::plan(common, &args.changing, (live, world), &verb);
    if planned.is_empty() {
        // The end of the maintenance reads the file, also if there was nothing to suspend.
        verb.create_state_file(&run)?;
    }
    run.carry_out(planned, &mut verb)
}

/// Warns that the annotations of CronJobs that are already suspended are not changed.
fn warn_of_kept_records<'a>(
    basis: &Basis,
    suspended: impl Iterator<Item = &'a CronJob>,
    record: &SuspensionRecord,
) {
    for cron_job in suspended {
        let stored = SuspensionRecord::of(cron_job).unwrap_or_default();
        let reason = record.reason.as_deref();
        let reason =
            reason.filter(|reason| Some(*reason) != cron_job.annotations.get(SUSPEND_REASON));
        let until = record.until.filter(|until| Some(*until) != stored.until);
        let flags = match (reason, until) {
            (None, None) => continue,
            (Some(_), None) => "--reason is",
            (None, Some(_)) => "--until is",
            (Some(_), Some(_)) => "--reason and --until are",
        };
        let command = basis.kubectl.command("annotate cronjob");
        let command = command.namespace(&cron_job.namespace);
        let mut command = command.name(&cron_job.name).with("--overwrite");
        if let Some(reason) = reason {
            command = command.argument(&format!("{SUSPEND_REASON}={reason}"));
        }
        if let Some(until) = until {
            command = command.argument(&format!("{SUSPENDED_UNTIL}={until}"));
        }
        let why = format!(
            "{} is already suspended; {flags} not recorded",
            cron_job.full_name()
        );
        let help = format!("Record this with: {command}");
        warn(Diagnostic::new(why).help(&help));
    }
}

struct SuspendVerb<'a> {
    args: &'a Args,
    until: Option<Timestamp>,
    /// What is recorded with each CronJob.
    record: SuspensionRecord,
    begun: Instant,
    state: Option<StateFileWriter>,
    /// The CronJobs that are suspended by now, some of them before.
    suspended: Vec<CronJob>,
}

impl SuspendVerb<'_> {
    fn create_state_file(&mut self, run: &ChangeRun<'_>) -> anyhow::Result<()> {
        if let (Some(path), DryRun::None) = (&self.args.save_state, self.args.changing.dry_run) {
            self.state = Some(StateFileWriter::create(path, run.live.session.server())?);
        }
        Ok(())
    }
}

fn is_suspended(cron_job: &CronJob) -> bool {
    cron_job.spec.suspend == Some(true)
}

impl ChangeVerb for SuspendVerb<'_> {
    type Plan = Suspension;
    const VERB: &'static str = "suspend";
    const DONE: &'static str = "suspended";
    const NOT_NEEDED: Option<&'static str> = Some("already suspended");

    fn plan(&self, facts: &Facts<'_>) -> Suspension {
        Suspension::of(facts, self.until, &self.args.changing.field_manager)
    }

    fn is_done(&self, cron_job: &CronJob) -> bool {
        is_suspended(cron_job)
    }

    fn prediction(&self, plan: &Suspension) -> Prediction {
        Prediction::Suspension(Box::new(plan.clone()))
    }

    fn totals(&self, run: &ChangeRun<'_>, planned: &[PlannedChange<Suspension>]) -> Option<String> {
        let mut totals = SuspensionTotals::default();
        for one in planned {
            run.with_facts(&one.evidence, |facts| totals.add(facts, &one.plan));
        }
        Some(totals.in_words(run.report.count(&ActionEffect::Unchanged)))
    }

    fn check_rights(
        &mut self,
        run: &mut ChangeRun<'_>,
        planned: &mut Vec<PlannedChange<Suspension>>,
    ) -> anyhow::Result<()> {
        run.require_patch(planned, None)?;
        if self.args.wait.is_none() {
            return Ok(());
        }
        let jobs = Resource::jobs();
        for verb in ["list", "watch"] {
            let cron_jobs = cron_jobs_of(planned).chain(&self.suspended);
            run.require(cron_jobs, Right::to(verb, &jobs))?;
        }
        Ok(())
    }

    fn prepare(&mut self, run: &ChangeRun<'_>) -> anyhow::Result<()> {
        let mut at = run.basis.server_time();
        if !run.needs_no_question() {
            // The answer to the question may have taken long.
            at = at.saturating_add(self.begun.elapsed())?;
        }
        self.record.at = Some(at);
        let is_shown = self.args.changing.output.is_some();
        if is_shown || self.args.changing.dry_run == DryRun::None {
            self.record.user = run.live.session.user_name();
        }
        self.create_state_file(run)
    }

    fn before_change(
        &mut self,
        cron_job: &CronJob,
        _: &Suspension,
        _: &Busy,
    ) -> anyhow::Result<()> {
        match &mut self.state {
            Some(state) => state.add(cron_job, &self.record),
            None => Ok(()),
        }
    }

    fn requests(&self, cron_job: &CronJob, _: &Suspension) -> Vec<Request> {
        Request::suspend(cron_job, &self.record)
    }

    fn patched(&mut self, evidence: &CronJobEvidence, _: &Suspension) {
        self.suspended.push(evidence.cron_job.clone());
    }

    fn already_done(&mut self, evidence: &CronJobEvidence) {
        self.suspended.push(evidence.cron_job.clone());
    }

    fn after_change(&mut self, effect: &ActionEffect) -> anyhow::Result<()> {
        match (&mut self.state, effect) {
            (None, _) => Ok(()),
            (Some(state), ActionEffect::Failed(_) | ActionEffect::Unchanged) => state.remove_last(),
            (Some(state), _) => state.keep_last(),
        }
    }

    fn waits_without_change(&self) -> bool {
        self.args.wait.is_some() && !self.suspended.is_empty()
    }

    fn wait(&mut self, run: &mut ChangeRun<'_>, busy: &Busy) -> anyhow::Result<CommandOutcome> {
        match self.args.wait {
            Some(timeout) => RunningJobs::wait(run, &self.suspended, timeout, busy),
            None => Ok(CommandOutcome::Fine),
        }
    }

    fn how_to_continue(&self) -> &'static str {
        if self.state.is_some() {
            "run the same command again with a new --save-state file"
        } else {
            "run the same command again; suspended CronJobs stay suspended"
        }
    }
}
