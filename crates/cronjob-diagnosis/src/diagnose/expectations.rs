//! What a `CronJob` states in its annotations that is expected of it.

use schemars::JsonSchema;
use serde::Serialize;

use cronjob_manifest::rules::{MAX_DURATION, RUNBOOK, SUCCESS_WITHIN, expected_duration};
use cronjob_text::duration::exact;
use cronjob_text::text::Text;
use kube_model::CronJob;

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
    pub fn in_words(&self) -> Option<Text> {
        let takes = (self.max_duration_seconds)
            .map(|seconds| text!("a run takes at most {}", exact(seconds)));
        let age = (self.success_within_seconds)
            .map(|seconds| text!("the last success is at most {} old", exact(seconds)));
        let all: Vec<Text> = takes.into_iter().chain(age).collect();
        (!all.is_empty()).then(|| Text::join(all, ", "))
    }
}

/// Whether a runbook is a link that may be followed: any other scheme could run code or open a file.
pub fn is_link(runbook: &str) -> bool {
    let scheme = ["https://", "http://"].into_iter();
    let mut rest = scheme.filter_map(|scheme| runbook.strip_prefix(scheme));
    let is_plain = |c: char| c.is_ascii_graphic() || c.is_alphanumeric();
    rest.next()
        .is_some_and(|rest| !rest.is_empty() && rest.chars().all(is_plain))
}
