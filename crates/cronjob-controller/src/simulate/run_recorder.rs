//! Records what happens at each scheduled time while the controller runs.
//!
//! A scheduled time is *open* until a Job is started for it or for a later one, or until the controller no longer
//! sees it. There may be many syncs and many open times, so a sync changes only the newest one; facts about all of
//! them are kept as the time up to which they hold.

use std::collections::VecDeque;
use std::sync::Arc;

use cronjob_text::duration::ceiling;
use jiff::Timestamp;
use kube_cron::Timetable;

use super::run::{DelayOutcome, DelayReason, JobEnding, SimulatedRun, SimulatedStatus};
use crate::controller::{Decision, Outcome};
use crate::controller::{MissedCause, ON_TIME};

/// A scheduled time that is due and for which nothing is decided yet.
struct OpenTime {
    scheduled_time: i64,
    cause: Option<MissedCause>,
    blocker: Option<Arc<str>>,
    event: Option<&'static str>,
}

/// What happens at each scheduled time.
pub(super) struct RunRecorder {
    due_times: DueTimes,
    from: i64,
    open: VecDeque<OpenTime>,
    runs: Vec<SimulatedRun>,
    not_found_up_to: i64,
    refused_up_to: i64,
    reported_up_to: (i64, Option<&'static str>),
}

pub(super) struct StartedJob {
    pub(super) scheduled_time: Timestamp,
    pub(super) job: Arc<str>,
    pub(super) replaced: Option<Arc<str>>,
}

impl RunRecorder {
    pub(super) fn new(due_times: DueTimes, from: Timestamp) -> Self {
        RunRecorder {
            due_times,
            from: from.as_second(),
            open: VecDeque::new(),
            runs: Vec::new(),
            not_found_up_to: i64::MIN,
            refused_up_to: i64::MIN,
            reported_up_to: (i64::MIN, None),
        }
    }

    pub(super) fn due_times(&self) -> &DueTimes {
        &self.due_times
    }

    /// Opens the scheduled times before an external event. `cause` is why they do not start on time, if they do not.
    pub(super) fn until(&mut self, moment: Timestamp, cause: Option<MissedCause>) {
        while let Some(scheduled_time) = self.due_times.pop_before(moment) {
            self.push(scheduled_time, cause);
        }
    }

    /// The controller went down before it synced the newest scheduled times.
    pub(super) fn controller_stopped(&mut self) {
        for open in self.open.iter_mut().rev() {
            if open.cause.is_some() {
                break;
            }
            open.cause = Some(MissedCause::Outage);
        }
    }

    /// Uses other scheduled times from now on.
    pub(super) fn reschedule(&mut self, due_times: DueTimes) {
        self.due_times = due_times;
    }

    fn push(&mut self, scheduled_time: i64, cause: Option<MissedCause>) {
        self.open.push_back(OpenTime {
            scheduled_time,
            cause,
            blocker: None,
            event: None,
        });
    }

    /// Records a sync that started nothing.
    pub(super) fn synced(
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
        let (scheduled_time, event) = (newest.scheduled_time, warning_event(decision));
        newest.event = newest.event.or(event);
        let cause = match decision.outcome {
            Outcome::Wait => {
                if let Some(deadline) = deadline {
                    let seen = now.as_second().saturating_sub(deadline);
                    self.give_up_before(seen.saturating_add(1), DelayOutcome::PastDeadline);
                }
                return;
            }
            Outcome::DeadlineExceeded => {
                let decided = decision
                    .scheduled_time
                    .map_or(scheduled_time, Timestamp::as_second);
                self.give_up_before(decided.saturating_add(1), DelayOutcome::PastDeadline);
                return;
            }
            Outcome::NoRunFound => {
                self.not_found_up_to = scheduled_time;
                MissedCause::Arithmetic
            }
            Outcome::TooManyMissed => {
                self.refused_up_to = scheduled_time;
                self.reported_up_to = (scheduled_time, event);
                MissedCause::TooMany
            }
            Outcome::Blocked if blocker.is_some() => MissedCause::Forbid,
            Outcome::Blocked => MissedCause::StatusRefused,
            Outcome::NameTaken | Outcome::AlreadyProcessed => MissedCause::NameTaken,
            Outcome::Suspended => MissedCause::Suspended,
            Outcome::Deleted => MissedCause::Deleted,
            Outcome::UnknownTimeZone | Outcome::UnparseableSchedule | Outcome::InvalidSchedule => {
                MissedCause::NoSchedule
            }
            Outcome::Hangs => MissedCause::Hangs,
            Outcome::Panics => MissedCause::Panics,
            Outcome::Start | Outcome::Replace => return,
        };
        let decided = decision.scheduled_time.map(Timestamp::as_second);
        if newest.cause.is_none() && decided.is_none_or(|decided| decided == scheduled_time) {
            newest.cause = Some(cause);
            newest.blocker = blocker.filter(|_| cause == MissedCause::Forbid).cloned();
        }
    }

