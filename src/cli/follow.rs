//! `explain --follow`: compares the prediction with what the controller does.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::iter;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use jiff::{SignedDuration, Timestamp};

use super::interrupt::Busy;
use super::watch::{Next, WatchLoop};
use crate::cluster::{ServerClock, WatchEvent, WatchedObject, WatchedObjects};
use crate::controller::{Controller, Decision, decide};
use crate::diagnose::{
    Facts, Observed, PredictionCheck, compare, is_fulfilled, is_refuted, with_just_started,
};
use crate::duration::local_time;
use crate::evidence::{Live, World};
use crate::kubectl::PLAIN;
use crate::model::{Coverage, CronJob, CronJobEvidence, Event, Job, cron_jobs_of, manual_origin};
use crate::output::follow;
use crate::upcoming::display_zone;

/// A sync takes a moment, and its events another.
const SETTLED: SignedDuration = SignedDuration::from_secs(3);
/// A controller that has not synced by then does not, or is very busy.
const LATEST: SignedDuration = SignedDuration::from_secs(15);

/// Follows each CronJob to the controller's next sync, the soonest first. Says whether everything
/// happened as predicted.
pub(super) fn follow(live: &Live, world: World, quiet: bool) -> anyhow::Result<bool> {
    let (basis, coverage) = (world.basis.clone(), world.coverage);
    let controller = &basis.controller();
    let mut waiting: Vec<FollowedCronJob> = Vec::new();
    for evidence in world.into_evidence() {
        let mut one = FollowedCronJob::new(evidence, live.clock);
        one.coverage = coverage;
        if one.predict(controller) {
            waiting.push(one);
        } else {
            say(|out| follow::nothing_to_wait_for(out, &one.evidence.cron_job))?;
        }
    }
    waiting.sort_by_key(FollowedCronJob::syncs_at);
    let changes = live.session.changes(&live.wanted, &live.versions);
    let mut changes = WatchLoop::new(changes, !quiet);
    let mut as_predicted = true;
    let mut waiting = waiting.as_mut_slice();
    while let Some((one, others)) = waiting.split_first_mut() {
        as_predicted &= one.follow(controller, others, &mut changes)?;
        waiting = others;
    }
    Ok(as_predicted)
}

/// What is expected of a CronJob that was changed a moment ago.
pub(super) struct Expected {
    /// It and its Jobs as they were right before.
    pub(super) before: CronJobEvidence,
    /// What the controller decides because of the change.
    pub(super) decision: Decision,
}

/// Watches what the controller does, and compares it with what was expected. A signal or the deadline ends it, without
/// verdicts about the rest.
pub(super) fn check(
    live: &Live,
    expected: Vec<Expected>,
    quiet: bool,
    deadline: Option<Instant>,
    busy: &Busy,
) -> anyhow::Result<Vec<Vec<PredictionCheck>>> {
    let changes = live.session.changes(&live.wanted, &live.versions);
    let mut changes = WatchLoop::new(changes, !quiet).until(busy, deadline);
    let at = live.clock.now();
    let mut seen: Vec<WatchEvent> = Vec::new();
    let mut verdicts = Vec::new();
    for one in expected {
        let mut followed = FollowedCronJob::new(one.before.clone(), live.clock);
        followed.before = Some(one.before);
        followed.expected = Some(ExpectedSync {
            at,
            latest: LATEST,
            decision: one.decision,
        });
        for change in &seen {
            followed.take(change);
        }
        let verdict = changes.run(|_, updates| {
            for update in updates {
                let Some(change) = update.change()? else {
                    continue;
                };
                followed.take(&change);
                seen.push(change);
            }
            Ok(match followed.judge() {
                Some(verdict) => Next::End(verdict),
                None => Next::Wait(followed.left(followed.due())),
            })
        })?;
        let Some(verdict) = verdict else { break };
        verdicts.push(verdict);
    }
    Ok(verdicts)
}

