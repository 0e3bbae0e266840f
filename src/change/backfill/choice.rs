//! Which slots are asked for, and what became of them.

use std::rc::Rc;

use jiff::{SignedDuration, Timestamp};

use super::sift::sift;
use super::{Candidate, Choice, Refusal};
use crate::diagnose::Facts;
use crate::history::{History, HistoryWindow, history};

/// The slots that are asked for, oldest first.
pub(super) fn candidates(facts: &Facts<'_>, choice: &Choice) -> Result<Vec<Candidate>, Refusal> {
    if !choice.slots.is_empty() {
        return named(facts, &choice.slots);
    }
    let history = known(facts, choice)?;
    let found: Vec<Candidate> = of_history(&history, false).collect();
    if choice.since.is_none() && choice.last.is_none() {
        let since = history.since;
        let (steps, _) = sift(facts, &Choice::everything(choice.until), found);
        return Err(Refusal::NothingChosen {
            missed: steps.len(),
            since,
            first: steps.first().map(|step| step.slot),
        });
    }
    Ok(found)
}

impl Choice {
    /// All missed slots up to a moment.
    fn everything(until: Option<Timestamp>) -> Self {
        Choice {
            until,
            max: usize::MAX,
            ..Choice::default()
        }
    }
}

/// What became of the slots of the window that is asked for. Where none is, it reaches back as far
/// as the Jobs do, and at least to the last start.
fn known(facts: &Facts<'_>, choice: &Choice) -> Result<History, Refusal> {
    let (since, until) = (choice.since, choice.until);
    let mut found = history(facts, &HistoryWindow { since, until });
    let last_start = facts.missed.map(|missed| missed.since);
    if since.is_none()
        && let Some(last_start) = last_start.filter(|last| *last < found.since)
    {
        let since = Some(last_start);
        found = history(facts, &HistoryWindow { since, until });
    }
    match found.error.take() {
        Some(error) => Err(error.into()),
        None => Ok(found),
    }
}

fn of_history(history: &History, named: bool) -> impl Iterator<Item = Candidate> + '_ {
    history.runs.entries.iter().flat_map(move |entry| {
        let shared = Rc::new(entry.clone());
        history.runs.times(entry).map(move |slot| Candidate {
            slot,
            entry: Rc::clone(&shared),
            named,
        })
    })
}

/// The slots of these times, each of which must be one.
fn named(facts: &Facts<'_>, times: &[Timestamp]) -> Result<Vec<Candidate>, Refusal> {
    let mut times = times.to_vec();
    times.sort_unstable();
    times.dedup();
    let mut found = Vec::new();
    for time in times {
        if time > facts.now {
            let now = facts.now;
            return Err(Refusal::Future { time, now });
        }
        let (since, until) = (Some(time), Some(time));
        let mut history = history(facts, &HistoryWindow { since, until });
        if let Some(error) = history.error.take() {
            return Err(error.into());
        }
        let Some(candidate) = of_history(&history, true).find(|found| found.slot == time) else {
            return Err(Refusal::NotASlot {
                time,
                schedule: facts.cron_job.spec.schedule.clone(),
                slots: nearest(facts, time),
            });
        };
        found.push(candidate);
    }
    Ok(found)
}

/// The slots before and after a time that is none.
fn nearest(facts: &Facts<'_>, time: Timestamp) -> Vec<Timestamp> {
    let Some(timetable) = &facts.timetable else {
        return Vec::new();
    };
    let next = timetable.next(time).ok().flatten();
    if timetable.zone().is_some() {
        let previous = timetable.previous(time);
        return [previous, next].into_iter().flatten().collect();
    }
    // `@every` is counted on from the runs that are known.
    let period = next.map_or(0, |next| next.as_second() - time.as_second());
    let period = SignedDuration::from_secs(period);
    let (since, until) = (time.checked_sub(period).ok(), time.checked_add(period).ok());
    let around = history(facts, &HistoryWindow { since, until });
    let slots: Vec<Timestamp> = around.runs.iter().map(|(slot, _)| slot).collect();
    let before = slots.iter().rfind(|slot| **slot < time);
    let after = slots.iter().find(|slot| **slot > time);
    [before, after].into_iter().flatten().copied().collect()
}
