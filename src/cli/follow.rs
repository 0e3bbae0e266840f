//! `explain --follow`: what was predicted beside what the controller then does.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::time::Duration;

use anyhow::Context as _;
use jiff::{SignedDuration, Timestamp};

use super::connect::Live;
use crate::cluster::{Change, Changes, Object, Objects, ServerClock};
use crate::controller::{Controller, Decision, decide};
use crate::diagnose::{Observed, Respect, compare, cron_jobs_of, is_fulfilled, is_refuted};
use crate::model::{CronJob, Dossier, Event, Job};
use crate::output::follow;

/// A look takes a moment, and its events another.
const SETTLED: SignedDuration = SignedDuration::from_secs(3);
/// A controller that has not looked by then does not, or is very busy.
const LATEST: SignedDuration = SignedDuration::from_secs(15);
/// While nothing happens, the clock is looked at so often.
const PATIENCE: Duration = Duration::from_secs(1);

/// Follows each CronJob to the controller's next look, the soonest first. Says whether everything
/// happened as predicted.
pub(super) fn follow(
    controller: &Controller<'_>,
    live: &Live,
    dossiers: Vec<Dossier>,
) -> anyhow::Result<bool> {
    let now = live.clock.now();
    let mut waiting: Vec<(Timestamp, Dossier)> = Vec::new();
    for dossier in dossiers {
        match wake(controller, &dossier, now) {
            Some(at) => waiting.push((at, dossier)),
            None => say(|out| follow::nothing_to_wait_for(out, &dossier.cron_job))?,
        }
    }
    waiting.sort_by_key(|(at, _)| *at);
    let mut changes = live.session.changes(&live.wanted, &live.versions);
    let mut as_predicted = true;
    // What changes while one is followed may be about those after it.
    let mut seen: Vec<Change> = Vec::new();
    for (_, dossier) in waiting {
        let mut one = Followed::new(dossier, live.clock);
        for change in &seen {
            one.take(change);
        }
        as_predicted &= one.follow(controller, &mut changes, &mut seen)?;
    }
    Ok(as_predicted)
}

/// What is expected of a CronJob that was changed a moment ago.
pub(super) struct Expected {
    /// It and its Jobs as they were right before.
    pub(super) before: Dossier,
    /// What the controller decides because of the change.
    pub(super) decision: Decision,
}

/// Watches what the controller does, and lays it beside what was expected: in which respects, and
/// whether it was right.
pub(super) fn check(live: &Live, expected: Vec<Expected>) -> Vec<(Vec<Respect>, bool)> {
    let mut changes = live.session.changes(&live.wanted, &live.versions);
    let at = live.clock.now();
    let mut seen: Vec<Change> = Vec::new();
    let mut verdicts = Vec::new();
    for one in expected {
        let mut followed = Followed::new(one.before.clone(), live.clock);
        followed.judged = Some((one.decision, one.before));
        for change in &seen {
            followed.take(change);
        }
        loop {
            let news = changes.wait(PATIENCE);
            for change in &news {
                followed.take(change);
            }
            seen.extend(news);
            if let Some(verdict) = followed.judge(at) {
                verdicts.push(verdict);
                break;
            }
        }
    }
    verdicts
}

/// When the controller looks again by itself; at once, if something is due.
fn wake(controller: &Controller<'_>, dossier: &Dossier, now: Timestamp) -> Option<Timestamp> {
    let decision = decide(controller, &dossier.cron_job, &dossier.jobs, now);
    let after = SignedDuration::from_nanos(decision.requeue_after?);
    now.checked_add(after).ok()
}

/// A CronJob on the way to the controller's next look.
struct Followed {
    dossier: Dossier,
    clock: ServerClock,
    /// What was predicted and how it was before, once the moment has come.
    judged: Option<(Decision, Dossier)>,
    events: Vec<Event>,
}

impl Followed {
    fn new(dossier: Dossier, clock: ServerClock) -> Self {
        Followed {
            dossier,
            clock,
            judged: None,
            events: Vec::new(),
        }
    }

