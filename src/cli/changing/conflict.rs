//! Patches one CronJob. If it was modified in the meantime, the change is predicted again, and asked about
//! again unless the prediction still holds.

use serde_json::Value;

use super::prompt::{can_ask, confirm};
use super::send::PatchError;
use super::{ChangeRun, ChangeVerb, PlannedChange, action, capital};
use crate::change::{ExpectedChange, Request, differences, merged};
use crate::cli::args::{ChangeFormat, DryRun};
use crate::cli::interrupt::Busy;
use crate::cli::{say_plainly, stdio};
use crate::cluster::{ClusterError, Target};
use crate::model::{CronJob, CronJobEvidence};
use crate::output::actions::{Action, ActionEffect, prediction};

/// The CronJob is not changed after this many conflicts.
const TRIES: usize = 5;

impl ChangeRun<'_> {
    /// Patches a CronJob. Returns the result, and whether the other changes would fail, too.
    pub(super) fn patch<V: ChangeVerb>(
        &mut self,
        planned: PlannedChange<V::Plan>,
        verb: &mut V,
        busy: &Busy,
    ) -> (Action, bool) {
        let PlannedChange {
            mut evidence,
            mut plan,
        } = planned;
        let failed =
            |cron_job: &CronJob, why: String| action(V::VERB, cron_job, ActionEffect::Failed(why));
        // The requests that were carried out before someone else modified it.
        let mut applied: Vec<ExpectedChange> = Vec::new();
        for _ in 0..TRIES {
            let requests = verb.requests(&evidence.cron_job, &plan);
            let failure = match self.send_requests(&evidence.cron_job, &requests) {
                Ok((object, effect)) => {
                    verb.patched(&evidence, &plan);
                    let action = Action {
                        object,
                        prediction: Some(verb.prediction(&plan)),
                        ..action(V::VERB, &evidence.cron_job, effect)
                    };
                    return (action, false);
                }
                Err(failure) => failure,
            };
            let (PatchError::Conflict(done) | PatchError::Failed { done, .. }) = failure;
            for request in requests.iter().take(done) {
                request.expected.apply_to(&mut evidence.cron_job);
                applied.push(request.expected.clone());
            }
            if let PatchError::Failed { error, open, .. } = failure {
                let effect = failed_effect(&error, &applied, open);
                return (
                    action(V::VERB, &evidence.cron_job, effect),
                    error.is_of_all(),
                );
            }
            let now = match self.read_again(&evidence.cron_job) {
                Ok(Some(now)) => now,
                Ok(None) => {
                    let why = "deleted in the meantime".to_owned();
                    return (failed(&evidence.cron_job, why), false);
                }
                Err(error) => {
                    let why = format!(
                        "modified in the meantime, and cannot be read again: {error:#}{}",
                        applied_so_far(&applied)
                    );
                    let stop = error
                        .downcast_ref::<ClusterError>()
                        .is_none_or(ClusterError::is_of_all);
                    return (failed(&evidence.cron_job, why), stop);
                }
            };
            self.say_changes(&evidence.cron_job, &now.cron_job);
            if verb.is_done(&now.cron_job) {
                verb.already_done(&now);
                if !applied.is_empty() {
                    let name = now.cron_job.full_name();
                    say_plainly(&format!(
                        "{name} was already changed by someone else{}",
                        applied_so_far(&applied)
                    ));
                }
                return (
                    action(V::VERB, &now.cron_job, ActionEffect::Unchanged),
                    false,
                );
            }
            let plan_of =
                |evidence: &CronJobEvidence| self.with_facts(evidence, |facts| verb.plan(facts));
            let new = plan_of(&now);
            // What time and the controller change does not count as another prediction.
            let as_before = plan_of(&as_specified(&evidence.cron_job, &now));
            let [old_text, new_text] = [&as_before, &new].map(|plan| verb.prediction(plan));
            let reads_the_same = old_text.text() == new_text.text();
            if done > 0 {
                plan = plan_of(&evidence);
            }
            let agreed = verb.still_holds(&plan, &new, reads_the_same)
                || self.agrees_to(&now, &new, verb, busy);
            (evidence, plan) = (now, new);
            if !agreed {
                let rest = if applied.is_empty() {
                    "nothing"
                } else {
                    "nothing else"
                };
                let why = format!(
                    "modified in the meantime, so the prediction no longer holds{}; {rest} was changed",
                    applied_so_far(&applied)
                );
                return (failed(&evidence.cron_job, why), false);
            }
        }
        let often = format!(
            "modified {TRIES} times in the meantime; run the command again{}",
            applied_so_far(&applied)
        );
        (failed(&evidence.cron_job, often), false)
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
            let documented = matches!(
                self.changing.output,
                Some(ChangeFormat::Json | ChangeFormat::Yaml)
            );
            if !documented {
                return Ok((Value::Null, ActionEffect::Shown));
            }
            let target = Target::of(resource, cron_job);
            let mut object = session.object(target).map_err(|error| PatchError::Failed {
                error,
                done: 0,
                open: false,
            })?;
            for request in requests {
                merged(&mut object, &request.patch(""));
            }
            return Ok((object, ActionEffect::Shown));
        }
        let object = self.sender(resource, true).patch(cron_job, requests)?;
        Ok((object, self.sent()))
    }

    /// The CronJob as it is now, with its Jobs.
    fn read_again(&mut self, cron_job: &CronJob) -> anyhow::Result<Option<CronJobEvidence>> {
        let names = vec![cron_job.name.clone()];
        let live = self.live.of_names(Some(cron_job.namespace.clone()), names);
        let world = self.common.read_again(&live, self.basis.clone())?;
        self.basis = world.basis.clone();
        let mut all_evidence = world.into_evidence();
        Ok(all_evidence.find(|evidence| evidence.cron_job.uid == cron_job.uid))
    }

    fn say_changes(&self, old: &CronJob, new: &CronJob) {
        if self.common.global.quiet && self.changing.yes {
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
    fn agrees_to<V: ChangeVerb>(
        &self,
        evidence: &CronJobEvidence,
        plan: &V::Plan,
        verb: &V,
        busy: &Busy,
    ) -> bool {
        let (name, plan) = (evidence.cron_job.full_name(), verb.prediction(plan));
        let shown = prediction(
            &mut *stdio::stderr(),
            &name,
            &plan,
            self.page_about(&evidence.cron_job),
            false,
        );
        if shown.is_err() || !can_ask() || self.changing.yes {
            return false;
        }
        let question = format!("{} it anyway?", capital(V::VERB));
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
