//! Kustomize patches, which are not complete manifests.

use super::{GOOD, NEVER, lint};
use crate::support::prelude::*;

/// A strategic merge patch. As a manifest, the API server would reject nearly all of it.
const PATCH: &str = "apiVersion: batch/v1\nkind: CronJob\nmetadata:\n  name: report\nspec:\n  schedule: 0 7 * * *\n";

/// A JSON patch.
const OPERATIONS: &str =
    "# for the CronJob\n- op: replace\n  path: /spec/schedule\n  value: {kind: CronJob}\n";

const KUSTOMIZATION: &str = "\
kind: Kustomization
resources:
- never.yaml
patches:
- path: merge.yaml
- path: ./operations.yaml
  target: {kind: CronJob}
- patch: |-
    kind: CronJob
patchesStrategicMerge:
- sub/../older.yaml
- |-
  kind: CronJob
patchesJson6902:
- path: more.json
components:
- ../component
";

/// `file:line:column severity code` of each finding.
fn found(folder: &Folder, ran: &Ran) -> Vec<String> {
    let lines = folder.shortened(&ran.stdout);
    let lines = lines.lines().map(|line| {
        let (place, rest) = line.split_once(": ").unwrap();
        let severity = rest.split(':').next().unwrap();
        let code = rest.rsplit_once('[').unwrap().1.split(' ').next().unwrap();
        format!("{place} {severity} {code}")
    });
    lines.collect()
}

fn short(folder: &Folder, arguments: impl CommandLine) -> Vec<String> {
    let ran = lint(("-o short --severity=info", arguments));
    assert!(ran.code < 2 && ran.stderr.is_empty(), "{ran:?}");
    found(folder, &ran)
}

#[test]
fn patches_that_a_kustomization_names_are_counted_and_skipped() {
    let folder = Folder::new(
        "kustomize",
        &[
            ("overlay/kustomization.yaml", KUSTOMIZATION),
            ("overlay/never.yaml", NEVER),
            (
                "overlay/merge.yaml",
                &format!("# a patch\n{PATCH}---\n{PATCH}"),
            ),
            ("overlay/older.yaml", PATCH),
            ("overlay/operations.yaml", OPERATIONS),
            (
                "overlay/more.json",
                "[{\"op\": \"remove\", \"path\": \"/kind: CronJob\"",
            ),
            (
                "component/kustomization.yaml",
                "kind: Component\npatches: [{path: patches/cron.yaml}]\n",
            ),
            ("component/patches/cron.yaml", PATCH),
        ],
    );
    let expected = [
        "component/patches/cron.yaml:2:7 info CJD005",
        "overlay/merge.yaml:3:7 info CJD005",
        "overlay/never.yaml:7:13 error CJD201",
    ];
    assert_eq!(short(&folder, ["-R", folder.path()]), expected);
    let ran = lint([&folder.file("overlay/merge.yaml"), "--severity=info"]);
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (0, "0 CronJobs in 1 file: 1 info\n")
    );
}

#[test]
fn kustomization_of_each_name_is_read_beside_the_file() {
    for name in ["kustomization.yaml", "kustomization.yml", "Kustomization"] {
        let folder = Folder::new(
            &format!("kustomize-{name}"),
            &[
                (name, "patches: [{path: patch.yaml}]\n"),
                ("patch.yaml", PATCH),
            ],
        );
        let found = short(&folder, folder.file("patch.yaml"));
        assert_eq!(found, ["patch.yaml:2:7 info CJD005"], "{name}");
    }
}

#[test]
fn resources_and_files_that_no_kustomization_names_are_checked() {
    let folder = Folder::new(
        "kustomize-others",
        &[
            (
                "kustomization.yaml",
                "resources: [both.yaml]\npatches: [{path: both.yaml}, {path: sub/patch.yaml}]\n",
            ),
            ("both.yaml", NEVER),
            ("other.yaml", NEVER),
            ("sub/patch.yaml", PATCH),
        ],
    );
    let never = [
        "both.yaml:7:13 error CJD201",
        "other.yaml:7:13 error CJD201",
    ];
    // The same name twice in a folder is a finding of its own.
    let mut all = short(&folder, [folder.path()]);
    all.retain(|one| !one.ends_with("CJD702"));
    assert_eq!(all, never);
    // The kustomization is neither beside the patch nor among the files.
    let alone = short(&folder, [&folder.file("sub/patch.yaml")]).join("\n");
    assert_contains!(alone, "error CJD104");
    // With -R, the kustomization is among the files.
    let all = short(&folder, ["-R", folder.path()]).join("\n");
    assert_contains!(all, "sub/patch.yaml:2:7 info CJD005");
}

#[test]
fn patches_are_not_fixed_and_their_finding_can_be_switched_off() {
    let old = PATCH.replace("batch/v1", "batch/v1beta1");
    let folder = Folder::new(
        "kustomize-fix",
        &[
            (
                "kustomization.yaml",
                "patchesStrategicMerge: [patch.yaml]\n",
            ),
            ("patch.yaml", &old),
        ],
    );
    assert_eq!(lint(["--fix", folder.path()]).code, 0);
    assert_eq!(folder.read("patch.yaml"), old);
    folder.write(".cronjob-doctor.yaml", b"rules: {kustomize-patch: off}\n");
    let ran = lint(["-q", folder.path()]);
    ran.assert(0, "", "");
}

/// A pull request can add such files to a repository.
#[cfg(unix)]
#[test]
fn kustomizations_that_cannot_be_trusted_are_passed_over() {
    use std::os::unix::fs::symlink;

    let folder = Folder::new(
        "kustomize-hostile",
        &[
            ("tree/patch.yaml", NEVER),
            ("outside.yaml", "patches: [{path: patch.yaml}]\n"),
        ],
    );
    let kustomization = folder.file("tree/kustomization.yml");
    let never = ["tree/patch.yaml:7:13 error CJD201"];
    let patch = folder.file("tree/patch.yaml");
    for target in ["/dev/zero", "../outside.yaml", "nowhere"] {
        symlink(target, &kustomization).unwrap();
        assert_eq!(short(&folder, patch.clone()), never, "{target}");
        std::fs::remove_file(&kustomization).unwrap();
    }
    let mut large = b"patches: [{path: patch.yaml}]\n".to_vec();
    large.resize(2 << 20, b'#');
    for text in [
        &large[..],
        b"patches: 5\npatchesStrategicMerge: {a: b}\nresources: no\n",
        b"patches: [5, {path: [patch.yaml]}, {path: /patch.yaml}, {path: ../patch.yaml}]\n",
        b"patches: [{path: patch.yaml\n",
        b"\xff\xfepatches",
    ] {
        folder.write("tree/kustomization.yml", text);
        assert_eq!(short(&folder, patch.clone()), never);
    }
    // As many names as fit into the size limit are read.
    let others = "{path: ../../x},".repeat(50_000);
    let many = format!("patches: [{others}{{path: patch.yaml}}]\n");
    folder.write("tree/kustomization.yml", many.as_bytes());
    let expected = ["tree/patch.yaml:2:7 info CJD005"];
    assert_eq!(short(&folder, patch.clone()), expected);
    folder.write("tree/patch.yaml", GOOD.as_bytes());
    assert_eq!(short(&folder, patch.clone()), expected);
}
