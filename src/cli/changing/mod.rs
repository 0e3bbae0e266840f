//! Every change to a cluster, the same way for all verbs: predict, check rights, ask, send once with the
//! version that the prediction was about, confirm, wait, report.
//!
//! [`ChangeRun::carry_out`] has these steps in order, and each verb implements [`ChangeVerb`]. `send.rs`
//! sends one request and finds out what happened if the answer is lost; `conflict.rs` predicts and asks again
//! if the object was modified in the meantime.

mod conflict;
mod prompt;
mod report;
mod rights;
mod send;
mod state_file;
mod targets;

use std::io::{self, Write};

use anyhow::bail;
use serde_json::Value;

use super::args::{Changing, Common, DryRun};
use super::interrupt::Busy;
use super::{CommandOutcome, complain, say_plainly, stdio};
use crate::change::{Prediction, Request};
use crate::cluster::{Manner, Resource, Right};
use crate::diagnose::Facts;
use crate::evidence::{Basis, Live, World};
use crate::model::{Coverage, CronJob, CronJobEvidence};
use crate::output::actions::{Action, ActionEffect, plan_summary, prediction};
use crate::output::lines::TextPage;
use crate::upcoming::display_zone;

pub(crate) use prompt::{ask, can_ask};
pub(crate) use report::{ChangeReport, ended_by_signal};
pub(crate) use send::{CreateError, Deletion, creation_effect, job_from_object, text_at};
pub(crate) use state_file::{StateFile, StateFileWriter, read_state};
pub(crate) use targets::{Named, load_named, load_targets, nothing_selected};

use report::resource_of;
use send::Sender;

/// What a verb does to each CronJob.
pub(crate) trait ChangeVerb: Sized {
    type Plan: Clone;
    const VERB: &'static str;
    /// What a line of the result says after the object, such as `suspended`.
    const DONE: &'static str;
    /// What the line of a CronJob that needs no change says; `DONE (no change)` if `None`.
    const NOT_NEEDED: Option<&'static str> = None;

