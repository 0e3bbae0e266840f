//! Mistakes in the call itself, as clap tells of them, with a tip where it has none.

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::ValueEnum as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::completion::Shell;
use super::{complain, voice};

/// Help and version are no errors; everything else is a mistake in the call.
pub(super) fn tell(mut error: clap::Error) -> ExitCode {
    if let Some(tip) = tip(&error) {
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
    match print(&error) {
        _ if error.use_stderr() => ExitCode::from(2),
        Err(why) if why.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!("cannot write the help: {why}"));
            ExitCode::from(2)
        }
        _ => ExitCode::SUCCESS,
    }
}

fn print(error: &clap::Error) -> io::Result<()> {
    let mut out = if error.use_stderr() {
        voice::stderr()
    } else {
        voice::stdout()
    };
    write!(out, "{}", error.render().ansi())
}

fn shells() -> Vec<String> {
    let shells = Shell::value_variants().iter();
    shells
        .filter_map(|shell| Some(shell.to_possible_value()?.get_name().to_owned()))
        .collect()
}

/// What may be meant where clap has no guess.
fn tip(error: &clap::Error) -> Option<String> {
    match error.kind() {
        ErrorKind::MissingRequiredArgument => {
            let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else {
                return None;
            };
            (missing == &["<SHELL>"]).then(|| format!("it is one of {}", shells().join(", ")))
        }
        // Whoever leaves the verb out means a CronJob.
        ErrorKind::InvalidSubcommand if error.get(ContextKind::SuggestedSubcommand).is_none() => {
            let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
                return None;
            };
            let is_name =
                |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-./".contains(c);
            (word != "help" && word.chars().all(is_name))
                .then(|| format!("to look at a CronJob of that name, use 'explain {word}'"))
        }
        _ => None,
    }
}
