//! Whether the exporter works, and whether its data is up to date.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cronjob_text::duration::human_duration;

/// A connection that is lost for longer makes the exporter not ready.
const LOST_FOR: Duration = Duration::from_secs(180);
/// The loop that follows the cluster takes a step several times a second. Without a step for this long, it hangs.
const STUCK_AFTER: Duration = Duration::from_secs(300);

/// The status that the probes report; `None` until the first lists are complete.
#[derive(Debug, Default)]
pub(super) struct ExporterStatus(Mutex<Option<Watching>>);

#[derive(Debug)]
struct Watching {
    /// When the loop took its last step.
    step: Instant,
    /// The resources whose watch is lost: since when, and why.
    lost: BTreeMap<String, (Instant, String)>,
    /// Since when runs cannot be recorded, and why.
    unrecorded: Option<(Instant, String)>,
    /// Why runs are recorded late, if a clock is wrong.
    clocks: Option<String>,
}

impl ExporterStatus {
    pub(super) fn step(&self, now: Instant) {
        let begun = || Watching {
            step: now,
            lost: BTreeMap::new(),
            unrecorded: None,
            clocks: None,
        };
        self.lock().get_or_insert_with(begun).step = now;
    }

    /// The watch of a resource is lost.
    pub(super) fn lose(&self, what: String, why: String, now: Instant) {
        if let Some(Watching { lost, .. }) = &mut *self.lock() {
            let since = lost.get(&what).map_or(now, |(since, _)| *since);
            lost.insert(what, (since, why));
        }
    }

    /// The watch of a resource is back.
    pub(super) fn regain(&self, what: &str) {
        if let Some(Watching { lost, .. }) = &mut *self.lock() {
            lost.remove(what);
        }
    }

    /// Whether runs can be recorded: why not.
    pub(super) fn set_recording(&self, problem: Option<String>, now: Instant) {
        if let Some(Watching { unrecorded, .. }) = &mut *self.lock() {
            let since = unrecorded.as_ref().map_or(now, |(since, _)| *since);
            *unrecorded = problem.map(|problem| (since, problem));
        }
    }

    /// Why runs are recorded late, if a clock is wrong.
    pub(super) fn set_clocks(&self, delay: Option<String>) {
        if let Some(watching) = &mut *self.lock() {
            watching.clocks = delay;
        }
    }

    /// What is wrong although the data is up to date. Metrics are still served, so that alerts continue to work.
    pub(super) fn warning(&self, now: Instant) -> Option<String> {
        let status = self.lock();
        let watching = status.as_ref()?;
        let unrecorded = watching.unrecorded.as_ref().map(|(since, why)| {
            let age = human_duration(now.saturating_duration_since(*since));
            format!("runs not recorded for {age}: {why}")
        });
        unrecorded.or_else(|| watching.clocks.clone())
    }

    pub(super) fn is_lost(&self) -> bool {
        let status = self.lock();
        status
            .as_ref()
            .is_some_and(|watching| !watching.lost.is_empty())
    }

    /// Why there is no data yet, if there is none.
    pub(super) fn reading(&self) -> Option<String> {
        let is_reading = self.lock().is_none();
        is_reading.then(|| "reading CronJobs, Jobs and events".to_owned())
    }

    /// Why the data is missing or out of date, if it is.
    pub(super) fn unready(&self, now: Instant) -> Option<String> {
        let reading = self.reading();
        if reading.is_some() {
            return reading;
        }
        let status = self.lock();
        let lost = status.as_ref()?.lost.values();
        let (since, why) = lost.min_by_key(|(since, _)| *since)?;
        let age = now.saturating_duration_since(*since);
        let shown = human_duration(age);
        (age >= LOST_FOR).then(|| format!("connection to the cluster lost for {shown}: {why}"))
    }

    /// Why the process must be restarted, if it must.
    pub(super) fn stuck(&self, now: Instant) -> Option<String> {
        let age = now.saturating_duration_since(self.lock().as_ref()?.step);
        (age >= STUCK_AFTER).then(|| format!("no progress for {}", human_duration(age)))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Watching>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exporter_is_ready_after_its_first_lists() {
        let status = ExporterStatus::default();
        let start = Instant::now();
        assert_eq!(
            status.unready(start).as_deref(),
            Some("reading CronJobs, Jobs and events")
        );
        assert_eq!(status.stuck(start + 2 * STUCK_AFTER), None);
        status.step(start);
        assert_eq!(status.unready(start), None);
    }

    #[test]
    fn exporter_is_not_ready_while_a_watch_is_lost_for_minutes() {
        let status = ExporterStatus::default();
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let lose = |what: &str, seconds| {
            status.lose(
                what.to_owned(),
                "connection refused".to_owned(),
                after(seconds),
            );
        };
        status.step(start);
        lose("jobs.batch", 0);
        lose("cronjobs.batch", 100);
        // Each failed attempt reports it again.
        lose("jobs.batch", 170);
        assert_eq!(status.unready(after(179)), None);
        assert_eq!(
            status.unready(after(180)).as_deref(),
            Some("connection to the cluster lost for 3m: connection refused")
        );
        status.regain("jobs.batch");
        assert!(status.is_lost());
        assert_eq!(status.unready(after(279)), None);
        assert!(status.unready(after(280)).is_some());
        status.regain("cronjobs.batch");
        assert!(!status.is_lost());
        assert_eq!(status.unready(after(1000)), None);
    }

    #[test]
    fn exporter_is_ready_while_the_database_is_down() {
        let status = ExporterStatus::default();
        let start = Instant::now();
        status.step(start);
        let down = || Some("connection refused".to_owned());
        status.set_recording(down(), start);
        let later = start + 2 * LOST_FOR;
        status.set_recording(down(), later);
        assert_eq!(status.unready(later), None);
        assert_eq!(
            status.warning(later).as_deref(),
            Some("runs not recorded for 6m: connection refused")
        );
        status.set_recording(None, later);
        assert_eq!(status.warning(later), None);
    }

    #[test]
    fn exporter_without_a_step_for_minutes_is_stuck() {
        let status = ExporterStatus::default();
        let start = Instant::now();
        status.step(start);
        assert_eq!(status.stuck(start + STUCK_AFTER / 2), None);
        assert_eq!(
            status.stuck(start + STUCK_AFTER).as_deref(),
            Some("no progress for 5m")
        );
        status.step(start + STUCK_AFTER);
        assert_eq!(status.stuck(start + STUCK_AFTER), None);
    }
}
