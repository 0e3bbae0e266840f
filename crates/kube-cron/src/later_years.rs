//! The rule for later years at the end of a zone file, such as `CET-1CEST,M3.5.0,M10.5.0/3`.
//!
//! Go ignores a rule that it cannot read, and the offset of the last change stays. `zic` writes such rules: names of
//! fewer than three letters, for which it only warns.

/// A zone file without its rule for later years; `None` if Go can read the rule, or there is none.
pub(crate) fn without_unreadable_rule(file: &[u8]) -> Option<Vec<u8>> {
    let content = file.strip_suffix(b"\n")?;
    let start = content.iter().rposition(|byte| *byte == b'\n')?;
    let (before, rule) = content.split_at(start);
    let rule = rule.strip_prefix(b"\n")?;
    let is_ignored = !rule.is_empty() && !is_readable(rule);
    is_ignored.then(|| [before, b"\n\n"].concat())
}

/// Whether Go can read a rule: a name with an offset, or two of them with the days of both changes.
fn is_readable(rule: &[u8]) -> bool {
    let Some(rest) = name(rule).and_then(offset) else {
        return false;
    };
    // Go does not read what follows a single name.
    if rest.is_empty() || rest.starts_with(b",") {
        return true;
    }
    let summer = name(rest).and_then(|rest| match rest.first() {
        None | Some(b',') => Some(rest),
        Some(_) => offset(rest),
    });
    // Without days they are those of the United States.
    summer.is_some_and(|rest| rest.is_empty() || days(rest).is_some_and(<[u8]>::is_empty))
}

// Each of these reads one part, and returns what follows it.

fn name(text: &[u8]) -> Option<&[u8]> {
    if let Some(quoted) = text.strip_prefix(b"<") {
        let end = quoted.iter().position(|byte| *byte == b'>')?;
        return quoted.get(end + 1..);
    }
    let is_end = |byte: &u8| byte.is_ascii_digit() || b",-+".contains(byte);
    let end = text.iter().position(is_end).unwrap_or(text.len());
    text.get(end..).filter(|_| end >= 3)
}

fn offset(text: &[u8]) -> Option<&[u8]> {
    let sign = text.strip_prefix(b"+").or(text.strip_prefix(b"-"));
    let mut rest = number(sign.unwrap_or(text), 0, 7 * 24)?;
    for _ in ["minutes", "seconds"] {
        match rest.strip_prefix(b":") {
            Some(next) => rest = number(next, 0, 59)?,
            None => break,
        }
    }
    Some(rest)
}

fn days(text: &[u8]) -> Option<&[u8]> {
    let first = text.strip_prefix(b",").or(text.strip_prefix(b";"))?;
    day(day(first)?.strip_prefix(b",")?)
}

fn day(text: &[u8]) -> Option<&[u8]> {
    let rest = if let Some(rest) = text.strip_prefix(b"J") {
        number(rest, 1, 365)?
    } else if let Some(month) = text.strip_prefix(b"M") {
        let week = number(month, 1, 12)?.strip_prefix(b".")?;
        let weekday = number(week, 1, 5)?.strip_prefix(b".")?;
        number(weekday, 0, 6)?
    } else {
        number(text, 0, 365)?
    };
    rest.strip_prefix(b"/").map_or(Some(rest), offset)
}

fn number(text: &[u8], least: u32, most: u32) -> Option<&[u8]> {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(length);
    let number = digits.iter().fold(0_u32, |number, digit| {
        number
            .saturating_mul(10)
            .saturating_add(u32::from(digit - b'0'))
    });
    (length > 0 && (least..=most).contains(&number)).then_some(rest)
}
