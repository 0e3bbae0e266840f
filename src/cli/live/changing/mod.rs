//! Every change to a cluster, the same way for all verbs: predict, check rights, ask, send once with the
//! version that the prediction was about, confirm, wait, report.
//!
//! A verb calls these steps of [`ChangeRun`] in this order: [`ChangeRun::predict`], [`ChangeRun::require`],
//! [`ChangeRun::show`] and [`ChangeRun::confirm`], [`ChangeRun::send_each`], its own wait, and
//! [`ChangeRun::finish`]. `send.rs` sends one request and finds out what happened if the answer is lost;
//! `patch.rs` predicts and asks again if the object was modified in the meantime.

mod args;
mod job_args;
mod patch;
mod prediction;
mod prompt;
mod report;
mod rights;
mod send;
mod targets;

use std::io::{self, Write};

use anyhow::bail;
use serde_json::Value;

use crate::cli::args::Common;
use crate::cli::live::busy::Busy;
use crate::cli::{CommandOutcome, complain, is_quiet, say_plainly, stdio};
use crate::evidence::{Basis, Live, Needs, World};
use crate::output::DryRun;
use crate::output::actions::{
    Action, ActionEffect, ActionWords, PlannedItem, plan_summary, prediction,
};
use crate::output::lines::TextPage;
use cronjob_controller::upcoming::display_zone;
use cronjob_diagnosis::change::Prediction;
use cronjob_diagnosis::diagnose::Facts;
use cronjob_text::text::Text;
use kube_access::{Manner, Right};
use kube_model::{Coverage, CronJob, CronJobEvidence};
use kube_objects::query::Resource;

pub(crate) use args::{Backfill, CatchUpFlag, Changing, DEFAULT_MAX, Resume, Suspend, Targets};
pub(crate) use job_args::Trigger;
pub(crate) use patch::Patch;
pub(crate) use prediction::{Expected, Verdict, check_predictions};
pub(crate) use prompt::{ask, can_ask};
pub(crate) use report::{ChangeReport, ended_by_signal};
pub(crate) use send::{Deletion, SendError, job_from_object, text_at};
pub(crate) use targets::load_targets;

use report::resource_of;
use send::{BY_WEBHOOK, Sender};

/// What verbs need that change something.
pub(crate) const NEEDS: Needs = Needs {
    predicts_change: true,
    ..Needs::JOBS
};

/// A CronJob and the prediction for it.
#[derive(Clone)]
pub(crate) struct PlannedChange<P> {
    pub(crate) evidence: CronJobEvidence,
    pub(crate) plan: P,
}

pub(crate) fn cron_jobs_of<P>(
    planned: &[PlannedChange<P>],
) -> impl Iterator<Item = &CronJob> + Clone {
    planned.iter().map(|one| &one.evidence.cron_job)
}

/// What was tried for one CronJob.
pub(crate) struct Attempt {
    pub(crate) action: Action,
    /// Whether the other changes would fail, too.
    pub(crate) others_fail: bool,
}

impl Attempt {
    fn of(action: Action) -> Self {
        Attempt {
            action,
            others_fail: false,
        }
    }
}

pub(crate) struct ChangeRun<'a> {
    pub(crate) common: &'a Common,
    pub(crate) changing: &'a Changing,
    pub(crate) basis: Basis,
    pub(crate) live: Live,
    pub(crate) coverage: Coverage,
    pub(crate) report: ChangeReport,
    /// Whether everything that was asked for was found.
    pub(crate) complete: bool,
}

/// More predictions than these are shown in one line each, and errors are repeated at the end.
const MANY: usize = 10;

/// More CronJobs than these have a summary.
const FEW: usize = 2;

