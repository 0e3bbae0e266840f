//! Compares what the controller does after a change with what was predicted.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

use crate::cli::is_quiet;
use crate::cli::live::busy::Busy;
use crate::cli::live::watch::{Next, WatchLoop};
use crate::evidence::Live;
use cronjob_controller::controller::Decision;
use cronjob_diagnosis::diagnose::{Observed, PredictionCheck, compare, is_fulfilled};
use kube_access::{ServerClock, WatchEvent, WatchedObject, WatchedObjects};
use kube_model::{CronJob, CronJobEvidence, Event, Job, cron_jobs_of, manual_origin};

/// A sync takes a moment, and its events another.
const SETTLED: SignedDuration = SignedDuration::from_secs(3);
/// A controller that has not synced by then does not, or is very busy.
const LATEST: SignedDuration = SignedDuration::from_secs(15);

/// What is expected of a CronJob that was changed a moment ago.
pub(crate) struct Expected {
    /// It and its Jobs as they were right before.
    pub(crate) before: CronJobEvidence,
    /// What the controller decides because of the change.
    pub(crate) decision: Decision,
}

/// What was seen after a change.
pub(crate) enum Verdict {
    Compared(Vec<PredictionCheck>),
    /// Nothing: the controller seemed to be down before, and still does.
    ControllerDown,
}

/// Watches what the controller does, and compares it with what was expected. A signal or the deadline ends it, without
/// verdicts about the rest.
pub(crate) fn check_predictions(
    live: &Live,
    expected: Vec<Expected>,
    deadline: Option<Instant>,
    busy: &Busy,
) -> anyhow::Result<Vec<Verdict>> {
    let changes = live.session.changes(&live.wanted, &live.versions);
    let mut changes = WatchLoop::new(changes, !is_quiet()).until(busy, deadline);
    let changed_at = live.clock.now();
    let mut seen: Vec<WatchEvent> = Vec::new();
    let mut verdicts = Vec::new();
    for one in expected {
        let mut watched = WatchedCronJob {
            now: one.before.clone(),
            expected: one,
            events: Vec::new(),
            changed_at,
            clock: live.clock,
        };
        for change in &seen {
            watched.take(change);
        }
        let verdict = changes.run(|_, updates| {
            for update in updates {
                let Some(change) = update.change()? else {
                    continue;
                };
                watched.take(&change);
                seen.push(change);
            }
            Ok(match watched.verdict() {
                Some(verdict) => Next::End(verdict),
                None => Next::Wait(watched.time_to_next_verdict()),
            })
        })?;
        let Some(verdict) = verdict else { break };
        verdicts.push(verdict);
    }
    Ok(verdicts)
}

/// A CronJob from its change to the controller's next sync.
struct WatchedCronJob {
    expected: Expected,
    /// As it is by now.
    now: CronJobEvidence,
    events: Vec<Event>,
    changed_at: Timestamp,
    clock: ServerClock,
}

impl WatchedCronJob {
    /// The checks, once they are certain.
    fn verdict(&self) -> Option<Verdict> {
        let Expected { before, decision } = &self.expected;
        let observed = self.observed();
        let has_acted = !(observed.created.is_empty() && observed.events.is_empty());
        let waited = self.clock.now().duration_since(self.changed_at);
        if before.outage.is_some() && !has_acted {
            return (waited >= SETTLED).then_some(Verdict::ControllerDown);
        }
        let checks = compare(decision, &before.cron_job, &observed);
        let is_certain = waited >= LATEST || (waited >= SETTLED && is_fulfilled(&checks));
        is_certain.then_some(Verdict::Compared(checks))
    }

    /// How long it takes until a verdict can be certain although nothing more happens.
    fn time_to_next_verdict(&self) -> Duration {
        let waited = self.clock.now().duration_since(self.changed_at);
        let until = if waited < SETTLED { SETTLED } else { LATEST };
        Duration::try_from(until.saturating_sub(waited)).unwrap_or(Duration::ZERO)
    }

    fn observed(&self) -> Observed {
        let names = |jobs: &[Job]| -> BTreeSet<String> {
            jobs.iter().map(|job| job.name.clone()).collect()
        };
        let (old, new) = (names(&self.expected.before.jobs), names(&self.now.jobs));
        Observed {
            created: new.difference(&old).cloned().collect(),
            deleted: old.difference(&new).cloned().collect(),
            events: self.events.clone(),
            last_schedule_time: self.now.cron_job.status.last_schedule_time,
        }
    }

    fn take(&mut self, change: &WatchEvent) {
        match change {
            WatchEvent::Now(WatchedObject::CronJob(cron_job)) if self.is_about(cron_job) => {
                self.now.cron_job = (**cron_job).clone();
            }
            WatchEvent::Now(WatchedObject::Job(job)) if self.owns(job) => {
                self.now.jobs.retain(|known| known.name != job.name);
                self.now.jobs.push((**job).clone());
            }
            WatchEvent::Gone(WatchedObject::Job(job)) if self.owns(job) => {
                self.now.jobs.retain(|known| known.name != job.name);
            }
            WatchEvent::Now(WatchedObject::Event(event)) if self.is_event_of(event) => {
                self.events.push((**event).clone());
            }
            WatchEvent::All(WatchedObjects::CronJobs(all)) => {
                let own = all.iter().find(|cron_job| self.is_about(cron_job));
                if let Some(own) = own {
                    self.now.cron_job = own.clone();
                }
            }
            WatchEvent::All(WatchedObjects::Jobs(all)) => {
                let own = all.iter().filter(|job| self.owns(job));
                self.now.jobs = own.cloned().collect();
            }
            _ => {}
        }
    }

    fn is_about(&self, cron_job: &CronJob) -> bool {
        let own = &self.now.cron_job;
        (&own.namespace, &own.name) == (&cron_job.namespace, &cron_job.name)
    }

    fn owns(&self, job: &Job) -> bool {
        let own = &self.now.cron_job;
        let is_own = |name: &str| name == own.name;
        job.namespace == own.namespace
            && (cron_jobs_of(job).any(is_own) || manual_origin(job, is_own).is_some())
    }

    fn is_event_of(&self, event: &Event) -> bool {
        let own = &self.now.cron_job;
        let about = &event.involved_object;
        (&about.namespace, &about.name) == (&own.namespace, &own.name)
    }
}
