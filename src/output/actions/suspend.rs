//! What happens to a `CronJob` that is suspended, in sentences and in documents.

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::summary::all_and_some;
use super::{keep, keep_running, part, sync, unfinished, unless_finished};
use crate::change::{FirstStart, NoStart, Suspension, reverted_by};
use crate::controller::Outcome;
use crate::diagnose::{Facts, action_time, lateness, local};
use crate::duration::{exact, human};
use crate::model::{ManualChange, SyncEffect};
use crate::words::counted;

/// A few sentences. The change is made as the field manager `writer`.
pub fn in_sentences(facts: &Facts<'_>, suspension: &Suspension, writer: &str) -> String {
    let unless_finished = unless_finished(facts);
    let running = keep_running(facts, &suspension.running).into_iter();
    let running = running.map(|keep| format!("{keep}{unless_finished}."));
    let others = sentences(facts, suspension, writer);
    running.chain(others).collect::<Vec<_>>().join(" ")
}

/// The same, each of them understandable by itself, without the Jobs that keep running.
pub(crate) fn sentences(facts: &Facts<'_>, suspension: &Suspension, writer: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    if let Some(due) = suspension.due {
        let at = local(facts, due);
        sentences.push(format!(
            "The run scheduled at {at} is due and may still start."
        ));
    }
    if let Some(pending) = suspension.pending {
        let at = local(facts, pending);
        sentences.push(format!(
            "The pending run, scheduled at {at}, will not start."
        ));
    }
    sentences.extend(missed(facts, suspension));
    if let Some(then) = if_resumed(facts, suspension) {
        sentences.push(then);
    }
    if let Some(limit) = limit(facts, suspension) {
        sentences.push(limit);
    }
    if let Some(seconds) = suspension.deadline {
        sentences.push(format!(
            "To skip the late run, resume with --catch-up=skip. With startingDeadlineSeconds: {seconds}, it \
             starts only if the CronJob is resumed within {} of the scheduled time.",
            exact(seconds)
        ));
    }
    sentences.extend(sync::undone(facts, true, "resumes it", writer));
    sentences
}

fn missed(facts: &Facts<'_>, suspension: &Suspension) -> Vec<String> {
    let sentence = match (suspension.missed, suspension.next_run) {
        (_, None) => "Nothing would have started anyway.".to_owned(),
        (None, Some(next)) => {
            let away = human(next.as_second() - facts.now.as_second());
            return vec![
                "Nothing starts until it is resumed.".to_owned(),
                format!("First missed run: {} (in {away}).", local(facts, next)),
            ];
        }
        (Some(missed), _) => {
            let until = suspension.resumed_at;
            let until = until.map_or_else(String::new, |until| {
                format!(" until {}", action_time(facts, until))
            });
            match (missed.count, missed.first, missed.last) {
                (1, Some(first), _) => format!(
                    "1 run will be missed{until}, scheduled at {}.",
                    local(facts, first)
                ),
                (count, Some(first), Some(last)) if count > 0 => format!(
                    "{count} runs will be missed{until}: the first at {}, the last at {}.",
                    local(facts, first),
                    local(facts, last)
                ),
                _ => format!("No run will be missed{until}."),
            }
        }
    };
    vec![sentence]
}

/// What suspending many CronJobs leads to.
#[derive(Debug, Default)]
pub(crate) struct SuspensionTotals {
    cron_jobs: usize,
    /// The CronJobs that miss runs until the end, and the number of these runs.
    missing: usize,
    missed: u64,
    /// The end, if one is given.
    until: Option<String>,
    /// The first missed run, in words.
    first: Option<(Timestamp, String)>,
    /// The Jobs that keep running, and those that keep waiting.
    unfinished: [Vec<String>; 2],
    unless_finished: &'static str,
}

