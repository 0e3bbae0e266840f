//! When the controller syncs next: a work queue with wake-ups, or passes at regular intervals.

use cronjob_text::duration::later;
use jiff::{SignedDuration, Timestamp};

use crate::controller::{POLL, retry_pause};

/// When the controller syncs next without an event.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SyncTimer {
    wake: Option<Timestamp>,
    /// The number of consecutive failed syncs.
    failures: u32,
    /// The first and the last pass since the controller started.
    passes: Option<(Timestamp, Timestamp)>,
}

impl SyncTimer {
    pub(super) fn wake(&self) -> Option<Timestamp> {
        self.wake
    }

    /// Clears the wake-up, since the controller syncs now.
    pub(super) fn clear(&mut self) {
        self.wake = None;
    }

    /// Clears everything, since the controller goes down.
    pub(super) fn forget(&mut self) {
        *self = SyncTimer::default();
    }

    /// Sets a wake-up; the queue keeps the earliest one.
    pub(super) fn set(&mut self, wake: Timestamp) {
        self.wake = Some(self.wake.map_or(wake, |earlier| earlier.min(wake)));
    }

    pub(super) fn succeeded(&mut self) {
        self.failures = 0;
    }

    /// Records a failed sync, which is retried after a back-off.
    pub(super) fn failed(&mut self, now: Timestamp) {
        let pause = retry_pause(self.failures);
        self.failures = self.failures.saturating_add(1);
        self.set(later(now, pause));
    }

    /// Records a pass. Returns the number of uneventful passes since the previous one.
    pub(super) fn pass(&mut self, now: Timestamp) -> u64 {
        self.wake = None;
        let (first, uneventful_passes) = match self.passes {
            Some((first, _)) => (first, self.uneventful_passes(now)),
            None => (now, 0),
        };
        self.passes = Some((first, now));
        uneventful_passes
    }

    /// The number of passes between the last one and a time.
    pub(super) fn uneventful_passes(&self, until: Timestamp) -> u64 {
        let Some((_, last)) = self.passes else {
            return 0;
        };
        let passed = until.duration_since(last) - SignedDuration::from_nanos(1);
        u64::try_from(passed.as_secs() / POLL.as_secs()).unwrap_or(0)
    }

    /// Sets the next wake-up to the first pass at or after a time.
    pub(super) fn pass_from(&mut self, moment: Timestamp) {
        let Some((first, last)) = self.passes else {
            return;
        };
        let after = moment.max(later(last, SignedDuration::from_nanos(1)));
        let passed = after.duration_since(first) - SignedDuration::from_nanos(1);
        let passes = passed.as_secs() / POLL.as_secs() + 1;
        let seconds = passes.saturating_mul(POLL.as_secs());
        self.set(later(first, SignedDuration::from_secs(seconds)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        format!("2026-03-10T{text}Z").parse().unwrap()
    }

    #[test]
    fn retry_pause_doubles_up_to_1000_seconds() {
        let mut timer = SyncTimer::default();
        let mut pauses = Vec::new();
        for _ in 0..40 {
            timer.clear();
            timer.failed(at("00:00:00"));
            let pause = timer.wake().unwrap().duration_since(at("00:00:00"));
            pauses.push(pause.as_millis());
        }
        assert_eq!(pauses[..4], [5, 10, 20, 40]);
        assert_eq!(pauses[17..20], [655_360, 1_000_000, 1_000_000]);
        assert_eq!(pauses[39], 1_000_000);
    }

    #[test]
    fn passes_stay_10_seconds_apart() {
        let mut timer = SyncTimer::default();
        assert_eq!(timer.pass(at("00:00:03")), 0);
        timer.pass_from(at("00:01:00"));
        assert_eq!(timer.wake(), Some(at("00:01:03")));
        timer.pass_from(at("00:00:23"));
        assert_eq!(timer.wake(), Some(at("00:00:23")));
        assert_eq!(timer.pass(at("00:00:23")), 1);
        timer.pass_from(at("00:00:23"));
        assert_eq!(timer.wake(), Some(at("00:00:33")));
        assert_eq!(timer.uneventful_passes(at("00:00:33")), 0);
        assert_eq!(timer.uneventful_passes(at("00:00:33.5")), 1);
    }
}
