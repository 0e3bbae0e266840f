//! Times as Go's `time.Parse` reads them with the layout of RFC 3339.

use crate::schedule::go_quote;

const LAYOUT: &str = "2006-01-02T15:04:05Z07:00";

/// One piece of the layout: its name there, how many digits, and their range.
type Piece = (&'static str, usize, u32, u32, &'static str);

const PIECES: [Piece; 6] = [
    ("2006", 4, 0, 9999, "year"),
    ("01", 2, 1, 12, "month"),
    ("02", 2, 0, 31, "day"),
    ("15", 2, 0, 23, "hour"),
    ("04", 2, 0, 59, "minute"),
    ("05", 2, 0, 59, "second"),
];
const BETWEEN: [&str; 6] = ["-", "-", "T", ":", ":", ""];

/// Whether a text is a time; the error is Go's.
pub(super) fn parse(text: &str) -> Result<(), String> {
    let failed = |rest: &str, wanted: &str| {
        let (text, rest) = (go_quote(text), go_quote(rest));
        let (layout, wanted) = (go_quote(LAYOUT), go_quote(wanted));
        format!("parsing time {text} as {layout}: cannot parse {rest} as {wanted}")
    };
    let out_of_range = |what: &str| format!("parsing time {}: {what} out of range", go_quote(text));
    let mut rest = text;
    for ((name, digits, low, high, what), between) in PIECES.into_iter().zip(BETWEEN) {
        let number = rest.get(..digits).filter(|piece| all_digits(piece));
        let number = number.and_then(|piece| piece.parse::<u32>().ok());
        let number = number.ok_or_else(|| failed(rest, name))?;
        if !(low..=high).contains(&number) {
            return Err(out_of_range(what));
        }
        rest = rest.get(digits..).unwrap_or_default();
        rest = rest
            .strip_prefix(between)
            .ok_or_else(|| failed(rest, between))?;
    }
    if let Some(fraction) = rest.strip_prefix(['.', ',']) {
        rest = fraction.trim_start_matches(|digit: char| digit.is_ascii_digit());
    }
    match rest {
        "Z" => valid_day(text)
            .then_some(())
            .ok_or_else(|| out_of_range("day")),
        _ if is_offset(rest) => valid_day(text)
            .then_some(())
            .ok_or_else(|| out_of_range("day")),
        _ => Err(failed(rest, "Z07:00")),
    }
}

fn all_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_offset(text: &str) -> bool {
    let Some((hours, minutes)) = text
        .strip_prefix(['+', '-'])
        .and_then(|text| text.split_once(':'))
    else {
        return false;
    };
    let fits = |text: &str, high: u32| {
        text.len() == 2
            && all_digits(text)
            && text.parse::<u32>().is_ok_and(|number| number <= high)
    };
    fits(hours, 24) && fits(minutes, 60)
}

fn valid_day(text: &str) -> bool {
    text.get(..10)
        .is_some_and(|day| day.parse::<jiff::civil::Date>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn words_of_errors() {
        let layout = "as \"2006-01-02T15:04:05Z07:00\": cannot parse";
        for (text, error) in [
            ("2026-01-02T03:04:05Z", ""),
            ("2026-01-02T03:04:05.25+02:00", ""),
            (
                "yesterday",
                &format!("parsing time \"yesterday\" {layout} \"yesterday\" as \"2006\""),
            ),
            (
                "2026-01-01",
                &format!("parsing time \"2026-01-01\" {layout} \"\" as \"T\""),
            ),
            (
                "2026-02-30T00:00:00Z",
                "parsing time \"2026-02-30T00:00:00Z\": day out of range",
            ),
        ] {
            assert_eq!(parse(text).err().unwrap_or_default(), error);
        }
    }
}
