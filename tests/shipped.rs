//! The manual pages, completion scripts and schemas match the program. `UPDATE=1` writes them.

use crate::support::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

#[test]
fn completion_scripts_are_up_to_date() {
    let scripts = [
        ("bash", "kubectl-cronjob_doctor.bash"),
        ("zsh", "_kubectl-cronjob_doctor"),
        ("fish", "kubectl-cronjob_doctor.fish"),
        ("kubectl", "kubectl_complete-cronjob_doctor"),
    ];
    let made = scripts.map(|(shell, file)| (file.to_owned(), doctor(["completion", shell]).fine()));
    check("completions", &BTreeMap::from(made));
}

/// One page for the program and one for each verb, as git has them.
#[test]
fn man_pages_are_up_to_date() {
    let mut command = cronjob_doctor::cli::command();
    command.build();
    let mut made = BTreeMap::new();
    for verb in command.get_subcommands() {
        let name = format!("kubectl-cronjob_doctor-{}", verb.get_name());
        made.insert(format!("{name}.1"), page(&name, verb));
    }
    made.insert(
        "kubectl-cronjob_doctor.1".to_owned(),
        page("kubectl-cronjob_doctor", &command),
    );
    check("packaging/man", &made);
}

#[test]
fn schemas_are_up_to_date() {
    let schemas = crate::generated::schemas::schemas().into_iter();
    let made = schemas.map(|(kind, schema)| {
        // A schema has an order of its own for its keywords.
        let schema = schemars::Schema::try_from(schema).unwrap();
        let text = serde_json::to_string_pretty(&schema).unwrap();
        (format!("{kind}.json"), format!("{text}\n"))
    });
    check("schemas", &made.collect());
}

fn page(name: &str, command: &clap::Command) -> String {
    // The global flags are in the page of the program.
    let is_program = command.has_subcommands();
    let whole = command.clone().mut_args(|arg| {
        let is_hidden = arg.is_hide_set() && !(is_program && arg.is_global_set());
        arg.hide_short_help(false).hide(is_hidden)
    });
    let man = clap_mangen::Man::new(whole)
        .title(name.trim_start_matches("kubectl-").to_uppercase())
        .section("1")
        .source(concat!("cronjob-doctor ", env!("CARGO_PKG_VERSION")));
    let mut page = Vec::new();
    man.render_title(&mut page).unwrap();
    man.render_name_section(&mut page).unwrap();
    page.extend(section("SYNOPSIS", &synopsis(command)));
    man.render_description_section(&mut page).unwrap();
    man.render_options_section(&mut page).unwrap();
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page).unwrap();
    }
    let before = command.get_before_long_help().map(ToString::to_string);
    if let Some(examples) = before
        .as_deref()
        .and_then(|before| before.strip_prefix("Examples:\n"))
    {
        page.extend(section("EXAMPLES", examples));
    }
    page.extend(section("EXIT STATUS", EXIT_STATUS));
    if !is_program {
        page.extend(section("SEE ALSO", SEE_ALSO));
    }
    String::from_utf8(page).unwrap()
}

const EXIT_STATUS: &str = "\
0    success, and no finding at or above --fail-on
1    success, with findings at or above --fail-on
2    error, described on stderr
130  interrupted";

const SEE_ALSO: &str = "\
kubectl-cronjob_doctor(1) lists the global options, which apply to all commands.";

fn synopsis(command: &clap::Command) -> String {
    let usage = command.clone().render_usage().to_string();
    usage.trim_start_matches("Usage: ").to_owned()
}

/// A section whose lines stay as they are.
fn section(heading: &str, text: &str) -> Vec<u8> {
    let escaped = text.replace('\\', "\\e").replace('-', "\\-");
    let lines = escaped.lines().map(|line| format!("\\&{line}\n"));
    format!(".SH {heading:?}\n.nf\n{}.fi\n", lines.collect::<String>()).into_bytes()
}

/// Compares the files of a folder with what they should be.
fn check(folder: &str, expected: &BTreeMap<String, String>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    if std::env::var_os("UPDATE").is_some() {
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        for (name, text) in expected {
            fs::write(folder.join(name), text).unwrap();
        }
        return;
    }
    let entries = fs::read_dir(&folder).unwrap();
    let found: BTreeMap<String, String> = entries
        .map(|entry| {
            let entry = entry.unwrap();
            let text = fs::read_to_string(entry.path()).unwrap();
            (entry.file_name().into_string().unwrap(), text)
        })
        .collect();
    for (name, text) in expected {
        assert!(
            found.get(name) == Some(text),
            "{name} is out of date; UPDATE=1 cargo test --test integration shipped:: writes it"
        );
    }
    let names: Vec<&String> = expected.keys().collect();
    assert_eq!(found.keys().collect::<Vec<_>>(), names);
}