    fn plan(&self, facts: &Facts<'_>) -> Self::Plan;
    /// Whether the CronJob is already as the verb would leave it.
    fn is_done(&self, _: &CronJob) -> bool {
        false
    }
    fn prediction(&self, plan: &Self::Plan) -> Prediction;
    /// The plans of more than a few CronJobs in one sentence; `None` to show each by itself.
    fn totals(&self, _: &ChangeRun<'_>, _: &[PlannedChange<Self::Plan>]) -> Option<String> {
        None
    }

    /// Fails if a right is missing. May leave CronJobs out.
    fn check_rights(
        &mut self,
        run: &mut ChangeRun<'_>,
        planned: &mut Vec<PlannedChange<Self::Plan>>,
    ) -> anyhow::Result<()> {
        run.require_patch(planned, None)
    }
    fn question(&self, planned: &[PlannedChange<Self::Plan>]) -> String {
        let verb = capital(Self::VERB);
        match planned {
            [one] => format!("{verb} {}?", one.evidence.cron_job.name),
            many => format!("{verb} {} CronJobs?", many.len()),
        }
    }
    fn confirm(
        &mut self,
        run: &mut ChangeRun<'_>,
        planned: &mut Vec<PlannedChange<Self::Plan>>,
    ) -> anyhow::Result<bool> {
        run.show(planned, self)?;
        run.confirm(&self.question(planned))
    }
    /// After the confirmation, before the first change.
    fn prepare(&mut self, _: &ChangeRun<'_>) -> anyhow::Result<()> {
        Ok(())
    }

    /// Before a CronJob is changed. A wait in here must end on a signal.
    fn before_change(&mut self, _: &CronJob, _: &Self::Plan, _: &Busy) -> anyhow::Result<()> {
        Ok(())
    }
    fn requests(&self, _: &CronJob, _: &Self::Plan) -> Vec<Request> {
        Vec::new()
    }
    /// Whether an agreed plan still holds although the object was modified in the meantime. `reads_the_same`
    /// is whether the sentences of the plan stay the same.
    fn still_holds(&self, _agreed: &Self::Plan, _new: &Self::Plan, reads_the_same: bool) -> bool {
        reads_the_same
    }
    fn patched(&mut self, _: &CronJobEvidence, _: &Self::Plan) {}
    /// After a CronJob was found as the verb would leave it, because someone else changed it.
    fn already_done(&mut self, _: &CronJobEvidence) {}
    /// Changes a CronJob. Returns the result, and whether the other changes would fail, too.
    fn change_one(
        &mut self,
        run: &mut ChangeRun<'_>,
        planned: PlannedChange<Self::Plan>,
        busy: &Busy,
    ) -> (Action, bool) {
        run.patch(planned, self, busy)
    }
    /// After a CronJob was changed or not.
    fn after_change(&mut self, _: &ActionEffect) -> anyhow::Result<()> {
        Ok(())
    }
    /// Whether there is something to wait for although no CronJob needs the change.
    fn waits_without_change(&self) -> bool {
        false
    }
    /// Waits for what the changes lead to.
    fn wait(&mut self, _: &mut ChangeRun<'_>, _: &Busy) -> anyhow::Result<CommandOutcome> {
        Ok(CommandOutcome::Fine)
    }
    /// How to change the CronJobs that were not attempted.
    fn how_to_continue(&self) -> &'static str;
}

/// A CronJob and the prediction for it.
pub(crate) struct PlannedChange<P> {
    pub(crate) evidence: CronJobEvidence,
    pub(crate) plan: P,
}

pub(crate) fn cron_jobs_of<P>(planned: &[PlannedChange<P>]) -> impl Iterator<Item = &CronJob> {
    planned.iter().map(|one| &one.evidence.cron_job)
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
    /// A change of the CronJobs of a World, of which nothing is predicted yet. `done` is what a line of the result
    /// says after the object, and `not_needed` that of one that needs no change.
    pub(crate) fn new(
        common: &'a Common,
        changing: &'a Changing,
        (live, world): (Live, World),
        (done, not_needed): (&'static str, Option<&'static str>),
    ) -> (Self, impl Iterator<Item = CronJobEvidence> + use<>) {
        let mut namespaces = world.cron_jobs.iter();
        let first = namespaces
            .next()
            .map(|one| &one.evidence.cron_job.namespace);
        let many = namespaces.any(|one| Some(&one.evidence.cron_job.namespace) != first);
        let run = ChangeRun {
            report: ChangeReport {
                format: changing.output,
                dry_run: changing.dry_run,
                done,
                not_needed,
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
        (run, all_evidence)
    }

    /// Predicts the change of each CronJob, and reports those that need none.
    pub(crate) fn plan<V: ChangeVerb>(
        common: &'a Common,
        changing: &'a Changing,
        reached: (Live, World),
        verb: &V,
    ) -> (Self, Vec<PlannedChange<V::Plan>>) {
        let words = (V::DONE, V::NOT_NEEDED);
        let (mut run, all_evidence) = ChangeRun::new(common, changing, reached, words);
        let mut planned = Vec::new();
        for evidence in all_evidence {
            if verb.is_done(&evidence.cron_job) {
                let action = action(V::VERB, &evidence.cron_job, ActionEffect::Unchanged);
                run.report.add_unneeded(action);
                continue;
            }
            let plan = run.with_facts(&evidence, |facts| verb.plan(facts));
            planned.push(PlannedChange { evidence, plan });
        }
        if planned.len() <= FEW {
            run.report.write_unneeded();
        }
        (run, planned)
    }

    pub(crate) fn plan_again<V: ChangeVerb>(
        &self,
        planned: &mut [PlannedChange<V::Plan>],
        verb: &V,
    ) {
        for one in planned {
            one.plan = self.with_facts(&one.evidence, |facts| verb.plan(facts));
        }
    }

    /// Everything that follows the prediction, in order.
    pub(crate) fn carry_out<V: ChangeVerb>(
        mut self,
        mut planned: Vec<PlannedChange<V::Plan>>,
        verb: &mut V,
    ) -> anyhow::Result<CommandOutcome> {
        verb.check_rights(&mut self, &mut planned)?;
        if planned.is_empty() && !verb.waits_without_change() {
            self.report.write_unneeded();
            return self.finish(verb.how_to_continue(), &[], None);
        }
        if !planned.is_empty() {
            if !verb.confirm(&mut self, &mut planned)? {
                return Ok(nothing_changed());
            }
            verb.prepare(&self)?;
        }
        self.report.write_unneeded();
        let busy = Busy::begin(&self.live.session);
        let left = self.change_all(planned, verb, &busy);
        let waited = verb.wait(&mut self, &busy);
        self.has_failed(&waited);
        let outcome = self.finish(verb.how_to_continue(), &left, busy.ended_by())?;
        Ok(match waited {
            Ok(waited) if outcome == CommandOutcome::Fine => waited,
            _ => outcome,
        })
    }

    /// The facts about a CronJob at the time that the run is about.
    pub(crate) fn with_facts<T>(
        &self,
        evidence: &CronJobEvidence,
        ask: impl FnOnce(&Facts<'_>) -> T,
    ) -> T {
        let controller = self.basis.controller();
        let (basis, coverage) = (&self.basis, self.coverage);
        ask(&Facts::of(
            &controller,
            &basis.kubectl,
            evidence,
            coverage,
            basis.now,
        ))
    }

    /// Fails if CronJobs, or a subresource of them, must not be patched.
    pub(crate) fn require_patch<P>(
        &self,
        planned: &[PlannedChange<P>],
        subresource: Option<&'static str>,
    ) -> anyhow::Result<()> {
        if self.changing.dry_run == DryRun::Client {
            return Ok(());
        }
        let right = Right {
            subresource,
            ..Right::to("patch", &self.live.wanted.resource)
        };
        self.require(cron_jobs_of(planned), right)
    }

    /// An empty page about a CronJob.
    pub(super) fn page_about(&self, cron_job: &CronJob) -> TextPage {
        let zone = display_zone(&self.basis.controller(), cron_job);
        TextPage::at(self.basis.now, &zone)
    }

    pub(crate) fn show<V: ChangeVerb>(
        &mut self,
        planned: &[PlannedChange<V::Plan>],
        verb: &V,
    ) -> anyhow::Result<()> {
        let brief = planned.len() > MANY;
        self.show_plan(|run, out| {
            let item = |one: &PlannedChange<V::Plan>| {
                let name = one.evidence.cron_job.full_name();
                (name, verb.prediction(&one.plan))
            };
            let has_many = planned.len() > FEW;
            let page = |one: &PlannedChange<V::Plan>| run.page_about(&one.evidence.cron_job);
            let totals = has_many.then(|| verb.totals(run, planned)).flatten();
            if let Some((totals, first)) = totals.zip(planned.first()) {
                let items: Vec<_> = planned.iter().map(item).collect();
                let detail = !brief || run.common.global.verbose > 0;
                return plan_summary(out, &totals, &items, page(first), detail);
            }
            planned.iter().try_for_each(|one| {
                let (name, plan) = item(one);
                prediction(out, &name, &plan, page(one), brief)
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
        if self.common.global.quiet && self.needs_no_question() && !is_result {
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

    fn change_all<V: ChangeVerb>(
        &mut self,
        planned: Vec<PlannedChange<V::Plan>>,
        verb: &mut V,
        busy: &Busy,
    ) -> Vec<CronJob> {
        let mut left = Vec::new();
        let mut stop = false;
        for one in planned {
            stop |= busy.is_interrupted();
            if !stop {
                let begun = verb.before_change(&one.evidence.cron_job, &one.plan, busy);
                stop |= self.has_failed(&begun);
                // It may have waited.
                if busy.is_interrupted() {
                    stop = true;
                    self.has_failed(&verb.after_change(&ActionEffect::Unchanged));
                }
            }
            if stop {
                left.push(one.evidence.cron_job);
                continue;
            }
            let (action, others_fail) = verb.change_one(self, one, busy);
            let settled = verb.after_change(&action.effect);
            stop = others_fail | self.has_failed(&settled);
            self.report.add(action);
        }
        left
    }

    /// Prints an error that is not about a change itself, if there is one.
    fn has_failed<T>(&mut self, result: &anyhow::Result<T>) -> bool {
        if let Err(error) = result {
            complain(&format!("{error:#}"));
            self.complete = false;
        }
        result.is_err()
    }

    /// Creates a Job unless `--dry-run` prevents it. `knows_existing` means that a Job of this name may be one
    /// that this run created.
    pub(crate) fn create(
        &self,
        job: &Value,
        knows_existing: bool,
    ) -> Result<(Value, ActionEffect), CreateError> {
        if self.changing.dry_run == DryRun::Client {
            return Ok((job.clone(), ActionEffect::Shown));
        }
        let namespace = job.pointer("/metadata/namespace").and_then(Value::as_str);
        let jobs = Resource::jobs();
        let sender = self.sender(&jobs, knows_existing);
        let object = sender.create(namespace.unwrap_or_default(), job)?;
        Ok((object, self.sent()))
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
            quiet: self.common.global.quiet,
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

    pub(crate) fn finish(
        self,
        how_to_continue: &str,
        left: &[CronJob],
        ended_by: Option<u8>,
    ) -> anyhow::Result<CommandOutcome> {
        let complete = self.complete;
        let outcome = self
            .report
            .finish(&self.basis, left, how_to_continue, ended_by)?;
        Ok(match outcome {
            CommandOutcome::Fine if !complete => CommandOutcome::Incomplete,
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

/// The action on a CronJob, without prediction and object.
pub(crate) fn action(verb: &'static str, cron_job: &CronJob, effect: ActionEffect) -> Action {
    Action {
        namespace: cron_job.namespace.clone(),
        name: cron_job.name.clone(),
        resource: resource_of(cron_job),
        job: None,
        action: verb,
        effect,
        object: Value::Null,
        prediction: None,
        observed: None,
    }
}
