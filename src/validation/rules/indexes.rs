//! Lists of indexes such as `1,3-5`.

use crate::schedule::go_quote;

/// How many indexes a list names; the error is the server's.
pub(super) fn count(text: &str, completions: i64) -> Result<i64, String> {
    let mut total = 0;
    let mut last: Option<i64> = None;
    for interval in text.split(',').filter(|_| !text.is_empty()) {
        let (from, to) = parse(interval, completions)?;
        if let Some(last) = last.filter(|last| *last >= from) {
            return Err(not_increasing(last, from));
        }
        total += to - from + 1;
        last = Some(to);
    }
    Ok(total)
}

fn parse(interval: &str, completions: i64) -> Result<(i64, i64), String> {
    let index = |text: &str| {
        let plain = text.strip_prefix(['+', '-']).unwrap_or(text);
        let digits = !plain.is_empty() && plain.bytes().all(|byte| byte.is_ascii_digit());
        let index = digits.then(|| text.parse::<i64>().ok()).flatten();
        let index = index.ok_or_else(|| {
            format!(
                "cannot convert string to integer for index: {}",
                go_quote(text)
            )
        })?;
        if index >= completions {
            return Err(format!("too large index: {}", go_quote(text)));
        }
        Ok(index)
    };
    let mut parts = interval.split('-');
    let (from, to) = (parts.next().unwrap_or_default(), parts.next());
    if parts.next().is_some() {
        let interval = go_quote(interval);
        return Err(format!(
            "the fragment {interval} violates the requirement that an index interval can have at \
             most two parts separated by '-'"
        ));
    }
    let from = index(from)?;
    let Some(to) = to else {
        return Ok((from, from));
    };
    let to = index(to)?;
    if from >= to {
        return Err(not_increasing(from, to));
    }
    Ok((from, to))
}

fn not_increasing(previous: i64, current: i64) -> String {
    format!("non-increasing order, previous: {previous}, current: {current}")
}
