//! Parses an expression as robfig/cron's `ParseStandard` does.

mod duration;
mod error;
mod field;
mod go_cron;
mod hint;

use std::ops::Range;

use error::Reason;
pub use error::{ParseError, go_quote};
pub use hint::suggest_zone;

use super::dialect::{Dialect, Traits};
use super::field_name::FieldName;
use super::fields::Fields;
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

    fn wrong(self, reason: Reason) -> Blame {
        Blame {
            reason,
            cited: self.span(),
            span: self.span(),
        }
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
        .map_err(|blame| ParseError::new(blame, text, dialect))
}

/// Why an expression is rejected, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Blame {
    reason: Reason,
    /// What upstream's message cites.
    cited: Range<usize>,
    /// What causes the error.
    span: Range<usize>,
}

impl Blame {
    fn at(self, piece: Piece<'_>) -> Blame {
        let span = piece.span();
        Blame { span, ..self }
    }
}

fn parse_pieces<'a>(
    whole: Piece<'a>,
    dialect: Dialect,
    zones: &dyn Zones,
) -> Result<ParsedExpression<'a>, Blame> {
    if whole.text.is_empty() {
        return Err(whole.wrong(Reason::Empty));
    }
    let traits = dialect.traits();
    if traits.go_cron_errors {
        go_cron::check_length(whole)?;
    }
    let (location, rest) = if traits.zone_prefix {
        zone_prefix(whole, &traits, zones)?
    } else {
        (None, whole)
    };
    if rest.text.starts_with('@') {
        return Ok(ParsedExpression {
            expression: descriptor(rest, &traits)?,
            text: rest.text,
            location,
        });
    }
    Ok(ParsedExpression {
        expression: Expression::Fields(fields(rest, &traits)?),
        text: rest.text,
        location,
    })
}

fn fields(rest: Piece<'_>, traits: &Traits) -> Result<Fields, Blame> {
    let words: Vec<Piece<'_>> = rest.words().collect();
    let mut places = words.clone();
    if !traits.seconds_field {
        places.insert(0, Piece { text: "0", ..rest });
    } else if places.len() == 5 {
        places.push(Piece { text: "*", ..rest });
    }
    match places.try_into() {
        Ok(places) => in_order(places, traits),
        Err(_) => Err(wrong_count(rest, &words, traits)),
    }
}

/// Reads the fields in upstream's order, which decides which error is reported.
fn in_order(places: [Piece<'_>; 6], traits: &Traits) -> Result<Fields, Blame> {
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
    Ok(Fields::new(seconds, minutes, hours, days, months, weekdays))
}

fn wrong_count(rest: Piece<'_>, words: &[Piece<'_>], traits: &Traits) -> Blame {
    let most = 5 + usize::from(traits.seconds_field);
    let span = match (words.get(most), words.last()) {
        (Some(extra), Some(last)) => extra.at..last.span().end,
        (None, Some(last)) => last.span().end..last.span().end,
        _ => rest.span(),
    };
    let found = words.iter().map(|word| word.text.to_owned()).collect();
    Blame {
        span,
        ..rest.wrong(Reason::FieldCount { found })
    }
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

/// Separates the zone of the prefix `TZ=zone ` or `CRON_TZ=zone ` from what follows.
fn zone_prefix<'a>(
    whole: Piece<'a>,
    traits: &Traits,
    zones: &dyn Zones,
) -> Result<(Option<Location>, Piece<'a>), Blame> {
    let is_go_cron = traits.go_cron_errors;
    let after_prefix = |prefix: &str| whole.text.strip_prefix(prefix);
    let Some(named) = after_prefix("TZ=").or_else(|| after_prefix("CRON_TZ=")) else {
        return Ok((None, whole));
    };
    let Some((written, rest)) = named.split_once(' ') else {
        let spec = go_quote(whole.text);
        return Err(if is_go_cron {
            whole.rejected(format!("missing fields after timezone in spec {spec}"))
        } else {
            whole.part(named).wrong(Reason::NoBlankAfterZone)
        });
    };
    let mut place = whole.part(written);
    if is_go_cron {
        place = go_cron::zone_name(place)?;
    }
    let name = place.text;
    let location = load_location(name, zones).map_err(|error| {
        let name = name.to_owned();
        place.wrong(Reason::BadZone { name, error })
    })?;
    let rest = rest.trim();
    if is_go_cron && rest.is_empty() {
        let message = format!("missing fields after timezone {}", go_quote(name));
        return Err(whole.rejected(message));
    }
    Ok((Some(location), whole.part(rest)))
}

fn descriptor(piece: Piece<'_>, traits: &Traits) -> Result<Expression, Blame> {
    let text = match piece.text {
        // They never run: no minute is allowed.
        "@triggered" | "@manual" | "@none" if traits.go_cron_errors => ", , * , *",
        text => match spelled_out(text) {
            Some(text) => text,
            None => return every(piece, traits).map(Expression::Every),
        },
    };
    let traits = Traits {
        seconds_field: false,
        ..*traits
    };
    fields(Piece { text, at: 0 }, &traits).map(Expression::Fields)
}

/// The five fields that are equivalent to a descriptor, except for `@every`.
pub(crate) fn spelled_out(descriptor: &str) -> Option<&'static str> {
    Some(match descriptor {
        "@yearly" | "@annually" => "0 0 1 1 *",
        "@monthly" => "0 0 1 * *",
        "@weekly" => "0 0 * * 0",
        "@daily" | "@midnight" => "0 0 * * *",
        "@hourly" => "0 * * * *",
        _ => return None,
    })
}

fn every(piece: Piece<'_>, traits: &Traits) -> Result<i64, Blame> {
    const SECOND: i64 = 1_000_000_000;
    let Some(text) = piece.text.strip_prefix("@every ") else {
        return Err(piece.wrong(Reason::UnknownDescriptor));
    };
    let duration = piece.part(text);
    let nanoseconds = duration::parse(text)
        .map_err(|detail| piece.wrong(Reason::BadDuration { detail }).at(duration))?;
    if nanoseconds < SECOND && traits.go_cron_errors {
        let text = go_quote(piece.text);
        return Err(piece.rejected(format!("@every duration must be at least 1s: {text}")));
    }
    // Less than a second counts as one; fractions of a second are dropped.
    Ok(nanoseconds.max(SECOND) / SECOND)
}
