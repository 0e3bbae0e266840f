//! What became of each past slot, as far as the evidence tells.
//!
//! Every slot of a window is laid beside the Job that ran it. Where there is none, what is left
//! decides: the other Jobs and the history limits tell whether its Job could have been removed,
//! the status and the events whether it was started at all. What cannot be known is called unknown,
//! and no cause is named without evidence. The rules are those of docs/history.md.

mod blockers;
mod changes;
mod item;
mod judge;
mod losses;
mod memory;
mod run;
mod slots;
mod summary;
mod traces;
mod why;
mod window;

use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};

use jiff::Timestamp;

pub use item::Item;
pub use memory::{Memory, Remembers};
pub use run::{Run, RunResult};
pub use slots::MOST_SLOTS;
pub use summary::{Spread, Summary};
pub use why::Reason;
pub use window::{Basis, DEFAULT_SLOTS, Window};

use crate::diagnose::{Facts, ON_TIME};
use crate::upcoming::ScheduleProblem;
use judge::Judge;
use slots::Chain;
use traces::Traces;

/// What became of the slots of a window.
#[derive(Clone, Debug)]
pub struct History {
    /// The window begins here; slots at this very moment are in it.
    pub since: Timestamp,
    /// The window ends here; slots at this very moment are in it.
    pub until: Timestamp,
    /// Why it begins where it does.
    pub basis: Basis,
    /// What still ran then is said to have run so far.
    pub as_of: Timestamp,
    /// So many slots lie before the window, and were left out for being too many; `None` if they
    /// were not even counted.
    pub omitted: Option<u64>,
    /// The slots in order; neighbours that share a fate share an entry.
    pub entries: Vec<Entry>,
    /// Jobs of the controller for times that are no slots of the schedule as it is now.
    pub off_schedule: Vec<OffSchedule>,
    /// Jobs that somebody made by hand.
    pub manual: Vec<Run>,
    /// The figures.
    pub summary: Summary,
    /// How far back the Jobs remember.
    pub memory: Memory,
    /// What should be known before something is concluded from this.
    pub notes: Vec<String>,
    /// Why there are no slots, if that is not as it should be.
    pub trouble: Option<Trouble>,
    /// All slots, as seconds: a year of minutes is half a million.
    seconds: Vec<i64>,
}

/// Slots that follow each other and share a fate; a slot with a Job stands alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What became of them.
    pub status: Status,
    /// The run, if there was one.
    pub run: Option<Run>,
    /// Why it is so, or what went wrong.
    pub reason: Option<Reason>,
    /// Which of all slots.
    slots: Range<usize>,
}

/// A Job for a time that is no slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OffSchedule {
    /// The time that the Job was started for.
    pub scheduled_time: Timestamp,
    /// The run.
    pub run: Run,
    /// What is known about the time.
    pub reason: Reason,
}

/// What became of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Started within ten seconds.
    OnTime,
    /// Started later.
    Late,
    /// Somebody else than the controller made its Job, which is finished.
    Backfilled,
    /// Its Job is not finished.
    Running,
    /// Not started.
    Skipped,
    /// The evidence does not tell.
    Unknown,
}

impl Status {
    /// The word for it in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::OnTime => "onTime",
            Status::Late => "late",
            Status::Backfilled => "backfilled",
            Status::Running => "running",
            Status::Skipped => "skipped",
            Status::Unknown => "unknown",
        }
    }
}

/// Why nothing can be said about slots.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// The controller cannot read the schedule.
    #[error("its slots cannot be computed: {0}")]
    Schedule(#[from] ScheduleProblem),
    /// The window has too many slots.
    #[error(
        "its window has more slots than are looked at ({MOST_SLOTS}): let it begin later with --since"
    )]
    TooMany,
}

impl Entry {
    /// How many slots it is about.
    pub fn count(&self) -> usize {
        self.slots.len()
    }
}

impl History {
    /// The moments of the slots of an entry, in order.
    pub fn times(&self, entry: &Entry) -> impl DoubleEndedIterator<Item = Timestamp> + '_ {
        let seconds = self.seconds.get(entry.slots.clone()).unwrap_or_default();
        seconds
            .iter()
            .filter_map(|second| Timestamp::from_second(*second).ok())
    }

    /// Every slot with what became of it, in order.
    pub fn slots(&self) -> impl DoubleEndedIterator<Item = (Timestamp, &Entry)> + '_ {
        let entries = self.entries.iter();
        entries.flat_map(|entry| self.times(entry).map(move |at| (at, entry)))
    }
}

