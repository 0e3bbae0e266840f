//! Hints for invalid expressions: what was probably intended.

use strsim::osa_distance;

use super::error::{ParseError, Reason};
use crate::field_name::FieldName;
use crate::zone::{BundledZones, ZoneError};

/// Names further apart than this are different names.
const NEAR: usize = 2;

impl ParseError {
    /// What to write instead, if that can be guessed.
    pub fn hint(&self) -> Option<String> {
        hint(self)
    }
}

fn hint(error: &ParseError) -> Option<String> {
    let own = |hint: &str| Some(hint.to_owned());
    match error.reason() {
        Reason::Empty if error.dialect().traits().seconds_field => {
            own("use six fields, such as '0 0 2 * * *' for every day at 02:00")
        }
        Reason::Empty => own("use five fields, such as '0 2 * * *' for every day at 02:00"),
        Reason::FieldCount { .. } if error.dialect().traits().seconds_field => own(
            "the fields are: second, minute, hour, day of month, month, and optionally day of week",
        ),
        Reason::FieldCount { found }
            if !error.dialect().traits().zone_prefix
                && found.first().is_some_and(|word| word.contains("TZ=")) =>
        {
            own(
                "Kubernetes 1.21 and earlier do not read 'TZ='; use spec.timeZone, which 1.25 and later do",
            )
        }
        Reason::FieldCount { found } => Some(field_count(found)),
        Reason::NotANumber { .. } => not_a_number(error.cited(), error.field()),
        Reason::Negative { .. } => own("a step must be a positive number"),
        Reason::AboveMaximum { end: 7, .. } if error.field() == Some(FieldName::DayOfWeek) => {
            own("use 0 for Sunday, not 7")
        }
        Reason::AboveMaximum { end: 24, .. } if error.field() == Some(FieldName::Hour) => {
            own("hours range from 0 to 23: use 0 for midnight")
        }
        Reason::AboveMaximum { .. } | Reason::BelowMinimum { .. } => {
            let field = error.field()?;
            let (minimum, maximum) = field.bounds();
            Some(format!("the {field} ranges from {minimum} to {maximum}"))
        }
        Reason::Reversed { start, end } => {
            let (minimum, maximum) = error.field()?.bounds();
            Some(format!(
                "a range cannot wrap around: use {start}-{maximum},{minimum}-{end}"
            ))
        }
        Reason::StepTooLarge { .. } | Reason::GoCron(_) => None,
        Reason::StepZero => own("a step must be at least 1: use '*/1' or '*'"),
        Reason::UnknownDescriptor => descriptor(error.cited()),
        Reason::BadDuration { detail } => Some(duration(detail)),
        Reason::BadZone { name, error } => zone(name, error),
        Reason::NoBlankAfterZone => own(
            "put a space after the zone: 'TZ=Europe/Berlin 0 2 * * *'; better, use spec.timeZone",
        ),
        Reason::TooManyHyphens | Reason::TooManySlashes => {
            own("a range must be FIRST-LAST or FIRST-LAST/STEP")
        }
    }
}

fn field_count(found: &[String]) -> String {
    match found {
        [word] if word.starts_with('@') => {
            "a descriptor such as '@daily' must be alone, without spaces around it".to_owned()
        }
        [word, ..] if word.contains("TZ=") => {
            "'TZ=' is recognized only at the beginning and in upper case; \
                  better, use spec.timeZone"
                .to_owned()
        }
        [_, _, _, _, _, _] => {
            let shorter = found
                .iter()
                .skip(1)
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(" ");
            format!(
                "Kubernetes schedules have no seconds: without the first field it is '{shorter}'"
            )
        }
        [_, _, _, _, _, _, _, ..] => {
            "Kubernetes schedules have no seconds and no years: minute, hour, day of month, month, \
                  day of week"
                .to_owned()
        }
        _ => "the fields are: minute, hour, day of month, month, day of week".to_owned(),
    }
}