impl SuspensionTotals {
    pub(crate) fn add(&mut self, facts: &Facts<'_>, suspension: &Suspension) {
        self.cron_jobs += 1;
        let unfinished = unfinished(facts, &suspension.running);
        for (all, (_, names)) in self.unfinished.iter_mut().zip(unfinished) {
            all.extend(names.into_iter().map(str::to_owned));
        }
        self.unless_finished = unless_finished(facts);
        if let (Some(missed), Some(until)) = (suspension.missed, suspension.resumed_at) {
            self.missing += usize::from(missed.count > 0);
            self.missed = self.missed.saturating_add(missed.count);
            self.until.get_or_insert_with(|| action_time(facts, until));
        }
        if let Some(next) = suspension.next_run
            && self.first.as_ref().is_none_or(|(first, _)| next < *first)
        {
            let away = human(next.as_second() - facts.now.as_second());
            self.first = Some((next, format!("{} (in {away})", local(facts, next))));
        }
    }

    /// `suspended` is the number of CronJobs that are suspended already.
    pub(crate) fn in_words(&self, suspended: usize) -> String {
        let mut parts = vec![all_and_some(
            self.cron_jobs,
            suspended,
            "will be suspended",
            "already suspended",
        )];
        match (&self.until, &self.first) {
            (_, None) => parts.push("none of them would have started anything".to_owned()),
            (Some(until), _) if self.missed == 0 => {
                parts.push(format!("no run will be missed until {until}"));
            }
            (Some(until), _) => parts.push(format!(
                "{} will miss {} until {until}",
                self.missing,
                counted(self.missed, "run")
            )),
            (None, Some((_, first))) => parts.push(format!("the first missed run is at {first}")),
        }
        for (jobs, what) in self.unfinished.iter().zip(["running", "waiting"]) {
            let names = match jobs.as_slice() {
                [] => continue,
                few @ ([_] | [_, _] | [_, _, _]) => format!(": {}", few.join(", ")),
                _ => String::new(),
            };
            let count = u64::try_from(jobs.len()).unwrap_or(u64::MAX);
            let (jobs, keep) = (counted(count, "Job"), keep(jobs.len()));
            parts.push(format!(
                "{jobs} {keep} {what}{}{names}",
                self.unless_finished
            ));
        }
        format!("{}.", parts.join("; "))
    }
}

/// What happens if it is resumed at the given end.
fn if_resumed(facts: &Facts<'_>, suspension: &Suspension) -> Option<String> {
    let (at, then) = (suspension.resumed_at?, suspension.then.as_ref()?);
    if suspension.missed.is_none() {
        return whenever_resumed(facts, &then.first_start);
    }
    Some(match &then.first_start {
        FirstStart::Late {
            scheduled_time,
            job,
            ..
        }
        | FirstStart::LateAfter {
            scheduled_time,
            job,
            ..
        } => {
            let (when, others) = match lateness(at.as_second() - scheduled_time.as_second()) {
                Some(late) => (
                    format!("immediately ({late})"),
                    " and none of the other missed runs",
                ),
                None => ("on time".to_owned(), " and none of the missed runs"),
            };
            let others = if then.skipped > 0 { others } else { "" };
            format!("If resumed then, it starts {job} {when}{others}.")
        }
        FirstStart::NoStart(_) => "If resumed then, nothing starts late.".to_owned(),
    })
}

/// What happens when it is resumed, if no end is given.
fn whenever_resumed(facts: &Facts<'_>, first_start: &FirstStart) -> Option<String> {
    let deadline = facts.cron_job.spec.starting_deadline_seconds;
    match (deadline, first_start) {
        (Some(seconds), _) => Some(format!(
            "If resumed within {} of a missed run, it starts that run late; if later, it starts \
             none of the missed runs.",
            exact(seconds)
        )),
        (None, FirstStart::Late { .. } | FirstStart::LateAfter { .. }) => Some(
            "Once resumed, it immediately starts the last missed run, however late.".to_owned(),
        ),
        (None, FirstStart::NoStart(NoStart::NoneFound)) => Some(format!(
            "Once resumed, it may start none of the missed runs: Kubernetes {} may find none.",
            facts.controller.release
        )),
        (None, FirstStart::NoStart(_)) => None,
    }
}

/// A warning event of the controller that is further away is not worth a sentence.
const SOON: SignedDuration = SignedDuration::from_hours(7 * 24);

