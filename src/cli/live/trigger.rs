//! `trigger`: creates a Job from a CronJob now, independently of its schedule.

use std::collections::HashMap;

use anyhow::{Context as _, bail};
use serde_json::{Value, json};

use super::again;
use super::changing::{
    Attempt, ChangeRun, CreateError, Deletion, PlannedChange, creation_effect, cron_jobs_of,
    load_targets, nothing_changed, text_at,
};
use super::job_lines::JobLines;
use super::job_wait::{CreatedJob, JobWait, WaitOptions};
use crate::cli::args::Common;
use crate::cli::args::CronJobArgs;
use crate::cli::diagnostic::Diagnostic;
use crate::cli::live::busy::Busy;
use crate::cli::live::changing::Trigger;
use crate::cli::verb::{Group, Verb, VerbSpec};
use crate::cli::{CommandOutcome, complain, say_plainly};
use crate::evidence::{Live, World};
use crate::output::DryRun;
use crate::output::Format;
use crate::output::actions::{Action, ActionEffect, ActionWords};
use cronjob_diagnosis::change::{
    JobDifferences, JobEnd, JobFromTemplate, Overridden, Overrides, Prediction, RetriedRun,
    TriggerPrediction, create_job, is_suspended, manual_name, predict_trigger, repeat_job,
    retry_name, set_ttl, suffix, template_differences, trigger_refusal,
};
use cronjob_diagnosis::diagnose::Facts;
use cronjob_manifest::validation::job_name_error;
use kube_access::{AlsoWatch, ClusterError, Right, Target};
use kube_model::{CronJob, CronJobEvidence, ObjectKey, ResourceKind};
use kube_objects::query::Resource;

/// Attempts to find a random name that is not taken.
const TRIES: usize = 4;

pub(crate) const SPEC: VerbSpec = VerbSpec {
    synonyms: &[
        ("trigger", &["run", "start", "create"]),
        ("trigger --job", &["rerun", "retry", "restart"]),
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

    fn flags_of_one_namespace(&self) -> Vec<(&'static str, bool)> {
        vec![("--job", self.again.is_some())]
    }
}

fn run(common: &Common, args: &Trigger) -> anyhow::Result<CommandOutcome> {
    let mut wanted = WantedJob::of(args)?;
    if let Some(job) = &args.again {
        let resource = &args.targets.cron_jobs.resource;
        let Some((live, world, run)) = again::chosen(common, job, resource, &args.basis)? else {
            return Ok(CommandOutcome::Incomplete);
        };
        wanted.retried = Some(run);
        return create(common, wanted, live, world);
    }
    let basis = common.basis(&args.basis)?;
    let (live, world) = load_targets(common, basis, &args.targets, false)?;
    create(common, wanted, live, world)
}

/// Creates a Job from each CronJob of a World.
pub(super) fn trigger(
    common: &Common,
    args: &Trigger,
    live: Live,
    world: World,
) -> anyhow::Result<CommandOutcome> {
    create(common, WantedJob::of(args)?, live, world)
}

/// Creates the wanted Job from each CronJob of a World.
fn create(
    common: &Common,
    mut wanted: WantedJob<'_>,
    live: Live,
    world: World,
) -> anyhow::Result<CommandOutcome> {
    let args = wanted.args;
    let quiet = common.global.quiet;
    let lacks_events = world
        .lacks
        .iter()
        .any(|lack| lack.what == ResourceKind::Events);
    let words = ActionWords {
        verb: "trigger",
        done: "created",
        not_needed: "created (no change)",
    };
    let (mut run, mut all_evidence) = ChangeRun::new(common, &args.changing, live, world, words);
    let drafts = wanted.drafts(&mut run, &mut all_evidence)?;
    let planned = run.predict(
        all_evidence,
        |_| false,
        |facts| {
            let draft = drafts
                .get(&facts.input.cron_job.key())
                .cloned()
                .unwrap_or_default();
            let prediction = wanted.predict(facts, &draft);
            TriggerPlan { prediction, draft }
        },
    );
    let watches_pods = check_rights(args, &run, &planned)?;
    if planned.is_empty() {
        return run.finish_unneeded();
    }
    run.show(&planned, |_| None)?;
    if !args.force {
        refuse(&planned)?;
    }
    if !run.confirm(&question(&planned))? {
        return Ok(nothing_changed());
    }
    let busy = Busy::begin(&run.live.session);
    let mut created = Vec::new();
    let left = run.send_each(planned, &busy, |run, one| {
        let attempt = wanted.create_one(run, one);
        if attempt.action.job.is_some() {
            created.push(CreatedJob {
                cron_job: one.evidence.cron_job.clone(),
                object: attempt.action.object.clone(),
                is_down: one.evidence.outage.is_some(),
            });
        }
        Ok(Some(attempt))
    });
    let options = WaitOptions {
        timeout: args.wait.flatten(),
        logs: args.logs,
        container: args.container.as_deref(),
        lines: JobLines {
            to_stdout: args.changing.output.is_none(),
            quiet,
        },
        also: AlsoWatch {
            pods: watches_pods,
            events: !lacks_events,
        },
    };
    let waited = if waits(args) {
        wait(args, &mut run, &created, options, &busy)
    } else {
        Ok(CommandOutcome::Fine)
    };
    let how_to_continue =
        "run the same command again for these CronJobs only; the created Jobs keep running";
    run.finish(&left, how_to_continue, waited, &busy)
}

/// What a Job that is created is like.
struct WantedJob<'a> {
    args: &'a Trigger,
    /// What it does differently from the template.
    overrides: Overrides,
    /// The Job that is repeated, in place of the template.
    retried: Option<RetriedRun>,
}

