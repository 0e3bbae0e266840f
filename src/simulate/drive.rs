//! The run itself: what happens next, until the end.
//!
//! At one moment outages and edits come first, then wake-ups, then Jobs that end. A look that
//! changes something is followed by another one at once, since the controller watches what it
//! changes; the first generation does not watch anything.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::alarm::Alarm;
use super::events::Events;
use super::ledger::{Ledger, Start};
use super::plan::{Happening, Plan};
use super::run::{Cause, Ending};
use super::simulation::Simulation;
use super::slots::{Slots, at, timetable};
use super::world::{World, later};
use crate::controller::{
    Arithmetic, Behaviour, Controller, Decision, Generation, NameTaken, Outcome, RepeatedSync,
    edit_effect,
};
use crate::model::{CronJob, Job, SpecChange};

/// Looks at one moment after which something is wrong: nothing that is known takes more than five.
const MOST_LOOKS: u32 = 64;

/// A controller that runs.
pub(super) struct Drive<'p> {
    controller: &'p Controller<'p>,
    watcher: RepeatedSync<'p>,
    behaviour: Behaviour,
    plan: &'p Plan,
    world: World<'p>,
    ledger: Ledger,
    alarm: Alarm,
    is_down: bool,
    /// Why it never looks again.
    stuck: Option<Cause>,
    events: Events,
    spins: Vec<(Timestamp, Option<Timestamp>)>,
}

/// What happens next.
#[derive(Clone, Copy)]
enum Next {
    Happening,
    Wake,
    End,
    Expiry,
}

impl<'p> Drive<'p> {
    pub(super) fn new(
        controller: &'p Controller<'p>,
        cron_job: CronJob,
        jobs: Vec<Job>,
        plan: &'p Plan,
    ) -> Self {
        let slots = Slots::new(None, None, plan.from, plan.to);
        Drive {
            controller,
            watcher: RepeatedSync::new(controller),
            behaviour: controller.behaviour(),
            plan,
            world: World::new(controller, cron_job, jobs, plan),
            ledger: Ledger::new(slots, plan.from),
            alarm: Alarm::default(),
            is_down: false,
            stuck: None,
            events: Events::default(),
            spins: Vec::new(),
        }
    }

    pub(super) fn run(mut self) -> Simulation {
        let happenings = self.plan.happenings();
        let begun = happenings.partition_point(|(at, _)| *at <= self.plan.from);
        let (before, mut ahead) = happenings.split_at(begun);
        for (_, happening) in before {
            match happening {
                Happening::Down => self.is_down = true,
                Happening::Up => self.is_down = false,
                Happening::Edited(change) => change.apply(&mut self.world.cron_job.spec),
            }
        }
        self.reschedule(self.first_moment());
        if !self.is_down {
            self.look(self.plan.from);
        }
        while let Some((now, next)) = self.next(ahead.first().map(|(at, _)| *at)) {
            match (next, ahead) {
                (Next::Happening, [(_, happening), rest @ ..]) => {
                    self.happens(now, happening);
                    ahead = rest;
                }
                (Next::Happening, []) => {}
                (Next::Wake, _) => {
                    self.alarm.ring();
                    self.look(now);
                }
                (Next::End, _) => {
                    for (run, how) in self.world.end_jobs(now) {
                        if let Some(run) = run {
                            self.ledger.ended(run, now, how);
                        }
                    }
                    self.jobs_changed(now);
                }
                (Next::Expiry, _) => {
                    self.world.expire_jobs(now);
                    self.jobs_changed(now);
                }
            }
        }
        self.close()
    }

    fn next(&self, happening: Option<Timestamp>) -> Option<(Timestamp, Next)> {
        let mut first = happening.map(|at| (at, Next::Happening));
        let mut consider = |at: Option<Timestamp>, next| {
            // Of equal ones the first is taken.
            if let Some(at) = at.filter(|at| first.is_none_or(|(first, _)| *at < first)) {
                first = Some((at, next));
            }
        };
        consider(self.alarm.wake(), Next::Wake);
        consider(self.world.next_end(), Next::End);
        consider(self.world.next_expiry(), Next::Expiry);
        first.filter(|(at, _)| *at < self.plan.to)
    }

