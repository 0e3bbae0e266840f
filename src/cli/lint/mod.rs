//! `lint`: what is wrong in manifests.

mod read;

use std::io::{BufWriter, Write};
use std::sync::Arc;

use anyhow::Context as _;

use super::args::{Global, Lint as Args, LintFormat as Format};
use super::settings::{read_clock, zone_of_flag};
use super::{Outcome, complain, say_plainly};
use crate::lint::{Linter, Report};
use crate::output::lint as print;
use crate::schedule::Zone;
use crate::tzdb::Database;

pub(super) fn run(global: &Global, args: &Args) -> anyhow::Result<Outcome> {
    let zones = Database::open(global.tzdb.into())?;
    let local = match &args.controller_time_zone {
        Some(name) => zone_of_flag("--controller-time-zone", name, &zones)?,
        None => Zone::utc(),
    };
    let linter = Linter {
        now: args.now.unwrap_or_else(read_clock),
        zones: &zones,
        local: Arc::clone(&local),
    };
    let (files, errors) = read::all(&linter, args);
    for error in &errors {
        complain(&error.to_string());
    }
    let report = linter.finish(files);
    if report.objects == 0 && report.findings.is_empty() && !global.quiet && errors.is_empty() {
        say_plainly("No CronJobs found.");
    }
    let mut out = BufWriter::new(anstream::stdout().lock());
    write(args, &report, &mut out)?;
    out.flush().context("cannot write the result")?;
    Ok(outcome(args, &report, errors.is_empty()))
}

fn write(args: &Args, report: &Report, out: &mut dyn Write) -> anyhow::Result<()> {
    match args.output {
        None | Some(Format::Text) => print::text(out, report)?,
        _ => anyhow::bail!("not yet"),
    }
    Ok(())
}

fn outcome(args: &Args, report: &Report, complete: bool) -> Outcome {
    let threshold = args.fail_on.threshold();
    let found = threshold.is_some_and(|threshold| report.worst() >= Some(threshold));
    match (complete, found) {
        (false, _) => Outcome::Incomplete,
        (true, true) => Outcome::Found,
        (true, false) => Outcome::Fine,
    }
}
