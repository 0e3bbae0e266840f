use crate::lint::{Found, Subject};

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    let timetable = subject.timetable();
    let why = timetable.and_then(|timetable| timetable.why_never(subject.context.now));
    // Whoever suspends it as well knows about it.
    let meant = subject.boolean("spec.suspend") == Some(true);
    let Some(why) = why.filter(|_| !meant) else {
        return Vec::new();
    };
    vec![subject.found("spec.schedule", format!("the schedule never runs: {why}"))]
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    #[test]
    fn as_the_release_reads_it() {
        let text = spec("schedule: 0 0 31 2,4 *");
        let message = "7:13 the schedule never runs: 31 February and April do not exist";
        assert_eq!(found("never-runs", "1.24-1.36", &text), [message]);
        // Up to 1.21 `*/8` is a star, so that 29 February must be a Sunday, which it is in 2032.
        let text = spec("schedule: 0 0 29 2 */8");
        let message = "7:13 the schedule never runs: no matching day of the month is a Sunday \
                       within five years (the next is 2032-02-29) (1.20 to 1.21)";
        assert_eq!(found("never-runs", "1.20-1.22", &text), [message]);
    }

    #[test]
    fn whoever_suspends_it_knows() {
        let text = spec("schedule: 0 0 30 2 *\nsuspend: true");
        assert!(found("never-runs", "1.36", &text).is_empty());
    }
}