/// Lays the slots of a window beside the evidence.
pub fn history(facts: &Facts<'_>, window: &Window) -> History {
    let traces = Traces::of(facts);
    let judge = Judge::new(facts, &traces);
    let memory = judge.memory();
    let span = window::resolve(facts, &traces, judge.remembers_all(), window);
    let (chain, trouble) = match slots::chain(facts, &traces, &span) {
        Ok(chain) => (chain, None),
        Err(trouble) => (Chain::empty(), Some(trouble)),
    };
    let since = chain.since.unwrap_or(span.since);
    let within = since.as_second()..=span.until.as_second();
    let slots = trouble.is_none().then_some(chain.seconds.as_slice());
    let ran = Ran::sort(facts, &traces, &judge, &within, slots);
    let entries = entries(&judge, &chain, ran.at_slots);
    let mut history = History {
        since,
        until: span.until,
        basis: span.basis,
        as_of: window::evidence_ends(facts).min(facts.now),
        omitted: chain.omitted,
        summary: Summary::default(),
        notes: judge.notes(&span, &chain),
        seconds: chain.seconds,
        entries,
        off_schedule: ran.off_schedule,
        manual: ran.manual,
        memory,
        trouble,
    };
    history.summary = summary::of(&history);
    history
}

/// The runs of a window, by where they belong.
struct Ran {
    /// By the second of their slot.
    at_slots: HashMap<i64, (Status, Run, Option<Reason>)>,
    off_schedule: Vec<OffSchedule>,
    manual: Vec<Run>,
}

impl Ran {
    fn sort(
        facts: &Facts<'_>,
        traces: &Traces,
        judge: &Judge<'_>,
        within: &RangeInclusive<i64>,
        slots: Option<&[i64]>,
    ) -> Self {
        let mut ran = Ran {
            at_slots: HashMap::new(),
            off_schedule: Vec::new(),
            manual: Vec::new(),
        };
        let of_jobs = facts.runs.iter().map(|run| (run::slot(run), Run::of(run)));
        let of_events = traces
            .gone()
            .map(|trace| (Some(trace.slot), Run::of_trace(trace)));
        for (slot, run) in of_jobs.chain(of_events) {
            let Some(slot) = slot else {
                let started = run.started_at.map(Timestamp::as_second);
                if started.is_some_and(|started| within.contains(&started)) {
                    ran.manual.push(run);
                }
                continue;
            };
            let second = slot.as_second();
            if !within.contains(&second) {
                continue;
            }
            let found = slots.is_some_and(|slots| slots.binary_search(&second).is_ok());
            let expected = found && slot.subsec_nanosecond() == 0;
            if expected && !ran.at_slots.contains_key(&second) {
                let reason = judge.about_run(second, &run);
                ran.at_slots.insert(second, (status(&run), run, reason));
            } else {
                let reason = match slots {
                    Some(_) => judge.about_stray(slot, expected),
                    None => Reason::no_slots(),
                };
                ran.off_schedule.push(OffSchedule {
                    scheduled_time: slot,
                    run,
                    reason,
                });
            }
        }
        ran.off_schedule.sort_by_key(|stray| stray.scheduled_time);
        ran
    }
}

fn status(run: &Run) -> Status {
    match (run.result, run.delay_seconds) {
        (Some(RunResult::Running), _) => Status::Running,
        _ if run.backfilled => Status::Backfilled,
        (_, None) => Status::Unknown,
        (_, Some(delay)) if delay > ON_TIME => Status::Late,
        (_, Some(_)) => Status::OnTime,
    }
}

/// Each slot once; neighbours without a Job and with one fate together.
fn entries(
    judge: &Judge<'_>,
    chain: &Chain,
    mut at_slots: HashMap<i64, (Status, Run, Option<Reason>)>,
) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut fate_before = None;
    for (index, second) in chain.seconds.iter().enumerate() {
        let slots = index..index + 1;
        if let Some((status, run, reason)) = at_slots.remove(second) {
            fate_before = None;
            entries.push(Entry {
                status,
                run: Some(run),
                reason,
                slots,
            });
            continue;
        }
        let next = chain.seconds.get(index + 1).copied().or(chain.next);
        let fate = judge.without_job(*second, next);
        match entries.last_mut().filter(|_| fate_before == Some(fate)) {
            Some(entry) => entry.slots.end = slots.end,
            None => entries.push(Entry {
                status: fate.status(),
                run: None,
                reason: Some(judge.reason(fate)),
                slots,
            }),
        }
        fate_before = Some(fate);
    }
    entries
}
