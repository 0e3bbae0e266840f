//! The table of CronJobs and the timeline.

use std::iter;

use jiff::Timestamp;

use super::canvas::{Canvas, width};
use super::theme;
use crate::output::scan;
use crate::top::{App, ColumnWidths};
use cronjob_controller::forecast::NextState;
use cronjob_diagnosis::survey::{Row, RowOrder};
use cronjob_text::duration::{from_now, human};

pub(super) fn draw(canvas: &mut Canvas<'_>, app: &App, top: u16) {
    let columns = columns(app, canvas.width());
    for positioned in &columns {
        draw_heading(canvas, app, *positioned, top);
    }
    let rows = app.list.visible(app.size.rows());
    for (y, (object, selected)) in (top + 1..).zip(rows) {
        let Some(row) = app.survey.row(object) else {
            continue;
        };
        for positioned in &columns {
            draw_cell(canvas, app, row, *positioned, y);
        }
        if selected {
            canvas.put(0, y, "▸", theme::STRONG);
            let line = columns
                .iter()
                .find(|positioned| positioned.column == Column::Timeline);
            let width = line.map_or(canvas.width(), |line| line.x.saturating_sub(1));
            canvas.restyle(0, y, width, theme::CHOSEN);
        }
    }
    if app.list.is_empty() {
        let text = if app.filter.is_empty() {
            "No CronJobs found."
        } else {
            "Nothing matches the filter; esc clears it."
        };
        canvas.put(1, top + 1, text, theme::PLAIN);
    }
}

fn draw_heading(canvas: &mut Canvas<'_>, app: &App, positioned: PositionedColumn, y: u16) {
    let PositionedColumn { column, x, width } = positioned;
    if column == Column::Timeline {
        draw_axis(canvas, app, positioned, y);
        return;
    }
    let (heading, sorted_by) = column.heading();
    let end = canvas.put_within(x, y, heading, width, theme::STRONG);
    let (order, reversed) = app.list.order();
    if sorted_by == Some(order) {
        let sign = if reversed { "▴" } else { "▾" };
        canvas.put(end, y, sign, theme::STRONG);
    }
}

fn draw_cell(canvas: &mut Canvas<'_>, app: &App, row: &Row, positioned: PositionedColumn, y: u16) {
    let PositionedColumn { column, x, width } = positioned;
    let now = app.now;
    let word = width <= 7;
    let text = match column {
        Column::Namespace => row.namespace.clone(),
        Column::Name => row.name.clone(),
        Column::Schedule => row.schedule.clone(),
        Column::Next => {
            let next =
                scan::text::next(row, |next| from_now(now, next.max(now)).replace("in ", ""));
            // The column has room for a time.
            next.replace(" (if free)", "?")
        }
        Column::Last => match row.last_schedule_time {
            Some(last) if scan::text::known_past(now, last) > now => from_now(now, last),
            Some(last) => human((now.as_second() - last.as_second()).max(0)),
            None => scan::NEVER.to_owned(),
        },
        Column::Result => (row.last_scheduled_run.as_ref())
            .map_or_else(|| "-".to_owned(), |last| last.state.word().to_owned()),
        Column::Missed => row
            .missed
            .map_or_else(|| "-".to_owned(), |missed| missed.to_string()),
        Column::Active => row.active.to_string(),
        Column::Health if word => row.health.as_str().to_owned(),
        Column::Health => {
            let whole = scan::text::health(row, now, app.context.display.as_deref());
            health_within(&whole, row, width)
        }
        Column::Timeline => {
            draw_runs(canvas, app, row, positioned, y);
            return;
        }
    };
    let style = if column == Column::Health {
        theme::of_health(row.health)
    } else {
        theme::PLAIN
    };
    canvas.put_within(x, y, &text, width, style);
}

