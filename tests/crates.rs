//! The public interfaces of the crates of the workspace: documented, and used outside of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::support::files::{below, text};

const CRATES: [&str; 9] = [
    "cronjob-controller",
    "cronjob-diagnosis",
    "cronjob-manifest",
    "cronjob-text",
    "kube-access",
    "kube-cron",
    "kube-model",
    "kube-objects",
    "located-yaml",
];

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
}

/// The function, constant or macro that a line declares as public. Types may be used without their names.
fn declared(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub ")?;
    let mut words = words(rest);
    let kind = words.find(|word| !["async", "unsafe"].contains(word))?;
    let name = words.next()?;
    match (kind, name) {
        ("const", "fn") => words.next(),
        ("fn" | "const" | "static", name) => Some(name),
        _ => None,
    }
}

#[test]
fn every_public_function_is_used_outside_of_its_crate() {
    let folders = ["src", "tests", "benches", "crates"].into_iter();
    let files: BTreeMap<String, String> = folders
        .flat_map(below)
        .filter(|file| {
            let extension = Path::new(file).extension();
            extension.is_some_and(|extension| extension == "rs" || extension == "md")
        })
        .map(|file| (file.clone(), text(&file)))
        .collect();
    let mut unused = BTreeSet::new();
    let mut count = 0;
    for name in CRATES {
        let root = format!("crates/{name}/src/");
        let (own, others): (Vec<_>, Vec<_>) = files
            .iter()
            .partition(|(file, _)| file.starts_with(root.as_str()));
        let docs = own.iter().flat_map(|(_, text)| text.lines());
        let docs = docs.filter(|line| line.starts_with("//!"));
        let others = others.iter().map(|(_, text)| text.as_str());
        let used: BTreeSet<&str> = others.chain(docs).flat_map(words).collect();
        for (file, text) in own {
            let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
            for declared in code.lines().filter_map(declared) {
                count += 1;
                if !used.contains(declared) {
                    unused.insert(format!("{file}: {declared}"));
                }
            }
        }
    }
    assert!(count > 300, "found only {count}");
    assert!(unused.is_empty(), "{unused:#?}");
}

/// Whether a line declares a public type or trait.
fn declares_type(line: &str) -> bool {
    let rest = line.trim_start().strip_prefix("pub ").unwrap_or_default();
    ["struct ", "enum ", "trait "]
        .iter()
        .any(|kind| rest.starts_with(kind))
}

#[test]
fn every_public_type_has_a_doc_comment() {
    let mut missing = Vec::new();
    let mut count = 0;
    for file in CRATES
        .iter()
        .flat_map(|name| below(&format!("crates/{name}/src")))
    {
        let text = text(&file);
        // Whether a doc comment precedes, perhaps with attributes after it.
        let (mut has_doc, mut in_attribute) = (false, false);
        for line in text.lines() {
            let line = line.trim_start();
            if declares_type(line) {
                count += 1;
                if !has_doc {
                    missing.push(format!("{file}: {line}"));
                }
            }
            let is_doc = line.starts_with("///") || line.starts_with("$(#[");
            in_attribute = (in_attribute || line.starts_with("#[")) && !line.ends_with(']');
            let is_attribute = in_attribute || line.ends_with(']') || line.starts_with("//");
            has_doc = is_doc || has_doc && is_attribute;
        }
    }
    assert!(count > 200, "found only {count}");
    assert!(missing.is_empty(), "{missing:#?}");
}
