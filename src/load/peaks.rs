//! The buckets in which most starts meet, and who meets there.

use std::cmp::Reverse;
use std::collections::HashMap;

use jiff::Timestamp;

use super::groups::{Group, Groups};
use super::tally::Tally;

/// Starts that meet in a bucket.
#[derive(Clone, Debug, PartialEq)]
pub struct Peak {
    /// Where the bucket begins: the first one, if the same crowd meets again.
    pub time: Timestamp,
    /// How many starts there are.
    pub count: u64,
    /// In how many buckets just this crowd meets.
    pub occurrences: usize,
    /// How late the last of them is at worst, in seconds.
    pub last_start_delay: f64,
    /// Who starts, those who start most often first.
    pub participants: Vec<Participant>,
}

/// A member that starts at a peak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Participant {
    /// Its place among all members.
    pub member: usize,
    /// How often it starts in the bucket.
    pub starts: u64,
}

/// The first bucket of a crowd, and what all of its buckets have together.
struct Crowd {
    first: usize,
    count: u64,
    occurrences: usize,
    delay: f64,
}

/// The largest crowds, each once. A start by itself is none.
pub(super) fn find(groups: &Groups, tally: &Tally, delays: &[f64], most: usize) -> Vec<Peak> {
    let mut crowds: HashMap<(u64, u64), Crowd> = HashMap::new();
    let buckets = tally.buckets.iter().zip(&tally.crowds).zip(delays);
    for (bucket, ((count, crowd), delay)) in buckets.enumerate().filter(|(_, ((n, _), _))| **n > 1)
    {
        let crowd = crowds.entry((*count, *crowd)).or_insert(Crowd {
            first: bucket,
            count: *count,
            occurrences: 0,
            delay: 0.0,
        });
        crowd.occurrences += 1;
        crowd.delay = crowd.delay.max(*delay);
    }
    let mut crowds: Vec<Crowd> = crowds.into_values().collect();
    crowds.sort_by_key(|crowd| (Reverse(crowd.count), crowd.first));
    crowds.truncate(most);
    let peak = |crowd: Crowd| Peak {
        time: tally.span.start_of(crowd.first),
        count: crowd.count,
        occurrences: crowd.occurrences,
        last_start_delay: crowd.delay,
        participants: participants(groups, tally, &crowd),
    };
    crowds.into_iter().map(peak).collect()
}

fn participants(groups: &Groups, tally: &Tally, crowd: &Crowd) -> Vec<Participant> {
    let (from, to) = tally.span.seconds_of(crowd.first);
    let found = who_starts(groups, |group| group.count(from, to));
    if found.iter().map(|one| one.starts).sum::<u64>() == crowd.count {
        return found;
    }
    // Near odd changes of a clock a search that begins here does not find what one finds that goes on
    // from start to start.
    let (beginning, _) = tally.span.seconds();
    who_starts(groups, |group| {
        let mut starts = 0;
        group.starts(beginning, to, |start| starts += u64::from(start >= from));
        starts
    })
}

fn who_starts(groups: &Groups, count: impl Fn(&Group) -> u64) -> Vec<Participant> {
    let mut found = Vec::new();
    for group in &groups.all {
        let starts = count(group);
        if starts > 0 {
            let members = group.members.iter();
            found.extend(members.map(|member| Participant {
                member: *member,
                starts,
            }));
        }
    }
    found.sort_by_key(|participant| (Reverse(participant.starts), participant.member));
    found
}
