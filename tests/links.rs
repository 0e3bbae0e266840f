//! docs/SUMMARY.md lists every document, and the target of every link exists.

use crate::support::files;

use std::collections::{BTreeSet, HashMap};

use files::{below, root, text};

fn documents() -> Vec<String> {
    let mut files = below("docs");
    files.retain(|file| file.strip_suffix(".md").is_some());
    files
}

/// The text without code, which has no links: code blocks are replaced by empty lines.
fn prose(text: &str) -> String {
    let mut fence = false;
    let mut prose = String::new();
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```");
        fence ^= is_fence;
        if !fence && !is_fence && !line.starts_with("    ") {
            // Every second part is code between two backticks.
            let parts = line.split('`').enumerate();
            prose.extend(parts.map(|(n, part)| if n % 2 == 0 { part } else { "code" }));
        }
        prose.push('\n');
    }
    prose
}

/// The targets of the links of a text, each with its line.
fn links(text: &str) -> Vec<(usize, String)> {
    let prose = prose(text);
    let mut links = Vec::new();
    let mut offset = 0;
    while let Some(at) = prose[offset..].find("](") {
        let start = offset + at + 2;
        let Some(length) = prose[start..].find(')') else {
            break;
        };
        let line = prose[..start].matches('\n').count() + 1;
        links.push((line, prose[start..start + length].to_owned()));
        offset = start + length;
    }
    for (at, html) in prose.match_indices("<a href=\"") {
        let line = prose[..at].matches('\n').count() + 1;
        let target = prose[at + html.len()..].split('"').next();
        links.extend(target.map(|target| (line, target.to_owned())));
    }
    links
}

/// The anchors of a document's headings, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut fence = false;
    for line in text.lines() {
        fence ^= line.starts_with("```");
        let Some(heading) = line.strip_prefix('#').filter(|_| !fence) else {
            continue;
        };
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = |c: &char| c.is_alphanumeric() || "-_ ".contains(*c);
        let anchor: String = heading.chars().filter(kept).collect();
        let anchor = anchor.replace(' ', "-");
        let count = seen.entry(anchor.clone()).or_default();
        anchors.insert(match *count {
            0 => anchor,
            count => format!("{anchor}-{count}"),
        });
        *count += 1;
    }
    anchors
}

#[test]
fn summary_lists_every_document() {
    let summary = text("docs/SUMMARY.md");
    let named: Vec<String> = links(&summary)
        .into_iter()
        .map(|(_, target)| format!("docs/{target}"))
        .collect();
    let once: BTreeSet<String> = named.iter().cloned().collect();
    assert_eq!(once.len(), named.len(), "a document is named twice");
    let existing: BTreeSet<String> = documents()
        .into_iter()
        .filter(|file| file != "docs/SUMMARY.md")
        .collect();
    assert_eq!(once, existing);
}

/// Each page begins with the question that it answers, and a command or a table that answers it; the book lists
/// the questions.
#[test]
fn each_page_begins_with_its_question_and_a_command() {
    let mut pages = documents();
    // The pages of rules and of kinds of documents are generated.
    pages.retain(|page| page.matches('/').count() == 1);
    // With the list itself.
    assert!(
        pages.len() <= 31,
        "{} pages in docs/, of which readers find their way through 31: add a section to one of them, or raise this \
         limit in tests/links.rs with the reason for a page of its own",
        pages.len()
    );
    let summary = text("docs/SUMMARY.md");
    for page in pages.iter().filter(|file| *file != "docs/SUMMARY.md") {
        let text = text(page);
        let mut lines = text.lines().filter(|line| !line.is_empty());
        assert!(lines.next().unwrap().starts_with("# "), "{page}");
        let question = lines.next().unwrap();
        let question = question
            .strip_prefix("**")
            .and_then(|line| line.strip_suffix("?**"));
        let question = question.unwrap_or_else(|| panic!("{page} begins without a question"));
        let answer = lines.next().unwrap();
        assert!(
            answer.starts_with("    ") || answer.starts_with("| "),
            "{page}: {answer}"
        );
        assert_contains!(summary, &format!("- [{question}?"));
    }
}

