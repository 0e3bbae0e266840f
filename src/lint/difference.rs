//! What differs between two texts, as `diff -u` shows it.

/// So many lines that are the same are shown around those that are not.
const AROUND: usize = 3;

/// Texts of which this many lines differ in the middle are not compared line by line.
const MAX_LINES: usize = 2_000;

/// A line of either text, or of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DiffLine<'t> {
    Same(&'t str),
    Old(&'t str),
    New(&'t str),
}

/// All lines of two texts, the old one's before the new one's where they differ.
pub(super) fn lines<'t>(old: &'t str, new: &'t str) -> Vec<DiffLine<'t>> {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let same = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| {
        pairs.take_while(|(one, other)| one == other).count()
    };
    let head = same(&mut old.iter().zip(&new));
    let rest = old.len().min(new.len()) - head;
    let tail = same(&mut old.iter().rev().zip(new.iter().rev()).take(rest));
    let part = |lines: &[&'t str]| -> Vec<&'t str> {
        let end = lines.len().saturating_sub(tail);
        lines.get(head..end).unwrap_or_default().to_vec()
    };
    let mut all: Vec<DiffLine<'t>> = old
        .iter()
        .take(head)
        .map(|line| DiffLine::Same(line))
        .collect();
    all.extend(middle(&part(&old), &part(&new)));
    let after = old.iter().skip(old.len() - tail);
    all.extend(after.map(|line| DiffLine::Same(line)));
    all
}

/// The longest common subsequence, by the table that everybody knows.
fn middle<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<DiffLine<'t>> {
    if old.len() > MAX_LINES || new.len() > MAX_LINES {
        let old = old.iter().map(|line| DiffLine::Old(line));
        return old
            .chain(new.iter().map(|line| DiffLine::New(line)))
            .collect();
    }
    let width = new.len() + 1;
    let mut table = vec![0_u32; (old.len() + 1) * width];
    let at = |table: &[u32], row: usize, column: usize| {
        table.get(row * width + column).copied().unwrap_or(0)
    };
    for (row, one) in old.iter().enumerate().rev() {
        for (column, other) in new.iter().enumerate().rev() {
            let value = if one == other {
                at(&table, row + 1, column + 1) + 1
            } else {
                at(&table, row + 1, column).max(at(&table, row, column + 1))
            };
            if let Some(cell) = table.get_mut(row * width + column) {
                *cell = value;
            }
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut lines = Vec::new();
    loop {
        lines.push(match (old.get(row), new.get(column)) {
            (Some(one), Some(other)) if one == other => {
                (row, column) = (row + 1, column + 1);
                DiffLine::Same(one)
            }
            (Some(one), other)
                if other.is_none()
                    || at(&table, row + 1, column) >= at(&table, row, column + 1) =>
            {
                row += 1;
                DiffLine::Old(one)
            }
            (_, Some(other)) => {
                column += 1;
                DiffLine::New(other)
            }
            _ => return lines,
        });
    }
}

/// The changes from one text to another as `diff -u` shows them; empty if there are none.
///
/// ```
/// use cronjob_doctor::lint::unified;
///
/// let expected = "--- a\n+++ b\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n";
/// assert_eq!(unified("a", "b", "x\ny\n", "x\nz\n"), expected);
/// ```
pub fn unified(old_name: &str, new_name: &str, old: &str, new: &str) -> String {
    let lines = lines(old, new);
    let mut text = String::new();
    for hunk in hunks(&lines) {
        if text.is_empty() {
            text.push_str(&format!("--- {old_name}\n+++ {new_name}\n"));
        }
        let before = lines.get(..hunk.start).unwrap_or_default();
        let shown = lines.get(hunk).unwrap_or_default();
        let range = |skipped: fn(&DiffLine<'_>) -> bool| {
            let count = |lines: &[DiffLine<'_>]| lines.iter().filter(|line| !skipped(line)).count();
            let (first, length) = (count(before), count(shown));
            let first = if length == 0 { first } else { first + 1 };
            if length == 1 {
                first.to_string()
            } else {
                format!("{first},{length}")
            }
        };
        let old = range(|line| matches!(line, DiffLine::New(_)));
        let new = range(|line| matches!(line, DiffLine::Old(_)));
        text.push_str(&format!("@@ -{old} +{new} @@\n"));
        for line in shown {
            push(&mut text, *line);
        }
    }
    text
}

fn push(text: &mut String, line: DiffLine<'_>) {
    let (mark, line) = match line {
        DiffLine::Same(line) => (' ', line),
        DiffLine::Old(line) => ('-', line),
        DiffLine::New(line) => ('+', line),
    };
    text.push(mark);
    text.push_str(line);
    if !line.ends_with('\n') {
        text.push_str("\n\\ No newline at end of file\n");
    }
}

/// The stretches of lines that are shown.
fn hunks(lines: &[DiffLine<'_>]) -> Vec<std::ops::Range<usize>> {
    let mut hunks: Vec<std::ops::Range<usize>> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if matches!(line, DiffLine::Same(_)) {
            continue;
        }
        let end = (index + AROUND + 1).min(lines.len());
        let start = index.saturating_sub(AROUND);
        match hunks.last_mut() {
            Some(last) if start <= last.end => last.end = end,
            _ => hunks.push(start..end),
        }
    }
    hunks
}

/// The lines that differ, and the lines just around them, without numbers.
pub fn changed_lines(old: &str, new: &str) -> String {
    let lines = lines(old, new);
    let mut text = String::new();
    let differs = |index: usize| {
        let line = lines.get(index);
        line.is_some_and(|line| !matches!(line, DiffLine::Same(_)))
    };
    let mut skipped = false;
    for (index, line) in lines.iter().enumerate() {
        let shown = (index.saturating_sub(1)..=index + 1).any(differs);
        if shown {
            if skipped && !text.is_empty() {
                text.push_str(" …\n");
            }
            push(&mut text, *line);
        }
        skipped = !shown;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_diff_shows_it() {
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
    fn lines_that_moved_are_told_by_the_fewest_changes() {
        let brief = changed_lines("a\nb\nc\nd\n", "b\nc\nx\nd\n");
        assert_eq!(brief, "-a\n b\n c\n+x\n d\n");
    }
}
