//! Predicts what happens when a `CronJob` is suspended.

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use super::first_start::freed;
use super::next_run;
use super::other_writers::{reverted_by, undone};
use super::resume::{CatchUp, FirstSync};
use super::words::{PredictionSentence, keep_running, unless_finished};
use crate::diagnose::{DOWN, Facts, Input, action_time, lateness, local};
use cronjob_controller::controller::{ON_TIME, Outcome, TooMany};
use cronjob_text::duration::{exact, human};
use cronjob_text::text::Text;
use kube_cron::RunCount;
use kube_model::{CronJob, ManualChange, SyncEffect};

/// The prediction for a suspended `CronJob`.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[schemars(rename = "SuspendPrediction")]
#[serde(rename_all = "camelCase")]
pub struct Suspension {
    /// The running Jobs, which keep running.
    pub running: Vec<String>,
    /// The scheduled time of a run that is due and may start before the controller sees the change.
    pub due: Option<Timestamp>,
    /// The scheduled time of a run that waits for a running Job or for a retry, and is not started.
    pub pending: Option<Timestamp>,
    /// The scheduled time of the first run that is missed.
    // `None` if no run would start.
    #[serde(rename = "firstMissed")]
    pub next_run: Option<Timestamp>,
    /// The number of runs missed until the `CronJob` is resumed; null without `--until`.
    pub missed: Option<u64>,
    /// The scheduled time of the last of them.
    pub last_missed: Option<Timestamp>,
    /// The scheduled time from which on more than 100 runs have been missed.
    pub crosses_limit_at: Option<Timestamp>,
    /// When the `CronJob` is assumed to be resumed: at `--until`, or right before the second missed run.
    pub resumed_at: Option<Timestamp>,
    /// What the controller then does, if the Jobs that run now have finished.
    pub if_resumed: Option<IfResumed>,
    /// A `startingDeadlineSeconds` that would prevent very late runs.
    pub suggested_deadline_seconds: Option<i64>,
    /// The tool or field manager that sets `spec.suspend` or manages the object, and may resume it.
    pub(crate) reverted_by: Option<String>,
    /// What the next sync of the tool that manages the object does to this change; null without one.
    pub(crate) sync_effect: Option<SyncEffect>,
    /// The prediction in sentences.
    pub text: Text,
    /// The sentences without the Jobs that keep running, each of them understandable by itself.
    #[serde(skip)]
    pub(crate) sentences: Vec<PredictionSentence>,
}

/// What the controller does when a `CronJob` is resumed.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IfResumed {
    /// The outcome of the sync.
    pub outcome: Outcome,
    /// The scheduled time of the run that starts late; null if none does.
    pub scheduled_time: Option<Timestamp>,
    /// The name of its Job.
    pub job_name: Option<String>,
    /// How late it starts, in seconds.
    pub late_seconds: Option<i64>,
    /// The number of missed runs that are not started.
    pub skipped: u64,
}

/// A run that is later than this, in seconds, is a surprise.
const SURPRISINGLY_LATE: i64 = 60;

