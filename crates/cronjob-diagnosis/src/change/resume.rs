//! Predicts what happens when a `CronJob` is resumed.

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::first_start::{FirstStart, LateStart, LateStartFields, NoStart};
use super::other_writers::{reverted_by, undone};
use super::words::PredictionSentence;
use super::{next_run, words};
use crate::diagnose::{Facts, Input, SkippedRuns, SuspensionRecord, for_run, local};
use cronjob_controller::controller::{Decision, Outcome, decide, edit_effect};
use cronjob_text::duration::{human, later};
use cronjob_text::text::Text;
use kube_model::{CronJob, ManualChange, SyncEffect};

/// What happens to the last missed run when a `CronJob` is resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "CatchUpFields")]
pub enum CatchUp {
    /// They are left to the controller.
    Run,
    /// They are skipped: `status.lastScheduleTime` is set to this scheduled time.
    Status(Timestamp),
    /// They are skipped: `startingDeadlineSeconds` is set, and older runs are past it.
    Deadline(i64),
}

/// How missed runs are handled.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "CatchUp")]
#[serde(rename_all = "camelCase")]
struct CatchUpFields {
    /// Left to the controller (`run`), or skipped with `lastScheduleTime` or `startingDeadlineSeconds`.
    #[schemars(extend("enum" = ["run", "status", "deadline"]))]
    method: &'static str,
    /// The new value of `status.lastScheduleTime`.
    last_schedule_time: Option<Timestamp>,
    /// The new value of `spec.startingDeadlineSeconds`.
    starting_deadline_seconds: Option<i64>,
}

impl From<CatchUp> for CatchUpFields {
    fn from(catch_up: CatchUp) -> Self {
        let (method, last_schedule_time, starting_deadline_seconds) = match catch_up {
            CatchUp::Run => ("run", None, None),
            CatchUp::Status(scheduled_time) => ("status", Some(scheduled_time), None),
            CatchUp::Deadline(seconds) => ("deadline", None, Some(seconds)),
        };
        CatchUpFields {
            method,
            last_schedule_time,
            starting_deadline_seconds,
        }
    }
}

/// The prediction for a resumed `CronJob`.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[schemars(rename = "ResumePrediction")]
#[serde(rename_all = "camelCase")]
pub struct Resumption {
    /// The outcome of the first sync.
    pub outcome: Outcome,
    #[schemars(with = "LateStartFields")]
    #[serde(flatten)]
    pub first_start: FirstStart,
    /// How late it starts, in seconds.
    pub late_seconds: Option<i64>,
    /// The number of missed runs.
    pub missed: u64,
    /// The scheduled time of the last missed run.
    pub last_missed: Option<Timestamp>,
    /// The number of missed runs that are not started.
    pub skipped: u64,
    /// The scheduled time of the first run after now; null if none may start.
    pub next_run: Option<Timestamp>,
    /// What that run depends on.
    pub next_run_condition: Option<Text>,
    /// The time of the first sync.
    pub syncs_at: Option<Timestamp>,
    /// What is changed in addition to `spec.suspend`.
    #[schemars(with = "CatchUpFields")]
    pub catch_up: CatchUp,
    /// The command that restores `startingDeadlineSeconds` after the next run has started.
    pub(crate) afterwards: Option<String>,
    /// The tool or field manager that sets `spec.suspend` or manages the object, and may suspend it again.
    pub(crate) reverted_by: Option<String>,
    /// What the next sync of the tool that manages the object does to this change; null without one.
    pub(crate) sync_effect: Option<SyncEffect>,
    /// The prediction in sentences.
    pub text: Text,
    /// The sentences, each of them understandable by itself.
    #[serde(skip)]
    pub(crate) sentences: Vec<PredictionSentence>,
    /// The decision of the first sync.
    #[serde(skip)]
    pub decision: Decision,
    /// The runs that are certainly not started, to be recorded.
    #[serde(skip)]
    pub(crate) skipped_runs: Option<SkippedRuns>,
}

/// What the controller does in its first sync of a `CronJob` that is resumed.
pub(super) struct FirstSync {
    pub(super) decision: Decision,
    syncs_at: Option<Timestamp>,
    pub(super) first_start: FirstStart,
    /// The number of missed runs, counted exactly.
    missed: u64,
    last_missed: Option<Timestamp>,
    /// The number of missed runs that are not started.
    pub(super) skipped: u64,
}

