use super::limits::ACTIVE_DEADLINE;
use crate::duration::exact;
use crate::lint::{Found, Subject};

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    let Some(deadline) = subject.whole_number(ACTIVE_DEADLINE) else {
        return Vec::new();
    };
    let Some(period) = subject.period().filter(|period| deadline > period.shortest) else {
        return Vec::new();
    };
    let (deadline_shown, shortest) = (exact(deadline), exact(period.shortest));
    let policy = subject.str("spec.concurrencyPolicy");
    let message = match policy {
        Some("Forbid") => format!(
            "a run that hangs for {deadline_shown} holds back those that are due every {shortest}"
        ),
        Some("Replace") => format!(
            "never comes to pass: a run is replaced after {shortest}, before its {deadline_shown} \
             are over"
        ),
        _ => format!(
            "runs that hang for {deadline_shown} and are due every {shortest} make up to {} at \
             once",
            deadline.div_euclid(period.shortest).saturating_add(1)
        ),
    };
    vec![subject.found(ACTIVE_DEADLINE, message)]
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    fn messages(schedule: &str, policy: &str, deadline: i64) -> Vec<String> {
        let text = spec(&format!(
            "schedule: '{schedule}'\nconcurrencyPolicy: {policy}"
        ));
        let text = text.replace(
            "    spec:\n      template",
            &format!("    spec:\n      activeDeadlineSeconds: {deadline}\n      template"),
        );
        found("CJD407", "1.36", &text)
    }

    #[test]
    fn what_it_means_depends_on_the_policy() {
        assert_eq!(
            messages("*/5 * * * *", "Forbid", 7200),
            ["11:30 a run that hangs for 2h holds back those that are due every 5m"]
        );
        assert_eq!(
            messages("*/5 * * * *", "Allow", 700),
            ["11:30 runs that hang for 11m40s and are due every 5m make up to 3 at once"]
        );
        assert_eq!(
            messages("*/5 * * * *", "Replace", 600),
            ["11:30 never comes to pass: a run is replaced after 5m, before its 10m are over"]
        );
    }

    #[test]
    fn up_to_the_next_run_is_fine() {
        assert!(messages("*/5 * * * *", "Forbid", 300).is_empty());
        assert!(messages("0 6 * * *", "Forbid", 86_400).is_empty());
        assert!(
            messages("0 0 30 2 *", "Forbid", 86_400).is_empty(),
            "never runs"
        );
    }
}
