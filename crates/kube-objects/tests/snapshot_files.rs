//! Reading paths as evidence: folders, links, stdin and encodings.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::snapshot::{fixture, read_all};
use crate::support::folder::Folder;
use kube_objects::snapshot::{Evidence, Options, SnapshotError, read};
#[cfg(unix)]
use kube_objects::snapshot::{Input, find};

fn cron_job() -> String {
    "apiVersion: batch/v1\nkind: CronJob\nmetadata:\n  name: a\nspec:\n  schedule: '* * * * *'\n"
        .to_owned()
}

// Windows has another path separator.
#[cfg(unix)]
#[test]
fn folders_are_read_as_kubectl_reads_them() {
    let folder = Folder::new("snapshot", &[]);
    let all = "a.yml b.yaml c.json sub/d.yaml sub/deeper/e.yaml sub2/f.json";
    for name in all.split(' ').rev() {
        folder.write(name, cron_job());
    }
    folder.write("notes.txt", "not: [a manifest");
    folder.write("sub/README.md", "# neither");
    let files = |recursive: bool| -> String {
        let found = find(&[PathBuf::from(folder.path())], recursive);
        assert!(found.errors.is_empty() && found.unread.is_empty());
        let relative = |input: &Input| match input {
            Input::Stdin => "-".to_owned(),
            Input::File(path) => folder.shortened(path.to_str().unwrap()),
        };
        let files: Vec<_> = found.inputs.iter().map(relative).collect();
        files.join(" ")
    };
    assert_eq!(files(false), "a.yml b.yaml c.json");
    assert_eq!(files(true), all);
    // A file that is given by name is read whatever its extension is.
    let odd = folder.write("cronjob.txt", cron_job());
    assert_eq!(read_all(&[odd]).0.cron_jobs.len(), 1);
}

#[cfg(unix)]
#[test]
fn circular_links_do_not_hang() {
    let folder = Folder::new("snapshot", &[]);
    let file = folder.write("sub/a.yaml", cron_job());
    std::os::unix::fs::symlink(folder.path(), folder.join("sub/round.yaml")).unwrap();
    std::os::unix::fs::symlink(folder.path(), folder.join("sub/round")).unwrap();
    std::os::unix::fs::symlink(&file, folder.join("link.yaml")).unwrap();
    std::os::unix::fs::symlink("nowhere", folder.join("dangling.yaml")).unwrap();
    let options = Options {
        recursive: true,
        ..Options::default()
    };
    let (evidence, errors) = read(&[PathBuf::from(folder.path())], &options, &mut io::empty());
    assert_eq!(evidence.cron_jobs.len(), 2);
    assert!(errors.is_empty(), "{errors:?}");
    let dangling = evidence.unread.iter().map(ToString::to_string);
    let dangling: Vec<String> = dangling
        .filter(|one| one.contains("dangling.yaml"))
        .collect();
    assert_eq!(dangling.len(), 1);
    assert_ends!(dangling[0], "the link points to a file that does not exist");
}

/// A pull request can add such links to a repository.
#[cfg(unix)]
#[test]
fn folder_with_devices_and_links_out_of_it_is_read_without_them() {
    let outside = Folder::new("snapshot", &[]);
    let folder = Folder::new("snapshot", &[]);
    let link = |target: &Path, name: &str| {
        std::os::unix::fs::symlink(target, folder.join(name)).unwrap();
    };
    let file = folder.write("sub/a.yaml", cron_job());
    link(&file, "inside.yaml");
    link(&outside.write("b.yaml", cron_job()), "outside.yaml");
    link(Path::new("/dev/zero"), "zero.yaml");
    crate::support::files::pipe(&folder.join("pipe.json"));
    let (evidence, errors) = read_all(&[PathBuf::from(folder.path())]);
    assert!(errors.is_empty(), "{errors:?}");
    let files: Vec<&str> = evidence.cron_jobs.iter().map(|c| &*c.file).collect();
    assert_eq!(files, [folder.join("inside.yaml").to_str().unwrap()]);
    let unread = evidence.unread.iter();
    let unread: Vec<String> = unread
        .map(|one| folder.shortened(&one.to_string()))
        .collect();
    let expected = [
        "outside.yaml skipped: the link points outside the directory",
        "pipe.json skipped: not a regular file",
        "zero.yaml skipped: not a regular file",
    ];
    assert_eq!(unread, expected);
}

#[test]
fn stdin_is_read_once_and_named_in_errors() {
    let text = cron_job() + "  suspend: 5\n" + "---\n" + &cron_job();
    let paths = [PathBuf::from("-"), PathBuf::from("-")];
    let (evidence, errors) = read(&paths, &Options::default(), &mut text.as_bytes());
    assert_eq!(evidence.cron_jobs.len(), 1);
    assert_eq!(&*evidence.cron_jobs[0].file, "stdin");
    assert!(matches!(errors[0], SnapshotError::StdinTwice));
    assert!(errors[1].to_string().starts_with("stdin:7:12: "));
}

// Windows has another path separator.
#[cfg(unix)]
#[test]
fn files_that_cannot_be_read_are_errors() {
    let folder = Folder::new("snapshot", &[]);
    let message = |path: PathBuf| {
        let (evidence, errors) = read_all(&[path]);
        assert_eq!((evidence, errors.len()), (Evidence::default(), 1));
        errors[0].to_string().replace(folder.path(), "F")
    };
    assert!(message(folder.join("missing.yaml")).starts_with("cannot read F/missing.yaml: "));
    insta::assert_snapshot!(message(
        folder.write("latin.yaml", b"a: 1\nb: \xc3\xa9\xe9\n")
    ));
    for (bytes, encoding) in [
        (&b"\xff\xfek\x00i\x00"[..], "UTF-16"),
        (b"\x00k\x00i", "UTF-16"),
        (b"k\x00\x00\x00", "UTF-32"),
    ] {
        let message = message(folder.write("wide.yaml", bytes));
        let start = format!("F/wide.yaml: the encoding is {encoding}; save the file as UTF-8");
        assert_starts!(message, &start);
    }
    for bytes in [&b""[..], b"k", b"\0\0\0\0", b"a\0b"] {
        let (_, errors) = read_all(&[folder.write("narrow.yaml", bytes)]);
        let is_wide = |error: &SnapshotError| error.to_string().contains("UTF-");
        assert!(!errors.iter().any(is_wide), "{errors:?}");
    }
    fs::create_dir(folder.join("empty")).unwrap();
    assert_texts!(
        message(folder.join("empty")),
        message(PathBuf::from("https://example.com/a.yaml")),
    );
}

#[test]
fn byte_order_mark_is_not_part_of_the_text() {
    let folder = Folder::new("snapshot", &[]);
    let yaml = folder.write("a.yaml", format!("\u{feff}{}", cron_job()));
    let get = fs::read_to_string(fixture("cronjob-get.json")).unwrap();
    let json = folder.write("b.json", format!("\u{feff}{get}"));
    let (evidence, errors) = read_all(&[yaml, json]);
    assert!(errors.is_empty(), "{errors:?}");
    let columns: Vec<_> = evidence.cron_jobs.iter().map(|c| c.place.column).collect();
    assert_eq!(columns, [1, 1]);
}
