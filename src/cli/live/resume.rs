//! `resume`: predicts which missed run starts late, asks whether it should, and compares what happens.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::bail;
use jiff::{SignedDuration, Timestamp};

use super::changing::{
    ChangeRun, Expected, Patch, PlannedChange, Verdict, ask, can_ask, check_predictions,
    cron_jobs_of, load_targets, nothing_changed,
};
use crate::cli::args::Common;
use crate::cli::args::CronJobArgs;
use crate::cli::diagnostic::Diagnostic;
use crate::cli::live::busy::Busy;
use crate::cli::live::changing::{CatchUpFlag, Resume};
use crate::cli::verb::{Group, Verb, VerbSpec};
use crate::cli::{CommandOutcome, complain, hint, say_plainly, stdio};
use crate::evidence::{Basis, Live, World};
use crate::output::DryRun;
use crate::output::actions::{
    ActionEffect, ActionWords, compared, resumption_totals, write_checks,
};
use cronjob_diagnosis::change::{CatchUp, Request, Resumption, quiet_deadline, reverted_by};
use cronjob_diagnosis::diagnose::{DOWN, Facts, SuspensionRecord, is_refuted};
use cronjob_text::duration::{exact, human_duration};
use cronjob_text::words::{counted, some_of};
use kube_access::Right;
use kube_model::{CronJob, ManualChange, SUSPEND_REASON};

pub(crate) const SPEC: VerbSpec = VerbSpec {
    alias: Some("unsuspend"),
    synonyms: &[("resume", &["unpause", "enable"])],
    several_namespaces: true,
    ..VerbSpec::of::<Resume>("resume", Group::Act)
};

impl Verb for Resume {
    fn run(&self, common: &Common) -> anyhow::Result<CommandOutcome> {
        let basis = common.basis(&self.basis)?;
        let (live, mut world) = load_targets(common, basis, &self.targets, self.reason.is_some())?;
        if let Some(reason) = &self.reason {
            world = suspended_for(world, reason);
            if world.cron_jobs.is_empty() {
                say_plainly(&format!(
                    "Nothing to resume: no CronJob was suspended with --reason {reason:?}."
                ));
                return Ok(CommandOutcome::of(world.complete, false));
            }
        }
        resume(common, self, live, world)
    }

    fn cron_jobs(&self) -> Option<&CronJobArgs> {
        Some(&self.targets.cron_jobs)
    }

    fn flags_of_one_namespace(&self) -> Vec<(&'static str, bool)> {
        vec![("--wait", self.wait.is_some())]
    }
}

/// The most names of CronJobs that are left alone.
const FEW: usize = 8;

/// The CronJobs of a World that `suspend` suspended for a reason. Says which other suspended ones are left alone.
fn suspended_for(mut world: World, reason: &str) -> World {
    let mut others: BTreeMap<String, Vec<String>> = BTreeMap::new();
    world.cron_jobs.retain(|one| {
        let cron_job = &one.evidence.cron_job;
        let Some(record) = SuspensionRecord::of(cron_job) else {
            return false;
        };
        let given = cron_job.annotations.get(SUSPEND_REASON);
        // The time shows that the annotations are those of this suspension.
        if record.at.is_some() && given == Some(reason) {
            return true;
        }
        let why = match (record.at, record.reason) {
            (Some(_), Some(other)) => format!("reason: {other}"),
            (Some(_), None) => "no reason".to_owned(),
            (None, _) => "not suspended by this program".to_owned(),
        };
        others.entry(why).or_default().push(cron_job.full_name());
        false
    });
    if !others.is_empty() {
        let count: usize = others.values().map(Vec::len).sum();
        let others = others.iter();
        let groups = others.map(|(why, names)| format!("{} ({why})", some_of(names, FEW)));
        hint(&format!(
            "{} left suspended: {}",
            counted(count, "other CronJob"),
            groups.collect::<Vec<_>>().join("; ")
        ));
    }
    world
}

const WORDS: ActionWords = ActionWords {
    verb: "resume",
    done: "resumed",
    not_needed: "not suspended",
};

