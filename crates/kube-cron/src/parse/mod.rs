//! Parses an expression as robfig/cron's `ParseStandard` does.

mod duration;
mod error;
mod field;
mod go_cron;
mod hint;

use std::ops::Range;

pub use error::go_quote;
pub use error::{FieldName, ParseError, Reason};
pub use hint::suggest_zone;

use super::dialect::Dialect;
use super::fields::{ALL_DAYS, Fields, Set};
use super::zone::{Location, Zones, load_location};

/// A parsed expression without its zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expression {
    Fields(Fields),
    /// `@every`, in whole seconds.
    Every(i64),
}

/// A parsed expression with the zone of its prefix, if any.
pub(crate) struct ParsedExpression<'a> {
    pub(crate) expression: Expression,
    /// The text without the zone.
    pub(crate) text: &'a str,
    pub(crate) location: Option<Location>,
}

/// A piece of the expression and its position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: usize,
}

impl<'a> Piece<'a> {
    pub(crate) fn span(&self) -> Range<usize> {
        self.at..self.at + self.text.len()
    }

    /// The parts between separators, empty ones included.
    pub(crate) fn split(self, separator: char) -> impl Iterator<Item = Piece<'a>> {
        self.text.split(separator).map(move |text| self.part(text))
    }

    /// The words between white space, as defined by Unicode.
    fn words(self) -> impl Iterator<Item = Piece<'a>> {
        let words = self.text.split_whitespace();
        words.map(move |text| self.part(text))
    }

    /// A slice of this piece's own text, with its place.
    fn part(self, text: &'a str) -> Piece<'a> {
        Piece {
            text,
            at: self.at + (text.as_ptr() as usize - self.text.as_ptr() as usize),
        }
    }
}

pub(crate) fn parse<'a>(
    text: &'a str,
    dialect: Dialect,
    zones: &dyn Zones,
) -> Result<ParsedExpression<'a>, ParseError> {
    parse_pieces(Piece { text, at: 0 }, dialect, zones)
        .map_err(|(reason, span)| ParseError::new(reason, span, text, dialect))
}

/// A reason, and the part of the text that causes the error.
pub(crate) type Blame = (Reason, Range<usize>);

fn parse_pieces<'a>(
    whole: Piece<'a>,
    dialect: Dialect,
    zones: &dyn Zones,
) -> Result<ParsedExpression<'a>, Blame> {
    if whole.text.is_empty() {
        return Err((Reason::Empty, 0..0));
    }
    let traits = dialect.traits();
    let (location, rest) = if traits.go_cron_errors {
        go_cron::zone_prefix(whole, zones)?
    } else if traits.zone_prefix {
        zone_prefix(whole, zones)?
    } else {
        (None, whole)
    };
    let expression = match rest.text {
        text if !text.starts_with('@') => Expression::Fields(fields(rest, dialect)?),
        text if traits.go_cron_errors => go_cron::descriptor(rest, text)?,
        _ => descriptor(rest)?,
    };
    Ok(ParsedExpression {
        expression,
        text: rest.text,
        location,
    })
}

/// Reads the fields in upstream's order, which decides which error is reported.
fn fields(rest: Piece<'_>, dialect: Dialect) -> Result<Fields, Blame> {
    let traits = &dialect.traits();
    let words: Vec<Piece<'_>> = rest.words().collect();
    let zero = Piece { text: "0", ..rest };
    let every = Piece { text: "*", ..rest };
    let places = match words.as_slice() {
        [minute, hour, day, month, weekday] if !traits.seconds_field => {
            [zero, *minute, *hour, *day, *month, *weekday]
        }
        [second, minute, hour, day, month] if traits.seconds_field => {
            [*second, *minute, *hour, *day, *month, every]
        }
        [second, minute, hour, day, month, weekday] if traits.seconds_field => {
            [*second, *minute, *hour, *day, *month, *weekday]
        }
        _ => return Err(wrong_count(rest, &words, dialect)),
    };
    let [second, minute, hour, day, month, weekday] = places;
    let read = |piece, name| field::read(piece, name, traits);
    if traits.go_cron_errors {
        go_cron::check_hashes(&places)?;
    }
    let seconds = read(second, FieldName::Second)?.bits;
    let minutes = read(minute, FieldName::Minute)?.bits;
    let hours = read(hour, FieldName::Hour)?.bits;
    let (mut days, months);
    if traits.go_cron_errors {
        months = read(month, FieldName::Month)?.bits;
        go_cron::check_day(day)?;
        days = read(day, FieldName::DayOfMonth)?;
        go_cron::check_weekday(weekday)?;
    } else {
        days = read(day, FieldName::DayOfMonth)?;
        months = read(month, FieldName::Month)?.bits;
    }
    let mut weekdays = read(weekday, FieldName::DayOfWeek)?;
    days.star |= traits.both_day_fields;
    weekdays.star |= traits.both_day_fields;
    let mut fields = Fields::new(minutes, hours, days, months, weekdays);
    fields.seconds = seconds;
    Ok(fields)
}