    /// Records a sync that started a Job. Returns the index of its run.
    pub(super) fn started(
        &mut self,
        now: Timestamp,
        start: StartedJob,
        decision: &Decision,
    ) -> usize {
        self.open_up_to(now);
        let second = start.scheduled_time.as_second();
        if let (Some(newest), Some(event)) = (self.open.back(), warning_event(decision)) {
            self.reported_up_to = (newest.scheduled_time, Some(event));
        }
        self.give_up_before(second, DelayOutcome::Superseded(start.scheduled_time));
        let open = self.pop_open(|open| open.scheduled_time == second);
        let known = open.is_some();
        let delay = now.as_second().saturating_sub(second);
        let is_scheduled = known || self.due_times.contains(start.scheduled_time);
        let late = |cause| (SimulatedStatus::Late, Some(cause));
        let (status, cause) = match &open {
            _ if !is_scheduled => (SimulatedStatus::Phantom, None),
            Some(_) if delay <= ON_TIME => (SimulatedStatus::Started, None),
            Some(open) => late(open.cause.unwrap_or(MissedCause::NotAwake)),
            None if second < self.from => late(MissedCause::BeforeStart),
            None => late(MissedCause::ScheduleChanged),
        };
        if !known {
            self.due_times.rebase(second);
        }
        self.runs.push(SimulatedRun {
            scheduled_time: start.scheduled_time,
            status,
            started_at: Some(now),
            finished_at: None,
            result: None,
            job_name: Some(start.job),
            replaced: start.replaced,
            reason: cause.map(|cause| DelayReason {
                cause,
                blocker: open.and_then(|open| open.blocker),
                outcome: DelayOutcome::StartedLate,
                event: None,
            }),
        });
        self.runs.len() - 1
    }

    /// Records that the Job of a run finished.
    pub(super) fn ended(&mut self, run: usize, now: Timestamp, ending: JobEnding) {
        if let Some(run) = self.runs.get_mut(run) {
            run.finished_at = Some(now);
            run.result = Some(ending);
        }
    }

    /// All runs in order, and the number of scheduled times that were not synced yet.
    pub(super) fn close(
        mut self,
        to: Timestamp,
        cause: Option<MissedCause>,
    ) -> (Vec<SimulatedRun>, u64) {
        self.until(to, cause);
        let mut pending = 0;
        while self.open.back().is_some_and(|open| {
            open.cause.is_none() && open.event.is_none() && open.scheduled_time > self.refused_up_to
        }) {
            self.open.pop_back();
            pending += 1;
        }
        self.give_up_before(i64::MAX, DelayOutcome::Undecided);
        self.runs.sort_by_key(|run| run.scheduled_time);
        (self.runs, pending)
    }

    fn open_up_to(&mut self, now: Timestamp) {
        while let Some(scheduled_time) = self.due_times.pop_up_to(now) {
            self.push(scheduled_time, None);
        }
    }

    /// Removes the first open time if it is such a one.
    fn pop_open(&mut self, is_it: impl Fn(&OpenTime) -> bool) -> Option<OpenTime> {
        self.open.front().filter(|open| is_it(open))?;
        self.open.pop_front()
    }