impl Suspension {
    /// Asks the controller about a `CronJob` that is not suspended. The field manager `writer` makes the change.
    pub fn of(facts: &Facts<'_>, until: Option<Timestamp>, writer: &str) -> Self {
        let decision = &facts.decision;
        let starts = decision.starts();
        let active = facts.input.cron_job.status.active.iter();
        let running: Vec<String> = active.map(|job| job.name.clone()).collect();
        let forecast = facts.forecast(2);
        let next_run = next_run(facts, &forecast);
        let pending = forecast.next_start().and_then(|sync| sync.scheduled_time);
        let resumed_at = until.or_else(|| before_second(facts, next_run?));
        let if_resumed = resumed_at.map(|at| if_resumed(facts, &running, at));
        let is_surprise = if_resumed.as_ref().is_some_and(|then| {
            let late = then.late_seconds;
            late.is_some_and(|late| late > SURPRISINGLY_LATE)
        });
        let has_deadline = facts
            .input
            .cron_job
            .spec
            .starting_deadline_seconds
            .is_some();
        // A run right before the end starts on time when the CronJob is resumed.
        let on_time = if_resumed.as_ref().and_then(IfResumed::on_time);
        let missed =
            until.and_then(|until| missed_until(facts, on_time.unwrap_or(until).min(until)));
        let change = ManualChange::Suspend(true);
        let mut suspension = Suspension {
            due: decision.scheduled_time.filter(|_| starts),
            missed: missed.map(|missed| missed.count),
            last_missed: missed.and_then(|missed| missed.last),
            crosses_limit_at: facts.missed.and_then(|missed| missed.crosses_limit_at),
            suggested_deadline_seconds: (is_surprise && !has_deadline)
                .then(|| facts.sensible_deadline()),
            pending: pending.filter(|scheduled_time| *scheduled_time <= facts.input.now && !starts),
            running,
            next_run,
            resumed_at,
            if_resumed,
            reverted_by: reverted_by(&facts.input.cron_job, change, writer),
            sync_effect: facts.input.cron_job.sync_effect(change, writer),
            text: Text::default(),
            sentences: Vec::new(),
        };
        let first_missed = missed.and_then(|missed| missed.first);
        suspension.sentences = suspension.in_sentences(facts, first_missed, writer);
        let unless_finished = unless_finished(&facts.input);
        let running = keep_running(facts, &suspension.running).into_iter();
        let running = running.map(|keep| text!("{}{}.", keep, unless_finished));
        let others = suspension.sentences.iter();
        let sentences = running.chain(others.map(|sentence| sentence.text.clone()));
        suspension.text = Text::join(sentences, " ");
        suspension
    }

    fn in_sentences(
        &self,
        facts: &Facts<'_>,
        first_missed: Option<Timestamp>,
        writer: &str,
    ) -> Vec<PredictionSentence> {
        use PredictionSentence as Sentence;
        let mut sentences = Vec::new();
        if let Some(due) = self.due {
            let at = local(facts, due);
            sentences.push(Sentence::exception(if facts.controller_is_down() {
                text!(
                    "The run scheduled at {} is due, and {} will not start it.",
                    at,
                    DOWN
                )
            } else {
                text!("The run scheduled at {} is due and may still start.", at)
            }));
        }
        if let Some(pending) = self.pending {
            let at = local(facts, pending);
            sentences.push(Sentence::exception(text!(
                "The pending run, scheduled at {}, will not start.",
                at
            )));
        }
        let missed = self.missed_in_sentences(facts, first_missed).into_iter();
        sentences.extend(missed.chain(self.then(facts)).map(Sentence::usual));
        let undone = undone(&facts.input, true, writer);
        sentences.extend(
            self.limit(facts)
                .into_iter()
                .chain(undone)
                .map(Sentence::exception),
        );
        sentences
    }

    fn missed_in_sentences(&self, facts: &Facts<'_>, first_missed: Option<Timestamp>) -> Vec<Text> {
        let sentence = match (self.missed, self.next_run) {
            (_, None) => "Nothing would have started anyway.".into(),
            (None, Some(next)) => {
                let away = human(next.as_second() - facts.input.now.as_second());
                return vec![
                    "Nothing starts until it is resumed.".into(),
                    text!("First missed run: {} (in {}).", local(facts, next), away),
                ];
            }
            (Some(missed), _) => {
                let until = self.resumed_at;
                let until = until.map_or_else(Text::default, |until| {
                    text!(" until {}", action_time(&facts.input, until))
                });
                match (missed, first_missed, self.last_missed) {
                    (1, Some(first), _) => text!(
                        "1 run will be missed{}, scheduled at {}.",
                        until,
                        local(facts, first)
                    ),
                    (count, Some(first), Some(last)) if count > 0 => text!(
                        "{} runs will be missed{}: the first at {}, the last at {}.",
                        count,
                        until,
                        local(facts, first),
                        local(facts, last)
                    ),
                    _ => text!("No run will be missed{}.", until),
                }
            }
        };
        vec![sentence]
    }

