//! The command line: one file a verb, which gathers, computes and hands over to [`crate::output`].

mod absent;
mod args;
mod backfill;
mod changing;
mod complete;
mod completion;
mod connect;
mod edits;
mod explain;
mod follow;
mod gather;
mod gathered;
mod history;
mod interrupt;
mod lint;
mod load;
mod next_runs;
mod problem;
mod progress;
mod report;
mod resume;
mod resuming;
mod scan;
mod screen;
mod selectors;
mod settings;
mod simulate;
mod suspend;
mod top;
mod trigger;
mod triggering;
mod usage;
mod verb_first;
mod version;
mod voice;
mod waiting;
mod watch;
mod way_out;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser as _;

use crate::output::style::{Meaning, styled};
use args::{Cli, Verb};
use way_out::way_out;

pub use args::command;

/// What a verb came to, as scripts see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Done, and nothing was found.
    Fine,
    /// Done, and something was found at or above `--fail-on`.
    Found,
    /// It could not do all that it was asked, and has said why.
    Incomplete,
    /// A signal ended it, and it has said how far it came; what shells report of that.
    Ended(u8),
}

/// Runs the command and says how it went.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    if let [_, verb, words @ ..] = args.as_slice()
        && verb == complete::VERB
    {
        complete::run(words);
        return ExitCode::SUCCESS;
    }
    let args = verb_first::verb_first(&command(), args);
    let mut cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return usage::tell(error),
    };
    cli.global.color.apply();
    // To kubectl an empty namespace is none, and so is a variable that is not set.
    cli.connection.namespace.take_if(|name| name.is_empty());
    let (global, connection) = (&cli.global, &cli.connection);
    let verdict = match &cli.verb {
        Verb::Scan(args) => scan::run(global, connection, args),
        Verb::Explain(args) => explain::run(global, connection, args),
        Verb::NextRuns(args) => next_runs::run(global, connection, args),
        Verb::History(args) => history::run(global, connection, args),
        Verb::Simulate(args) => simulate::run(global, connection, args),
        Verb::Suspend(args) => suspend::run(global, connection, args),
        Verb::Backfill(args) => backfill::run(global, connection, args),
        Verb::Resume(args) => resume::run(global, connection, args),
        Verb::Load(args) => load::run(global, connection, args),
        Verb::Report(args) => report::run(global, connection, args),
        Verb::Trigger(args) => trigger::run(global, connection, args),
        Verb::Top(args) => top::run(global, connection, args),
        Verb::Lint(args) => lint::run(global, connection, args),
        Verb::Completion(args) => completion::run(args),
        Verb::Version(args) => version::run(global, connection, args),
    };
    match verdict {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Found) => ExitCode::from(1),
        Ok(Outcome::Incomplete) => ExitCode::from(2),
        Ok(Outcome::Ended(code)) => ExitCode::from(code),
        // Whoever reads us has seen enough, as `head` does.
        Err(error) if is_broken_pipe(&error) && !cli.verb.changes() => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("{error:#}{}", way_out(&error)));
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

/// Writes an error to stderr as kubectl does.
fn complain(message: &str) {
    say(Meaning::Bad, "error", message);
}

/// Writes a warning to stderr.
fn warn(message: &str) {
    say(Meaning::Odd, "warning", message);
}

/// Writes a line to stderr.
fn say_plainly(message: &str) {
    let _ = writeln!(voice::stderr(), "{message}");
}

fn say(meaning: Meaning, label: &str, message: &str) {
    let help = format!("\n{}: ", styled(Meaning::Help, "help"));
    let message = message.replace("\nhelp: ", &help);
    // If stderr is gone there is no one to tell.
    let _ = writeln!(voice::stderr(), "{}: {message}", styled(meaning, label));
}
