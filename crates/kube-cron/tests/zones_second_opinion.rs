//! Offsets by jiff against offsets by chrono-tz, which has its own copy of the tz database, its own
//! compiler for it and its own arithmetic; and `Zone::changes` against both.
//!
//! chrono-tz carries an older release. Zones whose past or whose rules changed since are skipped by
//! name, with the reason, and the test fails when a zone is skipped without need.

use crate::support::differences::assert_none;
use crate::support::moments::{at, second};
use crate::support::random::Random;
use chrono::{DateTime, Offset, TimeDelta, TimeZone};
use kube_cron::{BundledZones, Zone, Zones};

/// From 1970 to the end of the time that chrono-tz covers.
const FROM: &str = "1970-01-01T00:00:00Z";
const UNTIL: &str = "2037-06-01T00:00:00Z";

/// The reasons: what the later release says and the earlier one does not.
const MOROCCO: &str = "stays at +00 from 20 September 2026";
const COLOMBIA: &str = "the summer time of 1992 began on 2 May and not on 3 May";
const ALBERTA: &str = "stays at -06 from November 2026, in the north of the Territories too";
const MANITOBA: &str = "stays at -05 from November 2026";
const COLUMBIA: &str = "stays at -07 from November 2026";
const BAJA: &str = "had California's summer time in the seventies";
const IRAN: &str = "the summer time of 1979 began on 26 May and not on 27 May";
const MOLDOVA: &str = "changes its clocks when the European Union does, since 2022";

/// Zones that differ between the two releases, and why.
const CHANGED: [(&str, &str); 20] = [
    ("Africa/Casablanca", MOROCCO),
    ("Africa/El_Aaiun", MOROCCO),
    ("America/Bogota", COLOMBIA),
    ("America/Edmonton", ALBERTA),
    ("America/Ensenada", BAJA),
    ("America/Inuvik", ALBERTA),
    ("America/Rainy_River", MANITOBA),
    ("America/Santa_Isabel", BAJA),
    ("America/Tijuana", BAJA),
    ("America/Vancouver", COLUMBIA),
    ("America/Winnipeg", MANITOBA),
    ("America/Yellowknife", ALBERTA),
    ("Asia/Tehran", IRAN),
    ("Canada/Central", MANITOBA),
    ("Canada/Mountain", ALBERTA),
    ("Canada/Pacific", COLUMBIA),
    ("Europe/Chisinau", MOLDOVA),
    ("Europe/Tiraspol", MOLDOVA),
    ("Iran", IRAN),
    ("Mexico/BajaNorte", BAJA),
];

fn chrono_offset(zone: chrono_tz::Tz, second: i64) -> i64 {
    let moment = DateTime::UNIX_EPOCH.naive_utc() + TimeDelta::seconds(second);
    let offset = zone.offset_from_utc_datetime(&moment).fix();
    i64::from(offset.local_minus_utc())
}

fn jiff_offset(zone: &Zone, second: i64) -> i64 {
    i64::from(zone.time_zone().to_offset(at(second)).seconds())
}

/// The first difference, if there is one.
fn difference(zone: &Zone, theirs: chrono_tz::Tz, random: &mut Random) -> Option<String> {
    let (from, until) = (second(FROM), second(UNTIL));
    let compare = |moment: i64| {
        let (ours, theirs) = (jiff_offset(zone, moment), chrono_offset(theirs, moment));
        (ours != theirs).then(|| format!("{}: {ours} and {theirs}", at(moment)))
    };
    let changes = zone.changes(at(from), at(until));
    let mut offset = jiff_offset(zone, from);
    let mut since = from;
    for change in &changes {
        let moment = change.at.as_second();
        if moment <= since || change.before != offset || change.before == change.after {
            return Some(format!(
                "{change:?} does not follow {offset} since {}",
                at(since)
            ));
        }
        if jiff_offset(zone, moment - 1) != change.before
            || jiff_offset(zone, moment) != change.after
        {
            return Some(format!("{change:?} is not what jiff says"));
        }
        // Nothing happens between two changes.
        for _ in 0..4 {
            let between = random.between(since, moment - 1);
            if chrono_offset(theirs, between) != offset {
                return Some(format!("{}: no change is known", at(between)));
            }
        }
        let mut near = [-1, 0, 1].into_iter();
        if let Some(difference) = near.find_map(|near| compare(moment + near)) {
            return Some(difference);
        }
        (offset, since) = (change.after, moment);
    }
    // All the time between, every ten days or so.
    (from..until).step_by(10 * 86_400).find_map(|moment| {
        let moment = moment + random.between(0, 10 * 86_400 - 1);
        let known = changes.iter().rev().find(|change| change.at <= at(moment));
        let offset = known.map_or(jiff_offset(zone, from), |change| change.after);
        if offset == jiff_offset(zone, moment) {
            compare(moment)
        } else {
            Some(format!("{}: `changes` lacks one", at(moment)))
        }
    })
}

#[test]
fn chrono_tz_knows_the_same_offsets_and_changes() {
    let mut random = Random::new(1970);
    let mut compared = 0;
    let mut failures = Vec::new();
    for name in BundledZones::names() {
        let Ok(theirs) = name.parse::<chrono_tz::Tz>() else {
            continue;
        };
        let zone = BundledZones.load(name).unwrap();
        let difference = difference(&zone, theirs, &mut random);
        let skipped = CHANGED.iter().any(|(changed, _)| *changed == name);
        match difference {
            Some(difference) if !skipped => failures.push(format!("{name}: {difference}")),
            None if skipped => failures.push(format!("{name} is skipped without need")),
            _ => compared += 1,
        }
    }
    let [ours, theirs] = [BundledZones::version(), chrono_tz::IANA_TZDB_VERSION];
    let releases = format!("{ours} and {theirs}");
    println!("{releases}");
    assert_none(&failures);
    assert!(compared > 550, "only {compared} zones, {releases}");
}
