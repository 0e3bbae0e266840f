//! Jobs are made, and told of.

use serde_json::Value;

use super::attempt::{Refusal, Sender};
use super::rights::{Deed, ensure};
use super::round::{Planned, Round};
use super::step::{Step, action};
use crate::cli::args::DryRun;
use crate::cluster::{Manner, Resource};
use crate::model::CronJob;
use crate::output::actions::{Action, ActionEffect};

impl Round<'_> {
    /// Refuses if something may not be done in all their namespaces.
    pub(in crate::cli) fn ensure_may<P>(
        &self,
        planned: &[Planned<P>],
        deed: Deed<'_>,
    ) -> anyhow::Result<()> {
        let cron_jobs = planned.iter().map(|one| &one.evidence.cron_job);
        ensure(&self.live.session, deed, cron_jobs)
    }

    /// Makes a Job, or does as if. `is_random` tells that no other call gives a Job its name.
    pub(in crate::cli) fn create(
        &self,
        job: &Value,
        is_random: bool,
    ) -> Result<(Value, ActionEffect), Refusal> {
        if self.changing.dry_run == DryRun::Client {
            return Ok((job.clone(), ActionEffect::Shown));
        }
        let dry_run = self.changing.dry_run == DryRun::Server;
        let knows_older = is_random || self.coverage.jobs_read;
        let sender = Sender {
            session: &self.live.session,
            resource: &Resource::jobs(),
            manner: Manner {
                dry_run,
                field_manager: &self.changing.field_manager,
            },
            knows_older,
            quiet: self.common.global.quiet,
        };
        let namespace = job.pointer("/metadata/namespace").and_then(Value::as_str);
        let object = sender.create(namespace.unwrap_or_default(), job)?;
        let effect = if dry_run {
            ActionEffect::Shown
        } else {
            ActionEffect::Done
        };
        Ok((object, effect))
    }

    /// Tells what came of making a Job of a CronJob.
    pub(in crate::cli) fn tell_made<S: Step>(
        &mut self,
        planned: &Planned<S::Plan>,
        step: &S,
        job: Option<String>,
        (object, effect): (Value, ActionEffect),
    ) {
        let document = self.with_facts(&planned.evidence, |facts| {
            step.document(facts, &planned.plan)
        });
        self.report.take(Action {
            job,
            object,
            prediction: document,
            ..action::<S>(&planned.evidence.cron_job, effect)
        });
    }

    /// Says of a CronJob why nothing was done.
    pub(in crate::cli) fn tell_failed<S: Step>(&mut self, cron_job: &CronJob, why: String) {
        self.report
            .take(action::<S>(cron_job, ActionEffect::Failed(why)));
    }

    /// Whether what was made is told in lines, as it is made.
    pub(in crate::cli) fn tells_lines(&self) -> bool {
        self.changing.output.is_none()
    }
}

/// What came of making a Job that was not made, and whether others had better not be tried.
pub(in crate::cli) fn unmade(refusal: &Refusal, job: &str) -> (ActionEffect, bool) {
    let effect = match refusal {
        Refusal::Exists(error) | Refusal::Failed { error, open: false } => {
            ActionEffect::Failed(error.to_string())
        }
        Refusal::Failed { error, open: true } => ActionEffect::Unknown(format!(
            "{error}; it is unknown whether job.batch/{job} was created, and it may still be created"
        )),
    };
    let (Refusal::Exists(error) | Refusal::Failed { error, .. }) = refusal;
    (effect, error.is_of_all())
}