/// The Job to create from a CronJob, and the prediction for it.
#[derive(Clone, PartialEq)]
struct TriggerPlan {
    prediction: TriggerPrediction,
    draft: JobDraft,
}

impl From<TriggerPlan> for Prediction {
    fn from(plan: TriggerPlan) -> Self {
        plan.prediction.into()
    }
}

#[derive(Clone, Default, PartialEq)]
struct JobDraft {
    job: Value,
    overridden: Option<Overridden>,
    /// The version of the CronJob whose template it has.
    version: String,
}

impl<'a> WantedJob<'a> {
    /// Reads the arguments. Fails if they contradict each other.
    fn of(args: &'a Trigger) -> anyhow::Result<Self> {
        let overrides = Overrides {
            container: args.container.clone(),
            image: args.image.clone(),
            command: args.command.clone(),
            keeps_command: args.args,
            env: args.env.clone(),
        };
        overrides.check()?;
        let is_dry_run = args.changing.dry_run != DryRun::None;
        if is_dry_run && waits(args) {
            bail!("--wait, --logs and --rm cannot be used with --dry-run");
        }
        if !is_dry_run && args.changing.output == Some(Format::Job) {
            bail!(Diagnostic::new("-o job requires --dry-run").help(
                "Add --dry-run to print the manifest of the Job, or --dry-run=server to have it checked, too.",
            ));
        }
        Ok(WantedJob {
            args,
            overrides,
            retried: None,
        })
    }

    /// The Jobs by the namespaces and names of their CronJobs, from the templates as the server has them.
    fn drafts(
        &mut self,
        run: &mut ChangeRun<'_>,
        all_evidence: &mut [CronJobEvidence],
    ) -> anyhow::Result<HashMap<ObjectKey, JobDraft>> {
        if let Some(name) = &self.args.name {
            if all_evidence.len() > 1 {
                let many = all_evidence.len();
                bail!("--name {name}: requires a single CronJob, but {many} are selected");
            }
            if let Some(error) = job_name_error(name, run.basis.controller().release) {
                bail!("--name: {error}");
            }
        }
        let mut drafts = HashMap::new();
        for evidence in all_evidence {
            let namespace = &evidence.cron_job.namespace;
            let taken = evidence.jobs.iter();
            let mut taken = taken.filter(|job| job.namespace == *namespace);
            if let Some(name) = &self.args.name
                && taken.any(|job| job.name == *name)
            {
                bail!("--name {name}: a Job with that name already exists");
            }
            let full_name = evidence.cron_job.full_name();
            let draft = self.draft(run, evidence).context(full_name)?;
            drafts.insert(evidence.cron_job.key(), draft);
        }
        Ok(drafts)
    }

