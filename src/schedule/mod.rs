//! A cron expression becomes times, exactly as the library inside Kubernetes computes them.

mod civil;
mod describe;
mod dialect;
mod fields;
mod never;
mod next;
mod parse;
mod period;
mod previous;
mod surprises;
mod sweep;
mod timetable;
mod walk;
mod window;
mod words;
mod zone;

use std::sync::Arc;

pub use describe::{
    Because, DayExample, DayRule, Description, DialectDifference, FieldMeaning,
    means_something_else_before_1_22,
};
pub use dialect::Dialect;
pub use never::Never;
pub use parse::{FieldName, ParseError, Reason};
pub use period::Period;
pub use surprises::{Surprise, SurpriseKind};
pub use timetable::{Count, Endless, Runs, Timetable};
pub use zone::{BundledZones, Change, Location, Zone, ZoneError, Zones, load_location};

use parse::{Expression, Parsed};
use timetable::{Clockwork, Rule};

/// A schedule as one dialect reads it.
#[derive(Clone, Debug)]
pub struct Schedule {
    expression: Expression,
    /// The expression without the zone in front of it.
    text: String,
    location: Option<Location>,
    dialect: Dialect,
}

/// Two schedules are equal if they allow the same times in the same zone, however they are written.
impl PartialEq for Schedule {
    fn eq(&self, other: &Self) -> bool {
        let zone = |schedule: &Schedule| schedule.own_zone().map(|zone| zone.name().to_owned());
        self.expression == other.expression && zone(self) == zone(other)
    }
}

impl Schedule {
    /// Reads an expression as a dialect does.
    pub fn parse(text: &str, dialect: Dialect, zones: &dyn Zones) -> Result<Self, ParseError> {
        let parsed = parse::parse(text, dialect, zones)?;
        let Parsed { expression, text, location } = parsed;
        Ok(Schedule { expression, text: text.to_owned(), location, dialect })
    }

    /// Reads the expression of a CronJob that has a `timeZone` beside it.
    ///
    /// The controller writes `TZ=zone ` in front of the expression and parses that, except where
    /// `TZ` occurs anywhere in the expression: then the field is ignored.
    pub fn parse_in(
        text: &str,
        time_zone: Option<&str>,
        dialect: Dialect,
        zones: &dyn Zones,
    ) -> Result<Self, ParseError> {
        match time_zone {
            Some(zone) if !text.contains("TZ") => {
                let prefix = format!("TZ={zone} ");
                Self::parse(&format!("{prefix}{text}"), dialect, zones)
                    .map_err(|error| error.without_prefix(prefix.len()))
            }
            _ => Self::parse(text, dialect, zones),
        }
    }

    /// The expression as it is written, without a zone in front of it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The dialect that the expression was read in.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The zone that the expression itself names.
    pub fn own_zone(&self) -> Option<&Arc<Zone>> {
        match &self.location {
            Some(Location::Zone(zone)) => Some(zone),
            Some(Location::Local) | None => None,
        }
    }

    /// The schedule in the zone it runs in: its own, or the given one where it has none.
    pub fn in_zone(&self, local: &Arc<Zone>) -> Timetable {
        let rule = match &self.expression {
            Expression::Every(seconds) => Rule::Every(*seconds),
            Expression::Fields(fields) => Rule::Clock(Clockwork {
                fields: *fields,
                traits: self.dialect.traits(),
                zone: Arc::clone(self.own_zone().unwrap_or(local)),
            }),
        };
        Timetable { rule }
    }
}
