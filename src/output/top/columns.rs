//! Which columns there is room for, and where they are.

use crate::survey::RowOrder;
use crate::top::{App, Widths};

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Namespace,
    Name,
    Schedule,
    Next,
    Last,
    Missed,
    Active,
    Health,
    Timeline,
}

/// A column, with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) column: Column,
    pub(super) x: u16,
    pub(super) width: u16,
}

/// Between two columns.
const GAP: u16 = 2;
/// The sign of the selected row.
const MARK: u16 = 1;
/// A countdown: `23h`, `59m59s`, and the sign of the order in its heading.
const TIME: u16 = 7;
/// A heading and its sign.
const COUNT: u16 = 7;
/// `error: last-run-failed`: less does not tell what is wrong.
const HEALTH: u16 = 22;
/// The same on a narrow screen, where the name is more important.
const NARROW_HEALTH: u16 = 14;
/// From this width on it is known when each ran last.
const USUAL: u16 = 60;
/// `warning: runs-longer-than-period (+1)`
const WHOLE_HEALTH: u16 = 37;
/// The health alone.
const WORD: u16 = 7;
/// Longer names are cut where other things are more important.
const NAME: u16 = 12;
const LONGEST: u16 = 40;
const LONGEST_SCHEDULE: u16 = 20;

impl Column {
    pub(super) fn heading(self) -> &'static str {
        match self {
            Column::Namespace => "NAMESPACE",
            Column::Name => "NAME",
            Column::Schedule => "SCHEDULE",
            Column::Next => "NEXT",
            Column::Last => "LAST",
            Column::Missed => "MISSED",
            Column::Active => "ACTIVE",
            Column::Health => "HEALTH",
            Column::Timeline => "",
        }
    }

    /// The order in which it is the key.
    pub(super) fn order(self) -> Option<RowOrder> {
        match self {
            Column::Name => Some(RowOrder::Name),
            Column::Next => Some(RowOrder::Next),
            Column::Last => Some(RowOrder::Last),
            Column::Missed => Some(RowOrder::Missed),
            Column::Active => Some(RowOrder::Active),
            Column::Health => Some(RowOrder::Health),
            Column::Namespace | Column::Schedule | Column::Timeline => None,
        }
    }
}

/// The columns that a screen of a width has room for.
pub(super) fn columns(app: &App, width: u16) -> Vec<Placed> {
    let wanted = Wanted::of(app.list().widths(), app.list().order().0);
    let widths = if app.is_timeline_alone() {
        wanted.with_timeline(width)
    } else {
        wanted.usual(width, app.shows_timeline())
    };
    let mut x = MARK;
    let mut placed = Vec::new();
    for (column, width) in widths {
        placed.push(Placed { column, x, width });
        x += width + GAP;
    }
    placed
}

/// What is left of a line.
struct Room(u16);

impl Room {
    /// Takes a column and the gap after it, if that leaves enough.
    fn take(&mut self, width: u16, leaving: u16) -> bool {
        let left = self.0.checked_sub(width + GAP);
        let left = left.filter(|left| width > 0 && *left >= leaving);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }

    /// Takes a column of all that is left.
    fn take_all(&mut self) -> u16 {
        std::mem::take(&mut self.0).saturating_sub(GAP)
    }
}

/// How wide the columns would like to be.
struct Wanted {
    namespace: u16,
    name: u16,
    schedule: u16,
    /// Shown only while it is the key.
    key: Option<Column>,
}

impl Wanted {
    fn of(widths: Widths, order: RowOrder) -> Self {
        let least = |width: usize, heading: Column, most: u16| {
            let heading = heading.heading().chars().count() + 1;
            let width = u16::try_from(width.max(heading)).unwrap_or(u16::MAX);
            width.min(most)
        };
        Wanted {
            namespace: if widths.namespace == 0 {
                0
            } else {
                least(widths.namespace, Column::Namespace, LONGEST / 2)
            },
            name: least(widths.name, Column::Name, LONGEST),
            schedule: least(widths.schedule, Column::Schedule, LONGEST_SCHEDULE),
            key: match order {
                RowOrder::Missed => Some(Column::Missed),
                RowOrder::Active => Some(Column::Active),
                _ => None,
            },
        }
    }

    /// The table, with the schedule and the timeline as far as there is room.
    fn usual(&self, width: u16, timeline: bool) -> Vec<(Column, u16)> {
        let last = width >= USUAL;
        let least = if last { HEALTH } else { NARROW_HEALTH };
        let times = (TIME + GAP) * if last { 2 } else { 1 };
        let mut room = Room(width.saturating_sub(MARK + least + times));
        let least_name = NAME + GAP;
        let key = self.key.filter(|_| room.take(COUNT, least_name));
        let namespace = room.take(self.namespace, least_name);
        let name = if room.take(self.name, 0) {
            self.name
        } else {
            room.take_all()
        };
        let schedule = room.take(self.schedule, 0);
        let Room(left) = room;
        let (health, line) = if timeline {
            let health = (least + left / 3).min(WHOLE_HEALTH);
            (health, (least + left).saturating_sub(health + GAP))
        } else {
            (least + left, 0)
        };
        let mut columns = Vec::new();
        columns.extend(namespace.then_some((Column::Namespace, self.namespace)));
        columns.push((Column::Name, name));
        columns.extend(schedule.then_some((Column::Schedule, self.schedule)));
        columns.push((Column::Next, TIME));
        columns.extend(last.then_some((Column::Last, TIME)));
        columns.extend(key.map(|key| (key, COUNT)));
        columns.push((Column::Health, health));
        columns.extend((line > 0).then_some((Column::Timeline, line)));
        columns
    }

    /// The timeline, with no more than what it is about.
    fn with_timeline(&self, width: u16) -> Vec<(Column, u16)> {
        let others = MARK + TIME + GAP + WORD + GAP;
        let room = width.saturating_sub(others) / 2;
        let namespace = self.namespace > 0 && self.namespace + NAME + 2 * GAP <= room;
        let taken = if namespace { self.namespace + GAP } else { 0 };
        let name = self.name.min(room.saturating_sub(taken + GAP)).max(1);
        let line = width.saturating_sub(others + taken + name + GAP);
        let mut columns = Vec::new();
        columns.extend(namespace.then_some((Column::Namespace, self.namespace)));
        columns.push((Column::Name, name));
        columns.push((Column::Next, TIME));
        columns.push((Column::Health, WORD));
        columns.push((Column::Timeline, line));
        columns
    }
}
