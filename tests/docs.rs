//! Every example of the README and of docs/ is run, and must print what it shows.
//!
//! An example is a block marked `console`: a line that begins with `$ ` is run in the project's
//! folder, and what follows is what it prints, to either stream. `$ echo $?` shows the exit code.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test may fail in any way, and tell about it"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn every_example_prints_what_the_documents_show() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    let mut wrong = Vec::new();
    for file in documents(root) {
        let text = fs::read_to_string(&file).unwrap();
        for example in examples(&text) {
            count += 1;
            let printed = run(root, &example);
            if printed != example.expected {
                let shown = file.strip_prefix(root).unwrap().display();
                wrong.push(format!(
                    "{shown}:{}: {}\n--- shown\n{}--- printed\n{printed}",
                    example.line, example.command, example.expected
                ));
            }
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

struct Example {
    line: usize,
    command: String,
    expected: String,
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

fn examples(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let (true, Some(command)) = (inside, line.strip_prefix("$ ")) {
            let command = command.to_owned();
            examples.push(Example {
                line: number + 1,
                command,
                expected: String::new(),
            });
        } else if inside {
            let example = examples.last_mut().expect("a command before its output");
            if let Some(begun) = example.command.strip_suffix('\\') {
                // A command that goes on in the next line.
                example.command = format!("{begun}{}", line.trim_start());
            } else {
                example.expected.push_str(line);
                example.expected.push('\n');
            }
        }
    }
    // `echo $?` belongs to the example before it.
    let mut merged: Vec<Example> = Vec::new();
    for example in examples {
        match merged.last_mut() {
            Some(before) if example.command == "echo $?" => {
                before
                    .expected
                    .push_str(&format!("exit code {}", example.expected));
            }
            _ => merged.push(example),
        }
    }
    merged
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
        .env("HOME", "/nonexistent")
        .output()
        .unwrap();
    let mut printed = String::from_utf8(output.stdout).unwrap();
    printed.push_str(&String::from_utf8(output.stderr).unwrap());
    if example.expected.contains("exit code ") {
        printed.push_str(&format!("exit code {}\n", output.status.code().unwrap()));
    }
    // Documents show no blanks at the end of a line.
    let lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
    if lines.is_empty() {
        String::new()
    } else {
        lines.join("\n") + "\n"
    }
}

/// Splits as a shell does, for words in single or double quotes and plain ones.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in command.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}
