//! Parses the command line: adds the default verb, accepts flags before the verb, and reports mistakes.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, ValueEnum as _};

use super::args::Shell;
use super::diagnostic::Diagnostic;
use super::help;
use super::stdio::{self, complain};
use super::verb::{NAMES, VERBS};
use crate::output::style::{Meaning, styled};

/// The verb of a command line without one.
const DEFAULT_VERB: &str = "scan";

/// The arguments with the verb first. Flags alone get the default verb.
pub(super) fn verb_first(
    command: &Command,
    args: impl IntoIterator<Item = OsString>,
) -> Vec<OsString> {
    let mut args: Vec<OsString> = args.into_iter().collect();
    let all: Vec<&Command> = command.get_subcommands().chain([command]).collect();
    let mut index = 1;
    let mut wants_help = false;
    while let Some(arg) = args.get(index) {
        match kind(&all, arg) {
            Kind::Flag(value) => {
                let next_is_verb = args
                    .get(index + 1)
                    .is_some_and(|next| is_verb(command, next));
                let takes_next = match value {
                    TakesNext::Never => false,
                    TakesNext::Always => true,
                    TakesNext::ForSome => !next_is_verb,
                };
                index += 1 + usize::from(takes_next);
            }
            Kind::Help => {
                wants_help = true;
                index += 1;
            }
            Kind::Word if arg == HELP => return help_of(args, index),
            Kind::Word => {
                if is_verb(command, arg) {
                    let verb = args.remove(index);
                    args.insert(1, verb);
                    join_type_and_name(command, &mut args);
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

/// Joins `TYPE NAME` as kubectl takes it, in the verbs that take names: of `cronjob NAME` the name remains, and
/// `job NAME` becomes `job/NAME`, and `pod NAME` `pod/NAME`.
fn join_type_and_name(command: &Command, args: &mut Vec<OsString>) {
    let verb = args.get(1).and_then(|verb| command.find_subcommand(verb));
    let takes_names = |arg: &clap::Arg| {
        let names = arg.get_value_names().unwrap_or_default();
        names.iter().any(|name| *name == "NAME" || *name == "JOB")
    };
    let Some(verb) = verb.filter(|verb| verb.get_positionals().any(takes_names)) else {
        return;
    };
    let mut words = Vec::new();
    let mut index = 2;
    while let Some(arg) = args.get(index).filter(|_| words.len() < 2) {
        match kind(&[verb, command], arg) {
            Kind::Flag(value) => index += usize::from(value != TakesNext::Never),
            Kind::Help => {}
            Kind::Word => words.push(index),
            Kind::End => break,
        }
        index += 1;
    }
    let (Some(first), Some(second)) = (words.first(), words.get(1)) else {
        return;
    };
    let word = args.get(*first).and_then(|word| word.to_str());
    let kind = match word {
        Some(word) if is_job_type(word) => Some("job/"),
        Some(word) if is_pod_type(word) => Some("pod/"),
        Some(word) if is_cron_job_type(word) => None,
        _ => return,
    };
    if let Some((name, kind)) = args.get_mut(*second).zip(kind) {
        let mut joined = OsString::from(kind);
        joined.push(&*name);
        *name = joined;
    }
    args.remove(*first);
}

/// Whether a word is a name of the resource that kubectl knows.
pub(super) fn is_cron_job_type(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    [
        "cronjob",
        "cronjobs",
        "cj",
        "cronjob.batch",
        "cronjobs.batch",
        "cronjob.v1.batch",
        "cronjobs.v1.batch",
    ]
    .contains(&word.as_str())
}

pub(super) fn is_job_type(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    [
        "job",
        "jobs",
        "job.batch",
        "jobs.batch",
        "job.v1.batch",
        "jobs.v1.batch",
    ]
    .contains(&word.as_str())
}

pub(super) fn is_pod_type(word: &str) -> bool {
    ["pod", "pods", "po"].contains(&word)
}

/// `help VERB` as kubectl has it: the same as `VERB --help`.
const HELP: &str = "help";

/// The arguments for the help of the command after the word `help`.
fn help_of(mut args: Vec<OsString>, index: usize) -> Vec<OsString> {
    let mut rest = args.split_off(index).into_iter().skip(1);
    if let Some(verb) = rest.next().filter(|verb| verb != HELP) {
        args.insert(args.len().min(1), verb);
    }
    args.push("--help".into());
    args
}

enum Kind {
    Flag(TakesNext),
    /// A flag after which nothing runs.
    Help,
    Word,
    End,
}

/// Whether the next argument is the value of a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TakesNext {
    Never,
    Always,
    /// For some verbs it is, and for others the flag stands alone: then a verb is a verb.
    ForSome,
}

/// What an argument is for one of these commands.
fn kind(commands: &[&Command], arg: &OsStr) -> Kind {
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
        if long.contains('=') {
            return Kind::Flag(TakesNext::Never);
        }
        return Kind::Flag(takes_value(commands, |arg| {
            let mut aliases = arg.get_all_aliases().into_iter().flatten();
            arg.get_long() == Some(long) || aliases.any(|alias| alias == long)
        }));
    }
    match text.strip_prefix('-') {
        None | Some("") => Kind::Word,
        Some(shorts) => {
            // In -Avn the last letter may want a value; one before it has the rest as its own.
            let mut letters = shorts.chars();
            let value = |letter: char| takes_value(commands, |arg| arg.get_short() == Some(letter));
            let mut values = letters.by_ref().map(value);
            let wanting = values.find(|value| *value != TakesNext::Never);
            let is_last = letters.next().is_none();
            let next = wanting.filter(|_| is_last);
            Kind::Flag(next.unwrap_or(TakesNext::Never))
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

/// Whether a flag takes the next argument as its value, for all commands that have it, or for some.
fn takes_value(commands: &[&Command], is_it: impl Fn(&clap::Arg) -> bool) -> TakesNext {
    let all = commands.iter().flat_map(|command| command.get_arguments());
    let mut for_some = TakesNext::Never;
    let mut for_all = true;
    for arg in all.filter(|arg| is_it(arg)) {
        if takes_next(arg) {
            for_some = TakesNext::ForSome;
        } else {
            for_all = false;
        }
    }
    if for_all && for_some == TakesNext::ForSome {
        return TakesNext::Always;
    }
    for_some
}

/// Whether a value of the flag may be the next argument.
fn takes_next(arg: &clap::Arg) -> bool {
    arg.get_action().takes_values() && !arg.is_require_equals_set()
}

/// Prints help, the version, or what is wrong with the arguments.
pub(super) fn report(mut error: clap::Error, verb: Option<&str>) -> ExitCode {
    if let Some(unknown) = unknown_command(&error).or_else(|| unknown_flag(&error, verb)) {
        complain(unknown);
        return ExitCode::from(2);
    }
    let help = help_for(&error, verb);
    for kind in [
        ContextKind::Suggested,
        ContextKind::SuggestedArg,
        ContextKind::SuggestedValue,
    ] {
        error.remove(kind);
    }
    match print(&error, help) {
        _ if error.use_stderr() => ExitCode::from(2),
        Err(why) if why.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!("cannot write the help: {why}"));
            ExitCode::from(2)
        }
        _ => ExitCode::SUCCESS,
    }
}

/// What to write instead.
fn help_for(error: &clap::Error, verb: Option<&str>) -> Option<String> {
    if is_missing(error, "<SHELL>") {
        return Some(format!("Must be one of {}.", shells().join(", ")));
    }
    if is_missing(error, "<FILE|DIR|->...") {
        let help = "Use lint . for the files of this directory, or lint - for standard input.";
        return Some(help.to_owned());
    }
    let value = error.get(ContextKind::InvalidValue);
    if verb == Some("lint") && value == Some(&ContextValue::String("markdown".to_owned())) {
        let help = "Use -o github or -o gitlab to annotate a pull request, or -o short for one line per finding.";
        return Some(help.to_owned());
    }
    // Formats of kubectl resemble json by chance.
    format_tip(error)
        .or_else(|| Some(format!("Did you mean {}?", similar(error)?)))
        .or_else(|| match error.get(ContextKind::Suggested)? {
            ContextValue::StyledStrs(tips) => tips.first().map(ToString::to_string),
            _ => None,
        })
}

/// The argument or the value that is most similar to a wrong one, or one of a few.
fn similar(error: &clap::Error) -> Option<String> {
    let kinds = [ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    kinds.iter().find_map(|kind| match error.get(*kind)? {
        ContextValue::Strings(similar) if !similar.is_empty() => Some(similar.join(" or ")),
        ContextValue::String(similar) => Some(similar.clone()),
        _ => None,
    })
}

/// An unknown flag as kubectl reports it, and what to use instead.
fn unknown_flag(error: &clap::Error, verb: Option<&str>) -> Option<Diagnostic> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let ContextValue::String(flag) = error.get(ContextKind::InvalidArg)? else {
        return None;
    };
    if !flag.starts_with('-') {
        return None;
    }
    let of_kubectl = verb == Some("logs") && LOGS_OF_KUBECTL.contains(&flag.as_str());
    let tip = flag_tip(flag).filter(|_| !of_kubectl);
    let logs = "Use kubectl logs job/JOB with this flag: logs NAME prints the log of one container, and the name of the \
                Job.";
    let tip = tip.or(of_kubectl.then_some(logs)).map(str::to_owned);
    let similar = || Some(format!("Did you mean {}?", similar(error)?));
    let help = tip.or_else(similar).unwrap_or_else(|| {
        let verb = verb.map_or_else(String::new, |verb| format!(" {verb}"));
        format!("See 'kubectl cronjob-doctor{verb} --help' for usage.")
    });
    Some(Diagnostic::new(format!("unknown flag: {flag}")).help(&help))
}

/// Prints an error, with help below its first paragraph.
fn print(error: &clap::Error, help: Option<String>) -> io::Result<()> {
    let mut out = if error.use_stderr() {
        stdio::stderr()
    } else {
        stdio::stdout()
    };
    let text = error.render().ansi().to_string();
    match (help, text.split_once("\n\n")) {
        (Some(help), Some((error, rest))) => {
            let label = styled(Meaning::Help, "help");
            write!(out, "{error}\n{label}: {help}\n\n{rest}")
        }
        _ if error.use_stderr() => write!(out, "{text}"),
        _ => write!(out, "{}", help::compact(&text)),
    }
}

fn shells() -> Vec<String> {
    let shells = Shell::value_variants().iter();
    shells
        .filter_map(|shell| Some(shell.to_possible_value()?.get_name().to_owned()))
        .collect()
}

/// Whether only this argument is missing.
fn is_missing(error: &clap::Error, argument: &str) -> bool {
    let missing = error.get(ContextKind::InvalidArg);
    error.kind() == ErrorKind::MissingRequiredArgument
        && matches!(missing, Some(ContextValue::Strings(missing)) if missing == &[argument])
}

/// Flags of kubectl logs that logs does not have.
const LOGS_OF_KUBECTL: [&str; 6] = [
    "--all-containers",
    "--prefix",
    "--previous",
    "--since",
    "--timestamps",
    "-p",
];

/// What does the same as a flag of another tool.
fn flag_tip(flag: &str) -> Option<&'static str> {
    Some(match flag {
        "--apply" => {
            "load only reads: change the schedules in the manifests, or run the kubectl commands of its proposal."
        }
        "--save-state" | "--from-state" => {
            "Use suspend --reason TEXT, and then resume --reason TEXT with the same text, which resumes exactly those."
        }
        "--skip-method" => {
            "resume --catch-up=skip sets status.lastScheduleTime if that is permitted, otherwise startingDeadlineSeconds."
        }
        "--tz" | "--timezone" | "--time-zone" => {
            "For a schedule, use next-runs --schedule EXPR --time-zone ZONE; a CronJob has spec.timeZone."
        }
        "--no-color" | "--no-colors" => "Use --color=never, or set NO_COLOR.",
        "-w" | "--watch" => "Use scan --watch or top.",
        "--follow" => {
            "Use scan --watch or top to watch CronJobs. resume --wait compares what happens with the prediction."
        }
        "--brief" => "explain is short without it; -o wide shows all details.",
        "--since" => {
            "history and backfill have --since. For new problems, use scan --fail-on, or alerts."
        }
        "--fail-rate" | "--seed" => {
            "Each simulated Job takes as long as --job-duration, and fails only at its activeDeadlineSeconds."
        }
        "--from" => "Use --after with next-runs, and --since with history and backfill.",
        "--schedule" => "For a schedule without a CronJob, use next-runs --schedule EXPR.",
        "-k" | "--kustomize" => {
            "Use lint -k DIR, or pipe the output of kubectl kustomize DIR into the command with -f -."
        }
        "--timeout" => "Use --wait=TIMEOUT, or --request-timeout for a single request.",
        "--severity" | "--min-severity" => {
            "Use scan --problems-only for warnings and errors, and --fail-on SEVERITY for the exit code."
        }
        "--last" | "--limit" | "--tail" => {
            "history has --since, next-runs has --count, backfill has --last, and logs has --tail."
        }
        "--all" => {
            "Use -A for all namespaces. Without names, all CronJobs of the namespace are selected."
        }
        "--ahead" => "next-runs has --count and --until.",
        "--args" | "--command" => {
            "Use trigger NAME -- COMMAND ARG..., or trigger NAME --args -- ARG..."
        }
        _ => return None,
    })
}

/// What to use instead of a format of kubectl or of a CI system, if the command has JSON.
fn format_tip(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::Strings(formats)) = error.get(ContextKind::ValidValue) else {
        return None;
    };
    let Some(ContextValue::String(format)) = error.get(ContextKind::InvalidValue) else {
        return None;
    };
    let (name, _) = format.split_once('=').unwrap_or((format, ""));
    let tip = match name {
        "custom-columns"
        | "custom-columns-file"
        | "go-template"
        | "go-template-file"
        | "jsonpath"
        | "jsonpath-as-json"
        | "jsonpath-file"
        | "template"
        | "templatefile" => "Use -o json, and select the fields with a tool such as jq.",
        "junit" => "Use --fail-on and the exit code, or -o json.",
        _ => return None,
    };
    let has_json = formats.iter().any(|format| format == "json");
    has_json.then(|| tip.to_owned())
}

/// An unknown command as kubectl reports it, with the one that was probably meant.
fn unknown_command(error: &clap::Error) -> Option<Diagnostic> {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let ContextValue::String(word) = error.get(ContextKind::InvalidSubcommand)? else {
        return None;
    };
    let text = format!("unknown command {word:?} for \"kubectl cronjob-doctor\"");
    let diagnostic = Diagnostic::new(text);
    if NAMES.contains(&word.as_str()) {
        return Some(diagnostic.help(&format!(
            "This program was built without {word}, which needs the cargo feature \"cluster\"."
        )));
    }
    let mut synonyms = VERBS.iter().flat_map(|verb| verb.synonyms);
    let synonym = synonyms.find(|(_, words)| words.contains(&word.as_str()));
    let similar = match error.get(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::Strings(similar)) => similar.as_slice(),
        Some(ContextValue::String(similar)) => std::slice::from_ref(similar),
        _ => &[],
    };
    // "nope" is not a misspelled top: a command that is meant begins as the word does.
    let begins_alike = |similar: &&String| similar.chars().next() == word.chars().next();
    let similar: Vec<&str> = similar
        .iter()
        .filter(begins_alike)
        .map(String::as_str)
        .collect();
    let similar = similar.join(" or ");
    // A command that is left out means the name of a CronJob.
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-./".contains(c);
    Some(match synonym {
        Some((verb, _)) => diagnostic.help(&format!("Did you mean {verb}?")),
        None if !similar.is_empty() => diagnostic.help(&format!("Did you mean {similar}?")),
        None if word.chars().all(is_name) => {
            diagnostic.help(&format!("Did you mean \"explain {word}\"?"))
        }
        None => diagnostic.help("Use --help for a list of commands."),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    fn rewritten(line: &str) -> String {
        let args = line.split(' ').map(OsString::from);
        let command = crate::cli::command();
        let args = verb_first(&command, args);
        let args: Vec<_> = args.iter().filter_map(|arg| arg.to_str()).collect();
        args.join(" ")
    }

    #[test]
    fn verb_comes_first_and_type_and_name_are_one_word() {
        for case in [
            "x -n shop explain a => x explain -n shop a",
            "x --context=c -An shop next a -v => x next --context=c -An shop a -v",
            "x -nshop -o json scan => x scan -nshop -o json",
            "x explain scan => x explain scan",
            "x explain help => x explain help",
            "x --tz Etc/UTC next-runs --schedule @daily => x next-runs --tz Etc/UTC --schedule @daily",
            "x explain cj a => x explain a",
            "x -n shop explain cronjobs -o json a b => x explain -n shop -o json a b",
            "x logs cronjob a => x logs a",
            "x log CJ a => x log a",
            "x -n shop logs -f cj a => x logs -n shop -f a",
            "x scan -f cj a => x scan -f cj a",
            "x trigger cronjob.batch a -- job b => x trigger a -- job b",
            // Names.
            "x explain cj => x explain cj",
            "x explain a cj => x explain a cj",
            "x explain -n cj a => x explain -n cj a",
            "x trigger cj -- b => x trigger cj -- b",
            "x lint cronjobs jobs => x lint cronjobs jobs",
            // Without a verb it is scan.
            "x => x scan",
            "x -A -o wide => x scan -A -o wide",
            "x -n explain => x scan -n explain",
            // The parser reports these.
            "x --help => x --help",
            "x expain a => x expain a",
            "x -- explain => x -- explain",
            // Flags that take a value for some verbs only.
            "x --explain next-runs --schedule @daily => x next-runs --explain --schedule @daily",
            "x --explain CJD201 lint => x lint --explain CJD201",
            "x -f logs nightly => x logs -f nightly",
            "x -f a.yaml explain => x explain -f a.yaml",
            "x -f a.yaml => x scan -f a.yaml",
        ] {
            let (given, expected) = case.split_once(" => ").unwrap();
            assert_eq!(rewritten(given), expected);
        }
    }

    /// `next-runs --explain` stands alone, `lint --explain CODE` does not; as in kubectl, `logs -f` stands
    /// alone, and the `-f FILE` of others does not.
    #[test]
    fn a_flag_takes_a_value_for_every_verb_or_for_none() {
        let command = crate::cli::command();
        let flags = command.get_subcommands().flat_map(Command::get_arguments);
        let mut takes: BTreeMap<String, BTreeSet<bool>> = BTreeMap::new();
        for flag in flags.chain(command.get_arguments()) {
            let long = flag.get_long().map(str::to_owned);
            for name in long.into_iter().chain(flag.get_short().map(String::from)) {
                takes.entry(name).or_default().insert(takes_next(flag));
            }
        }
        takes.retain(|_, takes| takes.len() > 1);
        let of_two_meanings: Vec<&String> = takes.keys().collect();
        assert_eq!(of_two_meanings, ["explain", "f"]);
    }
}
