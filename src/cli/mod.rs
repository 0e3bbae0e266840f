//! The command line: one file per verb, with its arguments.
//!
//! A verb that reads loads a `World` (`world.rs`), computes an answer, and
//! prints it in a format of [`crate::output`]; the answer determines the exit code. Verbs that
//! change something share `changing/`, verbs that watch the cluster `watch.rs`, and those that wait for Jobs
//! `job_tracker.rs` and `log_reader.rs`.

#![allow(
    clippy::doc_markdown,
    reason = "the doc comments of arguments are their help, which is not Markdown"
)]

mod alerts;
mod args;
mod backfill;
mod changing;
mod completion;
mod contexts;
mod diagnostic;
mod edits;
mod explain;
mod follow;
mod help;
mod history;
mod interrupt;
mod job_findings;
mod job_lines;
mod job_tracker;
mod job_wait;
mod kinds;
mod lint;
mod load;
mod log_reader;
mod logs;
mod next_runs;
mod parse;
mod plan;
mod recorder;
mod report;
mod resume;
mod retry;
mod running_jobs;
mod scan;
mod serve;
mod side_by_side;
mod simulate;
mod stdio;
mod suspend;
mod top;
mod trigger;
mod unwatched;
mod version;
mod watch;
mod world;
mod writes;

use std::ffi::{OsStr, OsString};
use std::io;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args as _, Command, CommandFactory as _, FromArgMatches as _, Parser};

use crate::output::lines;
use alerts::AlertsArgs;
use args::{Backfill, Common, Resume, Retry, Suspend, Trigger};
use completion::CompletionArgs;
use diagnostic::Diagnostic;
use explain::ExplainArgs;
use history::HistoryArgs;
use lint::LintArgs;
use load::LoadArgs;
use logs::LogsArgs;
use next_runs::NextRunsArgs;
use plan::PlanArgs;
use report::ReportArgs;
use scan::ScanArgs;
use serve::ServeArgs;
pub(crate) use serve::check_history_query;
pub use side_by_side::side_by_side;
use simulate::SimulateArgs;
use stdio::{complain, print, say_plainly, separated, warn};
use top::TopArgs;
use version::VersionArgs;

/// Explain and predict what the CronJob controller will do
///
/// Without a command, "scan" checks the CronJobs of the current namespace.
#[derive(Debug, Parser)]
#[command(
    name = "kubectl-cronjob_doctor",
    bin_name = "kubectl cronjob-doctor",
    version,
    disable_help_subcommand = true,
    subcommand_required = true,
    arg_required_else_help = true,
    override_usage = "kubectl cronjob-doctor [COMMAND] [OPTIONS]",
    max_term_width = 100
)]
struct Root {
    #[command(flatten)]
    common: Common,
}

/// The command line with its help, also for completions and manual pages.
pub fn command() -> Command {
    let verbs = Verb::NAMES.iter().filter_map(|name| Verb::command(name));
    help::with_overview(help::with_values(Root::command()).subcommands(verbs))
}

/// The same with one verb alone, if a word is its name: to build all of them takes most of the time of a start.
fn command_of(word: &OsStr) -> Option<Command> {
    let verb = Verb::command(word.to_str()?)?;
    Some(help::with_values(Root::command()).subcommand(verb))
}

macro_rules! verbs {
    ($($name:literal $verb:ident($args:ty) $(.$alias:ident($other:literal))?;)*) => {
        #[derive(Debug)]
        #[allow(clippy::large_enum_variant, reason = "there is one in a run")]
        enum Verb {
            $($verb($args),)*
        }

        impl Verb {
            const NAMES: &[&str] = &[$($name),*];

            fn command(name: &str) -> Option<Command> {
                let verb = match name {
                    $($name => <$args>::augment_args(Command::new($name))$(.$alias($other))?,)*
                    _ => return None,
                };
                Some(help::with_order(verb))
            }

            fn of(name: &str, matches: &mut ArgMatches) -> Result<Self, clap::Error> {
                match name {
                    $($name => <$args>::from_arg_matches_mut(matches).map(Verb::$verb),)*
                    _ => Err(clap::Error::new(ErrorKind::InvalidSubcommand)),
                }
            }
        }
    };
}

verbs! {
    "scan" Scan(ScanArgs);
    "top" Top(TopArgs);
    "explain" Explain(ExplainArgs);
    "next-runs" NextRuns(NextRunsArgs) .visible_alias("next");
    "history" History(HistoryArgs);
    "logs" Logs(LogsArgs) .alias("log");
    "simulate" Simulate(SimulateArgs);
    "load" Load(LoadArgs);
    "report" Report(ReportArgs);
    "suspend" Suspend(Suspend);
    "resume" Resume(Resume) .visible_alias("unsuspend");
    "trigger" Trigger(Trigger);
    "retry" Retry(Retry);
    "backfill" Backfill(Backfill);
    "lint" Lint(LintArgs);
    "plan" Plan(PlanArgs);
    "alerts" Alerts(AlertsArgs);
    "serve" Serve(ServeArgs);
    "completion" Completion(CompletionArgs);
    "options" Options(help::OptionsArgs);
    "version" Version(VersionArgs);
}

#[derive(Debug)]
struct Cli {
    common: Common,
    verb: Verb,
}

impl Cli {
    /// Parses the arguments, of which the first is the verb.
    fn parse(command: &mut Command, args: Vec<OsString>) -> Result<Self, clap::Error> {
        let mut matches = command.try_get_matches_from_mut(args)?;
        let root = Root::from_arg_matches_mut(&mut matches);
        let (name, mut rest) = matches.remove_subcommand().unwrap_or_default();
        let verb = Verb::of(&name, &mut rest);
        let cli = root.and_then(|Root { common }| {
            Ok(Self {
                common,
                verb: verb?,
            })
        });
        cli.map_err(|error| error.format(command))
    }

