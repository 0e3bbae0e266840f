//! Go's `time.ParseDuration`, with its errors.

/// Reads a duration such as `1h30m` or `-1.5h`, in nanoseconds.
pub(super) fn parse(text: &str) -> Result<i64, String> {
    let invalid = || format!("time: invalid duration {}", quote(text));
    let (negative, unsigned) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    if unsigned == "0" {
        return Ok(0);
    }
    if unsigned.is_empty() {
        return Err(invalid());
    }
    let mut rest = unsigned;
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let term = Term::take(rest).ok_or_else(invalid)?;
        rest = term.rest;
        let unit_length = rest.find(|c: char| c == '.' || c.is_ascii_digit());
        let (unit, after) = rest.split_at(unit_length.unwrap_or(rest.len()));
        if unit.is_empty() {
            return Err(format!("time: missing unit in duration {}", quote(text)));
        }
        let Some(nanoseconds) = unit_value(unit) else {
            let (unit, text) = (quote(unit), quote(text));
            return Err(format!("time: unknown unit {unit} in duration {text}"));
        };
        total = term
            .value(nanoseconds)
            .and_then(|value| add(total, value))
            .ok_or_else(invalid)?;
        rest = after;
    }
    match (i64::try_from(total), negative) {
        (Ok(value), true) => Ok(-value),
        (Ok(value), false) => Ok(value),
        (Err(_), true) => Ok(i64::MIN),
        (Err(_), false) => Err(invalid()),
    }
}

/// One more than the longest positive duration: what `-` may still reach.
const LIMIT: u64 = 1 << 63;

fn add(total: u64, value: u64) -> Option<u64> {
    total.checked_add(value).filter(|sum| *sum <= LIMIT)
}

fn unit_value(unit: &str) -> Option<u64> {
    Some(match unit {
        "ns" => 1,
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    })
}

/// Digits with a fraction, before their unit.
struct Term<'a> {
    whole: u64,
    fraction: u64,
    scale: f64,
    rest: &'a str,
}

impl<'a> Term<'a> {
    fn take(text: &'a str) -> Option<Term<'a>> {
        let (digits, mut rest) = split_digits(text);
        let whole = leading_integer(digits)?;
        let (mut fraction, mut scale) = (0, 1.0);
        let mut fraction_digits = "";
        if let Some(after_point) = rest.strip_prefix('.') {
            (fraction_digits, rest) = split_digits(after_point);
            (fraction, scale) = leading_fraction(fraction_digits);
        }
        let any_digit = !digits.is_empty() || !fraction_digits.is_empty();
        any_digit.then_some(Term {
            whole,
            fraction,
            scale,
            rest,
        })
    }

    /// The fraction is computed in floating point, as upstream does; `None` where it overflows.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss
    )]
    fn value(&self, unit: u64) -> Option<u64> {
        if self.whole > LIMIT / unit {
            return None;
        }
        let mut value = self.whole * unit;
        if self.fraction > 0 {
            value += (self.fraction as f64 * (unit as f64 / self.scale)) as u64;
        }
        (value <= LIMIT).then_some(value)
    }
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(
        text.find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len()),
    )
}

fn leading_integer(digits: &str) -> Option<u64> {
    digits.bytes().try_fold(0_u64, |value, digit| {
        let value = (value <= LIMIT / 10).then(|| value * 10 + u64::from(digit - b'0'))?;
        (value <= LIMIT).then_some(value)
    })
}

/// Digits beyond what fits are ignored.
fn leading_fraction(digits: &str) -> (u64, f64) {
    let (mut value, mut scale) = (0_u64, 1.0);
    for digit in digits.bytes() {
        if value > (LIMIT - 1) / 10 {
            break;
        }
        let next = value * 10 + u64::from(digit - b'0');
        if next > LIMIT {
            break;
        }
        value = next;
        scale *= 10.0;
    }
    (value, scale)
}

/// The quoting of Go's package `time`: control characters and everything beyond ASCII by bytes.
fn quote(text: &str) -> String {
    use std::fmt::Write as _;
    let mut quoted = String::from("\"");
    for c in text.chars() {
        if c < ' ' || !c.is_ascii() {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                // Writing to a string cannot fail.
                let _ = write!(quoted, "\\x{byte:02x}");
            }
        } else {
            if c == '"' || c == '\\' {
                quoted.push('\\');
            }
            quoted.push(c);
        }
    }
    quoted.push('"');
    quoted
}
