//! Every example of the README and of docs/ is run, and must print what it shows.
//!
//! An example is a block marked `console`: a line that begins with `$ ` is run in the project's
//! folder, and what follows is what it prints, to either stream. `$ echo $?` shows the exit code.
//! `UPDATE=1 cargo test --test integration docs::` writes the output into the documents: review the changes.

use crate::support::examples::{Example, arguments, check_documents, words};
use crate::support::files::text;
use crate::support::run::{doctor, program};

#[test]
fn every_example_prints_what_the_documents_show() {
    check_documents("console", 10, |examples| examples.iter().map(run).collect());
}

#[test]
fn command_to_try_in_readme_works() {
    let readme = text("README.md");
    let lines = readme.lines();
    let tried = lines.filter_map(|line| line.strip_prefix("    cargo run --quiet -- "));
    let tried: Vec<&str> = tried.collect();
    assert!(!tried.is_empty(), "the README has no command to try");
    for arguments in tried {
        let ran = doctor(words(arguments));
        assert!(
            ran.code == 0 && !ran.stdout.is_empty(),
            "{arguments}: {ran}"
        );
    }
}

fn run(example: &Example) -> String {
    let mut call = program();
    call.args(arguments(example)).env("HOME", "/home/you");
    example.shown(&call.output().unwrap())
}
