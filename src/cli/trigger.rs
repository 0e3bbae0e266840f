//! `trigger`: creates a Job from a CronJob now, independently of its schedule.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};

use anyhow::{Context as _, bail};
use serde_json::{Value, json};

use super::args::{ChangeFormat, CommandArgs, Common, DryRun, JobArgs, Trigger};
use super::changing::{
    ChangeRun, ChangeVerb, CreateError, Deletion, PlannedChange, action, creation_effect,
    cron_jobs_of, load_targets, text_at,
};
use super::diagnostic::Diagnostic;
use super::interrupt::Busy;
use super::job_wait::{CreatedJob, JobWait, WaitOptions};
use super::retry;
use super::watched_jobs::JobLines;
use super::{CommandOutcome, complain, say_plainly};
use crate::change::{
    JobDifferences, JobEnd, JobFromTemplate, Overridden, Overrides, Prediction, RetriedRun,
    TriggerPrediction, create_job, differs_from_template, is_suspended, manual_name,
    predict_trigger, repeat_job, retry_name, set_ttl, suffix, trigger_refusal,
};
use crate::cli::args::CronJobArgs;
use crate::cli::verb::{Group, Verb, VerbSpec};
use crate::cluster::{AlsoWatch, ClusterError, Resource, Right, Target};
use crate::diagnose::Facts;
use crate::evidence::{Live, SelectedCronJob, World};
use crate::model::{CronJob, ResourceKind};
use crate::output::actions::{Action, ActionEffect};
use crate::validation::job_name_error;

/// Attempts to find a random name that is not taken.
const TRIES: usize = 4;

pub(super) const SPEC: VerbSpec = VerbSpec {
    synonyms: &[
        ("trigger", &["run", "start", "create"]),
        ("trigger --job", &["rerun"]),
    ],
    ..VerbSpec::of::<Trigger>("trigger", Group::Act)
};

impl Verb for Trigger {
    fn run(&self, common: &Common) -> anyhow::Result<CommandOutcome> {
        run(common, self)
    }

    fn cron_jobs(&self) -> Option<&CronJobArgs> {
        Some(&self.targets.cron_jobs)
    }
}

fn run(common: &Common, args: &Trigger) -> anyhow::Result<CommandOutcome> {
    if let Some(job) = &args.again {
        let created = (&args.job, &args.command);
        let resource = &args.targets.cron_jobs.resource;
        return retry::again(common, job, created, (resource, &args.basis));
    }
    check(&args.job, &args.command)?;
    let basis = common.basis(&args.basis)?;
    let reached = load_targets(common, basis, &args.targets)?;
    change(common, args, reached)
}

pub(super) fn check(args: &JobArgs, command: &CommandArgs) -> anyhow::Result<()> {
    overrides(args, command)?;
    let is_dry_run = args.changing.dry_run != DryRun::None;
    if is_dry_run && (args.wait.is_some() || args.logs || args.rm) {
        bail!("--wait, --logs and --rm cannot be used with --dry-run");
    }
    if !is_dry_run && args.changing.output == Some(ChangeFormat::Job) {
        bail!(Diagnostic::new("-o job requires --dry-run").help(
            "Add --dry-run to print the manifest of the Job, or --dry-run=server to have it checked, too.",
        ));
    }
    Ok(())
}

/// Creates a Job from each CronJob of a World.
pub(super) fn change(
    common: &Common,
    args: &Trigger,
    reached: (Live, World),
) -> anyhow::Result<CommandOutcome> {
    create(common, (&args.job, &args.command), reached, None)
}

/// Creates the Jobs; `retried` is what the Job repeats.
pub(super) fn create(
    common: &Common,
    (args, command): (&JobArgs, &CommandArgs),
    (live, world): (Live, World),
    retried: Option<RetriedJob>,
) -> anyhow::Result<CommandOutcome> {
    let lacks_events = world
        .lacks
        .iter()
        .any(|lack| lack.what == ResourceKind::Events);
    let overrides = overrides(args, command)?;
    let mut verb = TriggerVerb::prepare(
        (args, overrides),
        common.global.quiet,
        (&live, &world),
        retried,
    )?;
    verb.options.also.events = !lacks_events;
    let (run, planned) = ChangeRun::plan(common, &args.changing, (live, world), &verb);
    run.carry_out(planned, &mut verb)
}

/// What the Job does differently from the template.
fn overrides(args: &JobArgs, command: &CommandArgs) -> anyhow::Result<Overrides> {
    let overrides = Overrides {
        container: args.container.clone(),
        image: args.image.clone(),
        command: command.command.clone(),
        keeps_command: command.args,
        env: args.env.clone(),
    };
    overrides.check()?;
    Ok(overrides)
}

