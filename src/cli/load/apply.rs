//! `load --apply`: changes the schedules of CronJobs as the proposal suggests.

use std::borrow::Cow;
use std::collections::BTreeMap;

use anyhow::bail;

use super::{Computed, LoadArgs, LoadFormat, compute, span};
use crate::change::{MovedSchedule, Prediction, Request, Rescheduling};
use crate::cli::args::{ChangeFormat, Changing, Common};
use crate::cli::changing::{ChangeRun, ChangeVerb, PlannedChange, action};
use crate::cli::{CommandOutcome, complain, say_plainly};
use crate::diagnose::{Facts, local};
use crate::evidence::{Basis, Needs, World};
use crate::load::ScheduleSuggestion;
use crate::model::CronJob;
use crate::output::actions::ActionEffect;
use crate::output::load::{applied, effect};

pub(super) fn run(common: &Common, args: &LoadArgs) -> anyhow::Result<CommandOutcome> {
    let changing = changing(&args.changing)?;
    let basis = common.basis(&args.basis)?;
    let (live, world) = common.load_live(basis, &args.selection, Needs::JOBS)?;
    let (mut verb, texts, counted) = {
        let window = span(args, &world.basis)?;
        let computed = compute(common.global.quiet, args, &world, window);
        for problem in &computed.problems {
            complain(problem.clone());
        }
        (
            RescheduleVerb::of(&computed, &world, args),
            texts(&world.basis, &computed),
            computed.problems.is_empty(),
        )
    };
    let world = world
        .complete_if(counted)
        .only(|cron_job| verb.suggestion(cron_job).is_some());
    let (run, planned) = ChangeRun::plan(common, &changing, (live, world), &verb);
    for text in texts.iter().filter(|_| !common.global.quiet) {
        say_plainly(text);
    }
    run.carry_out(planned, &mut verb)
}

/// The effect of the proposal, and of applying it.
fn texts(basis: &Basis, computed: &Computed) -> Vec<String> {
    let shown = computed.shown(basis);
    let mut texts = vec![effect(&computed.load)];
    texts.extend(applied(&shown));
    texts
}

/// The arguments of a change, if it supports the format.
fn changing(args: &Changing<LoadFormat>) -> anyhow::Result<Changing> {
    let output = match args.output {
        None => None,
        Some(LoadFormat::Json) => Some(ChangeFormat::Json),
        Some(LoadFormat::Yaml) => Some(ChangeFormat::Yaml),
        Some(LoadFormat::Csv | LoadFormat::Svg | LoadFormat::Patch | LoadFormat::Kustomize) => {
            bail!("--apply supports only -o json and -o yaml")
        }
    };
    Ok(Changing {
        yes: args.yes,
        dry_run: args.dry_run,
        output,
        field_manager: args.field_manager.clone(),
    })
}

struct RescheduleVerb {
    suggestions: BTreeMap<(String, String), ScheduleSuggestion>,
    /// Whether CronJobs that would start an extra run are changed, too.
    force: bool,
    field_manager: String,
}

impl RescheduleVerb {
    fn of(computed: &Computed, world: &World, args: &LoadArgs) -> Self {
        let named = |suggestion: &ScheduleSuggestion| {
            let cron_job = &world.cron_jobs.get(suggestion.member)?.evidence.cron_job;
            Some((cron_job.key(), suggestion.clone()))
        };
        let suggestions = computed.load.proposal.suggestions.iter();
        RescheduleVerb {
            suggestions: suggestions.filter_map(named).collect(),
            force: args.force,
            field_manager: args.changing.field_manager.clone(),
        }
    }

    fn suggestion(&self, cron_job: &CronJob) -> Option<&ScheduleSuggestion> {
        self.suggestions.get(&cron_job.key())
    }
}

impl ChangeVerb for RescheduleVerb {
    type Plan = Rescheduling;
    const VERB: &'static str = "reschedule";
    const DONE: &'static str = "rescheduled";

    fn plan(&self, facts: &Facts<'_>) -> Rescheduling {
        let cron_job = &*facts.cron_job;
        let suggestion = self.suggestion(cron_job);
        let later = MovedSchedule {
            cron_job: Cow::Borrowed(cron_job),
            jobs: facts.controller_jobs.clone(),
            schedule: suggestion.map_or("", |suggestion| &suggestion.schedule),
            minutes: suggestion.map_or(0, |suggestion| suggestion.minutes_later),
        };
        Rescheduling::of(facts, &later, &self.field_manager)
    }

    /// Leaves out CronJobs that would start an extra run.
    fn check_rights(
        &mut self,
        run: &mut ChangeRun<'_>,
        planned: &mut Vec<PlannedChange<Rescheduling>>,
    ) -> anyhow::Result<()> {
        let all = std::mem::take(planned).into_iter();
        let (skipped, kept): (Vec<_>, Vec<_>) =
            all.partition(|one| one.plan.extra_run.is_some() && !self.force);
        *planned = kept;
        run.require_patch(planned, None)?;
        for PlannedChange { evidence, plan } in skipped {
            let extra = plan.extra_run.as_ref().map(|extra| {
                run.with_facts(&evidence, |facts| extra.in_words(&|at| local(facts, at)))
            });
            let why = format!(
                "skipped because it {}; use --force to change it anyway",
                extra.unwrap_or_default()
            );
            let action = action(Self::VERB, &evidence.cron_job, ActionEffect::Failed(why));
            run.report.add(action);
        }
        Ok(())
    }

    fn question(&self, planned: &[PlannedChange<Rescheduling>]) -> String {
        match planned {
            [one] => format!("Change the schedule of {}?", one.evidence.cron_job.name),
            many => format!("Change the schedules of {} CronJobs?", many.len()),
        }
    }

    /// The proposal is for one schedule, and the confirmation for one kind of extra run.
    fn still_holds(&self, agreed: &Rescheduling, new: &Rescheduling, _: bool) -> bool {
        let kind = |plan: &Rescheduling| plan.extra_run.as_ref().map(|run| run.kind);
        agreed.was == new.was && kind(agreed) == kind(new)
    }

    fn prediction(&self, plan: &Rescheduling) -> Prediction {
        Prediction::Rescheduling(Box::new(plan.clone()))
    }

    fn requests(&self, _: &CronJob, plan: &Rescheduling) -> Vec<Request> {
        Request::reschedule(&plan.schedule)
    }

    fn is_done(&self, cron_job: &CronJob) -> bool {
        let suggestion = self.suggestion(cron_job);
        suggestion.is_some_and(|suggestion| suggestion.schedule == cron_job.spec.schedule)
    }

    fn how_to_continue(&self) -> &'static str {
        "run the same command again; it makes a new proposal for the current schedules"
    }
}
