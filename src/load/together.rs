//! Who starts at the very same times, and when.

use jiff::Timestamp;

use super::groups::Groups;
use super::span::moment;
use super::{Member, Span};
use crate::controller::Controller;
use crate::upcoming::ScheduleProblem;

/// Members that start at the very same times.
#[derive(Clone, Debug)]
pub struct Together<T> {
    /// By their places among all members.
    pub members: Vec<usize>,
    /// What was made of their starts.
    pub starts: T,
}

/// The starts of a span of time of all members, of those that are suspended, too. Those that
/// [`load()`](super::load()) counts are these. `each` is told one after the other, in order, and keeps
/// of them what it wants: a day may have tens of thousands. The others come with the reason why nobody
/// can tell.
pub fn together<T: Default>(
    controller: &Controller<'_>,
    members: &[Member],
    span: Span,
    each: impl Fn(&mut T, Timestamp),
) -> (Vec<Together<T>>, Vec<(usize, ScheduleProblem)>) {
    let (from, to) = span.seconds();
    let mut groups = Groups::of(controller, members, from, |_| true);
    let mut all = Vec::with_capacity(groups.all.len());
    let mut endless = Vec::new();
    for (place, group) in groups.all.iter().enumerate() {
        let mut starts = T::default();
        if !group.starts(from, to, |second| each(&mut starts, moment(second))) {
            endless.push(place);
        }
        all.push(Together {
            members: group.members.clone(),
            starts,
        });
    }
    for place in endless {
        groups.stands_still(place);
    }
    (all, groups.into_problems())
}
