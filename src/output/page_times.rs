//! The times of a page: a date that is not today's is on it once, and so is the time zone.

use std::borrow::Cow;
use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;

use crate::duration::local_time;
use crate::schedule::Zone;

/// What a page has already shown of times. Texts have times as [`local_time`] writes them, because documents have
/// the same texts.
pub(super) struct PageTimes {
    /// Today in the time zone of the page; `None` while its date is to be shown.
    today: Option<Date>,
    today_in_utc: Date,
    zone: String,
    zone_is_shown: bool,
    /// The other days whose date is on the page.
    days: BTreeSet<Date>,
    /// The scheduled times of runs that are on the page.
    runs: BTreeSet<(Date, String)>,
}

/// What is left out before the scheduled time of a run that is on the page.
const RUN: [&str; 4] = ["the", "run", "scheduled", "at"];

impl PageTimes {
    pub(super) fn new(now: Timestamp, zone: &Zone) -> Self {
        let date = |zone: &TimeZone| now.to_zoned(zone.clone()).date();
        PageTimes {
            today: Some(date(zone.time_zone())),
            today_in_utc: date(&TimeZone::UTC),
            zone: zone.name().to_owned(),
            zone_is_shown: false,
            days: BTreeSet::new(),
            runs: BTreeSet::new(),
        }
    }

    /// The text without what the page has shown: `22:04` today, `Sat 22:04` on a day whose date is on it, and today
    /// behind a time of another day.
    pub(super) fn shortened(&mut self, text: &str) -> String {
        let words: Vec<&str> = text.split(' ').collect();
        let mut short: Vec<Cow<'_, str>> = Vec::with_capacity(words.len());
        let mut rest = words.as_slice();
        let mut has_other_day = false;
        while let [word, after @ ..] = rest {
            let Some(time) = WrittenTime::at_start_of(rest, &self.zone) else {
                short.push(Cow::Borrowed(word));
                rest = after;
                continue;
            };
            let before = short.len().saturating_sub(RUN.len());
            let names_run = short.get(before..) == Some(&RUN.map(Cow::Borrowed))
                && before.checked_sub(1).and_then(|at| short.get(at))
                    == Some(&Cow::Borrowed("for"));
            if names_run && !self.runs.insert((time.date, time.clock.to_owned())) {
                short.truncate(before);
            }
            short.push(Cow::Owned(self.shown(&time, &mut has_other_day)));
            rest = rest.get(time.words..).unwrap_or_default();
        }
        short.join(" ")
    }

    /// The same, with the date of today.
    pub(super) fn dated(&mut self, text: &str) -> String {
        let today = self.today.take();
        let dated = self.shortened(text);
        self.today = today;
        dated
    }

    fn shown(&mut self, time: &WrittenTime<'_>, has_other_day: &mut bool) -> String {
        let WrittenTime {
            lead, clock, end, ..
        } = time;
        let is_foreign = time
            .zone
            .is_some_and(|zone| zone_name(zone) != zone_name(&self.zone));
        let today = if is_foreign {
            Some(self.today_in_utc)
        } else {
            self.today
        };
        *has_other_day |= Some(time.date) != today;
        let day = if *has_other_day {
            self.day(time.date, today)
        } else {
            String::new()
        };
        let mut text = format!("{lead}{day}{clock}");
        if let Some(abbreviation) = time.abbreviation {
            text.push_str(&format!(" {abbreviation}"));
        }
        if let Some(zone) = time.zone
            && (is_foreign || !std::mem::replace(&mut self.zone_is_shown, true))
        {
            text.push_str(&format!(" {zone}"));
        }
        text.push_str(end);
        text
    }

    /// `Sat ` or `Sat 2026-11-21 `: as much of a date as is new on the page, or needed to tell days apart.
    fn day(&mut self, date: Date, today: Option<Date>) -> String {
        let is_new = Some(date) != today && self.days.insert(date);
        let weekday = date.weekday();
        let mut others = self
            .days
            .iter()
            .chain(&today)
            .filter(|other| **other != date);
        let is_unique = others.all(|other| other.weekday() != weekday);
        let name = short_name(weekday);
        if is_new || !is_unique {
            format!("{name} {date} ")
        } else {
            format!("{name} ")
        }
    }
}

/// The zone, which has two names if it is UTC.
fn zone_name(zone: &str) -> &str {
    match zone {
        "Etc/UTC" => "UTC",
        other => other,
    }
}

/// A column of times, in which the date is shown where it changes.
pub(super) struct TimeColumn {
    zone: TimeZone,
    day: Option<Date>,
}

