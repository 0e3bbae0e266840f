//! Amounts of a resource, as `k8s.io/apimachinery/pkg/api/resource` reads and writes them.

use std::cmp::Ordering;
use std::fmt;

use kube_cron::go_quote;

/// What a quantity counts in the end: a thousand millionth of one.
const NANO_DIGITS: i32 = 9;
const ONE: i128 = 1_000_000_000;
/// Larger amounts are equal; they are far beyond what the API supports.
const MOST: i128 = i128::MAX / 2048;

/// An amount of a resource, such as `500m` or `1Gi`, as the API server reads it.
#[derive(Clone, Debug)]
pub struct Quantity {
    nanos: i128,
    format: Format,
    /// The text, where the server takes it for canonical.
    text: Option<Box<str>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// `1500m`, `2k`
    Decimal,
    /// `1Ki`
    Binary,
    /// `1e3`
    Exponent,
}

/// Why a text is not a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuantityError {
    #[error(
        "quantities must match the regular expression \
         '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
    )]
    Form,
    #[error("unable to parse quantity's suffix")]
    Suffix,
    #[error("unable to parse numeric part of quantity")]
    Number,
}

impl Quantity {
    /// Reads an amount. A missing number is zero to the server, and what is smaller than a
    /// thousand millionth is rounded up to one.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        if text.is_empty() {
            return Err(QuantityError::Form);
        }
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (whole, rest) = split_digits(unsigned);
        let (fraction, suffix) = match rest.strip_prefix('.') {
            Some(rest) => split_digits(rest),
            None => ("", rest),
        };
        if whole.bytes().all(|digit| digit == b'0') && rest.is_empty() {
            return Ok(Quantity::zero());
        }
        check_suffix(suffix)?;
        let (scale, format) = Scale::of(suffix).ok_or(QuantityError::Suffix)?;
        let nanos = scale.apply(whole, fraction).ok_or(QuantityError::Number)?;
        // With binary suffixes the server counts no further than 64 bits go.
        let nanos = match format {
            Format::Binary => nanos.min(i128::from(i64::MAX) * ONE),
            Format::Decimal | Format::Exponent => nanos,
        };
        let negative = text.starts_with('-');
        let format = if format == Format::Binary && nanos < ONE && nanos > 0 {
            Format::Decimal
        } else {
            format
        };
        let shown = scale.shows(whole, fraction).then(|| Box::from(text));
        Ok(Quantity {
            nanos: if negative { -nanos } else { nanos },
            format,
            text: shown,
        })
    }

    pub(super) fn zero() -> Self {
        Quantity {
            nanos: 0,
            format: Format::Decimal,
            text: None,
        }
    }

    /// The sum, written as this one is.
    pub(super) fn plus(&self, other: &Self) -> Self {
        Quantity {
            nanos: self.nanos.saturating_add(other.nanos),
            format: if self.is_zero() {
                other.format
            } else {
                self.format
            },
            text: None,
        }
    }

    /// This quantity in thousandths; what is smaller is rounded up.
    pub(super) fn rounded_to_thousandths(self) -> Self {
        let milli = ONE / 1000;
        let rest = self.nanos % milli;
        // Away from zero, as the server rounds.
        let nanos = self.nanos - rest + milli * rest.signum();
        let text = self.text.filter(|_| rest == 0);
        Quantity {
            nanos,
            text,
            ..self
        }
    }

    /// The canonical form in quotes.
    pub(super) fn quoted(&self) -> String {
        go_quote(&self.to_string())
    }

    pub(super) fn is_negative(&self) -> bool {
        self.nanos < 0
    }

    pub(super) fn is_zero(&self) -> bool {
        self.nanos == 0
    }

    /// Whether it is a whole number, when what is smaller than a thousandth is rounded up.
    pub(super) fn is_whole(&self) -> bool {
        let milli = ONE / 1000;
        let millis = self.nanos.div_euclid(milli) + i128::from(self.nanos.rem_euclid(milli) > 0);
        millis % 1000 == 0
    }

    /// Whether it is a multiple of another one.
    pub(super) fn is_multiple_of(&self, other: &Self) -> bool {
        other.nanos != 0 && self.nanos % other.nanos == 0
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.nanos == other.nanos
    }
}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.nanos.cmp(&other.nanos))
    }
}

/// The canonical form: no fraction, and the largest suffix that allows it.
impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(text) = &self.text {
            return f.write_str(text);
        }
        if self.nanos == 0 {
            return f.write_str("0");
        }
        let whole = self.nanos % ONE == 0;
        if self.format == Format::Binary && whole && self.nanos.abs() >= 1024 * ONE {
            let (mut number, mut suffix) = (self.nanos / ONE, 0);
            while number % 1024 == 0 && suffix + 1 < BINARY.len() {
                number /= 1024;
                suffix += 1;
            }
            return write!(f, "{number}{}", BINARY.get(suffix).unwrap_or(&""));
        }
        let (mut number, mut exponent) = (self.nanos, -NANO_DIGITS);
        while number % 1000 == 0 && exponent < 18 {
            number /= 1000;
            exponent += 3;
        }
        if self.format == Format::Exponent {
            return match exponent {
                0 => write!(f, "{number}"),
                _ => write!(f, "{number}e{exponent}"),
            };
        }
        let suffix = DECIMAL.iter().find(|(_, of)| *of == exponent);
        write!(f, "{number}{}", suffix.map_or("", |(suffix, _)| suffix))
    }
}

