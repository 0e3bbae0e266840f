//! What a change of a `CronJob` leads to, before it is made.
//!
//! An edit seems harmless: the schedule changes, and the next run is expected at its next scheduled time. But
//! the controller measures the new schedule from the last start under the old one, so that a scheduled time
//! which was over when the edit was made may be started after all (kubernetes/kubernetes#130838).

use jiff::Timestamp;
use kube_cron::load_location;
use serde::Serialize;

use super::behavior::{Behavior, Generation};
use super::clock::ScheduleClock;
use super::decision::{Decision, EventType, Outcome, RecordedEvent};
use super::gotime::GoTime;
use super::wake::POLL;
use super::{Controller, decide, wake};
use kube_model::{CronJob, Job};

/// What a change of a `CronJob` leads to.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EditEffect {
    /// When the controller first syncs after the change if nothing else changes; null if it does not.
    // The first generation at the latest then.
    pub syncs_at: Option<Timestamp>,
    /// Why then.
    pub because: &'static str,
    /// The wake-up that is queued from before the change.
    // As it is after a sync that went as planned.
    pub old_wake: Option<Timestamp>,
    /// The wake-up that the change adds to the queue. It can be in the past.
    // The queue keeps the earlier one, and does not wait for one that is past.
    pub new_wake: Option<Timestamp>,
    /// The events that the change itself causes.
    pub events: Vec<RecordedEvent>,
    /// Whether the controller then starts a run that was scheduled before the change.
    pub retroactive: bool,
    /// What it does at that sync if the Jobs have not changed by then.
    pub decision_then: Option<Decision>,
}

/// What happens if `old`, as it is in the cluster, is changed to `new` now.
///
/// Of `new` only what a person can set is read; its status and its creation are those of `old`.
pub fn edit_effect(
    controller: &Controller,
    old: &CronJob,
    new: &CronJob,
    jobs: &[Job],
    now: Timestamp,
) -> EditEffect {
    let new = stored(old, new);
    let behavior = controller.model.behavior(controller.release);
    let is_moved = old.spec.schedule != new.spec.schedule
        || (behavior.time_zone_field && old.spec.time_zone != new.spec.time_zone);
    let answer = match behavior.generation {
        Generation::V1 => EditResponse::nothing("this version syncs every CronJob every 10s"),
        _ if is_same(old, &new) => {
            EditResponse::nothing("the change has no effect, so the controller is not notified")
        }
        // It then only makes sure that it will be awake for the next scheduled time.
        Generation::V2 if is_moved => moved(controller, behavior, &new, now),
        Generation::V2 => EditResponse::at(now, "the change does not affect the schedule"),
        Generation::Tutorial => EditResponse::at(now, "every change triggers a sync"),
    };
    let polls = behavior.generation == Generation::V1;
    let pending = || pending(controller, old, jobs, now);
    let old_wake = (!polls).then(pending).flatten();
    let earliest = [old_wake, answer.wake].into_iter().flatten().min();
    let syncs_at = if answer.panics {
        None
    } else if polls {
        now.checked_add(POLL).ok()
    } else {
        earliest.map(|wake| wake.max(now))
    };
    let decision_then = syncs_at.map(|then| decide(controller, &new, jobs, then));
    let retroactive = decision_then.as_ref().is_some_and(|decision| {
        let is_past = |scheduled_time| scheduled_time <= now;
        decision.starts() && decision.scheduled_time.is_some_and(is_past)
    });
    let old_comes_first = old_wake.is_some() && earliest == old_wake && answer.wake != old_wake;
    EditEffect {
        syncs_at,
        because: if old_comes_first && !answer.panics {
            answer.because_of_old
        } else {
            answer.because
        },
        old_wake,
        new_wake: answer.wake,
        events: answer.events,
        decision_then,
        retroactive,
    }
}

/// What the edit itself is answered with.
struct EditResponse {
    wake: Option<Timestamp>,
    because: &'static str,
    /// Why, where the wake-up from before comes first.
    because_of_old: &'static str,
    events: Vec<RecordedEvent>,
    panics: bool,
}

impl EditResponse {
    fn nothing(because: &'static str) -> Self {
        EditResponse {
            wake: None,
            because,
            because_of_old: because,
            events: Vec::new(),
            panics: false,
        }
    }

    fn at(wake: Timestamp, because: &'static str) -> Self {
        EditResponse {
            wake: Some(wake),
            ..EditResponse::nothing(because)
        }
    }
}

/// The wake-up that an edit of the schedule made at a moment adds to the queue.
pub(crate) fn wake_after_edit(
    controller: &Controller,
    cron_job: &CronJob,
    edited: Timestamp,
) -> Option<Timestamp> {
    moved(controller, controller.behavior(), cron_job, edited).wake
}

