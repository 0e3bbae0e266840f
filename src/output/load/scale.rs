//! From numbers to a few levels that can be told apart at a glance.

/// The marks of the levels, from nothing on; they can be told apart without colour.
pub(in crate::output) const MARKS: [char; 5] = ['·', '░', '▒', '▓', '█'];

/// The greatest numbers of the levels above nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::output) struct Scale([u64; 4]);

impl Scale {
    /// Levels for numbers up to the greatest. Crowds differ by orders of magnitude, and so do the
    /// levels: each is as many times the one before.
    pub(in crate::output) fn up_to(greatest: u64) -> Self {
        if greatest <= 4 {
            return Scale([1, 2, 3, 4]);
        }
        #[allow(clippy::cast_precision_loss)] // a level, not a sum
        let whole = greatest as f64;
        let (half, quarter) = (whole.sqrt(), whole.sqrt().sqrt());
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // less than the greatest
        let bound = |number: f64| number.round() as u64;
        let first = bound(quarter).max(1);
        let second = bound(half).max(first + 1);
        let third = bound(half * quarter).max(second + 1).min(greatest - 1);
        Scale([first, second, third, greatest])
    }

    /// The level of a number, 0 for nothing.
    pub(in crate::output) fn level(self, number: u64) -> usize {
        if number == 0 {
            return 0;
        }
        let beyond = |bound: &&u64| **bound < number;
        (1 + self.0.iter().take_while(beyond).count()).min(4)
    }

    /// The numbers of each level that there is, nothing included: `3`, `4-9`.
    pub(in crate::output) fn ranges(self, greatest: u64) -> Vec<(usize, String)> {
        let mut ranges = vec![(0, "0".to_owned())];
        let mut least = 1;
        for (level, most) in (1..).zip(self.0) {
            if least > greatest {
                break;
            }
            let range = if least == most {
                most.to_string()
            } else {
                format!("{least}-{most}")
            };
            ranges.push((level, range));
            least = most + 1;
        }
        ranges
    }
}

#[cfg(test)]
mod tests {
    use super::Scale;

    fn ranges(greatest: u64) -> Vec<String> {
        let scale = Scale::up_to(greatest);
        let ranges = scale.ranges(greatest).into_iter();
        ranges.map(|(_, range)| range).collect()
    }

    #[test]
    fn levels_grow_by_the_same_factor() {
        assert_eq!(ranges(0), ["0"]);
        assert_eq!(ranges(2), ["0", "1", "2"]);
        assert_eq!(ranges(5), ["0", "1", "2", "3", "4-5"]);
        assert_eq!(ranges(16), ["0", "1-2", "3-4", "5-8", "9-16"]);
        assert_eq!(ranges(400), ["0", "1-4", "5-20", "21-89", "90-400"]);
    }

    #[test]
    fn each_number_has_the_level_whose_range_it_is_in() {
        for greatest in 1..300 {
            let scale = Scale::up_to(greatest);
            for (level, range) in scale.ranges(greatest) {
                let (low, high) = range.split_once('-').unwrap_or((&range, &range));
                assert_eq!(scale.level(low.parse().unwrap()), level, "{greatest}");
                assert_eq!(scale.level(high.parse().unwrap()), level, "{greatest}");
            }
            assert_eq!(scale.level(greatest), scale.ranges(greatest).len() - 1);
        }
    }
}
