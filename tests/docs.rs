//! Every example of the README and of docs/ is run, and must print what it shows.
//!
//! An example is a block marked `console`: a line that begins with `$ ` is run in the project's
//! folder, and what follows is what it prints, to either stream. `$ echo $?` shows the exit code.
//! `UPDATE=1 cargo test --test integration docs::` writes what is printed into the documents: read it.

use std::fs;
use std::process::Command;

use crate::support::examples::{Example, arguments, check_documents, words};
use crate::support::files::root;

#[test]
fn every_example_prints_what_the_documents_show() {
    check_documents("console", 10, |examples| examples.iter().map(run).collect());
}

#[test]
fn the_command_that_tries_it_out_works() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let tried: Vec<&str> = readme
        .lines()
        .filter_map(|line| line.strip_prefix("    cargo run --quiet -- "))
        .collect();
    assert!(!tried.is_empty(), "the README has no command to try");
    for arguments in tried {
        let output = Command::new(env!("CARGO_BIN_EXE_kubectl-cronjob_doctor"))
            .args(words(arguments))
            .current_dir(root())
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments}: {output:?}");
        assert!(!output.stdout.is_empty(), "{arguments} prints nothing");
    }
}

fn run(example: &Example) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kubectl-cronjob_doctor"))
        .args(arguments(example))
        .current_dir(root())
        .env_clear()
        .env("HOME", "/home/you")
        .output()
        .unwrap();
    example.shown(&output)
}