    fn follow(
        &mut self,
        controller: &Controller<'_>,
        changes: &mut Changes<'_>,
        seen: &mut Vec<Change>,
    ) -> anyhow::Result<bool> {
        let Some(mut at) = wake(controller, &self.dossier, self.clock.now()) else {
            say(|out| follow::nothing_to_wait_for(out, &self.dossier.cron_job))?;
            return Ok(true);
        };
        let predicted = self.decide(controller, at);
        let now = self.clock.now();
        say(|out| follow::waiting(out, &self.dossier.cron_job, now, at, &predicted))?;
        loop {
            let now = self.clock.now();
            if self.judged.is_none() && now >= at {
                let decision = self.decide(controller, at);
                self.judged = Some((decision, self.dossier.clone()));
                self.events.clear();
                say(|out| follow::looking(out, &self.dossier.cron_job, at))?;
            }
            let left = Duration::try_from(at.duration_since(now)).unwrap_or(Duration::ZERO);
            let patience = if self.judged.is_none() {
                left.min(PATIENCE)
            } else {
                PATIENCE
            };
            let news = changes.wait(patience);
            for change in &news {
                self.take(change);
            }
            // Until then a Job may end, or somebody change the schedule.
            let changed = self.judged.is_none() && !news.is_empty();
            seen.extend(news);
            if changed && let Some(sooner) = wake(controller, &self.dossier, self.clock.now()) {
                at = sooner;
            }
            if let Some(verdict) = self.verdict(at)? {
                return Ok(verdict);
            }
        }
    }

    fn decide(&self, controller: &Controller<'_>, at: Timestamp) -> Decision {
        decide(controller, &self.dossier.cron_job, &self.dossier.jobs, at)
    }

    /// Says how it went, once that is sure.
    fn verdict(&self, at: Timestamp) -> anyhow::Result<Option<bool>> {
        let Some((respects, right)) = self.judge(at) else {
            return Ok(None);
        };
        say(|out| follow::verdict(out, &respects, right))?;
        Ok(Some(right))
    }

    /// How it went, once that is sure.
    fn judge(&self, at: Timestamp) -> Option<(Vec<Respect>, bool)> {
        let (decision, before) = self.judged.as_ref()?;
        let respects = compare(decision, &before.cron_job, &self.observed(before));
        let waited = self.clock.now().duration_since(at);
        let settled = is_fulfilled(&respects) && waited >= SETTLED;
        if !settled && waited < LATEST {
            return None;
        }
        let right = !is_refuted(&respects);
        Some((respects, right))
    }

    fn observed(&self, before: &Dossier) -> Observed {
        let names = |jobs: &[Job]| -> BTreeSet<String> {
            jobs.iter().map(|job| job.name.clone()).collect()
        };
        let (old, new) = (names(&before.jobs), names(&self.dossier.jobs));
        Observed {
            created: new.difference(&old).cloned().collect(),
            deleted: old.difference(&new).cloned().collect(),
            events: self.events.clone(),
            last_schedule_time: self.dossier.cron_job.status.last_schedule_time,
        }
    }

    fn take(&mut self, change: &Change) {
        match change {
            Change::Now(Object::CronJob(cron_job)) if self.is_about(cron_job) => {
                self.dossier.cron_job = (**cron_job).clone();
            }
            Change::Now(Object::Job(job)) if self.owns(job) => {
                self.dossier.jobs.retain(|known| known.name != job.name);
                self.dossier.jobs.push((**job).clone());
            }
            Change::Gone(Object::Job(job)) if self.owns(job) => {
                self.dossier.jobs.retain(|known| known.name != job.name);
            }
            Change::Now(Object::Event(event)) if self.is_event_of(event) => {
                self.events.push((**event).clone());
            }
            Change::All(Objects::CronJobs(all)) => {
                let own = all.iter().find(|cron_job| self.is_about(cron_job));
                if let Some(own) = own {
                    self.dossier.cron_job = own.clone();
                }
            }
            Change::All(Objects::Jobs(all)) => {
                let own = all.iter().filter(|job| self.owns(job));
                self.dossier.jobs = own.cloned().collect();
            }
            _ => {}
        }
    }

    fn is_about(&self, cron_job: &CronJob) -> bool {
        let own = &self.dossier.cron_job;
        (&own.namespace, &own.name) == (&cron_job.namespace, &cron_job.name)
    }

    fn owns(&self, job: &Job) -> bool {
        let own = &self.dossier.cron_job;
        job.namespace == own.namespace && cron_jobs_of(job).any(|name| name == own.name)
    }

    fn is_event_of(&self, event: &Event) -> bool {
        let own = &self.dossier.cron_job;
        let about = &event.involved_object;
        (&about.namespace, &about.name) == (&own.namespace, &own.name)
    }
}

fn say(write: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>) -> anyhow::Result<()> {
    let mut out = super::voice::stdout();
    write(&mut out)
        .and_then(|()| out.flush())
        .context("cannot write the result")
}
