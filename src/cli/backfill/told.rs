//! What is told of a backfill: lines as it goes, or a document at its end.

use std::io::Write as _;

use anyhow::Context as _;
use serde_json::Value;

use super::Call;
use crate::change::Ending;
use crate::change::backfill::BackfillRun;
use crate::cli::args::ChangeFormat as Format;
use crate::cli::world::controller_document;
use crate::cli::{complain, say_plainly, stdio};
use crate::output::actions::{self, Action, ActionEffect, DryRun, backfill_document};
use crate::output::{self, yaml};

/// What is told of a backfill.
pub(super) struct Told<'a> {
    call: &'a Call<'a>,
    dry_run: DryRun,
    /// One for each step.
    actions: Vec<Action>,
    /// Why not everything could be told.
    unwritten: Option<anyhow::Error>,
}

impl<'a> Told<'a> {
    pub(super) fn new(call: &'a Call<'a>) -> Self {
        let steps = call.plan.steps.iter();
        Told {
            call,
            dry_run: call.args.changing.dry_run.into(),
            actions: steps.map(|step| untouched(call, step)).collect(),
            unwritten: None,
        }
    }

    /// That a Job is about to be made.
    pub(super) fn begins(&self, number: usize, step: &BackfillRun) {
        let all = self.actions.len();
        self.progress(&format!("slot {} ({} of {all})", step.slot, number + 1));
    }

    /// What came of making a Job. What cannot be written is no reason to leave the rest undone.
    pub(super) fn made(&mut self, number: usize, effect: ActionEffect, mut object: Value) {
        let metadata = object.get_mut("metadata").and_then(Value::as_object_mut);
        if let Some(metadata) = metadata {
            // As kubectl shows objects: this is for servers, and long.
            metadata.shift_remove("managedFields");
        }
        let Some(action) = self.actions.get_mut(number) else {
            return;
        };
        let job = action.job.as_deref().unwrap_or_default();
        match &effect {
            ActionEffect::Failed(why) | ActionEffect::Unknown(why) => {
                complain(&format!("job.batch/{job}: {why}"));
            }
            ActionEffect::Unchanged => say_plainly(&format!(
                "job.batch/{job} exists already: somebody else made it, and it was skipped"
            )),
            ActionEffect::Done | ActionEffect::Shown => {}
        }
        (action.effect, action.object) = (effect, object);
        let is_there = matches!(action.effect, ActionEffect::Done | ActionEffect::Shown);
        let mut out = stdio::stdout();
        let written = match self.call.args.changing.output {
            None if is_there => actions::line(&mut out, action, "created", self.dry_run, false),
            Some(Format::Name) if is_there => actions::name(&mut out, action),
            _ => Ok(()),
        };
        let written = written.and_then(|()| out.flush());
        if let Err(error) = written.context("cannot write the result") {
            self.cannot_write(error);
        }
    }

    /// Takes down that something cannot be told; it is said at the end.
    pub(super) fn cannot_write(&mut self, error: anyhow::Error) {
        self.unwritten.get_or_insert(error);
    }

    /// How a Job ended; without an ending it goes on.
    pub(super) fn ended(&mut self, number: usize, ending: Option<&Ending>) {
        let Some(action) = self.actions.get_mut(number) else {
            return;
        };
        let job = action.job.clone().unwrap_or_default();
        action.observed = actions::observed(&job, ending);
        let Some(ending) = ending else { return };
        let mut line = Vec::new();
        // Writing to memory cannot fail.
        let _ = actions::ending(&mut line, &job, ending);
        let line = String::from_utf8_lossy(&line);
        match ending {
            Ending::Complete { .. } => self.progress(line.trim_end()),
            Ending::Failed { .. } | Ending::Gone => complain(line.trim_end()),
        }
    }

    /// A line for somebody who waits.
    pub(super) fn progress(&self, text: &str) {
        if !self.call.common.global.quiet {
            say_plainly(text);
        }
    }

    /// Writes the document, if one is wanted; an error if not everything could be told.
    pub(super) fn finish(mut self) -> anyhow::Result<()> {
        let Call {
            world, plan, args, ..
        } = self.call;
        let controller = controller_document(&world.basis);
        let now = world.basis.now;
        let lacks = world.lacks.clone();
        let (dry_run, actions) = (self.dry_run, &self.actions);
        let document = actions::document(&controller, now, dry_run, &lacks, actions, Some(plan));
        let mut out = stdio::stdout();
        let written = match args.changing.output {
            Some(Format::Json) => output::json(&mut out, &document),
            Some(Format::Yaml) => yaml::write(&mut out, &document),
            None | Some(Format::Name) => Ok(()),
        };
        let written = written.and_then(|()| out.flush());
        if let Err(error) = written.context("cannot write the result") {
            self.cannot_write(error);
        }
        let Some(error) = self.unwritten else {
            return Ok(());
        };
        if self.dry_run == DryRun::None {
            let actions = self.actions.iter();
            let done = actions.filter(|action| action.effect == ActionEffect::Done);
            say_plainly(&format!("{} created", done.count()));
        }
        Err(error)
    }
}

/// A step that nothing was done for.
fn untouched(call: &Call<'_>, step: &BackfillRun) -> Action {
    let cron_job = call.facts.cron_job;
    Action {
        namespace: cron_job.namespace.clone(),
        name: cron_job.name.clone(),
        resource: "cronjob.batch".to_owned(),
        job: Some(step.job_name.clone()),
        action: "backfill",
        effect: ActionEffect::Unchanged,
        object: Value::Null,
        prediction: backfill_document(step),
        observed: Value::Null,
    }
}
