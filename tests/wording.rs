//! Texts for users have the words of Kubernetes, in American spelling.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use crate::support::files::{below, text};

/// Names in documents that other tools read, and quoted texts of others.
const EXEMPT: [&str; 5] = [
    "all at once",
    "is no longer",
    "is no such",
    "there is no",
    "user \" nobody",
];

/// Words in the order of a text. Punctuation that ends a clause is a word of its own.
struct Words {
    words: Vec<(usize, String)>,
}

impl Words {
    fn of(text: &str) -> Self {
        let mut words = Vec::new();
        for (number, line) in text.lines().enumerate() {
            // A function of GitHub, and one of JavaScript.
            let line = line.replace("cancelled()", "").replace("Math.floor", "");
            let mut rest = line.as_str();
            while let Some(start) =
                rest.find(|c: char| c.is_ascii_alphanumeric() || ".;:,`\"".contains(c))
            {
                rest = &rest[start..];
                let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
                let end = rest.find(|c| !is_letter(c)).unwrap_or(rest.len()).max(1);
                let (word, after) = rest.split_at(end);
                words.push((number + 1, word.to_ascii_lowercase()));
                rest = after;
            }
        }
        Words { words }
    }

    fn starts_with(&self, index: usize, phrase: &str) -> bool {
        let found = self.words[index..].iter().map(|(_, word)| word.as_str());
        let mut wanted = phrase.split(' ');
        wanted.by_ref().zip(found).all(|(one, other)| one == other)
            && wanted.next().is_none()
            && self.words.len() - index >= phrase.split(' ').count()
    }

    /// Each phrase that should be another one, with its line.
    fn odd(&self) -> Vec<(usize, &'static str, &'static str)> {
        /// By their first words.
        static PHRASES: LazyLock<HashMap<&str, Vec<(&str, &str)>>> = LazyLock::new(|| {
            let rows = include_str!("wording.txt").lines();
            let rows = rows.filter(|line| !line.is_empty() && !line.starts_with('#'));
            let replaced = rows.flat_map(|row| {
                let (phrases, better) = row.split_once(" => ").unwrap();
                phrases.split(" | ").map(move |phrase| (phrase, better))
            });
            let mut by_word: HashMap<&str, Vec<(&str, &str)>> = HashMap::new();
            for (phrase, better) in replaced {
                let word = phrase.split(' ').next().unwrap_or(phrase);
                by_word.entry(word).or_default().push((phrase, better));
            }
            by_word
        });
        let mut odd = Vec::new();
        for (index, (line, word)) in self.words.iter().enumerate() {
            let is_exempt = |offset: usize| {
                index >= offset
                    && EXEMPT
                        .iter()
                        .any(|one| self.starts_with(index - offset, one))
            };
            for (phrase, better) in PHRASES.get(word.as_str()).into_iter().flatten() {
                if self.starts_with(index, phrase) && !(0..3).any(is_exempt) {
                    odd.push((*line, *phrase, *better));
                }
            }
        }
        odd
    }
}

