//! The public interfaces of the crates of the workspace: documented, and used outside of them.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;

use crate::support::files::{self, below, text};

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
    let crate_of = |file: &str| {
        CRATES
            .iter()
            .position(|name| file.starts_with(&format!("crates/{name}/src/")))
    };
    let mut declarations = Vec::new();
    for (file, text) in &files {
        let Some(own) = crate_of(file) else { continue };
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        let names = code.lines().filter_map(declared);
        declarations.extend(names.map(|name| (name, own, file)));
    }
    // All files are split once: it takes most of the time.
    let names: HashSet<&str> = declarations.iter().map(|(name, ..)| *name).collect();
    let mut uses = HashSet::new();
    for (file, text) in &files {
        let own = crate_of(file);
        let used = words(text).filter(|word| names.contains(word));
        uses.extend(used.map(|word| (word, own)));
        let docs = text.lines().filter(|line| line.starts_with("//!"));
        uses.extend(docs.flat_map(words).map(|word| (word, None)));
    }
    let owners = || (0..CRATES.len()).map(Some).chain([None]);
    let is_used = |name, own| owners().any(|by| by != Some(own) && uses.contains(&(name, by)));
    let unused = declarations
        .iter()
        .filter(|(name, own, _)| !is_used(*name, *own));
    let unused: Vec<String> = unused
        .map(|(name, _, file)| format!("{file}: {name}"))
        .collect();
    let count = declarations.len();
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

/// A file that `main.rs` does not name is not compiled, and none of its tests fails.
#[test]
fn every_file_of_tests_is_compiled() {
    let folders = fs::read_dir(files::root().join("crates")).unwrap();
    let folders = folders.map(|entry| entry.unwrap().path().join("tests"));
    for folder in folders.chain([files::root().join("tests")]) {
        let Ok(main) = fs::read_to_string(folder.join("main.rs")) else {
            continue;
        };
        let manifest = fs::read_to_string(folder.join("../Cargo.toml")).unwrap();
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let is_source = path.extension().is_some_and(|extension| extension == "rs");
            let name = path.file_stem().unwrap().to_str().unwrap();
            let is_part = main.contains(&format!("mod {name};"));
            let is_own = manifest.contains(&format!("path = \"tests/{name}.rs\""));
            assert!(!is_source || is_part || is_own, "{}", path.display());
        }
    }
}
