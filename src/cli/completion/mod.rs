//! `completion`: a script for a shell, or for kubectl, and the answers to these scripts.
//!
//! The scripts ask the program itself at each press of the tab key, so that they know the cluster's
//! names, too; they are in completions/. PowerShell and elvish get one that knows verbs and flags
//! alone, which is made for each release.
//!
//! kubectl asks a program beside the plugin, `kubectl_complete-cronjob_doctor`, with the words of the
//! line, of which the last is the one to complete. The answer is that of every program made with
//! cobra: a candidate a line, after a tab what it is, and at last a colon and a number:
//! what the shell does with them.

mod candidates;
mod line;
mod objects;

use std::ffi::OsString;
use std::io::{self, Write};

use anyhow::Context as _;
use clap_complete::generate;
use clap_complete::shells::{Elvish, PowerShell};

use super::args::{Common, Shell};
use super::{CommandOutcome, command};
use crate::cli::verb::{Group, Verb, VerbSpec};
use cronjob_text::printable::is_hidden;
use line::{NextWord, PartialLine};

/// Output shell completion code for the specified shell
///
/// The code completes commands, flags and their values. In bash, zsh and fish, and where kubectl completes, it also
/// completes names of the cluster: CronJobs, namespaces and contexts.
#[derive(Debug, clap::Args)]
#[command(before_long_help = "\
Examples:
  # Complete \"kubectl cronjob-doctor\" in every shell that completes kubectl
  kubectl cronjob-doctor completion kubectl \\
    > ~/.local/bin/kubectl_complete-cronjob_doctor
  chmod +x ~/.local/bin/kubectl_complete-cronjob_doctor

  # Complete \"kubectl-cronjob_doctor\" in bash
  source <(kubectl cronjob-doctor completion bash)")]
pub(super) struct CompletionArgs {
    /// One of: {values}
    ///
    /// One of: {values}. With kubectl, the names of CronJobs, namespaces and contexts are completed as well.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(super) const SPEC: VerbSpec = VerbSpec {
    several_contexts: true,
    ..VerbSpec::of::<CompletionArgs>("completion", Group::Other)
};

impl Verb for CompletionArgs {
    fn run(&self, _: &Common) -> anyhow::Result<CommandOutcome> {
        let mut out = std::io::stdout().lock();
        out.write_all(&script(self.shell))
            .context("cannot write the script")?;
        Ok(CommandOutcome::Fine)
    }
}

fn script(shell: Shell) -> Vec<u8> {
    const PROGRAM: &str = "kubectl-cronjob_doctor";
    let mut script = Vec::new();
    match shell {
        Shell::Bash => script.extend(include_bytes!(
            "../../../completions/kubectl-cronjob_doctor.bash"
        )),
        Shell::Zsh => script.extend(include_bytes!(
            "../../../completions/_kubectl-cronjob_doctor"
        )),
        Shell::Fish => script.extend(include_bytes!(
            "../../../completions/kubectl-cronjob_doctor.fish"
        )),
        Shell::Kubectl => script.extend(include_bytes!(
            "../../../completions/kubectl_complete-cronjob_doctor"
        )),
        Shell::Powershell => generate(PowerShell, &mut command(), PROGRAM, &mut script),
        Shell::Elvish => generate(Elvish, &mut command(), PROGRAM, &mut script),
    }
    script
}

/// The verb that kubectl's script calls. Shell scripts for kubectl evaluate the candidates, so it only
/// gets words that need no quotes.
pub(super) const VERB: &str = "__complete";
/// The verb that our own scripts call, which quote candidates.
pub(super) const QUOTING_VERB: &str = "__candidates";

const FILES: u8 = 0;
/// The shell does not complete file names.
const NO_FILES: u8 = 4;

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

/// Prints the candidates. Errors are not shown while typing.
pub(super) fn complete(words: &[OsString], quotes: bool) {
    let words: Vec<String> = words
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let mut command = command();
    command.build();
    let mut out = io::stdout().lock();
    let _ = answer(&mut out, &command, &words, quotes);
}

fn answer(
    out: &mut dyn Write,
    command: &clap::Command,
    words: &[String],
    quotes: bool,
) -> io::Result<()> {
    let (begun, before) = words
        .split_last()
        .map_or(("", &[][..]), |(last, before)| (last.as_str(), before));
    let line = PartialLine::read(command, before);
    let (place, begun) = line.place(begun);
    // NAME=VALUE, which no shell changes behind a flag.
    let has_pairs = matches!(&place, NextWord::Value(arg) if is_pair(arg));
    // Where these were typed, in a list of contexts, they are quoted.
    let is_quoted = |c: char| matches!(c, '!' | '*') && begun.contains(c);
    let (found, directive) = match place {
        NextWord::Verb => (candidates::verbs(command), NO_FILES),
        NextWord::Flag => (candidates::flags(&line), NO_FILES),
        NextWord::Value(arg) => match candidates::values(arg, &line, begun) {
            candidates::Values::These(values) => (values, NO_FILES),
            candidates::Values::Files => (Vec::new(), FILES),
            candidates::Values::Of(kind) => (candidates::names(kind, &line, begun), NO_FILES),
        },
        NextWord::Nothing => (Vec::new(), NO_FILES),
    };
    for Candidate { word, what } in found {
        let offered = if quotes {
            !word.contains(is_hidden)
        } else {
            let is_pairing = |c: char| c == '=' && has_pairs;
            word.chars()
                .all(|c| needs_no_quotes(c) || is_pairing(c) || is_quoted(c))
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

/// Whether the value of a flag is `NAME=VALUE`.
fn is_pair(arg: &clap::Arg) -> bool {
    let names = arg.get_value_names().unwrap_or_default();
    names.iter().any(|name| name.contains('='))
}

/// Whether a character needs no quotes in any shell.
fn needs_no_quotes(c: char) -> bool {
    c.is_alphanumeric() || "-._/:@+%,".contains(c)
}
