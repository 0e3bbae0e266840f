//! `scan`: the health of all CronJobs.

use std::io::{self, Write};

use anyhow::bail;

use super::args::{Common, FailOn, Scan as Args, ScanFormat as Format};
use super::screen::{self, Screen};
use super::watch::watch;
use super::world::{controller_document, lacking};
use super::{Outcome, print};
use crate::cluster::Pods;
use crate::diagnose::Severity;
use crate::evidence::{Basis, Needs};
use crate::output::scan::{self, Layout, Scan};
use crate::output::{self, yaml};
use crate::survey::{Health, Report, View, rows};

pub(super) fn run(common: &Common, args: &Args) -> anyhow::Result<Outcome> {
    let basis = common.basis(&args.what_if)?;
    if args.watch {
        return keep_up_to_date(common, args, basis);
    }
    let needs = Needs::pods(Pods::OfTroubled);
    let world = common.load(basis, &args.selection, needs)?;
    let (basis, reach, complete) = (world.basis.clone(), world.reach, world.complete);
    let lacks = lacking(&world.lacks);
    let rows = rows(&basis.controller(), world.into_dossiers(), reach, basis.now);
    let report = Report::new(rows, view(args));
    let scan = Scan {
        controller: controller_document(&basis),
        now: basis.now,
        lacks,
        report: &report,
    };
    print(|out| write(out, args, &scan))?;
    let threshold = args.fail_on.and_then(FailOn::threshold);
    let worst = report.summary.worst();
    let fails = threshold.is_some_and(|threshold| worst >= Health::from(threshold));
    Ok(Outcome::of(complete, fails))
}

fn keep_up_to_date(common: &Common, args: &Args, basis: Basis) -> anyhow::Result<Outcome> {
    if !matches!(args.output, None | Some(Format::Wide)) {
        bail!("--watch keeps a table up to date: -o wide is the only format that goes with it");
    }
    let (live, world) = common.load_live(basis, &args.selection, Needs::JOBS)?;
    let screen = Screen::new(view(args), layout(args), common.global.quiet);
    watch(&live, world, screen)?;
    Ok(Outcome::Fine)
}

/// Which rows are shown, and in which order.
fn view(args: &Args) -> View {
    View {
        order: args.sort.into(),
        problems_only: args.problems_only,
    }
}

fn write(out: &mut dyn Write, args: &Args, scan: &Scan<'_>) -> io::Result<()> {
    match args.output {
        Some(Format::Json) => output::json(out, &scan::document(scan)),
        Some(Format::Yaml) => yaml::write(out, &scan::document(scan)),
        Some(Format::Name) => scan::names(out, scan),
        Some(Format::Csv) => scan::csv(out, scan, !args.no_headers),
        Some(Format::Junit) => scan::junit(out, scan, failures_from(args)),
        Some(Format::Prometheus) => scan::prometheus(out, scan),
        None | Some(Format::Wide) => scan::text(out, scan, layout(args)),
    }
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

/// From which severity on a test of the JUnit report fails. Unless a flag says otherwise, there are
/// failures in it, since they are what such a report is for.
fn failures_from(args: &Args) -> Option<Severity> {
    match args.fail_on {
        Some(fail_on) => fail_on.threshold(),
        None => Some(Severity::Warning),
    }
}
