//! What differs between two texts, as `diff -u` shows it.

use std::time::Duration;

use similar::TextDiff;

/// Texts that take longer to compare are shown with more changes than necessary.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Lines end with `\n` alone: a patch cannot have others.
fn compared<'t>(old: &'t str, new: &'t str) -> TextDiff<'t, 't, str> {
    let lines = |text: &'t str| text.split_inclusive('\n').collect::<Vec<_>>();
    TextDiff::configure()
        .timeout(TIMEOUT)
        .newline_terminated(true)
        .diff_slices(&lines(old), &lines(new))
}

/// The changes from one text to another as `diff -u` shows them; empty if there are none.
pub(crate) fn unified(old_name: &str, new_name: &str, old: &str, new: &str) -> String {
    compared(old, new)
        .unified_diff()
        .header(old_name, new_name)
        .to_string()
}

/// The lines that differ, and the lines just around them, without numbers.
pub(super) fn changed_lines(old: &str, new: &str) -> String {
    let diff = compared(old, new);
    let mut text = String::new();
    for hunk in diff.grouped_ops(1) {
        if !text.is_empty() {
            text.push_str(" …\n");
        }
        for change in hunk.iter().flat_map(|op| diff.iter_changes(op)) {
            text.push_str(&format!("{}{change}", change.tag()));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unified_diff_equals_the_output_of_diff() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\n";
        let new = "a\nb\nc\nD\ne\nf\ng\nh\ni\nj\nk\nl";
        let expected = "--- x\n+++ y\n@@ -1,7 +1,7 @@\n a\n b\n c\n-d\n+D\n e\n f\n g\n\
                        @@ -9,3 +9,4 @@\n i\n j\n k\n+l\n\\ No newline at end of file\n";
        assert_eq!(unified("x", "y", old, new), expected);
        assert_eq!(unified("x", "y", old, old), "");
        assert_eq!(
            unified("x", "y", "", "a\n"),
            "--- x\n+++ y\n@@ -0,0 +1 @@\n+a\n"
        );
        assert_eq!(
            unified("x", "y", "a\n", ""),
            "--- x\n+++ y\n@@ -1 +0,0 @@\n-a\n"
        );
    }

    #[test]
    fn moved_lines_give_the_shortest_diff() {
        let brief = changed_lines("a\nb\nc\nd\n", "b\nc\nx\nd\n");
        assert_eq!(brief, "-a\n b\n c\n+x\n d\n");
    }
}
