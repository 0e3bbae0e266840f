//! `--help` in kubectl's order (description, examples, options, usage), and the verb `options`.
//!
//! The help of a command explains its own flags, and names those that several commands have; `options` explains them, and
//! the global ones, which no other help lists, as with kubectl.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write as _;

use anstream::adapter::strip_str;
use anyhow::Context as _;
use clap::builder::PossibleValue;
use clap::{Arg, Command};

use super::args::{Common, TIME_FORMS};
use super::verb::{Group, VERBS, Verb, VerbSpec};
use super::{CommandOutcome, command, stdio};

/// Explain the flags that several or all commands have
#[derive(Debug, clap::Args)]
#[command(before_long_help = "\
Examples:
  # Explain the flags of several commands
  kubectl cronjob-doctor options")]
pub(super) struct OptionsArgs {}

pub(super) const SPEC: VerbSpec = VerbSpec {
    several_contexts: true,
    ..VerbSpec::of::<OptionsArgs>("options", Group::Other)
};

impl Verb for OptionsArgs {
    fn run(&self, _: &Common) -> anyhow::Result<CommandOutcome> {
        let mut command = command();
        command.build();
        let mut text = rendered(
            "The following options can be passed to any command:",
            command.get_arguments().filter(|arg| arg.is_global_set()),
        );
        for heading in SHARED {
            text += &rendered(
                &format!("\n{heading}, of the commands that take them:"),
                shared_by_several(&command, heading).values(),
            );
        }
        let of_all = [("suspend", &[FIELD_MANAGER][..])];
        let of_verbs = VERBS.iter().map(|verb| (verb.name, verb.rare));
        let of_verbs = of_verbs.filter(|(_, rare)| !rare.is_empty());
        for (verb, flags) in of_verbs.chain(of_all) {
            let of_verb = command.find_subcommand(verb).into_iter();
            let of_verb = of_verb.flat_map(Command::get_arguments);
            let heading = match flags {
                [FIELD_MANAGER] => "\nOf all commands that change something:".to_owned(),
                _ => format!("\nOf {verb}:"),
            };
            let is_one = |arg: &&Arg| arg.get_long().is_some_and(|long| flags.contains(&long));
            text += &rendered(&heading, of_verb.filter(is_one));
        }
        for line in textwrap::wrap(TIME_FORMS, WIDTH) {
            let _ = write!(text, "\n{line}");
        }
        text.push('\n');
        write!(stdio::stdout(), "{text}").context("cannot write the result")?;
        Ok(CommandOutcome::Fine)
    }
}

/// The last line of each help.
const MORE_OPTIONS: &str =
    "Use \"kubectl cronjob-doctor options\" for what these and the global options mean.";

/// The headings of flags that several commands have.
const SHARED: [&str; 2] = ["Selection", "Time and version"];

/// Flags below a shared heading that only one command has.
const SINGLE: [&str; 4] = ["include-suspended", "kustomize", "reason", "stdin-name"];

/// Flags of several commands that few need, which only `options` shows.
const RARE_SHARED: [&str; 6] = [
    "chunk-size",
    "controller",
    "controller-time-zone",
    "display-time-zone",
    "field-selector",
    "resource",
];

/// A flag of all commands that change something, which few need.
const FIELD_MANAGER: &str = "field-manager";

/// The commands that predict a change, in the help of each.
const WHAT_IF_TABLE: &str = "\
What if:
  explain NAME --what-if FIELD=VALUE   a field of one CronJob changes now
  plan -f manifests/                   manifests are applied
  simulate                             over time: outages, upgrades, long Jobs";

/// The command with an overview of all commands as its help.
pub(super) fn with_overview(command: Command) -> Command {
    let overview = overview(&command);
    command.override_help(overview)
}

/// The command whose arguments list the values that they accept as kubectl's do.
pub(super) fn with_values(command: Command) -> Command {
    command
        .mut_args(listing_values)
        .mut_arg("namespaces", |arg| {
            naming_verbs(arg, |verb| verb.several_namespaces)
        })
        .mut_arg("contexts", |arg| {
            naming_verbs(arg, |verb| verb.several_contexts)
        })
}

/// The argument whose help names the verbs that take several.
fn naming_verbs(arg: Arg, takes_several: fn(&VerbSpec) -> bool) -> Arg {
    let verbs = VERBS.iter().filter(|verb| verb.group != Group::Other);
    let names: Vec<&str> = verbs
        .filter(|verb| takes_several(verb))
        .map(|verb| verb.name)
        .collect();
    changed(arg, |help| match names.split_last() {
        Some((last, others)) => {
            help.replace("{verbs}", &format!("{} and {last}", others.join(", ")))
        }
        None => help,
    })
}

