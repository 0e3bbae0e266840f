//! Why nothing is planned at all.

use jiff::Timestamp;

use crate::controller::Generation;
use crate::diagnose::Facts;
use crate::history::Trouble;

/// Why nothing is planned at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Nothing says which slots are meant.
    #[error("{}", nothing_chosen(*missed, *since, *first))]
    NothingChosen {
        /// So many slots could be run.
        missed: usize,
        /// Of those from this moment on.
        since: Timestamp,
        /// The oldest that could be run.
        first: Option<Timestamp>,
    },
    /// A time that is no slot.
    #[error("{time} is no slot of the schedule {schedule:?}{}", nearest(slots))]
    NotASlot {
        /// The time.
        time: Timestamp,
        /// The schedule.
        schedule: String,
        /// The slots before and after it.
        slots: Vec<Timestamp>,
    },
    /// A time that has not come.
    #[error("the slot {time} has not come yet: it is {now}")]
    Future {
        /// The time.
        time: Timestamp,
        /// The moment.
        now: Timestamp,
    },
    /// The slots cannot be had.
    #[error(transparent)]
    Slots(#[from] Trouble),
    /// Nobody knows what ran.
    #[error("without its Jobs nobody can tell which slots ran already")]
    NoJobs,
    /// Whatever is made now goes with it.
    #[error("it is being deleted since {0}, and its Jobs go with it")]
    Deleted(Timestamp),
    /// A controller that marks its Jobs in another way.
    #[error(
        "the kubebuilder book's controller marks its Jobs in a way of its own, and may run a slot \
         again that was run like this"
    )]
    Tutorial,
}

/// What no choice of slots would help.
pub(super) fn check(facts: &Facts<'_>) -> Result<(), Refusal> {
    if facts.behaviour().generation == Generation::Tutorial {
        return Err(Refusal::Tutorial);
    }
    if let Some(since) = facts.cron_job.deletion_timestamp {
        return Err(Refusal::Deleted(since));
    }
    if !facts.coverage.jobs_read {
        return Err(Refusal::NoJobs);
    }
    Ok(())
}

fn nothing_chosen(missed: usize, since: Timestamp, first: Option<Timestamp>) -> String {
    let (slots, it) = if missed == 1 {
        ("slot", "it")
    } else {
        ("slots", "the newest of them")
    };
    match first {
        Some(first) => format!(
            "{missed} missed {slots} since {first}: choose with --last N (--last 1 is {it}), \
             --since DURATION|TIME or --slot TIME"
        ),
        None => format!(
            "no slot since {since} is known to have been missed: --since DURATION|TIME looks \
             further back, --slot TIME names one"
        ),
    }
}

fn nearest(slots: &[Timestamp]) -> String {
    match slots {
        [] => String::new(),
        [one] => format!("; the nearest is {one}"),
        [before, after, ..] => format!("; the nearest are {before} and {after}"),
    }
}
