//! Time zones.

use std::collections::BTreeMap;

use crate::controller::ZonePrefix;
use crate::lint::api_server::zone_prefix;
use crate::lint::{Context, CronJobViolation, LintSubject, LintedCronJob, Violation};
use crate::schedule::{FieldName, Schedule, current_zone_name, load_location};

pub(super) fn time_zone_in_schedule(subject: &LintSubject<'_>) -> Vec<Violation> {
    let written = subject.str("spec.schedule").unwrap_or_default();
    // If it is rejected or is not a valid schedule, the API server reports that itself.
    let behavior = subject.behavior();
    let twice = behavior.time_zone_field && subject.get("spec.timeZone").is_some();
    let accepted = behavior.zone_prefix == ZonePrefix::Accepted && !twice;
    if !accepted || !written.contains("TZ=") || subject.schedule().is_none() {
        return Vec::new();
    }
    let message = format!(
        "Kubernetes {} accepts TZ= without supporting it, and 1.29 rejects it in new objects",
        subject.context.release
    );
    vec![
        subject
            .found("spec.schedule", message)
            .fix(zone_prefix(subject)),
    ]
}

pub(super) fn time_zone_alias(subject: &LintSubject<'_>) -> Vec<Violation> {
    let zone = subject.str("spec.timeZone").unwrap_or_default();
    let Some(today) = current_zone_name(zone).filter(|_| subject.behavior().time_zone_field) else {
        return Vec::new();
    };
    if load_location(today, subject.context.zones).is_err() {
        return Vec::new();
    }
    let message = format!("{zone} is an old name of {today}");
    let fix = subject.replace("spec.timeZone", today);
    vec![subject.found("spec.timeZone", message).fix(fix)]
}

/// The abbreviation, a zone with the same fixed offset, and the zone that is often intended.
const ABBREVIATIONS: [(&str, &str, &str); 2] = [
    ("EST", "America/Panama", "America/New_York"),
    ("MST", "America/Phoenix", "America/Denver"),
];

pub(super) fn time_zone_abbreviation(subject: &LintSubject<'_>) -> Vec<Violation> {
    let zone = subject.str("spec.timeZone").unwrap_or_default();
    let known = ABBREVIATIONS.iter().find(|(name, ..)| *name == zone);
    let Some((name, fixed, changing)) = known.filter(|_| subject.behavior().time_zone_field) else {
        return Vec::new();
    };
    let message = format!("{name} has no daylight saving time, unlike {changing}");
    let help = format!("Use {changing}, or {fixed} if you do not want daylight saving time.");
    vec![subject.found("spec.timeZone", message).help(help)]
}

pub(super) fn time_zone_sign(subject: &LintSubject<'_>) -> Vec<Violation> {
    let zone = subject.str("spec.timeZone").unwrap_or_default();
    let Some(offset) = zone.strip_prefix("Etc/GMT") else {
        return Vec::new();
    };
    let hours: Option<i64> = offset.parse().ok().filter(|hours| *hours != 0);
    let Some(hours) = hours.filter(|_| subject.behavior().time_zone_field) else {
        return Vec::new();
    };
    let (side, sign) = if hours > 0 {
        ("behind", '-')
    } else {
        ("ahead of", '+')
    };
    let hours = hours.abs();
    let message = format!(
        "{zone} is UTC{sign}{hours:02}:00, {} {side} UTC",
        crate::words::counted(hours.unsigned_abs(), "hour")
    );
    vec![subject.found("spec.timeZone", message)]
}

pub(super) fn time_zone_ignored(subject: &LintSubject<'_>) -> Vec<Violation> {
    let zone = subject.str("spec.timeZone").unwrap_or_default();
    let is_utc = matches!(zone, "" | "UTC" | "Etc/UTC");
    if is_utc || subject.behavior().time_zone_field {
        return Vec::new();
    }
    let message = format!(
        "Kubernetes {} ignores this field by default",
        subject.context.release
    );
    vec![subject.found("spec.timeZone", message)]
}

