//! What became of a slot without a Job, by what else is known.

use jiff::Timestamp;

use super::blockers::{Blocker, Blockers};
use super::changes::{Written, resumed, schedule_written};
use super::losses::{Loss, youngest_loss};
use super::memory::{Memory, Removal};
use super::run::Gone;
use super::slots::Chain;
use super::traces::Traces;
use super::window::{Basis, Span, evidence_ends};
use super::{Reason, Run, Status, run};
use crate::controller::{Generation, Outcome};
use crate::diagnose::{Facts, MissedFor, ON_TIME, causes};
use crate::model::Event;

/// What became of a slot without a Job. Slots with equal fates are told together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Nothing in the evidence is so new.
    AfterEvidence,
    /// The `CronJob` did not exist.
    NotCreated,
    /// The status says that it was started.
    StartedAndGone,
    /// The schedule may have been another.
    ScheduleChanged,
    /// It was not started yet, and is about to be.
    Due,
    /// It was not started, for one of [`causes`].
    Missed(usize),
    /// As [`Fate::Missed`], but it will be started when what is in the way is over.
    Waits(usize),
    /// A run was in the way.
    Blocked(usize),
    /// The controller said at a moment that a run was in the way.
    SaidToBeBlocked(Timestamp),
    /// No Jobs were read.
    NoJobs,
    /// Its Job may have been removed.
    Removable(Removal),
    /// Its Job may have been deleted, since a younger one was.
    Lost,
    /// Its Job could not be created, by an event.
    NotCreatable(usize),
    /// The controller said that it was too late for it.
    TooLate,
    /// It was not started, and later somebody resumed the `CronJob`.
    BeforeResume,
    /// It was not started, and nothing tells why.
    Unexplained,
}

impl Fate {
    pub(super) fn status(self) -> Status {
        match self {
            Fate::AfterEvidence
            | Fate::StartedAndGone
            | Fate::ScheduleChanged
            | Fate::Due
            | Fate::NoJobs
            | Fate::Lost
            | Fate::Removable(_) => Status::Unknown,
            Fate::NotCreated
            | Fate::Missed(_)
            | Fate::Waits(_)
            | Fate::Blocked(_)
            | Fate::SaidToBeBlocked(_)
            | Fate::NotCreatable(_)
            | Fate::TooLate
            | Fate::BeforeResume
            | Fate::Unexplained => Status::Skipped,
        }
    }
}

