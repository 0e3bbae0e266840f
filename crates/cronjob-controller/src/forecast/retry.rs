//! Attempts that failed, and when the next one is due.
//!
//! After an error the controller sets no wake-up for the next scheduled time: it tries again after
//! 5 ms, and then after twice as long each time, up to 1,000 s. Scheduled times pass in the meantime. Any
//! update of the `CronJob` makes it sync immediately.

use jiff::{SignedDuration, Timestamp};

use super::run::later;
use super::{Edit, Situation, edit};
use crate::controller::{Generation, Outcome, decide, retry_pause, wake_after_edit};
use kube_model::Event;

/// An estimate that is past by more than this is wrong.
const TOLERANCE: SignedDuration = SignedDuration::from_secs(5);
const WHOLE_SECOND: SignedDuration = SignedDuration::from_secs(1);
/// The longest pause: a failure longer ago says nothing about the next attempt.
const LONGEST_PAUSE: i64 = 1_000;
/// Attempts that are counted; the pause stops growing after 18.
const MOST_ATTEMPTS: u32 = 256;
/// The controller drops events about an object after 25 in a row; before that each attempt has one.
const FILTERED: u32 = 20;
/// The number of attempts after which the pause is the longest.
const LONGEST_AFTER: u32 = 18;

/// Attempts to create a Job that failed, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failures {
    /// The number of attempts, according to events.
    pub count: u32,
    pub first: Timestamp,
    pub last: Timestamp,
    /// When the next attempt is due, by the back-off.
    pub next: Timestamp,
    /// What the API server said last.
    pub message: String,
}

pub(super) enum PendingRetry {
    /// An attempt whose time can be estimated.
    At(Failures),
    /// One at some time: the attempts do not show how long the pause is.
    SomeTime,
}

impl PendingRetry {
    /// What is still to come after attempts that failed.
    pub(super) fn of(situation: &Situation<'_>) -> Option<Self> {
        let behavior = situation.controller.behavior();
        if behavior.generation != Generation::V2 || situation.cron_job.spec.suspend == Some(true) {
            return None;
        }
        let last_created = last_created(situation);
        let is_after = |at: Timestamp| last_created.is_none_or(|created| at > created);
        let failures = with_reason(situation, "FailedCreate").filter_map(Recorded::of);
        let mut recorded: Vec<Recorded<'_>> =
            failures.filter(|event| is_after(event.last)).collect();
        recorded.sort_by_key(|event| (event.last, event.first));
        let last_event = recorded.last()?;
        let last = last_event.last;
        let first = recorded.iter().map(|event| event.first).min()?;
        let counts = recorded.iter().map(|event| event.count);
        let count = counts.fold(0, u32::saturating_add);
        let written = edit::last_write_of_spec(situation.cron_job);
        if situation.now.as_second() - last.as_second() > 2 * LONGEST_PAUSE {
            return None;
        }
        let creates = |at| {
            let decision = decide(situation.controller, situation.cron_job, situation.jobs, at);
            decision.starts() || decision.outcome == Outcome::NameTaken
        };
        let written = written.filter(|written| *written > later(last, TOLERANCE));
        let Some(pause) = pause_after(&recorded) else {
            // After an update all is well if nothing is due now.
            let is_over = written.is_some() && !creates(situation.now);
            return (!is_over).then_some(PendingRetry::SomeTime);
        };
        if written.is_some_and(|written| later(last, pause) < written) {
            // That attempt was made with the spec as it was before.
            return creates(situation.now).then_some(PendingRetry::SomeTime);
        }
        let mut next = match next_after(last, pause, situation.now, creates) {
            NextAttempt::At(next) if next <= later(last, pause) || count >= FILTERED => next,
            NextAttempt::Ended => return None,
            NextAttempt::At(_) | NextAttempt::Unknown => return Some(PendingRetry::SomeTime),
        };
        if let Some(written) = written {
            // The update made the controller sync without another failure, or it edited the schedule, which
            // only adds a wake-up.
            if !creates(situation.now) {
                return None;
            }
            let wake = wake_after_edit(situation.controller, situation.cron_job, written);
            next = wake
                .filter(|wake| *wake >= situation.now)
                .map_or(next, |wake| wake.min(next));
        } else if let Some(edit) = Edit::last(situation.cron_job) {
            // If it moved the schedule, it added a wake-up, which may come before the attempt.
            let wake = wake_after_edit(situation.controller, situation.cron_job, edit.at);
            if wake.is_some_and(|wake| (situation.now..next).contains(&wake)) {
                return Some(PendingRetry::SomeTime);
            }
        }
        Some(PendingRetry::At(Failures {
            next,
            count,
            first,
            last,
            message: last_event.message.to_owned(),
        }))
    }
}

