//! A change of several CronJobs: planned, shown, agreed to, and made one by one.

use std::io::Write;

use anyhow::{Context as _, bail};
use serde_json::Value;

use super::question::{can_ask, confirm};
use super::report::{Report, full_name};
use super::rights::{Deed, ensure};
use super::step::{Step, action};
use crate::cli::args::{Changing, Common, DryRun};
use crate::cli::interrupt::Busy;
use crate::cli::{Outcome, complain, stdio};
use crate::diagnose::{Coverage, Facts};
use crate::evidence::{Basis, Live, SelectedCronJob, World};
use crate::model::{CronJob, CronJobEvidence};
use crate::output::actions::{ActionEffect, prediction};

/// A CronJob and what the change would lead to.
pub(in crate::cli) struct Planned<P> {
    pub(in crate::cli) evidence: CronJobEvidence,
    pub(in crate::cli) plan: P,
}

/// A change of several CronJobs.
pub(in crate::cli) struct Round<'a> {
    pub(super) common: &'a Common,
    pub(in crate::cli) basis: Basis,
    pub(in crate::cli) live: Live,
    pub(super) changing: &'a Changing,
    pub(super) coverage: Coverage,
    pub(in crate::cli) report: Report,
    /// Whether all that was asked for is there.
    complete: bool,
}

/// More than these are shown in one line each.
const FEW: usize = 10;

impl<'a> Round<'a> {
    /// Plans what is to be done. Of what is done already it is said at once.
    pub(in crate::cli) fn plan<S: Step>(
        common: &'a Common,
        changing: &'a Changing,
        (live, world): (Live, World),
        step: &S,
    ) -> (Self, Vec<Planned<S::Plan>>) {
        let mut namespaces = world.cron_jobs.iter();
        let first = namespaces
            .next()
            .map(|one| &one.evidence.cron_job.namespace);
        let many = namespaces.any(|one| Some(&one.evidence.cron_job.namespace) != first);
        let mut round = Round {
            report: Report::new(
                changing,
                S::DONE,
                many || world.namespace.is_none(),
                &world.lacks,
            ),
            common,
            basis: world.basis,
            live,
            changing,
            coverage: world.coverage,
            complete: world.complete,
        };
        let mut planned = Vec::new();
        for SelectedCronJob { evidence, .. } in world.cron_jobs {
            if step.is_done(&evidence.cron_job) {
                let action = action::<S>(&evidence.cron_job, ActionEffect::Unchanged);
                round.report.take(action);
                continue;
            }
            let plan = round.with_facts(&evidence, |facts| step.plan(facts));
            planned.push(Planned { evidence, plan });
        }
        (round, planned)
    }

    /// Plans again, under another choice.
    pub(in crate::cli) fn plan_again<S: Step>(&self, planned: &mut [Planned<S::Plan>], step: &S) {
        for one in planned {
            one.plan = self.with_facts(&one.evidence, |facts| step.plan(facts));
        }
    }

    /// Asks something about a CronJob at the moment that the call is about.
    pub(in crate::cli) fn with_facts<T>(
        &self,
        evidence: &CronJobEvidence,
        ask: impl FnOnce(&Facts<'_>) -> T,
    ) -> T {
        let controller = self.basis.controller();
        ask(&Facts::of(
            &controller,
            evidence,
            self.coverage,
            self.basis.now,
        ))
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
        let cron_jobs = planned.iter().map(|one| &one.evidence.cron_job);
        ensure(&self.live.session, deed, cron_jobs)
    }

    /// Shows what the change would lead to. Where nothing is done that is the result. What was agreed to
    /// already is done even if it cannot be shown.
    pub(in crate::cli) fn show<S: Step>(
        &mut self,
        planned: &[Planned<S::Plan>],
        step: &S,
    ) -> anyhow::Result<()> {
        let as_if = self.changing.dry_run != DryRun::None;
        let is_result = as_if && self.changing.output.is_none();
        if self.common.global.quiet && self.needs_no_question() && !is_result {
            return Ok(());
        }
        let mut out = if is_result {
            stdio::stdout()
        } else {
            stdio::stderr()
        };
        let brief = planned.len() > FEW;
        let shown = planned
            .iter()
            .try_for_each(|one| self.show_one(&mut *out, &one.evidence, &one.plan, brief, step));
        match shown {
            Err(error) if self.changing.yes && !as_if => self.report.cannot_write(error),
            shown => return shown,
        }
        Ok(())
    }

    pub(super) fn show_one<S: Step>(
        &self,
        out: &mut dyn Write,
        evidence: &CronJobEvidence,
        plan: &S::Plan,
        brief: bool,
        step: &S,
    ) -> anyhow::Result<()> {
        let name = full_name(&evidence.cron_job);
        self.with_facts(evidence, |facts| {
            let text = step.sentences(facts, plan);
            let afterwards = step.afterwards(facts, plan);
            prediction(out, &name, &text, afterwards.as_deref(), brief)
        })
        .context("cannot write the prediction")
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
        confirm(question, None)
    }

    /// Whether nobody has to agree.
    pub(in crate::cli) fn needs_no_question(&self) -> bool {
        self.changing.yes || self.changing.dry_run != DryRun::None
    }

    /// Makes the changes, one by one, and tells of each. Returns those that it did not come to.
    pub(in crate::cli) fn run<S: Step>(
        &mut self,
        planned: Vec<Planned<S::Plan>>,
        step: &mut S,
        busy: &Busy,
    ) -> Vec<CronJob> {
        let mut left = Vec::new();
        let mut stop = false;
        for one in planned {
            stop |= busy.is_interrupted();
            if !stop {
                let begun = step.begin(&one.evidence.cron_job, &one.plan, busy);
                stop |= self.has_failed(&begun);
                // It may have waited.
                if busy.is_interrupted() {
                    stop = true;
                    self.has_failed(&step.settle(&ActionEffect::Unchanged));
                }
            }
            if stop {
                left.push(one.evidence.cron_job);
                continue;
            }
            let (action, is_of_all) = self.one(one, step, busy);
            let settled = step.settle(&action.effect);
            stop = is_of_all | self.has_failed(&settled);
            self.report.take(action);
        }
        left
    }

    /// Says what failed beside the changes themselves, if anything did.
    fn has_failed(&mut self, result: &anyhow::Result<()>) -> bool {
        if let Err(error) = result {
            complain(&format!("{error:#}"));
            self.complete = false;
        }
        result.is_err()
    }

    /// Tells how it went. A signal that ended it has an exit code.
    pub(in crate::cli) fn finish<S: Step>(
        self,
        step: &S,
        left: &[CronJob],
        ended_by: Option<u8>,
    ) -> anyhow::Result<Outcome> {
        let outcome = self
            .report
            .finish(&self.basis, left, step.go_on(), ended_by)?;
        Ok(match outcome {
            Outcome::Fine if !self.complete => Outcome::Incomplete,
            other => other,
        })
    }

    /// Takes down what was seen of a CronJob after its change.
    pub(in crate::cli) fn observe(&mut self, cron_job: &CronJob, observed: Value) {
        self.report.observe(cron_job, observed);
    }
}
