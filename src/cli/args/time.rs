//! Times in flags: RFC 3339, what the program prints, times of day, durations from now, and `now`.

use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail};
use jiff::civil::{Date, DateTime, Time};
use jiff::fmt::temporal::Pieces;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use jiff::{SignedDuration, Timestamp};

use crate::cli::diagnostic::{Diagnostic, TIME_ZONE_HELP, time_zone_help};
use crate::evidence::Basis;
use cronjob_manifest::validation::validate_time_zone;
use cronjob_text::duration::{exact, parse};
use kube_cron::{Location, Zone, ZoneDatabase, ZoneError, load_location};

/// How a time at or before now is written, for help texts.
pub(crate) const PAST_TIME: &str = "TIME: 22:00, \"yesterday 22:00\", 4h (ago), or in RFC 3339.";

/// How a time at or after now is written, for help texts.
pub(crate) const FUTURE_TIME: &str =
    "TIME: 22:00, \"tomorrow 22:00\", 4h (from now), or in RFC 3339.";

/// All forms of a time.
pub(crate) const TIME_FORMS: &str = "\
TIME is in RFC 3339, a date, a time (\"2026-11-21 22:00 UTC\"; \"22:00\" for the next or the last one; \"tomorrow 22:00\", \
\"yesterday 22:00\"; \"tomorrow\" or \"yesterday\" for its first moment), a duration from or before now (4h, 2d12h), or \
now. A time without a zone is in --display-time-zone, or else in the time zone of the selected CronJobs, if they have \
the same one (not for --now).";

/// A time as it is given to a flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TimeArg {
    text: String,
    form: TimeForm,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TimeForm {
    At(Timestamp),
    Now,
    /// Seconds from now, or before now.
    Distance(i64),
    /// A local time, on a date or each day.
    Local {
        day: Option<Day>,
        time: Time,
        /// `None` for the zone that times are shown in.
        zone: Option<String>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Day {
    Date(Date),
    /// Days after today.
    After(i64),
}

impl Day {
    fn of(word: &str) -> Option<Self> {
        match word {
            "yesterday" => Some(Day::After(-1)),
            "today" => Some(Day::After(0)),
            "tomorrow" => Some(Day::After(1)),
            word => word.parse().ok().filter(|_| is_date(word)).map(Day::Date),
        }
    }

    fn date(self, now: Timestamp, zone: &TimeZone) -> Result<Date, jiff::Error> {
        match self {
            Day::Date(date) => Ok(date),
            Day::After(days) => {
                let today = zone.to_datetime(now).date();
                today.checked_add(jiff::Span::new().days(days))
            }
        }
    }
}

/// What times in flags are relative to.
#[derive(Clone, Copy)]
pub(crate) struct TimeReference<'a> {
    pub(crate) now: Timestamp,
    pub(crate) zones: &'a ZoneDatabase,
    /// The zone of times without one: that in which times are shown, if there is only one.
    pub(crate) zone: Option<&'a Zone>,
}

impl<'a> TimeReference<'a> {
    pub(crate) fn of(basis: &'a Basis, zone: Option<&'a Zone>) -> Self {
        TimeReference {
            now: basis.now,
            zones: &basis.zones,
            zone,
        }
    }
}

/// On which side of now a duration or a time of day is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Past,
    Future,
}

impl FromStr for TimeArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = match (text.parse(), parse(text)) {
            (Ok(at), _) => TimeForm::At(at),
            (_, Some(seconds)) => TimeForm::Distance(seconds),
            _ if text == "now" => TimeForm::Now,
            _ => match too_late(text) {
                Some(error) => return Err(error),
                None => local(text)?,
            },
        };
        Ok(TimeArg {
            text: text.to_owned(),
            form,
        })
    }
}

impl TimeArg {
    /// The time. `flag` is named in errors.
    pub(crate) fn resolve(
        &self,
        flag: &str,
        side: Side,
        reference: TimeReference<'_>,
    ) -> anyhow::Result<Timestamp> {
        let now = reference.now;
        let (day, time, zone) = match &self.form {
            TimeForm::At(at) => return Ok(*at),
            TimeForm::Now => return Ok(now),
            TimeForm::Distance(seconds) => return distance(flag, side, *seconds, now),
            TimeForm::Local { day, time, zone } => (*day, *time, zone),
        };
        let flag_and_text = format!("{flag} {}", self.text);
        let named = zone_of(&flag_and_text, zone.as_ref(), reference.zones)?;
        let Some(zone) = named.as_deref().or(reference.zone) else {
            let text = &self.text;
            bail!(
                "{flag_and_text}: has no time zone: add one, as in \"{text} UTC\" or \"{text} Europe/Berlin\""
            );
        };
        let zone = zone.time_zone();
        match day {
            Some(day) => {
                let date = day.date(now, zone);
                let date = date.map_err(|_| anyhow!("{flag_and_text}: {}", out_of_range()))?;
                self.only(flag, date.to_datetime(time), zone)
            }
            None => self.nearest(flag, side, now, time, zone),
        }
    }