/// Whether the last attempt to create a Job failed, even if no other is pending.
pub(super) fn last_attempt_failed(situation: &Situation<'_>) -> bool {
    let failed = with_reason(situation, "FailedCreate");
    let last = failed.filter_map(Event::last_seen).max();
    last.is_some() && last > last_created(situation)
}

/// When the controller last created a Job, as far as is known. A Job that was replaced is gone, but not its
/// event; a manually created Job proves nothing.
fn last_created(situation: &Situation<'_>) -> Option<Timestamp> {
    let cron_job = situation.cron_job;
    let jobs = situation.jobs.iter().filter(|job| cron_job.created(job));
    let created = jobs.filter_map(|job| job.creation_timestamp);
    let events = with_reason(situation, "SuccessfulCreate");
    created.chain(events.filter_map(Event::last_seen)).max()
}

fn with_reason<'a>(situation: &Situation<'a>, reason: &str) -> impl Iterator<Item = &'a Event> {
    let events = situation.events.iter().copied();
    events.filter(move |event| event.reason == reason)
}

/// Attempts that were recorded as one event.
struct Recorded<'a> {
    first: Timestamp,
    last: Timestamp,
    count: u32,
    message: &'a str,
}

impl<'a> Recorded<'a> {
    fn of(event: &'a Event) -> Option<Self> {
        Some(Recorded {
            first: event.first_seen()?,
            last: event.last_seen()?,
            count: u32::try_from(event.occurrences()).map_or(1, |count| count.max(1)),
            message: &event.message,
        })
    }
}

