//! `--fix`, `--fix --diff`.

use crate::support::prelude::*;

use super::{GOOD, lint};

/// A manifest with problems that can be fixed: a removed version, a value in the wrong case, a Sunday, a
/// number in quotes.
fn wrong() -> String {
    GOOD.replace("batch/v1", "batch/v1beta1 # old")
        .replace("0 6 28 2 *", "\"0 6 * * 7\"  # Sundays")
        .replace("Forbid", "forbid")
        .replace("600", "'600'")
}

fn fixed() -> String {
    GOOD.replace("batch/v1", "batch/v1 # old")
        .replace("0 6 28 2 *", "\"0 6 * * 0\"  # Sundays")
}

#[test]
fn fix_changes_only_what_is_certain() {
    let fine = GOOD.replace("name: report", "name: invoices");
    let folder = Folder::new("fix", &[("a.yaml", &wrong()), ("b.yaml", &fine)]);
    let metadata = || fs::metadata(folder.file("b.yaml")).unwrap();
    let modified = || metadata().modified().unwrap();
    let before = modified();
    let ran = lint(["--fix", folder.path()]);
    let expected = "Fixed 4 problems in 1 file.\n2 CronJobs in 2 files: no problems\n";
    ran.assert(0, "", expected);
    assert_eq!(folder.read("a.yaml"), fixed());
    assert_eq!(folder.read("b.yaml"), fine);
    assert_eq!(modified(), before);
    // A second run changes nothing.
    lint(["--fix", folder.path()]).assert_no_problems();
    assert_eq!(folder.read("a.yaml"), fixed());
}

#[test]
fn diff_shows_the_fix_and_leaves_the_file() {
    let text = GOOD.replace("Forbid", "forbid").replace('\n', "\r\n");
    let folder = Folder::new("diff", &[("a.yaml", &text)]);
    let ran = lint(["--fix", "--diff", &folder.file("a.yaml")]);
    let expected = "\
--- a.yaml
+++ a.yaml
@@ -7,7 +7,7 @@
   schedule: 0 6 28 2 *\r
   timeZone: Etc/UTC\r
   startingDeadlineSeconds: 600\r
-  concurrencyPolicy: forbid\r
+  concurrencyPolicy: Forbid\r
   jobTemplate:\r
     spec:\r
       activeDeadlineSeconds: 1800\r
";
    assert_eq!(
        (folder.shortened(&ran.stdout), ran.code),
        (expected.to_owned(), 1)
    );
    assert_eq!(folder.read("a.yaml"), text);
}

#[test]
fn dry_run_shows_the_fixes_and_writes_nothing() {
    let folder = Folder::new("dry-run", &[("a.yaml", &wrong())]);
    let file = folder.file("a.yaml");
    let diff = lint(["--fix", "--diff", &file]);
    assert_contains!(diff.stdout, "+  schedule: \"0 6 * * 0\"");
    for flags in [
        "--fix --dry-run",
        "--fix --dry-run=client",
        "--fix --diff --dry-run",
    ] {
        let ran = lint((flags, [&*file]));
        assert_eq!((ran.code, ran.stdout), (diff.code, diff.stdout.clone()));
        assert_eq!(folder.read("a.yaml"), wrong());
    }
    // Without --fix nothing is written anyway, and no cluster is contacted.
    let plain = lint([&*file]);
    assert_eq!(lint(["--dry-run", &file]), plain);
    lint(["--fix", "--dry-run=none", "-q", &file]);
    assert_eq!(folder.read("a.yaml"), fixed());
}

#[test]
fn what_is_ignored_or_switched_off_is_not_fixed() {
    let text = wrong()
        .replace(
            "forbid",
            "forbid # cronjob-doctor: ignore[unsupported-value]",
        )
        .replace("'600'", "600")
        .replace("* * 7", "* * 0");
    let config = "rules: {unserved-version: off}";
    let folder = Folder::new(
        "fix-not",
        &[("a.yaml", &text), (".cronjob-doctor.yaml", config)],
    );
    let ran = lint(["--fix", "-q", folder.path()]);
    ran.assert(0, "", "");
    assert_eq!(folder.read("a.yaml"), text);
}

