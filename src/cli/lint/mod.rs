//! `lint`: what is wrong in manifests.

mod configs;
mod mend;
mod read;
mod walk;

use std::io::{BufWriter, Write};

use anyhow::{Context as _, bail};
use jiff::Timestamp;

use super::args::{Global, Lint as Args, LintFormat as Format};
use super::settings::{read_clock, zone_of_flag};
use super::{Outcome, complain, say_plainly};
use crate::diagnose::counted;
use crate::lint::rules::{self, RULES};
use crate::lint::{Linter, Report};
use crate::output::{self, lint as print, yaml};
use crate::schedule::Zone;
use crate::snapshot::{Error, Input};
use crate::spelling::nearest;
use crate::tzdb::Database;
use configs::Configs;
use mend::mend;
use read::Task;

pub(super) fn run(global: &Global, args: &Args) -> anyhow::Result<Outcome> {
    let mut out = BufWriter::new(anstream::stdout().lock());
    let outcome = if args.list {
        print::list(&mut out)?;
        Outcome::Fine
    } else if let Some(rule) = &args.explain {
        explain(rule, &mut out)?
    } else {
        lint(global, args, &mut out)?
    };
    out.flush().context("cannot write the result")?;
    Ok(outcome)
}

fn explain(called: &str, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let Some(rule) = rules::find(called) else {
        match nearest(called, RULES.iter().map(|rule| rule.name)) {
            Some(name) => bail!("no rule is called {called:?}; did you mean {name}?"),
            None => bail!("no rule is called {called:?}; --list shows all"),
        }
    };
    print::explain(out, rule)?;
    Ok(Outcome::Fine)
}

fn lint(global: &Global, args: &Args, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let zones = Database::open(global.tzdb.into())?;
    let local = match &args.controller_time_zone {
        Some(name) => zone_of_flag("--controller-time-zone", name, &zones)?,
        None => Zone::utc(),
    };
    let linter = Linter {
        now: args.now.unwrap_or_else(read_clock),
        zones: &zones,
        local,
    };
    let (tasks, mut errors) = tasks(args)?;
    let (mut report, unread) = look(&linter, &tasks);
    errors.extend(unread);
    for error in &errors {
        complain(&error.to_string());
    }
    if args.diff {
        mend(&linter, &tasks, &report, Some(out))?;
        return Ok(outcome(args, &report, errors.is_empty()));
    }
    if args.fix {
        let mended = mend(&linter, &tasks, &report, None)?;
        if mended.files > 0 {
            report = look(&linter, &tasks).0;
            if !global.quiet {
                let (problems, files) = (mended.problems, mended.files);
                say_plainly(&format!(
                    "Mended {} in {}.",
                    counted(problems, "problem"),
                    counted(files, "file")
                ));
            }
        }
    }
    if report.manifests.is_empty() && !global.quiet && errors.is_empty() {
        say_plainly("No CronJobs found.");
    }
    write(args, &report, linter.now, out)?;
    Ok(outcome(args, &report, errors.is_empty()))
}

fn look(linter: &Linter<'_>, tasks: &[Task]) -> (Report, Vec<Error>) {
    let (files, errors) = read::all(linter, tasks);
    (linter.finish(files), errors)
}

/// The files that were named, each with what holds for it.
fn tasks(args: &Args) -> anyhow::Result<(Vec<Task>, Vec<Error>)> {
    let paths: Vec<_> = args.paths.iter().chain(&args.filename).cloned().collect();
    let (inputs, errors) = walk::find(&paths, args.recursive);
    if args.fix && inputs.contains(&Input::Stdin) {
        bail!("--fix changes files; what comes from standard input is in none");
    }
    let mut configs = Configs::new(args.config.as_deref(), args.kubernetes_version)?;
    let mut tasks = Vec::new();
    for input in inputs {
        if let Some(settings) = configs.of(&input)? {
            tasks.push(Task { input, settings });
        }
    }
    Ok((tasks, errors))
}

fn write(args: &Args, report: &Report, now: Timestamp, out: &mut dyn Write) -> anyhow::Result<()> {
    match args.output {
        None | Some(Format::Text) => print::text(out, report)?,
        Some(Format::Short) => print::short(out, report)?,
        Some(Format::Json) => output::json(out, &print::document(report))?,
        Some(Format::Yaml) => yaml::write(out, &print::document(report))?,
        Some(Format::Sarif) => output::json(out, &print::sarif(report))?,
        Some(Format::Github) => print::github(out, report)?,
        Some(Format::Junit) => print::junit(out, report, now, args.fail_on.threshold())?,
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