/// All that decides what became of slots, computed once.
pub(super) struct Judge<'a> {
    pub(super) facts: &'a Facts<'a>,
    pub(super) causes: Vec<MissedFor>,
    pub(super) blockers: Blockers,
    pub(super) written: Written,
    pub(super) resumed: Option<(&'a str, Timestamp)>,
    /// The events about Jobs that could not be created.
    pub(super) failures: Vec<&'a Event>,
    /// The youngest Job that is gone without a reason.
    pub(super) loss: Option<Loss>,
    memory: Memory,
    /// When the controller said that a run was in the way.
    said_blocked: Vec<Timestamp>,
    /// The slots that the controller said it was too late for.
    said_late: Vec<i64>,
    /// The last slot that was started, by Jobs, events and status.
    last_started: Option<i64>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(facts: &'a Facts<'a>, traces: &Traces) -> Self {
        let with_reason = |reason: &'static str| {
            let events = facts.events.iter().copied();
            events.filter(move |event| event.reason == reason)
        };
        let blocked = with_reason("JobAlreadyActive");
        let of_jobs = facts.runs.iter().filter_map(run::started_slot);
        let of_events = traces.gone().map(|trace| trace.slot);
        let of_status = facts.cron_job.status.last_schedule_time;
        let started = of_jobs.chain(of_events).chain(of_status);
        let memory = Memory::of(facts);
        Judge {
            facts,
            loss: youngest_loss(facts, traces, &memory),
            causes: causes(facts),
            blockers: Blockers::of(facts, traces),
            written: schedule_written(facts.cron_job),
            resumed: resumed(facts.cron_job),
            failures: with_reason("FailedCreate").collect(),
            memory,
            said_blocked: blocked
                .flat_map(|event| [event.first_seen(), event.last_seen()])
                .flatten()
                .collect(),
            said_late: with_reason("MissSchedule").filter_map(late_slot).collect(),
            last_started: started.map(Timestamp::as_second).max(),
        }
    }

    pub(super) fn memory(&self) -> Memory {
        self.memory
    }

    /// Whether every Job since the creation would still be there.
    pub(super) fn remembers_all(&self) -> bool {
        let created = self.facts.cron_job.creation_timestamp;
        self.loss.is_none()
            && created.is_some_and(|created| {
                !self.memory.removal(created.as_second(), true).is_possible()
            })
    }

    /// What became of a slot without a Job; `next` is the slot after it.
    pub(super) fn without_job(&self, slot: i64, next: Option<i64>) -> Fate {
        let facts = self.facts;
        let status = &facts.cron_job.status;
        let created = facts.cron_job.creation_timestamp;
        if slot > evidence_ends(facts).as_second() {
            return Fate::AfterEvidence;
        }
        if created.is_some_and(|created| slot <= created.as_second()) {
            return Fate::NotCreated;
        }
        if self.status_is_kept()
            && status.last_schedule_time.map(Timestamp::as_second) == Some(slot)
        {
            return Fate::StartedAndGone;
        }
        if matches!(self.written, Written::UpTo(moment) if slot <= moment.as_second()) {
            return Fate::ScheduleChanged;
        }
        if self.was_never_started(slot) {
            return self.missed(slot);
        }
        let blocker = self.blockers.at(slot);
        // Of several slots only the last is made up for.
        let outlasts = |blocker: &Blocker| next.is_some_and(|next| next <= blocker.end());
        if let Some(index) = blocker
            && self.blockers.get(index).is_some_and(outlasts)
        {
            return Fate::Blocked(index);
        }
        if !facts.coverage.jobs_read {
            return Fate::NoJobs;
        }
        let followed = self.last_started.is_some_and(|last| last > slot);
        let removal = self.memory.removal(slot, followed);
        if removal.is_possible() {
            return Fate::Removable(removal);
        }
        if self.loss.as_ref().is_some_and(|loss| slot <= loss.at) {
            return Fate::Lost;
        }
        if let Some(index) = blocker {
            return Fate::Blocked(index);
        }
        self.skipped(slot, next)
    }

    /// A slot whose Job would still be there.
    fn skipped(&self, slot: i64, next: Option<i64>) -> Fate {
        let soon_after = slot..=slot.saturating_add(ON_TIME);
        let said = self.said_blocked.iter();
        if let Some(at) = said
            .copied()
            .find(|at| soon_after.contains(&at.as_second()))
        {
            return Fate::SaidToBeBlocked(at);
        }
        let fails = |event: &&Event| {
            let first = event.first_seen().map(Timestamp::as_second);
            let last = event.last_seen().map(Timestamp::as_second);
            first.is_some_and(|first| next.is_none_or(|next| first < next))
                && last.is_some_and(|last| last >= slot)
        };
        if let Some(index) = self.failures.iter().position(fails) {
            return Fate::NotCreatable(index);
        }
        if self.said_late.contains(&slot) {
            return Fate::TooLate;
        }
        match self.resumed {
            Some((_, at)) if self.first_to_start_after(at, slot) => Fate::BeforeResume,
            _ => Fate::Unexplained,
        }
    }

    /// Whether nothing was started between a slot and a later moment.
    fn first_to_start_after(&self, at: Timestamp, slot: i64) -> bool {
        let between = |run: &Timestamp| run.as_second() > slot && *run < at;
        let mut starts = self
            .facts
            .runs
            .iter()
            .filter(|run| run.is_by_controller())
            .filter_map(|run| run.job.creation_timestamp);
        slot < at.as_second() && !starts.any(|start| between(&start))
    }

    /// The controller of Kubernetes notes the slot of each start, and goes on from there. The
    /// tutorial's computes it anew from the Jobs that are left.
    fn status_is_kept(&self) -> bool {
        self.facts.behaviour().generation != Generation::Tutorial
    }

    /// Whether the status proves that a slot was not started.
    fn was_never_started(&self, slot: i64) -> bool {
        let cron_job = self.facts.cron_job;
        // Without a creation it was never in a cluster, and its status is nobody's.
        let exists = cron_job.creation_timestamp.is_some();
        let last = cron_job.status.last_schedule_time;
        self.status_is_kept()
            && last.map_or(exists, |last| last.as_second() < slot)
            && self.last_started.is_none_or(|last| last < slot)
    }

    /// A slot after the last start.
    fn missed(&self, slot: i64) -> Fate {
        let decision = &self.facts.decision;
        let found = decision.scheduled_time.map(Timestamp::as_second) == Some(slot);
        let starts = decision.starts();
        let just_now = slot.saturating_add(ON_TIME) >= evidence_ends(self.facts).as_second();
        let index = self
            .causes
            .iter()
            .position(|cause| (cause.first.as_second()..=cause.last.as_second()).contains(&slot));
        match index {
            _ if starts && (found || just_now) => Fate::Due,
            Some(index) if found && decision.outcome == Outcome::Blocked => Fate::Waits(index),
            Some(index) => Fate::Missed(index),
            None => Fate::Unexplained,
        }
    }

    /// What is to be said of a run beside its figures.
    pub(super) fn about_run(&self, slot: i64, run: &Run) -> Option<Reason> {
        if let Some(gone) = run.gone {
            return Some(Reason::gone(gone));
        }
        if let Some((reason, message)) = &run.failure {
            return Some(Reason::failure(reason, message));
        }
        if run.backfilled {
            return Some(Reason::backfilled());
        }
        let started = run.started_at?.as_second();
        let blocker = self.blockers.get(self.blockers.at(slot)?)?;
        let at_its_end = (0..=ON_TIME).contains(&started.saturating_sub(blocker.end()));
        (run.delay_seconds > Some(ON_TIME) && at_its_end).then(|| Reason::waited(blocker))
    }

    /// What is to be said of a run for a time that is no slot.
    pub(super) fn about_stray(&self, time: Timestamp, expected: bool) -> Reason {
        if expected {
            Reason::second()
        } else {
            Reason::stray(self.written, time)
        }
    }

    /// What should be known before something is concluded.
    pub(super) fn notes(&self, span: &Span, chain: &Chain) -> Vec<String> {
        let mut notes = Vec::new();
        if span.ends_with_evidence {
            notes.push(format!(
                "nothing in the files is later than {}; --now TIME says when they were made",
                span.until
            ));
        }
        if let Written::SomeTime { generation } = self.written
            && !(chain.seconds.is_empty() && span.basis != Basis::Asked)
        {
            notes.push(format!(
                "the spec was changed since the creation (generation {generation}), and nothing \
                 tells when: slots are those of today's schedule"
            ));
        }
        if chain.stands_still {
            notes.push("the search for slots does not get past the last one".to_owned());
        }
        notes
    }
}

/// The slot that the controller said it was too late for.
fn late_slot(event: &Event) -> Option<i64> {
    let (_, time) = event.message.rsplit_once("start a job: ")?;
    let time = jiff::fmt::rfc2822::parse(time.trim()).ok()?;
    Some(time.timestamp().as_second())
}

impl Gone {
    /// The moment at which it is known to have been gone.
    pub(super) fn at(self) -> Option<Timestamp> {
        match self {
            Gone::Somehow => None,
            Gone::Deleted(at) | Gone::Replaced(at) | Gone::Missing(at) => Some(at),
        }
    }
}
