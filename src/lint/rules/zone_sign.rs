use crate::lint::{Found, Subject};

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    let zone = subject.str("spec.timeZone").unwrap_or_default();
    let Some(offset) = zone.strip_prefix("Etc/GMT") else {
        return Vec::new();
    };
    let hours: Option<i64> = offset.parse().ok().filter(|hours| *hours != 0);
    let Some(hours) = hours.filter(|_| subject.behaviour().time_zone_field) else {
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
        crate::diagnose::counted(hours.unsigned_abs(), "hour")
    );
    vec![subject.found("spec.timeZone", message)]
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    #[test]
    fn signs_are_turned_round() {
        let in_zone = |zone: &str| {
            let text = spec(&format!("schedule: 0 9 * * *\ntimeZone: {zone}"));
            found("zone-sign", "1.36", &text)
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
}