/// The health with its notes, or else the code with the severity, or its first letter: a code is not cut.
fn health_within(whole: &str, row: &Row, most: u16) -> String {
    let severity = row.health.as_str();
    let code = row.foremost().map_or("", |finding| finding.code);
    let letter = severity.get(..1).unwrap_or_default().to_ascii_uppercase();
    let shorter = [format!("{severity}: {code}"), format!("{letter} {code}")];
    let all = iter::once(whole.to_owned()).chain(shorter.into_iter().filter(|_| !code.is_empty()));
    all.into_iter()
        .find(|text| width(text) <= most)
        .unwrap_or_else(|| whole.to_owned())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Namespace,
    Name,
    Schedule,
    Next,
    Last,
    Result,
    Missed,
    Active,
    Health,
    Timeline,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PositionedColumn {
    column: Column,
    x: u16,
    width: u16,
}

const GAP: u16 = 2;
/// The width of the sign of the selected row.
const MARK: u16 = 1;
/// A countdown: `23h`, `59m59s`, and the sign of the order in its heading.
const TIME: u16 = 7;
/// `no success`
const RESULT: u16 = 10;
/// The width of a heading and the sign of the order.
const COUNT: u16 = 7;
/// Shows at least `error: last-run-failed`.
const HEALTH: u16 = 22;
/// The width of the health on a narrow screen, where the name is more important.
const NARROW_HEALTH: u16 = 14;
/// The smallest screen with the last run.
const USUAL: u16 = 60;
/// `warning: runs-longer-than-period (+1)`
const WHOLE_HEALTH: u16 = 37;
const WORD: u16 = 7;
/// The width of names that is kept when space is short.
const NAME: u16 = 12;
const LONGEST: u16 = 40;
const LONGEST_SCHEDULE: u16 = 20;

impl Column {
    /// The heading, and the order that sorts by this column.
    fn heading(self) -> (&'static str, Option<RowOrder>) {
        match self {
            Column::Namespace => ("NAMESPACE", None),
            Column::Name => ("NAME", Some(RowOrder::Name)),
            Column::Schedule => ("SCHEDULE", None),
            Column::Next => ("NEXT", Some(RowOrder::Next)),
            Column::Last => ("LAST", Some(RowOrder::Last)),
            Column::Result => ("RESULT", None),
            Column::Missed => ("MISSED", Some(RowOrder::Missed)),
            Column::Active => ("ACTIVE", Some(RowOrder::Active)),
            Column::Health => ("HEALTH", Some(RowOrder::Health)),
            Column::Timeline => ("", None),
        }
    }
}

/// The columns that fit into a width.
fn columns(app: &App, width: u16) -> Vec<PositionedColumn> {
    let preferred = PreferredWidths::of(app.list.widths, app.list.order().0);
    let widths = if app.timeline_wanted {
        preferred.timeline_columns(width)
    } else {
        preferred.table_columns(width, app.shows_timeline())
    };
    let mut x = MARK;
    let mut positioned = Vec::new();
    for (column, width) in widths {
        positioned.push(PositionedColumn { column, x, width });
        x += width + GAP;
    }
    positioned
}

/// The remaining width of a line.
struct RemainingWidth(u16);

impl RemainingWidth {
    /// Takes the width of a column and its gap, if at least `leaving` remains.
    fn take(&mut self, width: u16, leaving: u16) -> bool {
        let left = self.0.checked_sub(width + GAP);
        let left = left.filter(|left| width > 0 && *left >= leaving);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }

    /// Takes the remaining width for a column.
    fn take_all(&mut self) -> u16 {
        std::mem::take(&mut self.0).saturating_sub(GAP)
    }
}

/// The preferred widths of the columns.
struct PreferredWidths {
    namespace: u16,
    name: u16,
    schedule: u16,
    /// A column that is shown only while the rows are sorted by it.
    key: Option<Column>,
    /// Whether the rows are sorted by the last run.
    by_last: bool,
}

impl PreferredWidths {
    fn of(widths: ColumnWidths, order: RowOrder) -> Self {
        let least = |width: usize, heading: Column, most: u16| {
            let heading = heading.heading().0.len() + 1;
            let width = u16::try_from(width.max(heading)).unwrap_or(u16::MAX);
            width.min(most)
        };
        PreferredWidths {
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
            by_last: order == RowOrder::Last,
        }
    }

    /// The columns of the table; schedule and timeline only if they fit.
    fn table_columns(&self, width: u16, timeline: bool) -> Vec<(Column, u16)> {
        let last = width >= USUAL;
        let least = if last { HEALTH } else { NARROW_HEALTH };
        let times = (TIME + GAP) * if last { 2 } else { 1 };
        let mut remaining = RemainingWidth(width.saturating_sub(MARK + least + times));
        let least_name = NAME + GAP;
        let key = self.key.filter(|_| remaining.take(COUNT, least_name));
        let namespace = remaining.take(self.namespace, least_name);
        let mut result = last && remaining.take(RESULT, self.name + GAP);
        let mut last = last;
        if last && !result && !self.by_last {
            // How the last run ended matters more than when it was.
            remaining.0 += TIME + GAP;
            result = remaining.take(RESULT, least_name);
            last = !result;
            if last {
                remaining.0 -= TIME + GAP;
            }
        }
        let name = if remaining.take(self.name, 0) {
            self.name
        } else {
            remaining.take_all()
        };
        let schedule = remaining.take(self.schedule, 0);
        let RemainingWidth(left) = remaining;
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
        columns.extend(result.then_some((Column::Result, RESULT)));
        columns.extend(key.map(|key| (key, COUNT)));
        columns.push((Column::Health, health));
        columns.extend((line > 0).then_some((Column::Timeline, line)));
        columns
    }

    /// The columns next to a timeline that takes most of the screen.
    fn timeline_columns(&self, width: u16) -> Vec<(Column, u16)> {
        let others = MARK + TIME + GAP + WORD + GAP;
        let half = width.saturating_sub(others) / 2;
        let namespace = self.namespace > 0 && self.namespace + NAME + 2 * GAP <= half;
        let taken = if namespace { self.namespace + GAP } else { 0 };
        let name = self.name.min(half.saturating_sub(taken + GAP)).max(1);
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

/// The least number of cells between two labels.
const APART: i64 = 9;
/// Intervals of the labels, in seconds.
const STEPS: [i64; 12] = [
    600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800, 1_209_600,
];
const DAY: i64 = 86_400;

/// The hours above the timeline, in UTC like the clock of the header.
fn draw_axis(canvas: &mut Canvas<'_>, app: &App, positioned: PositionedColumn, y: u16) {
    let cell = app.timeline.cell();
    let step = STEPS.into_iter().find(|step| *step >= APART * cell);
    let step = step.unwrap_or(4 * 7 * DAY);
    let mut free = positioned.x;
    for offset in 0..positioned.width {
        let second = app.timeline.start + i64::from(offset) * cell;
        let x = positioned.x + offset;
        let Ok(at) = Timestamp::from_second(second) else {
            continue;
        };
        if second.rem_euclid(step) != 0 || x < free {
            continue;
        }
        let label = if second.rem_euclid(DAY) == 0 {
            at.strftime("%a %d").to_string()
        } else {
            at.strftime("%H:%M").to_string()
        };
        let label = format!("│{label}");
        if x + width(&label) <= positioned.x + positioned.width {
            free = canvas.put(x, y, &label, theme::STRONG) + 1;
        }
    }
}

/// A sign for each cell: no run, one run, or the number of runs.
fn draw_runs(canvas: &mut Canvas<'_>, app: &App, row: &Row, positioned: PositionedColumn, y: u16) {
    if row.next_state.is_none() {
        return;
    }
    let counts = app.timeline.counts(&row.key());
    let is_blocked = row.next_state == Some(NextState::Blocked);
    for (offset, count) in (0..positioned.width).zip(counts) {
        let (sign, style) = match count {
            1.. if is_blocked => ("▒".to_owned(), theme::FAINT),
            0 => ("·".to_owned(), theme::FAINT),
            1 => ("•".to_owned(), theme::STRONG),
            2..10 => (count.to_string(), theme::STRONG),
            _ => ("#".to_owned(), theme::STRONG),
        };
        canvas.put(positioned.x + offset, y, &sign, style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns_of(width: u16, (namespace, name): (usize, usize), order: RowOrder) -> Vec<Column> {
        let widths = ColumnWidths {
            namespace,
            name,
            schedule: 13,
        };
        let columns = PreferredWidths::of(widths, order).table_columns(width, false);
        let taken: u16 = columns.iter().map(|(_, width)| width + GAP).sum();
        assert!(MARK + taken - GAP <= width, "{columns:?}");
        columns.into_iter().map(|(column, _)| column).collect()
    }

    #[test]
    fn result_is_kept_at_80_columns_in_place_of_the_last_run() {
        use Column::{Health, Last, Name, Namespace, Next, Result};
        let short = columns_of(80, (4, 8), RowOrder::Health);
        assert_eq!(short, [Namespace, Name, Next, Last, Result, Health]);
        let long = columns_of(80, (14, 30), RowOrder::Health);
        assert_eq!(long, [Namespace, Name, Next, Result, Health]);
        let by_last = columns_of(80, (14, 30), RowOrder::Last);
        assert_eq!(by_last, [Namespace, Name, Next, Last, Health]);
        let narrow = columns_of(50, (14, 30), RowOrder::Health);
        assert_eq!(narrow, [Name, Next, Health]);
    }
}
