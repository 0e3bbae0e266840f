use crate::lint::{Found, Subject};

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    if subject.boolean("spec.suspend") != Some(true) {
        return Vec::new();
    }
    // One that could not run anyway is only started by hand, and that is meant.
    let Some(period) = subject.period() else {
        return Vec::new();
    };
    let deadline = subject.whole_number("spec.startingDeadlineSeconds");
    let until = "starts nothing until it is resumed";
    if deadline.is_some_and(|deadline| deadline < period.shortest) {
        return vec![subject.found("spec.suspend", until)];
    }
    let message = format!("{until}, and then the last missed run at once");
    let help = "Set startingDeadlineSeconds, so that resuming starts nothing that is long past.";
    vec![subject.found("spec.suspend", message).help(help)]
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    #[test]
    fn resuming_makes_up_for_the_last_one() {
        let messages = |lines: &str| found("suspended", "1.36", &spec(lines));
        assert_eq!(
            messages("schedule: 0 6 * * *\nsuspend: true"),
            ["8:12 starts nothing until it is resumed, and then the last missed run at once"]
        );
        assert_eq!(
            messages("schedule: 0 6 * * *\nsuspend: true\nstartingDeadlineSeconds: 600"),
            ["8:12 starts nothing until it is resumed"]
        );
        assert!(messages("schedule: 0 6 * * *\nsuspend: false").is_empty());
    }

    #[test]
    fn only_started_by_hand() {
        let text = spec("schedule: 0 0 30 2 *\nsuspend: true");
        assert!(found("suspended", "1.36", &text).is_empty());
    }
}
