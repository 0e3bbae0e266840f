//! Cron schedules exactly as the Kubernetes CronJob controller runs them.
//!
//! Kubernetes passes `spec.schedule` to [robfig/cron](https://github.com/robfig/cron), whose results
//! sometimes differ from crontab(5) and other cron libraries. This crate reproduces that library,
//! including its error messages, and adds what the controller does not need: the previous run, an exact
//! count of runs, and a description.
//!
//! ```
//! use kube_cron::{BundledZones, Dialect, Schedule, Zones};
//!
//! let schedule = Schedule::parse_in("0 9 * * 1-5", Some("Europe/Berlin"), Dialect::V3_0, &BundledZones)?;
//! let timetable = schedule.in_zone(&BundledZones.load("UTC")?);
//! let friday_evening = "2026-03-27T18:00:00Z".parse()?;
//! // Clocks went forward over the weekend: 09:00 is 07:00 UTC on Monday.
//! assert_eq!(timetable.next(friday_evening)?, Some("2026-03-30T07:00:00Z".parse()?));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Syntax
//!
//! Five fields separated by white space (as defined by Unicode): minute, hour, day of month, month, day
//! of week. Each is a list of `*`, `N` or `N-M`, each optionally with `/STEP`; `?` means `*`, and
//! `N/STEP` extends to the field's maximum. Months and weekdays have three-letter names. Sunday is 0, and
//! 7 is rejected. Instead of fields: `@yearly`, `@annually`, `@monthly`, `@weekly`, `@daily`,
//! `@midnight`, `@hourly`, or `@every` with a Go duration. There are no seconds, no `L`, `W` or `#`.
//!
//! Three versions of the library matter, and they differ: see [`Dialect`], which also has the libraries of
//! other controllers. An expression that a dialect
//! rejects is a [`ParseError`] with upstream's message, the position, and a hint.
//!
//! # Day fields
//!
//! If both day fields are restricted, a day has to match only *one* of them: `0 0 13 * 5` is every 13th
//! and every Friday. If one of them is an asterisk, a day must match both. What counts as an asterisk is
//! subtle: `*`, `?` and `*/1` do, `1-31` does not, and `*/2` did up to Kubernetes 1.21 and does not since
//! 1.22.
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
//! # Clock changes
//!
//! [`Schedule::in_zone`] binds a schedule to a zone: its own (`TZ=` at its start, which is also how the
//! controller applies `spec.timeZone`), or that of the controller's process. A local time that a clock
//! change skips has no run that day. A local time that occurs twice has two runs. Steps of a few minutes
//! keep their interval. Where a zone's clock skips midnight or changes by half an hour, the results of
//! upstream's search depend on where it begins: runs are missing, and sometimes there is one at a time
//! that the expression does not contain. All of that is reproduced; see [`Timetable`].
//!
//! # Schedules without a next run
//!
//! The search gives up after five years, so February 29 is not found from March 2096 to the end of 2098,
//! and February 30 is never found. In a zone that skips a whole day, the search can also run in circles
//! indefinitely, which is detected by counting steps and reported as [`Endless`].

#![warn(missing_docs)]

mod aliases;
mod civil;
mod clockwork;
mod database;
mod describe;
mod dialect;
mod field_name;
mod fields;
mod later;
mod later_years;
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
pub use clockwork::Endless;
pub use database::{DatabaseChoice, NoSystemDatabase, ZoneDatabase};
pub use describe::{
    DayExample, DayReason, DayRule, Description, DialectDifference, FieldMeaning,
    means_something_else_before_1_22,
};
pub use dialect::Dialect;
pub use field_name::FieldName;
pub use never::Never;
pub use parse::{ParseError, go_quote, split_zone, suggest_zone};
pub use period::{Period, Rhythm};
pub use short_months::ShortMonths;
pub use steps::SteppedField;
pub use surprises::{Surprise, SurpriseKind};
pub use sweep::RunCount;
pub use timetable::{Runs, Timetable};
pub use zone::{BundledZones, Location, OffsetChange, Zone, ZoneError, Zones, load_location};

use clockwork::Clockwork;
use parse::Expression;
use timetable::RunRule;

/// A parsed schedule in one dialect.
#[derive(Clone, Debug)]
pub struct Schedule {
    expression: Expression,
    /// The expression without its zone prefix.
    text: String,
    location: Option<Location>,
    dialect: Dialect,
}

/// Two schedules are equal if they match the same times in the same zone, however they are written.
impl PartialEq for Schedule {
    fn eq(&self, other: &Self) -> bool {
        let zone = |schedule: &Schedule| schedule.own_zone().map(|zone| zone.name().to_owned());
        self.expression == other.expression && zone(self) == zone(other)
    }
}

impl Schedule {
    /// Parses an expression in a dialect.
    pub fn parse(text: &str, dialect: Dialect, zones: &dyn Zones) -> Result<Self, ParseError> {
        let parsed = parse::parse(text, dialect, zones)?;
        Ok(Schedule {
            expression: parsed.expression,
            text: parsed.text.to_owned(),
            location: parsed.location,
            dialect,
        })
    }

    /// Parses the expression of a CronJob with a `timeZone`.
    ///
    /// The controller puts `TZ=zone ` in front of the expression and parses the result, unless `TZ`
    /// occurs anywhere in the expression: then the field is ignored.
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

    /// The expression as it is written, without a zone prefix.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The dialect in which the expression was parsed.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The zone of the expression's own prefix.
    pub fn own_zone(&self) -> Option<&Arc<Zone>> {
        match &self.location {
            Some(Location::Zone(zone)) => Some(zone),
            Some(Location::Local) | None => None,
        }
    }

    /// The schedule in the zone it runs in: its own, or the given one if it has none.
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
