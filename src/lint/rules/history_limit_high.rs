use crate::lint::rule::example;
use crate::lint::{Check, Found, Rule, Severity, Subject};

pub(super) const RULE: Rule = Rule {
    code: "CJD503",
    name: "history-limit-high",
    severity: Severity::Info,
    title: "very many finished Jobs are kept",
    reason: "Each Job that is kept is an object in etcd, and so is each of its pods. Every tool \
             that lists them pays for them, and the controller looks at all of them whenever one \
             changes.",
    remedy: "Keep as many as somebody looks at; logs and metrics remember the rest.",
    example: example!("history-limit-high"),
    check: Check::Each(check),
};

const LIMITS: [&str; 2] = [
    "spec.successfulJobsHistoryLimit",
    "spec.failedJobsHistoryLimit",
];

/// A month of nightly runs and some more.
const MANY: i64 = 50;

fn check(subject: &Subject<'_>) -> Vec<Found> {
    let high = LIMITS.into_iter().filter_map(|path| {
        let limit = subject.whole_number(path).filter(|limit| *limit > MANY)?;
        Some(subject.found(path, format!("keeps {limit} finished Jobs and their pods")))
    });
    high.collect()
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    #[test]
    fn each_limit_by_itself() {
        let text = spec(
            "schedule: 0 6 * * *\nsuccessfulJobsHistoryLimit: 100\nfailedJobsHistoryLimit: 51",
        );
        assert_eq!(
            found("history-limit-high", "1.36", &text),
            [
                "8:31 keeps 100 finished Jobs and their pods",
                "9:27 keeps 51 finished Jobs and their pods"
            ]
        );
        let text = spec("schedule: 0 6 * * *\nsuccessfulJobsHistoryLimit: 50");
        assert!(found("history-limit-high", "1.36", &text).is_empty());
    }
}
