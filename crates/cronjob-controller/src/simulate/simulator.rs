//! The event loop of a simulation.
//!
//! At the same time, outages and edits come first, then wake-ups, then Jobs that finish. A sync that changes
//! something is followed by another one immediately, because the controller watches the objects it changes; the
//! first generation watches nothing.

use std::sync::Arc;

use cronjob_text::duration::later;
use jiff::{SignedDuration, Timestamp};

use super::plan::{ExternalEvent, SimulationPlan, TimeSpan};
use super::run::JobEnding;
use super::run_recorder::{DueTimes, RunRecorder, StartedJob, at};
use super::simulated_cluster::SimulatedCluster;
use super::simulation::{EventCounter, Simulation};
use super::sync_timer::SyncTimer;
use crate::controller::MissedCause;
use crate::controller::{
    Behavior, Controller, Decision, Generation, Outcome, RepeatedSync, edit_effect, next_minute,
    past_deadline,
};
use crate::upcoming::timetable;
use kube_model::{CronJob, Job, SpecChange};

/// The maximum number of syncs at the same time, against endless loops. Known cases need at most five.
const MAX_SYNCS: u32 = 64;

/// A running controller with its cluster.
pub(super) struct Simulator<'p> {
    controller: &'p Controller,
    /// The controller that replaces it in an upgrade.
    successor: Option<&'p Controller>,
    controller_sync: RepeatedSync<'p>,
    behavior: Behavior,
    plan: &'p SimulationPlan,
    cluster: SimulatedCluster<'p>,
    recorder: RunRecorder,
    timer: SyncTimer,
    is_down: bool,
    stuck: Option<MissedCause>,
    events: EventCounter,
    hot_loops: Vec<(Timestamp, Option<Timestamp>)>,
}

#[derive(Clone, Copy)]
enum NextStep {
    ExternalEvent,
    Wake,
    End,
    Expiry,
}

impl<'p> Simulator<'p> {
    pub(super) fn new(
        controller: &'p Controller,
        successor: Option<&'p Controller>,
        cron_job: CronJob,
        jobs: Vec<Job>,
        plan: &'p SimulationPlan,
    ) -> Self {
        let due_times = DueTimes::new(None, None, plan.from, plan.to);
        Simulator {
            controller,
            successor,
            controller_sync: RepeatedSync::new(controller),
            behavior: controller.behavior(),
            plan,
            cluster: SimulatedCluster::new(controller, cron_job, jobs, plan),
            recorder: RunRecorder::new(due_times, plan.from),
            timer: SyncTimer::default(),
            is_down: false,
            stuck: None,
            events: EventCounter::default(),
            hot_loops: Vec::new(),
        }
    }

    pub(super) fn run(mut self) -> Simulation {
        let external_events = self.plan.external_events();
        let begun = external_events.partition_point(|(at, _)| *at <= self.plan.from);
        let (before, mut ahead) = external_events.split_at(begun);
        for (_, external_event) in before {
            match external_event {
                ExternalEvent::Down => self.is_down = true,
                ExternalEvent::Up => self.is_down = false,
                ExternalEvent::Edited(change) => change.apply(&mut self.cluster.cron_job.spec),
                ExternalEvent::Upgraded => self.hand_over(self.plan.from),
            }
        }
        self.reschedule(self.first_moment());
        if !self.is_down {
            self.sync(self.plan.from);
        }
        while let Some((now, next)) = self.next(ahead.first().map(|(at, _)| *at)) {
            match (next, ahead) {
                (NextStep::ExternalEvent, [(_, external_event), rest @ ..]) => {
                    self.external_event_at(now, external_event);
                    ahead = rest;
                }
                (NextStep::ExternalEvent, []) => {}
                (NextStep::Wake, _) => {
                    self.timer.clear();
                    self.sync(now);
                }
                (NextStep::End, _) => {
                    for (run, how) in self.cluster.end_jobs(now) {
                        if let Some(run) = run {
                            self.recorder.ended(run, now, how);
                        }
                    }
                    self.jobs_changed(now);
                }
                (NextStep::Expiry, _) => {
                    self.cluster.expire_jobs(now);
                    self.jobs_changed(now);
                }
            }
        }
        self.close()
    }

    fn next(&self, external_event: Option<Timestamp>) -> Option<(Timestamp, NextStep)> {
        let mut first = external_event.map(|at| (at, NextStep::ExternalEvent));
        let mut consider = |at: Option<Timestamp>, next| {
            // The first of several steps at the same time.
            if let Some(at) = at.filter(|at| first.is_none_or(|(first, _)| *at < first)) {
                first = Some((at, next));
            }
        };
        consider(self.timer.wake(), NextStep::Wake);
        consider(self.cluster.next_end(), NextStep::End);
        consider(self.cluster.next_expiry(), NextStep::Expiry);
        first.filter(|(at, _)| *at < self.plan.to)
    }

