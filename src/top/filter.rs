//! Which rows are shown.

use crate::survey::Row;

/// Which rows are shown: those that each of its words fits.
///
/// A plain word is a part of namespace/name. A word after `!` is about what is wrong: a health, a part
/// of a finding's code, or `suspended`; `!` alone is any warning or error. Case does not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    text: String,
    words: Vec<Word>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Word {
    Name(String),
    Problem,
    Wrong(String),
}

impl Filter {
    /// A filter as it was typed.
    pub fn new(text: &str) -> Self {
        let word = |word: &str| match word.strip_prefix('!') {
            None => Word::Name(word.to_lowercase()),
            Some("") => Word::Problem,
            Some(wrong) => Word::Wrong(wrong.to_lowercase()),
        };
        Filter {
            text: text.to_owned(),
            words: text.split_whitespace().map(word).collect(),
        }
    }

    /// As it was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it leaves nothing out.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether a row is shown.
    pub fn fits(&self, row: &Row) -> bool {
        self.words.iter().all(|word| match word {
            Word::Name(part) => {
                let name = format!("{}/{}", row.namespace, row.name);
                name.to_lowercase().contains(part)
            }
            Word::Problem => row.health.is_problem(),
            Word::Wrong(part) => {
                row.health.as_str() == part
                    || (row.suspended && "suspended".starts_with(part))
                    || row
                        .findings
                        .iter()
                        .any(|finding| finding.code.contains(part))
            }
        })
    }
}