fn moved(
    controller: &Controller,
    behavior: Behavior,
    new: &CronJob,
    now: Timestamp,
) -> EditResponse {
    let clock = match ScheduleClock::read(&with_known_zone(controller, new), behavior, controller) {
        Ok(clock) => clock,
        Err(error) if error.is_panic() => {
            let because = "the parser panics, which crashes the controller manager";
            return EditResponse {
                panics: true,
                ..EditResponse::nothing(because)
            };
        }
        Err(_) => {
            let schedule = &new.spec.schedule;
            let event = RecordedEvent {
                r#type: EventType::Warning,
                reason: "UnParseableCronJobSchedule",
                message: format!("unparseable schedule for cronjob: {schedule}"),
            };
            return EditResponse {
                events: vec![event],
                because_of_old: "the new schedule cannot be parsed and adds no wake-up; the \
                                 wake-up of the old schedule is still queued",
                ..EditResponse::nothing("the new schedule cannot be parsed and adds no wake-up")
            };
        }
    };
    let last = new.status.last_schedule_time.or(new.creation_timestamp);
    let last = last.map_or(GoTime::ZERO, GoTime::of);
    let now = GoTime::of(now);
    let wait = wake::requeue_after(&behavior, &clock, last, now, None).ok();
    let wake = wait.flatten().and_then(|wait| now.add(wait).timestamp());
    EditResponse {
        wake,
        because_of_old: "a schedule change only adds a wake-up; the wake-up of the old schedule is \
                         still queued and comes first",
        ..EditResponse::nothing(
            "a schedule change does not trigger a sync; the first sync is at the next run of the new schedule",
        )
    }
}

/// If the handler of changes does not know the zone, it uses the controller's own.
fn with_known_zone(controller: &Controller, cron_job: &CronJob) -> CronJob {
    let mut cron_job = cron_job.clone();
    let is_known = |zone: &String| load_location(zone, &*controller.zones).is_ok();
    cron_job.spec.time_zone = cron_job.spec.time_zone.filter(is_known);
    cron_job
}

/// The wake-up that the last sync left in the queue. A suspension since then has not removed it, unless the controller was
/// restarted.
fn pending(
    controller: &Controller,
    cron_job: &CronJob,
    jobs: &[Job],
    now: Timestamp,
) -> Option<Timestamp> {
    let mut awake = cron_job.clone();
    awake.spec.suspend = None;
    let decision = decide(controller, &awake, jobs, now);
    // A run that was due while it was suspended has used up the wake-up.
    let is_left = cron_job.spec.suspend != Some(true)
        || (decision.outcome == Outcome::Wait && cron_job.status.last_schedule_time.is_some());
    let wait = decision.requeue_after.filter(|_| is_left)?;
    let clock = ScheduleClock::read(cron_job, controller.behavior(), controller).ok()?;
    if wake::counts_from_sync(controller, &clock.timetable) {
        return wake::wake_after_syncs(&clock.timetable, cron_job, jobs, now);
    }
    GoTime::of(now).add(wait).timestamp()
}

/// The object as the API server stores it: an edit changes neither its identity nor its status.
fn stored(old: &CronJob, new: &CronJob) -> CronJob {
    CronJob {
        labels: new.labels.clone(),
        annotations: new.annotations.clone(),
        spec: new.spec.clone(),
        ..old.clone()
    }
}

/// Whether there is nothing to write, so that no watcher is notified.
fn is_same(old: &CronJob, new: &CronJob) -> bool {
    old.spec == new.spec && old.labels == new.labels && old.annotations == new.annotations
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The controller waits until 100 ms after the next scheduled time.
    #[test]
    fn edit_of_a_schedule_adds_the_wake_up_of_its_next_run() {
        let at = |time: &str| -> Timestamp { format!("2026-03-10T{time}Z").parse().unwrap() };
        let mut hourly = CronJob {
            creation_timestamp: Some(at("00:30:00")),
            ..CronJob::default()
        };
        hourly.spec.schedule = "0 * * * *".to_owned();
        hourly.status.last_schedule_time = Some(at("09:00:00"));
        let wake = wake_after_edit(&Controller::assumed(), &hourly, at("09:30:00"));
        assert_eq!(wake, Some(at("10:00:00.1")));
        // Go's durations end after 292 years: the distance to no time at all is a wake-up in the past.
        hourly.spec.schedule = "0 0 31 2 *".to_owned();
        let wake = wake_after_edit(&Controller::assumed(), &hourly, at("09:30:00"));
        assert!(wake < Some(at("00:00:00")) && wake.is_some(), "{wake:?}");
    }
}