/// README, docs/SUMMARY.md and `--help` list everything in the same groups and order.
#[test]
fn readme_and_book_have_the_order_of_the_help() {
    let summary = text("docs/SUMMARY.md");
    let (mut groups, mut verbs) = (Vec::new(), Vec::new());
    for line in summary.lines() {
        groups.extend(line.strip_prefix("# ").filter(|group| *group != "Summary"));
        let verb = line
            .split_once("? (")
            .and_then(|(_, rest)| rest.split_once(")]"));
        verbs.extend(verb.into_iter().flat_map(|(verb, _)| verb.split(", ")));
    }
    let readme = text("README.md");
    let rows = readme.lines().filter_map(|line| line.strip_prefix("| "));
    let rows = rows.filter_map(|row| row.split_once(" | ").map(|(group, _)| group));
    assert_eq!(rows.collect::<Vec<_>>(), groups);
    let help = crate::support::run::doctor("--help").stdout;
    let lines = help
        .lines()
        .filter(|line| line.starts_with("  ") && !line.contains("[COMMAND]"));
    let in_help: Vec<&str> = lines
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(verbs, in_help);
    let headings: Vec<&str> = help
        .lines()
        .filter_map(|line| line.strip_suffix(':'))
        .collect();
    let shared = headings.iter().filter(|heading| **heading != "Usage");
    let mut groups = groups.iter();
    for heading in shared {
        assert!(groups.any(|group| group == heading), "{heading}");
    }
}

/// No page is too long to be read, except for what is generated.
#[test]
fn pages_are_short() {
    for page in documents() {
        let text = text(&page);
        let lines = text.lines().count();
        assert!(
            lines <= 350 || page.matches('/').count() > 1,
            "{page}: {lines}"
        );
    }
    assert!(text("README.md").lines().count() <= 160);
}

#[test]
fn paths_in_documents_exist() {
    let others = ["CONTRIBUTING.md"].map(str::to_owned);
    for file in documents().into_iter().chain(others) {
        for path in text(&file)
            .split('`')
            .filter(|part| !part.contains(['<', '*', ' ', '\n']))
        {
            let folders = ["src/", "tests/", "release/", "examples/"];
            let is_path = folders.iter().any(|folder| path.starts_with(folder));
            let exists = |at: &str| root().join(at).join(path).exists();
            let crates = [
                "kube-cron",
                "cronjob-controller",
                "cronjob-diagnosis",
                "cronjob-manifest",
            ];
            let in_crate = || crates.iter().any(|name| exists(&format!("crates/{name}")));
            assert!(!is_path || exists("") || in_crate(), "{file}: {path}");
        }
    }
}

#[test]
fn links_have_existing_targets() {
    let mut files = documents();
    let others = "README.md CHANGELOG.md CONTRIBUTING.md .github/SECURITY.md";
    files.extend(others.split(' ').map(str::to_owned));
    let mut wrong = Vec::new();
    let mut count = 0;
    for file in &files {
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (line, target) in links(&text(file)) {
            if target.starts_with("https://") {
                continue;
            }
            count += 1;
            let (path, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let path = match path {
                "" => file.clone(),
                path => format!("{folder}/{path}")
                    .trim_start_matches('/')
                    .to_owned(),
            };
            if !root().join(&path).exists() {
                wrong.push(format!("{file}:{line}: {target} does not exist"));
            } else if !anchor.is_empty() && !anchors(&text(&path)).contains(anchor) {
                wrong.push(format!("{file}:{line}: {path} has no heading #{anchor}"));
            }
            // Files outside of docs/ are not part of the book.
            if folder == "docs" && path.contains("..") {
                wrong.push(format!("{file}:{line}: {target} leads out of the book"));
            }
        }
    }
    assert!(count > 50, "only {count} links were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each link beside an example opens the page in the browser with a file of examples/.
#[test]
fn links_to_try_examples_name_examples() {
    const TRY: &str = "](https://cronjob-doctor.github.io/cronjob-doctor/try/#";
    let mut tried = 0;
    for file in documents() {
        for link in text(&file).split(TRY).skip(1) {
            let (fragment, _) = link.split_once(')').unwrap();
            let mut parts = fragment.split('&').filter_map(|part| part.split_once('='));
            let (_, name) = parts.find(|(key, _)| *key == "example").unwrap();
            let places = [format!("{name}.yaml"), format!("{name}/bad.yaml")];
            let examples = root().join("examples");
            assert!(
                places.iter().any(|place| examples.join(place).exists()),
                "{file}: {fragment}"
            );
            tried += 1;
        }
    }
    assert!(tried > 10, "{tried}");
}

/// A row behind an empty line is text.
#[test]
fn every_table_begins_with_its_heading() {
    for page in documents() {
        let text = text(&page);
        let lines: Vec<&str> = text.lines().collect();
        for (number, pair) in lines.windows(3).enumerate() {
            let begins = !pair[0].starts_with('|') && pair[1].starts_with('|');
            let has_heading = ["|-", "| -"].iter().any(|rule| pair[2].starts_with(rule));
            assert!(!begins || has_heading, "{page}:{}", number + 2);
        }
    }
}
