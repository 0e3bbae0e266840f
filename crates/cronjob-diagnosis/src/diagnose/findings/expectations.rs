//! Runs that differ from what is usual, or from what the `CronJob` states that is expected.

use jiff::{SignedDuration, Timestamp};

use super::super::{Facts, FindingDetails, Input, Severity, job_in_words, local, one_line};
use crate::kubectl::Command;
use cronjob_manifest::rules::{
    INVALID_EXPECTATION_REMEDY, MAX_DURATION, SUCCESS_WITHIN, invalid_expectation,
};
use cronjob_text::duration::{exact, human};
use cronjob_text::text::Text;
use kube_model::PastRun;

impl Input<'_> {
    /// Shows the last lines that a Job wrote.
    pub(super) fn last_logs(&self, job: &str) -> Command {
        let logs = self.kubectl("logs").name(&format!("job/{job}"));
        logs.with("--all-containers --prefix --tail=20")
    }
}

/// `JOB has been running for 25m (since TIME). `
fn has_been_running(facts: &Facts<'_>, run: &PastRun<'_>, since: Timestamp) -> Text {
    Text::aside(text!(
        "{} has been running for {} (since {}). ",
        job_in_words(run),
        human(facts.input.ago(since)),
        local(facts, since)
    ))
}

pub(super) fn running_longer_than_usual(facts: &Facts<'_>) -> Option<FindingDetails> {
    let usual = facts.durations().known()?;
    // What is stated counts, not what is usual.
    if facts.input.expectations().max_duration_seconds.is_some() {
        return None;
    }
    let (run, since) = facts.longest_running()?;
    // Other findings report Jobs that wait for their pods, that block the next run, or that a sidecar holds.
    let is_reported = facts.input.awaits_pod(run.job)
        || facts.is_in_the_way(run.job)
        || facts.held(run).is_some();
    if !usual.is_exceeded_by(facts.input.ago(since)) || is_reported {
        return None;
    }
    let detail = text!(
        "{}Usual duration: {}.{}",
        has_been_running(facts, run, since),
        usual.in_words(),
        facts.and_blocks(run.job)
    );
    Some(FindingDetails::new(detail).remedy(facts.input.last_logs(&run.job.name)))
}

/// The last success took much less time than the others.
pub(super) fn finished_suspiciously_fast(facts: &Facts<'_>) -> Option<FindingDetails> {
    let usual = facts.durations().known()?;
    let (run, end) = facts.last_finished()?;
    let took = run.run_seconds()?;
    // A manually created Job may find its work done.
    if !usual.is_far_above(took) || !run.succeeded() || run.is_manual() {
        return None;
    }
    let detail = text!(
        "{} succeeded after {} (at {}). Usual duration: {}. It may have skipped its work.",
        job_in_words(run),
        human(took),
        local(facts, end),
        usual.in_words()
    );
    Some(FindingDetails::new(detail).remedy(facts.input.last_logs(&run.job.name)))
}

pub(super) fn max_duration_exceeded(facts: &Facts<'_>) -> Option<FindingDetails> {
    let most = facts.input.expectations().max_duration_seconds?;
    let stated = text!("{}: {}", MAX_DURATION, exact(most));
    let running = facts.longest_running();
    if let Some((run, since)) = running.filter(|(_, since)| facts.input.ago(*since) > most) {
        let mut detail = text!("{}{}.", has_been_running(facts, run, since), stated);
        detail += facts.and_blocks(run.job);
        return Some(FindingDetails::new(detail).remedy(facts.input.last_logs(&run.job.name)));
    }
    let (run, end) = facts.last_finished()?;
    let took = run.run_seconds().filter(|took| *took > most)?;
    let ended = if run.succeeded() {
        "succeeded"
    } else {
        "failed"
    };
    let detail = text!(
        "{} {} after {} (at {}). {}.",
        job_in_words(run),
        ended,
        human(took),
        local(facts, end),
        stated
    );
    let found = FindingDetails::new(detail).remedy(facts.input.last_logs(&run.job.name));
    Some(found.severity(Severity::Warning))
}

pub(super) fn success_overdue(facts: &Facts<'_>) -> Option<FindingDetails> {
    let within = facts.input.expectations().success_within_seconds?;
    if facts.input.is_suspended() || facts.input.cron_job.deletion_timestamp.is_some() {
        return None;
    }
    let since = facts.without_success_since()?;
    let due = since.checked_add(SignedDuration::from_secs(within)).ok()?;
    if facts.input.now <= due {
        return None;
    }
    let what = match facts.last_success() {
        Some(_) => "The last success was",
        None => "No success is recorded since its creation",
    };
    let since = text!("{} at {}. ", what, facts.past_time(since));
    let detail = text!(
        "{}{}: {}, so a success was due by {}.",
        Text::aside(since),
        SUCCESS_WITHIN,
        exact(within),
        facts.local_without_zone(due)
    );
    Some(FindingDetails::new(detail).remedy(facts.input.doctor("history")))
}

pub(super) fn invalid_expectations(facts: &Facts<'_>) -> Option<FindingDetails> {
    let annotations = facts.input.cron_job.annotations.iter();
    let invalid: Vec<String> = annotations
        .filter_map(|(name, value)| {
            let problem = invalid_expectation(name, value)?;
            let end = if problem.ends_with('?') { "" } else { "." };
            Some(format!("{} is ignored: {problem}{end}", one_line(name)))
        })
        .collect();
    if invalid.is_empty() {
        return None;
    }
    Some(FindingDetails::new(invalid.join(" ")).remedy(INVALID_EXPECTATION_REMEDY))
}
