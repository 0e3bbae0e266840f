//! `trigger`: a Job of a CronJob now, beside the schedule.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};

use anyhow::{Context as _, bail};
use serde_json::{Value, json};

use super::Outcome;
use super::args::{Connection, DryRun, Global, Trigger as Args};
use super::changing::{
    Planned, Refusal, Round, Step, deed_in_namespace, full_name, may, reach, unmade,
};
use super::connect::Live;
use super::gathered::Gathered;
use super::interrupt::Busy;
use super::settings::Settings;
use super::waiting::{Waited, Waiting, Wishes};
use crate::cluster::{Beside, Missing, Resource, Target};
use crate::controller::validation::validate_job_name;
use crate::diagnose::Facts;
use crate::hands::{
    Choice, Making, Overrides, Prospect, choose, foresee, is_suspended, make, manual_name, refusal,
    suffix,
};
use crate::model::CronJob;
use crate::output::actions::{self, Effect};

/// A random name is hardly taken once, and never so often.
const TRIES: usize = 4;

pub(super) fn run(
    global: &Global,
    connection: &Connection,
    args: &Args,
) -> anyhow::Result<Outcome> {
    let overrides = overrides(args)?;
    if (args.wait.is_some() || args.logs) && args.changing.dry_run != DryRun::None {
        bail!("--wait and --logs need a Job, and --dry-run makes none");
    }
    let mut settings = Settings::new(global, &args.what_if)?;
    let (live, found) = reach(&mut settings, global, connection, &args.targets)?;
    let lacks_events = found.lacks.iter().any(|lack| lack.what == Missing::Events);
    let step = Triggering::prepare(args, &settings, overrides, (&live, &found))?;
    let (mut round, planned) =
        Round::plan(&mut settings, global, &args.changing, (live, found), &step)?;
    if planned.is_empty() {
        return round.finish(&step, &[], false);
    }
    let mut wishes = wishes(args, global, &round, &planned)?;
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
    let busy = Busy::begin();
    let (made, left) = step.make_all(&mut round, planned, &busy)?;
    let mut waited = Waited::Well;
    if args.wait.is_some() || args.logs {
        let waiting = Waiting::begin(&round, made, wishes);
        let (came, observed) = waiting.run(&round, &busy)?;
        waited = came;
        for (cron_job, observed) in observed {
            round.observe(&cron_job, observed);
        }
    }
    let interrupted = busy.is_interrupted();
    let outcome = round.finish(&step, &left, interrupted)?;
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
    global: &Global,
    round: &Round<'_>,
    planned: &[Planned<Plan>],
) -> anyhow::Result<Wishes<'a>> {
    let mut wishes = Wishes {
        timeout: args.wait.flatten(),
        logs: args.logs,
        container: args.container.as_deref(),
        to_stdout: round.tells_lines(),
        quiet: global.quiet,
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
        let cron_jobs = planned.iter().map(|one| &one.dossier.cron_job);
        wishes.beside.pods = may(&round.live.session, watch_pods, cron_jobs)?;
        if !wishes.beside.pods && !global.quiet {
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
        Some(format!("{}: {refusal}", full_name(&one.dossier.cron_job)))
    });
    let refused: Vec<String> = refused.collect();
    if refused.is_empty() {
        return Ok(());
    }
    bail!("nothing was changed: {}", refused.join("\n"))
}

/// What is started of a CronJob, and what that leads to.
#[derive(Clone, PartialEq)]
struct Plan {
    prospect: Prospect,
    /// What is sent.
    job: Value,
    /// The container that does something else than the template says.
    choice: Option<Choice>,
    /// The version of the CronJob whose template it is.
    version: String,
}

/// Namespace and name.
type Key = (String, String);

struct Triggering {
    overrides: Overrides,
    name: Option<String>,
    /// The Jobs, by what they are made of.
    jobs: HashMap<Key, Draft>,
}

/// A Job that is about to be made.
#[derive(Clone)]
struct Draft {
    job: Value,
    choice: Option<Choice>,
    version: String,
}

/// A Job that was made.
pub(super) struct Made {
    pub(super) cron_job: CronJob,
    /// As the server has it.
    pub(super) object: Value,
}

impl Triggering {
    /// Makes drafts of all the Jobs, of templates as the server has them.
    fn prepare(
        args: &Args,
        settings: &Settings,
        overrides: Overrides,
        (live, found): (&Live, &Gathered),
    ) -> anyhow::Result<Self> {
        if let Some(name) = &args.name {
            if found.chosen.len() > 1 {
                let many = found.chosen.len();
                bail!("--name {name}: it goes with one CronJob, and there are {many}");
            }
            let errors = validate_job_name(name, settings.controller().release);
            if let Some(error) = errors.first() {
                bail!("--name: {error}");
            }
        }
        let mut step = Triggering {
            overrides,
            name: args.name.clone(),
            jobs: HashMap::new(),
        };
        for chosen in &found.chosen {
            let cron_job = &chosen.dossier.cron_job;
            let taken = chosen.dossier.jobs.iter();
            let mut taken = taken.filter(|job| job.namespace == cron_job.namespace);
            if let Some(name) = &args.name
                && taken.any(|job| job.name == *name)
            {
                bail!("--name {name}: there is a Job of that name already");
            }
            let draft = step
                .draft(live, cron_job)
                .with_context(|| full_name(cron_job))?;
            step.jobs.insert(key(cron_job), draft);
        }
        Ok(step)
    }

