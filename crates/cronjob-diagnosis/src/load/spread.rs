//! Moves starts so that fewer happen in the same minute: the core of the proposal.
//!
//! It works without schedules and names: only with the number of starts of each minute, and how far each start
//! can be moved. The result is deterministic.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::mem;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Mover<'a> {
    /// The minutes in which it starts, in order, as indexes of the counts, which include it.
    pub starts: &'a [u32],
    /// How many minutes later it can start at most.
    pub most_minutes: u32,
}

/// A mover that is to start later, and by how much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    pub mover: usize,
    pub minutes: u32,
}

/// The moves that lower the busiest minute as far as possible, and no others.
///
/// Only the excess starts of a minute are moved, first those that relieve the most minutes, to where the fewest
/// starts are near. With `at_most`, no more are moved than necessary for at most that number of starts in each minute.
pub(crate) fn spread(counts: &[u32], movers: &[Mover<'_>], at_most: Option<u32>) -> Vec<Move> {
    let most = counts.iter().copied().max().unwrap_or(0);
    let mut fixed = counts.to_vec();
    for start in movers.iter().flat_map(|mover| mover.starts) {
        if let Some(count) = fixed.get_mut(*start as usize) {
            *count = count.saturating_sub(1);
        }
    }
    let lowest = fixed.into_iter().max().unwrap_or(0).max(1);
    let alike = MoversByStarts::of(movers);
    // Between the lowest possible maximum and the current one.
    let (mut low, mut high) = (lowest.max(at_most.unwrap_or(0)), most);
    let mut best = Vec::new();
    while low < high {
        let middle = low + (high - low) / 2;
        match Leveling::new(counts, movers, middle).level(&alike) {
            Some(moves) => (best, high) = (moves, middle),
            None => low = middle + 1,
        }
    }
    best
}

/// Starts within this number of minutes count as near.
const NEAR: usize = 10;

/// The movers that start in the same minutes, by their indexes. There may be millions of movers with hundreds of starts
/// each, but they have few schedules.
struct MoversByStarts<'a>(Vec<(&'a [u32], Vec<u32>)>);

impl<'a> MoversByStarts<'a> {
    fn of(movers: &[Mover<'a>]) -> Self {
        let mut alike: BTreeMap<&[u32], Vec<u32>> = BTreeMap::new();
        for (index, mover) in (0_u32..).zip(movers) {
            alike.entry(mover.starts).or_default().push(index);
        }
        MoversByStarts(alike.into_iter().collect())
    }

    /// The places of those that start in each of some minutes.
    fn by_minute(&self, length: usize, chosen: impl Fn(u32) -> bool) -> Vec<Vec<usize>> {
        let mut places = vec![Vec::new(); length];
        for (place, (starts, _)) in self.0.iter().enumerate() {
            for start in starts.iter().filter(|start| chosen(**start)) {
                if let Some(here) = places.get_mut(*start as usize) {
                    here.push(place);
                }
            }
        }
        places
    }

    /// The movers at some places, in order.
    fn movers(&self, places: &[usize]) -> Vec<usize> {
        let alike = places.iter().filter_map(|place| self.0.get(*place));
        let movers = alike.flat_map(|(_, movers)| movers);
        let mut movers: Vec<usize> = movers.map(|index| *index as usize).collect();
        movers.sort_unstable();
        movers
    }
}

/// The minutes while starts are moved.
struct Leveling<'a> {
    movers: &'a [Mover<'a>],
    most: u32,
    counts: Vec<u32>,
    /// The starts of each minute and of those around it; nearer ones count more.
    crowding: Vec<i64>,
    moved: Vec<bool>,
}

impl<'a> Leveling<'a> {
    fn new(counts: &[u32], movers: &'a [Mover<'a>], most: u32) -> Self {
        let mut leveling = Leveling {
            movers,
            most,
            counts: counts.to_vec(),
            crowding: vec![0; counts.len()],
            moved: vec![false; movers.len()],
        };
        for (minute, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            leveling.crowd(minute, i64::from(*count));
        }
        leveling
    }

    /// The moves after which no minute has more than `most` starts; `None` if that is impossible.
    fn level(mut self, alike: &MoversByStarts<'_>) -> Option<Vec<Move>> {
        let mut here = alike.by_minute(self.counts.len(), |minute| self.is_too_full(minute));
        let mut full: Vec<u32> = (0..)
            .zip(&self.counts)
            .filter(|(_, count)| **count > self.most)
            .map(|(minute, _)| minute)
            .collect();
        full.sort_by_key(|minute| Reverse(self.count(*minute)));
        let mut moves = Vec::new();
        for minute in full {
            if !self.is_too_full(minute) {
                continue;
            }
            let places = here.get_mut(minute as usize).map(mem::take);
            let mut candidates = alike.movers(&places.unwrap_or_default());
            candidates.retain(|index| self.moved.get(*index) == Some(&false));
            // The sort is stable, so that the result is deterministic.
            candidates.sort_by_cached_key(|index| Reverse(self.relief(*index)));
            for index in candidates {
                if !self.is_too_full(minute) {
                    break;
                }
                if let Some(minutes) = self.best_place(index) {
                    self.take(index, minutes);
                    let mover = index;
                    moves.push(Move { mover, minutes });
                }
            }
            if self.is_too_full(minute) {
                return None;
            }
        }
        Some(moves)
    }

    fn count(&self, minute: u32) -> u32 {
        self.counts.get(minute as usize).copied().unwrap_or(0)
    }

    fn is_too_full(&self, minute: u32) -> bool {
        self.count(minute) > self.most
    }

    fn starts(&self, mover: usize) -> &'a [u32] {
        self.movers.get(mover).map_or(&[], |mover| mover.starts)
    }

    /// How many busy minutes are relieved if it is moved.
    fn relief(&self, mover: usize) -> usize {
        let starts = self.starts(mover).iter();
        starts.filter(|start| self.is_too_full(**start)).count()
    }

    /// The best distance: no minute gets too many starts, and the fewest starts are near.
    fn best_place(&self, mover: usize) -> Option<u32> {
        let most_minutes = self.movers.get(mover)?.most_minutes;
        let starts = self.starts(mover);
        let fits = |minutes: &u32| {
            let mut there = starts.iter().map(|start| self.count(start + minutes));
            there.all(|count| count < self.most)
        };
        let crowding = |minutes: &u32| -> i64 {
            let there = |start: &u32| self.crowding.get((start + minutes) as usize);
            starts.iter().filter_map(there).sum()
        };
        (1..=most_minutes).filter(fits).min_by_key(crowding)
    }

    fn take(&mut self, mover: usize, minutes: u32) {
        if let Some(moved) = self.moved.get_mut(mover) {
            *moved = true;
        }
        for start in self.starts(mover) {
            let (from, to) = (*start as usize, (start + minutes) as usize);
            if let Some(count) = self.counts.get_mut(from) {
                *count = count.saturating_sub(1);
            }
            if let Some(count) = self.counts.get_mut(to) {
                *count += 1;
            }
            self.crowd(from, -1);
            self.crowd(to, 1);
        }
    }

    /// Adds starts to the crowding of a minute and of those around it.
    fn crowd(&mut self, minute: usize, starts: i64) {
        let first = minute.saturating_sub(NEAR - 1);
        let end = (minute + NEAR).min(self.crowding.len());
        // Minutes before the first one have no crowding.
        let left_out = (NEAR - 1).saturating_sub(minute);
        let around = self.crowding.get_mut(first..end).unwrap_or_default();
        let weights = WEIGHTS.get(left_out..).unwrap_or_default();
        for (crowding, weight) in around.iter_mut().zip(weights) {
            *crowding += starts * weight;
        }
    }
}

