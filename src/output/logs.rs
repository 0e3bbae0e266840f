//! The lines about logs. They go to stderr, so that a pipe gets only what the containers wrote.

use super::style::{Meaning, of_source, styled};
use crate::diagnose::{Facts, PastRun, local};
use crate::duration::human;
use crate::model::JobResult;
use crate::printable::printable;

/// A line between logs.
pub(crate) fn between(text: &str) -> String {
    styled(Meaning::Faint, format!("-- {}", printable(text)))
}

/// What each line of a log begins with, as kubectl writes it.
pub(crate) fn prefix(pod: &str, container: &str, number: usize, is_colored: bool) -> String {
    let source = printable(&format!("[pod/{pod}/{container}]"));
    if is_colored {
        format!("{} ", of_source(number, source))
    } else {
        format!("{source} ")
    }
}

/// Which run it is, and how it ended.
pub(crate) fn run(facts: &Facts<'_>, run: &PastRun<'_>) -> String {
    let job = run.job;
    let scheduled = match run.scheduled_time {
        Some(at) => format!("scheduled at {}", local(facts, at)),
        None => "created manually".to_owned(),
    };
    let mut text = format!("Job {}, {scheduled}: ", job.name);
    let Some(ended) = run.finished_at() else {
        let state = if job.suspend == Some(true) {
            "suspended"
        } else {
            "not finished"
        };
        text.push_str(state);
        return text;
    };
    let result = match job.result() {
        Some(JobResult::Failed) => "failed",
        Some(JobResult::Succeeded) | None => "succeeded",
    };
    text.push_str(&format!("{result} at {}", local(facts, ended)));
    if let Some(seconds) = run.duration_seconds() {
        text.push_str(&format!(" after {}", human(seconds)));
    }
    if let Some(failure) = run.failure().filter(|failure| !failure.reason.is_empty()) {
        text.push_str(&format!(" ({})", failure.reason));
    }
    text
}

/// Above a log: whose it is.
pub(crate) fn above(pod: &str, container: &str, place: (usize, usize)) -> String {
    let place = match place {
        (_, 1) => String::new(),
        (number, count) => format!(" (pod {number} of {count})"),
    };
    format!("pod {pod}, container {container}{place}")
}

/// Below a log: how the container ended.
pub(crate) fn below(container: &str, ending: &str) -> String {
    if ending.is_empty() {
        format!("container {container}: end of the log")
    } else {
        format!("container {container} {ending}")
    }
}

/// That there is another log of the same container.
pub(crate) fn restarted(container: &str, restarts: i32) -> String {
    let times = match restarts {
        1 => "once".to_owned(),
        many => format!("{many} times"),
    };
    format!(
        "container {container} was restarted {times}; --previous prints the log before the last \
         restart"
    )
}
