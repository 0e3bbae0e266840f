//! `trigger`: creates a Job from a CronJob now, independently of its schedule.

use std::collections::HashMap;

use anyhow::{Context as _, bail};
use serde_json::Value;

use super::again;
use super::changing::{
    Attempt, ChangeRun, Deletion, PlannedChange, SendError, cron_jobs_of, load_targets,
    nothing_changed, text_at,
};
use super::job_lines::JobLines;
use super::job_wait::{CreatedJob, JobWait, WaitOptions};
use crate::cli::args::Common;
use crate::cli::args::CronJobArgs;
use crate::cli::diagnostic::Diagnostic;
use crate::cli::live::busy::Busy;
use crate::cli::live::changing::Trigger;
use crate::cli::verb::{Group, Verb, VerbSpec};
use crate::cli::{CommandOutcome, caution, complain, say_plainly};
use crate::evidence::{Live, World};
use crate::output::DryRun;
use crate::output::Format;
use crate::output::actions::{Action, ActionEffect, ActionWords};
use cronjob_diagnosis::change::{JobDraft, JobEnd, TriggerPrediction, WantedJob, trigger_refusal};
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
    several_namespaces: true,
    ..VerbSpec::of::<Trigger>("trigger", Group::Act)
};

impl Verb for Trigger {
    fn run(&self, common: &Common) -> anyhow::Result<CommandOutcome> {
        let mut wanted = wanted_job(self)?;
        if let Some(job) = &self.again {
            let resource = &self.targets.cron_jobs.resource;
            let Some((live, world, run)) = again::chosen(common, job, resource, &self.basis)?
            else {
                return Ok(CommandOutcome::Incomplete);
            };
            wanted.retried = Some(run);
            return create(common, self, &wanted, live, world);
        }
        let basis = common.basis(&self.basis)?;
        let (live, world) = load_targets(common, basis, &self.targets, false)?;
        create(common, self, &wanted, live, world)
    }

    fn cron_jobs(&self) -> Option<&CronJobArgs> {
        Some(&self.targets.cron_jobs)
    }

    fn flags_of_one_namespace(&self) -> Vec<(&'static str, bool)> {
        vec![("--job", self.again.is_some())]
    }
}

/// Creates a Job from each CronJob of a World.
pub(super) fn trigger(
    common: &Common,
    args: &Trigger,
    live: Live,
    world: World,
) -> anyhow::Result<CommandOutcome> {
    create(common, args, &wanted_job(args)?, live, world)
}

