//! `backfill`: starts missed runs, oldest first.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{anyhow, bail};
use jiff::Timestamp;
use serde_json::Value;

use super::changing::{
    ChangeRun, NEEDS, SendError, ended_by_signal, job_from_object, nothing_changed, text_at,
};
use super::job_lines::JobLines;
use super::job_tracker::{EndsWith, JobEvent, JobTracker};
use super::watch::{Next, WatchLoop, is_refused};
use crate::cli::args::{Common, Selection, Side, TimeReference, resolve};
use crate::cli::live::busy::Busy;
use crate::cli::live::changing::{Backfill, DEFAULT_MAX};
use crate::cli::verb::{Group, Verb, VerbSpec};
use crate::cli::{CommandOutcome, complain, hint, is_quiet, say_plainly};
use crate::output::DryRun;
use crate::output::actions::{
    self, Action, ActionEffect, ActionWords, Observation, backfill_table,
};
use cronjob_controller::upcoming::display_zone;
use cronjob_diagnosis::change::backfill::{
    BackfillPlan, BackfillRun, BackfillSelection, LeftOutReason, LeftOutRuns, plan,
};
use cronjob_diagnosis::change::{
    JobEnd, JobFromTemplate, JobProgress, Prediction, create_job, suffix,
};
use cronjob_diagnosis::kubectl::Command;
use cronjob_text::words::counted;
use kube_access::{AlsoWatch, Target, Update, Updates};
use kube_model::{BACKFILLED, CronJob, SCHEDULED_TIME_ANNOTATION};

const WORDS: ActionWords = ActionWords {
    verb: "backfill",
    done: "created",
    not_needed: "created (no change)",
};

pub(crate) const SPEC: VerbSpec = VerbSpec::of::<Backfill>("backfill", Group::Act);

impl Verb for Backfill {
    fn run(&self, common: &Common) -> anyhow::Result<CommandOutcome> {
        if self.names.len() > 1 {
            bail!(
                "backfill takes one CronJob at a time, but {} were given: {}",
                self.names.len(),
                self.names.join(", ")
            );
        }
        let basis = common.basis(&self.basis)?;
        let named = Selection::by_names(self.names.clone(), self.resource.clone());
        let (live, world) = common.load_live(basis, &named, NEEDS)?;
        let (mut run, all_evidence) = ChangeRun::new(common, &self.changing, live, world, WORDS);
        let Some(evidence) = all_evidence.into_iter().next() else {
            return Ok(CommandOutcome::Incomplete);
        };
        let controller = &run.basis.controller;
        let shown = display_zone(controller, &evidence.cron_job);
        let selection = selection(self, TimeReference::of(&run.basis, Some(&shown)))?;
        let name = &evidence.cron_job.name;
        let (plan, command) = {
            let facts = run.facts(&evidence);
            let plan = plan(&facts, &selection);
            let plan = plan.map_err(|refusal| anyhow!("cronjob {name}: {refusal}"))?;
            (plan, facts.input.doctor("backfill"))
        };
        let mut backfill = BackfillChange {
            args: self,
            at: selection.scheduled_times,
            command,
            cron_job: &evidence.cron_job,
            plan,
            jobs: Vec::new(),
            pending: VecDeque::new(),
            created: JobTracker::new(EndsWith::Pods),
            failed: 0,
            deleted: 0,
            is_refused: false,
            is_stopped: false,
        };
        backfill.check_rights(&run)?;
        run.show_plan(|run, out| backfill_table(out, &run.facts(&evidence), &backfill.plan))?;
        if backfill.plan.steps.is_empty() {
            backfill.say_nothing_to_start();
            return backfill.finish(&mut run, None);
        }
        let runs = counted(backfill.plan.steps.len(), "missed run");
        if !run.confirm(&format!("Start {runs} of {name}?"))? {
            return Ok(nothing_changed());
        }
        backfill.prepare(&run)?;
        let busy = Busy::begin(&run.live.session);
        backfill.create_all(&mut run, &busy);
        backfill.finish(&mut run, busy.ended_by())
    }

    fn names(&self) -> &[String] {
        &self.names
    }
}