impl TimeColumn {
    pub(super) fn in_zone(zone: &Zone) -> Self {
        TimeColumn {
            zone: zone.time_zone().clone(),
            day: None,
        }
    }

    /// `Sat 2026-11-21 22:04`, and below it only the time of the same day.
    pub(super) fn next(&mut self, at: Timestamp) -> String {
        let day = at.to_zoned(self.zone.clone()).date();
        let whole = local_time(at, &self.zone, "");
        let is_same = self.day.replace(day) == Some(day);
        match whole.get(crate::duration::DAY..) {
            Some(clock) if is_same => format!("{:1$}{clock}", "", crate::duration::DAY),
            _ => whole,
        }
    }
}

/// A time in a text: `(Sat 2026-11-21 22:04:10 CET Europe/Berlin),`
struct WrittenTime<'a> {
    /// What is before it in its first word, such as a parenthesis.
    lead: &'a str,
    date: Date,
    clock: &'a str,
    /// Only where clocks are set back.
    abbreviation: Option<&'a str>,
    /// The zone of the page, or UTC; `None` where the text has said it.
    zone: Option<&'a str>,
    /// What is behind it in its last word, such as a comma.
    end: &'a str,
    /// How many words it takes.
    words: usize,
}

impl<'a> WrittenTime<'a> {
    fn at_start_of(words: &[&'a str], page_zone: &str) -> Option<Self> {
        let [first, date, clock, after @ ..] = words else {
            return None;
        };
        let (lead, weekday) = first.split_at_checked(first.len().checked_sub(3)?)?;
        let date: Date = date.parse().ok().filter(|_| date.len() == 10)?;
        if short_name(date.weekday()) != weekday || lead.ends_with(char::is_alphanumeric) {
            return None;
        }
        let digits = clock.find(|c: char| !c.is_ascii_digit() && c != ':');
        let (clock, end) = clock.split_at_checked(digits.unwrap_or(clock.len()))?;
        let clock = clock
            .strip_suffix(':')
            .map_or((clock, end), |clock| (clock, ":"));
        let (clock, end) = clock;
        if !matches!(clock.len(), 5 | 8) {
            return None;
        }
        let mut time = WrittenTime {
            lead,
            date,
            clock,
            abbreviation: None,
            zone: None,
            end,
            words: 3,
        };
        let zone = |word: Option<&&'a str>| {
            let word = word.filter(|_| end.is_empty())?;
            [page_zone, "UTC"].into_iter().find_map(|name| {
                let end = word.strip_prefix(name)?;
                let is_whole =
                    !end.starts_with(|c: char| c.is_alphanumeric() || "/_+-".contains(c));
                is_whole.then(|| word.split_at(name.len()))
            })
        };
        let abbreviation = after.first().filter(|word| {
            let mut letters = word.chars();
            letters.all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || "+-".contains(c))
        });
        if let Some((name, end)) = zone(after.first()) {
            (time.zone, time.end, time.words) = (Some(name), end, 4);
        } else if let (Some(abbreviation), Some((name, end))) = (abbreviation, zone(after.get(1))) {
            time.abbreviation = Some(abbreviation);
            (time.zone, time.end, time.words) = (Some(name), end, 5);
        } else if end.is_empty() && after.first().is_some_and(|word| word.contains('/')) {
            // In another zone, it may be another day.
            return None;
        }
        Some(time)
    }
}