    fn draft(
        &mut self,
        run: &mut ChangeRun<'_>,
        evidence: &mut CronJobEvidence,
    ) -> anyhow::Result<JobDraft> {
        let object = read_as_known(run, evidence)?;
        let cron_job = &evidence.cron_job;
        let name = self.args.name.clone();
        let name = name.unwrap_or_else(|| self.random_name(cron_job));
        let mut job = match &mut self.retried {
            Some(retried) => {
                retried.differences = template_differences(&object, &retried.object);
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

    /// What creating the Job of a draft leads to.
    fn predict(&self, facts: &Facts<'_>, draft: &JobDraft) -> TriggerPrediction {
        let differences = JobDifferences {
            overridden: draft
                .overridden
                .as_ref()
                .map(|overridden| (overridden, &self.overrides)),
            ttl: self.args.ttl,
            retried: self.retried.as_ref(),
        };
        let name = text_at(&draft.job, "/metadata/name");
        predict_trigger(facts, &name, is_suspended(&draft.job), differences)
    }

    fn random_name(&self, cron_job: &CronJob) -> String {
        let random = suffix(kube_access::random());
        match &self.retried {
            Some(retried) => retry_name(&retried.job_name, &random),
            None => manual_name(&cron_job.name, &random),
        }
    }

    fn create_one(&self, run: &ChangeRun<'_>, planned: &mut PlannedChange<TriggerPlan>) -> Attempt {
        let created = self.create_job(run, planned);
        let (job, object, effect, others_fail) = match created {
            Ok((object, effect)) => {
                let name = text_at(&object, "/metadata/name");
                // What the server adds, such as the selector, is not accepted in a new Job.
                let is_manifest = self.args.changing.output == Some(Format::Job);
                let object = if is_manifest {
                    planned.plan.draft.job.clone()
                } else {
                    object
                };
                (Some(name), object, effect, false)
            }
            Err((effect, others_fail)) => (None, Value::Null, effect, others_fail),
        };
        Attempt {
            action: Action {
                job,
                prediction: Some(planned.plan.clone().into()),
                object,
                ..run.action(&planned.evidence.cron_job, effect)
            },
            others_fail,
        }
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
}

fn waits(args: &Trigger) -> bool {
    args.wait.is_some() || args.logs || args.rm
}

/// Fails if a right is missing. Returns whether the pods of the Jobs may be watched.
fn check_rights(
    args: &Trigger,
    run: &ChangeRun<'_>,
    planned: &[PlannedChange<TriggerPlan>],
) -> anyhow::Result<bool> {
    if args.changing.dry_run == DryRun::Client {
        return Ok(false);
    }
    let (jobs, pods) = (Resource::jobs(), Resource::pods());
    let require = |right| run.require(cron_jobs_of(planned), right);
    require(Right::to("create", &jobs))?;
    if !waits(args) {
        return Ok(false);
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
        return Ok(true);
    }
    let watches_pods = run.has_right(cron_jobs_of(planned), watch_pods)?;
    if !watches_pods && !run.common.global.quiet {
        crate::cli::warn(
            "cannot watch pods (forbidden): reasons why a Job does not finish are not shown",
        );
    }
    Ok(watches_pods)
}

fn question(planned: &[PlannedChange<TriggerPlan>]) -> String {
    match planned {
        [one] => format!("Create {}?", one.plan.prediction.job_name),
        many => format!("Create {} Jobs?", many.len()),
    }
}

/// Waits for the Jobs, and deletes them if they are to be.
fn wait(
    args: &Trigger,
    run: &mut ChangeRun<'_>,
    created: &[CreatedJob],
    options: WaitOptions<'_>,
    busy: &Busy,
) -> anyhow::Result<CommandOutcome> {
    let result = JobWait::run(run, created, options, busy)?;
    for (cron_job, observed) in result.observed {
        run.report.observe(&cron_job, observed);
    }
    run.report.note_written(result.written);
    let removed = if args.rm {
        remove(run, created, &result.endings, options.lines, busy)
    } else {
        CommandOutcome::Fine
    };
    Ok(match removed {
        CommandOutcome::Fine => result.outcome,
        other => other,
    })
}

/// Deletes the Jobs that have finished, and shows how to delete the others.
fn remove(
    run: &mut ChangeRun<'_>,
    created: &[CreatedJob],
    endings: &[Option<JobEnd>],
    lines: JobLines,
    busy: &Busy,
) -> CommandOutcome {
    let mut outcome = CommandOutcome::Fine;
    for (created, ending) in created.iter().zip(endings) {
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
                run.report.note_written(lines.deleted(&name));
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

/// The CronJob as the server has it, in the version that the prediction will be about. If the controller has changed its
/// status in the meantime, it is read again.
fn read_as_known(run: &mut ChangeRun<'_>, evidence: &mut CronJobEvidence) -> anyhow::Result<Value> {
    let known = evidence.cron_job.clone();
    for _ in 0..TRIES {
        let object = read(&run.live, &evidence.cron_job)?;
        let generation = object
            .pointer("/metadata/generation")
            .and_then(Value::as_i64);
        let is_same = generation.unwrap_or_default() == known.generation.unwrap_or_default();
        if text_at(&object, "/metadata/uid") != known.uid || !is_same {
            break;
        }
        let version = text_at(&object, "/metadata/resourceVersion");
        if version == evidence.cron_job.resource_version {
            return Ok(object);
        }
        match run.read_again(&known)? {
            Some(now) => *evidence = now,
            None => break,
        }
    }
    bail!("modified in the meantime; no Job was created. Run the command again for a new plan.")
}

/// The CronJob as the server has it.
fn read(live: &Live, cron_job: &CronJob) -> Result<Value, ClusterError> {
    let target = Target::of(&live.wanted.resource, cron_job);
    live.session.object(target)
}
