//! What a verb does to each CronJob.

use serde_json::Value;

use super::report::resource_of;
use crate::change::Request;
use crate::cli::interrupt::Busy;
use crate::diagnose::Facts;
use crate::model::{CronJob, CronJobEvidence};
use crate::output::actions::{Action, ActionEffect};

/// What is done to each CronJob.
pub(in crate::cli) trait Step {
    /// What it would lead to.
    type Plan: Clone;
    /// The verb, as documents have it.
    const VERB: &'static str;
    /// What a line says of an object afterwards.
    const DONE: &'static str;

    /// What it would lead to.
    fn plan(&self, facts: &Facts<'_>) -> Self::Plan;
    /// Whether what was agreed to still holds where somebody else changed the object. `reads_the_same`
    /// tells whether the new plan would be told in other words without that change.
    fn still_holds(&self, _agreed: &Self::Plan, _new: &Self::Plan, reads_the_same: bool) -> bool {
        reads_the_same
    }
    /// The plan in a few sentences.
    fn sentences(&self, facts: &Facts<'_>, plan: &Self::Plan) -> String;
    /// A command that is to be run when all is done.
    fn afterwards(&self, _: &Facts<'_>, _: &Self::Plan) -> Option<String> {
        None
    }
    /// The plan in documents.
    fn document(&self, facts: &Facts<'_>, plan: &Self::Plan) -> Value;
    /// What is sent; nothing where something is made and the CronJob stays as it is.
    fn requests(&self, _: &CronJob, _: &Self::Plan) -> Vec<Request> {
        Vec::new()
    }
    /// Whether there is nothing to do.
    fn is_done(&self, _: &CronJob) -> bool {
        false
    }
    /// Right before it is done. Whoever waits here may be told to stop.
    fn begin(&mut self, _: &CronJob, _: &Self::Plan, _: &Busy) -> anyhow::Result<()> {
        Ok(())
    }
    /// Right after it was done.
    fn end(&mut self, _: &CronJobEvidence, _: &Self::Plan) {}
    /// When it is over, however it went.
    fn settle(&mut self, _: &ActionEffect) -> anyhow::Result<()> {
        Ok(())
    }
    /// How to do what is left.
    fn go_on(&self) -> &'static str;
}

/// What came of a CronJob, without more to show.
pub(super) fn action<S: Step>(cron_job: &CronJob, effect: ActionEffect) -> Action {
    Action {
        namespace: cron_job.namespace.clone(),
        name: cron_job.name.clone(),
        resource: resource_of(cron_job),
        job: None,
        action: S::VERB,
        effect,
        object: Value::Null,
        prediction: Value::Null,
        observed: Value::Null,
    }
}
