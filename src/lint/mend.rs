//! Fixes for what the API server refuses, where it is certain what was meant.

use super::fix::Fix;
use super::rules::zone_in_schedule;
use super::subject::Subject;
use crate::schedule::{BundledZones, FieldName, Reason, Schedule};

/// The change that mends what a release's API server refuses about a field of the `CronJob` itself,
/// named by its path.
pub fn of_refusal(subject: &Subject<'_>, field: &str) -> Option<Fix> {
    match field {
        "spec.schedule" => sunday(subject).or_else(|| zone_in_schedule::fix(subject)),
        "spec.timeZone" => zone_in_other_case(subject),
        _ => None,
    }
}

/// Writes 0 for a Sunday that is written as 7, which crontab(5) allows and Kubernetes does not.
fn sunday(subject: &Subject<'_>) -> Option<Fix> {
    let written = subject.str("spec.schedule")?;
    let (dialect, zones) = (subject.behaviour().dialect, subject.context.zones);
    let error = Schedule::parse(written, dialect, zones).err()?;
    let is_seven = matches!(error.reason(), Reason::AboveMaximum { end: 7, .. });
    if !is_seven || error.field() != Some(FieldName::DayOfWeek) {
        return None;
    }
    let weekdays = written.split_whitespace().next_back()?;
    let days: Option<Vec<String>> = weekdays.split(',').map(with_zero).collect();
    let rest = written.trim_end().strip_suffix(weekdays)?;
    let mended = format!("{rest}{}", days?.join(","));
    Schedule::parse(&mended, dialect, zones).ok()?;
    let fix = subject.replace("spec.schedule", &mended)?;
    Some(fix.called("Write 0 for Sunday"))
}

/// A part of a list of weekdays without a 7; `None` where that cannot be written so simply.
fn with_zero(part: &str) -> Option<String> {
    let mended = match part.split_once('-') {
        None if part == "7" => "0",
        Some(("0" | "1", "7")) => "0-6",
        Some(("7", "7")) => "0",
        Some(("6", "7")) => "6,0",
        Some((first @ ("2" | "3" | "4" | "5"), "7")) => return Some(format!("{first}-6,0")),
        Some((_, last)) if last.starts_with('7') => return None,
        _ => part,
    };
    Some(mended.to_owned())
}

/// Writes the name of a zone as the tz database does.
fn zone_in_other_case(subject: &Subject<'_>) -> Option<Fix> {
    let written = subject.str("spec.timeZone")?;
    let mut names = BundledZones::names();
    let name = names.find(|name| name.eq_ignore_ascii_case(written) && *name != written)?;
    // Only if the database that is asked has it, too.
    subject.context.zones.load(name).ok()?;
    subject.replace("spec.timeZone", name)
}

#[cfg(test)]
mod tests {
    use super::of_refusal;
    use crate::controller::Release;
    use crate::lint::subject::Context;
    use crate::lint::testing::spec;
    use crate::lint::{Subject, apply};
    use crate::schedule::{BundledZones, Zone};

    /// The spec's lines after the fix for one of its fields.
    fn mended(lines: &str, field: &str, release: &str) -> Option<Vec<String>> {
        let text = spec(lines);
        let parsed = crate::document::parse(&text);
        let context = Context {
            release: release.parse::<Release>().unwrap(),
            now: "2026-11-21T08:00:00Z".parse().unwrap(),
            zones: &BundledZones,
            local: Zone::utc(),
        };
        let file = std::sync::Arc::from("test.yaml");
        let subject = Subject::new(&parsed.documents[0].root, &text, &file, &context);
        let fix = of_refusal(&subject, field)?;
        let text = apply(&text, [&fix]).text;
        let spec = text
            .lines()
            .skip(6)
            .take_while(|line| !line.contains("jobTemplate"));
        let mut lines: Vec<String> = spec.map(|line| line.trim().to_owned()).collect();
        lines.extend(
            text.lines()
                .skip_while(|line| !line.contains("image:"))
                .skip(1)
                .map(|line| line.trim().to_owned()),
        );
        Some(lines)
    }

    #[test]
    fn seven_is_sunday() {
        let weekdays = |written: &str| {
            let lines = format!("schedule: 0 6 * * {written}");
            mended(&lines, "spec.schedule", "1.36").map(|lines| lines[0].clone())
        };
        let cases = [
            ("7", "schedule: 0 6 * * 0"),
            ("1,7", "schedule: '0 6 * * 1,0'"),
            ("5-7", "schedule: '0 6 * * 5-6,0'"),
            ("6-7", "schedule: '0 6 * * 6,0'"),
            ("1-7", "schedule: 0 6 * * 0-6"),
        ];
        for (written, expected) in cases {
            assert_eq!(weekdays(written).as_deref(), Some(expected), "{written}");
        }
        for left in ["1-7/2", "7-1", "8", "7,8", "mon-7", "0"] {
            assert_eq!(weekdays(left), None, "{left}");
        }
    }

    #[test]
    fn zones_in_the_spelling_of_the_database() {
        let zone = |written: &str| {
            let lines = format!("schedule: 0 6 * * *\ntimeZone: {written}");
            mended(&lines, "spec.timeZone", "1.36").map(|lines| lines[1].clone())
        };
        assert_eq!(
            zone("europe/berlin").as_deref(),
            Some("timeZone: Europe/Berlin")
        );
        assert_eq!(zone("utc").as_deref(), Some("timeZone: UTC"));
        assert_eq!(zone("Europe/Berlin"), None);
        assert_eq!(zone("Mars/Base"), None);
    }

    #[test]
    fn a_zone_in_the_schedule_moves_to_its_field() {
        assert_eq!(
            mended(
                "schedule: TZ=Europe/Berlin 0 6 * * *",
                "spec.schedule",
                "1.36"
            ),
            Some(vec![
                "schedule: 0 6 * * *".to_owned(),
                "timeZone: Europe/Berlin".to_owned()
            ])
        );
        assert_eq!(mended("schedule: 0 6 * * *", "spec.schedule", "1.36"), None);
        assert_eq!(mended("schedule: 0 6 * * *", "spec.suspend", "1.36"), None);
    }
}
