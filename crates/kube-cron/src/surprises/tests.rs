//! Expectations worked out manually from the tz database's own changes.

use super::*;
use crate::{BundledZones, Dialect, Schedule, Zones};
use SurpriseKind::{Additional, Doubled, Lost};

fn surprises(text: &str, zone: &str, year: i16) -> Vec<Surprise> {
    in_dialect(text, zone, year, Dialect::V3_0)
}

fn in_dialect(text: &str, zone: &str, year: i16, dialect: Dialect) -> Vec<Surprise> {
    let zone = BundledZones.load(zone).unwrap();
    let moment = |year: i16| format!("{year}-01-01T12:00:00Z").parse().unwrap();
    let timetable = Schedule::parse(text, dialect, &BundledZones)
        .unwrap()
        .in_zone(&zone);
    timetable.surprises(moment(year), moment(year + 1))
}

/// `(kind, local time)` of each one that is listed.
fn told(text: &str, zone: &str, year: i16) -> Vec<(SurpriseKind, String)> {
    tell(&surprises(text, zone, year))
}

fn tell(surprises: &[Surprise]) -> Vec<(SurpriseKind, String)> {
    let times = |surprise: &Surprise| {
        let kind = surprise.kind;
        let times = surprise.local_times.iter();
        times
            .map(move |time| (kind, time.strftime("%F %H:%M").to_string()))
            .collect::<Vec<_>>()
    };
    surprises.iter().flat_map(times).collect()
}

fn one(kind: SurpriseKind, time: &str) -> Vec<(SurpriseKind, String)> {
    vec![(kind, time.to_owned())]
}

/// The only surprise in the year of its time.
#[track_caller]
fn has_one(text: &str, zone: &str, kind: SurpriseKind, time: &str) {
    let year = time[..4].parse().unwrap();
    assert_eq!(told(text, zone, year), one(kind, time), "{text} in {zone}");
}

#[test]
fn new_york() {
    has_one("30 2 * * *", "America/New_York", Lost, "2026-03-08 02:30");
    has_one(
        "30 1 * * *",
        "America/New_York",
        Doubled,
        "2026-11-01 01:30",
    );
    assert_eq!(told("30 3 * * *", "America/New_York", 2026), []);
    assert_eq!(told("30 2 * * 1", "America/New_York", 2026), []);
    has_one("30 1,2 8 3 *", "America/New_York", Lost, "2026-03-08 02:30");
}

#[test]
fn an_even_pace_is_no_surprise() {
    for text in [
        "* * * * *",
        "*/5 * * * *",
        "0 * * * *",
        "3,17 * * * *",
        "@every 1h",
    ] {
        for zone in "America/New_York Africa/Cairo America/Sao_Paulo Asia/Beirut".split(' ') {
            for year in [2018, 2026] {
                assert_eq!(told(text, zone, year), [], "{text} in {zone} {year}");
            }
        }
    }
}

#[test]
fn half_an_hour_at_lord_howe() {
    let zone = "Australia/Lord_Howe";
    // 4 October 2026: 02:00 becomes 02:30; 5 April: 02:00 becomes 01:30.
    // On the way back the search goes from 01:00 to the second 01:30 and to 02:30, by the hour.
    let twice = |time: &str| ["04-05", "10-04"].map(|day| (Lost, format!("2026-{day} {time}")));
    assert_eq!(told("0 2 * * *", zone, 2026), twice("02:00"));
    assert_eq!(told("15 2 * * *", zone, 2026), twice("02:15"));
    // On the way forth it looks for minute 45 from 01:46 on, and 02:30 has no minute 0 to stop at.
    assert_eq!(
        told("45 1 * * *", zone, 2026),
        [
            (Doubled, "2026-04-05 01:45".to_owned()),
            (Additional, "2026-10-04 02:45".to_owned()),
        ]
    );
    // Half hours continue as before.
    assert_eq!(told("*/30 * * * *", zone, 2026), []);
    // 90 minutes of rest.
    has_one("15 * * * *", zone, Lost, "2026-10-04 02:15");
}

#[test]
fn midnights_that_do_not_exist() {
    has_one("0 0 28 3 *", "Asia/Beirut", Lost, "2027-03-28 00:00");
    // Cairo: the last Friday in April, 00:00 becomes 01:00.
    has_one("15 0 * * *", "Africa/Cairo", Lost, "2026-04-24 00:15");
    has_one("30 23 * * *", "Africa/Cairo", Doubled, "2026-10-29 23:30");
    assert_eq!(told("0 9 * * 1-5", "Africa/Cairo", 2026), []);
}

