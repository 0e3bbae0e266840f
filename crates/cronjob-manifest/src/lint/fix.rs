//! Edits of a text that fix findings.

use located_yaml::Span;

/// A change that fixes a finding and changes nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, in the imperative: `Use 0 for Sunday`.
    pub description: String,
    /// The changes, which do not overlap.
    pub edits: Vec<TextEdit>,
}

/// A replacement in the text of a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// The bytes to replace; an empty span inserts.
    pub span: Span,
    pub replacement: String,
}

impl Fix {
    /// A fix that is one edit.
    pub fn new(description: impl Into<String>, edit: TextEdit) -> Self {
        Fix {
            description: description.into(),
            edits: vec![edit],
        }
    }

    #[must_use]
    pub fn described(self, description: impl Into<String>) -> Self {
        Fix {
            description: description.into(),
            ..self
        }
    }

    /// Adds the edits of another fix, without its description.
    #[must_use]
    pub fn and(mut self, other: Fix) -> Self {
        self.edits.extend(other.edits);
        self
    }
}

/// A text after its fixes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedText {
    pub text: String,
    /// How many fixes were applied; one that overlaps with an earlier one is not.
    pub applied: usize,
}

/// Applies fixes to a text, each completely or not at all.
pub fn apply<'f>(text: &str, fixes: impl IntoIterator<Item = &'f Fix>) -> FixedText {
    let mut taken: Vec<&TextEdit> = Vec::new();
    let mut applied = 0;
    for fix in fixes {
        // Several findings can be fixed by the same change.
        let known = |edit: &&TextEdit| !taken.contains(edit);
        let new: Vec<&TextEdit> = fix.edits.iter().filter(known).collect();
        let in_text = |edit: &&TextEdit| edit.span.slice(text).is_some();
        let free = |edit: &&TextEdit| !taken.iter().any(|other| overlap(edit.span, other.span));
        if new.iter().all(in_text) && new.iter().all(free) {
            taken.extend(new);
            applied += 1;
        }
    }
    // From back to front, so that earlier positions stay valid.
    taken.sort_by_key(|edit| std::cmp::Reverse(edit.span));
    let mut text = text.to_owned();
    for edit in taken {
        text.replace_range(edit.span.range(), &edit.replacement);
    }
    FixedText { text, applied }
}

/// Whether two changes touch the same bytes, or insert at the same place.
fn overlap(one: Span, other: Span) -> bool {
    one.start == other.start || (one.start < other.end && other.start < one.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fix(start: u32, end: u32, replacement: &str) -> Fix {
        let span = Span { start, end };
        let replacement = replacement.to_owned();
        Fix::new("", TextEdit { span, replacement })
    }

    fn applied(text: &str, fixes: &[Fix]) -> (String, usize) {
        let fixed = apply(text, fixes);
        (fixed.text, fixed.applied)
    }

    #[test]
    fn fixes_of_one_text_do_not_shift_each_other() {
        let fixes = [fix(0, 1, "long"), fix(2, 3, ""), fix(3, 3, "!")];
        assert_eq!(applied("abcd", &fixes), ("longb!d".to_owned(), 3));
    }

    #[test]
    fn fixes_that_overlap_are_not_applied() {
        let fixes = [fix(0, 2, "x"), fix(1, 3, "y"), fix(0, 2, "x")];
        // The third is the first once more, and done with it.
        assert_eq!(applied("abcd", &fixes), ("xcd".to_owned(), 2));
        let both = fix(3, 4, "z").and(fix(1, 2, "y"));
        assert_eq!(
            applied("abcd", &[fix(0, 2, "x"), both]),
            ("xcd".to_owned(), 1)
        );
        // Beyond the text, or within a character.
        assert_eq!(
            applied("é", &[fix(1, 2, "x"), fix(7, 9, "y")]),
            ("é".to_owned(), 0)
        );
    }
}
