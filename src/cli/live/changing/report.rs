//! The result of a change: lines while it is carried out, or a document at the end.

use std::io::{self, Write as _};

use anyhow::anyhow;
use serde_json::Value;

use super::{FEW, MANY};
use crate::cli::world::document_header;
use crate::cli::{CommandOutcome, complain, say_plainly, stdio};
use crate::evidence::Basis;
use crate::output::DryRun;
use crate::output::actions::{
    Action, ActionEffect, ActionWords, ActionsDocument, JobActions, Observation, line, name,
};
use crate::output::{Answer as _, Format};
use cronjob_diagnosis::change::backfill::BackfillPlan;
use kube_model::CronJob;
use kube_model::UnreadResource;

/// The actions so far, and whether they could be written.
pub(crate) struct ChangeReport {
    pub(super) format: Option<Format>,
    pub(super) dry_run: DryRun,
    pub(super) words: ActionWords,
    /// The requested names that no CronJob has.
    pub(super) not_found: Vec<String>,
    pub(crate) with_namespace: bool,
    pub(super) lacks: Vec<UnreadResource>,
    pub(crate) actions: Vec<Action>,
    /// Whether lines of objects that need no change are still to be written.
    pub(super) has_unneeded: bool,
    /// Why not everything could be written.
    pub(crate) unwritten: Option<anyhow::Error>,
}

impl ChangeReport {
    /// The number of actions with an effect.
    pub(crate) fn count(&self, effect: &ActionEffect) -> usize {
        let actions = self.actions.iter();
        actions.filter(|action| action.effect == *effect).count()
    }

    pub(crate) fn has_no_problem(&self) -> bool {
        let mut actions = self.actions.iter();
        actions.all(|action| action.effect.problem().is_none())
    }

    /// Adds an action, and writes its line. An output that cannot be written does not keep the other changes
    /// from being made.
    pub(crate) fn add(&mut self, mut action: Action) {
        remove_managed_fields(&mut action.object);
        if let Some(why) = action.effect.problem() {
            let place = if self.with_namespace {
                format!(" (namespace {})", action.namespace)
            } else {
                String::new()
            };
            complain(&format!(
                "{}/{}{place}: {why}",
                action.resource, action.name
            ));
        }
        let written = self.write_line(&action);
        self.note_written(written);
        self.actions.push(action);
    }

    /// Adds an action on an object that needs no change, before any other. Its line follows the totals of many.
    pub(crate) fn add_unneeded(&mut self, action: Action) {
        self.actions.push(action);
        self.has_unneeded = true;
    }

    /// Writes the lines of [`Self::add_unneeded`].
    pub(crate) fn write_unneeded(&mut self) {
        if !std::mem::take(&mut self.has_unneeded) {
            return;
        }
        let actions = self.actions.iter();
        let written = actions
            .filter(|action| action.effect == ActionEffect::Unchanged)
            .try_for_each(|action| self.write_line(action));
        self.note_written(written);
    }

    /// Completes an action that was added as unchanged, and writes its line if an object was created.
    pub(crate) fn update(&mut self, number: usize, effect: ActionEffect, mut object: Value) {
        remove_managed_fields(&mut object);
        let is_created = matches!(effect, ActionEffect::Done | ActionEffect::Shown);
        if let Some(action) = self.actions.get_mut(number) {
            (action.effect, action.object) = (effect, object);
        }
        if let Some(action) = self.actions.get(number).filter(|_| is_created) {
            let written = self.write_line(action);
            self.note_written(written);
        }
    }

    fn write_line(&self, action: &Action) -> io::Result<()> {
        let mut out = stdio::stdout();
        match self.format {
            None => line(
                &mut out,
                action,
                self.words,
                self.dry_run,
                self.with_namespace,
            ),
            Some(Format::Name) => name(&mut out, action),
            Some(_) => Ok(()),
        }?;
        out.flush()
    }

    /// Keeps an error in writing for the end.
    pub(crate) fn note_written(&mut self, written: io::Result<()>) {
        if let Err(error) = self.written("result", written) {
            self.cannot_write(error);
        }
    }

    /// Fails if something could not be written. A closed pipe is an error as well, except in a dry run:
    /// what was changed must not go unnoticed.
    pub(crate) fn written(&self, what: &str, written: io::Result<()>) -> anyhow::Result<()> {
        let written = if self.dry_run == DryRun::None {
            written
        } else {
            stdio::unless_closed(written)
        };
        // Without its source: an error that a closed pipe causes elsewhere is none.
        written.map_err(|error| anyhow!("cannot write the {what}: {error}"))
    }

    pub(crate) fn cannot_write(&mut self, error: anyhow::Error) {
        self.unwritten.get_or_insert(error);
    }

