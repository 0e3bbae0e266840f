//! Jobs are made, and told of.

use serde_json::Value;

use super::attempt::{Hand, Refusal};
use super::one::failure;
use super::rights::{Deed, ensure};
use super::round::{Planned, Round};
use super::step::{Step, action};
use crate::cli::args::DryRun;
use crate::cluster::{Manner, Resource};
use crate::model::CronJob;
use crate::output::actions::{Action, Effect};

impl Round<'_> {
    /// Refuses if something may not be done in all their namespaces.
    pub(in crate::cli) fn ensure_may<P>(
        &self,
        planned: &[Planned<P>],
        deed: Deed<'_>,
    ) -> anyhow::Result<()> {
        let cron_jobs = planned.iter().map(|one| &one.dossier.cron_job);
        ensure(&self.live.session, deed, cron_jobs)
    }

    /// Makes a Job, or does as if.
    pub(in crate::cli) fn create(&self, job: &Value) -> Result<(Value, Effect), Refusal> {
        if self.changing.dry_run == DryRun::Client {
            return Ok((job.clone(), Effect::Shown));
        }
        let dry_run = self.changing.dry_run == DryRun::Server;
        let hand = Hand {
            session: &self.live.session,
            resource: &Resource::jobs(),
            manner: Manner {
                dry_run,
                field_manager: &self.changing.field_manager,
            },
            quiet: self.global.quiet,
        };
        let namespace = job.pointer("/metadata/namespace").and_then(Value::as_str);
        let object = hand.create(namespace.unwrap_or_default(), job)?;
        let effect = if dry_run { Effect::Shown } else { Effect::Done };
        Ok((object, effect))
    }

    /// Tells of a Job that was made of a CronJob.
    pub(in crate::cli) fn tell_made<S: Step>(
        &mut self,
        planned: &Planned<S::Plan>,
        step: &S,
        (job, object, effect): (String, Value, Effect),
    ) -> anyhow::Result<()> {
        let document = self.with_facts(&planned.dossier, |facts| {
            step.document(facts, &planned.plan)
        });
        self.report.take(Action {
            job: Some(job),
            object,
            prediction: document,
            ..action::<S>(&planned.dossier.cron_job, effect)
        })
    }

    /// Tells that no Job was made of a CronJob.
    pub(in crate::cli) fn tell_failed<S: Step>(
        &mut self,
        cron_job: &CronJob,
        why: String,
    ) -> anyhow::Result<()> {
        let failed = Effect::Failed(why);
        self.report.take(action::<S>(cron_job, failed))
    }

    /// Whether what was made is told in lines, as it is made.
    pub(in crate::cli) fn tells_lines(&self) -> bool {
        self.changing.output.is_none()
    }
}

/// Why a Job was not made, in words, and whether it may have been made all the same.
pub(in crate::cli) fn unmade(refusal: &Refusal) -> (String, bool) {
    match refusal {
        Refusal::Exists(error) | Refusal::Absent(error) => (error.to_string(), false),
        Refusal::Failed(error) => {
            let open = error.leaves_open();
            (failure(error, 0, 1, open), open)
        }
    }
}
