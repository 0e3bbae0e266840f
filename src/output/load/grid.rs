//! The window as rows and columns on a calendar: what a heat map shows.

use jiff::Zoned;
use jiff::civil::Weekday;

use super::Shown;

/// What the rows and columns are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::output) enum Shape {
    /// A row for each hour, a column for each minute.
    Hours,
    /// A row for each day, a column for each hour.
    Days,
    /// A row for each week, a column for each day.
    Weeks,
}

/// The window as rows and columns.
pub(in crate::output) struct Grid {
    pub(in crate::output) shape: Shape,
    pub(in crate::output) rows: Vec<Row>,
    /// The most that any bucket has.
    pub(in crate::output) most: u64,
}

/// A row.
pub(in crate::output) struct Row {
    pub(in crate::output) label: String,
    /// What lies outside the window, or was skipped by the clock, is `None`.
    pub(in crate::output) cells: Vec<Option<Cell>>,
    /// The starts of the row.
    pub(in crate::output) starts: u64,
}

/// A cell, which holds one bucket or several.
#[derive(Clone)]
pub(in crate::output) struct Cell {
    /// Where it begins, on the clock.
    pub(in crate::output) label: String,
    /// The most starts of one of its buckets.
    pub(in crate::output) most: u64,
    /// Its starts.
    pub(in crate::output) starts: u64,
}

const DAY: i64 = 86_400;

impl Shape {
    /// The shape in which a window can be taken in at a glance.
    fn of(window: i64, bucket: i64) -> Self {
        if bucket <= 60 && window <= 2 * DAY {
            Shape::Hours
        } else if bucket <= 3_600 && window <= 62 * DAY {
            Shape::Days
        } else {
            Shape::Weeks
        }
    }

    /// How many columns there are.
    pub(in crate::output) fn columns(self) -> usize {
        match self {
            Shape::Hours => 60,
            Shape::Days => 24,
            Shape::Weeks => 7,
        }
    }

    /// What stands above a column, if anything does.
    pub(in crate::output) fn heading(self, column: usize) -> Option<String> {
        const WEEKDAYS: [&str; 7] = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"];
        match self {
            Shape::Hours => column.is_multiple_of(10).then(|| format!("{column:02}")),
            Shape::Days => column.is_multiple_of(3).then(|| format!("{column:02}")),
            Shape::Weeks => WEEKDAYS.get(column).map(|name| (*name).to_owned()),
        }
    }

    /// What a cell is called.
    pub(in crate::output) fn cell(self) -> &'static str {
        match self {
            Shape::Hours => "minute by minute",
            Shape::Days => "hour by hour",
            Shape::Weeks => "day by day",
        }
    }

    fn row_label(self, at: &Zoned) -> String {
        let format = match self {
            Shape::Hours => "%m-%d %H:%M",
            Shape::Days => "%a %Y-%m-%d",
            Shape::Weeks => "%Y-%m-%d",
        };
        at.strftime(format).to_string()
    }

    fn cell_label(self, at: &Zoned) -> String {
        let format = match self {
            Shape::Hours => "%Y-%m-%d %H:%M",
            Shape::Days => "%a %Y-%m-%d %H:00",
            Shape::Weeks => "%a %Y-%m-%d",
        };
        at.strftime(format).to_string()
    }

    /// Where the row of a moment begins, and its column.
    fn place(self, at: &Zoned) -> (Zoned, usize) {
        let column = match self {
            Shape::Hours => at.minute(),
            Shape::Days => at.hour(),
            Shape::Weeks => at.weekday().since(Weekday::Monday),
        };
        let column = usize::try_from(column).unwrap_or(0);
        let start = match self {
            // An hour that comes twice has two rows: they differ by their offsets.
            Shape::Hours => at
                .checked_sub(jiff::SignedDuration::from_secs(
                    i64::from(at.minute()) * 60 + i64::from(at.second()),
                ))
                .unwrap_or_else(|_| at.clone()),
            Shape::Days => first_of_day(at, 0),
            Shape::Weeks => first_of_day(at, column),
        };
        (start, column)
    }
}

/// The beginning of the day, so many days earlier.
fn first_of_day(at: &Zoned, days: usize) -> Zoned {
    let days = jiff::Span::new().days(i64::try_from(days).unwrap_or(0));
    at.checked_sub(days)
        .and_then(|day| day.start_of_day())
        .unwrap_or_else(|_| at.clone())
}

impl Grid {
    pub(in crate::output) fn of(shown: &Shown<'_>) -> Self {
        let load = shown.load;
        let span = load.span;
        let window = span.to().as_second() - span.from().as_second();
        let shape = Shape::of(window, span.bucket_seconds());
        let zone = shown.zone.time_zone();
        let mut rows: Vec<(Zoned, Row)> = Vec::new();
        for (bucket, count) in load.buckets.iter().enumerate() {
            let at = span.start_of(bucket).to_zoned(zone.clone());
            let (start, column) = shape.place(&at);
            if rows.last().is_none_or(|(last, _)| *last != start) {
                let row = Row {
                    label: shape.row_label(&start),
                    cells: vec![None; shape.columns()],
                    starts: 0,
                };
                rows.push((start, row));
            }
            let Some((_, row)) = rows.last_mut() else {
                continue;
            };
            row.starts += count;
            if let Some(cell) = row.cells.get_mut(column) {
                let cell = cell.get_or_insert_with(|| Cell {
                    label: shape.cell_label(&at),
                    most: 0,
                    starts: 0,
                });
                cell.most = cell.most.max(*count);
                cell.starts += count;
            }
        }
        Grid {
            shape,
            rows: rows.into_iter().map(|(_, row)| row).collect(),
            most: load.buckets.iter().copied().max().unwrap_or(0),
        }
    }
}
