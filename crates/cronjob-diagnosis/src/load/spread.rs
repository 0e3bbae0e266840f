//! Moves starts so that fewer happen in the same minute: the core of the proposal.
//!
//! It works without schedules and names: only with the number of starts of each minute, how far each start can be moved,
//! and a hash of each name. The hash chooses among the minutes that are not full, so that one more `CronJob` does not move
//! others, unless it fills a minute that they would move to.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::mem;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Mover<'a> {
    /// The minutes in which it starts, in order, as indexes of the counts, which include it.
    pub starts: &'a [u32],
    /// How many minutes later it can start at most.
    pub most_minutes: u32,
    /// What distinguishes it from others, which decides where it moves and who stays: of its name.
    pub hash: u64,
}

/// A mover that is to start later, and by how much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    pub mover: usize,
    pub minutes: u32,
}

/// The moves that lower the busiest minute as far as possible, and no others.
///
/// Only the excess starts of a minute are moved: first those that relieve the most minutes, then those that can be moved
/// least. With `at_most`, no more are moved than necessary for at most that number of starts in each minute.
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
    moved: Vec<bool>,
}

impl<'a> Leveling<'a> {
    fn new(counts: &[u32], movers: &'a [Mover<'a>], most: u32) -> Self {
        Leveling {
            movers,
            most,
            counts: counts.to_vec(),
            moved: vec![false; movers.len()],
        }
    }

    /// The moves after which no minute has more than `most` starts; `None` if that is impossible.
    fn level(mut self, alike: &MoversByStarts<'_>) -> Option<Vec<Move>> {
        let mut here = alike.by_minute(self.counts.len(), |minute| self.is_too_full(minute));
        let mut full: Vec<u32> = (0..)
            .zip(&self.counts)
            .filter(|(_, count)| **count > self.most)
            .map(|(minute, _)| minute)
            .collect();
        // Late in an hour there are fewer minutes left.
        full.sort_by_key(|minute| Reverse((self.count(*minute), *minute)));
        let mut moves = Vec::new();
        for minute in full {
            if !self.is_too_full(minute) {
                continue;
            }
            let places = here.get_mut(minute as usize).map(mem::take);
            let mut candidates = alike.movers(&places.unwrap_or_default());
            candidates.retain(|index| self.moved.get(*index) == Some(&false));
            candidates.sort_by_cached_key(|index| {
                let mover = self.movers.get(*index);
                let of_mover = mover.map(|mover| (mover.most_minutes, mover.hash));
                (Reverse(self.relief(*index)), of_mover, *index)
            });
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

    /// The distance at which no minute gets too many starts; of several, the one that the hash ranks first.
    fn best_place(&self, mover: usize) -> Option<u32> {
        let Mover {
            most_minutes, hash, ..
        } = *self.movers.get(mover)?;
        let starts = self.starts(mover);
        let fits = |minutes: &u32| {
            let mut there = starts.iter().map(|start| self.count(start + minutes));
            there.all(|count| count < self.most)
        };
        let rank = |minutes: &u32| mixed(hash ^ u64::from(*minutes));
        (1..=most_minutes).filter(fits).min_by_key(rank)
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
        }
    }
}

