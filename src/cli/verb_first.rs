//! Flags may stand before the verb, and the verb may be left out.

use std::ffi::{OsStr, OsString};

use clap::Command;

/// What a call without a verb does.
const DEFAULT_VERB: &str = "scan";

/// The same call with its verb in front. A call without a verb, which may have flags but names
/// nothing, gets the default one.
pub(super) fn verb_first(
    command: &Command,
    args: impl IntoIterator<Item = OsString>,
) -> Vec<OsString> {
    let mut args: Vec<OsString> = args.into_iter().collect();
    let mut index = 1;
    let mut wants_help = false;
    while let Some(arg) = args.get(index) {
        match kind(command, arg) {
            Kind::Flag { takes_value } => index += 1 + usize::from(takes_value),
            Kind::Help => {
                wants_help = true;
                index += 1;
            }
            Kind::Word => {
                if is_verb(command, arg) {
                    let verb = args.remove(index);
                    args.insert(1, verb);
                }
                return args;
            }
            Kind::End => return args,
        }
    }
    if !wants_help {
        args.insert(args.len().min(1), DEFAULT_VERB.into());
    }
    args
}

enum Kind {
    /// A flag; whether the next argument is its value.
    Flag { takes_value: bool },
    /// A flag after which nothing runs.
    Help,
    /// Anything else.
    Word,
    /// `--`
    End,
}

fn kind(command: &Command, arg: &OsStr) -> Kind {
    let Some(text) = arg.to_str() else {
        return Kind::Word;
    };
    if matches!(text, "-h" | "--help" | "-V" | "--version") {
        return Kind::Help;
    }
    if text == "--" {
        return Kind::End;
    }
    if let Some(long) = text.strip_prefix("--") {
        let takes_value =
            !long.contains('=') && takes_value(command, |arg| arg.get_long() == Some(long));
        return Kind::Flag { takes_value };
    }
    match text.strip_prefix('-') {
        None | Some("") => Kind::Word,
        Some(shorts) => {
            // In -Avn the last letter may want a value; one before it has the rest as its own.
            let mut letters = shorts.chars();
            let wanting =
                letters.find(|letter| takes_value(command, |arg| arg.get_short() == Some(*letter)));
            Kind::Flag {
                takes_value: wanting.is_some() && letters.next().is_none(),
            }
        }
    }
}

fn is_verb(command: &Command, word: &OsStr) -> bool {
    let mut verbs = command.get_subcommands();
    verbs.any(|verb| {
        word.to_str().is_some_and(|word| {
            verb.get_name() == word || verb.get_all_aliases().any(|a| a == word)
        })
    })
}

/// Whether a flag of any verb takes a value. A flag has one meaning throughout.
fn takes_value(command: &Command, is_it: impl Fn(&clap::Arg) -> bool) -> bool {
    let verbs = command.get_subcommands();
    let all = verbs
        .flat_map(Command::get_arguments)
        .chain(command.get_arguments());
    all.filter(|arg| is_it(arg)).any(takes_next)
}

/// Whether a value of the flag may be the next argument.
fn takes_next(arg: &clap::Arg) -> bool {
    arg.get_action().takes_values() && !arg.is_require_equals_set()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(line: &str) -> String {
        let args = line.split(' ').map(OsString::from);
        let command = crate::cli::command();
        let args = verb_first(&command, args);
        let args: Vec<_> = args.iter().filter_map(|arg| arg.to_str()).collect();
        args.join(" ")
    }

    #[test]
    fn flags_may_come_first() {
        assert_eq!(rewritten("x -n shop explain a"), "x explain -n shop a");
        assert_eq!(
            rewritten("x --context=c -An shop next a -v"),
            "x next --context=c -An shop a -v"
        );
        assert_eq!(rewritten("x -nshop -o json scan"), "x scan -nshop -o json");
        assert_eq!(rewritten("x explain scan"), "x explain scan");
    }

    #[test]
    fn without_a_verb_it_scans() {
        assert_eq!(rewritten("x"), "x scan");
        assert_eq!(rewritten("x -A -o wide"), "x scan -A -o wide");
        assert_eq!(rewritten("x -n explain"), "x scan -n explain");
    }

    #[test]
    fn help_and_wrong_verbs_are_left_to_the_parser() {
        assert_eq!(rewritten("x --help"), "x --help");
        assert_eq!(rewritten("x expain a"), "x expain a");
        assert_eq!(rewritten("x -- explain"), "x -- explain");
    }

    #[test]
    fn a_flag_takes_a_value_for_every_verb_or_for_none() {
        let command = crate::cli::command();
        let all: Vec<&clap::Arg> = command
            .get_subcommands()
            .flat_map(Command::get_arguments)
            .chain(command.get_arguments())
            .collect();
        for one in &all {
            for other in &all {
                let same = |a: Option<String>, b: Option<String>| a.is_some() && a == b;
                let long = |arg: &clap::Arg| arg.get_long().map(str::to_owned);
                let short = |arg: &clap::Arg| arg.get_short().map(String::from);
                if same(long(one), long(other)) || same(short(one), short(other)) {
                    assert_eq!(takes_next(one), takes_next(other), "{one} and {other}");
                }
            }
        }
    }
}
