//! One CronJob is changed, also if it changes meanwhile.

use serde_json::Value;

use super::attempt::{Sender, Trouble};
use super::question::{can_ask, confirm};
use super::report::full_name;
use super::round::{Planned, Round};
use super::step::{Step, action};
use crate::change::{Check, Request, differences, merged};
use crate::cli::args::{ChangeFormat, DryRun};
use crate::cli::interrupt::Busy;
use crate::cli::{say_plainly, stdio};
use crate::cluster::{ClusterError, Manner, Target};
use crate::model::{CronJob, CronJobEvidence};
use crate::output::actions::{Action, ActionEffect};

/// An object that changes so often is never caught.
const TRIES: usize = 5;

impl Round<'_> {
    /// Makes one change, and says whether the others had better not be tried.
    pub(super) fn one<S: Step>(
        &mut self,
        planned: Planned<S::Plan>,
        step: &mut S,
        busy: &Busy,
    ) -> (Action, bool) {
        let Planned {
            mut evidence,
            mut plan,
        } = planned;
        // What was made of it before somebody else changed it.
        let mut made: Vec<Check> = Vec::new();
        for _ in 0..TRIES {
            let requests = step.requests(&evidence.cron_job, &plan);
            let trouble = match self.make(&evidence.cron_job, &requests) {
                Ok((object, effect)) => {
                    step.end(&evidence, &plan);
                    let document = self.with_facts(&evidence, |facts| step.document(facts, &plan));
                    let action = Action {
                        object,
                        prediction: document,
                        ..action::<S>(&evidence.cron_job, effect)
                    };
                    return (action, false);
                }
                Err(trouble) => trouble,
            };
            let (Trouble::Changed(done) | Trouble::Failed { done, .. }) = trouble;
            for request in requests.iter().take(done) {
                request.check.note(&mut evidence.cron_job);
                made.push(request.check.clone());
            }
            if let Trouble::Failed { error, open, .. } = trouble {
                let effect = failure(&error, &made, open);
                return (action::<S>(&evidence.cron_job, effect), error.is_of_all());
            }
            let now = match self.read_again(&evidence.cron_job) {
                Ok(Some(now)) => now,
                Ok(None) => {
                    let gone = ActionEffect::Failed("it was deleted meanwhile".to_owned());
                    return (action::<S>(&evidence.cron_job, gone), false);
                }
                Err(error) => {
                    let why = format!(
                        "it changed meanwhile, and cannot be read again: {error:#}{}",
                        told(&made)
                    );
                    let stop = error
                        .downcast_ref::<ClusterError>()
                        .is_none_or(ClusterError::is_of_all);
                    let effect = ActionEffect::Failed(why);
                    return (action::<S>(&evidence.cron_job, effect), stop);
                }
            };
            self.tell_changes(&evidence.cron_job, &now.cron_job);
            if step.is_done(&now.cron_job) {
                if !made.is_empty() {
                    let name = full_name(&now.cron_job);
                    say_plainly(&format!(
                        "{name} was changed by somebody else{}",
                        told(&made)
                    ));
                }
                return (action::<S>(&now.cron_job, ActionEffect::Unchanged), false);
            }
            let plan_of = |evidence: &CronJobEvidence| {
                self.with_facts(evidence, |facts| {
                    let plan = step.plan(facts);
                    let text = step.sentences(facts, &plan);
                    (plan, text)
                })
            };
            let (new, text) = plan_of(&now);
            // What time and the controller have changed is no other prediction.
            let reads_the_same = plan_of(&as_specified(&evidence.cron_job, &now)).1 == text;
            if done > 0 {
                plan = plan_of(&evidence).0;
            }
            let agreed = step.still_holds(&plan, &new, reads_the_same)
                || self.agrees_to(&now, &new, step, busy);
            (evidence, plan) = (now, new);
            if !agreed {
                let why = format!(
                    "it changed meanwhile, and with it what would happen; it was left alone{}",
                    told(&made)
                );
                return (
                    action::<S>(&evidence.cron_job, ActionEffect::Failed(why)),
                    false,
                );
            }
        }
        let often = ActionEffect::Failed(format!(
            "it changed {TRIES} times meanwhile; run the same command again{}",
            told(&made)
        ));
        (action::<S>(&evidence.cron_job, often), false)
    }

    /// Sends the requests, or does as if.
    fn make(
        &self,
        cron_job: &CronJob,
        requests: &[Request],
    ) -> Result<(Value, ActionEffect), Trouble> {
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
            let target = Target {
                resource,
                namespace: &cron_job.namespace,
                name: &cron_job.name,
            };
            let mut object = session.object(target).map_err(|error| Trouble::Failed {
                error,
                done: 0,
                open: false,
            })?;
            for request in requests {
                merged(&mut object, &request.patch(""));
            }
            return Ok((object, ActionEffect::Shown));
        }
        let dry_run = self.changing.dry_run == DryRun::Server;
        let sender = Sender {
            session,
            resource,
            manner: Manner {
                dry_run,
                field_manager: &self.changing.field_manager,
            },
            knows_older: true,
            quiet: self.common.global.quiet,
        };
        let object = sender.make(cron_job, requests)?;
        let effect = if dry_run {
            ActionEffect::Shown
        } else {
            ActionEffect::Done
        };
        Ok((object, effect))
    }

    /// The CronJob as it is now, with its Jobs.
    fn read_again(&mut self, cron_job: &CronJob) -> anyhow::Result<Option<CronJobEvidence>> {
        let names = vec![cron_job.name.clone()];
        let live = self.live.of_names(Some(cron_job.namespace.clone()), names);
        let world = self.common.read_again(&live, self.basis.clone())?;
        self.basis = world.basis.clone();
        let mut all_evidence = world.into_dossiers();
        Ok(all_evidence.find(|evidence| evidence.cron_job.uid == cron_job.uid))
    }

    fn tell_changes(&self, old: &CronJob, new: &CronJob) {
        if self.common.global.quiet && self.changing.yes {
            return;
        }
        let changes = differences(old, new);
        let what = if changes.is_empty() {
            "nothing that matters here".to_owned()
        } else {
            changes.join("; ")
        };
        say_plainly(&format!("{} changed meanwhile: {what}", full_name(new)));
    }

    /// Shows the new plan, and asks.
    fn agrees_to<S: Step>(
        &self,
        evidence: &CronJobEvidence,
        plan: &S::Plan,
        step: &S,
        busy: &Busy,
    ) -> bool {
        let shown = self.show_one(&mut *stdio::stderr(), evidence, plan, false, step);
        if shown.is_err() || !can_ask() || self.changing.yes {
            return false;
        }
        let question = format!("{} it all the same?", capital(S::VERB));
        // Who cannot be asked has not agreed.
        confirm(&question, Some(busy)).unwrap_or(false)
    }
}

/// A CronJob as it is now, but for what people write: its spec and its annotations.
fn as_specified(old: &CronJob, now: &CronJobEvidence) -> CronJobEvidence {
    let mut evidence = now.clone();
    evidence.cron_job.spec = old.spec.clone();
    evidence.cron_job.annotations = old.annotations.clone();
    evidence
}

/// `suspend` becomes `Suspend`.
fn capital(word: &str) -> String {
    let mut characters = word.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}

/// What came of a change that failed.
fn failure(error: &ClusterError, made: &[Check], open: bool) -> ActionEffect {
    let text = format!("{error}{}", told(made));
    if open {
        ActionEffect::Unknown(format!(
            "{text}; it is unknown whether the change was made, and it may still be made"
        ))
    } else {
        ActionEffect::Failed(text)
    }
}

/// What was made before something else failed, for the end of a sentence.
fn told(made: &[Check]) -> String {
    let made = made.iter().map(Check::to_string);
    made.fold(String::new(), |text, made| text + "; " + &made)
}
