//! Properties of a schedule and its timetable. Expected times were computed independently.

use jiff::Timestamp;
use kube_cron::{
    BundledZones, Dialect, Endless, FieldName, ParseError, Schedule, Timetable, Zones,
    current_zone_name, split_zone,
};

fn parse(text: &str, dialect: Dialect) -> Result<Schedule, ParseError> {
    Schedule::parse(text, dialect, &BundledZones)
}

fn in_utc(text: &str) -> Timetable {
    let utc = BundledZones.load("UTC").unwrap();
    parse(text, Dialect::V3_0).unwrap().in_zone(&utc)
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// `spec.timeZone` of a CronJob becomes a prefix, unless the expression has `TZ` in it.
#[test]
fn time_zone_of_the_field_counts_unless_the_expression_has_one() {
    let zone = |text, field| {
        let read = Schedule::parse_in(text, field, Dialect::V3_0, &BundledZones);
        read.map(|schedule| schedule.own_zone().map(|zone| zone.name().to_owned()))
    };
    let tokyo = Some("Asia/Tokyo");
    assert_eq!(zone("0 9 * * *", tokyo).unwrap().as_deref(), tokyo);
    assert_eq!(zone("0 9 * * *", None).unwrap(), None);
    let of_its_own = zone("TZ=Europe/Berlin 0 9 * * *", tokyo).unwrap();
    assert_eq!(of_its_own.as_deref(), Some("Europe/Berlin"));
    // The location of an error is that in the expression without the prefix.
    let error = zone("0 99 * * *", tokyo).unwrap_err();
    assert_eq!((error.span(), error.expression()), (2..4, "0 99 * * *"));
}

#[test]
fn zone_in_front_of_an_expression_is_split_off() {
    for (text, expected) in [
        (
            "TZ=Europe/Berlin 0 9 * * *",
            Some(("Europe/Berlin", "0 9 * * *")),
        ),
        (
            "CRON_TZ=Asia/Tokyo  @daily ",
            Some(("Asia/Tokyo", "@daily")),
        ),
        ("TZ=Local @daily", None),
        ("TZ= @daily", None),
        ("TZ=Europe/Berlin", None),
        ("0 9 * * *", None),
    ] {
        assert_eq!(split_zone(text), expected, "{text}");
    }
}

#[test]
fn dialects_have_the_versions_of_their_tags() {
    let dialects = [
        (Dialect::V1_1, "v1.1.0", false),
        (Dialect::V1_2, "v1.2.0", false),
        (Dialect::V1_2Seconds, "v1.2.0", false),
        (Dialect::V3_0, "v3.0.1", true),
        (Dialect::GoCron0_15, "v0.15.0", true),
    ];
    for (dialect, version, has_zone_prefix) in dialects {
        assert_eq!(
            (dialect.version(), dialect.has_zone_prefix()),
            (version, has_zone_prefix)
        );
    }
}

#[test]
fn old_zone_names_have_a_current_one() {
    assert_eq!(current_zone_name("Asia/Calcutta"), Some("Asia/Kolkata"));
    assert_eq!(current_zone_name("Europe/Oslo"), None);
}

#[test]
fn field_that_is_missing_or_too_many_is_where_the_error_is() {
    for (text, dialect, span) in [
        // After the last field.
        ("0 9 * *", Dialect::V3_0, 7..7),
        ("0 9", Dialect::V1_2Seconds, 3..3),
        // From the first field too many to the last.
        ("0 9 * * * 2026 *", Dialect::V3_0, 10..16),
        ("0 0 9 * * * 2026", Dialect::V1_2Seconds, 12..16),
        ("   ", Dialect::V3_0, 0..3),
    ] {
        assert_eq!(parse(text, dialect).unwrap_err().span(), span, "{text:?}");
    }
}

/// Only go-cron knows `@manual`, and rejects intervals of less than a second.
#[test]
fn words_of_go_cron_are_unknown_to_robfig_cron() {
    for word in ["@manual", "@triggered", "@none"] {
        assert!(parse(word, Dialect::GoCron0_15).is_ok(), "{word}");
        assert!(parse(word, Dialect::V3_0).is_err(), "{word}");
    }
    for (text, of_go_cron) in [("@every 1s", true), ("@every 999ms", false)] {
        assert!(parse(text, Dialect::V3_0).is_ok(), "{text}");
        assert_eq!(
            parse(text, Dialect::GoCron0_15).is_ok(),
            of_go_cron,
            "{text}"
        );
    }
}

#[test]
fn pause_is_twice_as_long_as_another_interval() {
    for (text, has_pauses) in [
        ("0 0 * * *", false),
        // 8 and 16 hours: exactly twice.
        ("0 8,16 * * *", true),
        ("0 8,17 * * *", false),
        // 28 to 31 days.
        ("0 0 1 * *", false),
        ("0 9 * * 1-5", true),
    ] {
        let period = parse(text, Dialect::V3_0).unwrap().period().unwrap();
        assert_eq!(period.has_pauses(), has_pauses, "{text}: {period:?}");
    }
}

/// `@every` counts from the last run; all others follow a clock.
#[test]
fn runs_of_every_follow_the_last_one() {
    let every = in_utc("@every 7m");
    let start = |last: &str, after: &str| every.search_start(at(last), at(after)).to_string();
    // 1,000 seconds are two runs and 160 seconds.
    let started = start("2026-11-21T10:00:00Z", "2026-11-21T10:16:40Z");
    assert_eq!(started, "2026-11-21T10:14:00Z");
    // The last run is not before the time asked about.
    for last in ["2026-11-21T10:20:00Z", "2026-11-21T10:16:40.5Z"] {
        assert_eq!(start(last, "2026-11-21T10:16:40Z"), last);
    }
    let same = "2026-11-21T10:16:40.5Z";
    assert_eq!(start(same, same), same);
    assert!(every.is_every() && every.zone().is_none());
    let previous = every.previous(at("2026-11-21T10:16:40Z")).unwrap();
    assert_eq!(previous.to_string(), "2026-11-21T10:09:40Z");

    let clock = in_utc("*/7 * * * *");
    let (last, after) = (at("2026-11-21T10:00:00Z"), at("2026-11-21T10:16:40Z"));
    assert_eq!(clock.search_start(last, after), after);
    assert!(!clock.is_every());
    assert_eq!(clock.zone().unwrap().name(), "UTC");
}

/// Runs are at full seconds: one is before a fraction of its second, and after one of the second before.
#[test]
fn fractions_of_seconds_are_between_two_seconds() {
    let minutes = in_utc("* * * * *");
    for (moment, previous, next) in [
        (
            "2026-11-21T10:01:00Z",
            "2026-11-21T10:00:00Z",
            "2026-11-21T10:02:00Z",
        ),
        (
            "2026-11-21T10:01:00.5Z",
            "2026-11-21T10:01:00Z",
            "2026-11-21T10:02:00Z",
        ),
        (
            "1969-12-31T23:59:59.5Z",
            "1969-12-31T23:59:00Z",
            "1970-01-01T00:00:00Z",
        ),
        (
            "1969-12-31T23:58:00.5Z",
            "1969-12-31T23:58:00Z",
            "1969-12-31T23:59:00Z",
        ),
    ] {
        let found = minutes.previous(at(moment)).map(|run| run.to_string());
        assert_eq!(found.as_deref(), Some(previous), "before {moment}");
        let found = minutes.next(at(moment)).unwrap().map(|run| run.to_string());
        assert_eq!(found.as_deref(), Some(next), "after {moment}");
    }
}

#[test]
fn later_schedule_keeps_its_step() {
    for (text, minutes, later) in [
        ("*/15 9-17 * * mon-fri", 4, Some("4-59/15 9-17 * * mon-fri")),
        ("5-59/20 * * * *", 0, Some("5-59/20 * * * *")),
        ("0,10 * * * *", 5, Some("5,15 * * * *")),
        // As late as its hour allows, and too late.
        ("*/15 * * * *", 14, Some("14-59/15 * * * *")),
        ("*/15 * * * *", 15, None),
    ] {
        let schedule = parse(text, Dialect::V3_0).unwrap();
        let found = schedule.later(minutes);
        assert_eq!(found.as_ref().map(Schedule::text), later, "{text}");
    }
}

#[test]
fn error_names_its_field() {
    for (text, field) in [
        ("99 9 * * *", Some(FieldName::Minute)),
        // Within the first field.
        ("0,60 9 * * *", Some(FieldName::Minute)),
        ("0 99 * * *", Some(FieldName::Hour)),
        ("TZ=Asia/Tokyo  0 99 * * *", Some(FieldName::Hour)),
        ("0 9 * * 8", Some(FieldName::DayOfWeek)),
        ("0 9 * * * *", None),
    ] {
        assert_eq!(
            parse(text, Dialect::V3_0).unwrap_err().field(),
            field,
            "{text}"
        );
    }
}

/// A zone without anything after it makes upstream slice beyond the end of the expression.
#[test]
fn zone_alone_panics() {
    let panics = |text| parse(text, Dialect::V3_0).unwrap_err().is_panic();
    assert!(panics("TZ=UTC") && panics("CRON_TZ=Europe/Berlin"));
    assert!(!panics("TZ=Nowhere 0 9 * * *") && !panics("0 99 * * *"));
}

/// Both 0 and 7 are Sunday.
#[test]
fn week_of_go_cron_has_one_sunday() {
    let weekdays = |text| {
        let schedule = parse(text, Dialect::GoCron0_15).unwrap();
        schedule.allowed(FieldName::DayOfWeek)
    };
    assert_eq!(weekdays("0 9 * * 0-7"), [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(weekdays("0 9 * * 5-7"), [0, 5, 6]);
    assert_eq!(weekdays("0 9 * * 6-1"), [0, 1, 6]);
}

/// A file system may ignore case, but that of the cluster does not.
#[test]
fn built_in_zones_have_exactly_their_names() {
    let error = |name| BundledZones.load(name).unwrap_err().to_string();
    assert_eq!(error("europe/berlin"), "unknown time zone europe/berlin");
    assert_eq!(error("Europe"), "is a directory");
    assert_eq!(error("Europe/Nowhere"), "unknown time zone Europe/Nowhere");
    let version = BundledZones::version();
    let (year, letter) = version.split_at(4);
    assert!(
        year.starts_with("20") && year.parse::<u32>().is_ok(),
        "{version}"
    );
    assert!(
        letter.chars().all(|letter| letter.is_ascii_lowercase()),
        "{version}"
    );
}

/// After 03:53 of the day on which Chatham turns its clocks back, the search finds 03:53 again.
#[test]
fn search_that_stands_still_is_found() {
    let stands_still = |zone: &str, text: &str| {
        let zone = BundledZones.load(zone).unwrap();
        let timetable = parse(text, Dialect::V3_0).unwrap().in_zone(&zone);
        let (since, until) = (at("2026-01-01T00:00:00Z"), at("2027-01-01T00:00:00Z"));
        let last = timetable.stands_still(since, until);
        last.map(|last| last.to_string())
    };
    let last = stands_still("Pacific/Chatham", "53 3 * * *");
    assert_eq!(last.as_deref(), Some("2026-04-04T14:08:00Z"));
    assert_eq!(stands_still("Pacific/Auckland", "53 3 * * *"), None);
}

/// A search for a day proceeds from one day to the next, and never passes one that is missing within the five years that
/// it covers. A search for a minute proceeds by hours.
#[test]
fn search_for_nothing_ends_unless_a_day_is_missing() {
    let apia = BundledZones.load("Pacific/Apia").unwrap();
    let next = |text: &str, after: &str| {
        let schedule = parse(text, Dialect::V3_0).unwrap();
        schedule.in_zone(&apia).next(at(after))
    };
    assert_eq!(next("0 0 , * *", "2008-01-01T00:00:00Z"), Err(Endless));
    assert_eq!(next("0 0 , * *", "2012-01-15T00:00:00Z"), Ok(None));
    assert_eq!(next(", * * * *", "2008-01-01T00:00:00Z"), Ok(None));
}

/// go-cron: `const maxTimezoneLength = 64`.
#[test]
fn zone_of_64_letters_is_unknown_and_one_of_65_too_long() {
    let is_too_long = |letters: usize| {
        let text = format!("TZ={} 0 2 * * *", "a".repeat(letters));
        let error = parse(&text, Dialect::GoCron0_15).unwrap_err();
        error.to_string().contains("too long")
    };
    assert!(!is_too_long(64) && is_too_long(65));
}

/// More runs than are counted one by one: half a million minutes, also where the clocks change twice a year.
#[test]
fn minutes_of_a_year_are_counted_by_the_clock() {
    let minutes = parse("* * * * *", Dialect::V3_0).unwrap();
    for zone in ["UTC", "Asia/Kolkata", "Europe/Berlin"] {
        let timetable = minutes.in_zone(&BundledZones.load(zone).unwrap());
        let counted = timetable.count(at("2026-01-01T00:00:00Z"), at("2027-01-01T00:00:00Z"));
        assert_eq!(counted.map(|counted| counted.count), Ok(525_600), "{zone}");
    }
}