/// When the controller syncs next, going by the forecast, and how much later it may be.
fn wake(
    controller: &Controller,
    evidence: &CronJobEvidence,
    coverage: Coverage,
    now: Timestamp,
) -> Option<(Timestamp, SignedDuration)> {
    let coverage = Coverage {
        as_of: now,
        ..coverage
    };
    let facts = Facts::of(controller, &PLAIN, evidence, coverage, now);
    let mut syncs = facts.outlook().syncs.iter();
    if let Some((at, sync)) = syncs.find_map(|sync| Some((sync.at?, sync))) {
        let tenth = at.duration_since(now) / 10;
        let later = if sync.is_estimated() {
            LATEST.max(tenth)
        } else {
            LATEST
        };
        return Some((at, later));
    }
    let after = SignedDuration::from_nanos(facts.decision.requeue_after?);
    Some((now.checked_add(after).ok()?, LATEST))
}

/// The controller's next sync of a CronJob.
struct ExpectedSync {
    at: Timestamp,
    /// How long after that the outcome may still come.
    latest: SignedDuration,
    decision: Decision,
}

/// A CronJob until the controller's next sync.
struct FollowedCronJob {
    evidence: CronJobEvidence,
    clock: ServerClock,
    expected: Option<ExpectedSync>,
    /// How it was at that sync, once the moment has come.
    before: Option<CronJobEvidence>,
    /// The checks of the prediction, once they are certain.
    verdict: Option<Vec<PredictionCheck>>,
    events: Vec<Event>,
    coverage: Coverage,
}

impl FollowedCronJob {
    fn new(evidence: CronJobEvidence, clock: ServerClock) -> Self {
        FollowedCronJob {
            evidence,
            clock,
            expected: None,
            before: None,
            verdict: None,
            events: Vec::new(),
            coverage: Coverage::all(clock.now()),
        }
    }

    /// Predicts the next sync; false if there is none.
    fn predict(&mut self, controller: &Controller) -> bool {
        let now = self.clock.now();
        let next = wake(controller, &self.evidence, self.coverage, now);
        self.expected = next.map(|(at, latest)| ExpectedSync {
            at,
            latest,
            decision: self.decide(controller, at),
        });
        self.expected.is_some()
    }

    /// When the next sync is; `None` if there is none or it was.
    fn syncs_at(&self) -> Option<Timestamp> {
        let expected = self.expected.as_ref();
        expected
            .filter(|_| self.before.is_none())
            .map(|sync| sync.at)
    }

    /// When there is more to note although nothing has come: its sync, and then the moments at which a verdict is
    /// certain.
    fn due(&self) -> Option<Timestamp> {
        let sync = self.expected.as_ref();
        let sync = sync.filter(|_| self.verdict.is_none())?;
        if self.before.is_none() {
            return Some(sync.at);
        }
        let [settled, latest] = [SETTLED, sync.latest].map(|later| sync.at.checked_add(later).ok());
        settled.filter(|at| *at > self.clock.now()).or(latest)
    }

    /// How long it is until a moment.
    fn left(&self, due: Option<Timestamp>) -> Duration {
        let left = due.map(|at| at.duration_since(self.clock.now()));
        left.map_or(LATEST.unsigned_abs(), |left| {
            Duration::try_from(left).unwrap_or(Duration::ZERO)
        })
    }

