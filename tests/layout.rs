//! Modules depend on each other as DESIGN.md says.

use crate::support::files::{below, text};
use cronjob_manifest::rules::RULES;
use std::collections::{BTreeMap, BTreeSet};

/// The folders with the modules that DESIGN.md lists.
const ROOTS: [&str; 2] = ["src", "crates/cronjob-controller/src"];

/// The files below them, each with its folder.
fn sources() -> impl Iterator<Item = (&'static str, String)> {
    let below = |root| below(root).into_iter().map(move |file| (root, file));
    ROOTS.into_iter().flat_map(below)
}

/// These may be used everywhere.
const LEAVES: &str = "duration kubectl printable spelling string_enum words";

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
    let mut of_output = all.clone();
    of_output.retain(|module| !["cli", "cluster", "output"].contains(&module.as_str()));
    modules.insert("output".to_owned(), of_output);
    modules.insert("cli".to_owned(), all);
    modules
}

/// The code of a file without its tests.
fn code(file: &str) -> String {
    let source = text(file);
    let code = source.split("#[cfg(test)]\nmod ").next().unwrap();
    code.to_owned()
}

/// What the code of a file names of the crate, apart from comments and tests.
fn used(file: &str) -> BTreeSet<String> {
    let code = code(file);
    let lines = code.lines();
    let lines = lines.filter(|line| !line.trim_start().starts_with("//"));
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
            let mut others = known.iter().filter(|other| *other != module);
            others.any(|other| left.contains(other))
        });
        assert!(modules.len() < before, "these use each other: {left:?}");
    }
}

#[test]
fn modules_use_only_what_the_design_allows() {
    let modules = modules();
    let mut wrong = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for (root, file) in sources() {
        let Some((module, rest)) = file[root.len() + 1..].split_once('/') else {
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
            let is_leaf = LEAVES.split(' ').any(|leaf| leaf == name);
            if name != module && !known.contains(&name) && !is_leaf {
                wrong.insert(format!("{file}: {module} may not use {name}"));
            }
        }
    }
    // Crates of their own.
    seen.extend(["schedule", "document"].map(str::to_owned));
    let named: BTreeSet<String> = modules.keys().cloned().collect();
    assert_eq!(seen, named);
    let wrong: Vec<String> = wrong.into_iter().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The name of the type that a line declares, unless it is private.
fn declared_type(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub")?;
    let rest = rest.split_once(") ").map_or(rest, |(_, rest)| rest);
    let rest = rest.trim_start();
    let mut words = rest.split(|c: char| !c.is_ascii_alphanumeric());
    let is_type = ["struct", "enum", "trait", "type"].contains(&words.next()?);
    words.next().filter(|_| is_type)
}

#[test]
fn type_names_are_unique_in_each_crate() {
    let mut files: BTreeMap<(&str, String), BTreeSet<String>> = BTreeMap::new();
    let crates = ["crates/kube-cron/src", "crates/located-yaml/src"];
    let crates = crates.into_iter();
    let crates = crates.flat_map(|root| below(root).into_iter().map(move |file| (root, file)));
    for (root, file) in sources().chain(crates) {
        for name in code(&file).lines().filter_map(declared_type) {
            // A file may declare a type once for each platform.
            let files = files.entry((root, name.to_owned())).or_default();
            files.insert(file.clone());
        }
    }
    assert!(files.len() > 500, "found only {} types", files.len());
    files.retain(|_, files| files.len() > 1);
    assert!(files.is_empty(), "{files:#?}");
}

/// The modules of files, such as `["cli", "logs"]` for src/cli/logs/mod.rs.
fn modules_of_files() -> BTreeMap<Vec<String>, String> {
    let module = |(root, file): (&str, String)| {
        let path = file[root.len() + 1..].strip_suffix(".rs")?;
        let path = path.strip_suffix("/mod").unwrap_or(path);
        let path: Vec<String> = path.split('/').map(str::to_owned).collect();
        Some((path, file))
    };
    let mut modules: BTreeMap<Vec<String>, String> = sources().filter_map(module).collect();
    modules.retain(|path, _| !["lib", "main"].contains(&path[0].as_str()));
    modules
}

/// The paths of a `use`, without braces.
fn use_paths(tree: &str) -> Vec<String> {
    let Some((before, inside)) = tree.split_once('{') else {
        return vec![tree.to_owned()];
    };
    let inside = inside.trim_end().strip_suffix('}').unwrap();
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for letter in inside.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().unwrap().push(letter);
    }
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    let paths = parts.flat_map(|part| use_paths(part));
    paths.map(|path| format!("{before}{path}")).collect()
}

