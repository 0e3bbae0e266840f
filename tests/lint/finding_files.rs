//! Which files are checked, and which configuration applies to them.

use std::os::unix::fs::symlink;
use std::path::Path;

use super::{GOOD, NEVER, lint, short};
use crate::support::files::pipe;
use crate::support::prelude::*;

#[test]
fn folder_is_searched_without_hidden_and_ignored_files() {
    let folder = Folder::new(
        "git",
        &[
            ("b.yaml", &short(1)),
            ("a.yml", NEVER),
            ("c.json", "{}"),
            ("notes.txt", NEVER),
            (".hidden.yaml", NEVER),
            ("sub/d.yaml", NEVER),
            ("sub/build/e.yaml", NEVER),
            (".gitignore", "build/\n"),
        ],
    );
    let places = |arguments: &[&str]| {
        let ran = lint(("-o short", arguments));
        assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
        let lines = folder.shortened(&ran.stdout);
        let places = lines
            .lines()
            .map(|line| line.split(": ").next().unwrap().to_owned());
        places.collect::<Vec<_>>()
    };
    assert_eq!(places(&[folder.path()]), ["a.yml:7:13", "b.yaml:7:13"]);
    let expected = ["a.yml:7:13", "b.yaml:7:13", "sub/d.yaml:7:13"];
    assert_eq!(places(&["-R", folder.path()]), expected);
    // A file that is given explicitly is read, whatever its name or directory is.
    let named = [folder.file("notes.txt"), folder.file("sub/build/e.yaml")];
    let expected = ["notes.txt:7:13", "sub/build/e.yaml:7:13"];
    assert_eq!(places(&[&named[0], &named[1]]), expected);
}

/// A pull request can add such files to a repository.
#[test]
fn folder_with_devices_pipes_and_links_out_is_read_without_them() {
    let folder = Folder::new(
        "links",
        &[("tree/sub/a.yaml", NEVER), ("common.yaml", NEVER)],
    );
    let link = |target: &str, name: &str| symlink(target, folder.file(name)).unwrap();
    link("sub/a.yaml", "tree/inside.yaml");
    link("../common.yaml", "tree/common.yaml");
    link("/dev/zero", "tree/zero.yaml");
    link("nowhere.yaml", "tree/dangling.yaml");
    pipe(Path::new(&folder.file("tree/pipe.json")));
    let ran = lint(["-R", "-o", "short", &folder.file("tree")]);
    let shown = folder.shortened(&ran.stdout);
    let mut files = shown.lines().map(|line| line.split(':').next().unwrap());
    let first = [files.next(), files.next()];
    assert_eq!(first, [Some("tree/inside.yaml"), Some("tree/sub/a.yaml")]);
    insta::assert_snapshot!(folder.shortened(&ran.stderr));
    assert_eq!(ran.code, 1);
    let dangling = "tree/dangling.yaml skipped: the link points to a file that does not exist\n";
    assert_contains!(folder.shortened(&ran.stderr), dangling);
    assert_eq!(lint(["-R", "-q", &folder.file("tree")]).stderr, "");
    // A link that is given explicitly is read: the caller knows what it is.
    let named = lint(["-o", "short", &folder.file("tree/common.yaml")]);
    assert_eq!((named.code, named.stderr.as_str()), (1, ""));
    let path = folder.file("tree/pipe.json");
    let writer = std::thread::spawn(move || std::fs::write(path, NEVER));
    let named = lint(["-o", "short", &folder.file("tree/pipe.json")]);
    assert_eq!((named.code, named.stderr.as_str()), (1, ""));
    writer.join().unwrap().unwrap();
}

#[test]
fn ignore_file_that_is_not_a_regular_file_ends_the_search() {
    for (ignore_file, target, why) in [
        (".gitignore", "/dev/zero", "not a regular file"),
        ("tree/.gitignore", "/dev/zero", "not a regular file"),
        ("tree/sub/.ignore", "/dev/zero", "not a regular file"),
        (
            "tree/sub/.gitignore",
            "../../outside",
            "the link points outside the directory",
        ),
    ] {
        let folder = Folder::new(
            "ignore-link",
            &[("tree/sub/a.yaml", NEVER), ("outside", "*.yml\n")],
        );
        symlink(target, folder.file(ignore_file)).unwrap();
        let refused = lint(["-R", "-q", &folder.file("tree")]).refused();
        let expected = format!("error: cannot read {ignore_file}: {why}\n");
        assert_eq!(folder.shortened(&refused), expected);
    }
    let large = format!("{}\n", "x".repeat(2 << 20));
    let folder = Folder::new("ignore-large", &[("a.yaml", NEVER), (".gitignore", &large)]);
    let refused = lint(["-R", "-q", folder.path()]).refused();
    insta::assert_snapshot!(folder.shortened(&refused));
}

