use crate::lint::{Found, Subject};

/// The abbreviation, where its clock is never changed, and where people often mean it to be.
const ABBREVIATIONS: [(&str, &str, &str); 2] = [
    ("EST", "America/Panama", "America/New_York"),
    ("MST", "America/Phoenix", "America/Denver"),
];

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    let zone = subject.str("spec.timeZone").unwrap_or_default();
    let known = ABBREVIATIONS.iter().find(|(name, ..)| *name == zone);
    let Some((name, fixed, changing)) = known.filter(|_| subject.behaviour().time_zone_field)
    else {
        return Vec::new();
    };
    let message = format!("{name} has no summer time, which {changing} has");
    let help = format!("Write {changing}, or {fixed} where there is to be no summer time.");
    vec![subject.found("spec.timeZone", message).help(help)]
}

#[cfg(test)]
mod tests {
    use super::ABBREVIATIONS;
    use crate::lint::testing::{found, spec};
    use crate::schedule::{BundledZones, Zones};

    #[test]
    fn abbreviations_are_not_what_they_seem() {
        let in_zone = |zone: &str| {
            let text = spec(&format!("schedule: 0 9 * * *\ntimeZone: {zone}"));
            found("zone-abbreviation", "1.36", &text)
        };
        let message = "8:13 EST has no summer time, which America/New_York has";
        assert_eq!(in_zone("EST"), [message]);
        assert!(in_zone("America/New_York").is_empty());
        // These change their clocks, and Hawaii does not.
        assert!(in_zone("EST5EDT").is_empty() && in_zone("HST").is_empty());
    }

    #[test]
    fn the_table_is_true() {
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
}
