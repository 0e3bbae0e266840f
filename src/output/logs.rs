//! The lines about logs. They go to stderr, so that a pipe gets only what the containers wrote.

use std::io::{self, Write};

use super::explain::findings::add_logs;
use super::lines::TextPage;
use super::style::{Meaning, styled};
use cronjob_diagnosis::diagnose::{Facts, LogTail, PodPlace, local};
use cronjob_diagnosis::kubectl::Command;
use cronjob_text::duration::human;
use cronjob_text::printable::printable;
use kube_model::{JobResult, PastRun};

pub(crate) fn between(text: &str) -> String {
    styled(Meaning::Faint, format!("-- {}", printable(text)))
}

/// Which run it is, and how it ended.
pub(crate) fn run(facts: &Facts<'_>, run: &PastRun<'_>) -> String {
    let job = run.job;
    let scheduled = match run.scheduled_time {
        Some(at) => format!("scheduled at {}", local(facts, at)),
        None => "created manually".to_owned(),
    };
    let mut text = format!("Job {}, {scheduled}: ", job.name);
    let verdict = job.verdict();
    let result = match (job.result(), verdict, job.suspend) {
        (Some(result), ..) => result.as_str(),
        (None, Some((JobResult::Failed, _)), _) => "failed, ending",
        (None, Some((JobResult::Succeeded, _)), _) => "succeeded, ending",
        (None, None, Some(true)) => "suspended",
        (None, None, _) => "not finished",
    };
    text.push_str(result);
    if let Some(seconds) = run.duration_seconds() {
        text.push_str(&format!(" after {}", human(seconds)));
    }
    let failure = run.failure().or(verdict.map(|(_, condition)| condition));
    if let Some(failure) = failure.filter(|failure| !failure.reason.is_empty()) {
        text.push_str(&format!(" ({})", &*failure.reason));
    }
    text
}

/// Above a log: whose it is.
pub(crate) fn above(pod: &str, container: &str, place: PodPlace) -> String {
    let PodPlace { number, count } = place;
    let place = if count == 1 {
        String::new()
    } else {
        format!(" (pod {number} of {count})")
    };
    format!("pod {pod}, container {container}{place}")
}

/// Below a log: how the container ended.
pub(crate) fn below(ending: &str) -> &str {
    if ending.is_empty() {
        "end of the log"
    } else {
        ending
    }
}

/// That there is another log of the same container, and the command that prints it.
pub(crate) fn restarted(container: &str, restarts: i32, before: &Command) -> String {
    let times = match restarts {
        1 => "once".to_owned(),
        many => format!("{many} times"),
    };
    format!(
        "container {container} was restarted {times}; the log before the last restart: {before}"
    )
}

/// Writes the last lines of a log.
pub(crate) fn log_tail(out: &mut dyn Write, indent: usize, log: &LogTail) -> io::Result<()> {
    let mut page = TextPage::default();
    add_logs(&mut page, indent, std::slice::from_ref(log));
    page.write(out)
}