pub(super) fn time_zone_unset(
    cron_jobs: &[LintedCronJob],
    context: &Context<'_>,
) -> Vec<CronJobViolation> {
    if !context.release.behavior().time_zone_field {
        return Vec::new();
    }
    // Only schedules with times of day, by namespace: those with a zone and those without.
    let mut namespaces: BTreeMap<Option<&str>, (Vec<&str>, Vec<usize>)> = BTreeMap::new();
    for (index, cron_job) in cron_jobs.iter().enumerate() {
        let Some((schedule, _)) = &cron_job.schedule else {
            continue;
        };
        let namespace = cron_job.object.namespace.as_deref();
        let zone = cron_job.time_zone.as_deref();
        if !has_times_of_day(schedule, context) {
            continue;
        }
        let (zones, without) = namespaces.entry(namespace).or_default();
        match zone {
            Some(zone) => zones.push(zone),
            None => without.push(index),
        }
    }
    let mut violations = Vec::new();
    for (zones, without) in namespaces.into_values() {
        let local = zones.iter().filter(|zone| !is_utc(zone)).count();
        // One or two are not a convention.
        if local < 2 || local <= without.len() {
            continue;
        }
        let zone = most_frequent(&zones);
        let violation_of = |index: &usize| violation_of(cron_jobs, *index, zone, local);
        violations.extend(without.iter().filter_map(violation_of));
    }
    violations
}

fn is_utc(zone: &str) -> bool {
    matches!(zone, "UTC" | "Etc/UTC" | "GMT" | "Etc/GMT")
}