    /// What keeps slots from starting right now, whatever the controller would decide.
    fn standing(&self) -> Option<Cause> {
        if self.is_down {
            return Some(Cause::Outage);
        }
        let is_suspended = self.world.cron_job.spec.suspend == Some(true);
        let stuck = self.stuck.clone();
        stuck.or_else(|| is_suspended.then_some(Cause::Suspended))
    }

    fn happens(&mut self, now: Timestamp, happening: &Happening) {
        let standing = self.standing();
        self.ledger.until(now, standing.as_ref());
        match happening {
            Happening::Down => {
                self.ledger.goes_down();
                self.events.pass(self.alarm.unwatched(now));
                self.alarm.forget();
                self.stops_spinning(now);
                self.is_down = true;
            }
            Happening::Up => {
                self.is_down = false;
                self.stuck = None;
                self.look(now);
            }
            Happening::Edited(change) => self.edited(now, change),
        }
    }

    fn edited(&mut self, now: Timestamp, change: &SpecChange) {
        let mut changed = self.world.cron_job.clone();
        change.apply(&mut changed.spec);
        let old = std::mem::replace(&mut self.world.cron_job, changed);
        let new = &self.world.cron_job;
        if old.spec == new.spec {
            return;
        }
        let moved =
            old.spec.schedule != new.spec.schedule || old.spec.time_zone != new.spec.time_zone;
        if moved {
            self.reschedule(now);
        }
        if self.is_down || self.stuck == Some(Cause::Hangs) {
            return;
        }
        if self.stuck.take().is_some() {
            // The manager was restarted again and again, and now it comes further.
            self.look(now);
            return;
        }
        match self.behaviour.generation {
            Generation::V1 => self.alarm.pass_from(now),
            Generation::Tutorial => self.look(now),
            Generation::V2 => {
                let world = &self.world;
                let effect = edit_effect(self.controller, &old, &world.cron_job, &world.jobs, now);
                self.events.record(&effect.events);
                match effect.new_wake {
                    Some(wake) if wake <= now => self.look(now),
                    Some(wake) => self.alarm.set(wake),
                    None if effect.looks_at.is_none() && effect.events.is_empty() => {
                        self.stuck = Some(Cause::Panics);
                    }
                    None => {}
                }
            }
        }
    }

    /// Jobs ended or went away, which most generations are told at once.
    fn jobs_changed(&mut self, now: Timestamp) {
        if self.is_down || self.stuck.is_some() {
            return;
        }
        if self.behaviour.generation == Generation::V1 {
            // Within a moment the pass came first.
            self.alarm
                .pass_from(later(now, SignedDuration::from_nanos(1)));
        } else {
            self.look(now);
        }
    }

    /// What is not later than the creation or the last start is no slot to be started.
    fn first_moment(&self) -> Timestamp {
        let cron_job = &self.world.cron_job;
        let last = cron_job.status.last_schedule_time;
        let last = last.or(cron_job.creation_timestamp);
        last.map_or(self.plan.from, |last| at(last.as_second() + 1))
            .max(self.plan.from)
    }

    /// From a moment on the slots are those of the schedule as it is now.
    fn reschedule(&mut self, now: Timestamp) {
        let cron_job = &self.world.cron_job;
        let timetable = timetable(self.controller, cron_job).ok();
        let base = cron_job
            .status
            .last_schedule_time
            .or(cron_job.creation_timestamp);
        self.ledger
            .reschedule(Slots::new(timetable, base, now, self.plan.to));
    }

    /// The controller looks, and again as long as that changes something.
    fn look(&mut self, now: Timestamp) {
        for _ in 0..MOST_LOOKS {
            let decision = self.decide(now);
            let changed = self.carry_out(now, &decision);
            match decision.outcome {
                Outcome::Hangs => return self.sticks(Cause::Hangs),
                Outcome::Panics => return self.sticks(Cause::Panics),
                _ => {}
            }
            if self.behaviour.generation == Generation::V1 {
                return self.plan_next_pass(now, &decision, changed);
            }
            self.requeue(now, &decision, changed);
            if !changed {
                return;
            }
        }
    }

    fn decide(&mut self, now: Timestamp) -> Decision {
        if self.behaviour.generation == Generation::V1 {
            self.events.pass(self.alarm.pass(now));
        }
        let decision = self
            .watcher
            .decide(&self.world.cron_job, &self.world.jobs, now);
        self.events.record(&decision.events);
        decision
    }

