//! The rooms know of each other what DESIGN.md says, and nothing more.

use crate::support::files;

use std::collections::{BTreeMap, BTreeSet};

use files::{below, text};

/// Open to all.
const LEAVES: [&str; 5] = ["base64", "duration", "kubectl", "printable", "spelling"];

/// The names between ticks, without the stroke of a folder.
fn names(cell: &str) -> BTreeSet<String> {
    let names = cell.split('`').skip(1).step_by(2);
    names
        .map(|name| name.trim_end_matches('/').to_owned())
        .collect()
}

/// The rooms that DESIGN.md has, and what each of them may know.
fn rooms() -> BTreeMap<String, BTreeSet<String>> {
    let design = text("DESIGN.md");
    let rows = design.lines().filter(|line| line.starts_with("| `"));
    let mut rooms = BTreeMap::new();
    for row in rows {
        let [_, room, _, known, _] = row.split('|').collect::<Vec<_>>()[..] else {
            panic!("{row}");
        };
        let room = names(room).pop_first().unwrap();
        assert!(rooms.insert(room, names(known)).is_none(), "{row}");
    }
    // The two that are told in words.
    let all: BTreeSet<String> = rooms.keys().cloned().collect();
    let results = |room: &String| !["cli", "cluster", "output"].contains(&room.as_str());
    rooms.insert(
        "output".to_owned(),
        all.iter().filter(|room| results(room)).cloned().collect(),
    );
    rooms.insert("cli".to_owned(), all);
    rooms
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

/// Whoever knows somebody is not known by them, not even through others.
#[test]
fn no_arrow_goes_back() {
    let mut rooms = rooms();
    // Those that know nobody who is left are taken out, until there are none.
    while !rooms.is_empty() {
        let left: BTreeSet<String> = rooms.keys().cloned().collect();
        let before = rooms.len();
        rooms.retain(|room, known| {
            known
                .iter()
                .any(|other| other != room && left.contains(other))
        });
        assert!(rooms.len() < before, "these know each other: {left:?}");
    }
}

#[test]
fn a_room_knows_what_it_may() {
    let rooms = rooms();
    let mut wrong = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for file in below("src") {
        let Some((room, rest)) = file["src/".len()..].split_once('/') else {
            continue;
        };
        seen.insert(room.to_owned());
        // Files of tests may look around.
        if rest.contains("tests") {
            continue;
        }
        let Some(known) = rooms.get(room) else {
            panic!("DESIGN.md has no room {room}");
        };
        for name in used(&file) {
            if name != room && !known.contains(&name) && !LEAVES.contains(&name.as_str()) {
                wrong.insert(format!("{file}: {room} is not to know {name}"));
            }
        }
    }
    // A crate of its own.
    seen.insert("schedule".to_owned());
    let named: BTreeSet<String> = rooms.keys().cloned().collect();
    assert_eq!(seen, named);
    let wrong: Vec<String> = wrong.into_iter().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
