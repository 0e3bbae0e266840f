//! Descriptions, periods, surprises and reasons for schedules that never run, each compared with a
//! brute force that does not share their code: it only asks for one run after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::support::expressions;
use crate::support::moments::{at as moment, cpu_time, second};
use crate::support::random::Random;
use crate::support::zones;
use jiff::tz::Offset;
use jiff::{Timestamp, civil};
use kube_cron::{
    BundledZones, DayRule, Dialect, OffsetChange, Period, Rhythm, Schedule, Surprise, SurpriseKind,
    Timetable, Zone, Zones, means_something_else_before_1_22,
};

const DAY: i64 = 86_400;
/// How far beyond the end both sides search.
const TAIL: i64 = 40 * DAY;
const YEAR: i64 = 365 * DAY + DAY / 4;

const SEED: u64 = 20_261_121;

/// A random schedule that its dialect accepts, with its text.
fn schedule(random: &mut Random) -> (String, Dialect, Schedule) {
    loop {
        let text = expressions::expression(random);
        let dialect = *random.pick(&[Dialect::V1_1, Dialect::V3_0, Dialect::V3_0]);
        if let Ok(schedule) = Schedule::parse(&text, dialect, &BundledZones) {
            return (text, dialect, schedule);
        }
    }
}

#[test]
fn descriptions_equal_the_enumeration() {
    let mut random = Random::seeded(SEED);
    let zones = zones::bundled();
    for _ in 0..20_000 {
        let (text, dialect, schedule) = schedule(&mut random);
        let message = format!("{text:?} in {dialect:?}");
        let described = schedule.describe();
        assert!(!described.sentence.is_empty(), "{message}");
        assert!(
            !described.sentence.contains("  "),
            "{message}: {described:?}"
        );
        let fields = if text.starts_with("@every") { 0 } else { 5 };
        assert_eq!(described.fields.len(), fields, "{message}");
        let mut fields = described.fields.iter();
        assert!(fields.all(|field| !field.meaning.is_empty()), "{message}");

        let (from, until) = ("1960-01-01T00:00:00Z", "2150-01-01T00:00:00Z");
        let after = moment(random.between(second(from), second(until)));
        let timetable = schedule.in_zone(random.pick(&zones));
        let next = timetable.next(after);
        let why = timetable.why_never(after);
        let runs = matches!(next, Ok(Some(_)));
        assert_eq!(why.is_none(), runs, "{message} {next:?} {why:?}");
        assert!(
            why.is_none_or(|why| !why.to_string().is_empty()),
            "{message}"
        );
        if described.sentence.starts_with("never") {
            assert_ne!(next.map(|next| next.is_some()), Ok(true), "{message}");
        }
        day_examples(&mut random, &schedule, &message);
        difference(&text, after);
    }
}

/// The day examples are the days of runs in UTC.
fn day_examples(random: &mut Random, schedule: &Schedule, message: &str) {
    let utc = schedule.in_zone(&Zone::utc());
    let from = civil::date(i16::try_from(random.between(1990, 2080)).unwrap(), 2, 17);
    let count = random.below(6);
    let examples = schedule.day_examples(from, count);
    let rule = schedule.describe().days;
    let combined = matches!(rule, DayRule::Either { .. } | DayRule::Both { .. });
    assert!(examples.is_empty() || combined, "{message}");
    assert!(
        examples.len() <= count && examples.is_sorted_by_key(|example| example.date),
        "{message}"
    );
    for example in examples {
        let midnight = example.date.at(0, 0, 0, 0);
        let midnight = Offset::UTC.to_timestamp(midnight).unwrap();
        let day = moment(midnight.as_second() - 1);
        if let Ok(Some(run)) = utc.next(day) {
            assert_eq!(
                Offset::UTC.to_datetime(run).date(),
                example.date,
                "{message}"
            );
        }
    }
}

fn difference(text: &str, after: Timestamp) {
    let in_utc = |dialect| {
        let read = Schedule::parse(text, dialect, &BundledZones).ok();
        read.map(|read| read.in_zone(&Zone::utc()))
    };
    let Some((old, new)) = in_utc(Dialect::V1_1).zip(in_utc(Dialect::V3_0)) else {
        return;
    };
    let found = means_something_else_before_1_22(text, after);
    let mut both = old.after(after).zip(new.after(after)).take(300);
    let brute = both.find(|(old, new)| old != new);
    let message = format!("{text:?} after {after}");
    match (found, brute) {
        (Some(found), Some((old, new))) => {
            let (old, new) = (old.unwrap(), new.unwrap());
            assert_eq!(found.at, old.min(new), "{message}");
            assert_eq!(found.runs_since, new < old, "{message}");
        }
        (Some(found), None) => {
            let [old, new] = [old, new].map(|one| one.is_scheduled(found.at));
            assert_ne!(old, new, "{message}");
        }
        (None, brute) => assert_eq!(brute, None, "{message}"),
    }
}

