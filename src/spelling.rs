//! Words that were probably meant.

/// Words further apart than this are different words.
const NEAR: usize = 2;

/// The candidate that a word was probably meant to be.
///
/// ```
/// use cronjob_doctor::spelling::nearest;
///
/// assert_eq!(nearest("nigthly", ["hourly", "nightly"]), Some("nightly"));
/// assert_eq!(nearest("weekly", ["hourly", "nightly"]), None);
/// ```
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let apart = |candidate: &'c str| (distance(candidate, word), candidate);
    let nearest = candidates.into_iter().map(apart).min()?;
    // Of a short word everything is near.
    let limit = NEAR.min(word.chars().count() / 3);
    (nearest.0 <= limit).then_some(nearest.1)
}

/// How many letters must be added, dropped, changed or swapped with the next to turn one word into
/// the other.
pub(crate) fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (row, left) in one.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, right) in other.iter().enumerate() {
            let at =
                |line: &[usize], column: usize| line.get(column).copied().unwrap_or(usize::MAX - 1);
            let mut cost = at(&last, column) + usize::from(left != right);
            cost = cost
                .min(at(&last, column + 1) + 1)
                .min(at(&current, column) + 1);
            let swapped = row > 0
                && column > 0
                && one.get(row - 1) == Some(right)
                && other.get(column - 1) == Some(left);
            if swapped {
                cost = cost.min(at(&before_last, column - 1) + 1);
            }
            current.push(cost);
        }
        before_last = std::mem::replace(&mut last, current);
    }
    last.last().copied().unwrap_or(0)
}
