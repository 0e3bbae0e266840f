//! The archives of a release: `packaging/release/archive` names them, and everything that downloads one uses the same
//! names.

use std::process::Command;

use crate::support::files::{text, yaml};
use crate::support::prelude::*;

pub(crate) const VERSION: &str = "v1.2.3";

/// The systems and architectures, and what they are compiled for.
pub(crate) const RELEASED: [(&str, &str, &str); 5] = [
    ("linux", "amd64", "x86_64-unknown-linux-musl"),
    ("linux", "arm64", "aarch64-unknown-linux-musl"),
    ("darwin", "amd64", "x86_64-apple-darwin"),
    ("darwin", "arm64", "aarch64-apple-darwin"),
    ("windows", "amd64", "x86_64-pc-windows-msvc"),
];

pub(crate) fn archive(os: &str, arch: &str) -> String {
    let extension = if os == "windows" { "zip" } else { "tar.gz" };
    format!("kubectl-cronjob_doctor_{VERSION}_{os}_{arch}.{extension}")
}

pub(crate) fn address(os: &str, arch: &str) -> String {
    let repository = crate::packaging::addresses::repository();
    let file = archive(os, arch);
    format!("{repository}/releases/download/{VERSION}/{file}")
}

/// A checksum that differs for each archive.
pub(crate) fn checksum(number: usize) -> String {
    format!("{number:x}").repeat(64)
}

/// What `sha256sum` prints for the archives.
pub(crate) fn checksums() -> String {
    let lines = RELEASED.iter().enumerate();
    let lines: Vec<String> = lines
        .map(|(number, (os, arch, _))| format!("{}  {}\n", checksum(number), archive(os, arch)))
        .collect();
    lines.concat()
}

#[test]
fn release_builds_exactly_the_listed_platforms() {
    let release = yaml(&text(".github/workflows/release.yml")).remove(0);
    let builds = &release["jobs"]["build"]["strategy"]["matrix"]["include"];
    let built = builds.items().iter().map(|one| {
        let [os, arch, target] = ["os", "arch", "target"].map(|name| one[name].text());
        (os, arch, target)
    });
    assert_eq!(built.collect::<Vec<_>>(), RELEASED);
}

/// The script itself, with stand-ins for the notices and for `zip`.
#[test]
fn archive_script_uses_the_expected_names() {
    let folder = Folder::new("names", &[]);
    folder.program(
        "packaging/release/archive",
        &text("packaging/release/archive"),
    );
    folder.program("packaging/release/notices", "#!/bin/sh\n");
    folder.program("path/7z", "#!/bin/sh\necho > \"$3\"\n");
    for part in
        "LICENSE README.md CHANGELOG.md completions/bash packaging/man schemas deploy/plugins"
            .split(' ')
    {
        folder.write(part, "");
    }
    folder.program("binary", "#!/bin/sh\n");
    let path = format!("{}:{}", folder.file("path"), std::env::var("PATH").unwrap());
    let mut expected = Vec::new();
    for (os, arch, target) in RELEASED {
        let mut command = Command::new(folder.join("packaging/release/archive"));
        command.args([VERSION, os, arch, target, "binary"]);
        let output = command.env("PATH", &path).current_dir(folder.path());
        let output = output.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        expected.push(archive(os, arch));
    }
    let files = std::fs::read_dir(folder.path()).unwrap();
    let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut made: Vec<String> = files.filter(|name| name.contains(VERSION)).collect();
    made.sort();
    expected.sort();
    assert_eq!(made, expected);
}

/// `cargo binstall` finds each archive, and the program in it.
#[test]
fn binstall_leads_to_each_archive() {
    let mut command = Command::new(env!("CARGO"));
    command.args(["metadata", "--no-deps", "--offline", "--format-version=1"]);
    let output = command
        .current_dir(crate::support::files::root())
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let package = metadata["packages"].named(env!("CARGO_PKG_NAME"));
    let binstall = &package["metadata"]["binstall"];
    let binaries = package["targets"].items().iter();
    let mut binaries = binaries.filter(|target| target["kind"] == json!(["bin"]));
    let binary = binaries.next().unwrap()["name"].text();
    let fill = |template: &Value| {
        let version = VERSION.trim_start_matches('v');
        let text = template.text().replace("{ version }", version);
        let text = text.replace("{ repo }", package["repository"].text());
        text.replace("{ bin }{ binary-ext }", binary)
    };
    // Archives have the program at their top.
    assert_eq!(fill(&binstall["bin-dir"]), "kubectl-cronjob_doctor");
    let overrides = binstall["overrides"].as_object().unwrap();
    assert_eq!(overrides.len(), RELEASED.len());
    for (os, arch, target) in RELEASED {
        let platform = &overrides[target];
        assert_eq!(fill(&platform["pkg-url"]), address(os, arch), "{target}");
        let format = platform.get("pkg-fmt").unwrap_or(&binstall["pkg-fmt"]);
        let expected = if os == "windows" { "zip" } else { "tgz" };
        assert_eq!(format, expected, "{target}");
    }
}