fn selection(args: &Backfill, reference: TimeReference<'_>) -> anyhow::Result<BackfillSelection> {
    let now = reference.now;
    let since = resolve(args.since.as_ref(), "--since", Side::Past, reference)?;
    let until = resolve(args.until.as_ref(), "--until", Side::Past, reference)?;
    let at = args.at.iter();
    let at = at.map(|at| at.resolve("--at", Side::Past, reference));
    let end = until.unwrap_or(now).min(now);
    if let Some(since) = since.filter(|since| *since > end) {
        bail!("--since {since}: must not be after the end of the selected period ({end})");
    }
    Ok(BackfillSelection {
        since,
        until,
        last: args.last.and_then(|last| usize::try_from(last).ok()),
        scheduled_times: at.collect::<anyhow::Result<_>>()?,
        include_unknown: args.include_unknown,
        max: usize::try_from(args.max).unwrap_or(usize::MAX),
    })
}

struct BackfillChange<'a> {
    args: &'a Backfill,
    /// The times of `--at`.
    at: Vec<Timestamp>,
    /// `kubectl cronjob-doctor backfill` for the CronJob, to continue.
    command: Command,
    cron_job: &'a CronJob,
    plan: BackfillPlan,
    /// The Jobs of the steps of the plan.
    jobs: Vec<Value>,
    /// The steps to start, by their numbers in the plan.
    pending: VecDeque<usize>,
    /// The Jobs that were created, each with the number of its step.
    created: JobTracker<usize>,
    failed: usize,
    /// Jobs that were deleted before they finished.
    deleted: usize,
    /// Whether the results of Jobs can no longer be watched.
    is_refused: bool,
    /// Whether no more Jobs are started.
    is_stopped: bool,
}

