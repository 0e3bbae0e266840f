//! A change of several CronJobs: planned, shown, agreed to, and made one by one.

use std::io::Write;

use anyhow::{Context as _, bail};
use serde_json::Value;

use super::attempt::{Hand, Trouble};
use super::question::{can_ask, confirm};
use super::report::{Report, full_name, resource_of};
use super::rights::{Deed, ensure};
use crate::cli::args::{ChangeFormat, Changing, DryRun, Global};
use crate::cli::connect::Live;
use crate::cli::gathered::Gathered;
use crate::cli::interrupt::Busy;
use crate::cli::settings::Settings;
use crate::cli::{Outcome, say_plainly};
use crate::cluster::{Error, Manner, Target};
use crate::diagnose::{Facts, Reach};
use crate::hands::{Request, differences, merged};
use crate::model::{CronJob, Dossier};
use crate::output::actions::{Action, Effect, prediction};

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
    /// Whether two plans come to the same for whoever agreed to one.
    fn is_same(&self, one: &Self::Plan, other: &Self::Plan) -> bool;
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
    /// Right after, and whether it was done.
    fn end(&mut self, _: &Dossier, _: &Self::Plan, _done: bool) -> anyhow::Result<()> {
        Ok(())
    }
    /// How to do what is left.
    fn go_on(&self) -> &'static str;
}

/// A CronJob and what the change would lead to.
pub(in crate::cli) struct Planned<P> {
    pub(in crate::cli) dossier: Dossier,
    pub(in crate::cli) plan: P,
}

/// A change of several CronJobs.
pub(in crate::cli) struct Round<'a> {
    pub(in crate::cli) settings: &'a mut Settings,
    pub(in crate::cli) live: Live,
    pub(super) global: &'a Global,
    pub(super) changing: &'a Changing,
    pub(super) reach: Reach,
    pub(super) report: Report,
    /// Whether all that was asked for is there.
    complete: bool,
}

/// More than these are shown in one line each.
const FEW: usize = 10;
/// An object that changes so often is never caught.
const TRIES: usize = 5;

impl<'a> Round<'a> {
    /// Plans what is to be done. Of what is done already it is said at once.
    pub(in crate::cli) fn plan<S: Step>(
        settings: &'a mut Settings,
        global: &'a Global,
        changing: &'a Changing,
        (live, found): (Live, Gathered),
        step: &S,
    ) -> anyhow::Result<(Self, Vec<Planned<S::Plan>>)> {
        let mut namespaces = found.chosen.iter();
        let first = namespaces.next().map(|one| &one.dossier.cron_job.namespace);
        let many = namespaces.any(|one| Some(&one.dossier.cron_job.namespace) != first);
        let mut round = Round {
            report: Report::new(changing, S::DONE, many || found.namespace.is_none()),
            settings,
            live,
            global,
            changing,
            reach: found.reach,
            complete: found.complete,
        };
        let mut planned = Vec::new();
        for chosen in found.chosen {
            let dossier = chosen.dossier;
            if step.is_done(&dossier.cron_job) {
                let action = action::<S>(&dossier.cron_job, Effect::Unchanged);
                round.report.take(action)?;
                continue;
            }
            let plan = round.with_facts(&dossier, |facts| step.plan(facts));
            planned.push(Planned { dossier, plan });
        }
        Ok((round, planned))
    }

    /// Plans again, under another choice.
    pub(in crate::cli) fn plan_again<S: Step>(&self, planned: &mut [Planned<S::Plan>], step: &S) {
        for one in planned {
            one.plan = self.with_facts(&one.dossier, |facts| step.plan(facts));
        }
    }

