//! The Jobs that `trigger` makes: drafted, predicted, and sent.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};

use anyhow::{Context as _, bail};
use serde_json::{Value, json};

use super::args::Trigger as Args;
use super::changing::{Planned, Refusal, Round, Step, full_name, unmade};
use super::interrupt::Busy;
use crate::change::{
    Choice, Making, Overrides, Prospect, choose, foresee, is_suspended, make, manual_name, suffix,
};
use crate::cluster::{ClusterError, Target};
use crate::diagnose::Facts;
use crate::evidence::{Live, SelectedCronJob, World};
use crate::model::CronJob;
use crate::output::actions::{self, ActionEffect};
use crate::validation::job_name_error;

/// A random name is hardly taken once, and never so often.
const TRIES: usize = 4;

/// What is started of a CronJob, and what that leads to.
#[derive(Clone, PartialEq)]
pub(super) struct Plan {
    pub(super) prospect: Prospect,
    /// What is sent.
    job: Value,
    /// The container that does something else than the template says.
    choice: Option<Choice>,
    /// The version of the CronJob whose template it is.
    version: String,
}

/// Namespace and name.
type Key = (String, String);

pub(super) struct Triggering {
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
    pub(super) fn prepare(
        args: &Args,
        overrides: Overrides,
        (live, world): (&Live, &World),
    ) -> anyhow::Result<Self> {
        if let Some(name) = &args.name {
            if world.cron_jobs.len() > 1 {
                let many = world.cron_jobs.len();
                bail!("--name {name}: it goes with one CronJob, and there are {many}");
            }
            if let Some(error) = job_name_error(name, world.basis.controller().release) {
                bail!("--name: {error}");
            }
        }
        let mut step = Triggering {
            overrides,
            name: args.name.clone(),
            jobs: HashMap::new(),
        };
        for SelectedCronJob { evidence, .. } in &world.cron_jobs {
            let cron_job = &evidence.cron_job;
            let taken = evidence.jobs.iter();
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
    pub(super) fn make_all(
        &self,
        round: &mut Round<'_>,
        planned: Vec<Planned<Plan>>,
        busy: &Busy,
    ) -> (Vec<Made>, Vec<CronJob>) {
        let (mut made, mut left) = (Vec::new(), Vec::new());
        let mut stop = false;
        for mut one in planned {
            stop = stop || busy.is_interrupted();
            if stop {
                left.push(one.evidence.cron_job);
                continue;
            }
            match self.make_one(round, &mut one) {
                Ok((object, effect)) => {
                    let name = text(&object, "/metadata/name");
                    round.tell_made(&one, self, Some(name), (object.clone(), effect));
                    let cron_job = one.evidence.cron_job;
                    made.push(Made { cron_job, object });
                }
                Err((effect, is_of_all)) => {
                    round.tell_made(&one, self, None, (Value::Null, effect));
                    stop = is_of_all;
                }
            }
        }
        (made, left)
    }

    /// Makes one Job; a name that was made up is made up anew where somebody else has taken it.
    fn make_one(
        &self,
        round: &Round<'_>,
        planned: &mut Planned<Plan>,
    ) -> Result<(Value, ActionEffect), (ActionEffect, bool)> {
        is_as_planned(round, planned)?;
        let cron_job = &planned.evidence.cron_job;
        let is_random = self.name.is_none();
        let mut tries = 1;
        loop {
            let name = &planned.plan.prospect.job_name;
            match round.create(&planned.plan.job, is_random) {
                Ok(made) => return Ok(made),
                Err(Refusal::Exists(_)) if is_random && tries < TRIES => {
                    tries += 1;
                    let name = random_name(cron_job);
                    planned.plan.prospect.job_name.clone_from(&name);
                    if let Some(own) = planned.plan.job.pointer_mut("/metadata/name") {
                        *own = json!(name);
                    }
                }
                Err(Refusal::Exists(_)) if !is_random => {
                    let why = format!("there is a Job {name:?} already; --name chooses another");
                    return Err((ActionEffect::Failed(why), false));
                }
                Err(refusal) => return Err(unmade(&refusal, name)),
            }
        }
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

/// Somebody may have thought for a while before agreeing: what was agreed to must still be so.
fn is_as_planned(round: &Round<'_>, planned: &Planned<Plan>) -> Result<(), (ActionEffect, bool)> {
    if round.needs_no_question() {
        return Ok(());
    }
    let now = read(&round.live, &planned.evidence.cron_job);
    let now = now.map_err(|error| (ActionEffect::Failed(error.to_string()), error.is_of_all()))?;
    if text(&now, "/metadata/resourceVersion") == planned.plan.version {
        return Ok(());
    }
    let why = "it changed meanwhile, and nothing was started; run the same command again";
    Err((ActionEffect::Failed(why.to_owned()), false))
}

/// The container whose logs are shown.
pub(super) fn writer(job: &Value, named: Option<&str>) -> Option<String> {
    let choice = choose(job.pointer("/spec/template")?, named).ok()?;
    Some(choice.name)
}

/// The CronJob as the server has it.
fn read(live: &Live, cron_job: &CronJob) -> Result<Value, ClusterError> {
    let target = Target {
        resource: &live.wanted.resource,
        namespace: &cron_job.namespace,
        name: &cron_job.name,
    };
    live.session.object(target)
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