/// Schedules of each rhythm, without any run, and for leap days, 27 of which are on weekends in 400 years.
const PERIODS: &str = "* * * * *|*/15 * * * *|5/15 * * * *|0 */6 * * *|@daily|@weekly|@every 90s|*/40 * * * *|\
    0 9-17 * * 1-5|0 0 1 * *|0 0 31 * *|0 0 */2 * *|@yearly|0 0 29 2 *|*/45 * * * *|0 8,14 * * *|0 3 * * 1,4|\
    0,10,20,40 * * * *|0 9-10 * * 1-5|*/7 * * * *|, * * * *|0 , * * *|0 0 , * *|0 0 31 2 *|0 0 * , *";
const WITH_SECONDS: &str = "0 2 * * *|0 0 2 * * *|*/15 * * * * *|0,40 0 2 * * *";

#[test]
fn period_equals_the_enumeration_of_400_years() {
    let fixed = [
        (PERIODS, Dialect::V3_0),
        (WITH_SECONDS, Dialect::V1_2Seconds),
        ("0 0 29 2 */6", Dialect::V1_1),
    ];
    let fixed = fixed.into_iter().flat_map(|(texts, dialect)| {
        texts.split('|').map(move |text| {
            let schedule = Schedule::parse(text, dialect, &BundledZones).unwrap();
            (text.to_owned(), dialect, schedule)
        })
    });
    let mut random = Random::seeded(SEED);
    let others = std::iter::repeat_with(|| schedule(&mut random)).take(150);
    for (text, dialect, schedule) in fixed.chain(others) {
        let brute = if text.starts_with("@every") {
            every(&schedule)
        } else {
            enumerated(&schedule)
        };
        assert_eq!(schedule.period(), brute, "{text:?} in {dialect:?}");
    }
}

fn every(schedule: &Schedule) -> Option<Period> {
    let utc = schedule.in_zone(&Zone::utc());
    let delay = utc.next(moment(0)).unwrap()?.as_second();
    Some(Period {
        shortest: delay,
        longest: delay,
        typical: delay,
        rhythm: Rhythm::Even,
    })
}

/// The times of one day one by one, then the first of each day, through 400 years.
fn enumerated(schedule: &Schedule) -> Option<Period> {
    let utc = schedule.in_zone(&Zone::utc());
    let [begin, end] = ["2000-01-01T00:00:00Z", "2400-01-01T00:00:00Z"].map(second);
    let mut days = Vec::new();
    let mut at = begin - 1;
    while at < end {
        match utc.next(moment(at)).unwrap() {
            Some(run) if run.as_second() >= end => break,
            Some(run) => {
                days.push(run.as_second().div_euclid(DAY));
                at = run.as_second().div_euclid(DAY) * DAY + DAY - 1;
            }
            // Nothing within five years, but maybe later.
            None => at += 4 * YEAR,
        }
    }
    let first_day = *days.first()? * DAY;
    let times: Vec<i64> = utc
        .after(moment(first_day - 1))
        .map(|run| run.unwrap().as_second() - first_day)
        .take_while(|time| *time < DAY)
        .collect();
    let mut distances: BTreeMap<i64, u64> = BTreeMap::new();
    for pair in times.windows(2) {
        *distances.entry(pair[1] - pair[0]).or_default() += days.len() as u64;
    }
    let spread = times.last().unwrap() - times.first().unwrap();
    days.push(days[0] + (end - begin) / DAY);
    for pair in days.windows(2) {
        *distances
            .entry((pair[1] - pair[0]) * DAY - spread)
            .or_default() += 1;
    }
    let most = *distances.values().max().unwrap();
    let (typical, _) = distances.iter().find(|(_, times)| **times == most)?;
    let (shortest, longest) = (*distances.keys().next()?, *distances.keys().last()?);
    Some(Period {
        shortest,
        longest,
        typical: *typical,
        rhythm: rhythm(&distances, &times, &days),
    })
}

