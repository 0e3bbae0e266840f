//! The examples of the README and of docs/ that change a cluster: each document has a cluster of its own, with
//! the objects of examples/cluster, at the moment at which they were recorded.
//!
//! They are in blocks marked `console cluster`, and are run in the order of the document: what one
//! changes, the next one sees.

use crate::support::apiserver;
use crate::support::examples;

use std::fs;
use std::io::{Read as _, pipe};
use std::path::Path;
use std::process::{Command, Output};

use apiserver::{ApiServer, Kubeconfig, Options};
use examples::{Example, examples, words};

/// When the objects of examples/cluster were recorded.
const NOW: &str = "2026-11-21T02:13:08Z";

#[test]
fn every_example_does_what_the_documents_show() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    let mut wrong = Vec::new();
    let files = fs::read_dir(root.join("docs")).unwrap();
    let mut files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
    files.push(root.join("README.md"));
    files.sort();
    for file in files {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let examples = examples(&text, "console cluster");
        if examples.is_empty() {
            continue;
        }
        let server = cluster();
        for example in examples {
            count += 1;
            let printed = run(root, &server, &example);
            if printed != example.expected {
                let shown = file.strip_prefix(root).unwrap().display();
                wrong.push(format!(
                    "{shown}:{}: {}\n--- shown\n{}--- printed\n{printed}",
                    example.line, example.command, example.expected
                ));
            }
        }
    }
    assert!(count >= 5, "only {count} examples were found");
    assert!(
        wrong.is_empty(),
        "{} of {count} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn cluster() -> ApiServer {
    let server = ApiServer::start(Options::default());
    for list in ["cronjobs", "jobs", "events"] {
        server.load_list(&format!("examples/cluster/{list}.json"));
    }
    server.set_date(NOW);
    server
}

fn run(root: &Path, server: &ApiServer, example: &Example) -> String {
    let kubeconfig = server.kubeconfig(&Kubeconfig::user("admin").namespace("shop"));
    let words = words(&example.command);
    let arguments = words.strip_prefix(&["kubectl".to_owned(), "cronjob-doctor".to_owned()]);
    // One stream, as at a terminal.
    let (mut reader, writer) = pipe().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_kubectl-cronjob_doctor"))
        .args(arguments.expect("our command"))
        .current_dir(root)
        .env_clear()
        .env("HOME", "/home/you")
        .env("KUBECONFIG", kubeconfig)
        .stdout(writer.try_clone().unwrap())
        .stderr(writer)
        .spawn()
        .unwrap();
    let mut printed = String::new();
    reader.read_to_string(&mut printed).unwrap();
    // The moment is long past when the example is run.
    let told = printed
        .lines()
        .filter(|line| !line.starts_with("warning: this machine's clock is "));
    let told: Vec<String> = told.map(|line| format!("{line}\n")).collect();
    example.shown(&Output {
        status: child.wait().unwrap(),
        stdout: told.concat().into_bytes(),
        stderr: Vec::new(),
    })
}
