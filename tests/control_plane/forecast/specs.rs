//! Random CronJobs.

use crate::control_plane::prelude::*;
use crate::support::random::Random;

/// Zones whose minutes differ, and by how many minutes they are ahead of UTC.
const ZONES: [(&str, i64); 5] = [
    ("Etc/UTC", 0),
    ("Asia/Kolkata", 330),
    ("Asia/Kathmandu", 345),
    ("Australia/Eucla", 525),
    ("Etc/GMT+5", -300),
];

pub(crate) fn zone(random: &mut Random) -> Value {
    if random.one_in(2) {
        return Value::Null;
    }
    json!(random.pick(&ZONES).0)
}

fn ahead(zone: &Value) -> i64 {
    let mut zones = ZONES.iter();
    zones
        .find(|(name, _)| zone == name)
        .map_or(0, |(_, ahead)| *ahead)
}

/// A schedule in a zone that runs every minute or two, or whose next or last run is near.
pub(crate) fn schedule(random: &mut Random, zone: &Value, now: Timestamp) -> String {
    let minute =
        |from_now: i64| (now.as_second().div_euclid(60) + ahead(zone) + from_now).rem_euclid(60);
    let list = |mut minutes: Vec<i64>| {
        minutes.sort_unstable();
        minutes.dedup();
        let minutes: Vec<String> = minutes.iter().map(i64::to_string).collect();
        format!("{} * * * *", minutes.join(","))
    };
    match random.below(20) {
        0..=4 => "* * * * *".to_owned(),
        5 | 6 => "*/2 * * * *".to_owned(),
        7 | 8 => "1-59/2 * * * *".to_owned(),
        9 => "*/3 * * * *".to_owned(),
        10 => "@every 1m".to_owned(),
        11 => "@every 90s".to_owned(),
        12 => "@every 2m".to_owned(),
        13 => {
            // Near enough to be run while the trial lasts, with a run that was just missed.
            list(vec![minute(-3), minute(2), minute(6)])
        }
        14 => list(vec![
            minute(random.between(-4, -1)),
            minute(random.between(3, 9)),
        ]),
        15 => {
            let hour = (now.as_second().div_euclid(60) + ahead(zone))
                .div_euclid(60)
                .rem_euclid(24);
            format!("* {hour} * * *")
        }
        16 => list(vec![minute(random.between(1, 3))]),
        _ => list((0..60).filter(|_| random.one_in(2)).collect()),
    }
}

pub(crate) fn deadline(random: &mut Random) -> Value {
    const SECONDS: [i64; 8] = [10, 15, 30, 45, 75, 100, 200, 600];
    match random.below(30) {
        0 => json!(0),
        1..=14 => json!(random.pick(&SECONDS)),
        _ => Value::Null,
    }
}

pub(crate) fn policy(random: &mut Random) -> Value {
    json!(random.pick(&["Allow", "Forbid", "Forbid", "Replace"]))
}

/// A spec without its template.
pub(crate) fn spec(random: &mut Random, now: Timestamp) -> Value {
    let zone = zone(random);
    let mut spec = json!({
        "schedule": schedule(random, &zone, now),
        "concurrencyPolicy": policy(random),
        "suspend": random.one_in(8),
    });
    for (field, value) in [
        ("timeZone", zone),
        ("startingDeadlineSeconds", deadline(random)),
    ] {
        if !value.is_null() {
            spec[field] = value;
        }
    }
    spec
}