fn wrong_count(rest: Piece<'_>, words: &[Piece<'_>], dialect: Dialect) -> Blame {
    let span = match (words.get(dialect.fields().len()), words.last()) {
        (Some(extra), Some(last)) => extra.at..last.span().end,
        (None, Some(last)) => last.span().end..last.span().end,
        _ => rest.span(),
    };
    let found = words.iter().map(|word| word.text.to_owned()).collect();
    (Reason::FieldCount { found }, span)
}

/// The bits of a field that was read before.
pub(super) fn field_bits(text: &str, name: FieldName) -> u64 {
    field::read(Piece { text, at: 0 }, name, &Dialect::V3_0.traits()).map_or(0, |set| set.bits)
}

/// The zone and the rest of an expression such as `TZ=Europe/Berlin 0 9 * * *`; `None` without a zone of
/// the tz database.
pub fn split_zone(text: &str) -> Option<(&str, &str)> {
    let prefixed = text.strip_prefix("CRON_TZ=").or(text.strip_prefix("TZ="))?;
    let (zone, rest) = prefixed.split_once(' ')?;
    (!zone.is_empty() && zone != "Local").then_some((zone, rest.trim()))
}

type Zoned<'a> = (Option<Location>, Piece<'a>);

/// Removes the prefix `TZ=zone ` or `CRON_TZ=zone `.
fn zone_prefix<'a>(whole: Piece<'a>, zones: &dyn Zones) -> Result<Zoned<'a>, Blame> {
    let after_prefix = |prefix: &str| whole.text.strip_prefix(prefix);
    let Some(named) = after_prefix("TZ=").or_else(|| after_prefix("CRON_TZ=")) else {
        return Ok((None, whole));
    };
    let Some((name, rest)) = named.split_once(' ') else {
        return Err((Reason::NoBlankAfterZone, whole.part(named).span()));
    };
    let location = load_location(name, zones).map_err(|error| {
        let name = name.to_owned();
        let span = whole.part(named).at..whole.part(named).at + name.len();
        (Reason::BadZone { name, error }, span)
    })?;
    Ok((Some(location), whole.part(rest.trim())))
}

fn descriptor(piece: Piece<'_>) -> Result<Expression, Blame> {
    let all = |bits: u64| Set { bits, star: true };
    let one = |bit: u32| Set {
        bits: 1 << bit,
        star: false,
    };
    let every_day = all(u64::from(ALL_DAYS));
    let every_weekday = all(0b111_1111);
    let every_month = 0b1_1111_1111_1110;
    let fields = match piece.text {
        "@yearly" | "@annually" => Fields::new(1, 1, one(1), 1 << 1, every_weekday),
        "@monthly" => Fields::new(1, 1, one(1), every_month, every_weekday),
        "@weekly" => Fields::new(1, 1, every_day, every_month, one(0)),
        "@daily" | "@midnight" => Fields::new(1, 1, every_day, every_month, every_weekday),
        "@hourly" => Fields::new(1, 0xff_ffff, every_day, every_month, every_weekday),
        _ => return every(piece).map(Expression::Every),
    };
    Ok(Expression::Fields(fields))
}

fn every(piece: Piece<'_>) -> Result<i64, Blame> {
    const SECOND: i64 = 1_000_000_000;
    let Some(text) = piece.text.strip_prefix("@every ") else {
        let text = piece.text.to_owned();
        return Err((Reason::UnknownDescriptor { text }, piece.span()));
    };
    let nanoseconds = duration::parse(text).map_err(|detail| {
        let (descriptor, span) = (piece.text.to_owned(), piece.part(text).span());
        (Reason::BadDuration { descriptor, detail }, span)
    })?;
    // Less than a second counts as one; fractions of a second are dropped.
    Ok(nanoseconds.max(SECOND) / SECOND)
}
