//! The examples of a document: commands, and what they print.
//!
//! An example is a block with a certain word after its fence: a line that begins with `$ ` is run,
//! and what follows is what it prints, to either stream. `$ echo $?` shows the exit code. A line that
//! begins with `^ ` names what is above it, and is not printed: such a block has to be updated manually.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use super::files::root;

/// A command, and its output according to the document.
pub(crate) struct Example {
    pub(crate) line: usize,
    pub(crate) command: String,
    pub(crate) expected: String,
    /// The last line of the command, as it is written.
    pub(crate) last_line: String,
}

impl Example {
    /// What a run printed, in the form in which documents show it.
    pub(crate) fn shown(&self, output: &Output) -> String {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let mut printed = text(&output.stdout);
        printed.push_str(&text(&output.stderr));
        let mut lines = self.expected.lines();
        if lines.any(|line| line.starts_with("exit code ")) {
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
}

/// Runs the examples of the README and of each page in docs/, and compares what they print with what is shown.
/// With `UPDATE` in the environment the documents are rewritten instead: read the difference.
pub(crate) fn check_documents(
    words: &str,
    at_least: usize,
    run: impl Fn(&[Example]) -> Vec<String>,
) {
    let (mut count, mut wrong) = (0, Vec::new());
    for file in documents() {
        let text = fs::read_to_string(&file).unwrap();
        let examples = examples(&text, words);
        if examples.is_empty() {
            continue;
        }
        count += examples.len();
        let wrong_before = wrong.len();
        let mut updated = text.clone();
        for (example, printed) in examples.iter().zip(run(&examples)) {
            if printed != example.expected {
                let block = |output: &str| {
                    let output = format!("{}\n{output}", example.last_line);
                    output.replace("\nexit code ", "\n$ echo $?\n")
                };
                updated = updated.replacen(&block(&example.expected), &block(&printed), 1);
                let shown = file.strip_prefix(root()).unwrap().display();
                wrong.push(format!(
                    "{shown}:{}: {}\n--- shown\n{}--- printed\n{printed}",
                    example.line, example.command, example.expected
                ));
            }
        }
        if std::env::var_os("UPDATE").is_some() && updated != text {
            fs::write(&file, updated).unwrap();
            wrong.truncate(wrong_before);
        }
    }
    assert!(count >= at_least, "only {count} examples were found");
    let wrong = (wrong.len(), wrong.join("\n"));
    assert!(wrong.0 == 0, "{} of {count} differ:\n{}", wrong.0, wrong.1);
}

fn documents() -> Vec<PathBuf> {
    let pages = fs::read_dir(root().join("docs")).unwrap();
    let mut files: Vec<PathBuf> = pages.map(|page| page.unwrap().path()).collect();
    files.push(root().join("README.md"));
    files.retain(|file| file.extension().is_some_and(|extension| extension == "md"));
    files.sort();
    files
}

/// The arguments of an example, after `kubectl cronjob-doctor`.
pub(crate) fn arguments(example: &Example) -> Vec<String> {
    let words = words(&example.command);
    let arguments = words.strip_prefix(&["kubectl".to_owned(), "cronjob-doctor".to_owned()]);
    let (line, command) = (example.line, &example.command);
    arguments
        .unwrap_or_else(|| panic!("line {line}: not our command: {command}"))
        .to_vec()
}

/// The examples in blocks that begin with a fence and these words.
fn examples(text: &str, words: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            inside = line.strip_prefix("```") == Some(words);
        } else if let (true, Some(command)) = (inside, line.strip_prefix("$ ")) {
            let command = command.to_owned();
            examples.push(Example {
                line: number + 1,
                command,
                expected: String::new(),
                last_line: line.to_owned(),
            });
        } else if inside && !line.starts_with("^ ") {
            let example = examples.last_mut().expect("a command before its output");
            if let Some(begun) = example.command.strip_suffix('\\') {
                // A command that continues in the next line.
                example.command = format!("{begun}{}", line.trim_start());
                example.last_line = line.to_owned();
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

/// Splits a command as a shell does.
pub(crate) fn words(command: &str) -> Vec<String> {
    shlex::split(command).unwrap()
}