/// The modules that the code of a module names, and those that it declares. It may use everything of the
/// modules around it.
fn named_modules(
    modules: &BTreeMap<Vec<String>, String>,
    module: &[String],
) -> BTreeSet<Vec<String>> {
    let code = code(&modules[module]);
    let lines = code.lines().map(str::trim_start);
    let code: Vec<&str> = lines.filter(|line| !line.starts_with("//")).collect();
    let code = code.join("\n");
    let is_of_path = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let mut paths: Vec<String> = Vec::new();
    for item in code.split(';') {
        let start = item.rfind("\nuse ").or(item.rfind(" use "));
        let tree = start.map(|start| &item[start + 5..]);
        let is_tree = |c: char| is_of_path(c) || c.is_whitespace() || "{},*".contains(c);
        match tree.filter(|tree| tree.chars().all(is_tree)) {
            Some(tree) => paths.extend(use_paths(tree)),
            None => paths.extend(item.split(|c| !is_of_path(c)).map(str::to_owned)),
        }
    }
    let resolve = |path: &String| {
        let mut at = module.to_vec();
        for part in path.split("::").map(str::trim) {
            match part {
                "crate" => at.clear(),
                "self" => {}
                "super" => drop(at.pop()),
                part => {
                    at.push(part.to_owned());
                    if !modules.contains_key(&at) {
                        at.pop();
                        break;
                    }
                }
            }
        }
        at
    };
    let mut named: BTreeSet<Vec<String>> = paths.iter().map(resolve).collect();
    named.retain(|named| modules.contains_key(named) && !module.starts_with(named));
    let children = modules.keys();
    let is_child = |child: &&Vec<_>| child.len() == module.len() + 1 && child.starts_with(module);
    named.extend(children.filter(is_child).cloned());
    named
}

/// A file that uses another is not used by it, not even through others. A folder is used as a whole, and
/// its files may use everything of its `mod.rs`.
#[test]
fn files_have_no_cycle() {
    let modules = modules_of_files();
    let paths = modules.keys().cloned();
    let mut named: BTreeMap<Vec<String>, BTreeSet<Vec<String>>> = paths
        .map(|module| (module.clone(), named_modules(&modules, &module)))
        .collect();
    assert!(named[&["cli".to_owned(), "logs".to_owned()][..]].len() > 10);
    while !named.is_empty() {
        let left: BTreeSet<Vec<String>> = named.keys().cloned().collect();
        named.retain(|_, named| !named.is_disjoint(&left));
        if named.len() < left.len() {
            continue;
        }
        // What is left is in a cycle or uses one. What no other file uses is not in one.
        loop {
            let used: BTreeSet<Vec<String>> = named.values().flatten().cloned().collect();
            let before = named.len();
            named.retain(|module, _| used.contains(module));
            if named.len() == before {
                break;
            }
        }
        let left: Vec<&String> = named.keys().map(|module| &modules[module]).collect();
        panic!("these files use each other: {left:?}");
    }
}

/// A rule has its properties in the catalog, so that nothing else lists it by its name.
#[test]
fn rules_are_named_only_in_their_catalog() {
    // A single word can be anything.
    let names = RULES.iter().map(|rule| rule.name);
    let names = names.filter(|name| name.contains('-'));
    let codes = RULES
        .iter()
        .filter_map(|rule| Some(rule.lint.as_ref()?.code));
    let words: BTreeSet<&str> = names.chain(codes).collect();
    for (_, file) in sources() {
        if file.starts_with("src/rules/") || file.contains("tests") {
            continue;
        }
        let code = code(&file);
        let found: Vec<&str> = code
            .split('"')
            .filter(|text| words.contains(text))
            .collect();
        assert!(found.is_empty(), "{file}: {found:?}");
    }
}
