use crate::controller::ZonePrefix;
use crate::lint::mending::zone_prefix;
use crate::lint::{Found, Subject};

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    let written = subject.str("spec.schedule").unwrap_or_default();
    // Where it is refused, or is no schedule at all, the API server says so itself.
    let behaviour = subject.behaviour();
    let twice = behaviour.time_zone_field && subject.get("spec.timeZone").is_some();
    let accepted = behaviour.zone_prefix == ZonePrefix::Accepted && !twice;
    if !accepted || !written.contains("TZ=") || subject.schedule().is_none() {
        return Vec::new();
    }
    let message = format!(
        "Kubernetes {} takes TZ= without supporting it, and 1.29 refuses it for new objects",
        subject.context.release
    );
    vec![
        subject
            .found("spec.schedule", message)
            .fix(zone_prefix(subject)),
    ]
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{fixed, found, spec};

    #[test]
    fn only_where_it_is_taken() {
        let text = spec("schedule: TZ=Europe/Berlin 0 9 * * *");
        let message = "7:13 Kubernetes 1.28 takes TZ= without supporting it, and 1.29 refuses it \
                       for new objects (1.22 to 1.28)";
        assert_eq!(found("zone-in-schedule", "1.20-1.31", &text), [message]);
    }

    #[test]
    fn the_zone_moves_to_its_field() {
        let text = spec("schedule: \"CRON_TZ=Europe/Berlin */5 9 * * *\"");
        let expected = text.replace("CRON_TZ=Europe/Berlin ", "").replace(
            "report:1.4.2\n",
            "report:1.4.2\n  timeZone: Europe/Berlin\n",
        );
        assert_eq!(fixed("zone-in-schedule", "1.28", &text), Some(expected));
        let plain = spec("schedule: TZ=UTC */5 9 * * *");
        let moved = fixed("zone-in-schedule", "1.28", &plain).unwrap();
        assert!(
            moved.contains("  schedule: '*/5 9 * * *'\n") && moved.ends_with("  timeZone: UTC\n")
        );
    }

    #[test]
    fn what_is_not_certain_is_left() {
        let berlin = spec("schedule: TZ=Europe/Berlin 0 9 * * *");
        assert_eq!(
            fixed("zone-in-schedule", "1.23", &berlin),
            None,
            "no timeZone yet"
        );
        let both = spec("schedule: TZ=UTC 0 9 * * *\ntimeZone: Etc/UTC");
        assert!(
            found("zone-in-schedule", "1.28", &both).is_empty(),
            "refused"
        );
        for odd in ["TZ=Local 0 9 * * *", "TZ= 0 9 * * *"] {
            let text = spec(&format!("schedule: {odd}"));
            assert_eq!(found("zone-in-schedule", "1.28", &text).len(), 1, "{odd}");
            assert_eq!(fixed("zone-in-schedule", "1.28", &text), None, "{odd}");
        }
    }
}
