//! `explain --follow`: compares the prediction with what the controller does.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::time::Duration;

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
use crate::forecast::SyncCondition;
use crate::kubectl::PLAIN;
use crate::model::{Coverage, CronJob, CronJobEvidence, Event, Job, cron_jobs_of, manual_origin};
use crate::output::follow;
use crate::upcoming::display_zone;

/// A sync takes a moment, and its events another.
const SETTLED: SignedDuration = SignedDuration::from_secs(3);
/// A controller that has not synced by then does not, or is very busy.
const LATEST: SignedDuration = SignedDuration::from_secs(15);
/// How often to check the clock while nothing happens.
const PATIENCE: Duration = Duration::from_secs(1);

/// Follows each CronJob to the controller's next sync, the soonest first. Says whether everything
/// happened as predicted.
pub(super) fn follow(live: &Live, world: World, quiet: bool) -> anyhow::Result<bool> {
    let (basis, coverage) = (world.basis.clone(), world.coverage);
    let controller = &basis.controller();
    let now = live.clock.now();
    let mut waiting: Vec<(Timestamp, CronJobEvidence)> = Vec::new();
    for evidence in world.into_evidence() {
        match wake(controller, &evidence, coverage, now) {
            Some((at, _)) => waiting.push((at, evidence)),
            None => say(|out| follow::nothing_to_wait_for(out, &evidence.cron_job))?,
        }
    }
    waiting.sort_by_key(|(at, _)| *at);
    let changes = live.session.changes(&live.wanted, &live.versions);
    let mut changes = WatchLoop::new(changes, !quiet);
    let mut as_predicted = true;
    // What changes while one is followed may be about those after it.
    let mut seen: Vec<WatchEvent> = Vec::new();
    for (_, evidence) in waiting {
        let mut one = FollowedCronJob::new(evidence, live.clock);
        one.coverage = coverage;
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
    pub(super) before: CronJobEvidence,
    /// What the controller decides because of the change.
    pub(super) decision: Decision,
}

/// Watches what the controller does, and compares it with what was expected: the checks, and
/// whether it was right. A signal ends it.
pub(super) fn check(
    live: &Live,
    expected: Vec<Expected>,
    quiet: bool,
    busy: &Busy,
) -> anyhow::Result<Vec<(Vec<PredictionCheck>, bool)>> {
    let changes = live.session.changes(&live.wanted, &live.versions);
    let mut changes = WatchLoop::new(changes, !quiet).until(busy, None);
    let at = live.clock.now();
    let mut seen: Vec<WatchEvent> = Vec::new();
    let mut verdicts = Vec::new();
    for one in expected {
        let mut followed = FollowedCronJob::new(one.before.clone(), live.clock);
        followed.judged = Some((one.decision, one.before));
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
            let verdict = followed.judge(at);
            Ok(verdict.map_or(Next::Wait(PATIENCE), Next::End))
        })?;
        let Some(verdict) = verdict else { break };
        verdicts.push(verdict);
    }
    Ok(verdicts)
}

/// When the controller syncs next, going by the forecast, and how much later it may be.
fn wake(
    controller: &Controller<'_>,
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
        let estimated = sync.condition == Some(SyncCondition::EstimatedTime);
        let tenth = at.duration_since(now) / 10;
        let later = if estimated { LATEST.max(tenth) } else { LATEST };
        return Some((at, later));
    }
    let after = SignedDuration::from_nanos(facts.decision.requeue_after?);
    Some((now.checked_add(after).ok()?, LATEST))
}

/// A CronJob until the controller's next sync.
struct FollowedCronJob {
    evidence: CronJobEvidence,
    clock: ServerClock,
    /// What was predicted and how it was before, once the moment has come.
    judged: Option<(Decision, CronJobEvidence)>,
    events: Vec<Event>,
    coverage: Coverage,
    /// How long after the moment what was predicted may still come.
    latest: SignedDuration,
}