/// The error would show the content of the file.
#[test]
fn configuration_behind_a_link_out_of_the_tree_is_not_read() {
    let folder = Folder::new(
        "config-link",
        &[("tree/sub/a.yaml", NEVER), ("secret", "root:hash: 1\n")],
    );
    let config = folder.file("tree/sub/.cronjob-doctor.yaml");
    for (target, why) in [
        ("../../secret", "the link points outside the directory"),
        ("/dev/zero", "not a regular file"),
    ] {
        symlink(target, &config).unwrap();
        let refused = lint(["-R", &folder.file("tree")]).refused();
        let file = "tree/sub/.cronjob-doctor.yaml";
        let expected =
            format!("error: cannot read {file}: {why}\nhelp: Use --config to read it.\n");
        assert_eq!(folder.shortened(&refused), expected);
        std::fs::remove_file(&config).unwrap();
    }
    folder.write("tree/common.yaml", b"rules: {never-scheduled: off}\n");
    symlink("../common.yaml", &config).unwrap();
    let inside = lint(["-R", "-o", "short", &folder.file("tree")]);
    assert_eq!((inside.code, inside.stderr.as_str()), (0, ""));
}

#[test]
fn standard_input_is_a_file_called_stdin() {
    let ran = doctor_with_stdin(["lint", "-", "-o", "short", super::NOW], NEVER);
    insta::assert_snapshot!(ran.stdout);
    assert_eq!(ran.code, 1);
    let twice = doctor("lint - -");
    let expected = (2, "error: `-f -` can be used only once\n");
    assert_eq!((twice.code, twice.stderr.as_str()), expected);
}

#[test]
fn unreadable_file_is_reported_with_the_findings_of_others() {
    let folder = Folder::new("missing", &[("a.yaml", NEVER), ("empty/x.txt", "")]);
    let files = ["none.yaml", "a.yaml"].map(|name| folder.file(name));
    let ran = lint(("-o short", files));
    assert_eq!(ran.code, 2);
    insta::assert_snapshot!(folder.shortened(&ran.stderr));
    assert!(ran.stdout.contains("a.yaml:7:13"));
    let empty = lint([&folder.file("empty")]);
    insta::assert_snapshot!(folder.shortened(&empty.stderr));
    let nothing = lint(["-R", &folder.file("empty")]);
    nothing.assert(0, "", "No CronJobs found.\n");
    assert_eq!(lint(["-q", "-R", &folder.file("empty")]).fine(), "");
}

#[test]
fn the_nearest_configuration_counts() {
    let folder = Folder::new(
        "config",
        &[
            (
                ".cronjob-doctor.yaml",
                "rules: {never-scheduled: warning}\nignore: [old/]\n",
            ),
            ("a.yaml", NEVER),
            ("old/b.yaml", NEVER),
            ("strict/c.yaml", NEVER),
            ("strict/.cronjob-doctor.yaml", ""),
            ("quiet/d.yaml", NEVER),
            ("quiet/.cronjob-doctor.yaml", "rules: {CJD201: off}\n"),
        ],
    );
    let run = |arguments: &[&str]| {
        let ran = lint([&["-o", "short", "-R", folder.path()], arguments].concat());
        assert_eq!(ran.stderr, "");
        let lines = folder.shortened(&ran.stdout);
        let reported = lines.lines().map(|line| {
            let mut parts = line.split(": ");
            format!("{} {}", parts.next().unwrap(), parts.next().unwrap())
        });
        (reported.collect::<Vec<_>>(), ran.code)
    };
    let expected = ["a.yaml:7:13 warning", "strict/c.yaml:7:13 error"];
    assert_eq!(run(&[]), (expected.map(str::to_owned).to_vec(), 1));
    // One configuration for all of them; its paths are relative to the current directory.
    let quiet = folder.file("quiet/.cronjob-doctor.yaml");
    assert_eq!(run(&["--config", &quiet]), (vec![], 0));
}

#[test]
fn wrong_configuration_is_reported_with_its_place() {
    let folder = Folder::new(
        "wrong-config",
        &[
            ("a.yaml", GOOD),
            (".cronjob-doctor.yaml", "rules:\n  never-schedule: off\n"),
        ],
    );
    let refused = lint([&folder.file("a.yaml")]).refused();
    insta::assert_snapshot!(folder.shortened(&refused));
    let refused = lint(["--config", &folder.file("none"), &folder.file("a.yaml")]).refused();
    let expected = "error: --config: cannot read none: No such file or directory (os error 2)\n";
    assert_eq!(folder.shortened(&refused), expected);
}

#[test]
fn order_of_findings_is_the_same_in_every_call() {
    let texts: Vec<(String, String)> = (0..40)
        .map(|nth| (format!("{nth:02}.yaml"), short(nth)))
        .collect();
    let files = texts.iter().map(|(a, b)| (a.as_str(), b.as_str()));
    let folder = Folder::new("order", &files.collect::<Vec<_>>());
    let first = lint(["-o", "json", folder.path()]);
    for _ in 0..5 {
        assert_eq!(lint(["-o", "json", folder.path()]), first);
    }
}
