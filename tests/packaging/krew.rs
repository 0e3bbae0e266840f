//! krew's manifest, filled in as a release does it, against krew's rules: those of
//! `validate-krew-manifest`, of the archives that krew takes, and of its guide for authors.

use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::files::{root, text, yaml};
use crate::folder::Folder;

const NAME: &str = "cronjob-doctor";
const VERSION: &str = "v1.2.3";

/// The pairs of system and architecture that krew knows.
const PLATFORMS: [(&str, &str); 11] = [
    ("windows", "386"),
    ("windows", "amd64"),
    ("windows", "arm64"),
    ("linux", "386"),
    ("linux", "amd64"),
    ("linux", "arm"),
    ("linux", "arm64"),
    ("linux", "ppc64le"),
    ("darwin", "386"),
    ("darwin", "amd64"),
    ("darwin", "arm64"),
];

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
    lines
        .map(|(number, (os, arch))| format!("{}  {}\n", checksum(number), archive(os, arch)))
        .collect()
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

fn is_safe_name(name: &str) -> bool {
    const OF_WINDOWS: [&str; 4] = ["con", "prn", "aux", "nul"];
    let name = name.to_ascii_lowercase();
    let is_port = (name.starts_with("com") || name.starts_with("lpt")) && name.len() == 4;
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !name.is_empty()
        && name.chars().all(is_word)
        && !OF_WINDOWS.contains(&name.as_str())
        && !is_port
}

/// `v1.2.3`, with or without what follows a dash or a plus.
fn is_version(version: &str) -> bool {
    let Some(version) = version.strip_prefix('v') else {
        return false;
    };
    let core = version.split(['-', '+']).next().unwrap();
    let numbers: Vec<&str> = core.split('.').collect();
    let is_number = |text: &&str| {
        let no_zero_first = *text == "0" || !text.starts_with('0');
        !text.is_empty() && no_zero_first && text.chars().all(|c| c.is_ascii_digit())
    };
    numbers.len() == 3 && numbers.iter().all(is_number)
}

/// Whether krew refuses the path: it must lead to nowhere outside.
fn leads_out(path: &str) -> bool {
    path.contains("..") || path.starts_with('/') || path.contains('\\')
}

fn matches(selector: &Value, os: &str, arch: &str) -> bool {
    let labels = selector["matchLabels"].as_object();
    labels.is_some_and(|labels| {
        labels.iter().all(|(key, value)| match key.as_str() {
            "os" => value == os,
            "arch" => value == arch,
            _ => false,
        })
    })
}

/// What krew has against a manifest in `cronjob-doctor.yaml`.
fn validate(manifest: &Value) -> Vec<String> {
    let mut errors = Vec::new();
    let mut check = |holds: bool, rule: &str| {
        if !holds {
            errors.push(rule.to_owned());
        }
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    check(
        manifest["apiVersion"] == "krew.googlecontainertools.github.com/v1alpha2",
        "apiVersion",
    );
    check(manifest["kind"] == "Plugin", "kind");
    let name = text(&manifest["metadata"]["name"]);
    check(is_safe_name(&name), "a safe name");
    check(name == NAME, "named as the file");
    let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    check(name.chars().all(kebab), "kebab-case");
    let spec = &manifest["spec"];
    let short = text(&spec["shortDescription"]);
    check(!short.is_empty(), "shortDescription");
    check(
        !short.contains(['\r', '\n']),
        "shortDescription is one line",
    );
    check(short.len() < 50, "shortDescription is short");
    check(!text(&spec["description"]).is_empty(), "description");
    check(text(&spec["homepage"]).starts_with("https://"), "homepage");
    check(is_version(&text(&spec["version"])), "version");
    let none = Vec::new();
    let platforms = spec["platforms"].as_array().unwrap_or(&none);
    check(!platforms.is_empty(), "platforms");
    for platform in platforms {
        let uri = text(&platform["uri"]);
        check(uri.starts_with("https://"), "uri");
        let is_archive = uri.ends_with(".tar.gz") || uri.ends_with(".zip");
        check(is_archive, "uri of an archive");
        let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
        let sum = text(&platform["sha256"]);
        check(sum.len() == 64 && sum.chars().all(hex), "sha256");
        let selector = &platform["selector"];
        let labels = selector["matchLabels"].as_object();
        check(labels.is_some_and(|labels| !labels.is_empty()), "selector");
        let known = labels
            .into_iter()
            .flatten()
            .all(|(key, _)| key == "os" || key == "arch");
        check(known, "selector of os and arch");
        let mut pairs = PLATFORMS.iter();
        check(
            pairs.any(|(os, arch)| matches(selector, os, arch)),
            "selector of a known platform",
        );
        let bin = text(&platform["bin"]);
        check(!bin.is_empty() && !leads_out(&bin), "bin");
        let is_exe = bin.ends_with(".exe");
        let is_windows = selector["matchLabels"]["os"] == "windows";
        check(is_exe == is_windows, "bin as the system has it");
        let files = platform["files"].as_array().unwrap_or(&none);
        check(!files.is_empty(), "files");
        let ends = |file: &Value| [text(&file["from"]), text(&file["to"])];
        let whole = |file: &Value| ends(file).iter().all(|end| !end.is_empty());
        check(files.iter().all(whole), "files from and to");
        let inside = |file: &Value| !ends(file).iter().any(|end| leads_out(end));
        check(files.iter().all(inside), "files inside");
        let extracted = |name: &str| files.iter().any(|file| file["from"] == name);
        check(extracted(&bin), "bin among the files");
        check(extracted("LICENSE"), "the licence among the files");
    }
    for (os, arch) in PLATFORMS {
        let platforms = platforms.iter();
        let several = platforms.filter(|one| matches(&one["selector"], os, arch));
        check(several.count() < 2, "selectors that do not overlap");
    }
    errors
}

#[test]
fn a_filled_manifest_is_what_krew_takes() {
    assert_eq!(validate(&filled()), [""; 0]);
}

#[test]
fn it_leads_to_each_archive_of_the_release() {
    let manifest = filled();
    let repository = crate::addresses::repository();
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
