//! One CronJob is changed, also if it changes meanwhile.

use serde_json::Value;

use super::attempt::{Hand, Trouble};
use super::question::{can_ask, confirm};
use super::report::full_name;
use super::round::{Planned, Round};
use super::step::{Step, action};
use crate::cli::args::{ChangeFormat, DryRun};
use crate::cli::{say_plainly, voice};
use crate::cluster::{Error, Manner, Target};
use crate::hands::{Request, differences, merged};
use crate::model::{CronJob, Dossier};
use crate::output::actions::{Action, Effect};

/// An object that changes so often is never caught.
const TRIES: usize = 5;

impl Round<'_> {
    /// Makes one change, and says whether the others had better not be tried.
    pub(super) fn one<S: Step>(
        &mut self,
        planned: Planned<S::Plan>,
        step: &mut S,
    ) -> anyhow::Result<(Action, bool)> {
        let Planned {
            mut dossier,
            mut plan,
        } = planned;
        for _ in 0..TRIES {
            let requests = step.requests(&dossier.cron_job, &plan);
            let trouble = match self.make(&dossier.cron_job, &requests) {
                Ok((object, effect)) => {
                    step.end(&dossier, &plan, true)?;
                    let document = self.with_facts(&dossier, |facts| step.document(facts, &plan));
                    let action = Action {
                        object,
                        prediction: document,
                        ..action::<S>(&dossier.cron_job, effect)
                    };
                    return Ok((action, false));
                }
                Err(trouble) => trouble,
            };
            if let Trouble::Failed { error, done, open } = trouble {
                step.end(&dossier, &plan, false)?;
                let text = failure(&error, done, requests.len(), open);
                let action = action::<S>(&dossier.cron_job, Effect::Failed(text));
                return Ok((action, error.leaves_open()));
            }
            let Some(now) = self.read_again(&dossier.cron_job)? else {
                step.end(&dossier, &plan, false)?;
                let gone = Effect::Failed("it was deleted meanwhile".to_owned());
                return Ok((action::<S>(&dossier.cron_job, gone), false));
            };
            self.tell_changes(&dossier.cron_job, &now.cron_job);
            if step.is_done(&now.cron_job) {
                step.end(&now, &plan, false)?;
                return Ok((action::<S>(&now.cron_job, Effect::Unchanged), false));
            }
            let new = self.with_facts(&now, |facts| step.plan(facts));
            let agreed = step.is_same(&plan, &new) || self.agrees_to(&now, &new, step)?;
            (dossier, plan) = (now, new);
            if !agreed {
                step.end(&dossier, &plan, false)?;
                let other =
                    "it changed meanwhile, and with it what would happen; it was left alone";
                let effect = Effect::Failed(other.to_owned());
                return Ok((action::<S>(&dossier.cron_job, effect), false));
            }
        }
        step.end(&dossier, &plan, false)?;
        let often = Effect::Failed(format!(
            "it changed {TRIES} times meanwhile; run the same command again"
        ));
        Ok((action::<S>(&dossier.cron_job, often), false))
    }

    /// Sends the requests, or does as if.
    fn make(&self, cron_job: &CronJob, requests: &[Request]) -> Result<(Value, Effect), Trouble> {
        let resource = &self.live.wanted.resource;
        let session = &self.live.session;
        if self.changing.dry_run == DryRun::Client {
            let documented = matches!(
                self.changing.output,
                Some(ChangeFormat::Json | ChangeFormat::Yaml)
            );
            if !documented {
                return Ok((Value::Null, Effect::Shown));
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
            return Ok((object, Effect::Shown));
        }
        let dry_run = self.changing.dry_run == DryRun::Server;
        let hand = Hand {
            session,
            resource,
            manner: Manner {
                dry_run,
                field_manager: &self.changing.field_manager,
            },
            quiet: self.global.quiet,
        };
        let object = hand.make(cron_job, requests)?;
        let effect = if dry_run { Effect::Shown } else { Effect::Done };
        Ok((object, effect))
    }

    /// The CronJob as it is now, with its Jobs.
    fn read_again(&mut self, cron_job: &CronJob) -> anyhow::Result<Option<Dossier>> {
        let mut wanted = self.live.wanted.clone();
        wanted.namespace = Some(cron_job.namespace.clone());
        wanted.names = vec![cron_job.name.clone()];
        let before = std::mem::replace(&mut self.live.wanted, wanted);
        let found = self.live.read_again(self.settings);
        self.live.wanted = before;
        let found = found?;
        let mut dossiers = found.chosen.into_iter().map(|chosen| chosen.dossier);
        Ok(dossiers.find(|dossier| dossier.cron_job.uid == cron_job.uid))
    }

    fn tell_changes(&self, old: &CronJob, new: &CronJob) {
        if self.global.quiet && self.changing.yes {
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
        dossier: &Dossier,
        plan: &S::Plan,
        step: &S,
    ) -> anyhow::Result<bool> {
        self.show_one(&mut *voice::stderr(), dossier, plan, false, step)?;
        if !can_ask() || self.changing.yes {
            return Ok(false);
        }
        confirm(&format!("{} it all the same?", capital(S::VERB)))
    }
}

/// `suspend` becomes `Suspend`.
fn capital(word: &str) -> String {
    let mut characters = word.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}

pub(super) fn failure(error: &Error, done: usize, all: usize, open: bool) -> String {
    let mut text = error.to_string();
    if done > 0 {
        text.push_str(&format!(
            " ({done} of {all} changes was made, and is harmless)"
        ));
    }
    if open {
        text.push_str("; whether the change was made is not known");
    }
    text
}
