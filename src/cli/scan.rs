//! `scan`: the health of all CronJobs.

use std::io::{self, BufWriter, Write};

use anyhow::{Context as _, bail};

use super::args::{Connection, Global, Scan as Args, ScanFormat as Format};
use super::gather::{gather, gather_live};
use super::gathered::Needs;
use super::screen::{self, Screen};
use super::settings::Settings;
use super::watch::Watch;
use super::{Outcome, voice};
use crate::cluster::Pods;
use crate::diagnose::Severity;
use crate::output::scan::{self, Layout, Scan};
use crate::output::{self, yaml};
use crate::survey::{Health, HealthSummary, LiveSurvey, RowSelection, SurveyReport, rows};

pub(super) fn run(
    global: &Global,
    connection: &Connection,
    args: &Args,
) -> anyhow::Result<Outcome> {
    let mut settings = Settings::new(global, connection, &args.what_if)?;
    if args.watch {
        return watch(global, connection, args, &mut settings);
    }
    let needs = Needs {
        jobs: true,
        pods: Pods::OfTroubled,
    };
    let found = gather(&mut settings, global, connection, &args.selection, needs)?;
    let all_evidence = found.chosen.into_iter().map(|chosen| chosen.evidence);
    let rows = rows(
        &settings.controller(),
        all_evidence,
        found.coverage,
        settings.now,
    );
    let report = SurveyReport::new(rows, view(args));
    let scan = Scan {
        controller: settings.controller_document(),
        now: settings.now,
        lacks: found.lacks,
        report: &report,
    };
    let mut out = BufWriter::new(voice::stdout());
    print(args, &scan, &mut out).context("cannot write the result")?;
    Ok(outcome(args, &report.summary, found.complete))
}

/// Keeps the table up to date.
fn watch(
    global: &Global,
    connection: &Connection,
    args: &Args,
    settings: &mut Settings,
) -> anyhow::Result<Outcome> {
    if !matches!(args.output, None | Some(Format::Wide)) {
        bail!("--watch keeps a table up to date: -o wide is the only format that goes with it");
    }
    let needs = Needs::JOBS;
    let (live, found) = gather_live(settings, global, connection, &args.selection, needs)?;
    let all_evidence = found.chosen.into_iter().map(|chosen| chosen.evidence);
    let screen = Screen::new(view(args), layout(args), global.quiet);
    Watch::new(
        settings,
        live,
        LiveSurvey::new(all_evidence),
        found.coverage,
    )
    .run(screen)?;
    Ok(Outcome::Fine)
}

/// Which rows are shown, and in which order.
fn view(args: &Args) -> RowSelection {
    RowSelection {
        order: args.sort.into(),
        problems_only: args.problems_only,
    }
}

/// Writes a report in the format that was asked for.
fn print(args: &Args, scan: &Scan<'_>, out: &mut dyn Write) -> io::Result<()> {
    match args.output {
        Some(Format::Json) => output::json(out, &scan::document(scan))?,
        Some(Format::Yaml) => yaml::write(out, &scan::document(scan))?,
        Some(Format::Name) => scan::names(out, scan)?,
        Some(Format::Csv) => scan::csv(out, scan, !args.no_headers)?,
        Some(Format::Junit) => scan::junit(out, scan, failures_from(args))?,
        Some(Format::Prometheus) => scan::prometheus(out, scan)?,
        None | Some(Format::Wide) => scan::text(out, scan, layout(args))?,
    }
    out.flush()
}

fn layout(args: &Args) -> Layout {
    Layout {
        wide: args.output == Some(Format::Wide),
        namespaces: args.selection.all_namespaces,
        order: args.sort.into(),
        headings: !args.no_headers,
        room: screen::width(),
    }
}

/// From which severity on a test fails. Somebody who asks for a report of tests wants failures in
/// it, unless it is said otherwise.
fn failures_from(args: &Args) -> Option<Severity> {
    match args.fail_on {
        Some(fail_on) => fail_on.threshold(),
        None => Some(Severity::Warning),
    }
}

fn outcome(args: &Args, summary: &HealthSummary, complete: bool) -> Outcome {
    let threshold = args.fail_on.and_then(super::args::FailOn::threshold);
    let found = threshold.is_some_and(|threshold| summary.worst() >= Health::from(threshold));
    match (complete, found) {
        (false, _) => Outcome::Incomplete,
        (true, true) => Outcome::Found,
        (true, false) => Outcome::Fine,
    }
}
