use std::collections::BTreeMap;

use crate::lint::{Accusation, Context, Found, Sighting};
use crate::schedule::{FieldName, Schedule};

pub(super) fn check(sightings: &[Sighting], context: &Context<'_>) -> Vec<Accusation> {
    if !context.release.behaviour().time_zone_field {
        return Vec::new();
    }
    // Only what is bound to a time of day, by namespace: those with a zone and those without.
    let mut namespaces: BTreeMap<Option<&str>, (Vec<&str>, Vec<usize>)> = BTreeMap::new();
    for (index, sighting) in sightings.iter().enumerate() {
        let Some((schedule, _)) = &sighting.schedule else {
            continue;
        };
        let namespace = sighting.object.namespace.as_deref();
        let zone = sighting.time_zone.as_deref();
        if !has_times_of_day(schedule, context) {
            continue;
        }
        let (zones, without) = namespaces.entry(namespace).or_default();
        match zone {
            Some(zone) => zones.push(zone),
            None => without.push(index),
        }
    }
    let mut accusations = Vec::new();
    for (zones, without) in namespaces.into_values() {
        let local = zones.iter().filter(|zone| !is_utc(zone)).count();
        // One or two prove no custom.
        if local < 2 || local <= without.len() {
            continue;
        }
        let zone = most_frequent(&zones);
        let accuse = |index: &usize| accuse(sightings, *index, zone, local);
        accusations.extend(without.iter().filter_map(accuse));
    }
    accusations
}

fn is_utc(zone: &str) -> bool {
    matches!(zone, "UTC" | "Etc/UTC" | "GMT" | "Etc/GMT")
}

/// Whether hours are named: what runs in every hour does so on any clock.
fn has_times_of_day(schedule: &str, context: &Context<'_>) -> bool {
    let dialect = context.release.behaviour().dialect;
    let schedule = Schedule::parse(schedule, dialect, context.zones);
    schedule.is_ok_and(|schedule| {
        let hours = schedule.allowed(FieldName::Hour).len();
        schedule.own_zone().is_none() && (1..24).contains(&hours)
    })
}

fn most_frequent<'a>(zones: &[&'a str]) -> &'a str {
    let count = |zone: &&&str| zones.iter().filter(|other| *other == *zone).count();
    let local = zones.iter().filter(|zone| !is_utc(zone));
    local.max_by_key(count).copied().unwrap_or_default()
}

fn accuse(sightings: &[Sighting], of: usize, zone: &str, local: usize) -> Option<Accusation> {
    let (_, spot) = sightings.get(of)?.schedule.as_ref()?;
    let message = format!(
        "no timeZone, so that it runs on UTC as a rule; {local} others here name one, such as {zone}"
    );
    Some(Accusation {
        of,
        found: Found::new("spec.schedule", spot.place, message),
    })
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    fn messages(specs: &[&str]) -> Vec<String> {
        let all: Vec<String> = specs.iter().map(|lines| spec(lines)).collect();
        found("time-zone-unset", "1.36", &all.join("---\n"))
    }

    const BERLIN: &str = "schedule: 0 9 * * *\ntimeZone: Europe/Berlin";
    const UTC: &str = "schedule: 0 9 * * *\ntimeZone: Etc/UTC";
    const NONE: &str = "schedule: 0 8 * * *";

    #[test]
    fn the_odd_one_out() {
        let message = "41:13 no timeZone, so that it runs on UTC as a rule; 2 others here name one, \
                       such as Europe/Berlin";
        assert_eq!(messages(&[BERLIN, BERLIN, NONE]), [message]);
    }

    #[test]
    fn no_custom_no_word() {
        for specs in [
            &[NONE, NONE][..],
            &[BERLIN, NONE],
            &[BERLIN, BERLIN, NONE, NONE],
            &[UTC, UTC, NONE],
            &[BERLIN, BERLIN, "schedule: '*/5 * * * *'"],
            &[BERLIN, BERLIN, "schedule: '@every 24h'"],
        ] {
            assert!(messages(specs).is_empty(), "{specs:?}");
        }
    }
}
