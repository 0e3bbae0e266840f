use crate::lint::{Found, Subject};

const LIMITS: [&str; 2] = [
    "spec.successfulJobsHistoryLimit",
    "spec.failedJobsHistoryLimit",
];

/// A month of nightly runs and some more.
const MANY: i64 = 50;

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
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
