//! Which time a recorder may rely on.
//!
//! Each clock can be wrong: that of the API server, the local one, or both, as on a machine that was just started. So
//! what cannot be undone requires that they agree with each other and with what was recorded before ([`Pruning`]), and
//! runs are judged only up to the time that both clocks have reached. A clock that jumps makes a gap.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;

use crate::duration::human;

/// Clocks that differ by more than this, in seconds, do not agree.
const AGREE_WITHIN: i64 = 86_400;
/// Clocks that agreed for this long, as the recorder watched, are right whatever was recorded before.
const PROVEN_AFTER: Duration = Duration::from_secs(86_400);
/// Nothing is removed before the clocks have agreed for this long: the API server was asked again in the meantime.
const PRUNE_AFTER: Duration = Duration::from_secs(600);
/// A clock that is further from where it should be, in seconds, has jumped. A response can be slow.
const JUMP: i64 = 30;

/// What the clocks show at a moment.
#[derive(Clone, Copy, Debug)]
pub struct ClockReading {
    /// The API server's time.
    pub server: Timestamp,
    /// The local time.
    pub local: Timestamp,
    /// The time since some moment, by a clock that cannot be set.
    pub steady: Duration,
}

/// The clocks of a recorder, and how they behaved.
#[derive(Debug)]
pub(super) struct TrustedClock {
    /// A recorded time: from there on, the record is a third clock.
    recorded: Option<Timestamp>,
    /// What the steady clock showed at the recorded time.
    recorded_at: Duration,
    last: Option<ClockReading>,
    /// Since when the clocks agree and none has jumped.
    agree_since: Option<Duration>,
}

/// What the clocks show together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedTime {
    /// Both clocks have reached it. If they do not agree, it is the one of the three times that is between the others.
    pub now: Timestamp,
    /// Runs up to `now` may be judged: the clocks agree.
    pub is_agreed: bool,
    /// What was recorded is not ahead of the clocks, and they are not far ahead of it.
    pub follows_record: bool,
    /// How the time until now continues the time before.
    pub continuity: Continuity,
    pub pruning: Pruning,
    /// Which clock has jumped, if any.
    pub jump: Option<ClockJump>,
}

/// How an agreed time continues the time before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Continuity {
    /// The recorder has just started.
    Start,
    /// A clock has jumped, or the clocks did not agree with each other or with the record: nothing is known of the
    /// time before.
    Gap,
    Continuous,
}

/// Whether expired runs may be removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pruning {
    Allowed,
    /// Soon, if nothing happens to the clocks.
    NotYet,
    Withheld(Disagreement),
}

/// Which times differ by more than a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disagreement {
    Clocks {
        server: Timestamp,
        local: Timestamp,
    },
    /// `recorded` is the time that continues what is stored.
    Record {
        recorded: Timestamp,
        now: Timestamp,
    },
}

/// By how much clocks jumped, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockJump {
    pub server: i64,
    pub local: i64,
}

impl TrustedClock {
    /// `recorded` is the newest time that is stored.
    pub(super) fn new(recorded: Option<Timestamp>) -> Self {
        TrustedClock {
            recorded,
            recorded_at: Duration::ZERO,
            last: None,
            agree_since: None,
        }
    }

    /// Reads the clocks.
    pub(super) fn read(&mut self, reading: ClockReading) -> TrustedTime {
        let ClockReading { server, local, .. } = reading;
        let last = self.last.replace(reading);
        if last.is_none() {
            self.recorded_at = reading.steady;
        }
        let jump = last.and_then(|last| ClockJump::between(&last, &reading));
        let is_agreed = distance(server, local) <= AGREE_WITHIN;
        if jump.is_some() || !is_agreed {
            self.agree_since = None;
        }
        let was_agreed = self.agree_since.is_some();
        if is_agreed {
            self.agree_since.get_or_insert(reading.steady);
        }
        let pruning = self.pruning(&reading);
        let (earlier, later) = (server.min(local), server.max(local));
        let recorded = self.recorded_now(reading.steady);
        let is_ahead =
            |recorded: Timestamp| recorded.as_second().saturating_sub(later.as_second()) >= JUMP;
        let follows_record =
            !matches!(pruning, Pruning::Withheld(_)) && !recorded.is_some_and(is_ahead);
        let continuity = match last {
            _ if was_agreed => Continuity::Continuous,
            None if follows_record => Continuity::Start,
            _ => Continuity::Gap,
        };
        let between = recorded.filter(|_| !is_agreed);
        TrustedTime {
            now: between.map_or(earlier, |recorded| recorded.clamp(earlier, later)),
            is_agreed,
            follows_record,
            continuity,
            pruning,
            jump,
        }
    }