/// Whether the schedule has times of day: if it runs every hour, the zone hardly matters.
fn has_times_of_day(schedule: &str, context: &Context<'_>) -> bool {
    let dialect = context.release.behavior().dialect;
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

fn violation_of(
    cron_jobs: &[LintedCronJob],
    of: usize,
    zone: &str,
    local: usize,
) -> Option<CronJobViolation> {
    let (_, location) = cron_jobs.get(of)?.schedule.as_ref()?;
    let message = format!(
        "no spec.timeZone, which usually means UTC; {local} other CronJobs here set one, such as {zone}"
    );
    Some(CronJobViolation {
        of,
        found: Violation::new("spec.schedule", location.place, message),
    })
}

#[cfg(test)]
mod tests {
    use super::ABBREVIATIONS;
    use crate::lint::testing::{fixed, found, spec};
    use crate::schedule::{BundledZones, Zones};

    #[test]
    fn time_zone_in_schedule_only_where_it_is_taken() {
        let text = spec("schedule: TZ=Europe/Berlin 0 9 * * *");
        let message = "7:13 Kubernetes 1.28 accepts TZ= without supporting it, and 1.29 rejects it in new objects (1.22 to 1.28)";
        assert_eq!(
            found("time-zone-in-schedule", "1.20-1.31", &text),
            [message]
        );
    }

    #[test]
    fn time_zone_in_schedule_the_zone_moves_to_its_field() {
        let text = spec("schedule: \"CRON_TZ=Europe/Berlin */5 9 * * *\"");
        let expected = text.replace("CRON_TZ=Europe/Berlin ", "").replace(
            "report:1.4.2\n",
            "report:1.4.2\n  timeZone: Europe/Berlin\n",
        );
        assert_eq!(
            fixed("time-zone-in-schedule", "1.28", &text),
            Some(expected)
        );
        let plain = spec("schedule: TZ=UTC */5 9 * * *");
        let moved = fixed("time-zone-in-schedule", "1.28", &plain).unwrap();
        assert!(
            moved.contains("  schedule: '*/5 9 * * *'\n") && moved.ends_with("  timeZone: UTC\n")
        );
    }

    #[test]
    fn time_zone_in_schedule_what_is_not_certain_is_left() {
        let berlin = spec("schedule: TZ=Europe/Berlin 0 9 * * *");
        assert_eq!(
            fixed("time-zone-in-schedule", "1.23", &berlin),
            None,
            "no timeZone yet"
        );
        let both = spec("schedule: TZ=UTC 0 9 * * *\ntimeZone: Etc/UTC");
        assert!(
            found("time-zone-in-schedule", "1.28", &both).is_empty(),
            "refused"
        );
        for odd in ["TZ=Local 0 9 * * *", "TZ= 0 9 * * *"] {
            let text = spec(&format!("schedule: {odd}"));
            assert_eq!(
                found("time-zone-in-schedule", "1.28", &text).len(),
                1,
                "{odd}"
            );
            assert_eq!(fixed("time-zone-in-schedule", "1.28", &text), None, "{odd}");
        }
    }

    #[test]
    fn time_zone_alias_the_name_of_today() {
        let text = spec("schedule: 0 9 * * *\ntimeZone: US/Eastern");
        let message = "8:13 US/Eastern is an old name of America/New_York";
        assert_eq!(found("time-zone-alias", "1.36", &text), [message]);
        let expected = text.replace("US/Eastern", "America/New_York");
        assert_eq!(fixed("time-zone-alias", "1.36", &text), Some(expected));
        assert!(
            found("time-zone-alias", "1.24", &text).is_empty(),
            "not read there"
        );
    }

    #[test]
    fn time_zone_alias_zones_that_are_like_others_are_no_old_names() {
        for sound in ["Europe/Oslo", "UTC", "Etc/UTC", "GMT", "CET", "us/eastern"] {
            let text = spec(&format!("schedule: 0 9 * * *\ntimeZone: {sound}"));
            assert!(
                found("time-zone-alias", "1.36", &text).is_empty(),
                "{sound}"
            );
        }
    }

    #[test]
    fn time_zone_abbreviation_abbreviations_are_not_what_they_seem() {
        let in_zone = |zone: &str| {
            let text = spec(&format!("schedule: 0 9 * * *\ntimeZone: {zone}"));
            found("time-zone-abbreviation", "1.36", &text)
        };
        let message = "8:13 EST has no daylight saving time, unlike America/New_York";
        assert_eq!(in_zone("EST"), [message]);
        assert!(in_zone("America/New_York").is_empty());
        // These change their clocks, and Hawaii does not.
        assert!(in_zone("EST5EDT").is_empty() && in_zone("HST").is_empty());
    }

    #[test]
    fn time_zone_abbreviation_the_table_is_true() {
        let now = "2026-11-21T08:00:00Z".parse().unwrap();
        let year = "2027-11-21T08:00:00Z".parse().unwrap();
        let changes = |name: &str| BundledZones.load(name).unwrap().changes(now, year).len();
        for (name, fixed, changing) in ABBREVIATIONS {
            assert_eq!(
                (changes(name), changes(fixed), changes(changing)),
                (0, 0, 2),
                "{name}"
            );
        }
    }

    #[test]
    fn time_zone_sign_signs_are_turned_round() {
        let in_zone = |zone: &str| {
            let text = spec(&format!("schedule: 0 9 * * *\ntimeZone: {zone}"));
            found("time-zone-sign", "1.36", &text)
        };
        assert_eq!(
            in_zone("Etc/GMT+2"),
            ["8:13 Etc/GMT+2 is UTC-02:00, 2 hours behind UTC"]
        );
        assert_eq!(
            in_zone("Etc/GMT-1"),
            ["8:13 Etc/GMT-1 is UTC+01:00, 1 hour ahead of UTC"]
        );
        assert!(in_zone("Etc/GMT").is_empty() && in_zone("Etc/GMT+0").is_empty());
    }

    #[test]
    fn time_zone_ignored_up_to_1_24() {
        let text = spec("schedule: 0 9 * * *\ntimeZone: Europe/Berlin");
        let message = "8:13 Kubernetes 1.24 ignores this field by default (1.23 to 1.24)";
        assert_eq!(found("time-zone-ignored", "1.23-1.27", &text), [message]);
        // That is what it comes to without it.
        let text = spec("schedule: 0 9 * * *\ntimeZone: Etc/UTC");
        assert!(found("time-zone-ignored", "1.24", &text).is_empty());
    }

    fn messages(specs: &[&str]) -> Vec<String> {
        let all: Vec<String> = specs.iter().map(|lines| spec(lines)).collect();
        found("time-zone-unset", "1.36", &all.join("---\n"))
    }

    const BERLIN: &str = "schedule: 0 9 * * *\ntimeZone: Europe/Berlin";
    const UTC: &str = "schedule: 0 9 * * *\ntimeZone: Etc/UTC";
    const NONE: &str = "schedule: 0 8 * * *";

    #[test]
    fn time_zone_unset_the_odd_one_out() {
        let message = "41:13 no spec.timeZone, which usually means UTC; 2 other CronJobs here set one, such as Europe/Berlin";
        assert_eq!(messages(&[BERLIN, BERLIN, NONE]), [message]);
    }

    #[test]
    fn time_zone_unset_no_custom_no_word() {
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
