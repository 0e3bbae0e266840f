//! Sentences, written manually.

use super::*;
use crate::{BundledZones, Dialect};
use jiff::civil::{Weekday, date};

fn schedule(text: &str, dialect: Dialect) -> Schedule {
    Schedule::parse(text, dialect, &BundledZones).unwrap()
}

/// Cases are a schedule and its sentence, separated by a colon.
#[track_caller]
fn says_in(dialect: Dialect, case: &str) {
    let (text, expected) = case.split_once(": ").unwrap();
    let described = schedule(text, dialect).describe();
    assert_eq!(described.sentence, expected, "{text}");
}

#[track_caller]
fn says(case: &str) {
    says_in(Dialect::V3_0, case);
}

#[track_caller]
fn said_before(case: &str) {
    says_in(Dialect::V1_1, case);
}

#[test]
fn times_of_day() {
    says("0 2 * * *: at 02:00");
    says("0 2,14 * * *: at 02:00 and 14:00");
    says("0,30 2 * * *: at 02:00 and 02:30");
    says("0,30 2,14 * * *: at minutes 0 and 30 past hours 2 and 14");
    says("0 */6 * * *: at 00:00, 06:00, 12:00 and 18:00");
    says("0 */7 * * *: at 00:00, 07:00, 14:00 and 21:00 (the last gap is 3 hours)");
    says("0 */7 * * 1: at 00:00, 07:00, 14:00 and 21:00, on Monday");
    says("0 */2 * * *: at minute 0 past every 2nd hour");
    says("0 1-23/2 * * *: at minute 0 past every 2nd hour from 1 through 23");
    says("0 * * * *: at minute 0 past every hour");
    says("* 3 * * *: every minute from 03:00 through 03:59");
    says("* 9-17 * * *: every minute from 09:00 through 17:59");
    says("* */2 * * *: every minute of every 2nd hour");
    says("* 2,14 * * *: every minute of hours 2 and 14");
    says("*/5 9-17 * * *: every 5 minutes from 09:00 through 17:55");
    says("*/15 9 * * *: at 09:00, 09:15, 09:30 and 09:45");
    says("*/10 9 * * *: every 10 minutes from 09:00 through 09:50");
    says("0-29 2,14 * * *: at every minute from 0 through 29 past hours 2 and 14");
    says(
        "1,3-5 1-6,9,12-14 * * *: at minutes 1 and 3 through 5 past hours 1 through 6, 9 and 12 through 14",
    );
}

#[test]
fn minutes_of_every_hour() {
    says("* * * * *: every minute");
    says("*/15 * * * *: every 15 minutes");
    says("0,30 * * * *: every 30 minutes");
    says("5/15 * * * *: every 15 minutes, at minutes 5, 20, 35 and 50");
    says("1-59/2 * * * *: every 2 minutes, at minutes 1, 3, 5, … 59");
    says("*/7 * * * *: at minutes 0, 7, 14, … 56 (the last gap is 4 minutes)");
    says("*/40 * * * *: at minutes 0 and 40 (the last gap is 20 minutes)");
    says("*/59 * * * *: at minutes 0 and 59 (the last gap is 1 minute)");
    says("*/70 * * * *: at minute 0 past every hour");
    says("5,10,20 * * * *: at minutes 5, 10 and 20 past every hour");
    says("10-20 * * * *: at every minute from 10 through 20 past every hour");
    says(
        "*/7 9-17 * * *: at minutes 0, 7, 14, … 56 past every hour from 9 through 17 (the last gap is 4 minutes)",
    );
}

#[test]
fn words() {
    says("@yearly: at 00:00, on January 1");
    says("@monthly: at 00:00, on day 1 of the month");
    says("@weekly: at 00:00, on Sunday");
    says("@daily: at 00:00");
    says("@hourly: at minute 0 past every hour");
    says("@every 90s: every 1m30s, counted from the previous run");
    says("TZ=Europe/Berlin 0 2 * * *: at 02:00");
}