    /// What the record shows as a clock: what was stored last, and the time since then.
    fn recorded_now(&self, steady: Duration) -> Option<Timestamp> {
        let passed = steady.saturating_sub(self.recorded_at);
        let now = self.recorded?.checked_add(passed);
        Some(now.unwrap_or(Timestamp::MAX))
    }

    fn pruning(&mut self, reading: &ClockReading) -> Pruning {
        let ClockReading {
            server,
            local,
            steady,
        } = *reading;
        let Some(since) = self.agree_since else {
            return Pruning::Withheld(Disagreement::Clocks { server, local });
        };
        let agreed_for = steady.saturating_sub(since);
        let now = server.min(local);
        if self.recorded.is_none() || agreed_for >= PROVEN_AFTER {
            (self.recorded, self.recorded_at) = (Some(now), steady);
        }
        let differs =
            |at: &Timestamp| distance(*at, server).max(distance(*at, local)) > AGREE_WITHIN;
        match self.recorded_now(steady).filter(differs) {
            Some(recorded) => Pruning::Withheld(Disagreement::Record { recorded, now }),
            None if agreed_for < PRUNE_AFTER => Pruning::NotYet,
            None => Pruning::Allowed,
        }
    }
}

impl ClockJump {
    fn between(before: &ClockReading, after: &ClockReading) -> Option<Self> {
        let passed = after.steady.saturating_sub(before.steady).as_secs();
        let passed = i64::try_from(passed).unwrap_or(i64::MAX);
        let jump = |before: Timestamp, after: Timestamp| {
            let difference = after.as_second() - before.as_second();
            let jump = difference.saturating_sub(passed);
            if jump.abs() < JUMP { 0 } else { jump }
        };
        let jump = ClockJump {
            server: jump(before.server, after.server),
            local: jump(before.local, after.local),
        };
        (jump.server != 0 || jump.local != 0).then_some(jump)
    }
}

/// Without an end of the sentence.
impl fmt::Display for ClockJump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whose, jump) = match (self.server, self.local) {
            (server, 0) => ("the API server's clock", server),
            (0, local) => ("the local clock", local),
            (server, _) => ("the API server's clock and the local clock", server),
        };
        let direction = if jump > 0 { "forward" } else { "back" };
        write!(f, "{whose} jumped {direction} by {}", human(jump.abs()))
    }
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (one, other) = match self {
            Disagreement::Clocks { server, local } => (server, local),
            Disagreement::Record { recorded, now } => (recorded, now),
        };
        let apart = human(distance(*one, *other));
        match self {
            Disagreement::Clocks { server, local } => write!(
                f,
                "the API server's time ({server:.0}) and the local time ({local:.0}) are {apart} apart: until they \
                 agree, runs without a Job are not recorded and expired runs are not removed"
            ),
            Disagreement::Record { recorded, .. } => write!(
                f,
                "the time that was recorded last ({recorded:.0}) and the current time are {apart} apart: expired runs \
                 are not removed until runs have been recorded for a day"
            ),
        }
    }
}