impl FirstSync {
    pub(super) fn of(facts: &Facts<'_>, catch_up: CatchUp) -> Self {
        let (before, after) = resumed(&facts.input.cron_job, catch_up);
        let (controller, now) = (facts.input.controller, facts.input.now);
        let effect = edit_effect(controller, &before, &after, &facts.controller_jobs, now);
        let decision = effect
            .decision_then
            .unwrap_or_else(|| decide(controller, &after, &facts.controller_jobs, now));
        let missed = facts.missed.map_or(0, |missed| missed.count);
        let last_missed = facts.missed.and_then(|missed| missed.last);
        let deadline = after.spec.starting_deadline_seconds;
        // The newer releases do not report runs that are past the deadline.
        let is_past = |scheduled_time| {
            deadline.is_some_and(|deadline| facts.input.ago(scheduled_time) > deadline)
        };
        let first_start =
            match FirstStart::of(controller, &after, &facts.controller_jobs, &decision, now) {
                FirstStart::NoStart(NoStart::NoneMissed) if last_missed.is_some_and(is_past) => {
                    FirstStart::NoStart(NoStart::PastDeadline)
                }
                // The old releases treat a schedule that never runs as one with too many missed runs.
                FirstStart::NoStart(NoStart::TooManyMissed) if missed == 0 => {
                    FirstStart::NoStart(NoStart::Impossible(decision.outcome))
                }
                first_start => first_start,
            };
        let skipped = facts.never_started(first_start.late_time());
        FirstSync {
            decision,
            syncs_at: effect.syncs_at,
            first_start,
            missed,
            last_missed,
            skipped,
        }
    }
}

impl Resumption {
    /// Asks the controller about a `CronJob` that is suspended. The field manager `writer` makes the change.
    pub fn of(facts: &Facts<'_>, catch_up: CatchUp, writer: &str) -> Self {
        let sync = FirstSync::of(facts, catch_up);
        let (_, after) = resumed(&facts.input.cron_job, catch_up);
        let forecast = facts.changed(&after).forecast_with_sync(2);
        let next_run = next_run(facts, &forecast);
        let change = ManualChange::Suspend(false);
        let is_past_deadline = sync.first_start == FirstStart::NoStart(NoStart::PastDeadline);
        let mut resumption = Resumption {
            outcome: sync.decision.outcome,
            late_seconds: sync.first_start.late_by(facts.input.now),
            first_start: sync.first_start,
            missed: sync.missed,
            last_missed: sync.last_missed,
            skipped: sync.skipped,
            next_run_condition: next_run.and_then(|next| forecast.note(next)),
            next_run,
            syncs_at: sync.syncs_at,
            catch_up,
            afterwards: afterwards(facts, catch_up),
            reverted_by: reverted_by(&facts.input.cron_job, change, writer),
            sync_effect: facts.input.cron_job.sync_effect(change, writer),
            text: Text::default(),
            sentences: Vec::new(),
            decision: sync.decision,
            skipped_runs: skipped_runs(facts, catch_up, is_past_deadline),
        };
        resumption.sentences = resumption.in_sentences(facts, writer);
        let texts = resumption.sentences.iter().map(|sentence| &sentence.text);
        resumption.text = Text::join(texts, " ");
        resumption
    }

