//! The crate, as `cargo publish` would send it.

use std::collections::BTreeSet;
use std::process::Command;

use crate::support::files::root;

#[test]
fn published_crate_contains_only_the_expected_folders() {
    let output = Command::new(env!("CARGO"))
        .args(["package", "--list", "--allow-dirty", "--offline"])
        .args(["--package", "cronjob-doctor"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let files = String::from_utf8(output.stdout).unwrap().replace('\\', "/");
    let top: BTreeSet<&str> = files
        .lines()
        .map(|file| file.split_once('/').map_or(file, |(folder, _)| folder))
        .collect();
    let expected = [
        "CHANGELOG.md",
        "Cargo.lock",
        "Cargo.toml",
        "Cargo.toml.orig",
        "LICENSE",
        "README.md",
        "completions",
        "docs",
        "examples",
        "packaging",
        "schemas",
        "src",
    ];
    // This file exists only where Git is available.
    let top: Vec<&str> = top
        .into_iter()
        .filter(|name| *name != ".cargo_vcs_info.json")
        .collect();
    assert_eq!(top, expected);
}
