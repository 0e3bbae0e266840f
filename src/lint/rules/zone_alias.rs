use crate::lint::{Found, Subject};
use crate::schedule::{current_zone_name, load_location};

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    let zone = subject.str("spec.timeZone").unwrap_or_default();
    let Some(today) = current_zone_name(zone).filter(|_| subject.behaviour().time_zone_field)
    else {
        return Vec::new();
    };
    if load_location(today, subject.context.zones).is_err() {
        return Vec::new();
    }
    let message = format!("{zone} is an old name of {today}");
    let fix = subject.replace("spec.timeZone", today);
    vec![subject.found("spec.timeZone", message).fix(fix)]
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{fixed, found, spec};

    #[test]
    fn the_name_of_today() {
        let text = spec("schedule: 0 9 * * *\ntimeZone: US/Eastern");
        let message = "8:13 US/Eastern is an old name of America/New_York";
        assert_eq!(found("zone-alias", "1.36", &text), [message]);
        let expected = text.replace("US/Eastern", "America/New_York");
        assert_eq!(fixed("zone-alias", "1.36", &text), Some(expected));
        assert!(
            found("zone-alias", "1.24", &text).is_empty(),
            "not read there"
        );
    }

    #[test]
    fn zones_that_are_like_others_are_no_old_names() {
        for sound in ["Europe/Oslo", "UTC", "Etc/UTC", "GMT", "CET", "us/eastern"] {
            let text = spec(&format!("schedule: 0 9 * * *\ntimeZone: {sound}"));
            assert!(found("zone-alias", "1.36", &text).is_empty(), "{sound}");
        }
    }
}
