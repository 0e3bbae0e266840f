//! Counts the starts by bucket and by time, and finds the buckets with the most starts.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::LoadMember;
use super::groups::{CountsByKind, StartGroup, StartGroups};
use super::window::LoadWindow;

#[derive(Clone)]
pub(super) struct StartCounts {
    pub(super) span: LoadWindow,
    pub(super) buckets: Vec<u64>,
    /// A hash for each bucket, equal if the same members start equally often.
    pub(super) crowds: Vec<u64>,
    /// At each full minute, beginning with that of the window.
    pub(super) minutes: Vec<CountsByKind>,
    /// At other seconds, because of `@every` or historical time zone offsets.
    between: BTreeMap<i64, CountsByKind>,
}

impl StartCounts {
    pub(super) fn of(groups: &mut StartGroups, span: LoadWindow) -> Self {
        let (from, to) = span.seconds();
        let first_minute = from.div_euclid(60);
        let minutes = (to - 1).div_euclid(60) - first_minute + 1;
        let length = usize::try_from(span.length()).unwrap_or(0);
        let mut counts = StartCounts {
            span,
            buckets: vec![0; length],
            crowds: vec![0; length],
            minutes: vec![CountsByKind::default(); usize::try_from(minutes).unwrap_or(0)],
            between: BTreeMap::new(),
        };
        groups.visit(|place, group| {
            let number = group.number();
            let mark = mixed(place);
            group.starts(from, to, |start| {
                let bucket = span.bucket_of(start);
                if let Some(count) = counts.buckets.get_mut(bucket) {
                    *count += u64::from(number);
                }
                if let Some(crowd) = counts.crowds.get_mut(bucket) {
                    *crowd = crowd.wrapping_add(mark);
                }
                if group.is_other {
                    return;
                }
                let minute = usize::try_from(start.div_euclid(60) - first_minute).ok();
                let minute = minute.filter(|_| start.rem_euclid(60) == 0);
                let count = match minute.and_then(|minute| counts.minutes.get_mut(minute)) {
                    Some(count) => count,
                    None => counts.between.entry(start).or_default(),
                };
                count.change(group.kind, |count| count.saturating_add(number));
            })
        });
        counts
    }

    /// The most starts in one minute, including those between full minutes.
    pub(super) fn most_in_a_minute(&self) -> u64 {
        let first = self.first_minute();
        let minutes = self.minutes.iter();
        let mut minutes: Vec<u64> = minutes.map(|count| u64::from(count.total())).collect();
        for (at, count) in &self.between {
            let minute = usize::try_from(at.div_euclid(60) - first).ok();
            if let Some(minute) = minute.and_then(|minute| minutes.get_mut(minute)) {
                *minute += u64::from(count.total());
            }
        }
        minutes.into_iter().max().unwrap_or(0)
    }

    /// Moves some members of a group to another group.
    pub(super) fn replace(&mut self, group: &StartGroup, by: &StartGroup, members: u32) {
        let (from, to) = self.span.seconds();
        let first = self.first_minute();
        let (minutes, kind) = (&mut self.minutes, group.kind);
        let mut change = |start: i64, change: &dyn Fn(u32) -> u32| {
            let minute = usize::try_from(start.div_euclid(60) - first).ok();
            if let Some(count) = minute.and_then(|minute| minutes.get_mut(minute)) {
                count.change(kind, change);
            }
        };
        group.starts(from, to, |start| {
            change(start, &|count| count.saturating_sub(members));
        });
        by.starts(from, to, |start| {
            change(start, &|count| count.saturating_add(members));
        });
    }

    fn first_minute(&self) -> i64 {
        self.span.seconds().0.div_euclid(60)
    }

    /// The times at which something starts, in order, with the number of starts.
    pub(super) fn moments(&self) -> impl Iterator<Item = (i64, CountsByKind)> + '_ {
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

/// A number that has nothing to do with its neighbors, so that sums of some hardly ever equal sums of others.
fn mixed(place: usize) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(place)
}

/// A bucket with many starts.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Peak {
    /// The beginning of the bucket; the first one, if the same `CronJob`s start at the same time again.
    pub time: Timestamp,
    /// The number of starts.
    pub count: u64,
    /// The number of buckets in which exactly these `CronJob`s start.
    pub occurrences: usize,
    /// The largest delay of the last start.
    #[serde(rename = "lastStartDelaySeconds", serialize_with = "tenths")]
    pub last_start_delay: f64,
    /// The `CronJob`s, most starts first.
    pub cron_jobs: Vec<PeakParticipant>,
}

