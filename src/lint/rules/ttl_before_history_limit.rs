use super::ttl_hides_failures::{TTL, gone};
use crate::duration::exact;
use crate::lint::{Found, Subject};

const LIMITS: [&str; 2] = [
    "spec.successfulJobsHistoryLimit",
    "spec.failedJobsHistoryLimit",
];

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    let Some(ttl) = subject.whole_number(TTL).filter(|ttl| *ttl >= 0) else {
        return Vec::new();
    };
    // That is worse, and says it all.
    if gone(subject).is_some() {
        return Vec::new();
    }
    let Some(period) = subject.period() else {
        return Vec::new();
    };
    let mut unreached = LIMITS.into_iter().filter_map(|path| {
        let limit = subject.whole_number(path)?;
        // So many end within the time, at most.
        let within = ttl / period.shortest + 1;
        (limit > within).then(|| {
            let message = format!(
                "never keeps {limit}: Jobs are deleted {} after their end, and one ends every {}",
                exact(ttl),
                exact(period.shortest)
            );
            subject.found(path, message)
        })
    });
    unreached.next().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::super::ttl_hides_failures::tests::with_ttl;
    use crate::lint::testing::found;

    #[test]
    fn only_limits_that_are_written() {
        let messages = |lines: &str, ttl: i64| {
            let text = with_ttl(&format!("schedule: 0 2 * * *\n{lines}"), ttl);
            found("ttl-before-history-limit", "1.36", &text)
        };
        assert_eq!(
            messages("successfulJobsHistoryLimit: 7", 86_400),
            ["8:31 never keeps 7: Jobs are deleted 1d after their end, and one ends every 1d"]
        );
        // The failed ones are told where the successful ones are fine.
        assert_eq!(
            messages(
                "successfulJobsHistoryLimit: 2\nfailedJobsHistoryLimit: 3",
                86_400
            ),
            ["9:27 never keeps 3: Jobs are deleted 1d after their end, and one ends every 1d"]
        );
        assert!(messages("successfulJobsHistoryLimit: 7", 7 * 86_400).is_empty());
        assert!(messages("suspend: false", 86_400).is_empty());
        assert!(
            messages("successfulJobsHistoryLimit: 7", 60).is_empty(),
            "another rule's"
        );
    }
}
