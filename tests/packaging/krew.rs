//! krew's manifest, filled in as a release does it. krew's own rules are checked by its
//! validate-krew-manifest, which krew-index runs on each submission.

use std::process::{Command, Output};

use crate::support::prelude::*;

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
    let folder = Folder::new("fill", &[]);
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

#[test]
fn it_leads_to_each_archive_of_the_release() {
    let output = fill(&all_checksums());
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains('@'), "something was not filled in:\n{text}");
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
        .map(|(number, (os, arch))| {
            let file = archive(os, arch);
            let uri = format!("{repository}/releases/download/{VERSION}/{file}");
            [uri, checksum(number)]
        })
        .collect();
    assert_eq!(got, expected);
    for (platform, (os, arch)) in platforms.iter().zip(RELEASED) {
        let labels = serde_json::json!({"os": os, "arch": arch});
        assert_eq!(platform["selector"]["matchLabels"], labels);
        let files = platform["files"].as_array().unwrap().iter();
        let names: Vec<&Value> = files.map(|file| &file["from"]).collect();
        assert_eq!(names[1..], ["LICENSE", "THIRD-PARTY-NOTICES"]);
        assert_eq!(names[0], &platform["bin"]);
    }
}

/// The workflow builds these, and no others.
#[test]
fn the_release_makes_these_archives() {
    let release = yaml(&text(".github/workflows/release.yml")).remove(0);
    let builds = &release["jobs"]["build"]["strategy"]["matrix"]["include"];
    let built: Vec<(&str, &str)> = builds
        .items()
        .iter()
        .map(|one| (one["os"].text(), one["arch"].text()))
        .collect();
    assert_eq!(built, RELEASED);
}

#[test]
fn an_archive_without_a_checksum_is_an_error() {
    let all = all_checksums();
    let (first, _) = all.split_once('\n').unwrap();
    let output = fill(first);
    assert_eq!(output.status.code(), Some(1));
    let expected = "krew/fill: no checksum of kubectl-cronjob_doctor_v1.2.3_linux_arm64.tar.gz\n";
    assert_eq!(String::from_utf8(output.stderr).unwrap(), expected);
    let nothing = Command::new(root().join("krew/fill")).output().unwrap();
    assert_eq!(nothing.status.code(), Some(2));
}