#[test]
fn standard_input_cannot_be_fixed() {
    assert_ran!(doctor_with_stdin("lint --fix -", GOOD), 2);
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let folder = Folder::new("link", &[("real.txt", &wrong())]);
    let (real, link) = (folder.file("real.txt"), folder.file("link.yaml"));
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&real, &link).unwrap();
    lint(format!("--fix -q {link}"));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    let mode = fs::metadata(&real).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(folder.read("real.txt"), fixed());
}

#[cfg(unix)]
#[test]
fn fix_of_a_folder_leaves_files_outside_of_it() {
    let folder = Folder::new("fix-out", &[("outside.yaml", &wrong()), ("tree/a.txt", "")]);
    let link = folder.file("tree/a.yaml");
    std::os::unix::fs::symlink("../outside.yaml", &link).unwrap();
    lint(["--fix", "-q", &folder.file("tree")]);
    assert_eq!(folder.read("outside.yaml"), wrong());
}

/// As on a full disk: no file may grow.
#[cfg(unix)]
#[test]
fn fix_that_cannot_be_written_leaves_the_manifest() {
    let folder = Folder::new("fix-full", &[("a.yaml", &wrong())]);
    let ran = std::process::Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "sh"])
        .arg(crate::support::run::binary())
        .args(["lint", "--fix", &folder.file("a.yaml")])
        .output()
        .unwrap();
    let stderr = String::from_utf8(ran.stderr).unwrap();
    let expected = "error: cannot write a.yaml: File too large (os error 27)\n";
    assert_eq!(
        (ran.status.code(), folder.shortened(&stderr).as_str()),
        (Some(2), expected)
    );
    assert_eq!(folder.read("a.yaml"), wrong());
    let files: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(files.len(), 1, "{files:?}");
}

/// A fix for one release of a range may break the manifest for another one.
#[test]
fn fix_is_valid_for_all_releases_of_a_range() {
    let beta = GOOD.replace("batch/v1", "batch/v1beta1");
    // A mistake that a server of 1.25 never reports for the old version, which it does not serve.
    let beta = beta
        .replace("  timeZone: Etc/UTC\n", "")
        .replace("0 6 28 2 *", "0 6 * * 7");
    for (range, version, note) in [
        ("1.21-1.36", "batch/v1", None),
        (
            "1.20-1.24",
            "batch/v1beta1",
            Some("No fix is proposed, because it does not work with Kubernetes 1.20."),
        ),
    ] {
        let folder = Folder::new("range", &[("a.yaml", &beta)]);
        let range = format!("--kubernetes-version={range}");
        let output = lint([folder.path(), &range]).stdout;
        assert_eq!(
            output.contains("No fix is proposed"),
            note.is_some(),
            "{output}"
        );
        assert!(note.is_none_or(|note| output.contains(note)), "{output}");
        lint(["--fix", folder.path(), &range]);
        let fixed = folder.read("a.yaml");
        assert_starts!(fixed, &format!("apiVersion: {version}\n"));
        assert_contains!(fixed, "0 6 * * 0");
    }
}

/// 1.24 has the field, and drops it.
#[test]
fn fix_sets_no_time_zone_that_a_release_drops() {
    let prefixed = GOOD.replace("  timeZone: Etc/UTC\n", "");
    let prefixed = prefixed.replace("0 6 28 2 *", "TZ=Europe/Berlin 0 6 28 2 *");
    for (range, is_fixed) in [("1.24-1.30", false), ("1.25-1.30", true)] {
        let folder = Folder::new("zone", &[("a.yaml", &prefixed)]);
        lint([
            "--fix",
            folder.path(),
            &format!("--kubernetes-version={range}"),
        ]);
        let fixed = folder.read("a.yaml");
        assert_eq!(
            fixed.contains("timeZone: Europe/Berlin"),
            is_fixed,
            "{range}"
        );
        assert_eq!(!fixed.contains("TZ="), is_fixed, "{range}");
    }
}
