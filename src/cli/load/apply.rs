//! `load --apply`: changes the schedules of CronJobs as the proposal suggests.

use std::borrow::Cow;
use std::collections::BTreeMap;

use anyhow::bail;

use super::{Computed, LoadArgs, compute, span};
use crate::change::{MovedSchedule, Request, Rescheduling};
use crate::cli::args::{Changing, Common};
use crate::cli::changing::{ChangeRun, Patch, PlannedChange, nothing_changed};
use crate::cli::interrupt::Busy;
use crate::cli::{CommandOutcome, complain, say_plainly};
use crate::diagnose::{Facts, local};
use crate::evidence::{Basis, Needs, World};
use crate::load::ScheduleSuggestion;
use crate::model::{CronJob, ObjectKey};
use crate::output::Format;
use crate::output::actions::{ActionEffect, ActionWords};
use crate::output::load::{applied, effect};

pub(super) fn run(common: &Common, args: &LoadArgs) -> anyhow::Result<CommandOutcome> {
    let changing = changing(args)?;
    let basis = common.basis(&args.basis)?;
    let (live, world) = common.load_live(basis, &args.selection, Needs::JOBS)?;
    let (change, texts, counted) = {
        let window = span(args, &world.basis)?;
        let computed = compute(common.global.quiet, args, &world, window);
        for problem in &computed.problems {
            complain(problem.clone());
        }
        (
            RescheduleChange::of(&computed, &world, args),
            texts(&world.basis, &computed),
            computed.problems.is_empty(),
        )
    };
    let world = world
        .complete_if(counted)
        .only(|cron_job| change.suggestion(cron_job).is_some());
    let (mut run, all_evidence) = ChangeRun::new(common, changing, live, world, WORDS);
    let is_done = |cron_job: &CronJob| change.is_done(cron_job);
    let planned = run.predict(all_evidence, is_done, |facts| change.plan(facts));
    for text in texts.iter().filter(|_| !common.global.quiet) {
        say_plainly(text);
    }
    let planned = without_extra_runs(&mut run, planned, args.force)?;
    if planned.is_empty() {
        return run.finish_unneeded();
    }
    run.show(&planned, |_| None)?;
    if !run.confirm(&question(&planned))? {
        return Ok(nothing_changed());
    }
    let busy = Busy::begin(&run.live.session);
    let left = run.send_each(planned, &busy, |run, one| {
        Ok(Some(run.patch(one, &change, &busy)))
    });
    let how_to_continue =
        "run the same command again; it makes a new proposal for the current schedules";
    run.finish(&left, how_to_continue, Ok(CommandOutcome::Fine), &busy)
}

const WORDS: ActionWords = ActionWords {
    verb: "reschedule",
    done: "rescheduled",
    not_needed: "rescheduled (no change)",
};

/// The effect of the proposal, and of applying it.
fn texts(basis: &Basis, computed: &Computed) -> Vec<String> {
    let shown = computed.shown(basis);
    let mut texts = vec![effect(&computed.load)];
    texts.extend(applied(&shown).map(String::from));
    texts
}

/// The arguments of a change, if it supports the format.
fn changing(args: &LoadArgs) -> anyhow::Result<&Changing> {
    let changing = &args.changing;
    if !changing.output.is_none_or(Format::is_document) {
        bail!("--apply supports only -o json and -o yaml");
    }
    Ok(changing)
}

/// Checks the rights, and leaves out CronJobs that would start an extra run unless that is forced.
fn without_extra_runs(
    run: &mut ChangeRun<'_>,
    planned: Vec<PlannedChange<Rescheduling>>,
    force: bool,
) -> anyhow::Result<Vec<PlannedChange<Rescheduling>>> {
    let (skipped, kept): (Vec<_>, Vec<_>) = planned
        .into_iter()
        .partition(|one| one.plan.extra_run.is_some() && !force);
    run.require_patch(&kept, None)?;
    for PlannedChange { evidence, plan } in skipped {
        let extra = plan
            .extra_run
            .as_ref()
            .map(|extra| run.with_facts(&evidence, |facts| extra.in_words(&|at| local(facts, at))));
        let why = format!(
            "skipped because it {}; use --force to change it anyway",
            extra.unwrap_or_default()
        );
        let action = run.action(&evidence.cron_job, ActionEffect::Failed(why));
        run.report.add(action);
    }
    Ok(kept)
}

fn question(planned: &[PlannedChange<Rescheduling>]) -> String {
    match planned {
        [one] => format!("Change the schedule of {}?", one.evidence.cron_job.name),
        many => format!("Change the schedules of {} CronJobs?", many.len()),
    }
}

/// Sets `spec.schedule` as the proposal suggests.
struct RescheduleChange {
    suggestions: BTreeMap<ObjectKey, ScheduleSuggestion>,
    field_manager: String,
}

impl RescheduleChange {
    fn of(computed: &Computed, world: &World, args: &LoadArgs) -> Self {
        let named = |suggestion: &ScheduleSuggestion| {
            let cron_job = &world.cron_jobs.get(suggestion.member)?.evidence.cron_job;
            Some((cron_job.key(), suggestion.clone()))
        };
        let suggestions = computed.load.proposal.suggestions.iter();
        RescheduleChange {
            suggestions: suggestions.filter_map(named).collect(),
            field_manager: args.changing.field_manager.clone(),
        }
    }

    fn suggestion(&self, cron_job: &CronJob) -> Option<&ScheduleSuggestion> {
        self.suggestions.get(&cron_job.key())
    }
}

impl Patch for RescheduleChange {
    type Plan = Rescheduling;

    fn is_done(&self, cron_job: &CronJob) -> bool {
        let suggestion = self.suggestion(cron_job);
        suggestion.is_some_and(|suggestion| suggestion.schedule == cron_job.spec.schedule)
    }

    fn plan(&self, facts: &Facts<'_>) -> Rescheduling {
        let cron_job = &*facts.input.cron_job;
        let suggestion = self.suggestion(cron_job);
        let later = MovedSchedule {
            cron_job: Cow::Borrowed(cron_job),
            jobs: facts.controller_jobs.clone(),
            schedule: suggestion.map_or("", |suggestion| &suggestion.schedule),
            minutes: suggestion.map_or(0, |suggestion| suggestion.minutes_later),
        };
        Rescheduling::of(facts, &later, &self.field_manager)
    }

    fn requests(&self, _: &CronJob, plan: &Rescheduling) -> Vec<Request> {
        Request::reschedule(&plan.schedule)
    }

    /// The proposal is for one schedule, and the confirmation for one kind of extra run.
    fn still_holds(&self, agreed: &Rescheduling, new: &Rescheduling, _: bool) -> bool {
        let kind = |plan: &Rescheduling| plan.extra_run.as_ref().map(|run| run.kind);
        agreed.was == new.was && kind(agreed) == kind(new)
    }
}