    fn in_sentences(&self, facts: &Facts<'_>, writer: &str) -> Vec<PredictionSentence> {
        use PredictionSentence as Sentence;
        let record = SuspensionRecord::of(&facts.input.cron_job).unwrap_or_default();
        let mut sentences: Vec<Sentence> = record
            .past(facts)
            .map(Sentence::usual)
            .into_iter()
            .collect();
        let is_late = self.first_start.late_time().is_some();
        let skipped = self.skipped_in_words();
        match self.catch_up {
            CatchUp::Status(last) if !is_late && self.skipped > 0 => {
                let last = local(facts, last);
                sentences.push(Sentence::usual(match self.skipped {
                    1 => text!("Skips the run scheduled at {}.", last),
                    many => text!(
                        "Skips {} missed runs, the last scheduled at {}.",
                        many,
                        last
                    ),
                }));
            }
            _ => {
                let skipped = skipped.map(Sentence::usual);
                sentences.extend(skipped.clone().filter(|_| !is_late));
                let start = self.start_in_words(facts);
                sentences.push(match self.first_start {
                    FirstStart::NoStart(NoStart::NoneMissed) => Sentence::usual(start),
                    FirstStart::NoStart(NoStart::PastDeadline) if self.catch_up != CatchUp::Run => {
                        Sentence::usual(start)
                    }
                    _ => Sentence::exception(start),
                });
                sentences.extend(skipped.filter(|_| is_late));
            }
        }
        match self.catch_up {
            CatchUp::Run | CatchUp::Status(_) => {}
            CatchUp::Deadline(seconds) => sentences.push(Sentence::exception(text!(
                "Sets startingDeadlineSeconds to {}. Keep it until the next run has started: if \
                 you remove it earlier, the missed run starts immediately.",
                seconds
            ))),
        }
        let given_up = matches!(
            self.first_start,
            FirstStart::NoStart(NoStart::TooManyMissed | NoStart::Impossible(_))
        );
        if let Some(next) = self.next_run.filter(|_| !given_up) {
            let condition = self.next_run_condition.as_ref();
            let next = words::next_run(facts, "Next run", next, condition);
            sentences.push(Sentence::usual(next));
        }
        let undone = undone(&facts.input, false, writer);
        sentences.extend(undone.map(Sentence::exception));
        sentences
    }

    fn start_in_words(&self, facts: &Facts<'_>) -> Text {
        let start = match &self.first_start {
            FirstStart::Late(start) => start,
            FirstStart::NoStart(nothing) => return self.no_start_in_words(facts, nothing),
        };
        if let Some(text) = words::not_before_controller(facts) {
            return text;
        }
        let LateStart {
            scheduled_time,
            job_name,
            starts_after,
            deleted_jobs,
        } = start;
        let job = Text::job(job_name, "its Job");
        let run = for_run(facts, *scheduled_time, facts.input.now);
        let running = Text::job(&starts_after.join(", "), "its running Job");
        match (starts_after.is_empty(), facts.input.jobs_are_unknown()) {
            (true, is_unknown) => {
                let when = self.soon(&facts.input);
                let mut text = text!("Starts {} {} {}.", job, when, run);
                if !deleted_jobs.is_empty() {
                    let deleted = Text::job(&deleted_jobs.join(", "), "its running Job");
                    text += text!(" Deletes {} first", deleted);
                    text += if is_unknown {
                        ", if still running (Jobs were not read)."
                    } else {
                        "."
                    };
                }
                text
            }
            (false, true) => text!(
                "Starts {} {}: immediately, or when {} finishes if it is \
                 still running (concurrencyPolicy: Forbid; it is in status.active, and Jobs were not read).",
                job,
                Text::for_run(local(facts, *scheduled_time)),
                running
            ),
            (false, false) => text!(
                "Starts nothing while {} is running (concurrencyPolicy: Forbid). Then starts {} \
                 {} (already {} late).",
                running,
                Text::job(&start.job_name, "the next one"),
                Text::for_run(local(facts, *scheduled_time)),
                human(facts.input.ago(*scheduled_time))
            ),
        }
    }

    fn no_start_in_words(&self, facts: &Facts<'_>, nothing: &NoStart) -> Text {
        let release = facts.input.controller.release;
        match nothing {
            NoStart::NoneMissed if self.missed == 0 => "No run was missed.".into(),
            NoStart::NoneMissed => "No missed run starts.".into(),
            // The deadline that was chosen for it.
            NoStart::PastDeadline if self.catch_up != CatchUp::Run => {
                "No missed run starts.".into()
            }
            NoStart::NoneFound => text!(
                "No missed run starts: Kubernetes {} estimates which one is the latest, finds \
                 none, and records no event.",
                release
            ),
            NoStart::PastDeadline => {
                let last = self.last_missed;
                let last = last.map_or_else(Text::default, |last| {
                    text!(", scheduled at {},", local(facts, last))
                });
                text!(
                    "No missed run starts: the last one{} is past its \
                     startingDeadlineSeconds.",
                    last
                )
            }
            NoStart::TooManyMissed => text!(
                "Never starts a run again: {} runs were missed, and Kubernetes {} gives up \
                 above 100. Resume with --catch-up=skip instead.",
                self.missed,
                release
            ),
            NoStart::NameTaken { job, in_vain } => {
                let then = if *in_vain {
                    ". The controller retries without success until the next run is due; to avoid \
                     that, resume with --catch-up=skip"
                } else {
                    ""
                };
                text!(
                    "No missed run starts: {} already exists{}.",
                    Text::job(&format!("a Job named {job}"), "a Job with its name"),
                    then
                )
            }
            NoStart::Impossible(outcome) => text!(
                "Starts nothing, now or later ({}). To see why, run `{}`.",
                outcome.in_words(),
                facts.input.doctor("explain")
            ),
        }
    }

