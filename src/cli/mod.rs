//! The command line: one file per verb, with its arguments.
//!
//! A verb that reads loads a `World` (`world.rs`), computes an answer, and
//! prints it in a format of [`crate::output`]; the answer determines the exit code. Verbs that change, follow or serve
//! a cluster are in `live/`.

#![allow(
    clippy::doc_markdown,
    reason = "the doc comments of arguments are their help, which is not Markdown"
)]

mod alerts;
mod args;
mod compared_runs;
mod completion;
mod contexts;
mod diagnostic;
mod edits;
mod explain;
mod help;
mod history;
mod interrupt;
mod kinds;
mod lint;
#[cfg(feature = "cluster")]
mod live;
mod load;
mod names;
mod next_runs;
mod parse;
mod plan;
mod query;
mod recorder;
mod report;
mod report_scope;
mod scan;
mod side_by_side;
mod simulate;
mod stdio;
mod verb;
mod version;
mod world;
mod writes;

use std::ffi::{OsStr, OsString};
use std::io;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Command, CommandFactory as _, FromArgMatches as _, Parser};

use crate::output::lines;
use args::Common;
use diagnostic::Diagnostic;
#[cfg(feature = "cluster")]
pub use live::check_history_query;
pub use side_by_side::side_by_side;
use stdio::{caution, complain, hint, is_quiet, print, print_answer, say_plainly, warn};
use verb::{VERBS, Verb, VerbSpec};

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
    let verbs = VERBS.iter().map(VerbSpec::command);
    help::with_overview(help::with_values(Root::command()).subcommands(verbs))
}

/// The command line with the verb that a word names, and no other: building all of them takes most of the start time.
fn command_of(word: &OsStr) -> Option<Command> {
    let verb = VerbSpec::named(word.to_str()?)?;
    Some(help::with_values(Root::command()).subcommand(verb.command()))
}

struct Cli {
    common: Common,
    spec: &'static VerbSpec,
    verb: Box<dyn Verb>,
}

impl Cli {
    /// Parses the arguments, of which the first is the verb.
    fn parse(command: &mut Command, args: Vec<OsString>) -> Result<Self, clap::Error> {
        let mut matches = command.try_get_matches_from_mut(args)?;
        let root = Root::from_arg_matches_mut(&mut matches);
        let (name, mut rest) = matches.remove_subcommand().unwrap_or_default();
        let spec = VerbSpec::named(&name);
        let spec = spec.ok_or_else(|| clap::Error::new(ErrorKind::InvalidSubcommand));
        let cli = root.and_then(|Root { common }| {
            let spec = spec?;
            let verb = spec.read(&mut rest)?;
            Ok(Self { common, spec, verb })
        });
        cli.map_err(|error| error.format(command))
    }

    /// Fails if several namespaces are given to a verb that takes one; `has_all` is whether it has -A.
    fn check_namespaces(&self, has_all: bool) -> Result<(), Diagnostic> {
        let namespaces = &self.common.connection.namespaces;
        if namespaces.len() < 2 {
            return Ok(());
        }
        let of = self.verb.cron_jobs();
        let has_files = of.is_some_and(|of| !of.filename.is_empty());
        let flags = self.verb.flags_of_one_namespace().into_iter();
        let mut limits = flags.chain([("this command", of.is_none()), ("-f", has_files)]);
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
    #[cfg_attr(
        not(feature = "cluster"),
        expect(dead_code, reason = "what reads files is not interrupted")
    )]
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
        && cfg!(feature = "cluster")
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
    cli.common.global.color.write_global();
    stdio::set_quiet(cli.common.global.quiet);
    if let Some(columns) = stdio::line_width() {
        lines::set_width(columns);
    }
    cli.common.connection.settle_namespaces();
    if let Err(error) = cli.settle_names() {
        complain(error);
        return ExitCode::from(2);
    }
    let verb = verb
        .as_deref()
        .and_then(|verb| command.find_subcommand(verb));
    let mut flags = verb.into_iter().flat_map(Command::get_arguments);
    let has_all = flags.any(|flag| flag.get_id() == "all_namespaces");
    if let Err(error) = cli.settle_contexts() {
        complain(Diagnostic::of(&error));
        return ExitCode::from(2);
    }
    if let Err(error) = cli.check_namespaces(has_all) {
        complain(error);
        return ExitCode::from(2);
    }
    #[cfg(unix)]
    stdio::report_large_files();
    match cli.verb.run(&cli.common) {
        Ok(CommandOutcome::Fine) => ExitCode::SUCCESS,
        Ok(CommandOutcome::Found) => ExitCode::from(1),
        Ok(CommandOutcome::Incomplete) => ExitCode::from(2),
        Ok(CommandOutcome::Ended(code)) => ExitCode::from(code),
        // Logs and tables that follow the cluster end when their output is closed. A change never fails with this.
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
