//! `explain`: what the controller does with CronJobs, and why.

use std::io::{self, Write};

use anyhow::{Context as _, bail};

use super::args::{Connection, Explain as Args, ExplainFormat as Format, Global};
use super::edits;
use super::follow::follow;
use super::gather::{gather, gather_live};
use super::gathered::Needs;
use super::settings::Settings;

use super::{Outcome, voice};
use crate::cluster::Pods;
use crate::controller::{Controller, decide, edit_effect};
use crate::diagnose::{Compared, Coverage, Explanation, Facts, WhatIf, verdict_on_change};
use crate::model::CronJobEvidence;
use crate::model::UnreadResource;
use crate::output::explain::{Header, document, text};
use crate::output::{self, yaml};

pub(super) fn run(
    global: &Global,
    connection: &Connection,
    args: &Args,
) -> anyhow::Result<Outcome> {
    edits::check(&args.changes)?;
    let mut settings = Settings::new(global, connection, &args.what_if)?;
    let needs = Needs {
        jobs: true,
        pods: Pods::OfUnsettled,
    };
    let selection = &args.selection;
    if args.follow && !matches!(args.output, None | Some(Format::Wide)) {
        bail!(
            "--follow tells what happens as it happens: -o wide is the only format that goes with it"
        );
    }
    let (live, found) = if args.follow {
        let (live, found) = gather_live(&mut settings, global, connection, selection, needs)?;
        (Some(live), found)
    } else {
        let found = gather(&mut settings, global, connection, selection, needs)?;
        (None, found)
    };
    if args.follow && !found.coverage.jobs_read {
        bail!("--follow needs to see Jobs, which cannot be listed");
    }
    let controller = settings.controller();
    let compared = edits::controllers(&args.compare, &controller);
    let mut explanations = Vec::new();
    for chosen in &found.chosen {
        let coverage = found.coverage;
        let one = explain(
            args,
            &settings,
            &controller,
            &compared,
            coverage,
            &chosen.evidence,
        )?;
        explanations.push(one);
    }
    let header = Header {
        controller: settings.controller_document(),
        now: settings.now,
    };
    print(args, &header, &found.lacks, &explanations).context("cannot write the result")?;
    let outcome = outcome(args, &explanations, found.complete);
    let Some(live) = live else {
        return Ok(outcome);
    };
    drop(explanations);
    let all_evidence = found.chosen.into_iter().map(|chosen| chosen.evidence);
    let all_evidence = all_evidence.collect();
    let as_predicted = follow(
        &controller,
        &live,
        all_evidence,
        found.coverage,
        global.quiet,
    )?;
    Ok(if as_predicted {
        outcome
    } else {
        Outcome::Found
    })
}

fn explain<'a>(
    args: &Args,
    settings: &Settings,
    controller: &'a Controller<'a>,
    compared: &[Controller<'_>],
    coverage: Coverage,
    evidence: &'a CronJobEvidence,
) -> anyhow::Result<Explanation<'a>> {
    let cron_job = &evidence.cron_job;
    let facts = Facts::of(controller, evidence, coverage, settings.now);
    let what_if = if args.changes.is_empty() {
        None
    } else {
        let changed = CronJobEvidence {
            cron_job: edits::apply(cron_job, &args.changes)?,
            ..evidence.clone()
        };
        let facts = Facts::of(controller, &changed, coverage, settings.now);
        let jobs = &facts.controller_jobs;
        let effect = edit_effect(controller, cron_job, &changed.cron_job, jobs, settings.now);
        Some(WhatIf {
            changes: args.changes.clone(),
            verdict: verdict_on_change(&facts, &effect),
            effect,
            decision: facts.decision,
        })
    };
    let jobs = &facts.controller_jobs;
    let others = compared.iter().map(|other| Compared {
        release: other.release,
        decision: decide(other, cron_job, jobs, settings.now),
    });
    Ok(Explanation {
        what_if,
        compared: others.collect(),
        ..Explanation::of(facts)
    })
}

fn print(
    args: &Args,
    header: &Header,
    lacks: &[UnreadResource],
    explanations: &[Explanation<'_>],
) -> io::Result<()> {
    let mut out = io::BufWriter::new(voice::stdout());
    let out = &mut out;
    match args.output {
        Some(Format::Json) => output::json(out, &document(header, lacks, explanations))?,
        Some(Format::Yaml) => yaml::write(out, &document(header, lacks, explanations))?,
        None | Some(Format::Wide) => {
            let wide = args.output.is_some();
            for (index, explanation) in explanations.iter().enumerate() {
                if index > 0 {
                    writeln!(out)?;
                }
                text(out, header, explanation, wide)?;
            }
        }
    }
    out.flush()
}

fn outcome(args: &Args, explanations: &[Explanation<'_>], complete: bool) -> Outcome {
    if !complete {
        return Outcome::Incomplete;
    }
    let Some(threshold) = args.fail_on.threshold() else {
        return Outcome::Fine;
    };
    let mut findings = explanations
        .iter()
        .flat_map(|explanation| &explanation.findings);
    if findings.any(|finding| finding.severity >= threshold) {
        Outcome::Found
    } else {
        Outcome::Fine
    }
}