/// The Job to create from a CronJob, and the prediction for it.
#[derive(Clone, PartialEq)]
pub(super) struct TriggerPlan {
    prediction: TriggerPrediction,
    draft: JobDraft,
}

#[derive(Clone, Default, PartialEq)]
struct JobDraft {
    job: Value,
    overridden: Option<Overridden>,
    /// The version of the CronJob whose template it has.
    version: String,
}

pub(super) struct RetriedJob {
    pub(super) run: RetriedRun,
    pub(super) object: Value,
}

struct TriggerVerb<'a> {
    args: &'a JobArgs,
    overrides: Overrides,
    /// The Jobs by the namespaces and names of their CronJobs.
    drafts: HashMap<(String, String), JobDraft>,
    options: WaitOptions<'a>,
    created: Vec<CreatedJob>,
    /// The Job that is repeated, in place of the template.
    retried: Option<RetriedJob>,
}

impl<'a> TriggerVerb<'a> {
    /// Drafts the Jobs, from the templates as the server has them.
    pub(super) fn prepare(
        (args, overrides): (&'a JobArgs, Overrides),
        quiet: bool,
        (live, world): (&Live, &World),
        retried: Option<RetriedJob>,
    ) -> anyhow::Result<Self> {
        if let Some(name) = &args.name {
            if world.cron_jobs.len() > 1 {
                let many = world.cron_jobs.len();
                bail!("--name {name}: requires a single CronJob, but {many} are selected");
            }
            if let Some(error) = job_name_error(name, world.basis.controller().release) {
                bail!("--name: {error}");
            }
        }
        let mut verb = TriggerVerb {
            args,
            overrides,
            drafts: HashMap::new(),
            options: WaitOptions {
                timeout: args.wait.flatten(),
                logs: args.logs,
                container: args.container.as_deref(),
                lines: JobLines {
                    to_stdout: args.changing.output.is_none(),
                    quiet,
                },
                also: AlsoWatch::default(),
            },
            created: Vec::new(),
            retried,
        };
        for SelectedCronJob { evidence, .. } in &world.cron_jobs {
            let cron_job = &evidence.cron_job;
            let taken = evidence.jobs.iter();
            let mut taken = taken.filter(|job| job.namespace == cron_job.namespace);
            if let Some(name) = &args.name
                && taken.any(|job| job.name == *name)
            {
                bail!("--name {name}: a Job with that name already exists");
            }
            let draft = verb
                .draft(live, cron_job)
                .with_context(|| cron_job.full_name())?;
            verb.drafts.insert(cron_job.key(), draft);
        }
        Ok(verb)
    }

    fn draft(&mut self, live: &Live, cron_job: &CronJob) -> anyhow::Result<JobDraft> {
        let object = read(live, cron_job)?;
        let name = self.args.name.clone();
        let name = name.unwrap_or_else(|| self.random_name(cron_job));
        let mut job = match &mut self.retried {
            Some(retried) => {
                retried.run.has_old_template = differs_from_template(&object, &retried.object);
                repeat_job(&object, &retried.object, &name)?
            }
            None => create_job(&object, &JobFromTemplate::manual(&name))?,
        };
        let overridden = self.overrides.apply(&mut job)?;
        if let Some(ttl) = self.args.ttl {
            set_ttl(&mut job, ttl);
        }
        Ok(JobDraft {
            job,
            overridden,
            version: text_at(&object, "/metadata/resourceVersion"),
        })
    }

    /// Creates a Job. A random name that is taken is replaced by another one.
    fn create_job(
        &self,
        run: &ChangeRun<'_>,
        planned: &mut PlannedChange<TriggerPlan>,
    ) -> Result<(Value, ActionEffect), (ActionEffect, bool)> {
        refuse_modified(run, planned)?;
        let cron_job = &planned.evidence.cron_job;
        let TriggerPlan { prediction, draft } = &mut planned.plan;
        let is_random = self.args.name.is_none();
        let knows_existing = is_random || run.coverage.jobs_read;
        let mut tries = 1;
        loop {
            match run.create(&draft.job, knows_existing) {
                Ok(created) => return Ok(created),
                Err(CreateError::Exists(_)) if is_random && tries < TRIES => {
                    tries += 1;
                    if let Some(own) = draft.job.pointer_mut("/metadata/name") {
                        *own = json!(self.random_name(cron_job));
                    }
                    let predict = |facts: &Facts<'_>| self.predict(facts, draft);
                    *prediction = run.with_facts(&planned.evidence, predict);
                }
                Err(CreateError::Exists(_)) if !is_random => {
                    let name = &prediction.job_name;
                    let why = format!("a Job named {name:?} already exists; choose another --name");
                    return Err((ActionEffect::Failed(why), false));
                }
                Err(error) => return Err(creation_effect(&error, &prediction.job_name)),
            }
        }
    }

    fn waits(&self) -> bool {
        self.args.wait.is_some() || self.args.logs || self.args.rm
    }

    fn verb(&self) -> &'static str {
        match self.retried {
            Some(_) => "retry",
            None => Self::VERB,
        }
    }