    /// Does what was decided, and says whether that changed anything.
    fn carry_out(&mut self, now: Timestamp, decision: &Decision) -> bool {
        let blocked = decision.outcome == Outcome::Blocked && decision.job_name.is_some();
        let blocker = blocked.then(|| self.world.blocker()).flatten();
        let changes = self.world.apply(decision, now);
        for (_, run) in &changes.replaced {
            if let Some(run) = run {
                self.ledger.ended(*run, now, Ending::Replaced);
            }
        }
        if let (Some(job), Some(slot)) = (changes.created, decision.scheduled_time) {
            let replaced = joined(changes.replaced.iter().map(|(name, _)| name));
            let start = Start {
                slot,
                job,
                replaced,
            };
            let run = self.ledger.started(now, start, decision);
            self.world.belongs_to(run);
        } else {
            let deadline = self.world.cron_job.spec.starting_deadline_seconds;
            self.ledger
                .looked(now, decision, blocker.as_ref(), deadline);
        }
        changes.anything
    }

    fn requeue(&mut self, now: Timestamp, decision: &Decision, changed: bool) {
        // A real API server refuses the look-up by which the Job is to be adopted.
        let refused = decision.outcome == Outcome::NameTaken
            && self.behaviour.name_taken == NameTaken::MeansToAdopt;
        if decision.error.is_some() || refused {
            self.alarm.failed(now);
            return;
        }
        self.alarm.succeeded();
        let Some(wait) = decision.requeue_after else {
            return self.stops_spinning(now);
        };
        if wait > 0 {
            self.stops_spinning(now);
            self.alarm.set(later(now, SignedDuration::from_nanos(wait)));
        } else if !changed {
            self.spins(now, decision);
        }
    }

    /// The wake-up lies in the past: it looks again at once, over and over, until a moment at which
    /// it comes to another decision.
    fn spins(&mut self, now: Timestamp, decision: &Decision) {
        if self.spins.last().is_none_or(|(_, end)| end.is_some()) {
            self.spins.push((now, None));
        }
        let slots = self.ledger.slots();
        let minute = (self.behaviour.arithmetic == Arithmetic::Multiplied)
            .then(|| at((now.as_second().div_euclid(60) + 1) * 60));
        let wakes = [slots.next(), self.leaves_window(now, decision), minute];
        if let Some(wake) = wakes.into_iter().flatten().min() {
            self.alarm.set(wake);
        }
    }

    fn stops_spinning(&mut self, now: Timestamp) {
        if let Some((_, end)) = self.spins.last_mut() {
            end.get_or_insert(now);
        }
    }

    /// When the oldest slot that is seen will be past its deadline.
    fn leaves_window(&self, now: Timestamp, decision: &Decision) -> Option<Timestamp> {
        let deadline = self.world.cron_job.spec.starting_deadline_seconds?;
        let first = self.ledger.slots().after(decision.missed?.since?)?;
        let past = first.as_second().checked_add(deadline)?.checked_add(1)?;
        Some(at(past)).filter(|past| *past > now)
    }

    /// While nothing changes, a pass comes to what the one before came to.
    fn plan_next_pass(&mut self, now: Timestamp, decision: &Decision, changed: bool) {
        self.events.idle(&decision.events);
        if changed {
            return self
                .alarm
                .pass_from(later(now, SignedDuration::from_nanos(1)));
        }
        let waits = decision.outcome == Outcome::Wait;
        let leaves = (!waits).then(|| self.leaves_window(now, decision));
        let wakes = [self.ledger.slots().next(), leaves.flatten()];
        if let Some(wake) = wakes.into_iter().flatten().min() {
            self.alarm.pass_from(wake);
        }
    }

    fn sticks(&mut self, cause: Cause) {
        self.alarm.forget();
        self.events.idle(&[]);
        self.stuck = Some(cause);
    }

    fn close(mut self) -> Simulation {
        self.events.pass(self.alarm.unwatched(self.plan.to));
        self.stops_spinning(self.plan.to);
        let standing = self.standing();
        let (runs, pending) = self.ledger.close(self.plan.to, standing.as_ref());
        let spins = self
            .spins
            .into_iter()
            .map(|(from, to)| (from, to.unwrap_or(self.plan.to)));
        // A spin that ends at once is a look at a moment at which something else happened too.
        let spins = spins.filter(|(from, to)| from < to).collect();
        Simulation::new(self.plan, runs, pending, self.events.close(), spins)
    }
}

/// One name as it is, several with commas between them.
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
