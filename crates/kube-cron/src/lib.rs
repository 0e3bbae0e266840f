//! A cron expression becomes times, exactly as the library inside Kubernetes computes them.
//!
//! Kubernetes hands `spec.schedule` to [robfig/cron](https://github.com/robfig/cron), and what that
//! library does is what happens: also where crontab(5), other cron libraries, or common sense would
//! do something else. This crate reproduces it, error texts included, and adds what the controller
//! never needed: the run before, an exact count, an explanation.
//!
//! ```
//! use kube_cron::{BundledZones, Dialect, Schedule, Zones};
//!
//! let schedule = Schedule::parse_in("0 9 * * 1-5", Some("Europe/Berlin"), Dialect::V3_0, &BundledZones)?;
//! let timetable = schedule.in_zone(&BundledZones.load("UTC")?);
//! let friday_evening = "2026-03-27T18:00:00Z".parse()?;
//! // Over the weekend the clocks went forward: 09:00 is 07:00 UTC now.
//! assert_eq!(timetable.next(friday_evening)?, Some("2026-03-30T07:00:00Z".parse()?));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What an expression may look like
//!
//! Five fields between blanks (any Unicode blank): minute, hour, day of month, month, day of week.
//! Each is a list of `*`, `N`, `N-M`, with `/STEP` or without; `?` is `*`; `N/STEP` goes on to the
//! field's maximum. Months and weekdays have names of three letters. Sunday is 0, and 7 is refused.
//! Instead of fields: `@yearly`, `@annually`, `@monthly`, `@weekly`, `@daily`, `@midnight`,
//! `@hourly`, or `@every` with a Go duration. There are no seconds, no `L`, `W` or `#`.
//!
//! Three versions of the library matter, and they differ: see [`Dialect`]. What a dialect refuses is
//! a [`ParseError`] with upstream's own words, the place, and a hint.
//!
//! # Which days
//!
//! If both day fields are restricted, a day needs to satisfy only *one* of them: `0 0 13 * 5` is
//! every 13th and every Friday. If one of them is a star, a day must satisfy both. What counts as a
//! star is subtle: `*`, `?` and `*/1` do, `1-31` does not, and `*/2` did up to Kubernetes 1.21 and
//! does not since 1.22.
//!
//! ```
//! use kube_cron::{BundledZones, Dialect, Schedule, Zone};
//!
//! let first_run = |dialect| {
//!     let schedule = Schedule::parse("0 0 */2 * 1", dialect, &BundledZones).unwrap();
//!     let new_year = "2026-01-01T00:00:00Z".parse().unwrap();
//!     schedule.in_zone(&Zone::utc()).next(new_year).unwrap().unwrap().to_string()
//! };
//! assert_eq!(first_run(Dialect::V1_1), "2026-01-05T00:00:00Z"); // an odd day that is a Monday
//! assert_eq!(first_run(Dialect::V3_0), "2026-01-03T00:00:00Z"); // an odd day, or a Monday
//! ```
//!
//! # When clocks are turned
//!
//! A schedule is bound to a zone with [`Schedule::in_zone`]: its own (`TZ=` in front of it, which is
//! also how the controller applies `spec.timeZone`), or that of the controller's process. A local
//! time that the clock skips is not run that day. A local time that comes twice is run twice.
//! Steps of a few minutes go on at an even pace. Where a zone's clock skips midnight, or is turned by
//! half an hour, upstream's search stumbles in ways that depend on where it began: runs get lost, and
//! now and then one starts at a time that the expression does not contain. All of that is
//! reproduced; see [`Timetable`].
//!
//! # When nothing comes
//!
//! The search gives up after five years, so that 29 February is not found from March 2096 to the end of 2098,
//! and 30 February never at all. In a zone that skips a whole day it can also go round in circles
//! indefinitely: that is [`Endless`], found by counting steps.

mod aliases;
mod civil;
mod clockwork;
mod database;
mod describe;
mod dialect;
mod fields;
mod later;
mod never;
mod next;
mod parse;
mod period;
mod previous;
mod short_months;
mod standstill;
mod steps;
mod surprises;
mod sweep;
mod timetable;
mod walk;
mod window;
mod words;
mod zone;

use std::sync::Arc;

pub use aliases::current_zone_name;
pub use clockwork::{CountSeconds, Endless};
pub use database::{DatabaseChoice, NoSystemDatabase, ZoneDatabase};
pub use describe::{
    DayExample, DayReason, DayRule, Description, DialectDifference, FieldMeaning,
    means_something_else_before_1_22,
};
pub use dialect::Dialect;
pub use never::Never;
pub use parse::go_quote;
pub use parse::{FieldName, ParseError, Reason, split_zone, suggest_zone};
pub use period::{Period, Rhythm};
pub use short_months::ShortMonths;
pub use steps::SteppedField;
pub use surprises::{Surprise, SurpriseKind};
pub use timetable::{RunCount, Runs, Timetable};
pub use zone::{BundledZones, Location, OffsetChange, Zone, ZoneError, Zones, load_location};

use clockwork::Clockwork;
use parse::{Expression, ParsedExpression};
use timetable::RunRule;

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
        let ParsedExpression {
            expression,
            text,
            location,
        } = parsed;
        Ok(Schedule {
            expression,
            text: text.to_owned(),
            location,
            dialect,
        })
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
            Expression::Every(seconds) => RunRule::Every(*seconds),
            Expression::Fields(fields) => RunRule::Clock(Clockwork {
                fields: *fields,
                traits: self.dialect.traits(),
                zone: Arc::clone(self.own_zone().unwrap_or(local)),
            }),
        };
        Timetable { rule }
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
