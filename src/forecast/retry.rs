//! Attempts that failed, and when the next one is due.
//!
//! After an error the controller sets no wake-up for the next scheduled time: it tries again after
//! 5 ms, and then after twice as long each time, up to 1,000 s. Scheduled times pass meanwhile. Any
//! update of the `CronJob` makes it sync immediately.

use jiff::{SignedDuration, Timestamp};

use super::run::later;
use super::{Situation, edit};
use crate::controller::{Generation, Outcome, decide, retry_pause};
use crate::model::Event;

/// An estimate that is past by more than this is wrong.
const TOLERANCE: SignedDuration = SignedDuration::from_secs(5);
/// Events have whole seconds.
const WHOLE_SECONDS: SignedDuration = SignedDuration::from_secs(2);
/// The longest pause: a failure longer ago says nothing about the next attempt.
const LONGEST_PAUSE: i64 = 1_000;
/// Attempts that are counted; the pause stops growing after 18.
const MOST_ATTEMPTS: u32 = 256;

/// Attempts to create a Job that failed, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failures {
    /// How many, as far as events tell.
    pub count: u32,
    /// The first.
    pub first: Timestamp,
    /// The last.
    pub last: Timestamp,
    /// When the next attempt is due, by the back-off.
    pub next: Timestamp,
    /// What the API server said last.
    pub message: String,
}

impl Failures {
    /// Those after which an attempt is still to come.
    pub(super) fn pending(situation: &Situation<'_>) -> Option<Self> {
        let behaviour = situation.controller.behaviour();
        if behaviour.generation != Generation::V2 || situation.cron_job.spec.suspend == Some(true) {
            return None;
        }
        let created = situation.jobs.iter().filter(|job| {
            let owners = &mut job.owner_references.iter();
            owners.any(|owner| {
                owner.controller == Some(true) && owner.name == situation.cron_job.name
            })
        });
        let last_created = created.filter_map(|job| job.creation_timestamp).max();
        let is_after = |at: Timestamp| last_created.is_none_or(|created| at > created);
        let failed = |event: &&&Event| event.reason == "FailedCreate";
        let failures: Vec<&&Event> = situation.events.iter().filter(failed).collect();
        let last_event = failures
            .iter()
            .filter(|event| event.last_seen().is_some_and(is_after))
            .max_by_key(|event| event.last_seen())?;
        let last = last_event.last_seen()?;
        let attempts = |event: &Event| u32::try_from(event.occurrences()).unwrap_or(1);
        // From the first of these on, oldest first.
        let mut recorded: Vec<(Timestamp, u32)> = failures
            .iter()
            .filter_map(|event| Some((event.first_seen()?, attempts(event))))
            .filter(|(first, _)| is_after(*first))
            .collect();
        recorded.sort_unstable();
        let (first, count) = unbroken(&recorded, last)?;
        let written = edit::last_write_of_spec(situation.cron_job);
        // Somebody changed the CronJob since, and the controller synced without another failure.
        if written.is_some_and(|written| written > later(last, TOLERANCE)) {
            return None;
        }
        if situation.now.as_second() - last.as_second() > 2 * LONGEST_PAUSE {
            return None;
        }
        let creates = |at| {
            let decision = decide(situation.controller, situation.cron_job, situation.jobs, at);
            decision.starts() || decision.outcome == Outcome::NameTaken
        };
        Some(Failures {
            next: next_after(first, last, count, situation.now, creates)?,
            count,
            first,
            last,
            message: last_event.message.clone(),
        })
    }
}

/// The first attempt of the series that the last one belongs to, and how many attempts it has: the longest
/// one whose pauses doubled without interruption. A restart of the controller, or a sync for another
/// reason, begins another one.
fn unbroken(recorded: &[(Timestamp, u32)], last: Timestamp) -> Option<(Timestamp, u32)> {
    let mut left: u32 = recorded
        .iter()
        .fold(0, |sum, (_, count)| sum.saturating_add(*count));
    for (first, count) in recorded {
        // The pauses of so many attempts add up to nearly the next one.
        let expected = retry_pause(left.saturating_sub(1));
        let elapsed = last.duration_since(*first);
        let apart = (expected.as_millis() - elapsed.as_millis()).unsigned_abs();
        let tolerance = (expected / 10 + WHOLE_SECONDS).as_millis().unsigned_abs();
        if apart <= tolerance && expected.as_secs() < LONGEST_PAUSE {
            return Some((*first, left));
        }
        left = left.saturating_sub(*count);
    }
    recorded.last().copied()
}