impl FollowedCronJob {
    fn new(evidence: CronJobEvidence, clock: ServerClock) -> Self {
        FollowedCronJob {
            evidence,
            clock,
            judged: None,
            events: Vec::new(),
            coverage: Coverage::all(clock.now()),
            latest: LATEST,
        }
    }

    fn follow(
        &mut self,
        controller: &Controller<'_>,
        changes: &mut WatchLoop<'_>,
        seen: &mut Vec<WatchEvent>,
    ) -> anyhow::Result<bool> {
        let now = self.clock.now();
        let Some((mut at, latest)) = wake(controller, &self.evidence, self.coverage, now) else {
            say(|out| follow::nothing_to_wait_for(out, &self.evidence.cron_job))?;
            return Ok(true);
        };
        self.latest = latest;
        let mut predicted = self.decide(controller, at);
        let shown = |cron_job: &CronJob, at| local(controller, cron_job, at);
        let cron_job = &self.evidence.cron_job;
        let when = shown(cron_job, at);
        say(|out| follow::waiting(out, cron_job, now, (at, &when), &predicted))?;
        let verdict = changes.run(|_, updates| {
            let now = self.clock.now();
            let mut changed = false;
            for update in updates {
                let Some(change) = update.change()? else {
                    continue;
                };
                let early = self
                    .news(controller, &change)
                    .filter(|_| self.judged.is_none());
                self.take(&change);
                if let Some(text) = early {
                    changed = true;
                    say(|out| follow::early(out, now, &text))?;
                }
                seen.push(change);
            }
            // What was printed holds until something else is printed.
            if changed
                && let Some((sooner, latest)) = wake(controller, &self.evidence, self.coverage, now)
            {
                let renewed = self.decide(controller, sooner);
                let same = sooner == at && is_same(&renewed, &predicted);
                (at, predicted, self.latest) = (sooner, renewed, latest);
                if !same {
                    let cron_job = &self.evidence.cron_job;
                    let when = shown(cron_job, at);
                    say(|out| follow::waiting(out, cron_job, now, (at, &when), &predicted))?;
                }
            }
            if let Some((checks, right)) = self.judge(at) {
                say(|out| follow::verdict(out, &checks, right))?;
                return Ok(Next::End(right));
            }
            let now = self.clock.now();
            if self.judged.is_none() && now >= at {
                self.judged = Some((predicted.clone(), self.evidence.clone()));
                self.events.clear();
                let cron_job = &self.evidence.cron_job;
                say(|out| follow::syncing(out, cron_job, &shown(cron_job, at)))?;
            }
            let left = Duration::try_from(at.duration_since(now)).unwrap_or(Duration::ZERO);
            Ok(Next::Wait(if self.judged.is_none() {
                left.min(PATIENCE)
            } else {
                PATIENCE
            }))
        })?;
        Ok(verdict.unwrap_or_default())
    }

    /// A sentence about a change that makes the controller sync early.
    fn news(&self, controller: &Controller<'_>, change: &WatchEvent) -> Option<String> {
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

    fn decide(&self, controller: &Controller<'_>, at: Timestamp) -> Decision {
        let (cron_job, jobs) = (&self.evidence.cron_job, &self.evidence.jobs);
        let cron_job = with_just_started(controller, cron_job, jobs, self.clock.now());
        decide(controller, &cron_job, jobs, at)
    }

    /// The verdict, once it is certain.
    fn judge(&self, at: Timestamp) -> Option<(Vec<PredictionCheck>, bool)> {
        let (decision, before) = self.judged.as_ref()?;
        let checks = compare(decision, &before.cron_job, &self.observed(before));
        let waited = self.clock.now().duration_since(at);
        let settled = is_fulfilled(&checks) && waited >= SETTLED;
        if !settled && waited < self.latest {
            return None;
        }
        let right = !is_refuted(&checks);
        Some((checks, right))
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
fn local(controller: &Controller<'_>, cron_job: &CronJob, at: Timestamp) -> String {
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
fn is_same(one: &Decision, other: &Decision) -> bool {
    (one.outcome, &one.job_name, &one.deleted_jobs)
        == (other.outcome, &other.job_name, &other.deleted_jobs)
}
