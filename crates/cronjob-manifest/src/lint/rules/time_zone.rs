//! Time zones.

use std::collections::BTreeMap;

use crate::lint::api_server::zone_prefix;
use crate::lint::{Context, CronJobViolation, LintSubject, LintedCronJob, POD, Violation};
use cronjob_controller::controller::ZonePrefix;
use kube_cron::{FieldName, Schedule, current_zone_name, load_location};
use located_yaml::Node;

pub(super) fn time_zone_in_schedule(subject: &LintSubject<'_>) -> Option<Violation> {
    let written = subject.str("spec.schedule").unwrap_or_default();
    // If it is rejected or is not a valid schedule, the API server reports that itself.
    let behavior = subject.behavior();
    let twice = behavior.time_zone_field && subject.get("spec.timeZone").is_some();
    let accepted = behavior.zone_prefix == ZonePrefix::Accepted && !twice;
    if !accepted || !written.contains("TZ=") || subject.schedule().is_none() {
        return None;
    }
    let message = format!(
        "Kubernetes {} accepts TZ= without supporting it, and 1.29 rejects it in new objects",
        subject.context.release
    );
    let found = subject.found("spec.schedule", message);
    Some(found.fix(zone_prefix(subject)))
}

pub(super) fn time_zone_alias(subject: &LintSubject<'_>) -> Option<Violation> {
    let zone = subject.str("spec.timeZone").unwrap_or_default();
    let today = current_zone_name(zone).filter(|_| subject.behavior().time_zone_field)?;
    if load_location(today, subject.context.zones).is_err() {
        return None;
    }
    let message = format!("{zone} is an old name of {today}");
    let fix = subject.replace("spec.timeZone", today);
    Some(subject.found("spec.timeZone", message).fix(fix))
}

/// The abbreviation, a zone with the same fixed offset, and the zone that is often intended.
const ABBREVIATIONS: [(&str, &str, &str); 2] = [
    ("EST", "America/Panama", "America/New_York"),
    ("MST", "America/Phoenix", "America/Denver"),
];

pub(super) fn time_zone_abbreviation(subject: &LintSubject<'_>) -> Option<Violation> {
    let zone = subject.str("spec.timeZone").unwrap_or_default();
    let known = ABBREVIATIONS.iter().find(|(name, ..)| *name == zone);
    let (name, fixed, changing) = known.filter(|_| subject.behavior().time_zone_field)?;
    let message = format!("{name} has no daylight saving time, unlike {changing}");
    let help = format!("Use {changing}, or {fixed} if you do not want daylight saving time.");
    Some(subject.found("spec.timeZone", message).help(help))
}

pub(super) fn time_zone_sign(subject: &LintSubject<'_>) -> Option<Violation> {
    let zone = subject.str("spec.timeZone").unwrap_or_default();
    let offset = zone.strip_prefix("Etc/GMT")?;
    let hours: Option<i64> = offset.parse().ok().filter(|hours| *hours != 0);
    let hours = hours.filter(|_| subject.behavior().time_zone_field)?;
    let (side, sign) = if hours > 0 {
        ("behind", '-')
    } else {
        ("ahead of", '+')
    };
    let hours = hours.abs();
    let message = format!(
        "{zone} is UTC{sign}{hours:02}:00, {} {side} UTC",
        cronjob_text::words::counted(hours.unsigned_abs(), "hour")
    );
    Some(subject.found("spec.timeZone", message))
}

pub(super) fn time_zone_ignored(subject: &LintSubject<'_>) -> Option<Violation> {
    let zone = subject.str("spec.timeZone").unwrap_or_default();
    let is_utc = matches!(zone, "" | "UTC" | "Etc/UTC");
    if is_utc || subject.behavior().time_zone_field {
        return None;
    }
    let release = subject.context.release;
    let message = format!("Kubernetes {release} ignores this field by default");
    Some(subject.found("spec.timeZone", message))
}

pub(super) fn time_zone_only_in_container(subject: &LintSubject<'_>) -> Vec<Violation> {
    let is_set = subject.get("spec.timeZone").is_some() || !subject.behavior().time_zone_field;
    let schedule = subject.schedule().filter(|schedule| has_times(schedule));
    if is_set || schedule.is_none() {
        return Vec::new();
    }
    let list = format!("{POD}.containers");
    let containers = subject.get(&list).and_then(Node::as_sequence);
    let containers = containers.unwrap_or_default().iter().enumerate();
    let found = containers.filter_map(|(index, container)| {
        let variables = container.get("env").and_then(Node::as_sequence)?;
        let text = |variable: &'_ Node, key: &str| variable.get(key).and_then(Node::as_str).map(str::to_owned);
        let (nth, zone) = variables.iter().enumerate().find_map(|(nth, variable)| {
            let is_zone = text(variable, "name").as_deref() == Some("TZ");
            Some((nth, text(variable, "value").filter(|_| is_zone)?))
        })?;
        let differs = !is_utc(&zone) && load_location(&zone, subject.context.zones).is_ok();
        let message = format!(
            "TZ: {zone} does not apply to the schedule, which follows the controller manager's clock, usually UTC"
        );
        let path = format!("{list}[{index}].env[{nth}].value");
        let help = format!("If the schedule is meant in that zone, set spec.timeZone: {zone}.");
        differs.then(|| subject.found(&path, message).help(help))
    });
    found.take(1).collect()
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
    schedule.is_ok_and(|schedule| has_times(&schedule))
}

fn has_times(schedule: &Schedule) -> bool {
    let hours = schedule.allowed(FieldName::Hour).len();
    schedule.own_zone().is_none() && (1..24).contains(&hours)
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
    use kube_cron::{BundledZones, Zones};

    /// The table of abbreviations is true.
    #[test]
    fn abbreviations_have_no_changes_of_the_clock() {
        let now = "2026-11-21T08:00:00Z".parse().unwrap();
        let year = "2027-11-21T08:00:00Z".parse().unwrap();
        let changes = |name: &str| BundledZones.load(name).unwrap().changes(now, year).len();
        for (name, fixed, changing) in super::ABBREVIATIONS {
            let counts = (changes(name), changes(fixed), changes(changing));
            assert_eq!(counts, (0, 0, 2), "{name}");
        }
    }
}