/// Creates the wanted Job from each CronJob of a World.
fn create(
    common: &Common,
    args: &Trigger,
    wanted: &WantedJob,
    live: Live,
    world: World,
) -> anyhow::Result<CommandOutcome> {
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
    let mut drafts = drafts(wanted, &mut run, &mut all_evidence)?;
    let planned = run.predict(
        all_evidence,
        |_| false,
        |facts| {
            let draft = drafts.get(&facts.input.cron_job.key());
            TriggerPrediction::of(facts, wanted, draft.unwrap_or(&JobDraft::default()))
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
        let draft = drafts.entry(one.evidence.cron_job.key()).or_default();
        let attempt = create_one(args, wanted, run, one, draft);
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

/// Reads the arguments. Fails if they contradict each other.
fn wanted_job(args: &Trigger) -> anyhow::Result<WantedJob> {
    let wanted = WantedJob {
        name: args.name.clone(),
        container: args.container.clone(),
        image: args.image.clone(),
        command: args.command.clone(),
        keeps_command: args.args,
        env: args.env.clone(),
        ttl: args.ttl,
        retried: None,
    };
    wanted.check()?;
    let is_dry_run = args.changing.dry_run != DryRun::None;
    if is_dry_run && waits(args) {
        bail!("--wait, --logs and --rm cannot be used with --dry-run");
    }
    if !is_dry_run && args.changing.output == Some(Format::Job) {
        bail!(Diagnostic::new("-o job requires --dry-run").help(
            "Add --dry-run to print the manifest of the Job, or --dry-run=server to have it checked, too.",
        ));
    }
    Ok(wanted)
}

/// The Jobs by the namespaces and names of their CronJobs, from the templates as the server has them.
fn drafts(
    wanted: &WantedJob,
    run: &mut ChangeRun<'_>,
    all_evidence: &mut [CronJobEvidence],
) -> anyhow::Result<HashMap<ObjectKey, JobDraft>> {
    if let Some(name) = &wanted.name {
        if all_evidence.len() > 1 {
            let many = all_evidence.len();
            bail!("--name {name}: requires a single CronJob, but {many} are selected");
        }
        if let Some(error) = job_name_error(name, run.basis.controller.release) {
            bail!("--name: {error}");
        }
    }
    let mut drafts = HashMap::new();
    for evidence in all_evidence {
        let namespace = &evidence.cron_job.namespace;
        let taken = evidence.jobs.iter();
        let mut taken = taken.filter(|job| job.namespace == *namespace);
        if let Some(name) = &wanted.name
            && taken.any(|job| job.name == *name)
        {
            bail!("--name {name}: a Job with that name already exists");
        }
        let full_name = evidence.cron_job.full_name();
        let draft = draft(wanted, run, evidence).context(full_name)?;
        drafts.insert(evidence.cron_job.key(), draft);
    }
    Ok(drafts)
}

fn draft(
    wanted: &WantedJob,
    run: &mut ChangeRun<'_>,
    evidence: &mut CronJobEvidence,
) -> anyhow::Result<JobDraft> {
    let object = read_as_known(run, evidence)?;
    let name = wanted.name(&evidence.cron_job.name, kube_access::random());
    Ok(wanted.draft(&object, &name)?)
}

fn create_one(
    args: &Trigger,
    wanted: &WantedJob,
    run: &ChangeRun<'_>,
    planned: &mut PlannedChange<TriggerPrediction>,
    draft: &mut JobDraft,
) -> Attempt {
    let created = create_job(wanted, run, planned, draft);
    let (job, object, effect, others_fail) = match created {
        Ok((object, effect)) => {
            let name = text_at(&object, "/metadata/name");
            // What the server adds, such as the selector, is not accepted in a new Job.
            let is_manifest = args.changing.output == Some(Format::Job);
            let object = if is_manifest {
                draft.job.clone()
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
    wanted: &WantedJob,
    run: &ChangeRun<'_>,
    planned: &mut PlannedChange<TriggerPrediction>,
    draft: &mut JobDraft,
) -> Result<(Value, ActionEffect), (ActionEffect, bool)> {
    refuse_modified(run, planned)?;
    let prediction = &mut planned.plan;
    let is_random = wanted.name.is_none();
    let knows_existing = is_random || run.coverage.jobs_read;
    let mut tries = 1;
    loop {
        match run.create(&draft.job, knows_existing) {
            Ok(created) => return Ok(created),
            Err(SendError::Conflict(_)) if is_random && tries < TRIES => {
                tries += 1;
                let cron_job = &planned.evidence.cron_job;
                draft.rename(&wanted.name(&cron_job.name, kube_access::random()));
                let facts = run.facts(&planned.evidence);
                *prediction = TriggerPrediction::of(&facts, wanted, draft);
            }
            Err(SendError::Conflict(_)) if !is_random => {
                let name = &prediction.job_name;
                let why = format!("a Job named {name:?} already exists; choose another --name");
                return Err((ActionEffect::Failed(why), false));
            }
            Err(error) => return Err(run.creation_effect(&error, &prediction.job_name)),
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
    planned: &[PlannedChange<TriggerPrediction>],
) -> anyhow::Result<bool> {
    if args.changing.dry_run == DryRun::Client {
        return Ok(false);
    }
    let cron_jobs = || cron_jobs_of(planned);
    let verbs: &[&str] = match (waits(args), args.rm) {
        (false, _) => &["create"],
        (true, false) => &["create", "watch"],
        (true, true) => &["create", "watch", "delete"],
    };
    run.require_jobs(&cron_jobs(), verbs)?;
    if !waits(args) {
        return Ok(false);
    }
    let pods = Resource::pods();
    // A watch begins with a list.
    let [list_pods, watch_pods] = ["list", "watch"].map(|verb| Right::to(verb, &pods));
    if args.logs {
        let read_logs = Right {
            subresource: Some("log"),
            ..Right::to("get", &pods)
        };
        run.require(cron_jobs(), list_pods)?;
        run.require(cron_jobs(), watch_pods)?;
        run.require(cron_jobs(), read_logs)?;
        return Ok(true);
    }
    let watches_pods =
        run.has_right(cron_jobs(), list_pods)? && run.has_right(cron_jobs(), watch_pods)?;
    if !watches_pods {
        caution("cannot watch pods (forbidden): reasons why a Job does not finish are not shown");
    }
    Ok(watches_pods)
}

fn question(planned: &[PlannedChange<TriggerPrediction>]) -> String {
    match planned {
        [one] => format!("Create {}?", one.plan.job_name),
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
    let (outcome, endings) = JobWait::run(run, created, options, busy)?;
    let removed = if args.rm {
        remove(run, created, &endings, options.lines, busy)
    } else {
        CommandOutcome::Fine
    };
    Ok(match removed {
        CommandOutcome::Fine => outcome,
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
fn refuse(planned: &[PlannedChange<TriggerPrediction>]) -> anyhow::Result<()> {
    let refused = planned.iter().filter_map(|one| {
        let refusal = trigger_refusal(&one.plan)?;
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
    planned: &PlannedChange<TriggerPrediction>,
) -> Result<(), (ActionEffect, bool)> {
    if run.needs_no_question() {
        return Ok(());
    }
    let now = read(&run.live, &planned.evidence.cron_job);
    let now = now.map_err(|error| (ActionEffect::Failed(error.to_string()), error.is_of_all()))?;
    if planned.evidence.cron_job.resource_version == text_at(&now, "/metadata/resourceVersion") {
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