    fn random_name(&self, cron_job: &CronJob) -> String {
        let random = random_suffix();
        match &self.retried {
            Some(retried) => retry_name(&retried.run.job_name, &random),
            None => manual_name(&cron_job.name, &random),
        }
    }

    /// What creating the Job of a draft leads to.
    fn predict(&self, facts: &Facts<'_>, draft: &JobDraft) -> TriggerPrediction {
        let differences = JobDifferences {
            overridden: draft
                .overridden
                .as_ref()
                .map(|overridden| (overridden, &self.overrides)),
            ttl: self.args.ttl,
            retried: self.retried.as_ref().map(|retried| &retried.run),
        };
        let name = text_at(&draft.job, "/metadata/name");
        predict_trigger(facts, &name, is_suspended(&draft.job), differences)
    }

    /// Deletes the Jobs that have finished, and shows how to delete the others.
    fn remove(
        &self,
        run: &mut ChangeRun<'_>,
        endings: &[Option<JobEnd>],
        busy: &Busy,
    ) -> CommandOutcome {
        let mut outcome = CommandOutcome::Fine;
        for (created, ending) in self.created.iter().zip(endings) {
            let (namespace, name) = (
                text_at(&created.object, "/metadata/namespace"),
                text_at(&created.object, "/metadata/name"),
            );
            let delete = || {
                let kubectl = &run.basis.kubectl;
                let command = kubectl.command("delete job").name(&name);
                command.namespace(&namespace)
            };
            match ending {
                Some(JobEnd::Deleted) => continue,
                Some(_) if !busy.is_interrupted() => {}
                _ => {
                    say_plainly(&format!(
                        "job.batch/{name} was not deleted; to delete it, run: {}",
                        delete()
                    ));
                    continue;
                }
            }
            let error = match run.delete(&created.object) {
                Deletion::Done => {
                    run.report.note_written(self.options.lines.deleted(&name));
                    continue;
                }
                Deletion::Gone(is_replaced) => {
                    let other = if is_replaced {
                        "; another Job has its name now and was not deleted"
                    } else {
                        ""
                    };
                    say_plainly(&format!("job.batch/{name} was already deleted{other}"));
                    continue;
                }
                Deletion::Failed(error) => {
                    let error = format!("job.batch/{name}: not deleted: {error}");
                    Diagnostic::new(error).help(&format!("Delete it: {}", delete()))
                }
                Deletion::Unknown(error) => {
                    let get = run.basis.kubectl.command("get job").name(&name);
                    let error = format!(
                        "job.batch/{name}: {error}; it may have been deleted, or may still be deleted"
                    );
                    Diagnostic::new(error).help(&format!("Check it: {}", get.namespace(&namespace)))
                }
            };
            outcome = CommandOutcome::Incomplete;
            complain(error);
        }
        outcome
    }
}

