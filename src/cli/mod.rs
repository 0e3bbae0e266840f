//! The command line: one file a verb, which gathers, computes and hands over to [`crate::output`].

mod args;
mod backfill;
mod changing;
mod complete;
mod completion;
mod edits;
mod explain;
mod follow;
mod history;
mod interrupt;
mod lint;
mod load;
mod next_runs;
mod notice;
mod problem;
mod progress;
mod report;
mod resume;
mod resuming;
mod scan;
mod screen;
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
mod world;

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Parser as _;

use crate::output::lines;
use crate::output::style::{Meaning, styled};
use args::{Cli, Verb};
use notice::Notice;

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

impl Outcome {
    /// What came of an answer that is complete or not, with something at or above `--fail-on` or not.
    fn of(complete: bool, fails: bool) -> Self {
        match (complete, fails) {
            (false, _) => Outcome::Incomplete,
            (true, true) => Outcome::Found,
            (true, false) => Outcome::Fine,
        }
    }
}

/// Runs the command and says how it went.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    if let [_, verb, words @ ..] = args.as_slice()
        && (verb == complete::VERB || verb == complete::QUOTING_VERB)
    {
        complete::run(words, verb == complete::QUOTING_VERB);
        return ExitCode::SUCCESS;
    }
    let args = verb_first::verb_first(&command(), args);
    let mut cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return usage::tell(error),
    };
    cli.common.global.color.apply();
    if let Some(columns) = screen::width() {
        lines::set_width(columns);
    }
    // To kubectl an empty namespace is none, and so is a variable that is not set.
    cli.common
        .connection
        .namespace
        .take_if(|name| name.is_empty());
    let common = &cli.common;
    let verdict = match &cli.verb {
        Verb::Scan(args) => scan::run(common, args),
        Verb::Explain(args) => explain::run(common, args),
        Verb::NextRuns(args) => next_runs::run(common, args),
        Verb::History(args) => history::run(common, args),
        Verb::Simulate(args) => simulate::run(common, args),
        Verb::Suspend(args) => suspend::run(common, args),
        Verb::Backfill(args) => backfill::run(common, args),
        Verb::Resume(args) => resume::run(common, args),
        Verb::Load(args) => load::run(common, args),
        Verb::Report(args) => report::run(common, args),
        Verb::Trigger(args) => trigger::run(common, args),
        Verb::Top(args) => top::run(common, args),
        Verb::Lint(args) => lint::run(common, args),
        Verb::Completion(args) => completion::run(args),
        Verb::Version(args) => version::run(common, args),
    };
    match verdict {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Found) => ExitCode::from(1),
        Ok(Outcome::Incomplete) => ExitCode::from(2),
        Ok(Outcome::Ended(code)) => ExitCode::from(code),
        // Whoever reads us has seen enough, as `head` does.
        Err(error) if is_broken_pipe(&error) && !cli.verb.changes() => ExitCode::SUCCESS,
        Err(error) => {
            complain(Notice::of(&error));
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

/// Writes a result to stdout.
fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    let mut out = BufWriter::new(voice::stdout());
    write(&mut out)
        .and_then(|()| out.flush())
        .context("cannot write the result")
}

/// Writes each item, with an empty line between two.
fn apart<T>(
    out: &mut dyn Write,
    items: &[T],
    mut write: impl FnMut(&mut dyn Write, &T) -> io::Result<()>,
) -> io::Result<()> {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        write(out, item)?;
    }
    Ok(())
}

/// Writes an error to stderr as kubectl does.
fn complain(notice: impl Into<Notice>) {
    say(Meaning::Bad, "error", &notice.into());
}

/// Writes a warning to stderr.
fn warn(notice: impl Into<Notice>) {
    say(Meaning::Odd, "warning", &notice.into());
}

/// Writes a line to stderr.
fn say_plainly(line: &str) {
    // If stderr is gone there is no one to tell.
    let _ = Notice::new(line).write(&mut voice::stderr(), "");
}

fn say(meaning: Meaning, label: &str, notice: &Notice) {
    let label = format!("{}: ", styled(meaning, label));
    // If stderr is gone there is no one to tell.
    let _ = notice.write(&mut voice::stderr(), &label);
}