/// The text of a Rust file that is printed: its string literals and the documentation of types,
/// which schemas and help texts repeat. Everything else becomes blank.
fn printed_by(source: &str) -> String {
    let code = source.split("#[cfg(test)]\nmod ").next().unwrap();
    let mut kept = String::new();
    let mut characters = code.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '/' if characters.peek() == Some(&'/') => {
                let comment: String =
                    std::iter::from_fn(|| characters.next_if(|c| *c != '\n')).collect();
                let is_documentation = comment.starts_with("//");
                kept.push_str(if is_documentation { &comment } else { "" });
            }
            '\'' => {
                // A character, or a lifetime.
                let ahead: Vec<char> = characters.clone().take(3).collect();
                match ahead[..] {
                    ['\\', _, ..] => {
                        characters.next();
                        characters.next();
                        while characters.next_if(|c| *c != '\'' && *c != '\n').is_some() {}
                        characters.next();
                    }
                    [_, '\'', ..] => {
                        characters.next();
                        characters.next();
                    }
                    _ => {}
                }
            }
            'r' if matches!(characters.peek(), Some('"' | '#')) => {
                let hashes = std::iter::from_fn(|| characters.next_if_eq(&'#')).count();
                if characters.next_if_eq(&'"').is_none() {
                    continue;
                }
                let end: String = std::iter::once('"')
                    .chain("#".repeat(hashes).chars())
                    .collect();
                let mut literal = String::new();
                while !literal.ends_with(&end) {
                    let Some(next) = characters.next() else { break };
                    literal.push(next);
                }
                kept.push_str(&literal);
            }
            '"' => {
                kept.push('.');
                while let Some(next) = characters.next() {
                    match next {
                        '"' => break,
                        '\\' => match characters.next() {
                            Some('\n') => kept.push('\n'),
                            Some('n') => kept.push('.'),
                            _ => {}
                        },
                        other => kept.push(other),
                    }
                }
                kept.push('.');
            }
            '\n' => kept.push('\n'),
            _ => {}
        }
    }
    kept
}

fn extension(file: &str) -> &str {
    file.rsplit('.').next().unwrap()
}

/// The text of a file without old names and without the expression of a snapshot, which are not prose.
fn prose(file: &str) -> String {
    let mut text = text(file);
    for old in ["`slot`", "`slots`", "`plan.slots`", "`backfill --slot`"] {
        text = text.replace(old, "");
    }
    if extension(file) == "rs" {
        return printed_by(&text);
    }
    let lines = text.split_inclusive('\n');
    let lines = lines.filter(|line| !line.starts_with("expression:"));
    lines.collect()
}

/// The files that users read: the documents, and everything that a program of this repository prints.
fn files() -> Vec<String> {
    let folders = "src crates docs deploy examples schemas completions tests packaging .github";
    let read = |file: &String| {
        let is_of_tests = file.starts_with("tests") || file.contains("/tests/");
        let is_shown = !is_of_tests || extension(file) == "snap";
        let extension = extension(file);
        let mut kinds = "rs md yaml yml json 1 bash fish elv ps1 snap js css html tmpl".split(' ');
        let is_recorded = file.contains("fixtures") || file.contains("vectors");
        is_shown && kinds.any(|kind| kind == extension) && !is_recorded
    };
    let files = folders.split(' ').flat_map(below);
    let mut files: Vec<String> = files.filter(read).collect();
    let single = "README.md CHANGELOG.md CONTRIBUTING.md action.yml";
    files.extend(single.split(' ').map(str::to_owned));
    files
}

#[test]
fn everything_printed_uses_the_words_of_kubernetes() {
    let mut report = String::new();
    let mut count = 0;
    for file in files() {
        for (line, phrase, better) in Words::of(&prose(&file)).odd() {
            writeln!(report, "{file}:{line}: {phrase:?}: {better}").unwrap();
            count += 1;
        }
    }
    assert!(report.is_empty(), "{count} odd phrases:\n{report}");
}

#[test]
fn odd_phrases_are_found_wherever_they_are_printed() {
    let rust = "/// Of a slot.\nfn f() { let a = 'x'; print(\"one \\\n  \\\"slot\\\", starts at\n  once\"); } // a slot\n";
    let odd = Words::of(&printed_by(rust)).odd();
    let found = odd.iter().map(|(line, phrase, _)| (*line, *phrase));
    let expected = [(1, "slot"), (3, "slot"), (3, "at once")];
    assert_eq!(found.collect::<Vec<_>>(), expected);
    let odd = |text: &str| Words::of(text).odd().len();
    let three = "Its colour is no color. It is no longer grey, all at once.";
    assert_eq!(odd(three), 3);
    assert_eq!(odd("the time slot; a timeslot and slots"), 2);
}