impl ChangeVerb for TriggerVerb<'_> {
    type Plan = TriggerPlan;
    const VERB: &'static str = "trigger";
    const DONE: &'static str = "created";

    fn plan(&self, facts: &Facts<'_>) -> TriggerPlan {
        let draft = self.drafts.get(&facts.cron_job.key());
        let draft = draft.cloned().unwrap_or_default();
        TriggerPlan {
            prediction: self.predict(facts, &draft),
            draft,
        }
    }

    fn prediction(&self, plan: &TriggerPlan) -> Prediction {
        Prediction::Trigger(Box::new(plan.prediction.clone()))
    }

    fn check_rights(
        &mut self,
        run: &mut ChangeRun<'_>,
        planned: &mut Vec<PlannedChange<TriggerPlan>>,
    ) -> anyhow::Result<()> {
        let args = self.args;
        if args.changing.dry_run == DryRun::Client {
            return Ok(());
        }
        let (jobs, pods) = (Resource::jobs(), Resource::pods());
        let require = |right| run.require(cron_jobs_of(planned), right);
        require(Right::to("create", &jobs))?;
        if !self.waits() {
            return Ok(());
        }
        require(Right::to("watch", &jobs))?;
        if args.rm {
            require(Right::to("delete", &jobs))?;
        }
        let watch_pods = Right::to("watch", &pods);
        if args.logs {
            require(watch_pods)?;
            require(Right {
                subresource: Some("log"),
                ..Right::to("get", &pods)
            })?;
            self.options.also.pods = true;
        } else {
            self.options.also.pods = run.has_right(cron_jobs_of(planned), watch_pods)?;
            if !self.options.also.pods && !self.options.lines.quiet {
                super::warn(
                    "cannot watch pods (forbidden): reasons why a Job does not finish are not shown",
                );
            }
        }
        Ok(())
    }

    fn question(&self, planned: &[PlannedChange<TriggerPlan>]) -> String {
        match planned {
            [one] => format!("Create {}?", one.plan.prediction.job_name),
            many => format!("Create {} Jobs?", many.len()),
        }
    }

    fn confirm(
        &mut self,
        run: &mut ChangeRun<'_>,
        planned: &mut Vec<PlannedChange<TriggerPlan>>,
    ) -> anyhow::Result<bool> {
        run.show(planned, self)?;
        if !self.args.force {
            refuse(planned)?;
        }
        run.confirm(&self.question(planned))
    }

    fn change_one(
        &mut self,
        run: &mut ChangeRun<'_>,
        mut planned: PlannedChange<TriggerPlan>,
        _: &Busy,
    ) -> (Action, bool) {
        let created = self.create_job(run, &mut planned);
        let PlannedChange { evidence, plan } = planned;
        let prediction = self.prediction(&plan);
        let cron_job = evidence.cron_job;
        let (job, object, effect, others_fail) = match created {
            Ok((object, effect)) => {
                let name = text_at(&object, "/metadata/name");
                // What the server adds, such as the selector, is not accepted in a new Job.
                let is_manifest = self.args.changing.output == Some(ChangeFormat::Job);
                let object = if is_manifest { plan.draft.job } else { object };
                (Some(name), object, effect, false)
            }
            Err((effect, others_fail)) => (None, Value::Null, effect, others_fail),
        };
        let action = Action {
            job,
            prediction: Some(prediction),
            object: object.clone(),
            ..action(self.verb(), &cron_job, effect)
        };
        if action.job.is_some() {
            self.created.push(CreatedJob { cron_job, object });
        }
        (action, others_fail)
    }

    fn wait(&mut self, run: &mut ChangeRun<'_>, busy: &Busy) -> anyhow::Result<CommandOutcome> {
        if !self.waits() {
            return Ok(CommandOutcome::Fine);
        }
        let result = JobWait::run(run, &self.created, self.options, busy)?;
        for (cron_job, observed) in result.observed {
            run.report.observe(&cron_job, observed);
        }
        run.report.note_written(result.written);
        let removed = if self.args.rm {
            self.remove(run, &result.endings, busy)
        } else {
            CommandOutcome::Fine
        };
        Ok(match removed {
            CommandOutcome::Fine => result.outcome,
            other => other,
        })
    }

    fn how_to_continue(&self) -> &'static str {
        "run the same command again for these CronJobs only; the created Jobs keep running"
    }
}

/// Fails if a Job is running and the policy is Forbid.
fn refuse(planned: &[PlannedChange<TriggerPlan>]) -> anyhow::Result<()> {
    let refused = planned.iter().filter_map(|one| {
        let refusal = trigger_refusal(&one.plan.prediction)?;
        Some(format!("{}: {refusal}", one.evidence.cron_job.full_name()))
    });
    let refused: Vec<String> = refused.collect();
    if refused.is_empty() {
        return Ok(());
    }
    bail!("nothing was changed: {}", refused.join("; "))
}

/// Fails if the CronJob was modified since the prediction, while the user was asked.
fn refuse_modified(
    run: &ChangeRun<'_>,
    planned: &PlannedChange<TriggerPlan>,
) -> Result<(), (ActionEffect, bool)> {
    if run.needs_no_question() {
        return Ok(());
    }
    let now = read(&run.live, &planned.evidence.cron_job);
    let now = now.map_err(|error| (ActionEffect::Failed(error.to_string()), error.is_of_all()))?;
    if planned.plan.draft.version == text_at(&now, "/metadata/resourceVersion") {
        return Ok(());
    }
    let why = "modified in the meantime; no Job was created. Run the command again for a new plan.";
    Err((ActionEffect::Failed(why.to_owned()), false))
}

/// The CronJob as the server has it.
fn read(live: &Live, cron_job: &CronJob) -> Result<Value, ClusterError> {
    let target = Target::of(&live.wanted.resource, cron_job);
    live.session.object(target)
}

pub(super) fn random_suffix() -> String {
    // The keys of the hasher are random.
    suffix(RandomState::new().build_hasher().finish())
}