    /// What happens if it is resumed at the given end, or at any time.
    fn then(&self, facts: &Facts<'_>) -> Option<Text> {
        let then = self.if_resumed.as_ref()?;
        let is_down = facts.controller_is_down();
        let running = is_down.then(|| text!(" and {} is running again", DOWN));
        let running = running.unwrap_or_default();
        if self.missed.is_none() {
            return then.whenever(&facts.input, &running);
        }
        let (Some(job), Some(late)) = (&then.job_name, then.late_seconds) else {
            return Some(text!("If resumed then{}, nothing starts late.", running));
        };
        let (when, others) = match lateness(late) {
            Some(late) => (
                text!("immediately ({})", late),
                " and none of the other missed runs",
            ),
            None => ("on time".into(), " and none of the missed runs"),
        };
        let others = if then.skipped > 0 { others } else { "" };
        let skip = if late > SURPRISINGLY_LATE {
            " (--catch-up=skip prevents it)"
        } else {
            ""
        };
        Some(text!(
            "If resumed then{}, it starts {} {}{}{}.",
            running,
            Text::job(job, "its Job"),
            when,
            others,
            skip
        ))
    }

    /// When the controller gives up because of the missed runs. Other releases only record an event.
    fn limit(&self, facts: &Facts<'_>) -> Option<Text> {
        let at = self.crosses_limit_at?;
        let end = self.resumed_at.filter(|_| self.missed.is_some());
        let gives_up = facts.input.behavior().too_many == TooMany::Refuses;
        if !gives_up || end.is_some_and(|end| at > end) {
            return None;
        }
        let (release, at) = (facts.input.controller.release, local(facts, at));
        Some(text!(
            "More than 100 runs will have been missed by {}: from then on, Kubernetes {} starts \
             nothing.",
            at,
            release
        ))
    }
}

impl IfResumed {
    /// The scheduled time of the run that starts on time.
    fn on_time(&self) -> Option<Timestamp> {
        let is_on_time = |late: &i64| *late <= ON_TIME;
        self.late_seconds.filter(is_on_time)?;
        self.scheduled_time
    }

    /// What happens when it is resumed, if no end is given. `running` is what else that depends on.
    fn whenever(&self, input: &Input<'_>, running: &Text) -> Option<Text> {
        if let Some(seconds) = input.cron_job.spec.starting_deadline_seconds {
            return Some(text!(
                "If resumed{} within {} of a missed run, it starts that run late; if later, it starts \
                 none of the missed runs.",
                running,
                exact(seconds)
            ));
        }
        if self.scheduled_time.is_some() {
            return Some(text!(
                "When it is resumed{}, the last missed run starts immediately (--catch-up=skip prevents it).",
                running
            ));
        }
        (self.outcome == Outcome::NoRunFound).then(|| {
            text!(
                "When it is resumed, maybe no missed run starts: Kubernetes {} may find none.",
                input.controller.release
            )
        })
    }
}

fn before_second(facts: &Facts<'_>, first: Timestamp) -> Option<Timestamp> {
    let second = facts.timetable.as_ref()?.next(first).ok()??;
    second.checked_sub(SignedDuration::from_secs(1)).ok()
}

/// The missed runs. A run scheduled exactly at the end is not missed: it starts when the `CronJob` is resumed.
fn missed_until(facts: &Facts<'_>, until: Timestamp) -> Option<RunCount> {
    let until = until.checked_sub(SignedDuration::from_secs(1)).ok()?;
    facts.timetable.as_ref()?.count(facts.input.now, until).ok()
}

/// The prediction for being resumed at a time, if the Jobs that run now have finished by then.
fn if_resumed(facts: &Facts<'_>, running: &[String], at: Timestamp) -> IfResumed {
    let (mut suspended, jobs): (CronJob, _) =
        freed(&facts.input.cron_job, &facts.controller_jobs, running);
    suspended.spec.suspend = Some(true);
    let then = Facts::gather(facts.input.controller, &suspended, &jobs, &[], at);
    let sync = FirstSync::of(&then, CatchUp::Run);
    IfResumed {
        outcome: sync.decision.outcome,
        scheduled_time: sync.first_start.late_time(),
        job_name: sync.first_start.late().map(|late| late.job_name.clone()),
        late_seconds: sync.first_start.late_by(at),
        skipped: sync.skipped,
    }
}
