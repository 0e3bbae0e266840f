//! The coming starts of each `CronJob`, in bands.

use super::bands::{Band, Bands};
use crate::controller::Controller;
use crate::forecast::NextState;
use crate::load::{LoadMember, LoadWindow, starts_by_group};
use crate::survey::Row;
use crate::upcoming::ScheduleProblem;

/// What is to come of many `CronJob`s.
#[derive(Clone, Debug)]
pub(crate) struct Timeline {
    /// From when until when.
    pub span: LoadWindow,
    /// One for each, in their order.
    pub lanes: Vec<Lane>,
}

/// What is to come of one.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    /// Whether its runs start.
    pub outlook: Outlook,
    /// How many runs there are.
    pub runs: u64,
    /// The runs.
    pub bands: Vec<Band>,
    /// Why nobody can tell, if that is so.
    pub problem: Option<ScheduleProblem>,
}

string_enum! {
    /// What will happen to the coming runs, as far as it is known.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Outlook {
        /// The controller will try to start them.
        Starts = "starts",
        /// None of them is started: it is suspended.
        Suspended = "suspended",
        /// None of them is started until a running Job has finished, or the controller comes to it.
        Blocked = "blocked",
        /// None of them is started until something is changed.
        Held = "held",
    }
}

impl Outlook {
    fn of(row: &Row) -> Self {
        if row.suspended {
            Outlook::Suspended
        } else {
            match row.next_state {
                None => Outlook::Held,
                Some(NextState::Blocked | NextState::Overdue) => Outlook::Blocked,
                Some(_) => Outlook::Starts,
            }
        }
    }
}

impl Timeline {
    /// Of members and their rows, which are in the same order.
    pub(super) fn of(
        controller: &Controller<'_>,
        members: &[LoadMember],
        rows: &[Row],
        span: LoadWindow,
    ) -> Self {
        let lane = |row| Lane {
            outlook: Outlook::of(row),
            runs: 0,
            bands: Vec::new(),
            problem: None,
        };
        let mut lanes: Vec<Lane> = rows.iter().map(lane).collect();
        let (groups, problems) = starts_by_group(controller, members, span, Bands::push);
        let length = span.to().as_second() - span.from().as_second();
        for group in groups {
            let bands = group.starts.finished(length);
            for member in group.members {
                if let Some(lane) = lanes.get_mut(member) {
                    lane.runs = group.starts.starts();
                    lane.bands.clone_from(&bands);
                }
            }
        }
        for (member, problem) in problems {
            if let Some(lane) = lanes.get_mut(member) {
                lane.problem = Some(problem);
            }
        }
        Timeline { span, lanes }
    }
}
