//! Patches one CronJob. If it was modified in the meantime, the change is predicted again, and asked about
//! again unless the prediction still holds.

use serde_json::Value;

use super::prompt::{can_ask, confirm};
use super::send::{BY_WEBHOOK, PatchError, SendError};
use super::{Attempt, ChangeRun, PlannedChange, capital};
use crate::cli::live::busy::Busy;
use crate::cli::{complain, is_quiet, say_plainly, stdio};
use crate::output::DryRun;
use crate::output::Format;
use crate::output::actions::{Action, ActionEffect, prediction};
use cronjob_diagnosis::change::{ExpectedChange, Prediction, Request, differences, merged};
use cronjob_diagnosis::diagnose::Facts;
use kube_access::{ClusterError, Target};
use kube_model::{CronJob, CronJobEvidence};

/// The CronJob is not changed after this many conflicts.
const TRIES: usize = 5;

/// A change that patches CronJobs: what has to be answered again if one was modified in the meantime.
pub(crate) trait Patch {
    type Plan: Clone + Into<Prediction>;

    /// Whether the CronJob is already as the change would leave it.
    fn is_done(&self, cron_job: &CronJob) -> bool;

    fn plan(&self, facts: &Facts<'_>) -> Self::Plan;

    fn requests(&self, cron_job: &CronJob, plan: &Self::Plan) -> Vec<Request>;

    /// Whether an agreed plan still holds although the object was modified in the meantime. `reads_the_same`
    /// is whether the sentences of the plan stay the same.
    fn still_holds(&self, agreed: &Self::Plan, new: &Self::Plan, reads_the_same: bool) -> bool;
}

impl ChangeRun<'_> {
    /// Patches a CronJob. Afterwards, `one` is the CronJob as it was before the last request.
    pub(crate) fn patch<C: Patch>(
        &mut self,
        one: &mut PlannedChange<C::Plan>,
        change: &C,
        busy: &Busy,
    ) -> Attempt {
        // The requests that were carried out before someone else modified it.
        let mut applied: Vec<ExpectedChange> = Vec::new();
        for _ in 0..TRIES {
            let requests = change.requests(&one.evidence.cron_job, &one.plan);
            let PatchError { done, why } =
                match self.send_requests(&one.evidence.cron_job, &requests) {
                    Ok((object, effect)) => {
                        self.complain_of_lost(&one.evidence.cron_job, &requests, &object);
                        return Attempt::of(Action {
                            object,
                            prediction: Some(one.plan.clone().into()),
                            ..self.action(&one.evidence.cron_job, effect)
                        });
                    }
                    Err(failure) => failure,
                };
            for request in requests.iter().take(done) {
                request.expected.apply_to(&mut one.evidence.cron_job);
                applied.push(request.expected.clone());
            }
            match *why {
                SendError::Conflict(_) => {}
                SendError::Failed { error, open } => {
                    let effect = failed_effect(&error, &applied, open);
                    return Attempt {
                        action: self.action(&one.evidence.cron_job, effect),
                        others_fail: error.is_of_all(),
                    };
                }
                SendError::StoredInstead(stored) => {
                    let why = format!("the server stored {stored}{BY_WEBHOOK}");
                    return self.failed(one, why, &applied);
                }
            }
            if let Err(attempt) = self.plan_again(one, change, done > 0, &applied, busy) {
                return *attempt;
            }
        }
        let why = format!("modified {TRIES} times in the meantime; run the command again");
        self.failed(one, why, &applied)
    }

    /// Predicts the change of a CronJob that was modified in the meantime. Fails if it is not to be changed: with
    /// what is reported about it. `is_begun` is whether one of the last requests was carried out.
    fn plan_again<C: Patch>(
        &mut self,
        one: &mut PlannedChange<C::Plan>,
        change: &C,
        is_begun: bool,
        applied: &[ExpectedChange],
        busy: &Busy,
    ) -> Result<(), Box<Attempt>> {
        let now = match self.read_again(&one.evidence.cron_job) {
            Ok(Some(now)) => now,
            Ok(None) => {
                let why = "deleted in the meantime".to_owned();
                return Err(Box::new(self.failed(one, why, &[])));
            }
            Err(error) => {
                let why = format!("modified in the meantime, and cannot be read again: {error:#}");
                let others_fail = error
                    .downcast_ref::<ClusterError>()
                    .is_none_or(ClusterError::is_of_all);
                return Err(Box::new(Attempt {
                    others_fail,
                    ..self.failed(one, why, applied)
                }));
            }
        };
        self.say_changes(&one.evidence.cron_job, &now.cron_job);
        if change.is_done(&now.cron_job) {
            one.evidence = now;
            let cron_job = &one.evidence.cron_job;
            if !applied.is_empty() {
                say_plainly(&format!(
                    "{} was already changed by someone else{}",
                    cron_job.full_name(),
                    applied_so_far(applied)
                ));
            }
            let action = self.action(cron_job, ActionEffect::Unchanged);
            return Err(Box::new(Attempt::of(action)));
        }
        let plan_of = |evidence: &CronJobEvidence| change.plan(&self.facts(evidence));
        let new = plan_of(&now);
        // What time and the controller change does not count as another prediction.
        let as_before = plan_of(&as_specified(&one.evidence.cron_job, &now));
        let [old_text, new_text] = [as_before, new.clone()].map(Into::<Prediction>::into);
        let reads_the_same = old_text.text() == new_text.text();
        if is_begun {
            one.plan = plan_of(&one.evidence);
        }
        let agreed = change.still_holds(&one.plan, &new, reads_the_same)
            || self.agrees_to(&now.cron_job, &new_text, busy);
        *one = PlannedChange {
            evidence: now,
            plan: new,
        };
        if agreed {
            return Ok(());
        }
        let rest = if applied.is_empty() {
            "nothing"
        } else {
            "nothing else"
        };
        let why = format!(
            "modified in the meantime, so the prediction no longer holds{}; {rest} was changed",
            applied_so_far(applied)
        );
        Err(Box::new(self.failed(one, why, &[])))
    }

