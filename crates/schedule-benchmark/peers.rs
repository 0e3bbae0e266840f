//! The libraries that `schedule.rs` compares, each used in its fastest way.

use std::str::FromStr;

use chrono::{DateTime, Utc};
use jiff::Timestamp;
use kube_cron::{BundledZones, Dialect, Schedule, Timetable, Zone, Zones};

/// 2026-01-01T00:00:00Z.
pub const START: i64 = 1_767_225_600;

/// A library that finds runs.
pub trait Peer: Sized {
    const NAME: &'static str;
    /// The library's own type for a time.
    type Moment;

    fn parse(expression: &str, zone: &str) -> Option<Self>;
    fn runs(&self) -> impl Iterator<Item = Self::Moment>;
    fn second(moment: &Self::Moment) -> i64;
    /// Parsing alone, without looking a zone up.
    fn parse_only(expression: &str) -> Option<impl Sized>;
}

/// A value that exists by construction.
pub fn known<T>(value: Option<T>) -> T {
    match value {
        Some(value) => value,
        None => unreachable!("the benchmark's own data is sound"),
    }
}

fn start() -> DateTime<Utc> {
    known(DateTime::from_timestamp(START, 0))
}

fn zoned_start(zone: &str) -> DateTime<chrono_tz::Tz> {
    start().with_timezone(&known(zone.parse().ok()))
}

pub struct Ours(pub Timetable);

impl Peer for Ours {
    const NAME: &'static str = "cronjob-doctor";
    type Moment = Timestamp;

    fn parse(expression: &str, zone: &str) -> Option<Self> {
        let zone = if zone == "UTC" {
            Zone::utc()
        } else {
            BundledZones.load(zone).ok()?
        };
        let schedule = Schedule::parse(expression, Dialect::V3_0, &BundledZones).ok()?;
        Some(Ours(schedule.in_zone(&zone)))
    }

    fn runs(&self) -> impl Iterator<Item = Timestamp> {
        let mut at = known(Timestamp::from_second(START).ok());
        std::iter::from_fn(move || {
            at = self.0.next(at).ok()??;
            Some(at)
        })
    }

    fn second(moment: &Timestamp) -> i64 {
        moment.as_second()
    }

    fn parse_only(expression: &str) -> Option<impl Sized> {
        Schedule::parse(expression, Dialect::V3_0, &BundledZones).ok()
    }
}

pub struct Cron(cron::Schedule, DateTime<chrono_tz::Tz>);

impl Peer for Cron {
    const NAME: &'static str = "cron 0.17";
    type Moment = DateTime<chrono_tz::Tz>;

    fn parse(expression: &str, zone: &str) -> Option<Self> {
        Some(Cron(
            cron::Schedule::from_str(&format!("0 {expression}")).ok()?,
            zoned_start(zone),
        ))
    }

    fn runs(&self) -> impl Iterator<Item = Self::Moment> {
        self.0.after(&self.1)
    }

    fn second(moment: &Self::Moment) -> i64 {
        moment.timestamp()
    }

    fn parse_only(expression: &str) -> Option<impl Sized> {
        // Seconds are the first field here; the time to prepend them is not measured where that is possible.
        cron::Schedule::from_str(expression).ok()
    }
}

pub struct CronerChrono(croner::Cron, DateTime<chrono_tz::Tz>);

impl Peer for CronerChrono {
    const NAME: &'static str = "croner 4.0 (chrono)";
    type Moment = DateTime<chrono_tz::Tz>;

    fn parse(expression: &str, zone: &str) -> Option<Self> {
        Some(CronerChrono(
            croner::Cron::from_str(expression).ok()?,
            zoned_start(zone),
        ))
    }

    fn runs(&self) -> impl Iterator<Item = Self::Moment> {
        self.0.iter_after(self.1)
    }

    fn second(moment: &Self::Moment) -> i64 {
        moment.timestamp()
    }

    fn parse_only(expression: &str) -> Option<impl Sized> {
        croner::Cron::from_str(expression).ok()
    }
}

pub struct CronerJiff(croner::Cron, jiff::Zoned);

impl Peer for CronerJiff {
    const NAME: &'static str = "croner 4.0 (jiff)";
    type Moment = jiff::Zoned;

    fn parse(expression: &str, zone: &str) -> Option<Self> {
        let start = known(Timestamp::from_second(START).ok()).in_tz(zone).ok()?;
        Some(CronerJiff(croner::Cron::from_str(expression).ok()?, start))
    }

    fn runs(&self) -> impl Iterator<Item = Self::Moment> {
        self.0.iter_after(self.1.clone())
    }

    fn second(moment: &Self::Moment) -> i64 {
        moment.timestamp().as_second()
    }

    fn parse_only(expression: &str) -> Option<impl Sized> {
        croner::Cron::from_str(expression).ok()
    }
}

pub struct Saffron(saffron::Cron);

impl Peer for Saffron {
    const NAME: &'static str = "saffron 0.1";
    type Moment = DateTime<Utc>;

    fn parse(expression: &str, zone: &str) -> Option<Self> {
        (zone == "UTC").then(|| expression.parse().ok().map(Saffron))?
    }

    fn runs(&self) -> impl Iterator<Item = Self::Moment> {
        self.0.clone().iter_after(start())
    }

    fn second(moment: &Self::Moment) -> i64 {
        moment.timestamp()
    }

    fn parse_only(expression: &str) -> Option<impl Sized> {
        expression.parse::<saffron::Cron>().ok()
    }
}

pub struct Cronexpr(cronexpr::Crontab);

impl Peer for Cronexpr {
    const NAME: &'static str = "cronexpr 1.7";
    type Moment = jiff::Zoned;

    fn parse(expression: &str, zone: &str) -> Option<Self> {
        cronexpr::parse_crontab(&format!("{expression} {zone}"))
            .ok()
            .map(Cronexpr)
    }

    fn runs(&self) -> impl Iterator<Item = Self::Moment> {
        let start = cronexpr::MakeTimestamp(known(Timestamp::from_second(START).ok()));
        self.0
            .iter_after(start)
            .into_iter()
            .flatten()
            .map_while(Result::ok)
    }

    fn second(moment: &Self::Moment) -> i64 {
        moment.timestamp().as_second()
    }

    fn parse_only(expression: &str) -> Option<impl Sized> {
        let mut options = cronexpr::ParseOptions::default();
        options.fallback_timezone_option = cronexpr::FallbackTimezoneOption::UTC;
        cronexpr::parse_crontab_with(expression, options).ok()
    }
}

pub struct CronParser(cron_parser::Schedule, DateTime<chrono_tz::Tz>);

impl Peer for CronParser {
    const NAME: &'static str = "cron-parser 0.12";
    type Moment = DateTime<chrono_tz::Tz>;

    fn parse(expression: &str, zone: &str) -> Option<Self> {
        Some(CronParser(
            cron_parser::Schedule::parse(expression).ok()?,
            zoned_start(zone),
        ))
    }

    fn runs(&self) -> impl Iterator<Item = Self::Moment> {
        self.0.after(&self.1)
    }

    fn second(moment: &Self::Moment) -> i64 {
        moment.timestamp()
    }

    fn parse_only(expression: &str) -> Option<impl Sized> {
        cron_parser::Schedule::parse(expression).ok()
    }
}