    fn draft(&self, live: &Live, cron_job: &CronJob) -> anyhow::Result<Draft> {
        let object = read(live, cron_job)?;
        let name = self.name.clone().unwrap_or_else(|| random_name(cron_job));
        let mut job = make(&object, &Making::by_hand(&name))?;
        let choice = self.overrides.apply(&mut job)?;
        Ok(Draft {
            job,
            choice,
            version: text(&object, "/metadata/resourceVersion"),
        })
    }

    /// Makes the Jobs, one by one, and tells of each. Returns those that were made, and the CronJobs
    /// that it did not come to.
    fn make_all(
        &self,
        round: &mut Round<'_>,
        planned: Vec<Planned<Plan>>,
        busy: &Busy,
    ) -> anyhow::Result<(Vec<Made>, Vec<CronJob>)> {
        let (mut made, mut left) = (Vec::new(), Vec::new());
        let mut stop = false;
        for mut one in planned {
            stop = stop || busy.is_interrupted();
            if stop {
                left.push(one.dossier.cron_job);
                continue;
            }
            match self.make_one(round, &mut one) {
                Ok((object, effect)) => {
                    let name = text(&object, "/metadata/name");
                    round.tell_made(&one, self, (name, object.clone(), effect))?;
                    let cron_job = one.dossier.cron_job;
                    made.push(Made { cron_job, object });
                }
                Err((why, is_open)) => {
                    round.tell_failed::<Self>(&one.dossier.cron_job, why)?;
                    stop = is_open;
                }
            }
        }
        Ok((made, left))
    }

    /// Makes one Job; a name that was made up is made up anew where it is taken.
    fn make_one(
        &self,
        round: &Round<'_>,
        planned: &mut Planned<Plan>,
    ) -> Result<(Value, Effect), (String, bool)> {
        self.is_as_planned(round, planned)?;
        let cron_job = &planned.dossier.cron_job;
        for _ in 1..TRIES {
            match round.create(&planned.plan.job) {
                Err(Refusal::Exists(_)) if self.name.is_none() => {
                    let name = random_name(cron_job);
                    planned.plan.prospect.job_name.clone_from(&name);
                    if let Some(own) = planned.plan.job.pointer_mut("/metadata/name") {
                        *own = json!(name);
                    }
                }
                Err(Refusal::Exists(_)) => {
                    let name = &planned.plan.prospect.job_name;
                    let why = format!("there is a Job {name:?} already; --name chooses another");
                    return Err((why, false));
                }
                other => return other.map_err(|refusal| unmade(&refusal)),
            }
        }
        round
            .create(&planned.plan.job)
            .map_err(|refusal| unmade(&refusal))
    }

    /// Somebody may have thought for a while before agreeing: what was agreed to must still be so.
    fn is_as_planned(
        &self,
        round: &Round<'_>,
        planned: &Planned<Plan>,
    ) -> Result<(), (String, bool)> {
        if round.needs_no_question() {
            return Ok(());
        }
        let now = read(&round.live, &planned.dossier.cron_job);
        let now = now.map_err(|error| (format!("{error:#}"), false))?;
        if text(&now, "/metadata/resourceVersion") == planned.plan.version {
            return Ok(());
        }
        let why = "it changed meanwhile, and nothing was started; run the same command again";
        Err((why.to_owned(), false))
    }
}

impl Step for Triggering {
    type Plan = Plan;
    const VERB: &'static str = "trigger";
    const DONE: &'static str = "created";

    fn plan(&self, facts: &Facts<'_>) -> Plan {
        let draft = self.jobs.get(&key(facts.cron_job));
        let (job, choice, version) = draft.cloned().map_or_else(
            || (Value::Null, None, String::new()),
            |draft| (draft.job, draft.choice, draft.version),
        );
        let name = text(&job, "/metadata/name");
        Plan {
            prospect: foresee(facts, &name, is_suspended(&job)),
            job,
            choice,
            version,
        }
    }

    fn is_same(&self, one: &Plan, other: &Plan) -> bool {
        one == other
    }

    fn sentences(&self, facts: &Facts<'_>, plan: &Plan) -> String {
        actions::triggering(facts, &plan.prospect, self.changed(plan))
    }

    fn document(&self, facts: &Facts<'_>, plan: &Plan) -> Value {
        actions::triggering_document(facts, &plan.prospect, self.changed(plan))
    }

    fn go_on(&self) -> &'static str {
        "run the same command again for these alone; what was started runs"
    }
}

impl Triggering {
    fn changed<'a>(&'a self, plan: &'a Plan) -> Option<(&'a Choice, &'a Overrides)> {
        plan.choice.as_ref().map(|choice| (choice, &self.overrides))
    }
}

/// The container whose logs are shown.
pub(super) fn writer(job: &Value, named: Option<&str>) -> Option<String> {
    let choice = choose(job.pointer("/spec/template")?, named).ok()?;
    Some(choice.name)
}

/// The CronJob as the server has it.
fn read(live: &Live, cron_job: &CronJob) -> anyhow::Result<Value> {
    let target = Target {
        resource: &live.wanted.resource,
        namespace: &cron_job.namespace,
        name: &cron_job.name,
    };
    Ok(live.session.object(target)?)
}

fn random_name(cron_job: &CronJob) -> String {
    // Each has other keys, which come from the system.
    let random = RandomState::new().build_hasher().finish();
    manual_name(&cron_job.name, &suffix(random))
}

fn key(cron_job: &CronJob) -> Key {
    (cron_job.namespace.clone(), cron_job.name.clone())
}

pub(super) fn text(object: &Value, pointer: &str) -> String {
    let text = object.pointer(pointer).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}