    /// Follows it, and notes what happens to the others in the meantime, which may be due at the same time.
    fn follow(
        &mut self,
        controller: &Controller,
        others: &mut [FollowedCronJob],
        changes: &mut WatchLoop<'_>,
    ) -> anyhow::Result<bool> {
        // What is known by now may show more than what was known at the beginning.
        if self.before.is_none() && !self.predict(controller) {
            say(|out| follow::nothing_to_wait_for(out, &self.evidence.cron_job))?;
            return Ok(true);
        }
        self.say_waiting(controller)?;
        let mut says_sync = true;
        let verdict = changes.run(|_, updates| {
            self.note_moment();
            others.iter_mut().for_each(FollowedCronJob::note_moment);
            let mut early = Vec::new();
            for update in updates {
                let Some(change) = update.change()? else {
                    continue;
                };
                early.extend(self.take_early(controller, &change));
                for other in &mut *others {
                    if other.take_early(controller, &change).is_some() {
                        other.predict(controller);
                    }
                }
            }
            // What was printed holds until something else is printed.
            if !early.is_empty() {
                let now = self.clock.now();
                for text in &early {
                    say(|out| follow::early(out, now, text))?;
                }
                let shown = self.expected.take();
                if !self.predict(controller) {
                    say(|out| follow::nothing_to_wait_for(out, &self.evidence.cron_job))?;
                    return Ok(Next::End(true));
                }
                if !is_same(shown.as_ref(), self.expected.as_ref()) {
                    self.say_waiting(controller)?;
                }
            }
            if let (Some(before), Some(sync)) = (&self.before, &self.expected)
                && std::mem::take(&mut says_sync)
            {
                let at = local(controller, &before.cron_job, sync.at);
                say(|out| follow::syncing(out, &before.cron_job, &at))?;
            }
            others.iter_mut().for_each(FollowedCronJob::note_verdict);
            self.note_verdict();
            if let Some(checks) = &self.verdict {
                say(|out| follow::verdict(out, checks))?;
                return Ok(Next::End(!is_refuted(checks)));
            }
            let all = iter::once(&*self).chain(&*others);
            let due = all.filter_map(FollowedCronJob::due).min();
            Ok(Next::Wait(self.left(due)))
        })?;
        Ok(verdict.unwrap_or_default())
    }

    fn say_waiting(&self, controller: &Controller) -> anyhow::Result<()> {
        let cron_job = &self.evidence.cron_job;
        let Some(sync) = &self.expected else {
            return Ok(());
        };
        let when = local(controller, cron_job, sync.at);
        let now = self.clock.now();
        say(|out| follow::waiting(out, cron_job, now, sync.at, &when, &sync.decision))
    }

    /// Notes how it is when the moment of the sync has come.
    fn note_moment(&mut self) {
        if self.syncs_at().is_some_and(|at| at <= self.clock.now()) {
            self.before = Some(self.evidence.clone());
            self.events.clear();
        }
    }

    /// Keeps the first verdict: a later sync does not count.
    fn note_verdict(&mut self) {
        if self.verdict.is_none() {
            self.verdict = self.judge();
        }
    }

    /// Takes a change. Before the sync, a sentence about one that makes the controller sync early.
    fn take_early(&mut self, controller: &Controller, change: &WatchEvent) -> Option<String> {
        let early = self.news(controller, change);
        self.take(change);
        early.filter(|_| self.before.is_none())
    }

