//! Runs that follow each other and share a fate.

use jiff::Timestamp;

use super::run::{Run, Status};

/// Runs that follow each other and share a fate.
#[derive(Clone, Copy, Debug)]
pub struct Stretch<'a> {
    runs: &'a [Run],
}

impl<'a> Stretch<'a> {
    /// The runs, of which there is at least one.
    pub fn runs(&self) -> &'a [Run] {
        self.runs
    }

    /// How many they are.
    pub fn count(&self) -> usize {
        self.runs.len()
    }

    /// What became of each.
    pub fn status(&self) -> Status {
        self.runs.first().map_or(Status::Started, |run| run.status)
    }

    /// The first slot and the last.
    pub fn slots(&self) -> Option<(Timestamp, Timestamp)> {
        Some((self.runs.first()?.slot, self.runs.last()?.slot))
    }

    /// Whether nothing about it deserves a look.
    pub fn is_uneventful(&self) -> bool {
        let first = self.runs.first();
        self.status() == Status::Started && first.is_none_or(|run| run.replaced.is_none())
    }
}

/// The runs as stretches, in order. None goes beyond one of the `breaks`, which are in order too.
pub fn stretches<'a>(runs: &'a [Run], breaks: &[Timestamp]) -> Vec<Stretch<'a>> {
    let is_broken = |one: &Run, other: &Run| {
        let index = breaks.partition_point(|at| *at <= one.slot);
        breaks.get(index).is_some_and(|at| *at <= other.slot)
    };
    runs.chunk_by(|one, other| alike(one, other) && !is_broken(one, other))
        .map(|runs| Stretch { runs })
        .collect()
}

fn alike(one: &Run, other: &Run) -> bool {
    let why = |run: &Run| run.why.as_ref().map(|why| (why.cause.as_str(), why.told));
    let fate = |run: &Run| run.why.as_ref().map(|why| why.fate);
    one.status == other.status
        && one.replaced.is_some() == other.replaced.is_some()
        && why(one) == why(other)
        && (one.started_at.is_some() || fate(one) == fate(other))
}
