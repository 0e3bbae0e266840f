//! The address and the version of the project are in several files, and must be the same in all of them.

use crate::support::files::{below, text};

/// The address in Cargo.toml.
pub(crate) fn repository() -> &'static str {
    env!("CARGO_PKG_REPOSITORY")
}

/// Everything that is shipped or read by people.
fn files() -> Vec<String> {
    let folders = [
        ".github",
        "deploy",
        "docs",
        "packaging/action",
        "packaging/krew",
    ];
    let mut files: Vec<String> = folders.iter().flat_map(|folder| below(folder)).collect();
    files.retain(|file| !file.starts_with("docs/pictures/"));
    let others = [
        ".krew.yaml",
        ".pre-commit-hooks.yaml",
        "CONTRIBUTING.md",
        "packaging/Dockerfile",
        "README.md",
        "action.yml",
        "docs/book.toml",
    ];
    files.extend(others.map(str::to_owned));
    files
}

/// The words of a text, split at spaces and punctuation.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || "\"'`()<>[],".contains(c))
}

#[test]
fn documents_use_one_repository_address() {
    let repository = repository();
    let owner_and_name = repository.strip_prefix("https://github.com/").unwrap();
    let image = format!("ghcr.io/{owner_and_name}");
    for file in files() {
        for word in words(&text(&file)) {
            let is_ours =
                word.contains("/cronjob-doctor") || word.contains("/kubectl-cronjob-doctor");
            let is_address = word.starts_with("https://github.com/") && is_ours;
            // The index and the tap, which package managers want in repositories of their own.
            let owner = repository.rsplit_once('/').unwrap().0;
            let others = ["krew-index.git", "homebrew-tap"];
            let is_other = others
                .iter()
                .any(|other| word == format!("{owner}/{other}"));
            if is_address && !is_other {
                let path = word.strip_prefix(repository);
                let is_same = path.is_some_and(|path| path.is_empty() || path.starts_with('/'));
                assert!(is_same, "{file}: {word} is not in {repository}");
            }
            if word.starts_with("ghcr.io/") && is_ours {
                assert!(word.starts_with(&image), "{file}: {word} is not {image}");
            }
            if let Some((action, _)) = word.split_once("@v")
                && action.ends_with("/cronjob-doctor")
            {
                assert_eq!(action, owner_and_name, "{file}");
            }
        }
    }
}

/// What readers copy from documents contains the version that the documents are about.
#[test]
fn documents_use_the_version_of_the_crate() {
    let version = env!("CARGO_PKG_VERSION");
    let mut count = 0;
    for file in files() {
        let text = text(&file);
        let revisions = text.lines().map(|line| line.trim_start_matches([' ', '-']));
        for revision in revisions.filter_map(|line| line.strip_prefix("rev: v")) {
            assert_eq!(revision, version, "{file}: rev");
        }
        for word in words(&text) {
            for part in ["/download/v", "kubectl-cronjob_doctor_v"] {
                if let Some((_, named)) = word.split_once(part) {
                    let end = named.find(['/', '_']).unwrap_or(named.len());
                    assert_eq!(&named[..end], version, "{file}: {word}");
                }
            }
            let Some((what, named)) = word
                .split_once("cronjob-doctor:")
                .or(word.split_once("cronjob-doctor@v"))
            else {
                continue;
            };
            if what.contains('/') && named.starts_with(|c: char| c.is_ascii_digit()) {
                count += 1;
                let named = named.strip_suffix("-curl").unwrap_or(named);
                assert_eq!(named, version, "{file}: {word}");
            }
        }
    }
    assert!(count >= 3, "only {count} were found");
}

/// With the address alone, Cargo asks which package is meant, because crates/fuzz/ is a package, too.
#[test]
fn cargo_install_from_the_repository_names_the_package() {
    let mut count = 0;
    for file in files() {
        let text = text(&file);
        let calls = text
            .lines()
            .filter(|line| line.contains("cargo install") && line.contains("--git"));
        for call in calls {
            count += 1;
            let expected = format!("--git {} {}", repository(), env!("CARGO_PKG_NAME"));
            assert!(call.ends_with(&expected), "{file}: {call}");
        }
    }
    assert!(count >= 2, "only {count} were found");
}
