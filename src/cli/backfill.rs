//! `backfill`: slots that were missed are run after all.

mod going_on;
mod told;
mod work;

use std::io::Write;

use anyhow::{Context as _, anyhow, bail};
use jiff::Timestamp;
use serde_json::Value;

use super::args::{Backfill as Args, Common, DryRun};
use super::changing::{can_ask, confirm, deed_in_namespace, ensure, full_name};
use super::{Outcome, say_plainly, stdio};
use crate::change::backfill::{BackfillPlan, BackfillSelection, plan};
use crate::cluster::{Resource, Target};
use crate::diagnose::Facts;
use crate::evidence::{Live, Needs, World};
use crate::model::CronJob;
use crate::output::actions::backfill_table;
use told::Told;

/// What a call is about.
struct Call<'a> {
    common: &'a Common,
    args: &'a Args,
    live: &'a Live,
    world: &'a World,
    facts: &'a Facts<'a>,
    plan: &'a BackfillPlan,
}

pub(super) fn run(common: &Common, args: &Args) -> anyhow::Result<Outcome> {
    if args.names.len() > 1 {
        bail!(
            "backfill is about one CronJob at a time, since each has slots of its own: found {}",
            args.names.join(", ")
        );
    }
    let basis = common.basis(&args.basis)?;
    let (live, world) = common.load_live(basis, &args.selection(), Needs::JOBS)?;
    let Some(one) = world.cron_jobs.first() else {
        return Ok(Outcome::Incomplete);
    };
    let controller = world.basis.controller();
    let now = world.basis.now;
    let facts = Facts::of(&controller, &one.evidence, world.coverage, now);
    let choice = choice(args, now)?;
    let name = &facts.cron_job.name;
    let plan = plan(&facts, &choice).map_err(|refusal| anyhow!("cronjob {name}: {refusal}"))?;
    let call = Call {
        common,
        args,
        live: &live,
        world: &world,
        facts: &facts,
        plan: &plan,
    };
    let outcome = call.carry_out()?;
    Ok(match outcome {
        Outcome::Fine if !world.complete => Outcome::Incomplete,
        other => other,
    })
}

fn choice(args: &Args, now: Timestamp) -> anyhow::Result<BackfillSelection> {
    let since = args.since.map(|since| since.before(now)).transpose()?;
    let until = args.until.unwrap_or(now).min(now);
    if let Some(since) = since.filter(|since| *since > until) {
        bail!("--since {since} is later than {until}, where the slots end");
    }
    Ok(BackfillSelection {
        since,
        until: args.until,
        last: args.last.and_then(|last| usize::try_from(last).ok()),
        slots: args.slot.clone(),
        include_unknown: args.include_unknown,
        max: usize::try_from(args.max).unwrap_or(usize::MAX),
    })
}

impl Call<'_> {
    fn carry_out(&self) -> anyhow::Result<Outcome> {
        let nothing = self.plan.steps.is_empty();
        if !nothing {
            self.ensure_rights()?;
        }
        let mut told = Told::new(self);
        self.show(&mut told)?;
        if nothing {
            say_plainly("Nothing to run.");
            told.finish()?;
            return Ok(Outcome::Fine);
        }
        if !self.is_agreed()? {
            say_plainly("Nothing was changed.");
            return Ok(Outcome::Incomplete);
        }
        let template = self.template()?;
        match self.args.changing.dry_run {
            DryRun::None => work::run(self, &template, told),
            DryRun::Client | DryRun::Server => {
                let outcome = work::as_if(self, &template, &mut told)?;
                told.finish()?;
                Ok(outcome)
            }
        }
    }

    /// Refuses if Jobs may not be made, or not be waited for.
    fn ensure_rights(&self) -> anyhow::Result<()> {
        let jobs = Resource::jobs();
        let verbs: &[&str] = match self.args.changing.dry_run {
            DryRun::Client => &[],
            DryRun::Server => &["create"],
            DryRun::None => &["create", "watch"],
        };
        for verb in verbs {
            let deed = deed_in_namespace(verb, &jobs, None);
            let one = std::iter::once(self.facts.cron_job);
            ensure(&self.live.session, deed, one)?;
        }
        Ok(())
    }

    /// Shows the plan. Where nothing is done that is the result. What was agreed to already is done even
    /// if it cannot be shown.
    fn show(&self, told: &mut Told<'_>) -> anyhow::Result<()> {
        let changing = &self.args.changing;
        let as_if = changing.dry_run != DryRun::None;
        let is_result = as_if && changing.output.is_none();
        let is_asked = !changing.yes && !as_if;
        if self.common.global.quiet && !is_asked && !is_result {
            return Ok(());
        }
        let (mut stdout, mut stderr);
        let out: &mut dyn Write = if is_result {
            stdout = stdio::stdout();
            &mut stdout
        } else {
            stderr = stdio::stderr();
            &mut stderr
        };
        let shown = backfill_table(out, self.facts, self.plan).context("cannot write the plan");
        match shown {
            Err(error) if changing.yes && !as_if => told.cannot_write(error),
            shown => return shown,
        }
        Ok(())
    }

    fn is_agreed(&self) -> anyhow::Result<bool> {
        let changing = &self.args.changing;
        if changing.yes || changing.dry_run != DryRun::None {
            return Ok(true);
        }
        if !can_ask() {
            bail!(
                "nothing was changed, since there is no terminal to ask at: --yes goes ahead, \
                 --dry-run shows what would happen"
            );
        }
        let name = &self.facts.cron_job.name;
        confirm(
            &match self.plan.steps.len() {
                1 => format!("Run 1 slot of {name}?"),
                many => format!("Run {many} slots of {name}?"),
            },
            None,
        )
    }

    /// The `CronJob` as the server gives it, which Jobs are made of. The plan must be about the
    /// same spec.
    fn template(&self) -> anyhow::Result<Value> {
        let CronJob {
            namespace,
            name,
            uid,
            generation,
            ..
        } = self.facts.cron_job;
        let target = Target {
            resource: &self.live.wanted.resource,
            namespace,
            name,
        };
        let object = self.live.session.object(target)?;
        let same_uid = object.pointer("/metadata/uid").and_then(Value::as_str) == Some(uid);
        let now = object.pointer("/metadata/generation");
        let now = now.and_then(Value::as_i64).unwrap_or_default();
        if !same_uid || now != generation.unwrap_or_default() {
            bail!(
                "{} changed meanwhile: nothing was changed; call again to see what would be run now",
                full_name(self.facts.cron_job)
            );
        }
        Ok(object)
    }
}