/// Resumes the CronJobs of a World.
pub(super) fn resume(
    common: &Common,
    args: &Resume,
    live: Live,
    world: World,
) -> anyhow::Result<CommandOutcome> {
    let mut change = ResumeChange {
        skip: None,
        field_manager: &args.changing.field_manager,
    };
    let (mut run, all_evidence) = ChangeRun::new(common, &args.changing, live, world, WORDS);
    let is_done = |cron_job: &CronJob| change.is_done(cron_job);
    let mut planned = run.predict(all_evidence, is_done, |facts| change.plan(facts));
    run.require_patch(&planned)?;
    if waits(args) {
        run.require_jobs(&cron_jobs_of(&planned), &["list", "watch"])?;
    }
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
            let starts = args.changing.dry_run == DryRun::None;
            if let Some(pause) = args.stagger.filter(|_| has_started_late && starts) {
                let seconds = i64::try_from(pause.as_secs()).unwrap_or(i64::MAX);
                hint(&format!("Resuming the next CronJob in {}.", exact(seconds)));
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
        compare(&mut run, &resumed, args.wait.flatten(), &busy)
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

fn waits(args: &Resume) -> bool {
    args.wait.is_some() && args.changing.dry_run == DryRun::None
}

/// Asks how to handle missed runs if there are any, and whether to resume otherwise.
fn confirm(
    args: &Resume,
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
        change.skip = Some(skip_with(run, planned)?);
        for one in planned.iter_mut() {
            one.plan = change.plan(&run.facts(&one.evidence));
        }
        refuse_unsafe_skips(args, &run.basis, planned)?;
    }
    if !is_choice || skips {
        show(run, planned)?;
    }
    let at_once = late(planned);
    if at_once > 1 && args.stagger.is_none() {
        hint(&format!(
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
    timeout: Option<Duration>,
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
    let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let verdicts = check_predictions(&run.live, expected.collect(), deadline, busy)?;
    let mut all_right = true;
    let left = resumed.get(verdicts.len()..).unwrap_or_default();
    if let Some(timeout) = timeout.filter(|_| !left.is_empty() && !busy.is_interrupted()) {
        let left: Vec<String> = cron_jobs_of(left).map(CronJob::full_name).collect();
        complain(&format!(
            "timed out after {}: not yet known whether this happens as predicted: {}",
            human_duration(timeout),
            left.join(", ")
        ));
    }
    let mut is_complete = left.is_empty();
    for (one, verdict) in resumed.iter().zip(verdicts) {
        let cron_job = &one.evidence.cron_job;
        let Verdict::Compared(checks) = verdict else {
            complain(&format!(
                "{}: the controller has done nothing yet: {DOWN} syncs it once it is running",
                cron_job.full_name()
            ));
            is_complete = false;
            continue;
        };
        all_right &= !is_refuted(&checks);
        if run.changing.output.is_none() {
            let name = cron_job.full_name();
            let written = write_checks(&mut stdio::stdout(), &name, &checks);
            run.report.note_written(written);
        }
        run.report.observe(cron_job, compared(checks));
    }
    Ok(CommandOutcome::of(is_complete, !all_right))
}

/// The flags that answer the question.
const CHOOSE: &str =
    "Choose --catch-up=run (run it now) or --catch-up=skip (wait for the next run).";

/// The number of CronJobs that would start a missed run.
fn late(planned: &[PlannedChange<Resumption>]) -> usize {
    let scheduled_times = planned
        .iter()
        .filter_map(|one| one.plan.first_start.late_time());
    scheduled_times.count()
}

/// Asks how to handle missed runs; `None` cancels.
fn choose(
    args: &Resume,
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
    run: &ChangeRun<'_>,
    planned: &[PlannedChange<Resumption>],
) -> anyhow::Result<SkipWith> {
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

/// Fails if a missed run cannot be skipped safely.
fn refuse_unsafe_skips(
    args: &Resume,
    basis: &Basis,
    planned: &[PlannedChange<Resumption>],
) -> anyhow::Result<()> {
    let is_dry_run = args.changing.dry_run != DryRun::None;
    for PlannedChange { evidence, plan } in planned {
        let cron_job = &evidence.cron_job;
        let name = cron_job.full_name();
        if plan.first_start.late_time().is_some() && cron_job.spec.every().is_some() {
            bail!(
                "nothing was changed: without permission to patch cronjobs/status, no startingDeadlineSeconds skips the \
                 missed run of {name} and starts later ones, because the times of @every count from it; start it with \
                 --catch-up=run"
            );
        }
        // A deadline below the age of a recent missed run may be too short to be safe.
        if plan.first_start.late_time().is_some() {
            let soon = SignedDuration::from_mins(1);
            let is_alone = |next: Timestamp| basis.now.duration_until(next) > soon;
            let again = if plan.next_run.is_none_or(is_alone) {
                "try again in a minute, or "
            } else {
                ""
            };
            bail!(
                "nothing was changed: without permission to patch cronjobs/status, the missed run of {name} is too \
                 recent to skip safely with a startingDeadlineSeconds; {again}start it with --catch-up=run"
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
                    let help =
                        "Get permission to patch cronjobs/status, or use --force to set it anyway.";
                    bail!(Diagnostic::new(why).help(help));
                }
            }
            CatchUp::Run | CatchUp::Status(_) | CatchUp::Deadline(_) => {}
        }
    }
    Ok(())
}