impl BackfillChange<'_> {
    fn check_rights(&self, run: &ChangeRun<'_>) -> anyhow::Result<()> {
        if self.plan.steps.is_empty() {
            return Ok(());
        }
        let verbs: &[&str] = match self.args.changing.dry_run {
            DryRun::Client => &[],
            DryRun::Server => &["create"],
            DryRun::None => &["create", "watch"],
        };
        run.require_jobs(&[self.cron_job], verbs)
    }

    fn say_nothing_to_start(&self) {
        let left_out = self.plan.left_out.iter();
        let mut reasons = left_out.map(|left| left.why);
        let unknown = if reasons.any(|why| why == LeftOutReason::MayHaveRun) {
            "--include-unknown to start those that may have run already, or "
        } else {
            ""
        };
        say_plainly(&if self.args.at.is_empty() {
            format!("Nothing to start. Use {unknown}--at TIME to start a specific run.")
        } else {
            "Nothing to start.".to_owned()
        });
    }

    /// Builds the Jobs. The CronJob must still have the spec of the plan.
    fn prepare(&mut self, run: &ChangeRun<'_>) -> anyhow::Result<()> {
        let CronJob {
            uid, generation, ..
        } = self.cron_job;
        let target = Target::of(&run.live.wanted.resource, self.cron_job);
        let object = run.live.session.object(target)?;
        let now = object.pointer("/metadata/generation");
        let now = now.and_then(Value::as_i64).unwrap_or_default();
        if text_at(&object, "/metadata/uid") != *uid || now != generation.unwrap_or_default() {
            bail!(
                "{} was modified in the meantime; nothing was run. Run the command again for a new plan.",
                self.cron_job.full_name()
            );
        }
        let mark = suffix(kube_access::random());
        let steps = self.plan.steps.iter();
        self.jobs = steps
            .map(|step| job_of(&object, step, &mark))
            .collect::<anyhow::Result<_>>()?;
        Ok(())
    }

    /// Creates the Jobs. They count as unchanged until then.
    fn create_all(&mut self, run: &mut ChangeRun<'_>, busy: &Busy) {
        let steps = self.plan.steps.iter();
        let actions = steps.map(|step| Action {
            job: Some(step.job_name.clone()),
            prediction: Some(Prediction::Backfill(step.clone())),
            ..run.action(self.cron_job, ActionEffect::Unchanged)
        });
        run.report.actions = actions.collect();
        self.pending = (0..self.jobs.len()).collect();
        if self.args.changing.dry_run == DryRun::None {
            self.run_jobs(run, busy);
        } else {
            while !busy.is_interrupted()
                && let Some(number) = self.pending.pop_front()
            {
                self.create(run, number);
            }
        }
    }

    fn finish(
        &self,
        run: &mut ChangeRun<'_>,
        ended_by: Option<u8>,
    ) -> anyhow::Result<CommandOutcome> {
        if self.args.changing.dry_run == DryRun::None && !self.plan.steps.is_empty() {
            self.say_result(run);
        }
        let written = run.report.write_document(&run.basis, Some(&self.plan));
        if written.is_err() && self.args.changing.dry_run == DryRun::None {
            run.report.summarize(&[], &[]);
        }
        if let Some(code) = ended_by {
            return Ok(ended_by_signal(code, written));
        }
        written?;
        let mut actions = run.report.actions.iter();
        let is_incomplete = self.deleted > 0
            || self.is_refused
            || actions.any(|action| action.effect.problem().is_some());
        Ok(if self.failed > 0 {
            CommandOutcome::Found
        } else if is_incomplete || !run.complete {
            CommandOutcome::Incomplete
        } else {
            CommandOutcome::Fine
        })
    }

    /// Creates the Jobs, at most `--parallel` at a time, and waits for them.
    fn run_jobs(&mut self, run: &mut ChangeRun<'_>, busy: &Busy) {
        let session = Arc::clone(&run.live.session);
        let most = usize::from(self.args.parallel);
        let ended = WatchLoop::new(session.updates(), !is_quiet())
            .until(busy, None)
            .run(|updates, came| {
                self.is_refused |= is_refused(&came);
                for update in came {
                    if let Update::Change(step, change) = update {
                        self.created.apply(step, change);
                    }
                }
                let now = Instant::now();
                self.settle(run, now);
                while !self.is_stopped
                    && !self.is_refused
                    && self.created.unfinished().count() < most
                    && !busy.is_interrupted()
                {
                    let Some(number) = self.pending.pop_front() else {
                        break;
                    };
                    self.start(run, updates, number);
                }
                let mut running = self.created.unfinished();
                Ok(if running.next().is_none() || self.is_refused {
                    Next::End(())
                } else {
                    Next::wait_until(self.created.due(now))
                })
            });
        if let Err(error) = ended {
            complain(&format!("{error:#}"));
            self.is_refused = true;
        }
    }

    fn start(&mut self, run: &mut ChangeRun<'_>, updates: &mut Updates<'_>, number: usize) {
        let all = self.plan.steps.len();
        if let Some(step) = self.plan.steps.get(number) {
            hint(&format!(
                "run scheduled at {} ({} of {all})",
                step.scheduled_time,
                number + 1
            ));
        }
        let Some(object) = self.create(run, number) else {
            return;
        };
        let version = text_at(&object, "/metadata/resourceVersion");
        let job = job_from_object(&object);
        updates.watch_job(number, &job, &version, AlsoWatch::default());
        let created = &mut self.created;
        created.add(number, JobProgress::of(job), number);
    }

    fn create(&mut self, run: &mut ChangeRun<'_>, number: usize) -> Option<Value> {
        let job = self.jobs.get(number)?;
        let name = text_at(job, "/metadata/name");
        let error = match run.create(job, true) {
            Ok((object, effect)) => {
                run.report.update(number, effect, object.clone());
                return Some(object);
            }
            Err(error) => error,
        };
        if let SendError::Conflict(_) = error {
            say_plainly(&format!(
                "job.batch/{name} skipped: created by another client in the meantime"
            ));
            return None;
        }
        let (effect, others_fail) = run.creation_effect(&error, &name);
        // If the response was lost, the Job may exist, and the next one would run at the same time.
        self.is_stopped |= !self.args.keep_going || others_fail;
        if let Some(why) = effect.problem() {
            complain(&format!("job.batch/{name}: {why}"));
        }
        run.report.update(number, effect, Value::Null);
        None
    }

    fn settle(&mut self, run: &mut ChangeRun<'_>, now: Instant) {
        for event in self.created.settle(now) {
            let (JobEvent::Ending(number, end) | JobEvent::Ended(number, end)) = &event else {
                continue;
            };
            let Some(created) = self.created.get(*number) else {
                continue;
            };
            let name = &created.job().name;
            if let JobEvent::Ending(..) = event {
                JobLines::ending(name, end);
                continue;
            }
            observe(run, created.about, actions::observed(name, Some(end)));
            let line = actions::job_end(name, end);
            if matches!(end, JobEnd::Complete { .. }) {
                hint(&line);
                continue;
            }
            complain(&line);
            self.is_stopped |= !self.args.keep_going;
            if *end == JobEnd::Deleted {
                self.deleted += 1;
            } else {
                self.failed += 1;
            }
        }
    }

    /// Prints which Jobs keep running, which steps are left, and how to continue.
    fn say_result(&self, run: &mut ChangeRun<'_>) {
        let pending = &self.pending;
        for job in self.created.unfinished() {
            let name = &job.job().name;
            observe(run, job.about, actions::observed(name, None));
            say_plainly(&format!("job.batch/{name} is still running"));
        }
        let is_unknown =
            |_: usize, effect: &ActionEffect| matches!(effect, ActionEffect::Unknown(_));
        let is_not_started = |number: usize, effect: &ActionEffect| {
            pending.contains(&number) || matches!(effect, ActionEffect::Failed(_))
        };
        let maybe = self.steps(run, is_unknown);
        if !maybe.is_empty() {
            let (count, times) = (counted(maybe.len(), "run"), span(&maybe));
            say_plainly(&format!(
                "{count} may have been started, or may still be started: {times} (check this before you continue)"
            ));
        }
        let not = self.steps(run, is_not_started);
        if !not.is_empty() {
            let (count, times) = (counted(not.len(), "run"), span(&not));
            say_plainly(&format!("{count} not started: {times}"));
        }
        let left = self.steps(run, |number, effect| {
            is_unknown(number, effect) || is_not_started(number, effect)
        });
        if !left.is_empty() {
            let times: Vec<Timestamp> = left.iter().map(|step| step.scheduled_time).collect();
            say_plainly(&format!("to continue: {}", self.command_for(&times)));
        } else if let Some((count, command)) = self.command_beyond_max() {
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            let runs = counted(count, "run");
            hint(&format!("{runs} not started because of --max"));
            hint(&format!("to continue: {command}"));
        }
    }

    /// The steps of the plan whose number and effect are such, in their order.
    fn steps(
        &self,
        run: &ChangeRun<'_>,
        is_such: impl Fn(usize, &ActionEffect) -> bool,
    ) -> Vec<&BackfillRun> {
        let steps = self.plan.steps.iter().zip(&run.report.actions).enumerate();
        let steps = steps.filter(|(number, (_, action))| is_such(*number, &action.effect));
        steps.map(|(_, (step, _))| step).collect()
    }

    /// The command that runs what `--max` left out.
    fn command_beyond_max(&self) -> Option<(u64, String)> {
        let left = self.plan.left_out.iter();
        let left: Vec<&LeftOutRuns> = left
            .filter(|left| left.why == LeftOutReason::BeyondMax)
            .collect();
        let (first, last) = (left.first()?.first, left.last()?.last);
        let count = left.iter().map(|left| left.count).sum();
        let times = self.at.iter().copied().filter(|at| *at >= first);
        let mut times: Vec<Timestamp> = times.collect();
        times.sort_unstable();
        if times.is_empty() {
            times = vec![first, last];
        }
        Some((count, self.command_for(&times)))
    }

    /// The command that runs what is scheduled at these times, or from the first to the last one.
    fn command_for(&self, times: &[Timestamp]) -> String {
        let mut command = self.command.clone();
        match times {
            [first, ..] if self.at.is_empty() => {
                let last = times.last().unwrap_or(first);
                command = command.value("--since", &first.to_string());
                command = command.value("--until", &last.to_string());
            }
            times => {
                for time in times {
                    command = command.value("--at", &time.to_string());
                }
            }
        }
        self.with_options(command).to_string()
    }

    fn with_options(&self, mut command: Command) -> Command {
        let args = self.args;
        if args.include_unknown {
            command = command.with("--include-unknown");
        }
        if args.max != DEFAULT_MAX {
            command = command.value("--max", &args.max.to_string());
        }
        if args.parallel > 1 {
            command = command.value("--parallel", &args.parallel.to_string());
        }
        if args.keep_going {
            command = command.with("--keep-going");
        }
        command
    }
}

