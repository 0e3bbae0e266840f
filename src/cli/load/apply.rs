//! `load --apply`: the CronJobs of the proposal get their new schedules.

use std::collections::BTreeMap;

use anyhow::bail;
use serde_json::Value;

use super::{Computed, LoadArgs, LoadFormat, compute, display_zone};
use crate::change::{Later, Request, Rescheduling};
use crate::cli::args::{ChangeFormat, Changing, Common, DryRun};
use crate::cli::changing::{Planned, Round, Step};
use crate::cli::interrupt::Busy;
use crate::cli::{Outcome, complain, say_plainly};
use crate::diagnose::Facts;
use crate::evidence::{Basis, Needs, World};
use crate::load::ScheduleSuggestion;
use crate::model::CronJob;
use crate::output::actions;
use crate::output::load::{applied, effect};

pub(super) fn run(common: &Common, args: &LoadArgs) -> anyhow::Result<Outcome> {
    let changing = changing(args)?;
    let basis = common.basis(&args.basis)?;
    let zone = display_zone(args, &basis)?;
    let (live, world) = common.load_live(basis, &args.selection, Needs::JOBS)?;
    let (step, texts, counted) = {
        let computed = compute(common, args, zone, &world)?;
        for problem in &computed.problems {
            complain(problem.clone());
        }
        (
            Moving::of(&computed, &world),
            texts(&world.basis, &computed),
            computed.problems.is_empty(),
        )
    };
    let world = world
        .complete_if(counted)
        .only(|cron_job| step.suggestion(cron_job).is_some());
    let (mut round, planned) = Round::plan(common, &changing, (live, world), &step);
    for text in texts.iter().filter(|_| !common.global.quiet) {
        say_plainly(text);
    }
    let (skipped, planned): (Vec<_>, Vec<_>) = planned
        .into_iter()
        .partition(|one| one.plan.extra_run.is_some() && !args.force);
    round.ensure_rights(&planned, None)?;
    for Planned { evidence, plan } in skipped {
        let extra = plan.extra_run.as_ref().map(actions::extra_run);
        let why = format!(
            "skipped because it {}; use --force to change it anyway",
            extra.unwrap_or_default()
        );
        round.tell_failed::<Moving>(&evidence.cron_job, why);
    }
    if planned.is_empty() {
        return round.finish(&step, &[], None);
    }
    round.show(&planned, &step)?;
    let question = match planned.as_slice() {
        [one] => format!("Change the schedule of {}?", one.evidence.cron_job.name),
        many => format!("Change the schedules of {} CronJobs?", many.len()),
    };
    if !round.is_agreed(&question)? {
        say_plainly("Nothing was changed.");
        return Ok(Outcome::Incomplete);
    }
    let mut step = step;
    let busy = Busy::begin(&round.live.session);
    let left = round.run(planned, &mut step, &busy);
    round.finish(&step, &left, busy.ended_by())
}

/// What the proposal comes to, and what it leads to to apply it.
fn texts(basis: &Basis, computed: &Computed) -> Vec<String> {
    let shown = computed.shown(basis);
    let mut texts = vec![effect(&computed.load)];
    texts.extend(applied(&shown));
    texts
}

/// How the change is made and told, as the other verbs have it.
fn changing(args: &LoadArgs) -> anyhow::Result<Changing> {
    let output = match args.output {
        None => None,
        Some(LoadFormat::Json) => Some(ChangeFormat::Json),
        Some(LoadFormat::Yaml) => Some(ChangeFormat::Yaml),
        Some(LoadFormat::Csv | LoadFormat::Svg | LoadFormat::Patch) => {
            bail!("--apply tells what was changed: only -o json and -o yaml go with it")
        }
    };
    Ok(Changing {
        yes: args.yes,
        dry_run: args.dry_run.unwrap_or(DryRun::None),
        output,
        field_manager: args.field_manager.clone(),
    })
}

/// The schedules that are changed, by namespace and name.
struct Moving {
    suggestions: BTreeMap<(String, String), ScheduleSuggestion>,
}

impl Moving {
    fn of(computed: &Computed, world: &World) -> Self {
        let named = |suggestion: &ScheduleSuggestion| {
            let cron_job = &world.cron_jobs.get(suggestion.member)?.evidence.cron_job;
            let name = (cron_job.namespace.clone(), cron_job.name.clone());
            Some((name, suggestion.clone()))
        };
        let suggestions = computed.load.proposal.suggestions.iter();
        Moving {
            suggestions: suggestions.filter_map(named).collect(),
        }
    }

    fn suggestion(&self, cron_job: &CronJob) -> Option<&ScheduleSuggestion> {
        let name = (cron_job.namespace.clone(), cron_job.name.clone());
        self.suggestions.get(&name)
    }
}

impl Step for Moving {
    type Plan = Rescheduling;
    const VERB: &'static str = "reschedule";
    const DONE: &'static str = "rescheduled";

    fn plan(&self, facts: &Facts<'_>) -> Rescheduling {
        let cron_job = facts.cron_job;
        let suggestion = self.suggestion(cron_job);
        let later = Later {
            cron_job,
            jobs: facts.controller_jobs.clone(),
            schedule: suggestion.map_or("", |suggestion| &suggestion.schedule),
            minutes: suggestion.map_or(0, |suggestion| suggestion.minutes_later),
        };
        Rescheduling::of(facts.controller, &later, facts.now)
    }

    /// The proposal was made for one schedule, and an extra run is agreed to by its kind.
    fn still_holds(&self, agreed: &Rescheduling, new: &Rescheduling, _: bool) -> bool {
        let kind = |plan: &Rescheduling| plan.extra_run.as_ref().map(|run| run.kind);
        agreed.was == new.was && kind(agreed) == kind(new)
    }

    fn sentences(&self, facts: &Facts<'_>, plan: &Rescheduling) -> String {
        actions::rescheduling(facts, plan)
    }

    fn document(&self, facts: &Facts<'_>, plan: &Rescheduling) -> Value {
        actions::rescheduling_document(facts, plan)
    }

    fn requests(&self, _: &CronJob, plan: &Rescheduling) -> Vec<Request> {
        Request::reschedule(&plan.schedule)
    }

    fn is_done(&self, cron_job: &CronJob) -> bool {
        let suggestion = self.suggestion(cron_job);
        suggestion.is_some_and(|suggestion| suggestion.schedule == cron_job.spec.schedule)
    }

    fn go_on(&self) -> &'static str {
        "run the same command again; it makes a new proposal for what is there then"
    }
}
