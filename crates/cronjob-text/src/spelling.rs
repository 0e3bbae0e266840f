//! Finds words that were probably meant.

use std::collections::BTreeSet;

use strsim::osa_distance;

/// The largest edit distance of a misspelled word.
const NEAR: usize = 2;

/// The candidate that was probably meant.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    // Short words are similar to everything.
    let limit = NEAR.min(word.chars().count() / 3);
    let apart = |candidate: &'c str| Some((distance(candidate, word, limit)?, candidate));
    let nearest = candidates.into_iter().filter_map(apart).min()?;
    Some(nearest.1)
}

/// The names that were probably meant: the nearest one, the CronJob of a Job's name, or those that begin so.
pub fn meant<'c>(name: &str, known: impl IntoIterator<Item = &'c str>) -> Option<String> {
    const FEW: usize = 3;
    let known: BTreeSet<&str> = known.into_iter().collect();
    let is_start = |known: &&&str| {
        let rest = name.strip_prefix(**known);
        rest.is_some_and(|rest| rest.starts_with('-'))
    };
    let one = nearest(name, known.iter().copied());
    let one = one.or_else(|| {
        known
            .iter()
            .filter(is_start)
            .max_by_key(|known| known.len())
            .copied()
    });
    let longer = known.iter().filter(|known| known.starts_with(name));
    let longer: Vec<&str> = longer.take(FEW).copied().collect();
    let names = one.map_or_else(|| longer.join(" or "), str::to_owned);
    (!names.is_empty()).then_some(names)
}

/// The longest word that is compared: longer than any name in Kubernetes. Comparing takes as many steps as
/// the product of the lengths.
const LONGEST: usize = 256;

/// The number of letters to add, drop, change or swap to turn one word into the other; `None` if more
/// than `limit`.
fn distance(one: &str, other: &str, limit: usize) -> Option<usize> {
    // A character has at most four bytes.
    if one.len().max(other.len()) > LONGEST || one.len().abs_diff(other.len()) > 4 * limit {
        return None;
    }
    Some(osa_distance(one, other)).filter(|distance| *distance <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_up_to_a_limit() {
        for (one, other, expected) in [
            ("", "", Some(0)),
            ("nightly", "nigthly", Some(1)),
            ("kitten", "sitting", None),
            ("Europe/Berlin", "Europe/Brelni", Some(2)),
            ("ab", "abcd", Some(2)),
            ("ab", "abcde", None),
            ("é", "ab", Some(2)),
        ] {
            assert_eq!(distance(one, other, 2), expected, "{one} {other}");
            assert_eq!(distance(other, one, 2), expected, "{other} {one}");
        }
    }

    /// The comparison would take seconds for each of the 600 zones.
    #[test]
    fn words_longer_than_any_name_are_not_compared() {
        let (word, longer) = ("x".repeat(LONGEST), "x".repeat(LONGEST + 1));
        assert_eq!(distance(&word, &word, 2), Some(0));
        assert_eq!(distance(&longer, &longer, 2), None);
        assert_eq!(distance(&word, &longer, 2), None);
    }

    #[test]
    fn nearest_is_one_swap_away() {
        use crate::spelling::nearest;

        assert_eq!(nearest("nigthly", ["hourly", "nightly"]), Some("nightly"));
        assert_eq!(nearest("weekly", ["hourly", "nightly"]), None);
    }
}
