//! Files of the project, as text and as parsed YAML.

use std::fs;
use std::path::{Path, PathBuf};

use located_yaml as document;
use serde_json::Value;

/// The project's folder, of which crates are parts.
pub(crate) fn root() -> &'static Path {
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let found = folders.find(|folder| folder.join("Cargo.lock").is_file());
    found.unwrap()
}

/// The text of a file of the project.
pub(crate) fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The documents of a YAML text, as kubectl understands them.
#[track_caller]
pub(crate) fn yaml(text: &str) -> Vec<Value> {
    let parsed = document::parse(text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let documents = parsed.documents.iter();
    documents
        .map(|document| {
            assert!(document.problems.is_empty(), "{:?}", document.problems);
            document.root.to_json().unwrap()
        })
        .collect()
}

/// The files of a folder of the project and below, by their paths in it.
pub(crate) fn below(folder: &str) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).unwrap() {
            let path = folder.join(entry.unwrap().file_name());
            if root().join(&path).is_dir() {
                folders.push(path);
            } else {
                files.push(path.to_str().unwrap().replace('\\', "/"));
            }
        }
    }
    files.sort();
    files
}

/// Makes a named pipe.
#[cfg(unix)]
pub(crate) fn pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.unwrap().success());
}