    /// Adds to the action on a CronJob what was observed after it.
    pub(crate) fn observe(&mut self, cron_job: &CronJob, observed: Observation) {
        let is_it = |action: &&mut Action| {
            (&action.namespace, &action.name) == (&cron_job.namespace, &cron_job.name)
        };
        if let Some(action) = self.actions.iter_mut().find(is_it) {
            action.observed = Some(observed);
        }
    }

    /// Writes the document, if the output format is one. Fails if something could not be written.
    pub(crate) fn write_document(
        &mut self,
        basis: &Basis,
        plan: Option<&BackfillPlan>,
    ) -> anyhow::Result<()> {
        let header = document_header(basis);
        let actions = self.actions.as_slice();
        // With the formats of every change.
        let answer = JobActions(ActionsDocument {
            header: &header,
            dry_run: self.dry_run,
            lacks: &self.lacks,
            items: actions,
            plan,
        });
        let mut out = stdio::stdout();
        let written = answer.write(&mut out, self.format);
        self.note_written(written.and_then(|()| out.flush()));
        self.unwritten.take().map_or(Ok(()), Err)
    }

    /// Writes the document if one is wanted, or a summary unless everything was changed, and how to continue.
    pub(crate) fn finish(
        mut self,
        basis: &Basis,
        left: &[CronJob],
        how_to_continue: &str,
        ended_by: Option<u8>,
    ) -> anyhow::Result<CommandOutcome> {
        let written = self.write_document(basis, None);
        let (mut unknown, mut not) = (Vec::new(), Vec::new());
        for action in &self.actions {
            let name = format!("{}/{}", action.namespace, action.name);
            match action.effect {
                ActionEffect::Unknown(_) => unknown.push(name),
                ActionEffect::Failed(_) => not.push(name),
                ActionEffect::Done | ActionEffect::Shown | ActionEffect::Unchanged => {}
            }
        }
        not.extend(left.iter().map(CronJob::full_name));
        let is_unwritten = written.is_err() && self.dry_run == DryRun::None;
        let asked_for = self.actions.len() + left.len() + self.not_found.len();
        let has_failed = !not.is_empty() || !self.not_found.is_empty();
        let scrolls = has_failed && asked_for > FEW;
        if !left.is_empty() || !unknown.is_empty() || ended_by.is_some() || is_unwritten || scrolls
        {
            self.summarize(&unknown, &not);
        }
        if asked_for > MANY {
            self.repeat_errors();
        }
        if !left.is_empty() {
            say_plainly(&format!("to continue: {how_to_continue}"));
        }
        if let Some(code) = ended_by {
            return Ok(ended_by_signal(code, written));
        }
        written?;
        Ok(if unknown.is_empty() && not.is_empty() {
            CommandOutcome::Fine
        } else {
            CommandOutcome::Incomplete
        })
    }

    /// Repeats the errors of single changes: they are far above the summary of many.
    fn repeat_errors(&self) {
        for action in &self.actions {
            if let Some(why) = action.effect.problem() {
                say_plainly(&format!("  {}/{}: {why}", action.namespace, action.name));
            }
        }
    }

    /// `2 suspended; 1 unknown: shop/hourly; 1 not suspended: shop/nightly; 1 not found: shop/old`
    pub(crate) fn summarize(&self, unknown: &[String], not: &[String]) {
        let done = self.count(&ActionEffect::Done);
        let mut text = format!("{done} {}", self.words.done);
        let not_done = format!("not {}", self.words.done);
        let not_found = self.not_found.as_slice();
        for (what, names) in [
            ("unknown", unknown),
            (not_done.as_str(), not),
            ("not found", not_found),
        ] {
            if !names.is_empty() {
                text.push_str(&format!("; {} {what}: {}", names.len(), names.join(", ")));
            }
        }
        say_plainly(&text);
    }
}

/// The outcome of a run that a signal ended. Its exit code comes before that of an output error.
pub(crate) fn ended_by_signal(code: u8, written: anyhow::Result<()>) -> CommandOutcome {
    if let Err(error) = written {
        complain(&format!("{error:#}"));
    }
    CommandOutcome::Ended(code)
}

/// Removes `metadata.managedFields`, as kubectl does: they are long, and for servers.
fn remove_managed_fields(object: &mut Value) {
    let metadata = object.get_mut("metadata").and_then(Value::as_object_mut);
    if let Some(metadata) = metadata {
        metadata.shift_remove("managedFields");
    }
}

/// The resource of a CronJob as kubectl writes it: `cronjob.batch`.
pub(crate) fn resource_of(cron_job: &CronJob) -> String {
    let group = cron_job.api_version.split_once('/');
    format!("cronjob.{}", group.map_or("batch", |(group, _)| group))
}
