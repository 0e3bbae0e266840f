//! Every example of the README and of docs/ is run, and must print what it shows.
//!
//! An example is a block marked `console`: a line that begins with `$ ` is run in the project's
//! folder, and what follows is what it prints, to either stream. `$ echo $?` shows the exit code.
//! `UPDATE=1 cargo test --test integration docs::` writes what is printed into the documents: read it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::examples as examples_of;

use examples_of::{Example, examples, words};

#[test]
fn every_example_prints_what_the_documents_show() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    let mut wrong = Vec::new();
    for file in documents(root) {
        let text = fs::read_to_string(&file).unwrap();
        let mut updated = text.clone();
        for example in examples(&text, "console") {
            count += 1;
            let printed = run(root, &example);
            if printed != example.expected {
                let block = |output: &str| format!("{}\n{output}", example.last_line);
                updated = updated.replacen(&block(&example.expected), &block(&printed), 1);
                let shown = file.strip_prefix(root).unwrap().display();
                wrong.push(format!(
                    "{shown}:{}: {}\n--- shown\n{}--- printed\n{printed}",
                    example.line, example.command, example.expected
                ));
            }
        }
        if std::env::var_os("UPDATE").is_some() && updated != text {
            fs::write(&file, updated).unwrap();
        }
    }
    assert!(count >= 10, "only {count} examples were found");
    assert!(
        wrong.is_empty(),
        "{} of {count} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn the_command_that_tries_it_out_works() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let tried: Vec<&str> = readme
        .lines()
        .filter_map(|line| line.strip_prefix("    cargo run --quiet -- "))
        .collect();
    assert!(!tried.is_empty(), "the README has no command to try");
    for arguments in tried {
        let output = Command::new(env!("CARGO_BIN_EXE_kubectl-cronjob_doctor"))
            .args(words(arguments))
            .current_dir(root)
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments}: {output:?}");
        assert!(!output.stdout.is_empty(), "{arguments} prints nothing");
    }
}

fn documents(root: &Path) -> Vec<PathBuf> {
    let mut files = vec![root.join("README.md")];
    for entry in fs::read_dir(root.join("docs")).unwrap() {
        files.push(entry.unwrap().path());
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "md"));
    files.sort();
    files
}

fn run(root: &Path, example: &Example) -> String {
    let words = words(&example.command);
    let arguments = words
        .strip_prefix(&["kubectl".to_owned(), "cronjob-doctor".to_owned()])
        .unwrap_or_else(|| {
            panic!(
                "line {}: not our command: {}",
                example.line, example.command
            )
        });
    let output = Command::new(env!("CARGO_BIN_EXE_kubectl-cronjob_doctor"))
        .args(arguments)
        .current_dir(root)
        .env_clear()
        .env("HOME", "/home/you")
        .output()
        .unwrap();
    example.shown(&output)
}