#[test]
fn days() {
    says(
        "30 9-17 * * 1-5: at minute 30 past every hour from 9 through 17, on Monday through Friday",
    );
    says("0 2 * * 0,6: at 02:00, on Saturday and Sunday");
    says("0 2 * * 0-4: at 02:00, on Sunday through Thursday");
    says("0 2 * * 5,6,0: at 02:00, on Friday through Sunday");
    says("0 2 * * 1,3,5: at 02:00, on Monday, Wednesday and Friday");
    says("0 2 */2 * *: at 02:00, on every 2nd day of the month (1, 3, … 31)");
    says("0 2 */10 * *: at 02:00, on every 10th day of the month (1, 11, 21 and 31)");
    says("0 2 1,15 * *: at 02:00, on days 1 and 15 of the month");
    says("0 2 1-7 * *: at 02:00, on days 1 through 7 of the month");
    says("0 2 31 * *: at 02:00, on day 31 of the month (only in months that have it)");
    says("0 2 29 2 *: at 02:00, on February 29 (only in leap years)");
    says("0 2 1 1,4,7,10 *: at 02:00, on day 1 of January, April, July and October");
    says("0 2 1 */2 *: at 02:00, on day 1 of every 2nd month (January, March, … November)");
    says("0 2 * 3-5 *: at 02:00, in March through May");
    says("* * * 3 1: every minute, on Monday, in March");
}

#[test]
fn either_day_field() {
    says("0 0 13 * 5: at 00:00, on day 13 of the month and also on every Friday");
    says(
        "0 0 1,15 * 1-5: at 00:00, on days 1 and 15 of the month and also on every day from Monday through Friday",
    );
    says(
        "0 0 */2 * 1: at 00:00, on every 2nd day of the month (1, 3, … 31) and also on every Monday",
    );
    says(
        "0 0 13 3 1,5: at 00:00, only in March: on day 13 of the month and also on every Monday and Friday",
    );
    says("0 0 , * 1: at 00:00, on Monday");
    says("0 0 13 * ,: at 00:00, on day 13 of the month");
    says(
        "0 0 31 2 1: at 00:00, only in February: on day 31 of the month (only in months that have it) and also on every Monday",
    );
}

/// Everything without a star: the other field changes nothing.
#[test]
fn an_overruled_day_field() {
    let days = schedule("0 0 1-31 * 1", Dialect::V3_0).describe();
    assert_eq!(
        days.sentence,
        "at 00:00, on every day (the day of month field matches every day and a match of either field is enough, so the day of week field has no effect)"
    );
    assert_eq!(days.days, DayRule::Any);
    says("0 0 * * 1: at 00:00, on Monday");
    says("0 0 1-31 * *: at 00:00");
    says("0 0 1-31 * 0-6: at 00:00");
    says("0 0 13 * *: at 00:00, on day 13 of the month");
    says(
        "0 0 13 * 0-6: at 00:00, on every day (the day of week field matches every day and a match of either field is enough, so the day of month field has no effect)",
    );
}

#[test]
fn both_day_fields() {
    said_before(
        "0 0 */2 * 1: at 00:00, on every 2nd day of the month (1, 3, … 31) if it is a Monday",
    );
    said_before(
        "0 0 */20 * 1,5: at 00:00, on days 1 and 21 of the month if the day is a Monday or Friday",
    );
    said_before("0 0 */2 6 1: at 00:00, on every 2nd day of June (1, 3, … 31) if it is a Monday");
    said_before(
        "0 0 13 * */3: at 00:00, on day 13 of the month if it is a Sunday, Wednesday or Saturday",
    );
    says("0 0 *,13 * 5: at 00:00, on Friday");
}

#[test]
fn never() {
    says(", * * * *: never: the minute field matches nothing");
    says("0 0 , * *: never: the day of month field matches nothing");
    says("0 0 31 2 *: never: February 31 does not exist");
}