    /// The only time at which clocks show this.
    fn only(&self, flag: &str, local: DateTime, zone: &TimeZone) -> anyhow::Result<Timestamp> {
        let (before, after, what) = match zone.to_ambiguous_timestamp(local).offset() {
            AmbiguousOffset::Unambiguous { offset } => return at(flag, local, offset),
            AmbiguousOffset::Gap { before, after } => (
                before,
                after,
                "does not exist, because clocks are set forward",
            ),
            AmbiguousOffset::Fold { before, after } => {
                (before, after, "exists twice, because clocks are set back")
            }
        };
        let mut readings = [at(flag, local, before)?, at(flag, local, after)?];
        readings.sort_unstable();
        let [first, second] = readings;
        let local = local.strftime("%Y-%m-%d %H:%M");
        let error = format!("{flag} {}: {local} {what}", self.text);
        bail!(Diagnostic::new(error).help(&format!("Use {first} or {second}.")))
    }

    /// The last or the next time of day, with today's if it is now.
    fn nearest(
        &self,
        flag: &str,
        side: Side,
        now: Timestamp,
        time: Time,
        zone: &TimeZone,
    ) -> anyhow::Result<Timestamp> {
        let today = zone.to_datetime(now).date();
        // Clocks that are set forward can leave out one day's.
        let days: [i64; 4] = match side {
            Side::Past => [1, 0, -1, -2],
            Side::Future => [-1, 0, 1, 2],
        };
        for day in days {
            let Ok(date) = today.checked_add(jiff::Span::new().days(day)) else {
                continue;
            };
            let local = date.to_datetime(time);
            let offset = zone.to_ambiguous_timestamp(local).offset();
            let (earlier, later) = match offset {
                AmbiguousOffset::Gap { .. } => continue,
                AmbiguousOffset::Unambiguous { offset } => (offset, offset),
                AmbiguousOffset::Fold { before, after } => (before, after),
            };
            let (Ok(earlier), Ok(later)) = (at(flag, local, earlier), at(flag, local, later))
            else {
                continue;
            };
            let fits = match side {
                Side::Past => earlier <= now,
                Side::Future => later >= now,
            };
            if fits {
                return self.only(flag, local, zone);
            }
        }
        bail!("{flag} {}: {}", self.text, out_of_range())
    }
}

/// The times of a flag that can be left out.
pub(crate) fn resolve(
    given: Option<&TimeArg>,
    flag: &str,
    side: Side,
    reference: TimeReference<'_>,
) -> anyhow::Result<Option<Timestamp>> {
    let resolved = given.map(|time| time.resolve(flag, side, reference));
    resolved.transpose()
}

/// The time zone of a flag, if given.
pub(crate) fn zone_of(
    flag: &str,
    name: Option<&String>,
    zones: &ZoneDatabase,
) -> anyhow::Result<Option<Arc<Zone>>> {
    let Some(name) = name else {
        return Ok(None);
    };
    match load_location(name, zones) {
        Ok(Location::Zone(zone)) if !name.is_empty() => Ok(Some(zone)),
        Ok(_) => {
            let error = Diagnostic::new(format!("{flag}: {name:?} is not a time zone"));
            bail!(error.help(TIME_ZONE_HELP))
        }
        // Its message has the name.
        Err(error @ ZoneError::Unknown(_)) => {
            bail!(Diagnostic::new(format!("{flag}: {error}")).help(&time_zone_help(name)))
        }
        Err(error) => {
            let error = Diagnostic::new(format!("{flag}: {name:?}: {error}"));
            bail!(error.help(&time_zone_help(name)))
        }
    }
}

fn at(flag: &str, local: DateTime, offset: Offset) -> anyhow::Result<Timestamp> {
    let at = offset.to_timestamp(local);
    at.map_err(|_| anyhow!("{flag} {local}: {}", out_of_range()))
}

fn distance(flag: &str, side: Side, seconds: i64, now: Timestamp) -> anyhow::Result<Timestamp> {
    let length = SignedDuration::from_secs(seconds);
    match side {
        Side::Past => now
            .checked_sub(length)
            .map_err(|_| anyhow!("{flag} {}: starts before the year -9999", exact(seconds))),
        Side::Future => now
            .checked_add(length)
            .map_err(|_| anyhow!("{flag} {}: {}", exact(seconds), out_of_range())),
    }
}

