//! An incomplete command line: what was given, and what comes next.

use std::ffi::OsString;

use clap::{Arg, Command};

use crate::cli::parse::verb_first;

#[derive(Debug)]
pub(super) struct PartialLine<'c> {
    pub(super) verb: Option<&'c Command>,
    /// The verb whose flags are completed, including the default verb.
    pub(super) meant: Option<&'c Command>,
    pub(super) flags: Vec<(&'c Arg, Option<String>)>,
    pub(super) words: Vec<String>,
    /// The flag whose value comes next.
    waiting: Option<&'c Arg>,
    /// Whether `--` was given: no more flags follow.
    only_words: bool,
}

#[derive(Debug)]
pub(super) enum NextWord<'c> {
    Verb,
    Flag,
    /// The value of a flag, or a word that the verb takes.
    Value(&'c Arg),
    Nothing,
}

impl<'c> PartialLine<'c> {
    /// Reads the words that are finished.
    pub(super) fn read(command: &'c Command, words: &[String]) -> Self {
        let program = OsString::from(command.get_name());
        let given = words.iter().map(OsString::from);
        let args = verb_first(command, std::iter::once(program).chain(given));
        let args: Vec<String> = args
            .iter()
            .skip(1)
            .map(|arg| arg.to_string_lossy().into_owned())
            .collect();
        let verb = args.first().and_then(|verb| command.find_subcommand(verb));
        // The default verb was inserted if none was given.
        let is_named = args.len() == words.len();
        let mut line = PartialLine {
            verb: verb.filter(|_| is_named),
            meant: verb,
            flags: Vec::new(),
            words: Vec::new(),
            waiting: None,
            only_words: false,
        };
        for arg in args.iter().skip(usize::from(verb.is_some())) {
            line.take(arg);
        }
        line
    }

    fn take(&mut self, arg: &str) {
        if let Some(waiting) = self.waiting.take() {
            self.flags.push((waiting, Some(arg.to_owned())));
        } else if self.only_words {
            self.words.push(arg.to_owned());
        } else if arg == "--" {
            self.only_words = true;
        } else if let Some(long) = arg.strip_prefix("--") {
            let (name, value) = split(long);
            let Some(flag) = self.flag(|arg| arg.get_long() == Some(name)) else {
                return;
            };
            self.take_flag(flag, value);
        } else if let Some(shorts) = arg.strip_prefix('-').filter(|rest| !rest.is_empty()) {
            self.take_shorts(shorts);
        } else {
            self.words.push(arg.to_owned());
        }
    }

    /// In -Avn the last letter may want a value; one before it has the rest as its own.
    fn take_shorts(&mut self, shorts: &str) {
        let mut letters = shorts.chars();
        while let Some(letter) = letters.next() {
            let Some(flag) = self.flag(|arg| arg.get_short() == Some(letter)) else {
                return;
            };
            let rest = letters.as_str();
            if !takes_value(flag) {
                self.flags.push((flag, None));
                continue;
            }
            let rest = rest.strip_prefix('=').unwrap_or(rest);
            return self.take_flag(flag, (!rest.is_empty()).then_some(rest));
        }
    }

    fn take_flag(&mut self, flag: &'c Arg, value: Option<&str>) {
        if value.is_none() && takes_value(flag) && !flag.is_require_equals_set() {
            self.waiting = Some(flag);
        } else {
            self.flags.push((flag, value.map(str::to_owned)));
        }
    }

    fn flag(&self, is_it: impl Fn(&Arg) -> bool) -> Option<&'c Arg> {
        self.meant?.get_arguments().find(|arg| is_it(arg))
    }

    /// What the word is that was begun, and how much of it is there: of `--output=js` it is `js`.
    pub(super) fn place<'w>(&self, begun: &'w str) -> (NextWord<'c>, &'w str) {
        if let Some(waiting) = self.waiting {
            return (NextWord::Value(waiting), begun);
        }
        if !self.only_words && begun.starts_with('-') {
            let long = begun.strip_prefix("--").map(split);
            let Some((name, Some(value))) = long else {
                return (NextWord::Flag, begun);
            };
            let flag = self.flag(|arg| arg.get_long() == Some(name));
            return (flag.map_or(NextWord::Nothing, NextWord::Value), value);
        }
        let Some(verb) = self.verb else {
            let is_misspelt = !self.words.is_empty();
            return (
                if is_misspelt {
                    NextWord::Nothing
                } else {
                    NextWord::Verb
                },
                begun,
            );
        };
        let mut positionals = verb.get_positionals().filter(|arg| !arg.is_last_set());
        let next = positionals.next().filter(|arg| {
            let most = arg.get_num_args().map_or(1, |range| range.max_values());
            let repeats = matches!(arg.get_action(), clap::ArgAction::Append);
            repeats || self.words.len() < most
        });
        (next.map_or(NextWord::Nothing, NextWord::Value), begun)
    }

    pub(super) fn has(&self, long: &str) -> bool {
        self.flags
            .iter()
            .any(|(arg, _)| arg.get_long() == Some(long))
    }

    /// What a flag was given as its value.
    pub(super) fn value_of(&self, long: &str) -> Option<&str> {
        let mut given = self.flags.iter().rev();
        let (_, value) = given.find(|(arg, _)| arg.get_long() == Some(long))?;
        value.as_deref()
    }
}

fn split(long: &str) -> (&str, Option<&str>) {
    match long.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (long, None),
    }
}

fn takes_value(arg: &Arg) -> bool {
    arg.get_action().takes_values()
}
