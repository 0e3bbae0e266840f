//! Parts of sentences that several predictions share.

use jiff::Timestamp;

use crate::diagnose::{Facts, Input, local, starts_when_running};
use cronjob_text::duration::human;
use cronjob_text::text::Text;
use cronjob_text::words::plural;

/// A sentence of a prediction, understandable by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredictionSentence {
    pub text: Text,
    /// Whether it says what is expected of such a change, so that a summary of many can leave it out.
    pub is_usual: bool,
}

impl PredictionSentence {
    pub(super) fn usual(text: Text) -> Self {
        PredictionSentence {
            text,
            is_usual: true,
        }
    }

    pub(super) fn exception(text: Text) -> Self {
        PredictionSentence {
            text,
            is_usual: false,
        }
    }
}

/// That a missed run starts only later.
pub(super) fn not_before_controller(facts: &Facts<'_>) -> Option<Text> {
    let is_down = facts.controller_is_down();
    is_down.then(|| text!("{}.", starts_when_running()))
}

/// The next run by the schedule, and what it depends on.
pub(super) fn next_run(
    facts: &Facts<'_>,
    label: &str,
    at: Timestamp,
    condition: Option<&Text>,
) -> Text {
    let distance = human(at.as_second() - facts.input.now.as_second());
    let condition = condition.map_or_else(Text::default, |condition| text!(", {}", condition));
    text!(
        "{}: {} (in {}){}.",
        label,
        local(facts, at),
        distance,
        condition
    )
}

/// The Jobs that are running, and those that wait.
pub fn unfinished<'n>(facts: &Facts<'_>, names: &'n [String]) -> [(&'static str, Vec<&'n str>); 2] {
    let waits = |name: &&str| {
        let job = facts.input.job_named(name);
        job.is_some_and(|job| job.suspend == Some(true) || facts.what_it_awaits(job).is_some())
    };
    let (waiting, running) = names.iter().map(String::as_str).partition(waits);
    [("running", running), ("waiting", waiting)]
}

/// `a, b keep running`, and the same for Jobs that wait.
pub(super) fn keep_running(facts: &Facts<'_>, names: &[String]) -> Vec<String> {
    let groups = unfinished(facts, names).into_iter();
    let groups = groups.filter(|(_, names)| !names.is_empty());
    groups
        .map(|(what, names)| {
            let keep = plural(names.len(), "keeps", "keep");
            format!("{} {keep} {what}", names.join(", "))
        })
        .collect()
}

/// For a Job in `status.active` that may have finished.
pub fn unless_finished(input: &Input<'_>) -> &'static str {
    if input.jobs_are_unknown() {
        ", unless finished already (Jobs were not read)"
    } else {
        ""
    }
}
