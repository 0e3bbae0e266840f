use crate::lint::rule::example;
use crate::lint::{Check, Found, Rule, Severity, Subject};

pub(super) const RULE: Rule = Rule {
    code: "CJD201",
    name: "never-runs",
    severity: Severity::Error,
    title: "the schedule never runs",
    reason: "The API server takes a schedule whose days do not exist, and the controller looks for \
             its next run in vain: no Job is ever started, and no event says so.",
    remedy: "Name days that exist; suspend: true says better that a CronJob is only started by \
             hand.",
    example: example!("never-runs"),
    check: Check::Each(check),
};

fn check(subject: &Subject<'_>) -> Vec<Found> {
    let timetable = subject.timetable();
    let why = timetable.and_then(|timetable| timetable.why_never(subject.context.now));
    // Whoever suspends it as well knows about it.
    let meant = subject.boolean("spec.suspend") == Some(true);
    let Some(why) = why.filter(|_| !meant) else {
        return Vec::new();
    };
    vec![subject.found("spec.schedule", format!("the schedule never runs: {why}"))]
}