/// The finalizer of `SplitMix64`: every bit depends on all bits.
fn mixed(bits: u64) -> u64 {
    let bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// A number that depends on a name only, in every release: FNV-1a.
pub(super) fn hash_of((namespace, name): (&str, &str)) -> u64 {
    let bytes = namespace.bytes().chain([b'/']).chain(name.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Movers that start in the first minute, and have different names.
    fn from_first(count: u64, most_minutes: u32) -> Vec<Mover<'static>> {
        let mover = |number| Mover {
            starts: &[0],
            most_minutes,
            hash: mixed(number),
        };
        (0..count).map(mover).collect()
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
    fn six_starts_in_one_minute_become_one_in_each_of_six() {
        let mut counts = vec![0; 60];
        counts[0] = 6;
        let movers = from_first(6, 59);
        let moves = spread(&counts, &movers, None);
        assert_eq!(moves.len(), 5);
        assert_eq!(after(&counts, &movers, &moves).into_iter().max(), Some(1));
    }

    #[test]
    fn spread_moves_as_few_starts_as_necessary() {
        let mut counts = vec![0; 60];
        counts[0] = 100;
        let movers = from_first(100, 59);
        // 100 in 60 minutes: two in one of them at least.
        assert_eq!(spread(&counts, &movers, None).len(), 98);
        assert_eq!(spread(&counts, &movers, Some(30)).len(), 70);
        assert_eq!(spread(&counts, &movers, Some(100)), []);
    }

    #[test]
    fn spread_moves_nothing_if_the_peak_cannot_be_lowered() {
        // Two start in minute 0 and could go; two in minute 1 cannot.
        let movers = from_first(2, 1);
        assert_eq!(spread(&[2, 2, 0], &movers, None), []);
        assert_eq!(spread(&[], &[], None), []);
    }

    /// The minute of each mover by its hash, and the busiest minute.
    fn places(counts: &[u32], movers: &[Mover<'_>]) -> (BTreeMap<u64, u32>, u32) {
        let moves = spread(counts, movers, None);
        let then = after(counts, movers, &moves);
        let places = moves
            .iter()
            .map(|one| (movers[one.mover].hash, one.minutes));
        (places.collect(), then.into_iter().max().unwrap())
    }

    /// 200 that start at midnight: four in each minute, and 40 places are left. For 40 times, one more is added to them.
    #[test]
    fn one_more_start_moves_few_others() {
        let movers = from_first(200, 59);
        let mut counts = vec![0; 60];
        counts[0] = 200;
        let (before, most) = places(&counts, &movers);
        assert_eq!(most, 4);
        counts[0] += 1;
        let mut changes = Vec::new();
        for number in 0..40 {
            let mut more = movers.clone();
            let hash = mixed(1_000 + number);
            // Where it is in the list does not matter.
            more.insert(
                usize::try_from(number * 5).unwrap(),
                Mover { hash, ..movers[0] },
            );
            let (mut then, most) = places(&counts, &more);
            assert_eq!(most, 4);
            then.remove(&hash);
            let all = movers.iter().map(|mover| mover.hash);
            changes.push(
                all.filter(|hash| before.get(hash) != then.get(hash))
                    .count(),
            );
        }
        changes.sort_unstable();
        assert!(changes[20] <= 2 && changes[39] <= 8, "{changes:?}");
    }

    /// If no minute becomes full, nothing else moves.
    #[test]
    fn one_more_start_that_fills_no_minute_moves_no_other() {
        let movers = from_first(20, 59);
        let mut counts = vec![0; 60];
        counts[0] = 20;
        let at_most = |counts: &[u32], movers: &[Mover<'_>]| {
            let moves = spread(counts, movers, Some(10));
            let places = moves
                .iter()
                .map(|one| (movers[one.mover].hash, one.minutes));
            places.collect::<BTreeMap<u64, u32>>()
        };
        let before = at_most(&counts, &movers);
        assert_eq!(before.len(), 10);
        counts[0] += 1;
        for number in 0..40 {
            let hash = mixed(1_000 + number);
            let more = [movers.as_slice(), &[Mover { hash, ..movers[0] }]].concat();
            let then = at_most(&counts, &more);
            // It moves, or one of those that stayed moves in its place.
            assert_eq!(then.len(), 11);
            assert!(
                before
                    .iter()
                    .all(|(hash, minutes)| then.get(hash) == Some(minutes))
            );
        }
    }

    #[test]
    fn hash_of_a_name_is_the_same_in_every_release() {
        // FNV-1a of `shop/nightly`, by another implementation.
        assert_eq!(hash_of(("shop", "nightly")), 0xd099_7da5_b47d_bdb3);
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
                .zip(0..)
                .map(|((starts, (_, most_minutes)), hash)| Mover { starts, most_minutes: *most_minutes, hash })
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
        let movers = from_first(3, 4);
        let moves = spread(&[3, 0, 1, 0, 0], &movers, None);
        let minutes: BTreeSet<u32> = moves.iter().map(|one| one.minutes).collect();
        assert!(minutes.len() == 2 && !minutes.contains(&2), "{minutes:?}");
    }
}
