//! `--help` in kubectl's order (description, examples, options, usage), and the verb `options`.
//!
//! The global flags are hidden in the help of each command, as kubectl does; `options` lists them.

use std::fmt::Write as _;

use anyhow::Context as _;
use clap::builder::PossibleValue;
use clap::{Arg, Command};

use super::{CommandOutcome, command, stdio};

/// Print the list of flags inherited by all commands
#[derive(Debug, clap::Args)]
#[command(before_long_help = "\
Examples:
  # Print flags inherited by all commands
  kubectl cronjob-doctor options")]
pub(super) struct OptionsArgs {}

/// The last line of each help.
const MORE_OPTIONS: &str = "Use \"kubectl cronjob-doctor options\" for a list of global command-line options \
                            (applies to all commands).";

/// The commands in the order of the help, in groups.
const GROUPS: [(&str, &[&str]); 5] = [
    (
        "Inspection Commands",
        &["scan", "top", "explain", "history", "logs", "report"],
    ),
    (
        "Planning Commands",
        &["plan", "next-runs", "simulate", "load", "lint"],
    ),
    (
        "Change Commands",
        &["suspend", "resume", "trigger", "retry", "backfill"],
    ),
    ("Monitoring Commands", &["serve", "alerts"]),
    ("Other Commands", &["completion", "options", "version"]),
];

/// The command with an overview of all commands as its help.
pub(super) fn with_overview(command: Command) -> Command {
    let overview = overview(&command);
    command.override_help(overview)
}

/// The command whose arguments list the values that they accept as kubectl's do.
pub(super) fn with_values(command: Command) -> Command {
    command.mut_args(listing_values)
}

/// The arguments first, then the options of the verb, then those that several verbs have.
pub(super) fn with_order(verb: Command) -> Command {
    let verb = verb.mut_args(|arg| {
        listing_values(if arg.is_positional() {
            arg.help_heading(None::<&'static str>)
        } else {
            arg
        })
    });
    let usage = "{all-args}\n\n{usage-heading}\n  {usage}{after-help}";
    verb.help_template(format!("{{about-with-newline}}\n{{before-help}}{usage}"))
        .after_help(MORE_OPTIONS)
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
    if is_final && !hides_values {
        return arg;
    }
    let arg = changed(arg, |help| {
        let paragraphs = help.split_once("\n\n");
        let details = paragraphs.filter(|(first, _)| {
            let summary = summary.as_deref().unwrap_or_default();
            first.trim_end_matches('.') == summary.trim_end_matches('.')
        });
        let text = details.map_or(help.as_str(), |(_, details)| details);
        text.replace("{values}", &values)
    });
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

/// The help of the command as a whole: the other commands in groups.
fn overview(command: &Command) -> String {
    let heading = command.get_styles().get_header();
    let name_style = command.get_styles().get_literal();
    let mut text = String::new();
    if let Some(about) = command.get_long_about() {
        let _ = writeln!(text, "{about}");
    }
    let indent = " ".repeat(2 + NAME_WIDTH);
    for (group, verbs) in GROUPS {
        let _ = writeln!(text, "\n{heading}{group}:{heading:#}");
        for name in verbs {
            let verb = command.find_subcommand(name);
            let about = verb.and_then(Command::get_about).map(ToString::to_string);
            let _ = write!(text, "  {name_style}{name:NAME_WIDTH$}{name_style:#}");
            let lines = textwrap::wrap(about.as_deref().unwrap_or_default(), WIDTH - indent.len());
            let _ = writeln!(text, "{}", lines.join(&format!("\n{indent}")));
        }
    }
    let _ = write!(
        text,
        "\n{heading}Usage:{heading:#}\n  kubectl cronjob-doctor [COMMAND] [OPTIONS]\n\n\
         Use \"kubectl cronjob-doctor <command> --help\" for more information about a given command.\n\
         {MORE_OPTIONS}\n"
    );
    text
}

/// The columns of a command's name, as in kubectl's help.
const NAME_WIDTH: usize = 14;
const WIDTH: usize = 80;

pub(super) fn options() -> anyhow::Result<CommandOutcome> {
    let mut list = global_options(&command());
    let text = list.render_long_help();
    write!(stdio::stdout(), "{}", text.ansi()).context("cannot write the result")?;
    Ok(CommandOutcome::Fine)
}

/// A command with the global flags alone, in alphabetical order.
fn global_options(command: &Command) -> Command {
    let global = command.get_arguments().filter(|arg| arg.is_global_set());
    let mut flags: Vec<clap::Arg> = global.cloned().collect();
    flags.sort_by_key(|flag| flag.get_long().map(str::to_owned));
    let flags = flags.into_iter().enumerate();
    Command::new("options")
        .disable_help_flag(true)
        .help_template("{before-help}{options}")
        .before_help("The following options can be passed to any command:")
        .max_term_width(100)
        .args(flags.map(|(index, flag)| flag.hide(false).global(false).display_order(index)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let command = command();
        let shown = command.get_subcommands().filter(|verb| !verb.is_hide_set());
        let mut verbs: Vec<&str> = shown.map(Command::get_name).collect();
        let mut listed: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        verbs.sort_unstable();
        listed.sort_unstable();
        assert_eq!(verbs, listed);
    }
}