    /// How soon the controller syncs the CronJob.
    fn soon(&self, input: &Input<'_>) -> String {
        let wait = self
            .syncs_at
            .map_or(0, |at| at.as_second() - input.now.as_second());
        if wait > 0 {
            format!("within {}", human(wait))
        } else {
            "immediately".to_owned()
        }
    }

    fn skipped_in_words(&self) -> Option<Text> {
        let is_late = self.first_start.late_time().is_some();
        if self.first_start == FirstStart::NoStart(NoStart::TooManyMissed) {
            return None;
        }
        match self.skipped {
            0 => None,
            1 if is_late => Some("Will not start the other missed run.".into()),
            many if is_late => Some(text!("Will not start the other {} missed runs.", many)),
            1 => Some("1 run was missed.".into()),
            many => Some(text!("{} runs were missed.", many)),
        }
    }
}

/// The command to run once the next run has started.
fn afterwards(facts: &Facts<'_>, catch_up: CatchUp) -> Option<String> {
    let before = facts.input.cron_job.spec.starting_deadline_seconds;
    let restores = || facts.patch(&json!({ "startingDeadlineSeconds": before }));
    matches!(catch_up, CatchUp::Deadline(_)).then(|| restores().to_string())
}

/// The runs that nothing starts any more. The latest one may be started unless it is skipped, or past its deadline.
fn skipped_runs(
    facts: &Facts<'_>,
    catch_up: CatchUp,
    is_past_deadline: bool,
) -> Option<SkippedRuns> {
    let missed = facts.missed?;
    let last = match catch_up {
        CatchUp::Run if !is_past_deadline => facts.timetable.as_ref()?.previous(missed.last?)?,
        CatchUp::Run | CatchUp::Status(_) | CatchUp::Deadline(_) => missed.last?,
    };
    let first = missed.first.filter(|first| *first <= last)?;
    Some(SkippedRuns {
        first,
        last,
        suspended_at: SuspensionRecord::of(&facts.input.cron_job).and_then(|record| record.at),
        resumed_at: facts.input.now,
    })
}

/// The `CronJob` right before it is resumed, and after.
fn resumed(cron_job: &CronJob, catch_up: CatchUp) -> (CronJob, CronJob) {
    let mut before = cron_job.clone();
    if let CatchUp::Status(scheduled_time) = catch_up {
        before.status.last_schedule_time = Some(scheduled_time);
    }
    let mut after = before.clone();
    after.spec.suspend = Some(false);
    if let CatchUp::Deadline(seconds) = catch_up {
        after.spec.starting_deadline_seconds = Some(seconds);
    }
    (before, after)
}

/// The longest common deadline with which resuming starts no run late, even if some seconds pass until
/// then. A short one misses runs if the controller is slow.
pub fn quiet_deadline(facts: &Facts<'_>) -> Option<i64> {
    const CHOICES: [i64; 6] = [3_600, 600, 300, 120, 60, 30];
    const SLACK: i64 = 30;
    let is_late = |decision: &Decision| {
        let is_past = |scheduled_time| scheduled_time <= facts.input.now;
        decision.starts() && decision.scheduled_time.is_some_and(is_past)
    };
    let starts_nothing = |seconds: &i64| {
        // A shorter deadline can start a run that a longer one does not: if the intervals of a schedule are
        // uneven, the newer releases may not find one missed run among many. So each second is checked.
        let with = |seconds| FirstSync::of(facts, CatchUp::Deadline(seconds)).first_start;
        let now = [*seconds, seconds + SLACK].map(with);
        let (_, after) = resumed(&facts.input.cron_job, CatchUp::Deadline(*seconds));
        let mut later = (1..=SLACK).map(|wait| {
            let then = later(facts.input.now, SignedDuration::from_secs(wait));
            decide(facts.input.controller, &after, &facts.controller_jobs, then)
        });
        now.iter()
            .all(|first_start| first_start.late_time().is_none())
            && facts.input.controller.has_time_to_start(&after.spec)
            && !later.any(|then| is_late(&then))
    };
    CHOICES.into_iter().find(starts_nothing)
}
