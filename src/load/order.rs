//! The order in which the `CronJob`s of a namespace start, as far as it can be known.
//!
//! What starts rarely may wait for what started before it. So nothing is moved to where another of
//! its namespace starts later, or beyond; and since nothing starts earlier than before, what is in
//! order stays in order, whatever else is moved.

use std::collections::{BTreeMap, BTreeSet};

use super::Member;
use super::groups::{Group, Groups};

/// What starts more often has no place in an order.
const RARE: i64 = 3_600;

/// The minutes in which something starts that has a place in the order, for each namespace.
pub(super) struct Order<'a> {
    starts: BTreeMap<&'a str, Vec<u32>>,
    known: BTreeMap<(&'a str, usize), u32>,
}

impl<'a> Order<'a> {
    /// `starts` are the minutes of each group, by its place.
    pub(super) fn of(groups: &Groups, members: &'a [Member], starts: &[Vec<u32>]) -> Self {
        let mut by_namespace: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for (place, group) in groups.all.iter().enumerate().filter(|(_, g)| is_rare(g)) {
            for member in group
                .members
                .iter()
                .filter_map(|member| members.get(*member))
            {
                by_namespace
                    .entry(namespace(member))
                    .or_default()
                    .insert(place);
            }
        }
        let together = |places: BTreeSet<usize>| {
            let lists = places.into_iter().filter_map(|place| starts.get(place));
            let mut all: Vec<u32> = lists.flatten().copied().collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let starts = by_namespace
            .into_iter()
            .map(|(namespace, places)| (namespace, together(places)))
            .collect();
        Order {
            starts,
            known: BTreeMap::new(),
        }
    }

    /// How many minutes later a member can start without a change of the order.
    pub(super) fn room(
        &mut self,
        place: usize,
        group: &Group,
        member: &'a Member,
        own: &[u32],
    ) -> u32 {
        if !is_rare(group) {
            return u32::MAX;
        }
        let all = self
            .starts
            .get(namespace(member))
            .map_or(&[][..], Vec::as_slice);
        let room = || {
            let following = |start: &u32| {
                let next = all.partition_point(|other| other <= start);
                all.get(next).map(|next| next - start - 1)
            };
            own.iter().filter_map(following).min().unwrap_or(u32::MAX)
        };
        *self
            .known
            .entry((namespace(member), place))
            .or_insert_with(room)
    }
}

fn namespace(member: &Member) -> &str {
    member.subject.namespace.as_deref().unwrap_or_default()
}

/// Whether it starts so rarely that something may wait for it.
pub(super) fn is_rare(group: &Group) -> bool {
    let period = group.schedule.period();
    period.is_none_or(|period| period.shortest >= RARE)
}
