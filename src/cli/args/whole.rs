//! Whole numbers, with what was expected in words of ours.

use std::ops::RangeInclusive;

/// Reads a whole number of a range.
pub(super) fn whole<T: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| match (*range.start(), *range.end()) {
                (0, u64::MAX) => "expected a whole number".to_owned(),
                (least, u64::MAX) => format!("expected a whole number from {least} on"),
                (least, most) => format!("expected a whole number from {least} to {most}"),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_expected_is_said() {
        let error = |range, text| whole::<u16>(range)(text).unwrap_err();
        assert_eq!(whole::<u16>(1..=65_535)("65535"), Ok(65_535));
        assert_eq!(error(0..=u64::MAX, "-1"), "expected a whole number");
        assert_eq!(
            error(1..=u64::MAX, "0"),
            "expected a whole number from 1 on"
        );
        for wrong in ["", "x", "1.5", "0", "11", "99999999999999999999"] {
            assert_eq!(error(1..=10, wrong), "expected a whole number from 1 to 10");
        }
    }
}
