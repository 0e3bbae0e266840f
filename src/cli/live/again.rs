//! `trigger --job`: which finished Job of a CronJob is run again.

use anyhow::bail;
use serde_json::Value;

use super::changing::{NEEDS, job_from_object};
use crate::cli::args::common::ResourceArg;
use crate::cli::args::{BasisArgs, Common, Selection};
use crate::cli::diagnostic::Diagnostic;
use crate::cli::parse::is_job_type;
use crate::evidence::{Live, World};
use cronjob_diagnosis::change::RetriedRun;
use cronjob_diagnosis::history::{RunChoice, choose_run};
use kube_access::{ClusterError, Target};
use kube_objects::query::Resource;

/// Reads the Job that is named (JOB, job/JOB or cronjob/NAME) and its CronJob; `None` if that was not found, which was
/// printed.
pub(super) fn chosen(
    common: &Common,
    target: &str,
    resource: &ResourceArg,
    basis: &BasisArgs,
) -> anyhow::Result<Option<(Live, World, RetriedRun)>> {
    let basis = common.basis(basis)?;
    let wanted = Wanted::read(target);
    let mut selection = Selection::by_names(Vec::new(), resource.clone());
    if let Wanted::CronJob(name) = &wanted {
        selection.cron_jobs.names.push(name.clone());
    }
    let query = common.query(&selection, NEEDS)?;
    let (live, basis) = common.connect(basis, query)?;
    let namespace = live.wanted.namespace.clone();
    let namespace = namespace.unwrap_or_else(|| live.session.namespace().to_owned());
    let (owner, job) = match wanted {
        // Without the kind that was given with it.
        Wanted::CronJob(name) => (live.wanted.names.first().cloned().unwrap_or(name), None),
        Wanted::Job(name) => {
            let job = job(&live, &namespace, &name)?;
            (owner(common, &job, &namespace, &name)?, Some(job))
        }
        Wanted::Either(name) => match job(&live, &namespace, &name) {
            Ok(job) => (owner(common, &job, &namespace, &name)?, Some(job)),
            Err(error) if error.is_not_found() => {
                require_cron_job(&live, common, &namespace, &name)?;
                (name, None)
            }
            Err(error) => return Err(error.into()),
        },
    };
    let mut live = live.of_names(Some(namespace), vec![owner]);
    let world = common.read(&mut live, basis)?;
    let world = common.conclude(world, Some(&live), None);
    if world.cron_jobs.is_empty() {
        return Ok(None);
    }
    let run = retried(&live, &world, job)?;
    Ok(Some((live, world, run)))
}

enum Wanted {
    Job(String),
    /// The newest failed Job of the CronJob.
    CronJob(String),
    Either(String),
}

impl Wanted {
    fn read(argument: &str) -> Self {
        match argument.split_once('/') {
            Some((kind, name)) if is_job_type(kind) => Wanted::Job(name.to_owned()),
            // The kind is checked with that of other verbs.
            Some(_) => Wanted::CronJob(argument.to_owned()),
            None => Wanted::Either(argument.to_owned()),
        }
    }
}

/// The Job as the server has it.
fn job(live: &Live, namespace: &str, name: &str) -> Result<Value, ClusterError> {
    let jobs = Resource::jobs();
    live.session.object(Target {
        resource: &jobs,
        namespace,
        name,
    })
}

/// The CronJob that owns a Job.
fn owner(common: &Common, job: &Value, namespace: &str, name: &str) -> anyhow::Result<String> {
    if let Some(owner) = job_from_object(job).owner() {
        return Ok(owner.to_owned());
    }
    let kubectl = cronjob_diagnosis::kubectl::Kubectl::from(&common.connection);
    let show = kubectl.command("get job").name(name).namespace(namespace);
    bail!(
        Diagnostic::new(format!("job {name}: no CronJob owns it")).help(&format!(
            "Show the Job, and create it again from its own manifest: {}",
            show.with("-o yaml")
        ))
    )
}

/// Fails if there is no CronJob of that name either.
fn require_cron_job(
    live: &Live,
    common: &Common,
    namespace: &str,
    name: &str,
) -> anyhow::Result<()> {
    let cron_job = live.session.object(Target {
        resource: &live.wanted.resource,
        namespace,
        name,
    });
    match cron_job {
        Err(error) if error.is_not_found() => {
            let kubectl = cronjob_diagnosis::kubectl::Kubectl::from(&common.connection);
            let list = kubectl.command("get cronjobs,jobs").namespace(namespace);
            bail!(
                Diagnostic::new(format!(
                    "neither a Job nor a CronJob {name:?} found in namespace {namespace:?}"
                ))
                .help(&format!("List them: {list}"))
            )
        }
        Err(error) => Err(error.into()),
        Ok(_) => Ok(()),
    }
}

/// Chooses the Job, and checks that it can be retried.
fn retried(live: &Live, world: &World, job: Option<Value>) -> anyhow::Result<RetriedRun> {
    let Some(selected) = world.cron_jobs.first() else {
        bail!("no CronJob found");
    };
    if !world.coverage.jobs_read {
        bail!("--job requires permission to list Jobs");
    }
    let facts = world.facts(&selected.evidence);
    let cron_job = &*facts.input.cron_job;
    let run = match &job {
        Some(job) => {
            let uid = job.pointer("/metadata/uid").and_then(Value::as_str);
            facts
                .runs
                .iter()
                .find(|run| Some(run.job.uid.as_str()) == uid)
        }
        None => match choose_run(&facts, &RunChoice::Failed) {
            Ok(run) => Some(run),
            Err(none) => {
                let error = format!(
                    "nothing to retry for cronjob {}: {}",
                    cron_job.name, none.why
                );
                let trigger = facts.input.doctor("trigger");
                bail!(Diagnostic::new(error).help(&format!("Create a new Job: {trigger}")))
            }
        },
    };
    let Some(run) = run else {
        bail!(
            Diagnostic::new(format!(
                "the Job was deleted in the meantime, or belongs to an earlier CronJob {:?}",
                cron_job.name
            ))
            .help(&format!(
                "Create a new Job: {}",
                facts.input.doctor("trigger")
            ))
        );
    };
    let name = &run.job.name;
    let Some(result) = run.job.result() else {
        let wait = facts.input.doctor("logs").value("--job", name).with("-f");
        bail!(
            Diagnostic::new(format!("job {name} has not finished"))
                .help(&format!("Follow it until it has finished: {wait}"))
        );
    };
    let object = match job {
        Some(job) => job,
        None => self::job(live, &cron_job.namespace, name)?,
    };
    let failure = run.failure();
    Ok(RetriedRun {
        job_name: run.job.name.clone(),
        scheduled_time: run.scheduled_time,
        result,
        reason: failure.map_or_else(String::new, |failure| failure.reason.to_string()),
        object,
    })
}
