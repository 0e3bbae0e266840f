//! `lint`: what is wrong in manifests.

mod cluster;
mod configs;
mod kustomize;
mod mend;
mod read;
mod walk;

use std::io::{self, BufWriter, Write};

use anyhow::{Context as _, bail};
use jiff::Timestamp;

use super::args::{Connection, DryRunOf, Global, Lint as Args, LintFormat as Format};
use super::settings::{read_clock, zone_of_flag};
use super::{Outcome, complain, say_plainly, voice, warn};
use crate::diagnose::counted;
use crate::lint::{LintReport, Linter, Releases};
use crate::output::{self, lint as print, yaml};
use crate::rules;
use crate::schedule::Zone;
use crate::snapshot::{Error, Input, Paths};
use crate::spelling::nearest;
use crate::tzdb::Database;
use cluster::Cluster;
use configs::Configs;
use kustomize::Patches;
use mend::mend;
use read::Task;

pub(super) fn run(
    global: &Global,
    connection: &Connection,
    args: &Args,
) -> anyhow::Result<Outcome> {
    let out: Box<dyn Write> = match args.output {
        Some(Format::Github) if !args.diff => Box::new(voice::unfiltered_stdout()),
        _ => voice::stdout(),
    };
    let mut out = BufWriter::new(out);
    let outcome = if args.list {
        print::list(&mut out).context("cannot write the result")?;
        Outcome::Fine
    } else if let Some(rule) = &args.explain {
        explain(rule, &mut out)?
    } else {
        lint(global, connection, args, &mut out)?
    };
    out.flush().context("cannot write the result")?;
    Ok(outcome)
}

fn explain(called: &str, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let Some((rule, lint)) = rules::find_lint_rule(called) else {
        match nearest(called, rules::lint_rules().map(|(rule, _)| rule.name)) {
            Some(name) => bail!("no rule is called {called:?}; did you mean {name}?"),
            None => bail!("no rule is called {called:?}; --list shows all"),
        }
    };
    print::explain(out, rule, lint).context("cannot write the result")?;
    Ok(Outcome::Fine)
}

fn lint(
    global: &Global,
    connection: &Connection,
    args: &Args,
    out: &mut dyn Write,
) -> anyhow::Result<Outcome> {
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
    let cluster = match args.dry_run {
        Some(DryRunOf::Server) => Some(Cluster::open(global, connection)?),
        None => None,
    };
    let (tasks, mut errors) = tasks(args, global.quiet, cluster.as_ref())?;
    let (mut report, unread) = look(&linter, &tasks, cluster.as_ref());
    errors.extend(unread);
    for error in &errors {
        complain(&error.to_string());
    }
    let unasked = cluster.as_ref().and_then(Cluster::failure);
    if let Some(why) = &unasked {
        complain(why);
    }
    let complete = errors.is_empty() && unasked.is_none();
    if args.diff {
        mend(&linter, &tasks, &report, Some(out))?;
        return Ok(outcome(args, &report, complete));
    }
    if args.fix {
        let mended = mend(&linter, &tasks, &report, None)?;
        if mended.files > 0 {
            report = look(&linter, &tasks, cluster.as_ref()).0;
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
    if report.manifests.is_empty() && !global.quiet && complete {
        say_plainly("No CronJobs found.");
    }
    write(args, &report, linter.now, out).context("cannot write the result")?;
    Ok(outcome(args, &report, complete))
}

fn look(
    linter: &Linter<'_>,
    tasks: &[Task],
    cluster: Option<&Cluster>,
) -> (LintReport, Vec<Error>) {
    let (files, errors) = read::all(linter, tasks, cluster);
    (linter.finish(files), errors)
}

/// The files that were named, each with what holds for it.
fn tasks(
    args: &Args,
    quiet: bool,
    cluster: Option<&Cluster>,
) -> anyhow::Result<(Vec<Task>, Vec<Error>)> {
    let paths: Vec<_> = args.paths.iter().chain(&args.filename).cloned().collect();
    let Paths {
        inputs,
        unread,
        errors,
    } = walk::find(&paths, args.recursive);
    if !quiet {
        for file in &unread {
            warn(&file.to_string());
        }
    }
    if args.fix && inputs.contains(&Input::Stdin) {
        bail!("--fix changes files; what comes from standard input is in none");
    }
    // Manifests that are shown to a cluster are for its release, unless something else is said.
    let of_cluster = match cluster {
        Some(cluster) => cluster.release()?.map(Releases::one),
        None => None,
    };
    let config = args.config.as_deref();
    let mut configs = Configs::new(config, &paths, args.kubernetes_version, of_cluster)?;
    let patches = Patches::among(&inputs);
    let mut tasks = Vec::new();
    for input in inputs {
        if let Some(settings) = configs.of(&input)? {
            let patch_of = patches.kustomization_of(&input);
            tasks.push(Task {
                input,
                settings,
                patch_of,
            });
        }
    }
    Ok((tasks, errors))
}

fn write(args: &Args, report: &LintReport, now: Timestamp, out: &mut dyn Write) -> io::Result<()> {
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

fn outcome(args: &Args, report: &LintReport, complete: bool) -> Outcome {
    let threshold = args.fail_on.threshold();
    let found = threshold.is_some_and(|threshold| report.worst() >= Some(threshold));
    match (complete, found) {
        (false, _) => Outcome::Incomplete,
        (true, true) => Outcome::Found,
        (true, false) => Outcome::Fine,
    }
}
