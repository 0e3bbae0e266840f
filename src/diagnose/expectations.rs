//! What a `CronJob` states in its annotations that is expected of it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::duration::exact;
use crate::model::CronJob;
use crate::rules::{MAX_DURATION, RUNBOOK, SUCCESS_WITHIN, expected_duration};

/// What a `CronJob` states that is expected of it.
#[derive(Clone, Debug, Default, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Expectations {
    /// How long a run may take, in seconds: the annotation `cronjob-doctor/max-duration`; null without a
    /// valid one.
    pub max_duration_seconds: Option<i64>,
    /// How old the last success may be, in seconds: the annotation `cronjob-doctor/success-within`; null
    /// without a valid one.
    pub success_within_seconds: Option<i64>,
    /// What to do when something is wrong, a URL or text: the annotation `cronjob-doctor/runbook`.
    pub runbook: Option<String>,
}

impl Expectations {
    /// The expectations that a `CronJob` states.
    pub(crate) fn of(cron_job: &CronJob) -> Self {
        let duration = |name| expected_duration(cron_job.annotations.get(name)?);
        let plain = |text: &str| text.replace(char::is_control, " ").trim().to_owned();
        let runbook = cron_job.annotations.get(RUNBOOK).map(plain);
        Expectations {
            max_duration_seconds: duration(MAX_DURATION),
            success_within_seconds: duration(SUCCESS_WITHIN),
            runbook: runbook.filter(|text| !text.is_empty()),
        }
    }

    pub(crate) fn stated(self) -> Option<Self> {
        (self != Expectations::default()).then_some(self)
    }

    /// `a run takes at most 30m, the last success is at most 26h old`
    pub(crate) fn in_words(&self) -> Option<String> {
        let takes = (self.max_duration_seconds)
            .map(|seconds| format!("a run takes at most {}", exact(seconds)));
        let age = (self.success_within_seconds)
            .map(|seconds| format!("the last success is at most {} old", exact(seconds)));
        let all: Vec<String> = takes.into_iter().chain(age).collect();
        (!all.is_empty()).then(|| all.join(", "))
    }
}

/// Whether a runbook is a link that may be followed: any other scheme could run code or open a file.
pub(crate) fn is_link(runbook: &str) -> bool {
    let scheme = ["https://", "http://"].into_iter();
    let mut rest = scheme.filter_map(|scheme| runbook.strip_prefix(scheme));
    let is_plain = |c: char| c.is_ascii_graphic() || c.is_alphanumeric();
    rest.next()
        .is_some_and(|rest| !rest.is_empty() && rest.chars().all(is_plain))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::invalid_expectation;

    fn stated(annotations: &[(&str, &str)]) -> Expectations {
        Expectations::of(&CronJob {
            annotations: annotations.iter().copied().collect(),
            ..CronJob::default()
        })
    }

    #[test]
    fn durations_are_whole_numbers_with_units() {
        for (text, expected) in [
            ("90s", Some(90)),
            ("30m", Some(1_800)),
            ("1h30m", Some(5_400)),
            (" 26h ", Some(93_600)),
            ("1d12h", Some(129_600)),
            ("2w", Some(1_209_600)),
            ("36500d", Some(3_153_600_000)),
            ("36501d", None),
            ("0s", None),
            ("-5m", None),
            ("1.5h", None),
            ("30", None),
            ("half an hour", None),
            ("", None),
        ] {
            let found = stated(&[(MAX_DURATION, text), (SUCCESS_WITHIN, text)]);
            assert_eq!(found.max_duration_seconds, expected, "{text}");
            assert_eq!(found.success_within_seconds, expected, "{text}");
            let invalid = invalid_expectation(MAX_DURATION, text).is_some();
            assert_eq!(invalid, expected.is_none(), "{text}");
        }
    }

    #[test]
    fn runbook_is_any_text_in_one_line() {
        let runbook = |text| stated(&[(RUNBOOK, text)]).runbook;
        assert_eq!(runbook("call\nAda\u{1b}[31m").unwrap(), "call Ada [31m");
        assert_eq!(runbook(" "), None);
        assert_eq!(stated(&[("other", "x")]).stated(), None);
    }

    #[test]
    fn only_http_urls_are_links() {
        for (text, expected) in [
            ("https://wiki.example.com/a?b=c#d", true),
            ("http://wiki.example.com/é", true),
            ("https://", false),
            ("https://a b", false),
            ("https://a\u{202e}b", false),
            ("HTTPS://wiki.example.com", false),
            ("javascript:alert(1)", false),
            ("data:text/html,https://x", false),
            ("//wiki.example.com", false),
            ("call Ada", false),
        ] {
            assert_eq!(is_link(text), expected, "{text}");
        }
    }

    #[test]
    fn misspelled_names_are_found_and_others_left_alone() {
        let wrong = |name| invalid_expectation(name, "30m");
        let meant = wrong("cronjob-doctor/max-duraton").unwrap();
        assert!(meant.ends_with("cronjob-doctor/max-duration?"), "{meant}");
        for name in [
            MAX_DURATION,
            RUNBOOK,
            "cronjob-doctor/suspend-reason",
            "cronjob-doctor/skipped-runs",
            "cronjob-doctor/last-suspension",
            "cronjob-doctor/touched",
            "example.com/max-duraton",
        ] {
            assert_eq!(wrong(name), None, "{name}");
        }
    }
}
