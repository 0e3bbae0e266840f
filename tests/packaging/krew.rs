//! krew's manifest, filled in as a release does it, against krew's rules.

use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::packaging::folder::Folder;
use crate::packaging::krew_rules::validate;
use crate::support::files::{root, text, yaml};

const VERSION: &str = "v1.2.3";

/// Those that are released.
const RELEASED: [(&str, &str); 5] = [
    ("linux", "amd64"),
    ("linux", "arm64"),
    ("darwin", "amd64"),
    ("darwin", "arm64"),
    ("windows", "amd64"),
];

fn archive(os: &str, arch: &str) -> String {
    let extension = if os == "windows" { "zip" } else { "tar.gz" };
    format!("kubectl-cronjob_doctor_{VERSION}_{os}_{arch}.{extension}")
}

/// A checksum that is another for each archive.
fn checksum(number: usize) -> String {
    format!("{number:x}").repeat(64)
}

fn fill(checksums: &str) -> Output {
    let folder = Folder::new("fill");
    let checksums = folder.write("checksums.txt", checksums);
    Command::new(root().join("krew/fill"))
        .arg(VERSION)
        .arg(checksums)
        .current_dir(folder.path())
        .output()
        .unwrap()
}

fn all_checksums() -> String {
    let lines = RELEASED.iter().enumerate();
    let lines: Vec<String> = lines
        .map(|(number, (os, arch))| format!("{}  {}\n", checksum(number), archive(os, arch)))
        .collect();
    lines.concat()
}

fn filled() -> Value {
    let output = fill(&all_checksums());
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains('@'), "something was not filled in:\n{text}");
    let mut documents = yaml(&text);
    assert_eq!(documents.len(), 1);
    documents.remove(0)
}

#[test]
fn a_filled_manifest_is_what_krew_takes() {
    assert_eq!(validate(&filled()), [""; 0]);
}

#[test]
fn it_leads_to_each_archive_of_the_release() {
    let manifest = filled();
    let repository = crate::packaging::addresses::repository();
    assert_eq!(manifest["spec"]["version"], VERSION);
    assert_eq!(manifest["spec"]["homepage"], repository);
    let platforms = manifest["spec"]["platforms"].as_array().unwrap();
    let got: Vec<[&str; 2]> = platforms
        .iter()
        .map(|one| [&one["uri"], &one["sha256"]].map(|text| text.as_str().unwrap()))
        .collect();
    let expected: Vec<[String; 2]> = RELEASED
        .iter()
        .enumerate()
        .map(|(number, (os, arch))| {
            let file = archive(os, arch);
            let uri = format!("{repository}/releases/download/{VERSION}/{file}");
            [uri, checksum(number)]
        })
        .collect();
    assert_eq!(got, expected);
    for (platform, (os, arch)) in platforms.iter().zip(RELEASED) {
        let selector = json!({"matchLabels": {"os": os, "arch": arch}});
        assert_eq!(platform["selector"], selector);
    }
}

/// The workflow builds these, and no others.
#[test]
fn the_release_makes_these_archives() {
    let release = yaml(&text(".github/workflows/release.yml")).remove(0);
    let builds = &release["jobs"]["build"]["strategy"]["matrix"]["include"];
    let built: Vec<(&str, &str)> = builds
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["os"].as_str().unwrap(), one["arch"].as_str().unwrap()))
        .collect();
    assert_eq!(built, RELEASED);
}

#[test]
fn an_archive_without_a_checksum_is_an_error() {
    let all = all_checksums();
    let (first, _) = all.split_once('\n').unwrap();
    let output = fill(first);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "krew/fill: no checksum of kubectl-cronjob_doctor_v1.2.3_linux_arm64.tar.gz\n"
    );
    let nothing = Command::new(root().join("krew/fill")).output().unwrap();
    assert_eq!(nothing.status.code(), Some(2));
}

/// Each rule says no to what breaks it, and only that one does.
#[test]
fn the_rules_bite() {
    let good = filled();
    let cases: [(&str, &str, Value); 21] = [
        ("apiVersion", "/apiVersion", json!("v1")),
        ("kind", "/kind", json!("Plug")),
        ("shortDescription", "/spec/shortDescription", json!("")),
        (
            "shortDescription is one line",
            "/spec/shortDescription",
            json!("a\nb"),
        ),
        (
            "shortDescription is short",
            "/spec/shortDescription",
            json!("x".repeat(50)),
        ),
        ("description", "/spec/description", json!("")),
        ("homepage", "/spec/homepage", json!("cronjob-doctor")),
        ("version", "/spec/version", json!("1.2.3")),
        ("version", "/spec/version", json!("v1.2")),
        ("version", "/spec/version", json!("v1.02.3")),
        ("platforms", "/spec/platforms", json!([])),
        (
            "uri",
            "/spec/platforms/0/uri",
            json!("http://example.com/a.zip"),
        ),
        (
            "uri of an archive",
            "/spec/platforms/0/uri",
            json!("https://example.com/a.tar.xz"),
        ),
        ("sha256", "/spec/platforms/0/sha256", json!("A".repeat(64))),
        (
            "selector of a known platform",
            "/spec/platforms/0/selector/matchLabels/os",
            json!("plan9"),
        ),
        (
            "selectors that do not overlap",
            "/spec/platforms/0/selector/matchLabels/arch",
            json!("arm64"),
        ),
        (
            "bin as the system has it",
            "/spec/platforms/0/selector/matchLabels",
            json!({"os": "windows", "arch": "arm64"}),
        ),
        (
            "bin among the files",
            "/spec/platforms/0/bin",
            json!("kubectl-other"),
        ),
        (
            "files from and to",
            "/spec/platforms/0/files/0/to",
            json!(""),
        ),
        (
            "files inside",
            "/spec/platforms/0/files/0/to",
            json!("../bin"),
        ),
        (
            "the licence among the files",
            "/spec/platforms/0/files/1/from",
            json!("README.md"),
        ),
    ];
    for (rule, place, value) in cases {
        let mut bad = good.clone();
        *bad.pointer_mut(place).expect(place) = value;
        assert_eq!(validate(&bad), [rule], "{place}");
    }
    for name in ["Cronjob-doctor", "cronjob_doctor", "con", "a/b"] {
        let mut bad = good.clone();
        bad["metadata"]["name"] = json!(name);
        assert_ne!(validate(&bad), [""; 0], "{name}");
    }
}
