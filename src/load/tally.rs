//! How many starts there are, by bucket and by moment.

use std::collections::BTreeMap;

use super::groups::{Group, Groups, Kinds};
use super::span::Span;

/// How many starts there are.
#[derive(Clone)]
pub(super) struct Tally {
    pub(super) span: Span,
    /// In each bucket.
    pub(super) buckets: Vec<u64>,
    /// A number for each bucket that is the same where the same members start as often.
    pub(super) crowds: Vec<u64>,
    /// At each full minute, from the one on in which the span begins.
    pub(super) minutes: Vec<Kinds>,
    /// At moments that are no full minutes: those of `@every`, and of clocks of long ago.
    between: BTreeMap<i64, Kinds>,
}

impl Tally {
    pub(super) fn of(groups: &mut Groups, span: Span) -> Self {
        let (from, to) = span.seconds();
        let first_minute = from.div_euclid(60);
        let minutes = (to - 1).div_euclid(60) - first_minute + 1;
        let length = usize::try_from(span.length()).unwrap_or(0);
        let mut tally = Tally {
            span,
            buckets: vec![0; length],
            crowds: vec![0; length],
            minutes: vec![Kinds::default(); usize::try_from(minutes).unwrap_or(0)],
            between: BTreeMap::new(),
        };
        let mut endless = Vec::new();
        for (place, group) in groups.all.iter().enumerate() {
            let number = group.number();
            let mark = mixed(place);
            let ended = group.starts(from, to, |start| {
                let bucket = span.bucket_of(start);
                if let Some(count) = tally.buckets.get_mut(bucket) {
                    *count += u64::from(number);
                }
                if let Some(crowd) = tally.crowds.get_mut(bucket) {
                    *crowd = crowd.wrapping_add(mark);
                }
                let minute = start.div_euclid(60) - first_minute;
                let at_full_minute = usize::try_from(minute)
                    .ok()
                    .filter(|_| start.rem_euclid(60) == 0)
                    .and_then(|minute| tally.minutes.get_mut(minute));
                let count = match at_full_minute {
                    Some(count) => count,
                    None => tally.between.entry(start).or_default(),
                };
                count.change(group.kind, |count| count.saturating_add(number));
            });
            if !ended {
                endless.push(place);
            }
        }
        for place in endless {
            groups.stands_still(place);
        }
        tally
    }

    /// The most starts in one minute, those between full minutes included.
    pub(super) fn most_in_a_minute(&self) -> u64 {
        let first = self.first_minute();
        let mut minutes: Vec<u64> = self
            .minutes
            .iter()
            .map(|count| u64::from(count.total()))
            .collect();
        for (at, count) in &self.between {
            let minute = usize::try_from(at.div_euclid(60) - first).ok();
            if let Some(minute) = minute.and_then(|minute| minutes.get_mut(minute)) {
                *minute += u64::from(count.total());
            }
        }
        minutes.into_iter().max().unwrap_or(0)
    }

    /// One of a group starts when another one does.
    pub(super) fn replace(&mut self, group: &Group, by: &Group) {
        let (from, to) = self.span.seconds();
        let first = self.first_minute();
        let (minutes, kind) = (&mut self.minutes, group.kind);
        let mut change = |start: i64, change: fn(u32) -> u32| {
            let minute = usize::try_from(start.div_euclid(60) - first).ok();
            if let Some(count) = minute.and_then(|minute| minutes.get_mut(minute)) {
                count.change(kind, change);
            }
        };
        group.starts(from, to, |start| {
            change(start, |count| count.saturating_sub(1));
        });
        by.starts(from, to, |start| {
            change(start, |count| count.saturating_add(1));
        });
    }

    fn first_minute(&self) -> i64 {
        self.span.seconds().0.div_euclid(60)
    }

    /// The moments at which something starts, in order, and how many start.
    pub(super) fn moments(&self) -> impl Iterator<Item = (i64, Kinds)> + '_ {
        let first = self.first_minute();
        let mut full = (first..)
            .zip(&self.minutes)
            .filter(|(_, count)| count.total() > 0)
            .map(|(minute, count)| (minute * 60, *count))
            .peekable();
        let mut between = self.between.iter().map(|(at, n)| (*at, *n)).peekable();
        std::iter::from_fn(move || match (full.peek(), between.peek()) {
            (Some((one, _)), Some((other, _))) if other < one => between.next(),
            (None, _) => between.next(),
            _ => full.next(),
        })
    }
}

/// A number that has nothing to do with its neighbours (the finaliser of `SplitMix64`), so that sums
/// of some hardly ever equal sums of others.
fn mixed(place: usize) -> u64 {
    let mut mixed = u64::try_from(place)
        .unwrap_or(u64::MAX)
        .wrapping_add(1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