    /// Closes the scheduled times before a second, for which no Job will be started.
    fn give_up_before(&mut self, second: i64, outcome: DelayOutcome) {
        while let Some(open) = self.pop_open(|open| open.scheduled_time < second) {
            let (reported_up_to, event) = self.reported_up_to;
            let reported = event.filter(|_| open.scheduled_time <= reported_up_to);
            let outcome = if open.scheduled_time <= self.not_found_up_to {
                DelayOutcome::NotFound
            } else if open.scheduled_time <= self.refused_up_to {
                DelayOutcome::Refused
            } else {
                outcome
            };
            let cause = open.cause.unwrap_or(match outcome {
                DelayOutcome::PastDeadline => MissedCause::Deadline,
                _ => MissedCause::NotAwake,
            });
            let is_blocked = cause == MissedCause::Forbid;
            self.runs.push(SimulatedRun {
                scheduled_time: at(open.scheduled_time),
                status: if is_blocked {
                    SimulatedStatus::Blocked
                } else {
                    SimulatedStatus::Lost
                },
                started_at: None,
                finished_at: None,
                result: None,
                job_name: None,
                replaced: None,
                reason: Some(DelayReason {
                    cause,
                    blocker: open.blocker,
                    outcome,
                    event: open.event.or(reported),
                }),
            });
        }
    }
}

/// The first event of a sync that reports missed runs.
fn warning_event(decision: &Decision) -> Option<&'static str> {
    const WARNING_EVENTS: [&str; 8] = [
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
    reasons.find(|reason| WARNING_EVENTS.contains(reason))
}

/// The scheduled times that have not come due yet.
#[derive(Clone, Debug)]
pub(super) struct DueTimes {
    timetable: Option<Timetable>,
    next: Option<i64>,
    /// The first second that is not included.
    end: i64,
}

impl DueTimes {
    /// The scheduled times in `from..to`. `@every` counts from `base`.
    pub(super) fn new(
        timetable: Option<Timetable>,
        base: Option<Timestamp>,
        from: Timestamp,
        to: Timestamp,
    ) -> Self {
        let mut due_times = DueTimes {
            next: None,
            end: ceiling(to),
            timetable,
        };
        let before = ceiling(from) - 1;
        if let Some(timetable) = &due_times.timetable {
            let after = match base.filter(|_| due_times.is_every()) {
                Some(base) => {
                    let base = base.as_second();
                    let counted = timetable.count_seconds(base, before);
                    counted.ok().and_then(|count| count.last).unwrap_or(base)
                }
                None => before,
            };
            due_times.next = timetable.next_after_second(after).ok().flatten();
        }
        due_times
    }

    /// The next scheduled time that has not come due.
    pub(super) fn next(&self) -> Option<Timestamp> {
        self.next.map(at)
    }

    /// The first scheduled time after a given time, past or future.
    pub(super) fn after(&self, moment: Timestamp) -> Option<Timestamp> {
        self.timetable.as_ref()?.next(moment).ok()?
    }

    /// Removes the next scheduled time if it is before a given time.
    pub(super) fn pop_before(&mut self, moment: Timestamp) -> Option<i64> {
        self.pop(|scheduled_time| scheduled_time < ceiling(moment))
    }

    /// Removes the next scheduled time if it is not after a given time.
    pub(super) fn pop_up_to(&mut self, moment: Timestamp) -> Option<i64> {
        self.pop(|scheduled_time| scheduled_time <= moment.as_second())
    }

    fn pop(&mut self, is_due: impl Fn(i64) -> bool) -> Option<i64> {
        let scheduled_time = self.next.filter(|next| *next < self.end && is_due(*next))?;
        let timetable = self.timetable.as_ref()?;
        let following = timetable.next_after_second(scheduled_time).ok().flatten();
        // Near some changes of the time zone offset, upstream's search returns an earlier time.
        self.next = following.filter(|following| *following > scheduled_time);
        Some(scheduled_time)
    }

    /// Whether a time is a scheduled time, past or future.
    pub(super) fn contains(&self, moment: Timestamp) -> bool {
        let timetable = self.timetable.as_ref();
        self.is_every() || timetable.is_some_and(|timetable| timetable.is_scheduled(moment))
    }

    /// Makes `@every` count from a start at another second than expected.
    pub(super) fn rebase(&mut self, second: i64) {
        if let (true, Some(timetable)) = (self.is_every(), &self.timetable) {
            self.next = timetable.next_after_second(second).ok().flatten();
        }
    }

    fn is_every(&self) -> bool {
        let timetable = self.timetable.as_ref();
        timetable.is_some_and(Timetable::is_every)
    }
}

pub(super) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap_or(Timestamp::MAX)
}
