//! What becomes of each slot, noted down while the controller runs.
//!
//! A slot is *open* from its time on, until a Job is started for it or for a later one, or until
//! the controller can no longer see it. Looks are many and open slots may be many, so that a look
//! touches no more than the newest of them; what is true of all of them is kept as a mark up to
//! which it is true.

use std::collections::VecDeque;
use std::sync::Arc;

use jiff::Timestamp;

use super::run::{Cause, Ending, Fate, Run, Status, Why};
use super::slots::{Slots, at};
use crate::controller::{Decision, Outcome};
use crate::diagnose::ON_TIME;

/// A slot whose time has come and for which nothing is decided yet.
struct Open {
    slot: i64,
    cause: Option<Cause>,
    told: Option<&'static str>,
}

/// What becomes of each slot.
pub(super) struct Ledger {
    slots: Slots,
    from: i64,
    open: VecDeque<Open>,
    runs: Vec<Run>,
    not_found_up_to: i64,
    refused_up_to: i64,
    told_up_to: (i64, Option<&'static str>),
}

/// A Job that was started.
pub(super) struct Start {
    pub(super) slot: Timestamp,
    pub(super) job: Arc<str>,
    pub(super) replaced: Option<Arc<str>>,
}

impl Ledger {
    pub(super) fn new(slots: Slots, from: Timestamp) -> Self {
        Ledger {
            slots,
            from: from.as_second(),
            open: VecDeque::new(),
            runs: Vec::new(),
            not_found_up_to: i64::MIN,
            refused_up_to: i64::MIN,
            told_up_to: (i64::MIN, None),
        }
    }

    pub(super) fn slots(&self) -> &Slots {
        &self.slots
    }

    /// Opens the slots before a moment at which something changes from outside. `cause` keeps them
    /// from starting at their time, if anything does.
    pub(super) fn until(&mut self, moment: Timestamp, cause: Option<&Cause>) {
        while let Some(slot) = self.slots.pop_before(moment) {
            self.push(slot, cause.cloned());
        }
    }

    /// The controller went down before it looked at the newest slots.
    pub(super) fn goes_down(&mut self) {
        for open in self.open.iter_mut().rev() {
            if open.cause.is_some() {
                break;
            }
            open.cause = Some(Cause::Outage);
        }
    }

    /// From a moment on other slots count.
    pub(super) fn reschedule(&mut self, slots: Slots) {
        self.slots = slots;
    }

    fn push(&mut self, slot: i64, cause: Option<Cause>) {
        let told = None;
        self.open.push_back(Open { slot, cause, told });
    }

    /// The controller looked, and started nothing.
    pub(super) fn looked(
        &mut self,
        now: Timestamp,
        decision: &Decision,
        blocker: Option<&Arc<str>>,
        deadline: Option<i64>,
    ) {
        self.open_up_to(now);
        let Some(newest) = self.open.back_mut() else {
            return;
        };
        let (slot, told) = (newest.slot, telling(decision));
        newest.told = newest.told.or(told);
        let cause = match decision.outcome {
            Outcome::Wait => {
                if let Some(deadline) = deadline {
                    let seen = now.as_second().saturating_sub(deadline);
                    self.give_up_before(seen.saturating_add(1), Fate::PastDeadline);
                }
                return;
            }
            Outcome::DeadlineExceeded => {
                let decided = decision.scheduled_time.map_or(slot, Timestamp::as_second);
                self.give_up_before(decided.saturating_add(1), Fate::PastDeadline);
                return;
            }
            Outcome::NoSlotFound => {
                self.not_found_up_to = slot;
                Cause::Arithmetic
            }
            Outcome::TooManyMissed => {
                self.refused_up_to = slot;
                self.told_up_to = (slot, told);
                Cause::TooMany
            }
            Outcome::Blocked => {
                blocker.map_or(Cause::StatusRefused, |job| Cause::Forbid(job.clone()))
            }
            Outcome::NameTaken | Outcome::AlreadyProcessed => Cause::NameTaken,
            Outcome::Suspended => Cause::Suspended,
            Outcome::Deleted => Cause::Deleted,
            Outcome::UnknownTimeZone | Outcome::UnparseableSchedule | Outcome::InvalidSchedule => {
                Cause::NoSchedule
            }
            Outcome::Hangs => Cause::Hangs,
            Outcome::Panics => Cause::Panics,
            Outcome::Start | Outcome::Replace => return,
        };
        let decided = decision.scheduled_time.map(Timestamp::as_second);
        if newest.cause.is_none() && decided.is_none_or(|decided| decided == slot) {
            newest.cause = Some(cause);
        }
    }