const DECIMAL: [(&str, i32); 10] = [
    ("n", -9),
    ("u", -6),
    ("m", -3),
    ("", 0),
    ("k", 3),
    ("M", 6),
    ("G", 9),
    ("T", 12),
    ("P", 15),
    ("E", 18),
];
const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

fn split_digits(text: &str) -> (&str, &str) {
    let end = text.find(|digit: char| !digit.is_ascii_digit());
    text.split_at(end.unwrap_or(text.len()))
}

/// Letters of suffixes, a sign, digits: anything else is not of the form at all.
fn check_suffix(suffix: &str) -> Result<(), QuantityError> {
    let rest = suffix.trim_start_matches(|letter| "eEinumkKMGTP".contains(letter));
    let rest = rest.strip_prefix(['+', '-']).unwrap_or(rest);
    let digits = rest.bytes().all(|byte| byte.is_ascii_digit());
    digits.then_some(()).ok_or(QuantityError::Form)
}

enum Scale {
    Ten(i32),
    Two(u32),
}

impl Scale {
    fn of(suffix: &str) -> Option<(Self, Format)> {
        if let Some((_, exponent)) = DECIMAL.iter().find(|(name, _)| *name == suffix) {
            return Some((Scale::Ten(*exponent), Format::Decimal));
        }
        let binary = BINARY.iter().skip(1).position(|name| *name == suffix);
        if let Some(position) = binary.and_then(|position| u32::try_from(position).ok()) {
            return Some((Scale::Two(10 * (position + 1)), Format::Binary));
        }
        let exponent = suffix.strip_prefix(['e', 'E'])?.parse::<i64>().ok()?;
        let exponent = exponent.clamp(-1_000, 1_000);
        let exponent = i32::try_from(exponent).unwrap_or_default();
        Some((Scale::Ten(exponent), Format::Exponent))
    }

    /// Whether the server keeps the text as it is: short enough for its fast way, and neither
    /// with zeros that a larger suffix would take nor with digits that a smaller one would.
    fn shows(&self, whole: &str, fraction: &str) -> bool {
        let whole = match whole.trim_start_matches('0') {
            "" => "0",
            whole => whole,
        };
        match self {
            Scale::Ten(exponent) => {
                let places = i32::try_from(fraction.len()).unwrap_or(i32::MAX);
                let scale = exponent.saturating_sub(places);
                let digits = format!("{whole}{fraction}");
                digits.len() <= 18
                    && scale >= -NANO_DIGITS
                    && scale % 3 == 0
                    && !digits.ends_with("000")
                    && !digits.starts_with('0')
            }
            Scale::Two(power) => {
                let most_digits = 14 - i64::from(power * 3 / 10);
                let value = whole.parse::<i64>().unwrap_or_default();
                let length = i64::try_from(whole.len()).unwrap_or(i64::MAX);
                fraction.is_empty() && length <= most_digits && value & 7 != 0
            }
        }
    }

    fn apply(&self, whole: &str, fraction: &str) -> Option<i128> {
        let digits = whole.bytes().chain(fraction.bytes());
        let fraction = i32::try_from(fraction.len()).ok()?;
        let (exponent, factor) = match self {
            Scale::Ten(exponent) => (exponent + NANO_DIGITS - fraction, 1),
            Scale::Two(power) => (NANO_DIGITS - fraction, 1i128 << power),
        };
        // More digits than these are beyond what is counted with, or beyond the point.
        let mut number: i128 = 0;
        let (mut dropped, mut lost) = (0i32, false);
        for digit in digits {
            let digit = i128::from(digit - b'0');
            if number > MOST / 100_000_000_000_000_000_000 {
                dropped += 1;
                lost |= digit != 0;
            } else {
                number = number * 10 + digit;
            }
        }
        let mut exponent = exponent + dropped;
        let mut number = number.saturating_mul(factor).min(MOST);
        while exponent > 0 && number < MOST && number > 0 {
            number = number.saturating_mul(10).min(MOST);
            exponent -= 1;
        }
        while exponent < 0 && number > 0 {
            lost |= number % 10 != 0;
            number /= 10;
            exponent += 1;
        }
        Some(number + i128::from(lost))
    }
}

#[cfg(test)]
mod tests {
    use super::Quantity;

    #[test]
    fn quantities_are_printed_in_canonical_form() {
        let cases = "0=0 0.5=500m 1000m=1 1500m=1500m 100000=100k 1Gi=1Gi 1024Mi=1Gi 0.5Gi=512Mi \
                     1.5Ki=1536 512=512 1e3=1e3 -5=-5 0.1n=1n 100Ki=100Ki 1E=1E 12E6=12E6 \
                     1000e3=1e6 +1=+1 1.500=1.500 16Ei=9223372036854775807 m=0";
        for case in cases.split(' ') {
            let (text, expected) = case.split_once('=').unwrap();
            assert_eq!(
                Quantity::parse(text).unwrap().to_string(),
                expected,
                "{text}"
            );
        }
    }
}
