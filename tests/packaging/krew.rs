//! krew's manifest, filled in as a release does it, and the index that it belongs to. krew's own rules are checked by
//! its validate-krew-manifest, which krew-index runs on each submission.

use std::process::{Command, Output};

use super::platforms::{RELEASED, VERSION, address, checksum, checksums};
use crate::support::files::{below, root, text, yaml};
use crate::support::prelude::*;

fn fill(checksums: &str) -> Output {
    let folder = Folder::new("fill", &[]);
    let checksums = folder.write("checksums.txt", checksums);
    Command::new(root().join("packaging/krew/fill"))
        .arg(VERSION)
        .arg(checksums)
        .current_dir(folder.path())
        .output()
        .unwrap()
}

#[test]
fn krew_manifest_has_each_archive_of_the_release() {
    let output = fill(&checksums());
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains("{{"), "something was not filled in:\n{text}");
    let [manifest] = <[Value; 1]>::try_from(yaml(&text)).unwrap();
    let repository = crate::packaging::addresses::repository();
    assert_eq!(manifest["metadata"]["name"], "cronjob-doctor");
    assert_eq!(manifest["spec"]["version"], VERSION);
    assert_eq!(manifest["spec"]["homepage"], repository);
    let platforms = manifest["spec"]["platforms"].items();
    let got: Vec<[&str; 2]> = platforms
        .iter()
        .map(|one| [&one["uri"], &one["sha256"]].map(Json::text))
        .collect();
    let expected: Vec<[String; 2]> = RELEASED
        .iter()
        .enumerate()
        .map(|(number, (os, arch, _))| [address(os, arch), checksum(number)])
        .collect();
    assert_eq!(got, expected);
    for (platform, (os, arch, _)) in platforms.iter().zip(RELEASED) {
        let labels = serde_json::json!({"os": os, "arch": arch});
        assert_eq!(platform["selector"]["matchLabels"], labels);
        let files = platform["files"].as_array().unwrap().iter();
        let names: Vec<&Value> = files.map(|file| &file["from"]).collect();
        assert_eq!(names[1..], ["LICENSE", "THIRD-PARTY-NOTICES"]);
        assert_eq!(names[0], &platform["bin"]);
    }
}

/// krew accepts an index that has manifests directly in `plugins`, each in a file that is named after its plugin. The
/// release writes that file; the other files are in this repository.
#[test]
fn index_has_the_layout_that_krew_reads() {
    let output = fill(&checksums());
    let manifest = yaml(&String::from_utf8(output.stdout).unwrap()).remove(0);
    let file = format!("{}.yaml", manifest["metadata"]["name"].text());
    let release = text(".github/workflows/release.yml");
    assert_contains!(release, &format!("checksums.txt > assets/{file}\n"));
    assert_contains!(
        text("packaging/release/README.md"),
        &format!("--pattern {file} ")
    );
    assert_contains!(
        text("packaging/release/README.md"),
        "--dir krew-index/plugins "
    );
    let index = below("packaging/krew/index");
    let expected = [
        "packaging/krew/index/README.md",
        "packaging/krew/index/artifacthub-repo.yml",
    ];
    assert_eq!(index, expected);
    let hub = yaml(&text(expected[1])).remove(0);
    assert!(hub["repositoryID"].is_string());
    for text in [text(expected[0]), text("docs/install.md")] {
        assert_contains!(text, "kubectl krew install cronjob-doctor/cronjob-doctor\n");
    }
}

/// krew rejects a longer description.
#[test]
fn short_description_is_within_the_limit_of_krew() {
    let template = text(".krew.yaml");
    let mut lines = template.lines().map(str::trim);
    let short = lines.find_map(|line| line.strip_prefix("shortDescription: "));
    assert!(short.unwrap().len() <= 50);
}

#[test]
fn krew_archive_without_a_checksum_is_an_error() {
    let all = checksums();
    let (first, _) = all.split_once('\n').unwrap();
    let output = fill(first);
    assert_eq!(output.status.code(), Some(1));
    let expected =
        "packaging/krew/fill: no checksum of kubectl-cronjob_doctor_v1.2.3_linux_arm64.tar.gz\n";
    assert_eq!(String::from_utf8(output.stderr).unwrap(), expected);
    for wrong in [String::new(), all.replace(&checksum(0), "0")] {
        let output = fill(&wrong);
        assert_eq!(output.status.code(), Some(1), "{wrong}");
    }
    let twice = fill(&format!(
        "{all}\n{}",
        all.replace(&checksum(0), &"f".repeat(64))
    ));
    assert_eq!(twice.status.code(), Some(1));
    assert_contains!(
        String::from_utf8(twice.stderr).unwrap(),
        "two checksums of "
    );
    let nothing = Command::new(root().join("packaging/krew/fill"))
        .output()
        .unwrap();
    assert_eq!(nothing.status.code(), Some(2));
}