    /// A sentence about a change that makes the controller sync early.
    fn news(&self, controller: &Controller, change: &WatchEvent) -> Option<String> {
        match change {
            WatchEvent::Now(WatchedObject::Job(job)) if self.owns(job) => {
                let known = self
                    .evidence
                    .jobs
                    .iter()
                    .find(|known| known.name == job.name);
                match (known, job.ending()) {
                    (None, None) => Some(format!("Job {} was created", job.name)),
                    (Some(known), Some(ending)) if known.ending().is_none() => {
                        Some(format!("Job {} finished ({})", job.name, ending.r#type))
                    }
                    _ => None,
                }
            }
            WatchEvent::Gone(WatchedObject::Job(job)) if self.owns(job) => {
                Some(format!("Job {} was deleted", job.name))
            }
            WatchEvent::Now(WatchedObject::CronJob(cron_job)) if self.is_about(cron_job) => {
                let before = &self.evidence.cron_job;
                if before.spec != cron_job.spec {
                    return Some("the CronJob was changed".to_owned());
                }
                let started = cron_job.status.last_schedule_time;
                let started = started.filter(|at| Some(*at) != before.status.last_schedule_time)?;
                Some(format!(
                    "the controller synced early and started the run scheduled at {}",
                    local(controller, cron_job, started)
                ))
            }
            _ => None,
        }
    }

    fn decide(&self, controller: &Controller, at: Timestamp) -> Decision {
        let (cron_job, jobs) = (&self.evidence.cron_job, &self.evidence.jobs);
        let cron_job = with_just_started(controller, cron_job, jobs, self.clock.now());
        decide(controller, &cron_job, jobs, at)
    }

    fn judge(&self) -> Option<Vec<PredictionCheck>> {
        let (sync, before) = (self.expected.as_ref()?, self.before.as_ref()?);
        let checks = compare(&sync.decision, &before.cron_job, &self.observed(before));
        let waited = self.clock.now().duration_since(sync.at);
        let settled = is_fulfilled(&checks) && waited >= SETTLED;
        (settled || waited >= sync.latest).then_some(checks)
    }

    fn observed(&self, before: &CronJobEvidence) -> Observed {
        let names = |jobs: &[Job]| -> BTreeSet<String> {
            jobs.iter().map(|job| job.name.clone()).collect()
        };
        let (old, new) = (names(&before.jobs), names(&self.evidence.jobs));
        Observed {
            created: new.difference(&old).cloned().collect(),
            deleted: old.difference(&new).cloned().collect(),
            events: self.events.clone(),
            last_schedule_time: self.evidence.cron_job.status.last_schedule_time,
        }
    }

    fn take(&mut self, change: &WatchEvent) {
        match change {
            WatchEvent::Now(WatchedObject::CronJob(cron_job)) if self.is_about(cron_job) => {
                self.evidence.cron_job = (**cron_job).clone();
            }
            WatchEvent::Now(WatchedObject::Job(job)) if self.owns(job) => {
                self.evidence.jobs.retain(|known| known.name != job.name);
                self.evidence.jobs.push((**job).clone());
            }
            WatchEvent::Gone(WatchedObject::Job(job)) if self.owns(job) => {
                self.evidence.jobs.retain(|known| known.name != job.name);
            }
            WatchEvent::Now(WatchedObject::Event(event)) if self.is_event_of(event) => {
                self.events.push((**event).clone());
            }
            WatchEvent::All(WatchedObjects::CronJobs(all)) => {
                let own = all.iter().find(|cron_job| self.is_about(cron_job));
                if let Some(own) = own {
                    self.evidence.cron_job = own.clone();
                }
            }
            WatchEvent::All(WatchedObjects::Jobs(all)) => {
                let own = all.iter().filter(|job| self.owns(job));
                self.evidence.jobs = own.cloned().collect();
            }
            _ => {}
        }
    }

    fn is_about(&self, cron_job: &CronJob) -> bool {
        let own = &self.evidence.cron_job;
        (&own.namespace, &own.name) == (&cron_job.namespace, &cron_job.name)
    }

    fn owns(&self, job: &Job) -> bool {
        let own = &self.evidence.cron_job;
        let is_own = |name: &str| name == own.name;
        job.namespace == own.namespace
            && (cron_jobs_of(job).any(is_own) || manual_origin(job, is_own).is_some())
    }

    fn is_event_of(&self, event: &Event) -> bool {
        let own = &self.evidence.cron_job;
        let about = &event.involved_object;
        (&about.namespace, &about.name) == (&own.namespace, &own.name)
    }
}

/// A time in the time zone of the schedule.
fn local(controller: &Controller, cron_job: &CronJob, at: Timestamp) -> String {
    let zone = display_zone(controller, cron_job);
    local_time(at, zone.time_zone(), zone.name())
}

fn say(write: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>) -> anyhow::Result<()> {
    let mut out = super::stdio::stdout();
    write(&mut out)
        .and_then(|()| out.flush())
        .context("cannot write the result")
}

/// Whether two predictions look the same in the output.
fn is_same(one: Option<&ExpectedSync>, other: Option<&ExpectedSync>) -> bool {
    let shown = |sync: &ExpectedSync| {
        let decision = &sync.decision;
        let (job, deleted) = (decision.job_name.clone(), decision.deleted_jobs.clone());
        (sync.at, decision.outcome, job, deleted)
    };
    one.map(shown) == other.map(shown)
}
