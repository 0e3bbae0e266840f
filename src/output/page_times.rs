//! The times of a page: a date that is not today's is on it once, and so is the time zone.

use std::borrow::Cow;
use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use cronjob_text::duration::{DAY, local_time};
use cronjob_text::text::{LocalTime, Text, Value, usual_zone_name};
use kube_cron::Zone;

/// A day that is further away than this is not called by its weekday alone.
const NEAR: i32 = 6;

/// What a page has already shown of times. Documents have the same texts with every time in full.
#[derive(Default)]
pub(super) struct PageTimes {
    /// Today in the time zone of the page; `None` while its date is to be shown.
    today: Option<Date>,
    today_in_utc: Option<Date>,
    /// The day of now, also while its date is to be shown.
    now: Option<Date>,
    zone: String,
    zone_is_shown: bool,
    /// The other days whose date is on the page.
    days: BTreeSet<Date>,
    /// The scheduled times of runs that are on the page.
    runs: BTreeSet<(Date, String)>,
}

impl PageTimes {
    pub(super) fn new(now: Timestamp, zone: &TimeZone, name: &str) -> Self {
        let date = |zone: &TimeZone| now.to_zoned(zone.clone()).date();
        PageTimes {
            today: Some(date(zone)),
            today_in_utc: Some(date(&TimeZone::UTC)),
            now: Some(date(zone)),
            zone: name.to_owned(),
            ..PageTimes::default()
        }
    }

    /// Times of which none is of a day that needs no date.
    pub(super) fn of_days(zone: &str) -> Self {
        PageTimes {
            zone: zone.to_owned(),
            ..PageTimes::default()
        }
    }

    pub(super) fn shows_zone(&self) -> bool {
        self.zone_is_shown
    }