fn short_name(day: Weekday) -> &'static str {
    match day {
        Weekday::Monday => "Mon",
        Weekday::Tuesday => "Tue",
        Weekday::Wednesday => "Wed",
        Weekday::Thursday => "Thu",
        Weekday::Friday => "Fri",
        Weekday::Saturday => "Sat",
        Weekday::Sunday => "Sun",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(now: &str) -> PageTimes {
        PageTimes::new(now.parse().unwrap(), &Zone::utc())
    }

    #[test]
    fn today_has_no_date_and_the_zone_is_shown_once() {
        let mut page = page("2026-11-26T19:13:00Z");
        let text = page.shortened("Next run: Thu 2026-11-26 19:20 UTC (in 7m).");
        assert_eq!(text, "Next run: 19:20 UTC (in 7m).");
        let text =
            page.shortened("from (Thu 2026-11-26 19:12:03 UTC), to Thu 2026-11-26 19:13 UTC.");
        assert_eq!(text, "from (19:12:03), to 19:13.");
        assert_eq!(
            page.shortened("at Thu 2026-11-26 19:14: late"),
            "at 19:14: late"
        );
    }

    #[test]
    fn another_day_has_its_date_once() {
        let mut page = page("2026-11-26T19:13:00Z");
        let text = page.shortened("Wed 2026-11-25 02:00 UTC and Wed 2026-11-25 03:00 UTC");
        assert_eq!(text, "Wed 2026-11-25 02:00 UTC and Wed 03:00");
        // There are two Wednesdays now.
        let text = page.shortened("Wed 2026-11-18 02:00 UTC, Wed 2026-11-25 03:00 UTC");
        assert_eq!(text, "Wed 2026-11-18 02:00, Wed 2026-11-25 03:00");
        assert_eq!(
            self::page("2026-11-26T19:13:00Z")
                .shortened("Wed 2026-11-25 23:00 to Thu 2026-11-26 19:13 UTC"),
            "Wed 2026-11-25 23:00 to Thu 19:13 UTC"
        );
        // It is Thursday.
        let text = page.shortened("Thu 2026-11-19 02:00 UTC, Thu 2026-11-19 03:00 UTC");
        assert_eq!(text, "Thu 2026-11-19 02:00, Thu 2026-11-19 03:00");
    }

    #[test]
    fn time_in_utc_beside_another_zone_keeps_it() {
        let berlin = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let mut page = page("2026-10-25T00:40:00Z");
        (page.zone, page.today) = (
            "Europe/Berlin".to_owned(),
            Some(
                "2026-10-25T00:40:00Z"
                    .parse::<Timestamp>()
                    .unwrap()
                    .to_zoned(berlin)
                    .date(),
            ),
        );
        let text = "Sun 2026-10-25 02:30 CET Europe/Berlin, Sun 2026-10-25 02:30 CEST Europe/Berlin, \
                    Sun 2026-10-25 00:31 UTC";
        assert_eq!(
            page.shortened(text),
            "02:30 CET Europe/Berlin, 02:30 CEST, 00:31 UTC"
        );
    }

    #[test]
    fn both_names_of_utc_are_one_zone() {
        let mut page = page("2026-11-26T19:13:00Z");
        "Etc/UTC".clone_into(&mut page.zone);
        let text = "Thu 2026-11-26 19:12 Etc/UTC, Thu 2026-11-26 19:13 UTC";
        assert_eq!(page.shortened(text), "19:12 Etc/UTC, 19:13");
    }

    #[test]
    fn run_that_is_on_the_page_is_called_by_its_time() {
        let mut page = page("2026-11-26T19:13:00Z");
        let text =
            "Starts a immediately for the run scheduled at Thu 2026-11-26 19:12 UTC (60s late)";
        let first = "Starts a immediately for the run scheduled at 19:12 UTC (60s late)";
        assert_eq!(page.shortened(text), first);
        assert_eq!(
            page.shortened(text),
            "Starts a immediately for 19:12 (60s late)"
        );
    }

    #[test]
    fn what_is_no_time_stays_as_it_is() {
        let mut page = page("2026-11-26T19:13:00Z");
        for text in [
            "",
            "Thu",
            "Thu 2026-11-26",
            "Thu 2026-11-26 19:13 Asia/Tokyo",
            "Fri 2026-11-26 19:13 UTC",
            "Thu 2026-11-31 19:13",
            "Thu 2026-11-26 now",
            "é 2026-11-26 19:13",
            "xThu 2026-11-26 19:13",
            "a  b ",
        ] {
            assert_eq!(page.shortened(text), text);
        }
    }

    #[test]
    fn date_of_today_is_shown_if_it_is_asked_for() {
        let mut page = page("2026-11-26T19:13:00Z");
        let text = page.dated("Thu 2026-11-26 18:00 to Thu 2026-11-26 19:13 UTC");
        assert_eq!(text, "Thu 2026-11-26 18:00 to Thu 19:13 UTC");
        assert_eq!(page.shortened("at Thu 2026-11-26 18:10 UTC"), "at 18:10");
    }

    #[test]
    fn column_shows_a_date_where_it_changes() {
        let mut column = TimeColumn::in_zone(&Zone::utc());
        let mut next = |at: &str| column.next(at.parse().unwrap());
        assert_eq!(next("2026-11-25T23:58:00Z"), "Wed 2026-11-25 23:58");
        assert_eq!(next("2026-11-25T23:59:00Z"), "               23:59");
        assert_eq!(next("2026-11-26T00:00:00Z"), "Thu 2026-11-26 00:00");
    }
}