/// The pause after the last attempt; `None` if the attempts are not a series of pauses that double. Only the
/// last event counts, or the last two where that is a single attempt: a restart of the controller, which
/// nothing shows, begins again with the shortest pause. An update of the `CronJob` and a Job that finishes
/// cause attempts without a pause of their own.
fn pause_after(recorded: &[Recorded<'_>]) -> Option<SignedDuration> {
    let (first, last, count) = match recorded {
        [.., before, one] if one.count == 1 => {
            (before.first, one.last, before.count.saturating_add(1))
        }
        [.., one] => (one.first, one.last, one.count),
        [] => return None,
    };
    let elapsed = last.duration_since(first).as_millis();
    // How long the attempts take if this many pauses precede the next one.
    let takes = |pauses: u32| {
        let between = pauses.saturating_sub(count - 1)..pauses;
        let taken = between.map(|failures| retry_pause(failures).as_millis());
        taken.sum::<i128>()
    };
    let least = (count - 1).min(LONGEST_AFTER);
    let off = |pauses: u32| (takes(pauses) - elapsed).abs();
    let pauses = (least..=LONGEST_AFTER).min_by_key(|pauses| off(*pauses))?;
    // Attempts take time, too.
    let is_series = off(pauses) <= WHOLE_SECOND.as_millis() + elapsed / 20;
    // Within a second or two many pauses fit.
    let is_clear = elapsed >= 2 * WHOLE_SECOND.as_millis();
    (is_series && is_clear).then(|| retry_pause(pauses))
}

#[derive(Debug, PartialEq, Eq)]
enum NextAttempt {
    At(Timestamp),
    /// An attempt since then did not create a Job and so ended the back-off.
    Ended,
    /// Whether one did depends on the fraction of a second, which events do not have.
    Unknown,
}

/// When the next attempt is due, given the last one and the pause after it.
fn next_after(
    last: Timestamp,
    pause: SignedDuration,
    now: Timestamp,
    creates: impl Fn(Timestamp) -> bool,
) -> NextAttempt {
    let mut pause = pause;
    let mut next = later(last, pause);
    for _ in 0..MOST_ATTEMPTS {
        if later(next, TOLERANCE) >= now {
            break;
        }
        let made = creates(next);
        if made != creates(later(next, WHOLE_SECOND)) {
            return NextAttempt::Unknown;
        }
        if !made {
            return NextAttempt::Ended;
        }
        // It was made, and its event dropped.
        pause = (pause * 2).min(SignedDuration::from_secs(LONGEST_PAUSE));
        next = later(next, pause);
    }
    NextAttempt::At(next.max(now))
}

/// How many attempts have failed since the first one, and when the next is due. An update of the `CronJob`
/// makes one more attempt, which counts; the one that is waiting keeps its time.
pub(super) fn next_attempt(
    first: Timestamp,
    updated: Option<Timestamp>,
    now: Timestamp,
) -> (u32, Timestamp) {
    let mut at = first;
    let mut failures = 0;
    // A day of the longest pauses is 87 of them; for what is longer ago their phase is what counts.
    let longest = SignedDuration::from_secs(LONGEST_PAUSE);
    while at <= now {
        let pause = retry_pause(failures);
        failures += 1;
        if pause >= longest {
            let passed = now.duration_since(at).as_secs() / LONGEST_PAUSE + 1;
            let passed = SignedDuration::from_secs(passed.saturating_mul(LONGEST_PAUSE));
            return (failures, later(at, passed));
        }
        let next = later(at, pause);
        if updated.is_some_and(|updated| at < updated && updated < next) {
            failures += 1;
        }
        at = next;
    }
    (failures, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        format!("2026-11-22T{text}Z").parse().unwrap()
    }

    #[test]
    fn attempts_after_one_that_failed_double_their_pauses() {
        // 5 ms doubled: the sums of the pauses are 5, 15, 35, … ms, 40.955 s, 81.915 s.
        let first = at("00:00:00.1");
        assert_eq!(next_attempt(first, None, first), (1, at("00:00:00.105")));
        let (failures, next) = next_attempt(first, None, at("00:00:50"));
        assert_eq!((failures, next), (14, at("00:01:22.015")));
        // 5 ms * 2^18 is more than 1,000 s: from then on every 1,000 s.
        let (_, next) = next_attempt(first, None, at("02:00:00"));
        let (_, after) = next_attempt(first, None, next);
        assert_eq!(after.duration_since(next).as_secs(), 1_000);
        // An update at 00:00:50 leaves the attempt at 00:01:22, and doubles the pause after it.
        let updated = Some(at("00:00:50"));
        let (failures, next) = next_attempt(first, updated, at("00:01:00"));
        assert_eq!((failures, next), (15, at("00:01:22.015")));
        let (_, after) = next_attempt(first, updated, next);
        assert_eq!(after, at("00:04:05.855"));
    }

    #[test]
    fn attempt_that_creates_nothing_ends_the_back_off() {
        let next = |creates: bool| {
            let pause = SignedDuration::from_secs(20);
            next_after(at("00:00:00"), pause, at("00:01:30"), |_| creates)
        };
        // The attempts at 00:00:20 and 00:01:00 failed, and their events were dropped.
        assert_eq!(next(true), NextAttempt::At(at("00:02:20")));
        assert_eq!(next(false), NextAttempt::Ended);
    }
}