/// The arguments first, then the options of the verb; the long help only names those that several verbs have.
pub(super) fn with_order(verb: Command, spec: &VerbSpec) -> Command {
    let verb = verb.mut_args(|arg| {
        let arg = listing_values(if arg.is_positional() {
            arg.help_heading(None::<&'static str>)
        } else {
            arg
        });
        let is_for_few = is_for_few(&arg);
        let is_explained_elsewhere = is_shared(&arg) || is_rare(spec.rare, &arg);
        let is_refused = arg
            .get_long()
            .is_some_and(|long| spec.refused.contains(&long));
        let arg = arg.hide_long_help(is_explained_elsewhere);
        let arg = if is_refused { arg.hide(true) } else { arg };
        if is_for_few {
            arg.hide_short_help(true)
        } else {
            arg
        }
    });
    let verb = match verb.get_before_long_help().map(ToString::to_string) {
        Some(examples) if spec.predicts_changes => {
            verb.before_long_help(format!("{examples}\n\n{WHAT_IF_TABLE}"))
        }
        _ => verb,
    };
    let usage = "{all-args}\n\n{usage-heading}\n  {usage}{after-help}";
    let shared = shared_flags(&verb);
    verb.help_template(format!("{{about-with-newline}}\n{{before-help}}{usage}"))
        .after_help(MORE_OPTIONS)
        .after_long_help(format!("{shared}{MORE_OPTIONS}"))
}

fn is_shared(arg: &Arg) -> bool {
    let heading = arg.get_help_heading();
    let is_single = arg.get_long().is_none_or(|long| SINGLE.contains(&long));
    !is_single && heading.is_some_and(|heading| SHARED.contains(&heading))
}

fn is_for_few(arg: &Arg) -> bool {
    let long = arg.get_long();
    long.is_some_and(|long| RARE_SHARED.contains(&long))
}

fn is_rare(rare: &[&str], arg: &Arg) -> bool {
    let long = arg.get_long();
    long.is_some_and(|long| long == FIELD_MANAGER || rare.contains(&long))
}

/// The flags that the long help does not explain: `  Shared flags: -A, -l, -f, --now`
fn shared_flags(verb: &Command) -> String {
    let named = |arg: &Arg| {
        let short = arg.get_short().map(|short| format!("-{short}"));
        short.or_else(|| Some(format!("--{}", arg.get_long()?)))
    };
    let shown = |arg: &&Arg| is_shared(arg) && !arg.is_hide_set() && !is_for_few(arg);
    let of_group = |heading| {
        let shared = verb.get_arguments().filter(shown);
        shared.filter(move |arg| arg.get_help_heading() == Some(heading))
    };
    let names: Vec<String> = SHARED
        .into_iter()
        .flat_map(of_group)
        .filter_map(named)
        .collect();
    if names.is_empty() {
        return String::new();
    }
    format!("  Shared flags: {}\n", names.join(", "))
}

/// Replaces clap's list of the values that an argument accepts. The first paragraph of its doc comment is only its
/// short help.
fn listing_values(arg: Arg) -> Arg {
    let values = arg.get_possible_values();
    let hides_values = arg.get_action().takes_values() && !values.is_empty();
    let values: Vec<&str> = values.iter().map(PossibleValue::get_name).collect();
    let values = format!("({})", values.join(", "));
    let summary = arg.get_help().map(ToString::to_string);
    let is_final = arg.get_long_help().is_none()
        && !summary
            .as_ref()
            .is_some_and(|text| text.contains("{values}"));
    let defaults = arg.get_default_values().join(OsStr::new(","));
    let default = defaults.to_str().filter(|default| {
        !default.is_empty() && !arg.is_hide_default_value_set() && arg.get_action().takes_values()
    });
    let default = default.map(|default| format!(" (default: {default})"));
    if is_final && !hides_values && default.is_none() {
        return arg;
    }
    let arg = changed(arg, |help| {
        let rest = help.strip_prefix(summary.as_deref().unwrap_or_default());
        let details = rest.and_then(|rest| rest.trim_start_matches('.').strip_prefix("\n\n"));
        let text = details.unwrap_or(&help);
        let mut text = text.replace("{values}", &values);
        if let Some(default) = &default {
            text.truncate(text.trim_end_matches('.').len());
            text += default;
        }
        text
    });
    let arg = if default.is_some() {
        arg.hide_default_value(true)
    } else {
        arg
    };
    if hides_values {
        arg.hide_possible_values(true)
    } else {
        arg
    }
}

/// The argument with other help texts.
pub(super) fn changed(mut arg: Arg, change: impl Fn(String) -> String) -> Arg {
    let texts = [arg.get_help(), arg.get_long_help()];
    let [help, long_help] = texts.map(|help| help.map(|help| change(help.to_string())));
    if let Some(help) = help {
        arg = arg.help(help);
    }
    match long_help {
        Some(long_help) => arg.long_help(long_help),
        None => arg,
    }
}

/// A help text without the empty lines between flags.
pub(super) fn compact(help: &str) -> String {
    let mut text = String::with_capacity(help.len());
    let mut is_listing = false;
    let mut lines = help.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let is_flag = |line: &str| {
            let line = strip_str(line).to_string();
            line.trim_start().starts_with(['-', '[', '<'])
        };
        let between = line.trim().is_empty() && lines.peek().is_some_and(|next| is_flag(next));
        if !(is_listing && between) {
            text += line;
        }
        // A list begins at its first flag, below a heading.
        is_listing = is_flag(line) || is_listing && line.starts_with(' ') || is_listing && between;
    }
    text
}

