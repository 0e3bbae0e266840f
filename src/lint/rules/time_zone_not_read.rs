use crate::lint::{Found, Subject};

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    let zone = subject.str("spec.timeZone").unwrap_or_default();
    let is_utc = matches!(zone, "" | "UTC" | "Etc/UTC");
    if is_utc || subject.behaviour().time_zone_field {
        return Vec::new();
    }
    let message = format!(
        "Kubernetes {} does not read it by default",
        subject.context.release
    );
    vec![subject.found("spec.timeZone", message)]
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    #[test]
    fn up_to_1_24() {
        let text = spec("schedule: 0 9 * * *\ntimeZone: Europe/Berlin");
        let message = "8:13 Kubernetes 1.24 does not read it by default (1.23 to 1.24)";
        assert_eq!(found("time-zone-not-read", "1.23-1.27", &text), [message]);
        // That is what it comes to without it.
        let text = spec("schedule: 0 9 * * *\ntimeZone: Etc/UTC");
        assert!(found("time-zone-not-read", "1.24", &text).is_empty());
    }
}