/// `Sat 2026-11-21 02:00 Europe/Berlin (in 22h)`, or less of it.
fn local(text: &str) -> Result<TimeForm, String> {
    let bare = match text.split_once(" (") {
        Some((bare, distance)) if distance.ends_with(')') => bare,
        _ => text,
    };
    let spaced = bare.replacen('T', " ", usize::from(begins_with_date(bare)));
    let mut words = spaced.split_whitespace().peekable();
    let day_name = words.next_if(|word| WEEKDAYS.contains(word));
    let day = words.next_if(|word| Day::of(word).is_some());
    let day = day.and_then(Day::of);
    let time = words.next_if(|word| time_of_day(word).is_some());
    let (time, is_utc) = time.and_then(time_of_day).unzip();
    let zone = words.next();
    if words.next().is_some() || (day.is_none() && (time.is_none() || day_name.is_some())) {
        return Err(expected());
    }
    match (day, day_name) {
        (Some(Day::Date(date)), Some(name)) => {
            let right = date.strftime("%a").to_string();
            if right != name {
                return Err(format!("{date} is {right}, not {name}"));
            }
        }
        (Some(Day::After(_)), Some(_)) => return Err(expected()),
        _ => {}
    }
    let zone = match (zone, is_utc, time, day) {
        (Some(_), Some(true), ..) => return Err(expected()),
        // A date alone is in UTC, too.
        (None, Some(true), ..) | (None, _, None, Some(Day::Date(_))) => Some("UTC"),
        (zone, ..) => zone,
    };
    Ok(TimeForm::Local {
        day,
        time: time.unwrap_or_else(Time::midnight),
        zone: zone.map(str::to_owned),
    })
}

fn expected() -> String {
    "must be a time in RFC 3339 such as 2026-03-29T02:30:00Z, a date, a time such as \"2026-11-21 22:00 UTC\", \
     \"22:00 Europe/Berlin\", \"22:00\" or \"tomorrow 06:00\", a duration such as 90m, 24h, 7d or 1d12h, or now"
        .to_owned()
}

/// `2026-11-21`, and nothing else that is read as a date.
fn is_date(word: &str) -> bool {
    word.len() == 10 && word.bytes().filter(|byte| *byte == b'-').count() == 2
}

fn begins_with_date(text: &str) -> bool {
    let begin = text.get(..10);
    begin.is_some_and(is_date) && text.as_bytes().get(10) == Some(&b'T')
}

/// `22:00`, `22:00:30` or, in UTC, `22:00Z`.
fn time_of_day(word: &str) -> Option<(Time, bool)> {
    let (digits, is_utc) = match word.strip_suffix('Z') {
        Some(digits) => (digits, true),
        None => (word, false),
    };
    let mut parts = digits.split(':').map(|part| {
        let is_number = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<i8>().ok().filter(|_| is_number)
    });
    let (hour, minute) = (parts.next()??, parts.next()??);
    let second = match parts.next() {
        Some(second) => second?,
        None => 0,
    };
    let time = Time::new(hour, minute, second, 0).ok()?;
    parts.next().is_none().then_some((time, is_utc))
}

const WEEKDAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// What is wrong with a time that is in RFC 3339 but later than the last one that can be computed with.
fn too_late(text: &str) -> Option<String> {
    let pieces = Pieces::parse(text).ok()?;
    pieces.time().and(pieces.offset())?;
    text.parse::<Timestamp>().is_err().then(out_of_range)
}

pub(crate) fn out_of_range() -> String {
    let last = Timestamp::from_second(Timestamp::MAX.as_second()).unwrap_or(Timestamp::MAX);
    format!("out of range: the last supported time is {last}")
}

/// The start of the bucket that contains a time.
pub(crate) fn begun(now: Timestamp, bucket: i64) -> anyhow::Result<Timestamp> {
    let second = now.as_second();
    let begun = second - second.rem_euclid(bucket);
    Timestamp::from_second(begun).context("the current time is before the first supported time")
}

/// The time that is `seconds` later; an error names the flag.
pub(crate) fn later(flag: &str, from: Timestamp, seconds: i64) -> anyhow::Result<Timestamp> {
    from.checked_add(SignedDuration::from_secs(seconds))
        .map_err(|_| {
            let length = exact(seconds);
            anyhow!("{flag} {length}: ends after the year 9999")
        })
}

/// Validates `--time-zone` as the API server validates `spec.timeZone`.
pub(crate) fn check_time_zone(name: &str, basis: &Basis) -> anyhow::Result<()> {
    let errors = validate_time_zone(name, &*basis.zones);
    if errors.is_empty() {
        return Ok(());
    }
    let errors = errors.iter();
    let errors: Vec<String> = errors
        .map(|detail| format!("spec.timeZone: Invalid value: {name:?}: {detail}"))
        .collect();
    let notice = Diagnostic::new(format!("--time-zone: {}", errors.join("; ")));
    Err(notice.help(&time_zone_help(name)).into())
}
