//! What was done, told as it is done, or in a document at the end.

use std::io::{self, Write as _};

use anyhow::Context as _;
use serde_json::Value;

use crate::cli::args::{ChangeFormat as Format, Changing, DryRun as Flag};
use crate::cli::world::controller_document;
use crate::cli::{Outcome, complain, say_plainly, stdio};
use crate::evidence::Basis;
use crate::model::CronJob;
use crate::model::UnreadResource;
use crate::output::actions::{Action, ActionEffect, DryRun, document, line, name};
use crate::output::{self, yaml};

impl From<Flag> for DryRun {
    fn from(flag: Flag) -> Self {
        match flag {
            Flag::None => DryRun::None,
            Flag::Client => DryRun::Client,
            Flag::Server => DryRun::Server,
        }
    }
}

/// What was done so far.
pub(in crate::cli) struct Report {
    format: Option<Format>,
    dry_run: DryRun,
    /// `suspended`, `resumed`: what a line says of an object.
    done: &'static str,
    with_namespace: bool,
    lacks: Vec<UnreadResource>,
    actions: Vec<Action>,
    /// Why not everything could be told.
    unwritten: Option<anyhow::Error>,
}

impl Report {
    pub(in crate::cli) fn new(
        changing: &Changing,
        done: &'static str,
        with_namespace: bool,
        lacks: &[UnreadResource],
    ) -> Self {
        Report {
            format: changing.output,
            dry_run: changing.dry_run.into(),
            done,
            with_namespace,
            lacks: lacks.to_vec(),
            actions: Vec::new(),
            unwritten: None,
        }
    }

    /// Takes down what was done, and tells it at once where that is wanted. What cannot be written is no
    /// reason to leave the rest undone.
    pub(in crate::cli) fn take(&mut self, mut action: Action) {
        if let Some(metadata) = action
            .object
            .get_mut("metadata")
            .and_then(Value::as_object_mut)
        {
            // As kubectl shows objects: this is for servers, and long.
            metadata.shift_remove("managedFields");
        }
        if let ActionEffect::Failed(why) | ActionEffect::Unknown(why) = &action.effect {
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
        let mut out = stdio::stdout();
        let written = match self.format {
            None => line(
                &mut out,
                &action,
                self.done,
                self.dry_run,
                self.with_namespace,
            ),
            Some(Format::Name) => name(&mut out, &action),
            Some(Format::Json | Format::Yaml) => Ok(()),
        };
        self.note_written(written.and_then(|()| out.flush()));
        self.actions.push(action);
    }

    /// Takes down whether something could be told.
    pub(in crate::cli) fn note_written(&mut self, written: io::Result<()>) {
        if let Err(error) = written.context("cannot write the result") {
            self.cannot_write(error);
        }
    }

    /// Takes down that something cannot be told; it is said at the end.
    pub(in crate::cli) fn cannot_write(&mut self, error: anyhow::Error) {
        self.unwritten.get_or_insert(error);
    }

    /// Whether something could not be told.
    pub(in crate::cli) fn is_unwritten(&self) -> bool {
        self.unwritten.is_some()
    }

    /// Takes down what was seen of a CronJob after its change.
    pub(in crate::cli) fn observe(&mut self, cron_job: &CronJob, observed: Value) {
        let is_it = |action: &&mut Action| {
            (&action.namespace, &action.name) == (&cron_job.namespace, &cron_job.name)
        };
        if let Some(action) = self.actions.iter_mut().find(is_it) {
            action.observed = observed;
        }
    }

    /// Says what was done and what was not, and how to go on, unless all went as usual; and the document,
    /// if one is wanted.
    pub(in crate::cli) fn finish(
        mut self,
        basis: &Basis,
        left: &[CronJob],
        go_on: &str,
        ended_by: Option<u8>,
    ) -> anyhow::Result<Outcome> {
        let controller = controller_document(basis);
        let (lacks, actions) = (&self.lacks, &self.actions);
        let document = document(&controller, basis.now, self.dry_run, lacks, actions, None);
        let mut out = stdio::stdout();
        let written = match self.format {
            Some(Format::Json) => output::json(&mut out, &document),
            Some(Format::Yaml) => yaml::write(&mut out, &document),
            None | Some(Format::Name) => Ok(()),
        };
        self.note_written(written.and_then(|()| out.flush()));
        let (mut unknown, mut not) = (Vec::new(), Vec::new());
        for action in &self.actions {
            let name = format!("{}/{}", action.namespace, action.name);
            match action.effect {
                ActionEffect::Unknown(_) => unknown.push(name),
                ActionEffect::Failed(_) => not.push(name),
                ActionEffect::Done | ActionEffect::Shown | ActionEffect::Unchanged => {}
            }
        }
        not.extend(left.iter().map(full_name));
        let is_unheard = self.is_unwritten() && self.dry_run == DryRun::None;
        if !left.is_empty() || !unknown.is_empty() || ended_by.is_some() || is_unheard {
            self.summarize(&unknown, &not);
        }
        if !left.is_empty() {
            say_plainly(&format!("to go on: {go_on}"));
        }
        Ok(match (ended_by, self.unwritten) {
            (Some(code), unwritten) => {
                if let Some(error) = unwritten {
                    complain(&format!("{error:#}"));
                }
                Outcome::Ended(code)
            }
            (None, Some(error)) => return Err(error),
            (None, None) if unknown.is_empty() && not.is_empty() => Outcome::Fine,
            (None, None) => Outcome::Incomplete,
        })
    }

    /// `2 suspended; 1 unknown: shop/hourly; 1 not: shop/nightly`
    fn summarize(&self, unknown: &[String], not: &[String]) {
        let done = self.actions.iter();
        let done = done
            .filter(|action| action.effect == ActionEffect::Done)
            .count();
        let mut text = format!("{done} {}", self.done);
        for (what, names) in [("unknown", unknown), ("not", not)] {
            if !names.is_empty() {
                text.push_str(&format!("; {} {what}: {}", names.len(), names.join(", ")));
            }
        }
        say_plainly(&text);
    }
}

/// `shop/nightly`
pub(in crate::cli) fn full_name(cron_job: &CronJob) -> String {
    format!("{}/{}", cron_job.namespace, cron_job.name)
}

/// As kubectl names the resource of a CronJob: `cronjob.batch`.
pub(in crate::cli) fn resource_of(cron_job: &CronJob) -> String {
    let group = cron_job.api_version.split_once('/');
    format!("cronjob.{}", group.map_or("batch", |(group, _)| group))
}