/// The weights of the minutes around a start, which is in the middle. They are squared, so that a place between two
/// starts is better than one next to a start.
const WEIGHTS: [i64; 2 * NEAR - 1] = [
    1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 81, 64, 49, 36, 25, 16, 9, 4, 1,
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn from_first(most_minutes: u32) -> Mover<'static> {
        Mover {
            starts: &[0],
            most_minutes,
        }
    }

    fn minutes(moves: &[Move]) -> Vec<u32> {
        moves.iter().map(|one| one.minutes).collect()
    }

    fn after(counts: &[u32], movers: &[Mover<'_>], moves: &[Move]) -> Vec<u32> {
        let mut counts = counts.to_vec();
        for one in moves {
            for start in movers[one.mover].starts {
                counts[*start as usize] -= 1;
                if let Some(count) = counts.get_mut((start + one.minutes) as usize) {
                    *count += 1;
                }
            }
        }
        counts
    }

    #[test]
    fn six_starts_in_one_minute_are_spread_over_the_hour() {
        let mut counts = vec![0; 60];
        counts[0] = 6;
        let movers = [from_first(59); 6];
        let moves = spread(&counts, &movers, None);
        // Ten minutes away nothing is felt of the others any more.
        assert_eq!(minutes(&moves), [10, 20, 30, 40, 50]);
        assert_eq!(after(&counts, &movers, &moves).into_iter().max(), Some(1));
    }

    #[test]
    fn spread_moves_as_few_starts_as_necessary() {
        let mut counts = vec![0; 60];
        counts[0] = 100;
        let movers = [from_first(59); 100];
        // 100 in 60 minutes: two in one of them at least.
        assert_eq!(spread(&counts, &movers, None).len(), 98);
        assert_eq!(spread(&counts, &movers, Some(30)).len(), 70);
        assert_eq!(spread(&counts, &movers, Some(100)), []);
    }

    #[test]
    fn spread_moves_nothing_if_the_peak_cannot_be_lowered() {
        // Two start in minute 0 and could go; two in minute 1 cannot.
        let movers = [from_first(1); 2];
        assert_eq!(spread(&[2, 2, 0], &movers, None), []);
        assert_eq!(spread(&[], &[], None), []);
    }

    proptest! {
        #[test]
        fn spread_never_raises_the_peak(
            fixed in prop::collection::vec(0_u32..4, 90),
            loose in prop::collection::vec((0_u32..90, 0_u32..60), 0..40),
            at_most in prop::option::of(0_u32..10),
        ) {
            let starts: Vec<[u32; 1]> = loose.iter().map(|(start, _)| [*start]).collect();
            let movers: Vec<Mover<'_>> = starts
                .iter()
                .zip(&loose)
                .map(|(starts, (_, most_minutes))| Mover { starts, most_minutes: *most_minutes })
                .collect();
            let mut counts = fixed.clone();
            for (start, _) in &loose {
                counts[*start as usize] += 1;
            }
            let moves = spread(&counts, &movers, at_most);
            let most = counts.iter().max().unwrap();
            let then = after(&counts, &movers, &moves);
            if moves.is_empty() {
                prop_assert_eq!(&then, &counts);
            } else {
                prop_assert!(then.iter().max().unwrap() < most);
            }
            prop_assert!(moves.iter().all(|one| (1..=movers[one.mover].most_minutes).contains(&one.minutes)));
            prop_assert_eq!(moves, spread(&counts, &movers, at_most));
        }
    }

    #[test]
    fn peak_is_spread_over_free_minutes() {
        // Three start in minute 0 and one in minute 2, which cannot be moved.
        let movers = [from_first(4); 3];
        let moves = spread(&[3, 0, 1, 0, 0], &movers, None);
        assert_eq!(minutes(&moves), [4, 3]);
    }
}
