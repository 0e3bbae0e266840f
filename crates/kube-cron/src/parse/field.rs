//! One field: a list of ranges with steps, as bits.

use super::{Blame, Piece, Reason};
use crate::dialect::Traits;
use crate::field_name::FieldName;
use crate::fields::Set;

/// Parses a field. Upstream accepts an extra comma, and a lone comma is the empty set.
pub(super) fn read(field: Piece<'_>, name: FieldName, traits: &Traits) -> Result<Set, Blame> {
    let mut set = Set {
        bits: 0,
        star: false,
    };
    for range in field.split(',').filter(|range| !range.text.is_empty()) {
        let part = read_range(range, name, traits)?;
        set.bits |= part.bits;
        set.star |= part.star;
    }
    Ok(set)
}

/// Parses `*`, `N` or `N-M`, each optionally with `/STEP`, with upstream's order of checks.
fn read_range(range: Piece<'_>, name: FieldName, traits: &Traits) -> Result<Set, Blame> {
    let (minimum, maximum) = match name {
        FieldName::DayOfWeek if traits.wraps_ranges => (0, 7),
        name => name.bounds(),
    };
    let (minimum, maximum) = (u64::from(minimum), u64::from(maximum));
    let mut slashes = range.split('/');
    let limits = slashes.next().unwrap_or(range);
    let step_text = slashes.next();
    let too_many_slashes = slashes.next().is_some();
    let mut hyphens = limits.split('-');
    let low = hyphens.next().unwrap_or(limits);
    let high = hyphens.next();

    let mut star = low.text == "*" || low.text == "?";
    let start;
    let mut end;
    if star {
        // Upstream ignores anything after an asterisk and a hyphen.
        (start, end) = (minimum, maximum);
    } else {
        start = number_or_name(low, name)?;
        if hyphens.next().is_some() {
            // go-cron cites the range without its step.
            let cited = if traits.go_cron_errors { limits } else { range };
            return Err(cited.wrong(Reason::TooManyHyphens).at(range));
        }
        end = high.map_or(Ok(start), |high| number_or_name(high, name))?;
    }
    let mut step = 1;
    if too_many_slashes {
        return Err(range.wrong(Reason::TooManySlashes));
    }
    if let Some(step_text) = step_text {
        step = number(step_text)?;
        if high.is_none() {
            end = maximum;
        }
        star &= step <= 1 || traits.stepped_star_is_star;
    }
    if start < minimum {
        return Err(range.wrong(Reason::BelowMinimum { start, minimum }).at(low));
    }
    if end > maximum {
        let blame = range.wrong(Reason::AboveMaximum { end, maximum });
        return Err(blame.at(high.unwrap_or(low)));
    }
    if start > end && !traits.wraps_ranges {
        return Err(range.wrong(Reason::Reversed { start, end }).at(limits));
    }
    let place_of_step = step_text.unwrap_or(range);
    if step == 0 {
        return Err(range.wrong(Reason::StepZero).at(place_of_step));
    }
    let bits = if traits.wraps_ranges {
        wrapped_bits(start, end, step, minimum, maximum).map_err(|size| {
            let blame = range.wrong(Reason::StepTooLarge { step, size });
            blame.at(place_of_step)
        })?
    } else {
        bits(start, end, step)
    };
    Ok(Set { bits, star })
}

/// The bits of a range that may wrap around; the size of the range if the step is not smaller.
///
/// Upstream does not check where a range begins, so that a start above the maximum wraps around too.
fn wrapped_bits(start: u64, end: u64, step: u64, minimum: u64, maximum: u64) -> Result<u64, u64> {
    let values = maximum - minimum + 1;
    let (last, size) = if start > end {
        let size = (values + 1).wrapping_sub(start - minimum);
        (end + values, size.wrapping_add(end - minimum))
    } else {
        (end, end - start + 1)
    };
    if step > 1 && step >= size {
        return Err(size);
    }
    let wrapped = |value: u64| {
        if value > maximum {
            (value - minimum) % values + minimum
        } else {
            value
        }
    };
    let step = usize::try_from(step).unwrap_or(usize::MAX);
    let bits = (start..=last)
        .step_by(step)
        .fold(0_u64, |bits, value| bits | 1 << wrapped(value));
    // Only the day of the week has 8 values: 7 is Sunday, too.
    let sunday = u64::from(values == 8 && bits & (1 << 7) != 0);
    Ok(bits & !(sunday << 7) | sunday)
}

fn bits(start: u64, end: u64, step: u64) -> u64 {
    let mut bits = 0;
    let mut next = start;
    while next <= end {
        bits |= 1 << next;
        next = next.saturating_add(step);
    }
    bits
}

fn number_or_name(piece: Piece<'_>, name: FieldName) -> Result<u64, Blame> {
    match name.value_of(&lower_case(piece.text)) {
        Some(value) => Ok(value),
        None => number(piece),
    }
}

/// Go converts each letter to lower case separately, so the Turkish dotted capital I becomes i.
fn lower_case(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c == 'İ' {
                'i'
            } else {
                c.to_lowercase().next().unwrap_or(c)
            }
        })
        .collect()
}

/// Go's `strconv.Atoi`: decimal digits with a sign, in 64 bits.
fn number(piece: Piece<'_>) -> Result<u64, Blame> {
    let text = piece.text;
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let not_a_number = |out_of_range| piece.wrong(Reason::NotANumber { out_of_range });
    if unsigned.is_empty() || !unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(not_a_number(false));
    }
    let value: i64 = text.parse().map_err(|_| not_a_number(true))?;
    u64::try_from(value).map_err(|_| piece.wrong(Reason::Negative { value }))
}
