//! What was done, told as it is done, or in a document at the end.

use std::io::Write as _;

use anyhow::Context as _;
use serde_json::Value;

use crate::cli::args::{ChangeFormat as Format, Changing, DryRun as Flag};
use crate::cli::settings::Settings;
use crate::cli::{Outcome, complain, say_plainly, voice};
use crate::model::CronJob;
use crate::output::actions::{Action, DryRun, Effect, document, line, name};
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
    actions: Vec<Action>,
    failed: usize,
}

impl Report {
    pub(in crate::cli) fn new(
        changing: &Changing,
        done: &'static str,
        with_namespace: bool,
    ) -> Self {
        Report {
            format: changing.output,
            dry_run: changing.dry_run.into(),
            done,
            with_namespace,
            actions: Vec::new(),
            failed: 0,
        }
    }

    /// Takes down what was done, and tells it at once where that is wanted.
    pub(in crate::cli) fn take(&mut self, mut action: Action) -> anyhow::Result<()> {
        if let Some(metadata) = action
            .object
            .get_mut("metadata")
            .and_then(Value::as_object_mut)
        {
            // As kubectl shows objects: this is for servers, and long.
            metadata.shift_remove("managedFields");
        }
        if let Effect::Failed(why) = &action.effect {
            self.failed += 1;
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
        let mut out = voice::stdout();
        match self.format {
            None => line(
                &mut out,
                &action,
                self.done,
                self.dry_run,
                self.with_namespace,
            ),
            Some(Format::Name) => name(&mut out, &action),
            Some(Format::Json | Format::Yaml) => Ok(()),
        }
        .and_then(|()| out.flush())
        .context("cannot write the result")?;
        self.actions.push(action);
        Ok(())
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

    /// Says what was not done and how to go on, if there is any of it; and the document, if one is
    /// wanted.
    pub(in crate::cli) fn finish(
        self,
        settings: &Settings,
        left: &[CronJob],
        go_on: &str,
        interrupted: bool,
    ) -> anyhow::Result<Outcome> {
        let changed = self.actions.iter();
        let changed = changed.filter(|action| action.effect == Effect::Done);
        if !left.is_empty() {
            let done = format!("{} {}", changed.count(), self.done);
            let names: Vec<String> = left.iter().map(full_name).collect();
            say_plainly(&format!(
                "{done}, {} not: {}",
                left.len() + self.failed,
                names.join(", ")
            ));
            say_plainly(&format!("to go on: {go_on}"));
        }
        let controller = settings.controller_document();
        let document = document(&controller, settings.now, self.dry_run, &self.actions, None);
        let mut out = voice::stdout();
        match self.format {
            Some(Format::Json) => output::json(&mut out, &document),
            Some(Format::Yaml) => yaml::write(&mut out, &document),
            None | Some(Format::Name) => Ok(()),
        }
        .and_then(|()| out.flush())
        .context("cannot write the result")?;
        Ok(if interrupted {
            Outcome::Interrupted
        } else if self.failed > 0 || !left.is_empty() {
            Outcome::Incomplete
        } else {
            Outcome::Fine
        })
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