    /// Fails if several namespaces are given to a verb that takes one; `has_all` is whether it has -A.
    fn check_namespaces(&self, has_all: bool) -> Result<(), Diagnostic> {
        let namespaces = &self.common.connection.namespaces;
        let (flag, of) = match &self.verb {
            _ if namespaces.len() < 2 => return Ok(()),
            Verb::Scan(args) => (("--watch", args.watch), Some(&args.selection.cron_jobs)),
            Verb::Explain(args) => (("--follow", args.follow), Some(&args.selection.cron_jobs)),
            Verb::NextRuns(args) => (("", false), Some(&args.selection.cron_jobs)),
            Verb::History(args) => (("", false), Some(&args.selection.cron_jobs)),
            Verb::Load(args) => (("", false), Some(&args.selection.cron_jobs)),
            Verb::Alerts(args) => (("", false), Some(&args.selection.cron_jobs)),
            Verb::Report(args) => (("", false), Some(&args.selection.cron_jobs)),
            Verb::Simulate(args) => (("", false), Some(&args.selection.cron_jobs)),
            Verb::Suspend(args) => (("", false), Some(&args.targets.cron_jobs)),
            Verb::Resume(args) => (("--wait", args.wait), Some(&args.targets.cron_jobs)),
            Verb::Trigger(args) => (("", false), Some(&args.targets.cron_jobs)),
            _ => (("this command", true), None),
        };
        let has_files = of.is_some_and(|of| !of.filename.is_empty());
        let mut limits = [flag, ("-f", has_files)].into_iter();
        let Some((what, _)) = limits.find(|(_, is_set)| *is_set) else {
            return Ok(());
        };
        let names = namespaces.join(",");
        let error = format!("-n {names}: {what} takes only one namespace");
        let help = if has_all {
            "Use one namespace at a time, or -A for all."
        } else {
            "Use one namespace at a time."
        };
        Err(Diagnostic::new(error).help(help))
    }
}

/// The outcome of a verb, which determines the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommandOutcome {
    Fine,
    /// Done, and something was found at or above `--fail-on`.
    Found,
    Incomplete,
    /// Ended by a signal, with its exit code.
    Ended(u8),
}

impl CommandOutcome {
    fn of(complete: bool, fails: bool) -> Self {
        match (complete, fails) {
            (false, _) => CommandOutcome::Incomplete,
            (true, true) => CommandOutcome::Found,
            (true, false) => CommandOutcome::Fine,
        }
    }
}

pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    if let [_, verb, words @ ..] = args.as_slice()
        && (verb == completion::VERB || verb == completion::QUOTING_VERB)
    {
        completion::complete(words, verb == completion::QUOTING_VERB);
        return ExitCode::SUCCESS;
    }
    let known = args.get(1).and_then(|word| command_of(word));
    let mut command = known.unwrap_or_else(command);
    let args = parse::verb_first(&command, args);
    let verb = args
        .get(1)
        .and_then(|verb| verb.to_str().map(str::to_owned));
    let mut cli = match Cli::parse(&mut command, args) {
        Ok(cli) => cli,
        Err(error) => return parse::report(error, verb.as_deref()),
    };
    cli.common.global.apply_color();
    if let Some(columns) = stdio::width() {
        lines::set_width(columns);
    }
    cli.common.connection.settle_namespaces();
    let verb = verb
        .as_deref()
        .and_then(|verb| command.find_subcommand(verb));
    let name = verb.map(|verb| verb.get_name().to_owned());
    let mut flags = verb.into_iter().flat_map(Command::get_arguments);
    let has_all = flags.any(|flag| flag.get_id() == "all_namespaces");
    if let Err(error) = cli.settle_contexts(name.as_deref().unwrap_or_default()) {
        complain(Diagnostic::of(&error));
        return ExitCode::from(2);
    }
    if let Err(error) = cli.check_namespaces(has_all) {
        complain(error);
        return ExitCode::from(2);
    }
    let common = &cli.common;
    let verdict = match &cli.verb {
        Verb::Scan(args) => scan::run(common, args),
        Verb::Explain(args) => explain::run(common, args),
        Verb::NextRuns(args) => next_runs::run(common, args),
        Verb::History(args) => history::run(common, args),
        Verb::Logs(args) => logs::run(common, args),
        Verb::Simulate(args) => simulate::run(common, args),
        Verb::Suspend(args) => suspend::run(common, args),
        Verb::Backfill(args) => backfill::run(common, args),
        Verb::Resume(args) => resume::run(common, args),
        Verb::Load(args) => load::run(common, args),
        Verb::Report(args) => report::run(common, args),
        Verb::Trigger(args) => trigger::run(common, args),
        Verb::Retry(args) => retry::run(common, args),
        Verb::Top(args) => top::run(common, args),
        Verb::Lint(args) => lint::run(common, args),
        Verb::Plan(args) => plan::run(common, args),
        Verb::Alerts(args) => alerts::run(common, args),
        Verb::Serve(args) => serve::run(common, args),
        Verb::Completion(args) => completion::run(args),
        Verb::Options(_) => help::options(),
        Verb::Version(args) => version::run(common, args),
    };
    match verdict {
        Ok(CommandOutcome::Fine) => ExitCode::SUCCESS,
        Ok(CommandOutcome::Found) => ExitCode::from(1),
        Ok(CommandOutcome::Incomplete) => ExitCode::from(2),
        Ok(CommandOutcome::Ended(code)) => ExitCode::from(code),
        // Logs and tables that follow the cluster end when nobody reads them. A change never fails with this.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            complain(Diagnostic::of(&error));
            ExitCode::from(2)
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
