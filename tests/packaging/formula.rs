//! The formula for Homebrew, as a release writes it.

use std::process::{Command, Output};

use super::platforms::{RELEASED, VERSION, address, checksum, checksums};
use crate::support::files::{below, root, text};
use crate::support::prelude::*;

fn formula(checksums: &str) -> Output {
    let folder = Folder::new("formula", &[]);
    let checksums = folder.write("checksums.txt", checksums);
    let mut command = Command::new(root().join("packaging/release/formula"));
    command.arg(VERSION).arg(checksums).output().unwrap()
}

fn between_quotes(line: &str) -> &str {
    line.split('"').nth(1).unwrap()
}

#[test]
fn formula_leads_to_the_archive_of_each_platform() {
    let output = formula(&checksums());
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let (mut os, mut arch, mut url) = ("", "", "");
    let mut got = Vec::new();
    for line in text.lines().map(str::trim) {
        match line.split(' ').next().unwrap() {
            "on_macos" => os = "darwin",
            "on_linux" => os = "linux",
            "on_arm" => arch = "arm64",
            "on_intel" => arch = "amd64",
            "url" => url = between_quotes(line),
            "sha256" => got.push([os, arch, url, between_quotes(line)].map(str::to_owned)),
            _ => {}
        }
    }
    let released = RELEASED.iter().enumerate();
    let mut expected: Vec<[String; 4]> = released
        .filter(|(_, (os, ..))| *os != "windows")
        .map(|(number, (os, arch, _))| {
            let [os, arch] = [os, arch].map(|&name| name.to_owned());
            [
                os.clone(),
                arch.clone(),
                address(&os, &arch),
                checksum(number),
            ]
        })
        .collect();
    expected.sort();
    got.sort();
    assert_eq!(got, expected);
    for field in [
        format!("class {}\n", "CronjobDoctor < Formula"),
        format!("  desc \"{}\"\n", env!("CARGO_PKG_DESCRIPTION")),
        format!("  homepage \"{}\"\n", env!("CARGO_PKG_REPOSITORY")),
        format!("  version \"{}\"\n", VERSION.trim_start_matches('v')),
        format!("  license \"{}\"\n", env!("CARGO_PKG_LICENSE")),
    ] {
        assert_contains!(text, &field);
    }
}

/// Homebrew's own rules: at most 80 characters, without an article at the start.
#[test]
fn description_is_one_that_homebrew_accepts() {
    let description = env!("CARGO_PKG_DESCRIPTION");
    assert!(description.len() <= 80);
    assert!(!description.starts_with("A ") && !description.ends_with('.'));
}

#[test]
fn formula_installs_what_the_archive_contains() {
    let script = text("packaging/release/formula");
    let completions = below("completions");
    let named = script
        .split("\\\"")
        .filter(|part| part.starts_with("completions/"));
    let named: Vec<&str> = named.collect();
    assert_eq!(named.len(), 4);
    for file in named {
        assert!(completions.iter().any(|one| one == file), "{file}");
    }
}

#[test]
fn platform_without_a_checksum_is_an_error() {
    let all = checksums();
    let (first, _) = all.split_once('\n').unwrap();
    let output = formula(first);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(output.stdout, b"");
    let expected = "packaging/release/formula: no checksum of kubectl-cronjob_doctor_v1.2.3_linux_arm64.tar.gz\n";
    assert_contains!(String::from_utf8(output.stderr).unwrap(), expected);
    let wrong: String = (0..RELEASED.len()).fold(all.clone(), |text, number| {
        text.replace(&checksum(number), "0")
    });
    assert_eq!(formula(&wrong).status.code(), Some(1));
    let twice = formula(&format!(
        "{all}\n{}",
        all.replace(&checksum(0), &"f".repeat(64))
    ));
    assert_eq!((twice.status.code(), twice.stdout), (Some(1), Vec::new()));
    assert_contains!(
        String::from_utf8(twice.stderr).unwrap(),
        "two checksums of "
    );
    let nothing = Command::new(root().join("packaging/release/formula")).output();
    assert_eq!(nothing.unwrap().status.code(), Some(2));
}
