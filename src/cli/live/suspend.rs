//! `suspend`: which runs will be missed, and which Jobs keep running.

use std::time::Instant;

use anyhow::bail;
use jiff::Timestamp;

use super::changing::{
    ChangeRun, Patch, PlannedChange, cron_jobs_of, load_targets, nothing_changed,
};
use super::running_jobs::RunningJobs;
use crate::cli::args::CronJobArgs;
use crate::cli::args::{Common, Side, TimeReference, resolve};
use crate::cli::diagnostic::Diagnostic;
use crate::cli::live::busy::Busy;
use crate::cli::live::changing::Suspend;
use crate::cli::verb::{Group, Verb, VerbSpec};
use crate::cli::world::shown_zone;
use crate::cli::{CommandOutcome, caution};
use crate::evidence::{Basis, Live, World};
use crate::output::DryRun;
use crate::output::actions::{ActionEffect, ActionWords, SuspensionTotals};
use cronjob_diagnosis::change::{Request, Suspension};
use cronjob_diagnosis::diagnose::{Facts, SuspensionRecord};
use cronjob_text::duration::whole_second;
use cronjob_text::text::Text;
use kube_model::{CronJob, SUSPEND_REASON, SUSPENDED_UNTIL};

pub(crate) const SPEC: VerbSpec = VerbSpec {
    synonyms: &[("suspend", &["pause", "stop", "disable"])],
    several_namespaces: true,
    ..VerbSpec::of::<Suspend>("suspend", Group::Act)
};

impl Verb for Suspend {
    fn run(&self, common: &Common) -> anyhow::Result<CommandOutcome> {
        if self.wait.is_some() && self.changing.dry_run != DryRun::None {
            bail!("--wait cannot be used with --dry-run");
        }
        let basis = common.basis(&self.basis)?;
        let (live, world) = load_targets(common, basis, &self.targets, false)?;
        suspend(common, self, live, world)
    }

    fn cron_jobs(&self) -> Option<&CronJobArgs> {
        Some(&self.targets.cron_jobs)
    }
}

const WORDS: ActionWords = ActionWords {
    verb: "suspend",
    done: "suspended",
    not_needed: "already suspended",
};

/// Suspends the CronJobs of a World.
pub(super) fn suspend(
    common: &Common,
    args: &Suspend,
    live: Live,
    world: World,
) -> anyhow::Result<CommandOutcome> {
    let begun = Instant::now();
    let now = world.basis.now;
    let shown = shown_zone(&world);
    let reference = TimeReference::of(&world.basis, shown.as_deref());
    let until = resolve(args.until.as_ref(), "--until", Side::Future, reference)?;
    if let Some(until) = until.filter(|until| *until <= now) {
        bail!("--until {until}: must be in the future (now: {now})")
    }
    let mut change = SuspendChange {
        until,
        record: SuspensionRecord {
            reason: args.reason.clone(),
            until: until.map(whole_second),
            ..SuspensionRecord::default()
        },
        field_manager: &args.changing.field_manager,
    };
    let cron_jobs = world.cron_jobs.iter().map(|one| &one.evidence.cron_job);
    // Those that are suspended by now, some of them before.
    let mut suspended: Vec<CronJob> = cron_jobs
        .filter(|cron_job| is_suspended(cron_job))
        .cloned()
        .collect();
    warn_of_kept_records(&world.basis, &suspended, &change.record);
    let (mut run, all_evidence) = ChangeRun::new(common, &args.changing, live, world, WORDS);
    let planned = run.predict(all_evidence, is_suspended, |facts| change.plan(facts));
    run.require_patch(&planned)?;
    if args.wait.is_some() {
        let cron_jobs = cron_jobs_of(&planned).chain(&suspended);
        run.require_jobs(&cron_jobs, &["list", "watch"])?;
    }
    if !planned.is_empty() {
        run.show(&planned, |run| Some(totals(run, &planned)))?;
        if !run.confirm(&run.question(&planned))? {
            return Ok(nothing_changed());
        }
        change.complete_record(args, &run, begun)?;
    } else if args.wait.is_none() || suspended.is_empty() {
        return run.finish_unneeded();
    }
    let busy = Busy::begin(&run.live.session);
    let left = run.send_each(planned, &busy, |run, one| {
        let attempt = run.patch(one, &change, &busy);
        if attempt.action.effect.problem().is_none() {
            suspended.push(one.evidence.cron_job.clone());
        }
        Ok(Some(attempt))
    });
    let waited = match args.wait {
        Some(timeout) => {
            let is_all = left.is_empty() && run.report.has_no_problem();
            RunningJobs::wait(&mut run, &suspended, timeout, is_all, &busy)
        }
        None => Ok(CommandOutcome::Fine),
    };
    let how_to_continue = "run the same command again; suspended CronJobs stay suspended";
    run.finish(&left, how_to_continue, waited, &busy)
}

/// Warns that the annotations of CronJobs that are already suspended are not changed.
fn warn_of_kept_records(basis: &Basis, suspended: &[CronJob], record: &SuspensionRecord) {
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
        caution(Diagnostic::new(why).help(&help));
    }
}

fn is_suspended(cron_job: &CronJob) -> bool {
    cron_job.spec.suspend == Some(true)
}

fn totals(run: &ChangeRun<'_>, planned: &[PlannedChange<Suspension>]) -> Text {
    let mut totals = SuspensionTotals::default();
    for one in planned {
        totals.add(&run.facts(&one.evidence), &one.plan);
    }
    totals.in_words(run.report.count(&ActionEffect::Unchanged))
}

/// Sets `spec.suspend`.
struct SuspendChange<'a> {
    until: Option<Timestamp>,
    /// What is recorded with each CronJob.
    record: SuspensionRecord,
    field_manager: &'a str,
}

impl SuspendChange<'_> {
    /// Records who suspends the CronJobs, and when.
    fn complete_record(
        &mut self,
        args: &Suspend,
        run: &ChangeRun<'_>,
        begun: Instant,
    ) -> anyhow::Result<()> {
        let mut at = run.basis.server_time();
        if !run.needs_no_question() {
            // The answer to the question may have taken long.
            at = at.saturating_add(begun.elapsed())?;
        }
        self.record.at = Some(at);
        let is_shown = args.changing.output.is_some();
        if is_shown || args.changing.dry_run == DryRun::None {
            self.record.user = run.live.session.user_name();
        }
        Ok(())
    }
}

impl Patch for SuspendChange<'_> {
    type Plan = Suspension;

    fn is_done(&self, cron_job: &CronJob) -> bool {
        is_suspended(cron_job)
    }

    fn plan(&self, facts: &Facts<'_>) -> Suspension {
        Suspension::of(facts, self.until, self.field_manager)
    }

    fn requests(&self, cron_job: &CronJob, _: &Suspension) -> Vec<Request> {
        Request::suspend(cron_job, &self.record)
    }

    fn still_holds(&self, _: &Suspension, _: &Suspension, reads_the_same: bool) -> bool {
        reads_the_same
    }
}