    /// The controller looked, and started a Job. Answers where its run is noted.
    pub(super) fn started(&mut self, now: Timestamp, start: Start, decision: &Decision) -> usize {
        self.open_up_to(now);
        let second = start.slot.as_second();
        if let (Some(newest), Some(told)) = (self.open.back(), telling(decision)) {
            self.told_up_to = (newest.slot, Some(told));
        }
        self.give_up_before(second, Fate::Superseded(start.slot));
        let known = self.open.front().is_some_and(|open| open.slot == second);
        let open = if known { self.open.pop_front() } else { None };
        let delay = now.as_second().saturating_sub(second);
        let is_slot = known || self.slots.contains(start.slot);
        let (status, cause) = match open {
            _ if !is_slot => (Status::Phantom, None),
            Some(_) if delay <= ON_TIME => (Status::Started, None),
            Some(open) => (Status::Late, open.cause.or(Some(Cause::NotAwake))),
            None if second < self.from => (Status::Late, Some(Cause::Before)),
            None => (Status::Late, Some(Cause::ScheduleChanged)),
        };
        if !known {
            self.slots.rebase(second);
        }
        let told = None;
        self.runs.push(Run {
            slot: start.slot,
            status,
            started_at: Some(now),
            finished_at: None,
            result: None,
            job_name: Some(start.job),
            replaced: start.replaced,
            why: cause.map(|cause| Why {
                cause,
                fate: Fate::MadeUpFor,
                told,
            }),
        });
        self.runs.len() - 1
    }

    /// The Job of a run ended.
    pub(super) fn ended(&mut self, run: usize, now: Timestamp, ending: Ending) {
        if let Some(run) = self.runs.get_mut(run) {
            run.finished_at = Some(now);
            run.result = Some(ending);
        }
    }

    /// All runs in the order of their slots, and how many slots nobody had looked at yet.
    pub(super) fn close(mut self, to: Timestamp, cause: Option<&Cause>) -> (Vec<Run>, u64) {
        self.until(to, cause);
        let mut pending = 0;
        while self.open.back().is_some_and(|open| {
            open.cause.is_none() && open.told.is_none() && open.slot > self.refused_up_to
        }) {
            self.open.pop_back();
            pending += 1;
        }
        self.give_up_before(i64::MAX, Fate::Open);
        self.runs.sort_by_key(|run| run.slot);
        (self.runs, pending)
    }

    fn open_up_to(&mut self, now: Timestamp) {
        while let Some(slot) = self.slots.pop_up_to(now) {
            self.push(slot, None);
        }
    }

    /// No Job will be started for the slots before a second.
    fn give_up_before(&mut self, second: i64, fate: Fate) {
        while self.open.front().is_some_and(|open| open.slot < second) {
            let Some(open) = self.open.pop_front() else {
                return;
            };
            let (told_up_to, told) = self.told_up_to;
            let fate = if open.slot <= self.not_found_up_to {
                Fate::NotFound
            } else if open.slot <= self.refused_up_to {
                Fate::Refused
            } else {
                fate
            };
            let cause = open.cause.unwrap_or(match fate {
                Fate::PastDeadline => Cause::Deadline,
                _ => Cause::NotAwake,
            });
            let is_blocked = matches!(cause, Cause::Forbid(_));
            self.runs.push(Run {
                slot: at(open.slot),
                status: if is_blocked {
                    Status::Blocked
                } else {
                    Status::Lost
                },
                started_at: None,
                finished_at: None,
                result: None,
                job_name: None,
                replaced: None,
                why: Some(Why {
                    cause,
                    fate,
                    told: open.told.or(told.filter(|_| open.slot <= told_up_to)),
                }),
            });
        }
    }
}

/// The event of a look by which somebody could know that slots were missed.
fn telling(decision: &Decision) -> Option<&'static str> {
    const TELLING: [&str; 8] = [
        "JobAlreadyActive",
        "TooManyMissedTimes",
        "FailedNeedsStart",
        "MissSchedule",
        "FailedCreate",
        "UnknownTimeZone",
        "UnparseableSchedule",
        "InvalidSchedule",
    ];
    let mut reasons = decision.events.iter().map(|event| event.reason);
    reasons.find(|reason| TELLING.contains(reason))
}
