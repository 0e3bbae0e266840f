//! `explain`: what the controller does with CronJobs, and why.

use std::io::{self, Write};

use anyhow::bail;

use super::args::{Common, Explain as Args, ExplainFormat as Format};
use super::edits;
use super::follow::follow;
use super::world::{controller_document, lacking};
use super::{Outcome, apart, print};
use crate::cluster::Pods;
use crate::controller::{Controller, decide, edit_effect};
use crate::diagnose::{Facts, verdict_on_change};
use crate::evidence::{Needs, World};
use crate::model::Dossier;
use crate::output::explain::{Explanation, Header, WhatIf, document, text};
use crate::output::scan::Lacking;
use crate::output::{self, yaml};

pub(super) fn run(common: &Common, args: &Args) -> anyhow::Result<Outcome> {
    edits::check(&args.changes)?;
    let basis = common.basis(&args.what_if)?;
    let needs = Needs::pods(Pods::OfUnsettled);
    if !args.follow {
        let world = common.load(basis, &args.selection, needs)?;
        return answer(args, &world);
    }
    if !matches!(args.output, None | Some(Format::Wide)) {
        bail!(
            "--follow tells what happens as it happens: -o wide is the only format that goes with it"
        );
    }
    let (live, world) = common.load_live(basis, &args.selection, needs)?;
    if !world.reach.jobs_read {
        bail!("--follow needs to see Jobs, which cannot be listed");
    }
    let outcome = answer(args, &world)?;
    let as_predicted = follow(&live, world, common.global.quiet)?;
    Ok(if as_predicted {
        outcome
    } else {
        Outcome::Found
    })
}

/// Explains all CronJobs of the world.
fn answer(args: &Args, world: &World) -> anyhow::Result<Outcome> {
    let controller = world.basis.controller();
    let compared = edits::controllers(&args.compare, &controller);
    let explanations = world.cron_jobs.iter();
    let explanations = explanations
        .map(|one| explain(args, world, &controller, &compared, &one.dossier))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let header = Header {
        controller: controller_document(&world.basis),
        now: world.basis.now,
    };
    let lacks = lacking(&world.lacks);
    print(|out| write(out, args, &header, &lacks, &explanations))?;
    let mut findings = explanations.iter().flat_map(|one| &one.findings);
    let threshold = args.fail_on.threshold();
    let fails =
        threshold.is_some_and(|threshold| findings.any(|finding| finding.severity >= threshold));
    Ok(Outcome::of(world.complete, fails))
}

fn explain<'a>(
    args: &Args,
    world: &World,
    controller: &'a Controller<'a>,
    compared: &[Controller<'_>],
    dossier: &'a Dossier,
) -> anyhow::Result<Explanation<'a>> {
    let (reach, now) = (world.reach, world.basis.now);
    let cron_job = &dossier.cron_job;
    let facts = Facts::of(controller, dossier, reach, now);
    let what_if = if args.changes.is_empty() {
        None
    } else {
        let changed = Dossier {
            cron_job: edits::apply(cron_job, &args.changes)?,
            ..dossier.clone()
        };
        let facts = Facts::of(controller, &changed, reach, now);
        let jobs = &facts.controller_jobs;
        let effect = edit_effect(controller, cron_job, &changed.cron_job, jobs, now);
        Some(WhatIf {
            changes: args.changes.clone(),
            verdict: verdict_on_change(&facts, &effect),
            effect,
            decision: facts.decision,
        })
    };
    let jobs = &facts.controller_jobs;
    let others = compared
        .iter()
        .map(|other| (other.release, decide(other, cron_job, jobs, now)));
    Ok(Explanation {
        what_if,
        compared: others.collect(),
        ..Explanation::of(facts)
    })
}

fn write(
    out: &mut dyn Write,
    args: &Args,
    header: &Header,
    lacks: &[Lacking],
    explanations: &[Explanation<'_>],
) -> io::Result<()> {
    match args.output {
        Some(Format::Json) => output::json(out, &document(header, lacks, explanations)),
        Some(Format::Yaml) => yaml::write(out, &document(header, lacks, explanations)),
        None | Some(Format::Wide) => apart(out, explanations, |out, explanation| {
            text(out, header, explanation, args.output.is_some())
        }),
    }
}