/// Derived from one run after the other: those of each day, up to that of the next.
fn rhythm(distances: &BTreeMap<i64, u64>, times: &[i64], days: &[i64]) -> Rhythm {
    let all: u64 = distances.values().sum();
    let most = *distances.values().max().unwrap();
    let moments: Vec<i64> = days
        .iter()
        .flat_map(|day| times.iter().map(move |time| day * DAY + time))
        .take(20_000)
        .collect();
    let gaps: Vec<i64> = moments.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mut pairs = gaps.windows(2);
    match distances.len() {
        1 => Rhythm::Even,
        _ if most * 2 > all => Rhythm::Mostly,
        2 if pairs.all(|pair| pair[0] != pair[1]) => Rhythm::Alternating {
            first: gaps[0],
            second: gaps[1],
        },
        _ => Rhythm::Mixed,
    }
}

#[test]
fn clock_surprises_equal_the_enumeration_of_all_clock_changes() {
    let mut random = Random::seeded(SEED);
    let zones = zones::bundled();
    let mut seen: BTreeMap<SurpriseKind, usize> = BTreeMap::new();
    for _ in 0..170 {
        let (text, dialect, schedule) = schedule(&mut random);
        let zone = random.pick(&zones);
        let timetable = schedule.in_zone(zone);
        let [low, high] = ["1972-01-01T00:00:00Z", "2030-01-01T00:00:00Z"].map(second);
        let from = random.between(low, high);
        let dense = timetable.count(moment(from), moment(from + YEAR));
        let dense = dense.map_or(0, |runs| runs.count);
        // Sparse schedules over many years, dense ones over one.
        if text.contains("@every") {
            assert_eq!(timetable.surprises(moment(0), moment(from)), [], "{text:?}");
            continue;
        }
        if dense > 40_000 && !random.one_in(20) {
            continue;
        }
        let (lead, span) = match dense {
            0..=500 => (6 * YEAR, 12 * YEAR),
            // Long enough to begin with a run, even of a schedule for one month of the year.
            501..=90_000 => (2 * YEAR, YEAR),
            _ => (40 * DAY, YEAR),
        };
        let message = format!(
            "{text:?} ({dialect:?}) in {} from {} for {span}",
            zone.name(),
            moment(from)
        );
        compare(
            &schedule,
            &timetable,
            zone,
            from - lead,
            from,
            from + span,
            &message,
            &mut seen,
        );
    }
    eprintln!("{seen:?}");
    assert!(seen.len() > 1, "too little occurred: {seen:?}");
}

#[allow(clippy::too_many_arguments)]
fn compare(
    schedule: &Schedule,
    timetable: &Timetable,
    zone: &Zone,
    begin: i64,
    from: i64,
    until: i64,
    message: &str,
    seen: &mut BTreeMap<SurpriseKind, usize>,
) {
    // What is reported from `from` on may be caused by an earlier change.
    let ours = timetable.surprises(moment(begin), moment(until));
    let changes = zone.changes(moment(begin), moment(until));
    let Some(first_change) = changes.iter().find(|change| change.at >= moment(from)) else {
        return;
    };
    let wall = |at: Timestamp| zone.time_zone().to_datetime(at);
    // The sequence of runs from well before, up to an answer that ends it.
    let mut runs = Vec::new();
    for run in timetable.after(moment(begin)) {
        let Ok(run) = run else { break };
        // Upstream's answer may be the very time that was asked about; then it never advances.
        if runs.last().is_some_and(|last| run <= *last) {
            break;
        }
        runs.push(run);
        if run.as_second() > until + TAIL {
            break;
        }
    }
    let Some((first, last)) = runs.first().zip(runs.last()) else {
        return;
    };
    // Differences are compared from the first change on, and as far as both sides have runs.
    let low = wall_low(first_change).max(wall(*first));
    let high = wall(moment(until)).min(wall(*last));
    let within = |time: &civil::DateTime| low <= *time && *time <= high;

    let mut actual: BTreeMap<civil::DateTime, usize> = BTreeMap::new();
    for time in runs.iter().map(|run| wall(*run)) {
        *actual.entry(time).or_default() += 1;
    }
    let promised = promised(schedule, begin, until + TAIL);
    let pace = Pace::of(&promised, schedule);
    let mut theirs: BTreeMap<(SurpriseKind, civil::Date), BTreeSet<civil::DateTime>> =
        BTreeMap::new();
    let mut add = |kind, time: civil::DateTime| {
        theirs.entry((kind, time.date())).or_default().insert(time);
    };
    let paced = |time: &civil::DateTime| changes.iter().any(|change| pace.is_kept(change, *time));
    for time in promised.iter().filter(|time| within(time) && !paced(time)) {
        match actual.get(time) {
            None => add(SurpriseKind::Lost, *time),
            Some(1) => {}
            Some(_) => add(SurpriseKind::Doubled, *time),
        }
    }
    for time in actual
        .keys()
        .filter(|time| within(time) && !promised.contains(time))
    {
        add(SurpriseKind::Additional, *time);
    }

    let mut counted: BTreeMap<(SurpriseKind, civil::Date), (usize, BTreeSet<civil::DateTime>)> =
        BTreeMap::new();
    for surprise in &ours {
        assert!(changes.contains(&surprise.change), "{message}");
        let listed = surprise.count.min(Surprise::LISTED);
        assert_eq!(listed, surprise.local_times.len(), "{message}");
        let entry = counted.entry((surprise.kind, surprise.date)).or_default();
        entry.0 += surprise.count;
        entry.1.extend(surprise.local_times.iter().copied());
    }
    for (key, times) in &theirs {
        // The day on which the runs of the other side end is not compared.
        if key.1 >= high.date() || key.1 <= low.date() && low != wall_low(first_change) {
            continue;
        }
        let (count, listed) = counted.remove(key).unwrap_or_default();
        let message = format!("{message} {key:?}: {listed:?} but {times:?}");
        assert_eq!(count, times.len(), "{message}");
        assert!(listed.is_subset(times), "{message}");
        *seen.entry(key.0).or_default() += 1;
    }
    counted.retain(|(_, date), _| *date < high.date() && *date > low.date());
    assert!(counted.is_empty(), "{message}: only ours {counted:?}");
}

