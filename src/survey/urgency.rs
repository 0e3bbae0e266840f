//! What to see first of what is equally bad.
//!
//! Somebody who was woken wants to see what goes wrong now before what may go wrong some day: a
//! `CronJob` that is blocked at this moment and will lose a run in March is blocked. The severity
//! does not tell the two apart, since both cost runs.

use crate::diagnose::Finding;

/// What harms later, or only under circumstances that are not those of now. All others, those of
/// rules to come too, are taken to be about now: to see something too early does less harm.
const LATER: [&str; 15] = [
    "clock-doubles-run",
    "clock-loses-run",
    "deadline-shorter-than-delay",
    "deadline-under-ten-seconds",
    "history-limit-hides-failures",
    "history-limit-hides-successes",
    "name-too-long",
    "resume-starts-at-once",
    "resume-starts-nothing",
    "suspended-long",
    "time-zone-not-read",
    "too-many-missed-soon",
    "ttl-hides-failures",
    "uneven-schedule-can-lose",
    "zone-in-schedule",
];

/// Puts findings in order: the worse first; of equally bad ones those about now; and among these
/// in the order they came in, which is that of the rules.
pub(super) fn sort(findings: &mut [Finding]) {
    findings.sort_by_key(|finding| {
        let later = LATER.contains(&finding.code);
        (std::cmp::Reverse(finding.severity), later)
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::Severity;
    use crate::rules::RULES;

    #[test]
    fn every_code_is_that_of_a_rule() {
        for code in LATER {
            assert!(
                RULES
                    .iter()
                    .any(|rule| rule.finding.is_some() && rule.name == code),
                "{code}"
            );
        }
        assert!(LATER.is_sorted(), "in the order of the alphabet");
    }

    fn finding(code: &'static str, severity: Severity) -> Finding {
        Finding {
            code,
            severity,
            title: "",
            detail: String::new(),
            remedy: None,
            field: None,
        }
    }

    #[test]
    fn what_goes_wrong_now_comes_first() {
        let mut findings = [
            finding("clock-doubles-run", Severity::Info),
            finding("suspended-long", Severity::Warning),
            finding("too-many-missed", Severity::Warning),
            finding("clock-skew", Severity::Warning),
            finding("last-run-failed", Severity::Error),
        ];
        sort(&mut findings);
        let codes = findings.map(|finding| finding.code);
        let expected = [
            "last-run-failed",
            "too-many-missed",
            "clock-skew",
            "suspended-long",
            "clock-doubles-run",
        ];
        assert_eq!(codes, expected);
    }
}