    /// The text without what the page has shown: `22:04` today, `Sat 22:04` on a day whose date is on it, and today
    /// behind a time of another day.
    pub(super) fn shortened<'a>(&mut self, text: &'a Text) -> Cow<'a, str> {
        let mut has_other_day = false;
        text.rewritten(|value| match value {
            Value::Time(time) => Some(self.shown(time, &mut has_other_day)),
            Value::ForRun(time) => {
                let is_new = self.runs.insert((time.date, time.clock.clone()));
                let time = self.shown(time, &mut has_other_day);
                Some(if is_new {
                    format!("for the run scheduled at {time}")
                } else {
                    format!("for {time}")
                })
            }
            Value::Job { .. } | Value::Aside => None,
        })
    }

    /// The text without what the page has shown, except that times of today keep their date.
    pub(super) fn dated<'a>(&mut self, text: &'a Text) -> Cow<'a, str> {
        let today = self.today.take();
        let dated = self.shortened(text);
        self.today = today;
        dated
    }

    fn shown(&mut self, time: &LocalTime, has_other_day: &mut bool) -> String {
        let LocalTime { date, zone, .. } = time;
        let is_foreign = !zone.is_empty() && usual_zone_name(zone) != usual_zone_name(&self.zone);
        let today = match is_foreign {
            false => self.today,
            true if usual_zone_name(zone) == "UTC" => self.today_in_utc,
            // In another zone, it may be another day.
            true => return time.to_string(),
        };
        *has_other_day |= Some(*date) != today;
        let mut text = if *has_other_day {
            self.day(*date, today)
        } else {
            String::new()
        };
        text.push_str(&time.of_day());
        if !zone.is_empty() && (is_foreign || !std::mem::replace(&mut self.zone_is_shown, true)) {
            text.push_str(&format!(" {zone}"));
        }
        text
    }

    /// `Sat ` or `Sat 2026-11-21 `: as much of a date as is new on the page, or needed to tell days apart. A weekday alone is
    /// understood as that of this week or of the last one.
    fn day(&mut self, date: Date, today: Option<Date>) -> String {
        let is_new = Some(date) != today && self.days.insert(date);
        let weekday = date.weekday();
        let mut others = self
            .days
            .iter()
            .chain(&today)
            .filter(|other| **other != date);
        let is_unique = others.all(|other| other.weekday() != weekday);
        let days = self.now.map(|now| (date - now).get_days().abs());
        let is_far = days.is_some_and(|days| days > NEAR);
        let format = if is_new || !is_unique || is_far {
            "%a %Y-%m-%d "
        } else {
            "%a "
        };
        date.strftime(format).to_string()
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
        match whole.get(DAY..) {
            Some(clock) if is_same => format!("{:DAY$}{clock}", ""),
            _ => whole,
        }
    }

    /// A time, with its day unless that is the day of the other time.
    pub(super) fn beside(mut self, at: Timestamp, other: Timestamp) -> String {
        let [_, shown] = [other, at].map(|at| self.next(at));
        shown.trim_start().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(now: &str) -> PageTimes {
        PageTimes::new(now.parse().unwrap(), &TimeZone::UTC, "UTC")
    }

    fn time(at: &str) -> LocalTime {
        named(at, "UTC")
    }

    fn named(at: &str, zone: &str) -> LocalTime {
        LocalTime::new(at.parse().unwrap(), &TimeZone::UTC, zone)
    }

    #[test]
    fn today_has_no_date_and_the_zone_is_shown_once() {
        let mut page = page("2026-11-26T19:13:00Z");
        let text = text!("Next run: {} (in 7m).", time("2026-11-26T19:20:00Z"));
        assert_eq!(page.shortened(&text), "Next run: 19:20 UTC (in 7m).");
        let [from, to] = ["2026-11-26T19:12:03Z", "2026-11-26T19:13:00Z"].map(time);
        let text = text!("from ({}), to {}.", from, to);
        assert_eq!(page.shortened(&text), "from (19:12:03), to 19:13.");
        let text = text!("at {}: late", time("2026-11-26T19:14:00Z").without_zone());
        assert_eq!(page.shortened(&text), "at 19:14: late");
    }

    #[test]
    fn another_day_has_its_date_once() {
        let now = "2026-11-26T19:13:00Z";
        let mut page = page(now);
        let mut two = |first, second| {
            let text = text!("{}, {}", time(first), time(second));
            page.shortened(&text).into_owned()
        };
        let text = two("2026-11-25T02:00:00Z", "2026-11-25T03:00:00Z");
        assert_eq!(text, "Wed 2026-11-25 02:00 UTC, Wed 03:00");
        // There are two Wednesdays now.
        let text = two("2026-11-18T02:00:00Z", "2026-11-25T03:00:00Z");
        assert_eq!(text, "Wed 2026-11-18 02:00, Wed 2026-11-25 03:00");
        // It is Thursday.
        let text = two("2026-11-19T02:00:00Z", "2026-11-19T03:00:00Z");
        assert_eq!(text, "Thu 2026-11-19 02:00, Thu 2026-11-19 03:00");
        let first = time("2026-11-25T23:00:00Z").without_zone();
        let text = text!("{} to {}", first, time(now));
        let mut page = self::page(now);
        let text = page.shortened(&text);
        assert_eq!(text, "Wed 2026-11-25 23:00 to Thu 19:13 UTC");
    }

    #[test]
    fn day_more_than_six_days_away_keeps_its_date() {
        let mut page = page("2026-11-26T19:13:00Z");
        let mut twice = |at: &str| {
            let text = text!("{}, {}", time(at).without_zone(), time(at).without_zone());
            page.shortened(&text).into_owned()
        };
        let text = twice("2026-11-20T02:00:00Z");
        assert_eq!(text, "Fri 2026-11-20 02:00, Fri 02:00");
        let text = twice("2026-12-02T02:00:00Z");
        assert_eq!(text, "Wed 2026-12-02 02:00, Wed 02:00");
        for far in ["2026-11-17", "2026-12-05"] {
            let at = format!("{far}T02:00:00Z");
            assert_eq!(twice(&at).matches(far).count(), 2);
        }
    }

    #[test]
    fn time_in_utc_beside_another_zone_keeps_it() {
        let berlin = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let now: Timestamp = "2026-10-25T00:40:00Z".parse().unwrap();
        let mut page = page("2026-10-25T00:40:00Z");
        let today = now.to_zoned(berlin.clone()).date();
        (page.zone, page.today) = ("Europe/Berlin".to_owned(), Some(today));
        let local = |at: &str| LocalTime::new(at.parse().unwrap(), &berlin, "Europe/Berlin");
        let text = text!(
            "{}, {}, {}",
            local("2026-10-25T01:30:00Z"),
            local("2026-10-25T00:30:00Z"),
            time("2026-10-25T00:31:00Z")
        );
        assert_eq!(
            page.shortened(&text),
            "02:30 CET Europe/Berlin, 02:30 CEST, 00:31 UTC"
        );
    }

    #[test]
    fn time_in_a_third_zone_is_shown_in_full() {
        let mut page = page("2026-11-26T19:13:00Z");
        let text = Text::from(named("2026-11-26T19:13:00Z", "Asia/Tokyo"));
        assert_eq!(page.shortened(&text), "Thu 2026-11-26 19:13 Asia/Tokyo");
    }

    #[test]
    fn both_names_of_utc_are_one_zone() {
        let mut page = page("2026-11-26T19:13:00Z");
        "Etc/UTC".clone_into(&mut page.zone);
        let first = named("2026-11-26T19:12:00Z", "Etc/UTC");
        let text = text!("{}, {}", first, time("2026-11-26T19:13:00Z"));
        assert_eq!(page.shortened(&text), "19:12 Etc/UTC, 19:13");
    }

    #[test]
    fn run_that_is_on_the_page_is_called_by_its_time() {
        let mut page = page("2026-11-26T19:13:00Z");
        let run = Text::for_run(time("2026-11-26T19:12:00Z"));
        let text = text!("Starts a {} (60s late)", run);
        let first = "Starts a for the run scheduled at 19:12 UTC (60s late)";
        assert_eq!(page.shortened(&text), first);
        assert_eq!(page.shortened(&text), "Starts a for 19:12 (60s late)");
    }

    #[test]
    fn date_of_today_is_shown_if_it_is_asked_for() {
        let mut page = page("2026-11-26T19:13:00Z");
        let first = time("2026-11-26T18:00:00Z").without_zone();
        let text = text!("{} to {}", first, time("2026-11-26T19:13:00Z"));
        assert_eq!(page.dated(&text), "Thu 2026-11-26 18:00 to Thu 19:13 UTC");
        let text = text!("at {}", time("2026-11-26T18:10:00Z"));
        assert_eq!(page.shortened(&text), "at 18:10");
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