    /// Asks something about a CronJob at the moment that the call is about.
    pub(in crate::cli) fn with_facts<T>(
        &self,
        dossier: &Dossier,
        ask: impl FnOnce(&Facts<'_>) -> T,
    ) -> T {
        let controller = self.settings.controller();
        let now = self.settings.now;
        ask(&Facts::of(&controller, dossier, self.reach, now))
    }

    /// Refuses if something may not be done to all of them.
    pub(in crate::cli) fn ensure_rights<P>(
        &self,
        planned: &[Planned<P>],
        subresource: Option<&'static str>,
    ) -> anyhow::Result<()> {
        if self.changing.dry_run == DryRun::Client {
            return Ok(());
        }
        let deed = Deed::patch(&self.live.wanted.resource, subresource);
        let cron_jobs = planned.iter().map(|one| &one.dossier.cron_job);
        ensure(&self.live.session, deed, cron_jobs)
    }

    /// Shows what the change would lead to. Where nothing is done that is the result.
    pub(in crate::cli) fn show<S: Step>(
        &self,
        planned: &[Planned<S::Plan>],
        step: &S,
    ) -> anyhow::Result<()> {
        let is_result = self.changing.dry_run != DryRun::None && self.changing.output.is_none();
        if self.global.quiet && self.needs_no_question() && !is_result {
            return Ok(());
        }
        let (mut stdout, mut stderr);
        let out: &mut dyn Write = if is_result {
            stdout = anstream::stdout().lock();
            &mut stdout
        } else {
            stderr = anstream::stderr().lock();
            &mut stderr
        };
        for one in planned {
            self.show_one(out, &one.dossier, &one.plan, planned.len() > FEW, step)?;
        }
        Ok(())
    }

    fn show_one<S: Step>(
        &self,
        out: &mut dyn Write,
        dossier: &Dossier,
        plan: &S::Plan,
        brief: bool,
        step: &S,
    ) -> anyhow::Result<()> {
        let name = full_name(&dossier.cron_job);
        self.with_facts(dossier, |facts| {
            let text = step.sentences(facts, plan);
            let afterwards = step.afterwards(facts, plan);
            prediction(out, &name, &text, afterwards.as_deref(), brief)
        })
        .context("cannot write")
    }

    /// Whether it is to be done, as far as that needs to be asked.
    pub(in crate::cli) fn is_agreed(&self, question: &str) -> anyhow::Result<bool> {
        if self.needs_no_question() {
            return Ok(true);
        }
        if !can_ask() {
            bail!(
                "nothing was changed, since there is no terminal to ask at: --yes goes ahead, \
                 --dry-run shows what would happen"
            );
        }
        confirm(question)
    }

    /// Whether nobody has to agree.
    pub(in crate::cli) fn needs_no_question(&self) -> bool {
        self.changing.yes || self.changing.dry_run != DryRun::None
    }

    /// Makes the changes, one by one, and tells of each.
    pub(in crate::cli) fn run<S: Step>(
        mut self,
        planned: Vec<Planned<S::Plan>>,
        step: &mut S,
    ) -> anyhow::Result<(Self, Vec<CronJob>, bool)> {
        let busy = Busy::begin();
        let mut left = Vec::new();
        let mut stop = false;
        for one in planned {
            stop = stop || busy.is_interrupted();
            if !stop {
                step.begin(&one.dossier.cron_job, &one.plan, &busy)?;
                stop = busy.is_interrupted();
            }
            if stop {
                left.push(one.dossier.cron_job);
                continue;
            }
            let action = self.one(one, step)?;
            stop = matches!(&action, (_, true));
            self.report.take(action.0)?;
        }
        let interrupted = busy.is_interrupted();
        Ok((self, left, interrupted))
    }

    /// Tells how it went.
    pub(in crate::cli) fn finish<S: Step>(
        self,
        step: &S,
        left: &[CronJob],
        interrupted: bool,
    ) -> anyhow::Result<Outcome> {
        let outcome = self
            .report
            .finish(self.settings, left, step.go_on(), interrupted)?;
        Ok(match outcome {
            Outcome::Fine if !self.complete => Outcome::Incomplete,
            other => other,
        })
    }

    /// Takes down what was seen of a CronJob after its change.
    pub(in crate::cli) fn observe(&mut self, cron_job: &CronJob, observed: Value) {
        self.report.observe(cron_job, observed);
    }

    /// Makes one change, and says whether the others had better not be tried.
    fn one<S: Step>(
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
        let often = Effect::Failed(format!("it changed {TRIES} times meanwhile"));
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
        self.show_one(&mut anstream::stderr().lock(), dossier, plan, false, step)?;
        if !can_ask() || self.changing.yes {
            return Ok(false);
        }
        confirm(&format!("{} it all the same?", capital(S::VERB)))
    }
}

/// `suspend` becomes `Suspend`.
pub(in crate::cli) fn capital(word: &str) -> String {
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

pub(super) fn action<S: Step>(cron_job: &CronJob, effect: Effect) -> Action {
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