    /// A CronJob that is not changed, or not with all requests.
    fn failed<P>(
        &self,
        one: &PlannedChange<P>,
        why: String,
        applied: &[ExpectedChange],
    ) -> Attempt {
        let effect = ActionEffect::Failed(why + &applied_so_far(applied));
        Attempt::of(self.action(&one.evidence.cron_job, effect))
    }

    /// Prints which annotations of a change that was made were not stored.
    fn complain_of_lost(&mut self, cron_job: &CronJob, requests: &[Request], object: &Value) {
        if object.is_null() {
            return;
        }
        let lost = requests.iter().flat_map(|one| one.lost_annotations(object));
        let lost: Vec<&str> = lost.collect();
        if !lost.is_empty() {
            let (name, lost) = (cron_job.full_name(), lost.join(", "));
            complain(&format!(
                "{name}: the server did not store the annotations {lost}"
            ));
            self.complete = false;
        }
    }

    /// Sends the requests, unless `--dry-run=client` prevents it.
    fn send_requests(
        &self,
        cron_job: &CronJob,
        requests: &[Request],
    ) -> Result<(Value, ActionEffect), PatchError> {
        let resource = &self.live.wanted.resource;
        let session = &self.live.session;
        if self.changing.dry_run == DryRun::Client {
            let documented = self.changing.output.is_some_and(Format::is_document);
            if !documented {
                return Ok((Value::Null, ActionEffect::Shown));
            }
            let target = Target::of(resource, cron_job);
            let mut object = session.object(target).map_err(|error| PatchError {
                done: 0,
                why: Box::new(SendError::Failed { error, open: false }),
            })?;
            for request in requests {
                merged(&mut object, &request.patch(""));
            }
            return Ok((object, ActionEffect::Shown));
        }
        let object = self.sender(resource, true).patch(cron_job, requests)?;
        Ok((object, self.sent()))
    }

    fn say_changes(&self, old: &CronJob, new: &CronJob) {
        if is_quiet() && self.changing.yes {
            return;
        }
        let changes = differences(old, new);
        let what = if changes.is_empty() {
            "nothing relevant".to_owned()
        } else {
            changes.join("; ")
        };
        say_plainly(&format!(
            "{} was modified in the meantime: {what}",
            new.full_name()
        ));
    }

    /// Shows the new plan, and asks.
    fn agrees_to(&self, cron_job: &CronJob, plan: &Prediction, busy: &Busy) -> bool {
        let shown = prediction(
            &mut *stdio::stderr(),
            &cron_job.full_name(),
            plan,
            self.page_about(cron_job),
            false,
        );
        if shown.is_err() || !can_ask() || self.changing.yes {
            return false;
        }
        let question = format!("{} it anyway?", capital(self.report.words.verb));
        // Without an answer there is no agreement.
        confirm(&question, Some(busy)).unwrap_or(false)
    }
}

/// A CronJob as it is now, with the spec and the annotations that it had before.
fn as_specified(old: &CronJob, now: &CronJobEvidence) -> CronJobEvidence {
    let mut evidence = now.clone();
    evidence.cron_job.spec = old.spec.clone();
    evidence.cron_job.annotations = old.annotations.clone();
    evidence
}

fn failed_effect(error: &ClusterError, applied: &[ExpectedChange], open: bool) -> ActionEffect {
    let text = format!("{error}{}", applied_so_far(applied));
    if open {
        ActionEffect::Unknown(format!(
            "{text}; the change may have been made, or may still be made"
        ))
    } else {
        ActionEffect::Failed(text)
    }
}

/// The requests that were carried out before a failure, for the end of a sentence.
fn applied_so_far(applied: &[ExpectedChange]) -> String {
    let applied = applied.iter().map(ExpectedChange::to_string);
    applied.fold(String::new(), |text, one| text + "; " + &one)
}