/// Adds to the action of a step what was observed after it.
fn observe(run: &mut ChangeRun<'_>, number: usize, observed: Observation) {
    if let Some(action) = run.report.actions.get_mut(number) {
        action.observed = Some(observed);
    }
}

/// `2026-03-10T07:00:00Z`, or the first and the last of several.
fn span(steps: &[&BackfillRun]) -> String {
    match steps {
        [] => String::new(),
        [one] => one.scheduled_time.to_string(),
        [first, second] => format!("{} and {}", first.scheduled_time, second.scheduled_time),
        [first, .., last] => format!("{} to {}", first.scheduled_time, last.scheduled_time),
    }
}

/// The Job that the controller would have created for the scheduled time, with an annotation that marks it as
/// created by this call. It is not marked as created manually: it is the run of its scheduled time.
fn job_of(template: &Value, step: &BackfillRun, mark: &str) -> anyhow::Result<Value> {
    let scheduled = step.scheduled_timestamp.as_deref();
    let mut annotations = vec![(BACKFILLED, mark)];
    annotations.extend(scheduled.map(|time| (SCHEDULED_TIME_ANNOTATION, time)));
    let from = JobFromTemplate {
        name: &step.job_name,
        annotations: &[],
        decisive_annotations: &annotations,
    };
    Ok(create_job(template, &from)?)
}