fn distance(one: Timestamp, other: Timestamp) -> i64 {
    (one.as_second() - other.as_second()).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60;
    const HOUR: i64 = 3600;
    const DAY: i64 = 86_400;
    const YEAR: i64 = 365 * DAY;
    /// The time that it really is when a recorder starts.
    const START: i64 = 1_790_000_000;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    /// The clocks at a time in seconds after the start, and how far each of them is ahead.
    fn clocks(passed: i64, server: i64, local: i64) -> ClockReading {
        ClockReading {
            server: at(START + passed + server),
            local: at(START + passed + local),
            steady: Duration::from_secs(u64::try_from(passed).unwrap()),
        }
    }

    /// Reads clocks each second that matters: passed seconds, and how far each clock is ahead.
    fn read(recorded: Option<i64>, readings: &[(i64, i64, i64)]) -> TrustedTime {
        let mut clock = TrustedClock::new(recorded.map(|ago| at(START - ago)));
        let readings = readings.iter();
        let times =
            readings.map(|(passed, server, local)| clock.read(clocks(*passed, *server, *local)));
        times.last().unwrap()
    }

    #[derive(Debug, PartialEq)]
    enum May {
        Prune,
        NotYet,
        NotByClocks,
        NotByRecord,
    }

    fn may(time: &TrustedTime) -> May {
        match time.pruning {
            Pruning::Allowed => May::Prune,
            Pruning::NotYet => May::NotYet,
            Pruning::Withheld(Disagreement::Clocks { .. }) => May::NotByClocks,
            Pruning::Withheld(Disagreement::Record { .. }) => May::NotByRecord,
        }
    }

    /// Before the start, something was recorded so long ago; clocks are ahead by so much.
    #[test]
    fn runs_are_not_removed_if_the_clocks_disagree() {
        let later = 20 * MINUTE;
        for (recorded, server, local, first, settled) in [
            (Some(10), 0, 0, May::NotYet, May::Prune),
            (Some(10), MINUTE, 0, May::NotYet, May::Prune),
            (Some(10), HOUR, -HOUR, May::NotYet, May::Prune),
            (Some(DAY - HOUR), 0, 0, May::NotYet, May::Prune),
            (None, 0, 0, May::NotYet, May::Prune),
            // One clock is wrong.
            (Some(10), 400 * DAY, 0, May::NotByClocks, May::NotByClocks),
            (Some(10), -400 * DAY, 0, May::NotByClocks, May::NotByClocks),
            (Some(10), 0, 400 * DAY, May::NotByClocks, May::NotByClocks),
            (Some(10), 0, -400 * DAY, May::NotByClocks, May::NotByClocks),
            (None, 2 * DAY, 0, May::NotByClocks, May::NotByClocks),
            // Both are, or the recorder did not run for long.
            (
                Some(10),
                2 * DAY,
                2 * DAY,
                May::NotByRecord,
                May::NotByRecord,
            ),
            (
                Some(10),
                400 * DAY,
                400 * DAY,
                May::NotByRecord,
                May::NotByRecord,
            ),
            (Some(3 * DAY), 0, 0, May::NotByRecord, May::NotByRecord),
            // What is stored is in the future.
            (Some(-2 * YEAR), 0, 0, May::NotByRecord, May::NotByRecord),
        ] {
            let readings = [(0, server, local), (later, server, local)];
            let what = format!("{recorded:?} {server} {local}");
            assert_eq!(may(&read(recorded, &readings[..1])), first, "{what}");
            assert_eq!(may(&read(recorded, &readings)), settled, "{what}");
        }
    }

    #[test]
    fn clocks_are_proven_by_a_day_of_recording() {
        for (passed, expected) in [(DAY - 1, May::NotByRecord), (DAY, May::Prune)] {
            let time = read(Some(30 * DAY), &[(0, 0, 0), (passed, 0, 0)]);
            assert_eq!(may(&time), expected);
        }
        // A jump begins another day, and many small ones are like a large one.
        let jumped = [(0, 0, 0), (DAY - 1, HOUR, HOUR), (DAY + 1, HOUR, HOUR)];
        assert_eq!(may(&read(Some(30 * DAY), &jumped)), May::NotByRecord);
        let forward = |step: i64| (step * HOUR, step * 23 * HOUR, step * 23 * HOUR);
        for (steps, expected) in [
            (1, May::NotYet),
            (2, May::NotByRecord),
            (9, May::NotByRecord),
        ] {
            let jumps: Vec<_> = (0..=steps).map(forward).collect();
            assert_eq!(may(&read(Some(10), &jumps)), expected, "{steps}");
        }
    }

    #[test]
    fn jump_of_any_clock_is_a_gap() {
        for jump in [MINUTE, HOUR, DAY, YEAR, -MINUTE, -HOUR, -DAY, -YEAR] {
            for (server, local) in [(jump, 0), (0, jump), (jump, jump)] {
                let time = read(Some(10), &[(0, 0, 0), (1000, 0, 0), (1001, server, local)]);
                let is_agreed = (server - local).abs() <= DAY;
                let jump = ClockJump { server, local };
                assert_eq!((time.jump, time.is_agreed), (Some(jump), is_agreed));
                assert_eq!(time.continuity, Continuity::Gap);
                assert_ne!(may(&time), May::Prune);
                // Judged is only what both clocks have reached. Where they disagree, the record is the third clock
                // between them.
                let (earlier, later) = (server.min(local), server.max(local));
                let now = if is_agreed {
                    earlier
                } else {
                    (-10).clamp(earlier, later)
                };
                assert_eq!(time.now, at(START + 1001 + now));
                let next = [(0, 0, 0), (1001, server, local), (1002, server, local)];
                let next = read(Some(10), &next);
                let continuity = if is_agreed {
                    Continuity::Continuous
                } else {
                    Continuity::Gap
                };
                assert_eq!((next.jump, next.continuity), (None, continuity));
            }
        }
    }

    #[test]
    fn clocks_that_drift_have_not_jumped() {
        let time = read(Some(10), &[(0, 0, 0), (1, 3, -2), (2, -20, 5), (3, 2, 1)]);
        assert_eq!((time.jump, time.continuity), (None, Continuity::Continuous));
        assert_eq!(read(None, &[(0, 5, 0)]).continuity, Continuity::Start);
        // Nothing was recorded in the future.
        for (recorded, expected) in [(-20, Continuity::Start), (-40, Continuity::Gap)] {
            assert_eq!(read(Some(recorded), &[(0, 0, 0)]).continuity, expected);
        }
        // At the end of a disagreement that was there from the start.
        let corrected = [(0, YEAR, 0), (100, 0, 0)];
        assert_eq!(read(Some(10), &corrected).continuity, Continuity::Gap);
    }
}
