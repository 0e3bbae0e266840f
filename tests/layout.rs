//! Modules depend on each other as DESIGN.md says.

use crate::support::files;

use std::collections::{BTreeMap, BTreeSet};

use files::{below, text};

/// These may be used everywhere.
const LEAVES: [&str; 6] = [
    "duration",
    "kubectl",
    "printable",
    "spelling",
    "string_enum",
    "words",
];

/// The names between ticks, without the stroke of a folder.
fn names(cell: &str) -> BTreeSet<String> {
    let names = cell.split('`').skip(1).step_by(2);
    names
        .map(|name| name.trim_end_matches('/').to_owned())
        .collect()
}

/// The modules in DESIGN.md, and what each of them may use.
fn modules() -> BTreeMap<String, BTreeSet<String>> {
    let design = text("DESIGN.md");
    let rows = design.lines().filter(|line| line.starts_with("| `"));
    let mut modules = BTreeMap::new();
    for row in rows {
        let [_, module, _, known, _] = row.split('|').collect::<Vec<_>>()[..] else {
            panic!("{row}");
        };
        let module = names(module).pop_first().unwrap();
        assert!(modules.insert(module, names(known)).is_none(), "{row}");
    }
    // These two are described in words.
    let all: BTreeSet<String> = modules.keys().cloned().collect();
    let results = |module: &String| !["cli", "cluster", "output"].contains(&module.as_str());
    modules.insert(
        "output".to_owned(),
        all.iter()
            .filter(|module| results(module))
            .cloned()
            .collect(),
    );
    modules.insert("cli".to_owned(), all);
    modules
}

/// What the code of a file names of the crate, apart from comments and tests.
fn used(file: &str) -> BTreeSet<String> {
    let source = text(file);
    let code = source.split("#[cfg(test)]\nmod ").next().unwrap();
    let lines = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let uses = lines.flat_map(|line| line.split("crate::").skip(1));
    let end = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    uses.filter_map(|named| named.split(end).next())
        .filter(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))
        .map(str::to_owned)
        .collect()
}

/// A module that uses another is not used by it, not even through others.
#[test]
fn dependencies_have_no_cycle() {
    let mut modules = modules();
    // Those that use none that is left are removed, until there are none.
    while !modules.is_empty() {
        let left: BTreeSet<String> = modules.keys().cloned().collect();
        let before = modules.len();
        modules.retain(|module, known| {
            known
                .iter()
                .any(|other| other != module && left.contains(other))
        });
        assert!(modules.len() < before, "these use each other: {left:?}");
    }
}

#[test]
fn modules_use_only_what_the_design_allows() {
    let modules = modules();
    let mut wrong = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for file in below("src") {
        let Some((module, rest)) = file["src/".len()..].split_once('/') else {
            continue;
        };
        seen.insert(module.to_owned());
        // Files of tests may look around.
        if rest.contains("tests") {
            continue;
        }
        let Some(known) = modules.get(module) else {
            panic!("DESIGN.md does not list {module}");
        };
        for name in used(&file) {
            if name != module && !known.contains(&name) && !LEAVES.contains(&name.as_str()) {
                wrong.insert(format!("{file}: {module} may not use {name}"));
            }
        }
    }
    // A crate of its own.
    seen.insert("schedule".to_owned());
    let named: BTreeSet<String> = modules.keys().cloned().collect();
    assert_eq!(seen, named);
    let wrong: Vec<String> = wrong.into_iter().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The name of the type that a line declares, unless it is private.
fn declared_type(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub")?;
    let rest = rest.split_once(") ").map_or(rest, |(_, rest)| rest);
    let mut words = rest
        .trim_start()
        .split(|c: char| !c.is_ascii_alphanumeric());
    let is_type = ["struct", "enum", "trait", "type"].contains(&words.next()?);
    words.next().filter(|_| is_type)
}

#[test]
fn type_names_are_unique() {
    let mut files: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in below("src")
        .into_iter()
        .chain(below("crates/kube-cron/src"))
    {
        let source = text(&file);
        let code = source.split("#[cfg(test)]\nmod ").next().unwrap();
        for name in code.lines().filter_map(declared_type) {
            // A file may declare a type once for each platform.
            let files = files.entry(name.to_owned()).or_default();
            files.insert(file.clone());
        }
    }
    assert!(files.len() > 500, "found only {} types", files.len());
    files.retain(|_, files| files.len() > 1);
    assert!(files.is_empty(), "{files:#?}");
}