fn not_a_number(text: &str, field: Option<FieldName>) -> Option<String> {
    let upper = text.to_ascii_uppercase();
    if text.is_empty() {
        return Some("a number is missing next to '-' or '/'".to_owned());
    }
    if text == "*" {
        return Some("'*' must be alone or before '/', such as '*/5'".to_owned());
    }
    if upper == "H" || upper.starts_with("H(") {
        return Some("'H' is Jenkins syntax: Kubernetes needs a number here".to_owned());
    }
    for letter in ['L', 'W', '#'] {
        if upper.contains(letter)
            && !upper
                .chars()
                .any(|c| c.is_ascii_alphabetic() && c != letter)
        {
            return Some(format!("'{letter}' is not supported by Kubernetes"));
        }
    }
    if let Some(name) = upper.get(..3).filter(|_| text.len() > 3) {
        let name = name.to_ascii_lowercase();
        if let Some(number) = field?.value_of(&name) {
            return Some(format!(
                "names have three letters: use '{name}' or {number}"
            ));
        }
    }
    let other = [FieldName::Month, FieldName::DayOfWeek]
        .into_iter()
        .find(|other| {
            Some(*other) != field && other.value_of(&upper.to_ascii_lowercase()).is_some()
        });
    other.map(|other| format!("'{text}' belongs in the {other} field"))
}

fn descriptor(text: &str) -> Option<String> {
    const KNOWN: [&str; 7] = [
        "@yearly",
        "@annually",
        "@monthly",
        "@weekly",
        "@daily",
        "@midnight",
        "@hourly",
    ];
    let lower = text.trim().to_ascii_lowercase();
    if lower.starts_with("@every") {
        return Some("'@every' needs a duration after one space: '@every 1h30m'".to_owned());
    }
    if lower == "@reboot" {
        return Some("Kubernetes has no @reboot: use a Job".to_owned());
    }
    let apart = |known: &'static str| Some((distance(known, &lower)?, known));
    let (_, nearest) = KNOWN
        .into_iter()
        .filter_map(apart)
        .min_by_key(|(apart, _)| *apart)?;
    Some(format!("did you mean '{nearest}'?"))
}

/// The edit distance of two names, unless it is too large. It is at least the difference of their lengths, so that
/// long texts are not compared: the number of steps is the product of the lengths.
fn distance(known: &str, text: &str) -> Option<usize> {
    let is_near = known.len().abs_diff(text.chars().count()) <= NEAR;
    let distance = is_near.then(|| osa_distance(known, text))?;
    (distance <= NEAR).then_some(distance)
}

fn duration(detail: &str) -> String {
    let known = if detail.contains("unknown unit \"d\"") {
        "Go durations have no days: use 24h for one day"
    } else if detail.contains("missing unit") {
        "a duration needs a unit, such as 5m, 1h30m or 90s"
    } else {
        "use a duration such as 5m, 1h30m or 90s"
    };
    known.to_owned()
}

fn zone(name: &str, error: &ZoneError) -> Option<String> {
    if *error == ZoneError::InvalidName {
        return Some("use the name of a time zone such as Europe/Berlin, not a path".to_owned());
    }
    suggest_zone(name).map(|zone| format!("did you mean {zone}?"))
}

/// The zone that was probably intended: the same name in another case, the same city elsewhere, or a
/// name that differs by a letter or two.
pub fn suggest_zone(name: &str) -> Option<&'static str> {
    let wanted = name.trim().replace(' ', "_");
    let lower = wanted.to_ascii_lowercase();
    if lower.is_empty() {
        return None;
    }
    let city = |zone: &str| zone.rsplit('/').next().unwrap_or(zone).to_ascii_lowercase();
    let wanted_city = city(&lower);
    let cost = |zone: &str| {
        let candidate = zone.to_ascii_lowercase();
        if candidate == lower {
            Some(0)
        } else if city(zone) == wanted_city && zone.contains('/') {
            Some(1)
        } else {
            Some(1 + distance(&candidate, &lower)?)
        }
    };
    let candidates = BundledZones::names().filter_map(|zone| Some((cost(zone)?, zone)));
    // The first of several: a city under its continent rather than an old alias.
    let (_, best) = candidates.min_by_key(|(cost, _)| *cost)?;
    // The name may be right, but the tz database of the machine damaged.
    (best != name).then_some(best)
}
