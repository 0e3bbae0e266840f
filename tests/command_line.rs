//! The command line: help that fits the screen, suggestions for typos, and when there are colors.

use std::process::Output;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::files::yaml;
use crate::support::prelude::*;

fn call(arguments: impl CommandLine, variables: &[(&str, &str)]) -> Output {
    let mut call = program();
    call.args(arguments.arguments());
    call.envs(variables.iter().copied()).output().unwrap()
}

fn stdout(arguments: impl CommandLine, variables: &[(&str, &str)]) -> String {
    let output = call(arguments, variables);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The last line of each help, as in kubectl's.
const MORE_OPTIONS: &str =
    "Use \"kubectl cronjob-doctor options\" for what these and the global options mean.";

/// The short and the long help of each verb, in a terminal of 80 columns.
fn helps(check: impl Fn(&clap::Command, &str, &str)) {
    let command = cronjob_doctor::cli::command();
    for verb in command.get_subcommands() {
        for flag in ["-h", "--help"] {
            let help = stdout([verb.get_name(), flag], &[("COLUMNS", "80")]);
            check(verb, flag, &help);
        }
    }
}

#[test]
fn short_help_fits_one_screen() {
    helps(|_, flag, help| assert!(flag != "-h" || help.lines().count() <= 40, "{help}"));
}

/// Three groups with a line for each verb; verbs without a group are only named.
#[test]
fn overview_has_a_line_for_each_verb() {
    let overview = stdout("--help", &[("COLUMNS", "80")]);
    let headings = overview.lines().filter(|line| line.ends_with(':'));
    let headings: Vec<&str> = headings.collect();
    assert_eq!(headings, ["Look:", "Act:", "Plan and monitor:", "Usage:"]);
    let (groups, rest) = overview.split_once("\nAlso: ").unwrap();
    let verbs = groups.lines().filter(|line| line.starts_with("  "));
    for line in verbs.clone() {
        assert!(!line.starts_with("   "), "{line}");
        assert!(line.chars().count() <= 80, "{line}");
    }
    let others = rest.lines().next().unwrap().split(", ").count();
    let command = cronjob_doctor::cli::command();
    let shown = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    assert_eq!(verbs.count() + others, shown.count());
}

/// Rarely used flags are explained only by `options`, and work.
#[test]
fn rarely_used_flags_are_only_in_options() {
    let options = stdout("options", &[("COLUMNS", "80")]);
    let command = cronjob_doctor::cli::command();
    for (verb, flags) in [
        (
            "scan",
            "resource controller chunk-size field-selector controller-time-zone display-time-zone",
        ),
        ("lint", "controller-time-zone"),
        ("load", "bucket peaks"),
        ("alerts", "label"),
    ] {
        let help = stdout([verb, "--help"], &[("COLUMNS", "80")]);
        let verb = command.find_subcommand(verb).unwrap();
        for flag in flags.split(' ') {
            assert_lacks!(help, &format!("--{flag}"));
            assert_contains!(options, &format!("\n      --{flag} "));
            let mut arguments = verb.get_arguments();
            assert!(arguments.any(|arg| arg.get_long() == Some(flag)), "{flag}");
        }
    }
}

/// The help of each of the three "what if" commands lists all three.
#[test]
fn what_if_table_is_equal_in_three_helps() {
    helps(|verb, flag, help| {
        let is_one = ["explain", "plan", "simulate"].contains(&verb.get_name());
        let table = help.split_once("\nWhat if:\n").map(|(_, table)| table);
        assert_eq!(table.is_some(), is_one && flag == "--help", "{help}");
        let lines = table.unwrap_or_default().lines();
        let rows = lines.take_while(|line| !line.is_empty());
        let rows: Vec<&str> = rows
            .filter_map(|row| row.split_whitespace().next())
            .collect();
        assert!(
            !is_one || table.is_none() || rows == ["explain", "plan", "simulate"],
            "{help}"
        );
    });
}

/// Flags of several commands are explained once, by `options`.
#[test]
fn long_help_fits_75_lines() {
    let all = AtomicUsize::new(0);
    helps(|verb, flag, help| {
        if flag == "--help" && !verb.is_hide_set() {
            let lines = help.lines().count();
            assert!(lines <= 75, "{lines}: {help}");
            all.fetch_add(lines, Ordering::Relaxed);
        }
    });
    assert!(all.into_inner() <= 1_100);
    let options = stdout("options", &[("COLUMNS", "80")]);
    for flag in [
        "--selector",
        "--now",
        "--bucket",
        "--field-manager",
        "--kinds",
    ] {
        let explained = format!("{flag} <");
        assert_contains!(options, explained.as_str());
        assert_lacks!(stdout("explain --help", &[]), explained.as_str());
    }
    assert_contains!(stdout("load -h", &[]), "--bucket");
}

/// `top` and `serve` follow a cluster.
#[test]
fn refused_flags_are_listed_for_no_verb_that_refuses_them() {
    let options = words(&stdout("options", &[("COLUMNS", "80")]));
    for flag in ["-f, --filename", "-R, --recursive", "--now <TIME>"] {
        let (_, text) = options.split_once(flag).unwrap();
        let (_, verbs) = text.split_once(" For: ").unwrap();
        let verbs = verbs.split_once('.').unwrap().0.split(", ");
        let verbs: Vec<&str> = verbs.collect();
        assert!(verbs.contains(&"scan"), "{flag}: {verbs:?}");
        assert!(
            !verbs.contains(&"top") && !verbs.contains(&"serve"),
            "{flag}: {verbs:?}"
        );
    }
    if cfg!(feature = "cluster") {
        for verb in ["top", "serve"] {
            let help = stdout(format!("{verb} --help"), &[]);
            assert_contains!(help, "Shared flags: -A, -l, --kubernetes-version\n");
        }
    }
}

#[test]
fn help_has_arguments_before_options() {
    helps(|verb, _, help| {
        let has_arguments = verb.get_positionals().next().is_some();
        let arguments = help.find("\nArguments:\n");
        assert_eq!(arguments.is_some(), has_arguments, "{help}");
        assert!(arguments < help.find("\nOptions:\n"), "{help}");
    });
}

#[test]
fn help_of_each_command_leaves_global_flags_to_options() {
    let command = cronjob_doctor::cli::command();
    let global = || command.get_arguments().filter(|arg| arg.is_global_set());
    let options = stdout("options", &[("COLUMNS", "80")]);
    for flag in global().filter_map(|arg| arg.get_long()) {
        assert_contains!(options, &format!("--{flag}"));
    }
    helps(|_, _, help| {
        assert_ends!(words(help), MORE_OPTIONS);
        let (_, listed) = help.split_once("Options:\n").unwrap();
        let listed = listed.lines().filter_map(|line| {
            let words = line.trim_start().split([' ', ',', '=', '[']);
            words.into_iter().find(|word| word.starts_with("--"))
        });
        for listed in listed {
            let is_it = |arg: &clap::Arg| arg.get_long() == listed.strip_prefix("--");
            assert!(!global().any(is_it), "{listed}: {help}");
        }
    });
}

/// kubectl has `help`, too.
#[test]
fn help_of_a_verb_is_that_of_its_flag() {
    let help = |arguments: &str| stdout(arguments, &[]);
    assert_eq!(help("help"), help("--help"));
    let command = cronjob_doctor::cli::command();
    for verb in command.get_subcommands() {
        let name = verb.get_name();
        let expected = help(&format!("{name} --help"));
        assert_eq!(help(&format!("help {name}")), expected);
    }
    assert_eq!(help("help next"), help("next-runs --help"));
    assert_eq!(help("-n shop help scan"), help("scan --help"));
    assert_eq!(help("help explain nightly"), help("explain --help"));
    assert_eq!(help("help help"), help("--help"));
}

/// A shell joins the lines of a command only at a backslash, and a command has a comment above it.
#[test]
fn examples_are_at_most_four_and_can_be_pasted() {
    let continued = AtomicUsize::new(0);
    helps(|_, flag, help| {
        let examples = help.split_once("\nExamples:\n");
        assert_eq!(examples.is_some(), flag == "--help", "{help}");
        let (_, examples) = examples.unwrap_or_default();
        let is_heading = |line: &&str| line.starts_with(char::is_alphabetic);
        let lines = examples.lines().take_while(|line| !is_heading(line));
        let mut open = false;
        let described = lines.clone().filter(|line| line.starts_with("  # "));
        assert!(described.count() <= 4, "{help}");
        for line in lines {
            let is_more = line.starts_with("    ");
            assert_eq!(is_more, open, "{line:?}: {help}");
            open = line.ends_with(" \\");
            continued.fetch_add(open.into(), Ordering::Relaxed);
        }
        assert!(!open, "{help}");
    });
    assert!(continued.into_inner() > 0);
}

/// Lines fit into a terminal of 80 columns, so that it wraps none of them.
#[test]
fn help_fits_80_columns() {
    helps(|_, _, help| {
        let lines: Vec<&str> = help.lines().collect();
        assert!(
            lines.iter().all(|line| line.chars().count() <= 80),
            "{help}"
        );
        // Prose is wrapped only where a line is full.
        for pair in lines.windows(2) {
            let (line, next) = (pair[0], pair[1]);
            let is_prose = |line: &str| line.starts_with(char::is_alphabetic);
            if is_prose(line) && is_prose(next) && !line.ends_with(':') {
                let word = next.split(' ').next().unwrap();
                let width = line.chars().count() + 1 + word.chars().count();
                assert!(width > 80, "{line:?} has space for {word:?}: {help}");
            }
        }
    });
}

#[test]
fn misspelled_verbs_flags_and_values_get_a_suggestion() {
    let cases = [
        ("explian", "help: Did you mean explain?"),
        ("triger a", "help: Did you mean trigger?"),
        ("pause a", "help: Did you mean suspend?"),
        ("restart a", "help: Did you mean trigger --job?"),
        (
            "scan --namepsace=a",
            "error: unknown flag: --namepsace\nhelp: Did you mean --namespace?\n",
        ),
        ("scan -o jsn", "help: Did you mean json?"),
        (
            "scan --foo",
            "error: unknown flag: --foo\nhelp: See 'kubectl cronjob-doctor scan --help' for usage.\n",
        ),
        ("next --schedule @dialy", "help: "),
    ];
    for (arguments, hint) in cases {
        let output = call(arguments, &[]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_starts!(stderr, "error: ");
        assert_contains!(stderr, hint);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    }
}

/// Output to a pipe has no colors unless they are forced. NO_COLOR takes precedence over CLICOLOR_FORCE.
#[test]
fn colors_depend_on_flag_and_variables() {
    let scan = "scan -f examples/cluster --now=2026-11-21T02:13:08Z";
    for (flag, variables, expected) in [
        ("", "", false),
        ("", "TERM=xterm-256color", false),
        ("", "TERM=dumb", false),
        ("", "CLICOLOR_FORCE=1", true),
        ("", "CLICOLOR_FORCE=1 NO_COLOR=1", false),
        ("--color=always", "NO_COLOR=1", true),
        ("--color=never", "CLICOLOR_FORCE=1", false),
    ] {
        let variables = variables.split(' ').filter_map(|one| one.split_once('='));
        let text = stdout((scan, flag), &variables.collect::<Vec<_>>());
        assert_eq!(text.contains('\x1b'), expected, "{flag}");
    }
}

/// The output does not depend on the language or the pager of the machine.
#[test]
fn output_does_not_depend_on_locale_or_pager() {
    let arguments = "explain nightly -f examples/cluster --now=2026-11-21T02:13:08Z";
    let plain = stdout(arguments, &[]);
    for variables in [
        &[("LC_ALL", "de_DE.UTF-8"), ("LANG", "de_DE.UTF-8")][..],
        &[("LC_ALL", "tr_TR.UTF-8"), ("TZ", "Asia/Tokyo")],
        &[("PAGER", "false"), ("LESS", "X")],
    ] {
        assert_eq!(stdout(arguments, variables), plain);
    }
}

#[test]
fn yaml_has_the_same_content_as_json() {
    for arguments in [
        "scan -f examples/cluster",
        "explain -f examples/cluster",
        "next-runs -f examples/next-runs --explain",
        "history -f examples/cluster",
        "load -f examples/load",
        "report -f examples/cluster",
        "simulate -f examples/simulate --for=3h",
        "lint examples/lint/unsupported-value/bad.yaml",
    ] {
        let ran = |format| doctor((arguments, "--now=2026-11-21T02:13:08Z -o", [format]));
        assert_eq!(
            yaml(&ran("yaml").stdout),
            [ran("json").json()],
            "{arguments}"
        );
    }
}