/// When the next attempt is due. The pauses of an unbroken series add up to the next one, so that it is as
/// long as the series so far; where events were dropped or the series was interrupted, the number of
/// attempts tells more. `None` if an attempt since then did not create a Job and so ended the back-off.
fn next_after(
    first: Timestamp,
    last: Timestamp,
    count: u32,
    now: Timestamp,
    creates: impl Fn(Timestamp) -> bool,
) -> Option<Timestamp> {
    let elapsed = last.duration_since(first);
    let by_count = retry_pause(count.saturating_sub(1));
    let by_time = pause_of(elapsed);
    let mut pause = by_count.max(by_time);
    let mut next = later(last, pause);
    for _ in 0..MOST_ATTEMPTS {
        if later(next, TOLERANCE) >= now {
            break;
        }
        if !creates(next) {
            return None;
        }
        // It was made, and its event dropped.
        pause = (pause * 2).min(SignedDuration::from_secs(LONGEST_PAUSE));
        next = later(next, pause);
    }
    Some(next.max(now))
}

/// The pause after a series that took so long: the power of two nearest to it.
fn pause_of(elapsed: SignedDuration) -> SignedDuration {
    let nearest = (0..MOST_ATTEMPTS.min(18)).min_by_key(|attempt| {
        let apart = retry_pause(*attempt).as_millis() - elapsed.as_millis();
        apart.unsigned_abs()
    });
    let pause = retry_pause(nearest.unwrap_or_default());
    // Beyond the longest pause the sum says nothing.
    if elapsed.as_secs() > LONGEST_PAUSE {
        SignedDuration::from_secs(LONGEST_PAUSE)
    } else {
        pause
    }
}

/// How many attempts have failed since the first one, and when the next is due.
pub(super) fn next_attempt(first: Timestamp, now: Timestamp) -> (u32, Timestamp) {
    let mut at = first;
    let mut failures = 0;
    // A day of the longest pauses is 87 of them; for what is longer ago their phase is what counts.
    let longest = SignedDuration::from_secs(LONGEST_PAUSE);
    while at <= now {
        let pause = retry_pause(failures);
        failures += 1;
        if pause >= longest {
            let passed = now.duration_since(at).as_secs() / LONGEST_PAUSE + 1;
            return (
                failures,
                later(
                    at,
                    SignedDuration::from_secs(passed.saturating_mul(LONGEST_PAUSE)),
                ),
            );
        }
        at = later(at, pause);
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
        assert_eq!(next_attempt(first, first), (1, at("00:00:00.105")));
        let (failures, next) = next_attempt(first, at("00:00:50"));
        assert_eq!((failures, next), (14, at("00:01:22.015")));
        // 5 ms * 2^18 is more than 1,000 s: from then on every 1,000 s.
        let (_, next) = next_attempt(first, at("02:00:00"));
        let (_, after) = next_attempt(first, next);
        assert_eq!(after.duration_since(next).as_secs(), 1_000);
    }

    #[test]
    fn a_restart_of_the_controller_begins_another_series() {
        // Seen: 13 attempts from 03:39:18 to 03:39:38, a restart, 13 from 03:39:55 to 03:40:15, and the
        // next one at 03:40:36.
        let recorded = [(at("03:39:18"), 13), (at("03:39:55"), 13)];
        let last = at("03:40:15");
        assert_eq!(unbroken(&recorded, last), Some((at("03:39:55"), 13)));
        assert_eq!(
            next_after(at("03:39:55"), last, 13, at("03:40:28"), |_| true),
            Some(at("03:40:35.48"))
        );
        // Messages that differ are events of one series: 14 attempts in 41 s, and one 41 s later.
        let recorded = [(at("00:00:00"), 14), (at("00:01:22"), 1)];
        assert_eq!(
            unbroken(&recorded, at("00:01:22")),
            Some((at("00:00:00"), 15))
        );
    }

    #[test]
    fn the_next_attempt_follows_from_what_was_recorded() {
        // Seen on a real controller: failures from 23:56:00 on, the last at 00:01:27 after a pause of 163 s;
        // 17 attempts in all, so that the next pause is 5 ms * 2^16 = 327.68 s.
        let first = at("00:00:00");
        let last = at("00:05:27");
        let next = next_after(first, last, 17, last, |_| true);
        assert_eq!(next, Some(at("00:10:54.68")));
        // The same if only a few events were kept.
        assert_eq!(
            next_after(first, last, 3, last, |_| true),
            Some(at("00:10:54.68"))
        );
    }
}