/// What a clock with this offset shows at a change.
fn wall_at(change: &OffsetChange, offset: i64) -> civil::DateTime {
    let offset = Offset::from_seconds(i32::try_from(offset).unwrap());
    offset.unwrap().to_datetime(change.at)
}

fn wall_low(change: &OffsetChange) -> civil::DateTime {
    wall_at(change, change.before.min(change.after))
}

/// The local times of the fields are the runs in UTC, which has no clock changes.
fn promised(schedule: &Schedule, from: i64, until: i64) -> BTreeSet<civil::DateTime> {
    let utc = schedule.in_zone(&Zone::utc());
    let mut promised = BTreeSet::new();
    let mut at = from - 2 * DAY;
    while at < until {
        match utc.next(moment(at)).unwrap() {
            Some(run) => {
                promised.insert(Offset::UTC.to_datetime(run));
                at = run.as_second();
            }
            None => at += 4 * YEAR,
        }
    }
    promised
}

/// Whether a schedule keeps its pace across a change.
struct Pace {
    every_hour: bool,
    every_day: bool,
    minutes: BTreeSet<i64>,
}

impl Pace {
    fn of(promised: &BTreeSet<civil::DateTime>, schedule: &Schedule) -> Self {
        let hours: BTreeSet<i8> = promised.iter().map(|time| time.hour()).collect();
        let period = schedule.period();
        Pace {
            every_hour: hours.len() == 24,
            every_day: period.is_some_and(|period| period.longest < DAY),
            minutes: promised.iter().map(|time| time.minute().into()).collect(),
        }
    }

    fn is_kept(&self, change: &OffsetChange, time: civil::DateTime) -> bool {
        let (low, high) = (
            change.before.min(change.after),
            change.before.max(change.after),
        );
        let at = |offset| wall_at(change, offset);
        let shift = high - low;
        let same_minutes = shift % 60 == 0
            && self
                .minutes
                .iter()
                .all(|minute| self.minutes.contains(&((minute + shift / 60) % 60)));
        self.every_hour
            && same_minutes
            && (self.every_day || shift < DAY / 2)
            && at(low) <= time
            && time < at(high)
    }
}

/// The time for the surprises of a minutely schedule through a century is bounded, too.
#[test]
fn surprises_are_found_fast() {
    let mut slowest = Duration::ZERO;
    for zone in [
        "America/New_York",
        "Asia/Beirut",
        "Africa/Cairo",
        "Africa/Casablanca",
        "Australia/Lord_Howe",
    ] {
        let zone = BundledZones.load(zone).unwrap();
        for text in ["* * * * *", "* 0-22 * * *", "*/7 * * * 1-5", "0 0 1 1 *"] {
            let timetable = Schedule::parse(text, Dialect::V3_0, &BundledZones)
                .unwrap()
                .in_zone(&zone);
            let began = cpu_time();
            let century = ["2000-01-01T00:00:00Z", "2100-01-01T00:00:00Z"];
            let [from, until] = century.map(|time| moment(second(time)));
            timetable.surprises(from, until);
            slowest = slowest.max(cpu_time().saturating_sub(began));
        }
    }
    eprintln!("slowest century: {slowest:?}");
    assert!(slowest.as_secs() < 5, "{slowest:?}");
}