    /// Why no run can start now, regardless of what the controller would decide.
    fn prevented_by(&self) -> Option<MissedCause> {
        if self.is_down {
            return Some(MissedCause::Outage);
        }
        let is_suspended = self.cluster.cron_job.spec.suspend == Some(true);
        let stuck = self.stuck;
        stuck.or_else(|| is_suspended.then_some(MissedCause::Suspended))
    }

    fn external_event_at(&mut self, now: Timestamp, external_event: &ExternalEvent) {
        let standing = self.prevented_by();
        self.recorder.until(now, standing);
        match external_event {
            ExternalEvent::Down => {
                self.recorder.controller_stopped();
                self.events.pass(self.timer.uneventful_passes(now));
                self.timer.forget();
                self.end_hot_loop(now);
                self.is_down = true;
            }
            ExternalEvent::Up => {
                self.is_down = false;
                self.stuck = None;
                self.sync(now);
            }
            ExternalEvent::Edited(change) => self.edited(now, change),
            ExternalEvent::Upgraded => {
                self.hand_over(now);
                // The new version judges what is missed from now on, and may read the schedule differently.
                self.reschedule(now);
            }
        }
    }

    /// Replaces the controller, which is down, by its successor. The objects stay as they are.
    fn hand_over(&mut self, now: Timestamp) {
        if let Some(successor) = self.successor.take() {
            self.controller = successor;
            self.controller_sync = RepeatedSync::new(successor);
            self.behavior = successor.behavior();
            self.cluster.hand_over(successor, now);
        }
    }

    fn edited(&mut self, now: Timestamp, change: &SpecChange) {
        let mut changed = self.cluster.cron_job.clone();
        change.apply(&mut changed.spec);
        let old = std::mem::replace(&mut self.cluster.cron_job, changed);
        let new = &self.cluster.cron_job;
        if old.spec == new.spec {
            return;
        }
        let moved =
            old.spec.schedule != new.spec.schedule || old.spec.time_zone != new.spec.time_zone;
        if moved {
            self.reschedule(now);
        }
        if self.is_down || self.stuck == Some(MissedCause::Hangs) {
            return;
        }
        if self.stuck.take().is_some() {
            // The controller manager kept restarting, and now gets past the panic.
            self.sync(now);
            return;
        }
        match self.behavior.generation {
            Generation::V1 => self.timer.pass_from(now),
            Generation::Tutorial => self.sync(now),
            Generation::V2 => {
                let cluster = &self.cluster;
                let effect =
                    edit_effect(self.controller, &old, &cluster.cron_job, &cluster.jobs, now);
                self.events.record(&effect.events);
                match effect.new_wake {
                    Some(wake) if wake <= now => self.sync(now),
                    Some(wake) => self.timer.set(wake),
                    None if effect.syncs_at.is_none() && effect.events.is_empty() => {
                        self.stuck = Some(MissedCause::Panics);
                    }
                    None => {}
                }
            }
        }
    }

    /// Jobs finished or were deleted, which most generations see immediately.
    fn jobs_changed(&mut self, now: Timestamp) {
        if self.is_down || self.stuck.is_some() {
            return;
        }
        if self.behavior.generation == Generation::V1 {
            // At the same time, the pass comes first.
            self.timer
                .pass_from(later(now, SignedDuration::from_nanos(1)));
        } else {
            self.sync(now);
        }
    }

    /// Runs are only started for scheduled times after the creation and the last start.
    fn first_moment(&self) -> Timestamp {
        let cron_job = &self.cluster.cron_job;
        let last = cron_job.status.last_schedule_time;
        let last = last.or(cron_job.creation_timestamp);
        let first = last.map_or(self.plan.from, |last| at(last.as_second() + 1));
        first.max(self.plan.from)
    }

    /// Uses the current schedule from now on.
    fn reschedule(&mut self, now: Timestamp) {
        let cron_job = &self.cluster.cron_job;
        let timetable = timetable(self.controller, cron_job).ok();
        let base = cron_job.status.last_schedule_time;
        let base = base.or(cron_job.creation_timestamp);
        let due_times = DueTimes::new(timetable, base, now, self.plan.to);
        self.recorder.reschedule(due_times);
    }

    fn sync(&mut self, now: Timestamp) {
        for _ in 0..MAX_SYNCS {
            let decision = self.decide(now);
            let changed = self.apply_decision(now, &decision);
            match decision.outcome {
                Outcome::Hangs => return self.get_stuck(MissedCause::Hangs),
                Outcome::Panics => return self.get_stuck(MissedCause::Panics),
                _ => {}
            }
            if self.behavior.generation == Generation::V1 {
                return self.plan_next_pass(now, &decision, changed);
            }
            self.requeue(now, &decision, changed);
            if !changed {
                return;
            }
        }
    }