/// Where midnight does not exist Go answers with 01:00; v3.0.1 means to repair that, goes back to
/// 23:00, and is on the day before again. From there it steps over the whole day.
#[test]
fn days_that_begin_at_one_are_lost_as_a_whole() {
    has_one("30 23 * * 5", "Africa/Cairo", Lost, "2026-04-24 23:30");
    let surprises = surprises("0 * * * 0", "Asia/Beirut", 2018);
    let [surprise] = surprises.as_slice() else {
        panic!("{surprises:?}")
    };
    // All but the 00:00 that does not exist.
    assert_eq!((surprise.kind, surprise.count), (Lost, 23));
}

/// Sao Paulo, November 4, 2018: midnight does not exist, and the search continues by the hour from the
/// 3rd into the 4th without looking at the date again.
#[test]
fn a_phantom_in_sao_paulo() {
    has_one(
        "30 5 3 11 *",
        "America/Sao_Paulo",
        Additional,
        "2018-11-04 05:30",
    );
}

/// v1.1.0 steps onto 23:00 of the day before and keeps that hour for all days to come.
#[test]
fn the_old_library_loses_whole_days() {
    let lost = in_dialect("0 12 * * 0", "America/Sao_Paulo", 2018, Dialect::V1_1);
    assert_eq!(tell(&lost), one(Lost, "2018-11-04 12:00"));
    assert_eq!(told("0 12 * * 0", "America/Sao_Paulo", 2018), []);
}

#[test]
fn long_lists_are_cut_and_counted() {
    let surprises = surprises("* 2 * * *", "America/New_York", 2026);
    let [surprise] = surprises.as_slice() else {
        panic!("{surprises:?}")
    };
    assert_eq!((surprise.kind, surprise.count), (Lost, 60));
    assert_eq!(surprise.local_times.len(), Surprise::LISTED);
    assert_eq!(surprise.date, jiff::civil::date(2026, 3, 8));
    let offsets = (surprise.change.before, surprise.change.after);
    assert_eq!(offsets, (-5 * 3600, -4 * 3600));
}

/// Samoa had no 30 December 2011.
#[test]
fn a_day_that_does_not_exist() {
    let told_of = |text| told(text, "Pacific/Apia", 2011);
    assert!(told_of("0 12 * * *").contains(&(Lost, "2011-12-30 12:00".to_owned())));
    assert!(!told_of("0 * * * *").iter().any(|(kind, _)| *kind == Lost));
    // The search for the next fifth of a month never ends after that of December.
    assert_eq!(told_of("0 12 30 12 *")[0].0, Lost);
}

#[test]
fn rare_runs_are_attributed_to_their_own_change() {
    let zone = BundledZones.load("America/New_York").unwrap();
    let yearly = Schedule::parse("30 2 8 3 *", Dialect::V3_0, &BundledZones).unwrap();
    let surprises = yearly.in_zone(&zone).surprises(
        "2020-06-01T00:00:00Z".parse().unwrap(),
        "2033-06-01T00:00:00Z".parse().unwrap(),
    );
    // 8 March is the second Sunday in 2026 only.
    assert_eq!(tell(&surprises), one(Lost, "2026-03-08 02:30"));
    assert_eq!(surprises[0].change.at.to_string(), "2026-03-08T07:00:00Z");
}

#[test]
fn nothing_of_what_was_not_asked() {
    let zone = BundledZones.load("America/New_York").unwrap();
    let nightly = Schedule::parse("30 2 * * *", Dialect::V3_0, &BundledZones).unwrap();
    let timetable = nightly.in_zone(&zone);
    let ask = |from: &str, until: &str| {
        timetable
            .surprises(from.parse().unwrap(), until.parse().unwrap())
            .len()
    };
    // After `from`.
    assert_eq!(ask("2026-03-08T07:00:00Z", "2026-12-01T00:00:00Z"), 0);
    assert_eq!(ask("2026-03-08T06:59:59Z", "2026-12-01T00:00:00Z"), 1);
    // Up to `until`.
    assert_eq!(ask("2026-03-01T00:00:00Z", "2026-03-08T07:00:00Z"), 1);
    assert_eq!(ask("2026-03-01T00:00:00Z", "2026-03-08T06:59:59Z"), 0);
}

/// Newfoundland turned its clocks at 00:01 until 2011: asked at the first 23:25, v3.0.1 answers with
/// that very moment, and never gets on.
#[test]
fn a_search_that_stands_still() {
    let surprises = surprises("25,45 */9 * * *", "America/St_Johns", 2005);
    let lost = surprises
        .iter()
        .filter(|surprise| surprise.kind == Lost)
        .count();
    assert!(lost > 0, "{surprises:?}");
}