/// The help of the command as a whole: the other commands in groups.
fn overview(command: &Command) -> String {
    let heading = command.get_styles().get_header();
    let name_style = command.get_styles().get_literal();
    let mut text = String::new();
    if let Some(about) = command.get_long_about() {
        let _ = writeln!(text, "{about}");
    }
    let of_group = |group| {
        let verbs = VERBS.iter().filter(move |verb| verb.group == group);
        verbs.filter_map(|verb| command.find_subcommand(verb.name))
    };
    for (group, title) in Group::SHOWN {
        for (index, verb) in of_group(group).enumerate() {
            if index == 0 {
                let _ = writeln!(text, "\n{heading}{title}:{heading:#}");
            }
            let (name, about) = (verb.get_name(), verb.get_about().map(ToString::to_string));
            let about = about.unwrap_or_default();
            let _ = writeln!(
                text,
                "  {name_style}{name:NAME_WIDTH$}{name_style:#}{about}"
            );
        }
    }
    let others: Vec<&str> = of_group(Group::Other).map(Command::get_name).collect();
    let _ = writeln!(text, "\nAlso: {}", others.join(", "));
    let _ = write!(
        text,
        "\n{heading}Usage:{heading:#}\n  kubectl cronjob-doctor [COMMAND] [OPTIONS]\n\n\
         Use \"kubectl cronjob-doctor <command> --help\" for more information about a given command.\n\
         Use \"kubectl cronjob-doctor options\" for the flags that several or all commands have.\n"
    );
    text
}

/// The columns of a command's name, as in kubectl's help.
const NAME_WIDTH: usize = 14;
const WIDTH: usize = 80;

/// The flags below a heading, each as the first command has it, with the commands that take it.
fn shared_by_several(command: &Command, heading: &str) -> BTreeMap<String, Arg> {
    let mut flags: BTreeMap<String, (Arg, Vec<&str>)> = BTreeMap::new();
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    for verb in verbs {
        let of_group = verb.get_arguments();
        let of_group = of_group.filter(|arg| is_shared(arg) && !arg.is_hide_set());
        for arg in of_group.filter(|arg| arg.get_help_heading() == Some(heading)) {
            if let Some(long) = arg.get_long() {
                let known = flags.entry(long.to_owned());
                let (_, verbs) = known.or_insert_with(|| (arg.clone(), Vec::new()));
                verbs.push(verb.get_name());
            }
        }
    }
    let named = flags.into_iter().map(|(long, (arg, verbs))| {
        let verbs = verbs.join(", ");
        (
            long,
            changed(arg, |help| {
                format!("{}. For: {verbs}.", help.trim_end_matches('.'))
            }),
        )
    });
    named.collect()
}

/// Flags in alphabetical order below a heading, as clap shows them.
fn rendered<'a>(heading: &str, flags: impl Iterator<Item = &'a Arg>) -> String {
    let mut flags: Vec<&Arg> = flags.collect();
    flags.sort_by_key(|flag| flag.get_long());
    let mut text = format!("{heading}\n");
    let indent = " ".repeat(10);
    for flag in flags {
        let short = flag.get_short().map(|short| format!("  -{short}, "));
        let _ = writeln!(text, "{}{flag}", short.unwrap_or_else(|| " ".repeat(6)));
        let help = flag.get_long_help().or(flag.get_help());
        let help = help.map(ToString::to_string).unwrap_or_default();
        for line in textwrap::wrap(&help, WIDTH - indent.len()) {
            let _ = writeln!(text, "{indent}{line}");
        }
    }
    text
}
