//! Parses an expression as robfig/cron's `ParseStandard` does.

mod duration;
mod error;
mod field;
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
        self.text
            .split(char::is_whitespace)
            .filter(|word| !word.is_empty())
            .map(move |text| self.part(text))
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
    let (location, rest) = if traits.zone_prefix {
        zone_prefix(whole, zones)?
    } else {
        (None, whole)
    };
    if rest.text.starts_with('@') {
        let expression = descriptor(rest)?;
        return Ok(ParsedExpression {
            expression,
            text: rest.text,
            location,
        });
    }
    let words: Vec<Piece<'_>> = rest.words().collect();
    let [minute, hour, day, month, weekday] = words.as_slice() else {
        return Err(wrong_count(rest, &words));
    };
    let star = traits.stepped_star_is_star;
    let fields = Fields::new(
        field::read(*minute, FieldName::Minute, star)?.bits,
        field::read(*hour, FieldName::Hour, star)?.bits,
        field::read(*day, FieldName::DayOfMonth, star)?,
        // The order of the errors is upstream's: field by field from the left.
        field::read(*month, FieldName::Month, star)?.bits,
        field::read(*weekday, FieldName::DayOfWeek, star)?,
    );
    Ok(ParsedExpression {
        expression: Expression::Fields(fields),
        text: rest.text,
        location,
    })
}

fn wrong_count(rest: Piece<'_>, words: &[Piece<'_>]) -> Blame {
    let span = match (words.get(5), words.last()) {
        (Some(sixth), Some(last)) => sixth.at..last.span().end,
        (None, Some(last)) => last.span().end..last.span().end,
        _ => rest.span(),
    };
    (
        Reason::FieldCount {
            found: words.iter().map(|word| word.text.to_owned()).collect(),
        },
        span,
    )
}

/// The bits of a field that was read before.
pub(super) fn field_bits(text: &str, name: FieldName) -> u64 {
    field::read(Piece { text, at: 0 }, name, false).map_or(0, |set| set.bits)
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
        return Err((
            Reason::UnknownDescriptor {
                text: piece.text.to_owned(),
            },
            piece.span(),
        ));
    };
    let nanoseconds = duration::parse(text).map_err(|detail| {
        let descriptor = piece.text.to_owned();
        (
            Reason::BadDuration { descriptor, detail },
            piece.part(text).span(),
        )
    })?;
    // Less than a second counts as one; fractions of a second are dropped.
    Ok(nanoseconds.max(SECOND) / SECOND)
}