impl<'a> ChangeRun<'a> {
    /// A change of the CronJobs of a World, of which nothing is predicted yet.
    pub(crate) fn new(
        common: &'a Common,
        changing: &'a Changing,
        live: Live,
        world: World,
        words: ActionWords,
    ) -> (Self, Vec<CronJobEvidence>) {
        let mut namespaces = world.cron_jobs.iter();
        let first = namespaces
            .next()
            .map(|one| &one.evidence.cron_job.namespace);
        let many = namespaces.any(|one| Some(&one.evidence.cron_job.namespace) != first);
        let run = ChangeRun {
            report: ChangeReport {
                format: changing.output,
                dry_run: changing.dry_run,
                words,
                not_found: world.not_found,
                with_namespace: many || world.namespace.is_none(),
                lacks: world.lacks,
                actions: Vec::new(),
                has_unneeded: false,
                unwritten: None,
            },
            common,
            basis: world.basis,
            live,
            changing,
            coverage: world.coverage,
            complete: world.complete,
        };
        let all_evidence = world.cron_jobs.into_iter().map(|one| one.evidence);
        (run, all_evidence.collect())
    }

    /// Predicts the change of each CronJob, and reports those that are as it would leave them.
    pub(crate) fn predict<P>(
        &mut self,
        all_evidence: Vec<CronJobEvidence>,
        is_done: impl Fn(&CronJob) -> bool,
        plan: impl Fn(&Facts<'_>) -> P,
    ) -> Vec<PlannedChange<P>> {
        let mut planned = Vec::new();
        for evidence in all_evidence {
            if is_done(&evidence.cron_job) {
                let action = self.action(&evidence.cron_job, ActionEffect::Unchanged);
                self.report.add_unneeded(action);
                continue;
            }
            let plan = plan(&self.facts(&evidence));
            planned.push(PlannedChange { evidence, plan });
        }
        if planned.len() <= FEW {
            self.report.write_unneeded();
        }
        planned
    }

    /// Reads a CronJob and its Jobs again; `None` if it was deleted or re-created.
    pub(crate) fn read_again(
        &mut self,
        cron_job: &CronJob,
    ) -> anyhow::Result<Option<CronJobEvidence>> {
        let names = vec![cron_job.name.clone()];
        let live = self.live.of_names(Some(cron_job.namespace.clone()), names);
        let world = self.common.read_again(&live, self.basis.clone())?;
        self.basis = world.basis.clone();
        let mut all_evidence = world.into_evidence();
        Ok(all_evidence.find(|evidence| evidence.cron_job.uid == cron_job.uid))
    }

    /// The facts about a CronJob at the time that the run is about.
    pub(crate) fn facts<'f>(&'f self, evidence: &'f CronJobEvidence) -> Facts<'f> {
        self.basis.facts(evidence, self.coverage)
    }

    /// Fails if CronJobs must not be patched.
    pub(crate) fn require_patch<P>(&self, planned: &[PlannedChange<P>]) -> anyhow::Result<()> {
        if self.changing.dry_run == DryRun::Client {
            return Ok(());
        }
        let right = Right::to("patch", &self.live.wanted.resource);
        self.require(cron_jobs_of(planned), right)
    }

    /// An empty page about a CronJob.
    pub(super) fn page_about(&self, cron_job: &CronJob) -> TextPage {
        let zone = display_zone(&self.basis.controller, cron_job);
        TextPage::at(self.basis.now, &zone)
    }

    /// Shows the predictions. `totals` are those of more than a few CronJobs in one sentence; `None` shows each by
    /// itself.
    pub(crate) fn show<P: Clone + Into<Prediction>>(
        &mut self,
        planned: &[PlannedChange<P>],
        totals: impl FnOnce(&Self) -> Option<Text>,
    ) -> anyhow::Result<()> {
        let brief = planned.len() > MANY;
        self.show_plan(|run, out| {
            let item = |one: &PlannedChange<P>| PlannedItem {
                name: one.evidence.cron_job.full_name(),
                prediction: one.plan.clone().into(),
            };
            let has_many = planned.len() > FEW;
            let page = |one: &PlannedChange<P>| run.page_about(&one.evidence.cron_job);
            let totals = has_many.then(|| totals(run)).flatten();
            if let Some((totals, first)) = totals.zip(planned.first()) {
                let items: Vec<_> = planned.iter().map(item).collect();
                let detail = !brief || run.common.global.verbose > 0;
                return plan_summary(out, &totals, &items, page(first), detail);
            }
            planned.iter().try_for_each(|one| {
                let item = item(one);
                prediction(out, &item.name, &item.prediction, page(one), brief)
            })
        })
    }

    /// Shows a plan. With `--dry-run` it is the result. With `--yes` one that cannot be written does not prevent the
    /// change.
    pub(crate) fn show_plan(
        &mut self,
        write: impl FnOnce(&Self, &mut dyn Write) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        let is_dry_run = self.changing.dry_run != DryRun::None;
        let is_result = is_dry_run && self.changing.output.is_none();
        if is_quiet() && self.needs_no_question() && !is_result {
            return Ok(());
        }
        let mut out = if is_result {
            stdio::stdout()
        } else {
            stdio::stderr()
        };
        let shown = write(self, &mut *out);
        match self.report.written("prediction", shown) {
            Err(error) if self.changing.yes && !is_dry_run => self.report.cannot_write(error),
            shown => return shown,
        }
        Ok(())
    }

    /// Asks, unless `--yes` or `--dry-run` make that unnecessary.
    pub(crate) fn confirm(&self, question: &str) -> anyhow::Result<bool> {
        if self.needs_no_question() {
            return Ok(true);
        }
        if !can_ask() {
            bail!(
                "nothing was changed: confirmation requires a terminal; use --yes to skip it, \
                 or --dry-run to show the plan only"
            );
        }
        prompt::confirm(question, None)
    }

    pub(crate) fn needs_no_question(&self) -> bool {
        self.changing.yes || self.changing.dry_run != DryRun::None
    }

    /// The question about some CronJobs: `Suspend nightly?`
    pub(crate) fn question<P>(&self, planned: &[PlannedChange<P>]) -> String {
        let verb = capital(self.report.words.verb);
        match planned {
            [one] => format!("{verb} {}?", one.evidence.cron_job.name),
            many => format!("{verb} {} CronJobs?", many.len()),
        }
    }

    /// Changes the CronJobs one after another with `send`, and returns those that were not attempted: those after a
    /// signal, and after a failure that the others would share. `send` returns nothing if it sent nothing because
    /// of a signal, and an error if it sent nothing because of a problem that is not about this CronJob.
    pub(crate) fn send_each<P>(
        &mut self,
        planned: Vec<PlannedChange<P>>,
        busy: &Busy,
        mut send: impl FnMut(&mut Self, &mut PlannedChange<P>) -> anyhow::Result<Option<Attempt>>,
    ) -> Vec<CronJob> {
        self.report.write_unneeded();
        let mut left = Vec::new();
        let mut stop = false;
        for mut one in planned {
            stop |= busy.is_interrupted();
            let attempt = if stop { Ok(None) } else { send(self, &mut one) };
            let Some(attempt) = self.note_failure(attempt).flatten() else {
                stop = true;
                left.push(one.evidence.cron_job);
                continue;
            };
            stop = attempt.others_fail;
            self.report.add(attempt.action);
        }
        left
    }

    /// The result; an error, which is not about a change itself, is printed.
    pub(crate) fn note_failure<T>(&mut self, result: anyhow::Result<T>) -> Option<T> {
        let printed = result.inspect_err(|error| {
            complain(&format!("{error:#}"));
            self.complete = false;
        });
        printed.ok()
    }

    /// The action on a CronJob, without prediction and object.
    pub(crate) fn action(&self, cron_job: &CronJob, effect: ActionEffect) -> Action {
        Action {
            namespace: cron_job.namespace.clone(),
            name: cron_job.name.clone(),
            resource: resource_of(cron_job),
            job: None,
            action: self.report.words.verb,
            effect,
            object: Value::Null,
            prediction: None,
            observed: None,
        }
    }

    /// Creates a Job unless `--dry-run` prevents it. `knows_existing` means that a Job of this name may be one
    /// that this run created.
    pub(crate) fn create(
        &self,
        job: &Value,
        knows_existing: bool,
    ) -> Result<(Value, ActionEffect), SendError> {
        if self.changing.dry_run == DryRun::Client {
            return Ok((job.clone(), ActionEffect::Shown));
        }
        let namespace = job.pointer("/metadata/namespace").and_then(Value::as_str);
        let jobs = Resource::jobs();
        let sender = self.sender(&jobs, knows_existing);
        let object = sender.create(namespace.unwrap_or_default(), job)?;
        Ok((object, self.sent()))
    }

    /// The effect of a Job that was not created as it was sent, and whether other Jobs would fail, too.
    pub(crate) fn creation_effect(&self, failure: &SendError, job: &str) -> (ActionEffect, bool) {
        match failure {
            SendError::Conflict(error) | SendError::Failed { error, open: false } => {
                (ActionEffect::Failed(error.to_string()), error.is_of_all())
            }
            SendError::Failed { error, open: true } => {
                let why = format!(
                    "{error}; job.batch/{job} may have been created, or may still be created"
                );
                (ActionEffect::Unknown(why), error.is_of_all())
            }
            SendError::StoredInstead(stored) => {
                // A dry run creates nothing.
                let effect = match self.changing.dry_run {
                    DryRun::None => ActionEffect::Unknown,
                    DryRun::Client | DryRun::Server => ActionEffect::Failed,
                };
                let why = format!("job.batch/{job} was stored with {stored}{BY_WEBHOOK}");
                (effect(why), false)
            }
        }
    }

    /// Deletes the Job that an object shows.
    pub(crate) fn delete(&self, job: &Value) -> Deletion {
        let (jobs, at) = (Resource::jobs(), |pointer| text_at(job, pointer));
        let [namespace, name] = ["/metadata/namespace", "/metadata/name"].map(at);
        let sender = self.sender(&jobs, false);
        sender.delete(&namespace, &name, &at("/metadata/uid"))
    }

    fn sender<'s>(&'s self, resource: &'s Resource, knows_existing: bool) -> Sender<'s> {
        Sender {
            session: &self.live.session,
            resource,
            manner: Manner {
                dry_run: self.changing.dry_run == DryRun::Server,
                field_manager: &self.changing.field_manager,
            },
            knows_existing,
        }
    }

    /// The effect of a request that succeeded.
    fn sent(&self) -> ActionEffect {
        if self.changing.dry_run == DryRun::None {
            ActionEffect::Done
        } else {
            ActionEffect::Shown
        }
    }

    /// Reports that no CronJob needs the change.
    pub(crate) fn finish_unneeded(mut self) -> anyhow::Result<CommandOutcome> {
        self.report.write_unneeded();
        self.report_all(&[], "", None)
    }

    /// Reports what was done, which CronJobs were not attempted and how to continue with them, and what the wait
    /// for the results led to.
    pub(crate) fn finish(
        mut self,
        left: &[CronJob],
        how_to_continue: &str,
        waited: anyhow::Result<CommandOutcome>,
        busy: &Busy,
    ) -> anyhow::Result<CommandOutcome> {
        let waited = self.note_failure(waited);
        let outcome = self.report_all(left, how_to_continue, busy.ended_by())?;
        Ok(match waited {
            Some(waited) if outcome == CommandOutcome::Fine => waited,
            _ => outcome,
        })
    }

    fn report_all(
        self,
        left: &[CronJob],
        how_to_continue: &str,
        ended_by: Option<u8>,
    ) -> anyhow::Result<CommandOutcome> {
        let outcome = self
            .report
            .finish(&self.basis, left, how_to_continue, ended_by)?;
        Ok(match outcome {
            CommandOutcome::Fine if !self.complete => CommandOutcome::Incomplete,
            other => other,
        })
    }
}

/// The outcome if the user does not agree.
pub(crate) fn nothing_changed() -> CommandOutcome {
    say_plainly("Nothing was changed.");
    CommandOutcome::Incomplete
}

/// `suspend` becomes `Suspend`.
fn capital(word: &str) -> String {
    let mut characters = word.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}