    fn decide(&mut self, now: Timestamp) -> Decision {
        if self.behavior.generation == Generation::V1 {
            self.events.pass(self.timer.pass(now));
        }
        let decision = self
            .controller_sync
            .decide(&self.cluster.cron_job, &self.cluster.jobs, now);
        self.events.record(&decision.events);
        decision
    }

    /// Applies a decision. Returns whether it changed anything.
    fn apply_decision(&mut self, now: Timestamp, decision: &Decision) -> bool {
        let blocked = decision.outcome == Outcome::Blocked && decision.job_name.is_some();
        let blocker = blocked.then(|| self.cluster.blocker()).flatten();
        let changes = self.cluster.apply(decision, now);
        for (_, run) in &changes.replaced {
            if let Some(run) = run {
                self.recorder.ended(*run, now, JobEnding::Replaced);
            }
        }
        if let (Some(job), Some(scheduled_time)) = (changes.created, decision.scheduled_time) {
            let replaced = joined(changes.replaced.iter().map(|(name, _)| name));
            let start = StartedJob {
                scheduled_time,
                job,
                replaced,
            };
            let run = self.recorder.started(now, start, decision);
            self.cluster.belongs_to(run);
        } else {
            let deadline = self.cluster.cron_job.spec.starting_deadline_seconds;
            self.recorder
                .synced(now, decision, blocker.as_ref(), deadline);
        }
        changes.anything
    }

    fn requeue(&mut self, now: Timestamp, decision: &Decision, changed: bool) {
        if decision.fails(&self.behavior) {
            self.timer.failed(now);
            return;
        }
        self.timer.succeeded();
        let Some(wait) = decision.requeue_after else {
            return self.end_hot_loop(now);
        };
        if wait > 0 {
            self.end_hot_loop(now);
            self.timer.set(later(now, SignedDuration::from_nanos(wait)));
        } else if !changed {
            self.hot_loops(now, decision);
        }
    }

    /// The wake-up is in the past, so that the controller syncs in a loop until its decision changes.
    fn hot_loops(&mut self, now: Timestamp, decision: &Decision) {
        if self.hot_loops.last().is_none_or(|(_, end)| end.is_some()) {
            self.hot_loops.push((now, None));
        }
        let due_times = self.recorder.due_times();
        let minute = next_minute(&self.behavior, now);
        let wakes = [due_times.next(), self.leaves_window(now, decision), minute];
        if let Some(wake) = wakes.into_iter().flatten().min() {
            self.timer.set(wake);
        }
    }

    fn end_hot_loop(&mut self, now: Timestamp) {
        if let Some((_, end)) = self.hot_loops.last_mut() {
            end.get_or_insert(now);
        }
    }

    /// When the oldest scheduled time that the controller sees will be past its deadline.
    fn leaves_window(&self, now: Timestamp, decision: &Decision) -> Option<Timestamp> {
        let first = self.recorder.due_times().after(decision.missed?.since?)?;
        let deadline = self.cluster.cron_job.spec.starting_deadline_seconds;
        past_deadline(first, deadline, now)
    }

    /// While nothing changes, every pass has the same result.
    fn plan_next_pass(&mut self, now: Timestamp, decision: &Decision, changed: bool) {
        self.events.idle(&decision.events);
        if changed {
            return self
                .timer
                .pass_from(later(now, SignedDuration::from_nanos(1)));
        }
        let waits = decision.outcome == Outcome::Wait;
        let leaves = (!waits).then(|| self.leaves_window(now, decision));
        let wakes = [self.recorder.due_times().next(), leaves.flatten()];
        if let Some(wake) = wakes.into_iter().flatten().min() {
            self.timer.pass_from(wake);
        }
    }

    fn get_stuck(&mut self, cause: MissedCause) {
        self.timer.forget();
        self.events.idle(&[]);
        self.stuck = Some(cause);
    }

    fn close(mut self) -> Simulation {
        self.events.pass(self.timer.uneventful_passes(self.plan.to));
        self.end_hot_loop(self.plan.to);
        let standing = self.prevented_by();
        let (runs, pending) = self.recorder.close(self.plan.to, standing);
        let hot_loops = self.hot_loops.into_iter().map(|(from, to)| TimeSpan {
            from,
            to: to.unwrap_or(self.plan.to),
        });
        // A loop that ends immediately is a sync at a time at which something else happened, too.
        let hot_loops = hot_loops.filter(|span| span.from < span.to).collect();
        Simulation::new(self.plan, runs, pending, self.events.close(), hot_loops)
    }
}

/// The names separated by commas; a single name is shared.
fn joined<'n>(names: impl Iterator<Item = &'n Arc<str>>) -> Option<Arc<str>> {
    let names: Vec<&Arc<str>> = names.collect();
    match names.as_slice() {
        [] => None,
        [one] => Some(Arc::clone(one)),
        several => {
            let texts: Vec<&str> = several.iter().map(|name| &***name).collect();
            Some(Arc::from(texts.join(", ")))
        }
    }
}
