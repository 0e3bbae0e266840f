//! The verbs of the program's table: a new one is in each test of all verbs without an entry in it.

use clap::Command;

/// The names of all verbs that fit, in the order of the help.
fn that(fits: impl Fn(&Command) -> bool) -> Vec<String> {
    let command = cronjob_doctor::cli::command();
    let verbs = command.get_subcommands().filter(|verb| fits(verb));
    verbs.map(|verb| verb.get_name().to_owned()).collect()
}

fn has(verb: &Command, flag: &str) -> bool {
    verb.get_arguments().any(|arg| arg.get_id() == flag)
}

/// Those that show a result about any CronJobs of a cluster or of files, and change nothing.
pub(crate) fn reading() -> Vec<String> {
    that(|verb| {
        let all = ["filename", "all_namespaces", "output"];
        all.iter().all(|flag| has(verb, flag)) && !has(verb, "dry_run")
    })
}

/// Those that are about CronJobs of a cluster.
pub(crate) fn of_cluster() -> Vec<String> {
    let others = ["completion", "lint", "options", "version"];
    that(|verb| !others.contains(&verb.get_name()))
}

/// The values that `--output` of a verb accepts.
pub(crate) fn formats(verb: &str) -> Vec<String> {
    let command = cronjob_doctor::cli::command();
    let verb = command.find_subcommand(verb).unwrap();
    let output = verb.get_arguments().find(|arg| arg.get_id() == "output");
    let values = output.unwrap().get_possible_values();
    let names = values.iter().map(clap::builder::PossibleValue::get_name);
    names.map(str::to_owned).collect()
}