#[test]
fn fields_one_by_one() {
    let described = schedule("*/70 */5 1-31 */3 1", Dialect::V3_0).describe();
    let fields = described.fields.iter();
    let shown = fields.map(|field| format!("{} {}: {}", field.name, field.text, field.meaning));
    assert_eq!(
        shown.collect::<Vec<_>>(),
        [
            "minute */70: at minute 0",
            "hour */5: in hours 0, 5, 10, 15 and 20 (the last gap is 4 hours)",
            "day of month 1-31: every day of the month; since it is not an asterisk, a match of either day field is enough",
            "month */3: in January, April, July and October",
            "day of week 1: on Monday",
        ]
    );
    let texts = |text| -> Vec<String> {
        let fields = schedule(text, Dialect::V3_0).describe().fields;
        fields.into_iter().map(|field| field.text).collect()
    };
    assert_eq!(texts("@weekly"), ["0", "0", "*", "*", "0"]);
    let in_utc = texts("TZ=UTC 5\u{a0}4 * *  mon ");
    assert_eq!(in_utc, ["5", "4", "*", "*", "mon"]);
    assert!(texts("@every 1h").is_empty());
}

#[test]
fn the_rule_of_days() {
    let rule = |text, dialect| schedule(text, dialect).describe().days;
    let days = vec![1, 21];
    let weekdays = vec![Weekday::Friday];
    let of_month = DayRule::DayOfMonth { days: days.clone() };
    assert_eq!(rule("0 0 1,21 * *", Dialect::V3_0), of_month);
    let of_week = DayRule::DayOfWeek {
        weekdays: weekdays.clone(),
    };
    assert_eq!(rule("0 0 * * 5", Dialect::V3_0), of_week);
    let either = rule("0 0 */20 * 5", Dialect::V3_0);
    assert!(
        matches!(&either, DayRule::Either { days: d, weekdays: w } if (d, w) == (&days, &weekdays))
    );
    let both = rule("0 0 */20 * 5", Dialect::V1_1);
    assert_eq!(both, DayRule::Both { days, weekdays });
    assert_eq!(rule("0 0 * * *", Dialect::V3_0), DayRule::Any);
}

fn examples(text: &str, dialect: Dialect, count: usize) -> Vec<String> {
    let examples = schedule(text, dialect).day_examples(date(2026, 3, 1), count);
    examples.iter().map(ToString::to_string).collect()
}

#[test]
fn dates_with_their_reasons() {
    assert_eq!(
        examples("0 0 13 * 5", Dialect::V3_0, 5),
        [
            "Fri 2026-03-06 (a Friday)",
            "Fri 2026-03-13 (both)",
            "Fri 2026-03-20 (a Friday)",
            "Fri 2026-03-27 (a Friday)",
            "Mon 2026-04-13 (day 13)",
        ]
    );
    // All reasons do not fit: the ones that a reader of AND does not expect are shown.
    assert_eq!(
        examples("0 0 13 * 5", Dialect::V3_0, 2),
        ["Fri 2026-03-06 (a Friday)", "Mon 2026-04-13 (day 13)"]
    );
    assert_eq!(
        examples("0 0 */2 * 1", Dialect::V1_1, 2),
        ["Mon 2026-03-09 (both)", "Mon 2026-03-23 (both)"]
    );
    assert!(examples("0 0 13 * *", Dialect::V3_0, 2).is_empty());
    assert!(examples("@every 1h", Dialect::V3_0, 2).is_empty());
}

#[test]
fn a_meaning_that_changed() {
    let ask = |text: &str, after: &str| {
        means_something_else_before_1_22(text, after.parse().unwrap())
            .map(|difference| (difference.at.to_string(), difference.runs_since))
    };
    let at = |time: &str| Some((time.to_owned(), true));
    // 1 January 2026 is a Thursday, the 5th the first Monday.
    let [midnight, first, third] =
        ["01T00", "01T06", "03T06"].map(|time| format!("2026-01-{time}:00:00Z"));
    assert_eq!(ask("0 6 */2 * 1", &midnight), at(&first));
    assert_eq!(ask("0 6 */2 * 1", &first), at(&third));
    assert_eq!(ask("0 6 13 * */2", &first), at(&third));
    for same in [
        "0 6 */2 * *",
        "0 6 * * */2",
        "0 6 13 * 5",
        "@daily",
        "@every 1h",
        "0 6 */1 * 1",
    ] {
        assert_eq!(ask(same, &midnight), None, "{same}");
    }
    let with_zone = ask("TZ=UTC 0 6 */2 * 1", &midnight);
    assert_eq!(with_zone, None, "refused before");
    assert_eq!(ask("nonsense", &midnight), None);
}