/// A `CronJob` that starts at a peak.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[schemars(rename = "Participant")]
pub struct PeakParticipant {
    /// Its kind.
    pub kind: Option<&'static str>,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The number of its starts in the bucket.
    pub starts: u64,
}

/// The first bucket with the same starts, and what all of these buckets have in common.
struct PeakCandidate {
    first: usize,
    count: u64,
    occurrences: usize,
    delay: f64,
}

/// The buckets with the most starts, each set of `CronJob`s once. A single start is not a peak.
pub(super) fn peaks(
    groups: &StartGroups,
    members: &[LoadMember],
    counts: &StartCounts,
    delays: &[f64],
    most: usize,
) -> Vec<Peak> {
    let mut crowds: HashMap<(u64, u64), PeakCandidate> = HashMap::new();
    let buckets = counts.buckets.iter().zip(&counts.crowds).zip(delays);
    for (bucket, ((count, crowd), delay)) in buckets.enumerate().filter(|(_, ((n, _), _))| **n > 1)
    {
        let crowd = crowds.entry((*count, *crowd)).or_insert(PeakCandidate {
            first: bucket,
            count: *count,
            occurrences: 0,
            delay: 0.0,
        });
        crowd.occurrences += 1;
        crowd.delay = crowd.delay.max(*delay);
    }
    let mut crowds: Vec<PeakCandidate> = crowds.into_values().collect();
    crowds.sort_by_key(|crowd| (Reverse(crowd.count), crowd.first));
    crowds.truncate(most);
    let peak = |crowd: PeakCandidate| Peak {
        time: counts.span.start_of(crowd.first),
        count: crowd.count,
        occurrences: crowd.occurrences,
        last_start_delay: crowd.delay,
        cron_jobs: cron_jobs(groups, members, counts, &crowd),
    };
    crowds.into_iter().map(peak).collect()
}

fn cron_jobs(
    groups: &StartGroups,
    members: &[LoadMember],
    counts: &StartCounts,
    crowd: &PeakCandidate,
) -> Vec<PeakParticipant> {
    let (from, to) = counts.span.seconds_of(crowd.first);
    let found = who_starts(groups, |group| group.count(from, to));
    if found.iter().map(|(_, starts)| starts).sum::<u64>() == crowd.count {
        return named(members, &found);
    }
    // Near unusual clock changes, a search that begins here may miss starts that one from the beginning of the
    // window finds.
    let (beginning, _) = counts.span.seconds();
    let found = who_starts(groups, |group| {
        let mut starts = 0;
        group.starts(beginning, to, |start| starts += u64::from(start >= from));
        starts
    });
    named(members, &found)
}

fn named(members: &[LoadMember], found: &[(usize, u64)]) -> Vec<PeakParticipant> {
    let participant = |(member, starts): &(usize, u64)| {
        let member = members.get(*member)?;
        let (namespace, name) = member.name();
        Some(PeakParticipant {
            kind: member.subject.kind,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            starts: *starts,
        })
    };
    found.iter().filter_map(participant).collect()
}

/// The indexes of the members that start, with the number of starts, most starts first.
fn who_starts(groups: &StartGroups, count: impl Fn(&StartGroup) -> u64) -> Vec<(usize, u64)> {
    let mut found = Vec::new();
    for group in &groups.all {
        let starts = count(group);
        if starts > 0 {
            found.extend(group.members.iter().map(|member| (*member, starts)));
        }
    }
    found.sort_by_key(|(member, starts)| (Reverse(*starts), *member));
    found
}

/// Rounds to a tenth of a second, the precision of the prediction.
pub fn rounded(seconds: f64) -> f64 {
    (seconds * 10.0).round() / 10.0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
pub(super) fn tenths<S: Serializer>(seconds: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    number(&rounded(*seconds), serializer)
}

/// Writes a number without a fraction where it has none.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
pub(super) fn number<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    #[allow(clippy::cast_possible_truncation)] // whole and small
    if number.fract() == 0.0 && number.abs() < 1e15 {
        serializer.serialize_i64(*number as i64)
    } else {
        serializer.serialize_f64(*number)
    }
}
