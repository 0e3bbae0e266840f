//! What a tag does, as far as it does not need a network: versions, archives, notices, the bill of materials, and the
//! start of the program where nothing else is installed.

use std::collections::BTreeSet;
use std::process::{Command, Output};

use serde_json::Value;
use test_requirements::{JQ, NAMESPACES};

use crate::support::files::{root, text};
use crate::support::folder::Folder;

/// Runs a script in a folder. `ROOT` is the project's folder, `DOCTOR` the program, and `TARGET` what it is compiled
/// for, whose dependencies are on this machine.
fn sh(folder: &Folder, script: &str) -> Output {
    let target = "TARGET=$(rustc -vV | sed -n 's/^host: //p')\n";
    let mut command = Command::new("sh");
    command.args(["-ec", &[target, script].concat()]);
    command.current_dir(folder.path()).env("ROOT", root());
    command.env("DOCTOR", crate::support::run::binary());
    command.env("CARGO_NET_OFFLINE", "true").output().unwrap()
}

fn printed(output: Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn tag_crates_and_changelog_have_one_version() {
    let folder = Folder::new("version", &[]);
    folder.write("Cargo.toml", text("Cargo.toml"));
    folder.program(
        "packaging/release/version",
        &text("packaging/release/version"),
    );
    let version = env!("CARGO_PKG_VERSION");
    let heading = format!("## {version} - 2026-12-01\n");
    let released = text("CHANGELOG.md").replacen("## Unreleased\n", &heading, 1);
    let unreleased = format!("## Unreleased\n\n{released}");
    for (changelog, tag, complaint) in [
        (&released, format!("v{version}"), ""),
        (&released, "v9.9.9".to_owned(), "a version in Cargo.toml"),
        (&released, version.to_owned(), "is not a tag"),
        (&unreleased, format!("v{version}"), "CHANGELOG.md begins"),
    ] {
        folder.write("CHANGELOG.md", changelog);
        let output = sh(&folder, &format!("packaging/release/version {tag}"));
        assert_eq!(output.status.success(), complaint.is_empty(), "{output:?}");
        assert_contains!(String::from_utf8(output.stderr).unwrap(), complaint);
    }
}

#[test]
fn archive_contains_what_krew_images_and_documents_unpack() {
    let folder = Folder::new("archive", &[]);
    let binary = "target/kubectl-cronjob_doctor";
    folder.program(binary, "#!/bin/sh\necho released\n");
    let tag = concat!("v", env!("CARGO_PKG_VERSION"));
    let archive = format!("kubectl-cronjob_doctor_{tag}_linux_amd64.tar.gz");
    let script =
        format!("\"$ROOT\"/packaging/release/archive {tag} linux amd64 $TARGET {binary}\n");
    let list = printed(sh(&folder, &format!("{script} tar -tzf {archive}")));
    let names = list.lines().filter_map(|line| line.split('/').nth(1));
    let names: BTreeSet<&str> = names.collect();
    let expected = "CHANGELOG.md LICENSE README.md THIRD-PARTY-NOTICES completions kubectl-cronjob_doctor man plugins \
                    schemas";
    assert_eq!(names, expected.split(' ').collect());
    // git has those of the other shells.
    for made in ["_kubectl-cronjob_doctor.ps1", "kubectl-cronjob_doctor.elv"] {
        assert_contains!(list, &format!("/completions/{made}\n"));
    }
    let template = text(".krew.yaml");
    let unpacked = template
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- from: "));
    let unpacked: Vec<&str> = unpacked.collect();
    assert_eq!(unpacked.len(), 15);
    for name in unpacked {
        assert!(names.contains(name.trim_end_matches(".exe")), "{name}");
    }
    let home = "export HOME=$PWD; mkdir -p .local/bin; sha256sum -- *.tar.gz > checksums.txt\n";
    let install = text("docs/install.md");
    let mut parts = install.split("\n### ");
    let archives = parts.find(|part| part.starts_with("Archives\n"));
    let commands = archives.unwrap().split_inclusive('\n');
    let is_local =
        |line: &&str| line.starts_with("    ") && !line.contains(" -LO ") && !line.contains("gh ");
    let commands: String = commands.filter(is_local).collect();
    let script = format!("{home}{commands}.local/bin/kubectl-cronjob_doctor");
    let expected = format!("{archive}: OK\nreleased\n");
    assert_eq!(printed(sh(&folder, &script)), expected);
    // The workflow of the images unpacks these, the context of the Dockerfile has them, and both images copy them.
    for name in ["kubectl-cronjob_doctor", "THIRD-PARTY-NOTICES"] {
        assert_contains!(text(".github/workflows/release.yml"), &format!(" ./{name}"));
        assert_contains!(text(".dockerignore"), &format!("!dist/linux/*/{name}\n"));
        let copied = format!("dist/${{TARGETPLATFORM}}/{name} /");
        assert_eq!(
            text("packaging/Dockerfile").matches(&copied).count(),
            2,
            "{name}"
        );
    }
}

#[test]
fn notices_and_bill_of_materials_name_every_dependency() {
    if Command::new("jq").arg("--version").output().is_err() {
        return JQ.skip();
    }
    let folder = Folder::new("dependencies", &[]);
    let tree = "cd \"$ROOT\"; cargo tree --locked --package=cronjob-doctor --edges=normal,build --prefix=none \
                --format={p} --target $TARGET | sed 's/ v/ /' | cut -d ' ' -f 1-2";
    let packages = printed(sh(&folder, tree));
    let packages: BTreeSet<&str> = packages.lines().collect();
    let sbom = printed(sh(&folder, "\"$ROOT\"/packaging/release/sbom $TARGET"));
    let sbom: Value = serde_json::from_str(&sbom).unwrap();
    let format = [&sbom["bomFormat"], &sbom["specVersion"]];
    assert_eq!(format, ["CycloneDX", "1.5"]);
    let components = sbom["components"].as_array().unwrap().iter();
    let components = components.chain([&sbom["metadata"]["component"]]);
    let named = components.map(|one| {
        assert!(one["licenses"][0]["expression"].is_string(), "{one}");
        let package = one["purl"].as_str().unwrap().strip_prefix("pkg:");
        package.unwrap().replace('@', " ")
    });
    let named: BTreeSet<String> = named.collect();
    let sqlite = format!("generic/sqlite {}", rusqlite::version());
    let crates = packages.iter().map(|package| format!("cargo/{package}"));
    assert_eq!(named, crates.chain([sqlite]).collect());
    let notices = printed(sh(&folder, "\"$ROOT\"/packaging/release/notices $TARGET"));
    assert_contains!(notices, "SQLite (public domain)");
    let ours = [
        "cronjob-",
        "kube-access ",
        "kube-cron ",
        "kube-model ",
        "kube-objects ",
        "located-yaml ",
    ];
    for package in packages {
        let is_ours = ours.iter().any(|name| package.starts_with(name));
        let is_named = notices.contains(&format!("\n{package} ("));
        assert!(is_ours || is_named, "{package}");
    }
}

/// An archive without the licenses must not be released.
#[test]
fn dependencies_that_cannot_be_listed_are_an_error() {
    if Command::new("jq").arg("--version").output().is_err() {
        return JQ.skip();
    }
    let folder = Folder::new("dependencies", &[]);
    for script in ["notices", "sbom", "dependencies"] {
        let output = sh(
            &folder,
            &format!("\"$ROOT\"/packaging/release/{script} no-such-target"),
        );
        assert!(!output.status.success(), "{script}");
    }
}

/// Copies the program into a folder, with the C library where it is not linked statically.
const EMPTY_ROOT: &str = "cp \"$DOCTOR\" doctor; for file in $(ldd \"$DOCTOR\" | grep -o '/[^ ]*'); do \
                          mkdir -p \".${file%/*}\"; cp -L \"$file\" \".$file\"; done";

#[test]
fn program_starts_in_an_empty_root_and_names_what_is_missing() {
    let folder = Folder::new("empty-root", &[]);
    printed(sh(&folder, EMPTY_ROOT));
    let start = |arguments: &str| {
        let isolated = "unset HOME KUBECONFIG; unshare --map-root-user --user --root=. /doctor";
        sh(&folder, &format!("{isolated} {arguments}"))
    };
    let version = start("version --client");
    if String::from_utf8_lossy(&version.stderr).contains("unshare") {
        return NAMESPACES.skip();
    }
    assert_contains!(printed(version), "(bundled)");
    let next = "next-runs --schedule='0 9 * * *' --now=2026-11-21T02:13:08Z --time-zone";
    let berlin = printed(start(&format!("{next}=Europe/Berlin")));
    assert_contains!(berlin, "Sat 2026-11-21 09:00 Europe/Berlin");
    let system = format!("{next}=Europe/Berlin --tzdb=system");
    let server = "scan --server=https://127.0.0.1:1";
    for (arguments, missing, remedy) in [
        ("scan", "no kubeconfig found", "--kubeconfig"),
        (server, "no CA certificates", "SSL_CERT_FILE"),
        (&system, "no tz database", "--tzdb=bundled"),
    ] {
        let output = start(arguments);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(missing) && error.contains(remedy), "{error}");
    }
}
