//! The minutes that a proposal is made for.

use super::groups::{Group, Groups, LOOKED_BACK};
use super::order::{Order, is_rare};
use super::span::Span;
use super::spread::Mover;
use super::{Member, Move, spread};

/// Weekly crowds are seen, even where only a day is asked for.
const SHORTEST: i64 = 7 * 86_400;
/// What meets later than in a month is no crowd that a proposal is made for.
const LONGEST: i64 = 31 * 86_400;
/// What starts more often is everywhere anyway, and nothing is gained by moving it.
const MOST_OFTEN: i64 = 5 * 60;

/// What is to be moved, and by how much.
pub(super) struct Planned {
    /// The place of its group.
    pub(super) group: usize,
    /// Its place among the members.
    pub(super) member: usize,
    /// How many minutes later.
    pub(super) minutes: u32,
}

/// Plans the moves that make the fullest minute as empty as it can be.
pub(super) fn plan(
    groups: &Groups,
    members: &[Member],
    span: Span,
    at_most: Option<u32>,
) -> Vec<Planned> {
    let (from, to) = span.seconds();
    let until = from + (to - from).clamp(SHORTEST, LONGEST);
    // What starts shortly before may be moved into the span; what follows shortly after keeps its
    // place in the order.
    let (first, end) = (from.div_euclid(60) - LOOKED_BACK / 60, until + LOOKED_BACK);
    let length = usize::try_from(end.div_euclid(60) - first + 1).unwrap_or(0);
    let mut counts = vec![0_u32; length];
    let mut starts = Vec::with_capacity(groups.all.len());
    for group in &groups.all {
        let number = group.number();
        let keeps = may_move(group) || is_rare(group);
        let mut own = Vec::new();
        group.starts(first * 60, end, |start| {
            let Ok(minute) = u32::try_from(start.div_euclid(60) - first) else {
                return;
            };
            if let Some(count) = counts.get_mut(minute as usize) {
                *count = count.saturating_add(number);
            }
            if keeps {
                own.push(minute);
            }
        });
        starts.push(own);
    }

    let mut order = Order::of(groups, members, &starts);
    let mut movable: Vec<(usize, usize)> = Vec::new();
    for (place, group) in groups.all.iter().enumerate().filter(|(_, g)| may_move(g)) {
        movable.extend(group.members.iter().map(|member| (place, *member)));
    }
    let name = |member: usize| {
        members
            .get(member)
            .map(|member| (&member.subject.namespace, &member.subject.name))
    };
    movable.sort_by(|(_, one), (_, other)| (name(*one), one).cmp(&(name(*other), other)));
    let mut movers = Vec::with_capacity(movable.len());
    for (place, member) in &movable {
        let (Some(group), Some(own), Some(member)) = (
            groups.all.get(*place),
            starts.get(*place),
            members.get(*member),
        ) else {
            return Vec::new();
        };
        let room = order.room(*place, group, member, own);
        movers.push(Mover {
            starts: own,
            room: room.min(group.schedule.minutes_to_spare()),
        });
    }
    let planned = |one: Move| {
        let (group, member) = *movable.get(one.mover)?;
        Some(Planned {
            group,
            member,
            minutes: one.minutes,
        })
    };
    let moves = spread(&counts, &movers, at_most);
    moves.into_iter().filter_map(planned).collect()
}

fn may_move(group: &Group) -> bool {
    let often = |period: crate::schedule::Period| period.shortest >= MOST_OFTEN;
    group.schedule.minutes_to_spare() > 0 && group.schedule.period().is_some_and(often)
}
