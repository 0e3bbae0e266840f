//! What may come next on a command line, for kubectl's completion.
//!
//! kubectl asks a program beside the plugin, `kubectl_complete-cronjob_doctor`, with the words of the
//! line, of which the last is the one to complete. The answer is that of every program made with
//! cobra: a candidate a line, after a tab what it is, and at last a colon and a number that tells
//! what the shell is to do with them.

mod candidates;
mod line;
mod live;

use std::ffi::OsString;
use std::io::{self, Write};

use crate::printable::is_hidden;
use line::{Line, Place};

/// What kubectl's script calls. The shells' own scripts for kubectl execute what they are offered, so that it
/// gets only words that need no quotes.
pub(super) const VERB: &str = "__complete";
/// What our own scripts call, which quote.
pub(super) const QUOTING_VERB: &str = "__candidates";

/// The shell completes names of files.
const FILES: u8 = 0;
/// The shell is not to try names of files.
const NO_FILES: u8 = 4;

/// A word that may come next.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    word: String,
    what: String,
}

impl Candidate {
    fn new(word: impl Into<String>, what: impl Into<String>) -> Self {
        let (word, what) = (word.into(), what.into());
        Candidate { word, what }
    }

    fn bare(word: impl Into<String>) -> Self {
        Candidate::new(word, "")
    }
}

/// Prints what may come next. Whatever goes wrong, nobody wants to read of it while typing.
pub(super) fn run(words: &[OsString], quotes: bool) {
    let words: Vec<String> = words
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let mut command = super::command();
    command.build();
    let mut out = io::stdout().lock();
    let _ = print(&mut out, &command, &words, quotes);
}

fn print(
    out: &mut dyn Write,
    command: &clap::Command,
    words: &[String],
    quotes: bool,
) -> io::Result<()> {
    let (begun, before) = words
        .split_last()
        .map_or(("", &[][..]), |(last, before)| (last.as_str(), before));
    let line = Line::read(command, before);
    let (place, begun) = line.place(begun);
    let (found, directive) = match place {
        Place::Verb => (candidates::verbs(command), NO_FILES),
        Place::Flag => (candidates::flags(&line), NO_FILES),
        Place::Value(arg) => match candidates::values(arg) {
            candidates::Values::These(values) => (values, NO_FILES),
            candidates::Values::Files => (Vec::new(), FILES),
            candidates::Values::Of(kind) => (live::names(kind, &line, begun), NO_FILES),
        },
        Place::Nothing => (Vec::new(), NO_FILES),
    };
    for Candidate { word, what } in found {
        let offered = if quotes {
            !word.contains(is_hidden)
        } else {
            word.chars().all(needs_no_quotes)
        };
        if !word.starts_with(begun) || !offered {
            continue;
        }
        if what.is_empty() {
            writeln!(out, "{word}")?;
        } else {
            writeln!(out, "{word}\t{what}")?;
        }
    }
    writeln!(out, ":{directive}")
}

/// Whether every shell takes a character as it is, wherever it stands.
fn needs_no_quotes(c: char) -> bool {
    c.is_alphanumeric() || "-._/:@+%,".contains(c)
}