/// When more than 100 runs will have been missed, and the consequence.
fn limit(facts: &Facts<'_>, suspension: &Suspension) -> Option<String> {
    let at = suspension.crosses_limit_at?;
    let end = match (suspension.missed, suspension.resumed_at) {
        (Some(_), Some(end)) => end,
        _ if suspension.gives_up => at,
        _ => facts.now.checked_add(SOON).ok()?,
    };
    if at > end {
        return None;
    }
    let release = facts.controller.release;
    let what = if suspension.gives_up {
        format!("from then on, Kubernetes {release} starts nothing")
    } else {
        "the controller then records a TooManyMissedTimes event".to_owned()
    };
    let place = local(facts, at);
    Some(format!(
        "More than 100 runs will have been missed by {place}: {what}."
    ))
}

pub(crate) fn document(facts: &Facts<'_>, suspension: &Suspension, writer: &str) -> Value {
    let then = suspension.then.as_ref();
    let late = then.and_then(|then| then.first_start.late_time());
    let job = suspension.late().and_then(|first_start| match first_start {
        FirstStart::Late { job, .. } | FirstStart::LateAfter { job, .. } => Some(job),
        FirstStart::NoStart(_) => None,
    });
    part(&SuspensionDocument {
        running: &suspension.running,
        due: suspension.due,
        pending: suspension.pending,
        first_missed: suspension.next_run,
        missed: suspension.missed.map(|missed| missed.count),
        last_missed: suspension.missed.and_then(|missed| missed.last),
        crosses_limit_at: suspension.crosses_limit_at,
        resumed_at: suspension.resumed_at,
        if_resumed: then.map(|then| IfResumedDocument {
            outcome: then.decision.outcome,
            scheduled_time: late,
            job_name: job.map(String::as_str),
            late_seconds: suspension.resumed_at.and_then(|at| then.late_by(at)),
            skipped: then.skipped,
        }),
        suggested_deadline_seconds: suspension.deadline,
        reverted_by: reverted_by(&facts.cron_job, ManualChange::Suspend(true), writer),
        sync_effect: sync::effect(facts, true, writer),
        text: in_sentences(facts, suspension, writer),
    })
}

/// The prediction for a suspended `CronJob`.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "SuspendPrediction")]
#[serde(rename_all = "camelCase")]
pub(super) struct SuspensionDocument<'a> {
    /// The running Jobs, which keep running.
    running: &'a [String],
    /// The scheduled time of a run that is due and may start before the controller sees the change.
    due: Option<Timestamp>,
    /// The scheduled time of a run that waits for a running Job or for a retry, and is not started.
    pending: Option<Timestamp>,
    /// The scheduled time of the first run that is missed.
    first_missed: Option<Timestamp>,
    /// The number of runs missed until the `CronJob` is resumed; null without `--until`.
    missed: Option<u64>,
    /// The scheduled time of the last of them.
    last_missed: Option<Timestamp>,
    /// The scheduled time from which on more than 100 runs have been missed.
    crosses_limit_at: Option<Timestamp>,
    /// When the `CronJob` is assumed to be resumed: at `--until`, or right before the second missed run.
    resumed_at: Option<Timestamp>,
    /// What the controller then does, if the Jobs that run now have finished.
    if_resumed: Option<IfResumedDocument<'a>>,
    /// A `startingDeadlineSeconds` that would prevent very late runs.
    suggested_deadline_seconds: Option<i64>,
    /// The tool or field manager that sets `spec.suspend` or manages the object, and may resume it.
    reverted_by: Option<String>,
    /// What the next sync of the tool that manages the object does to this change; null without one.
    sync_effect: Option<SyncEffect>,
    /// The prediction in sentences.
    text: String,
}

/// What the controller does when a `CronJob` is resumed.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "IfResumed")]
#[serde(rename_all = "camelCase")]
struct IfResumedDocument<'a> {
    /// The outcome of the sync.
    outcome: Outcome,
    /// The scheduled time of the run that starts late; null if none does.
    scheduled_time: Option<Timestamp>,
    /// The name of its Job.
    job_name: Option<&'a str>,
    /// How late it starts, in seconds.
    late_seconds: Option<i64>,
    /// The number of missed runs that are not started.
    skipped: u64,
}
