//! The rows.

use jiff::Timestamp;

use super::canvas::Canvas;
use super::columns::{Column, Placed, columns};
use super::{look, timeline};
use crate::duration::human;
use crate::output::scan;
use crate::survey::Row;
use crate::top::App;

/// Below that, every second counts.
const HOUR: i64 = 3600;

pub(super) fn draw(canvas: &mut Canvas<'_>, app: &App, top: u16) {
    let columns = columns(app, canvas.width());
    for placed in &columns {
        heading(canvas, app, *placed, top);
    }
    let rows = app.list().seen(app.size().rows());
    for (y, (place, selected)) in (top + 1..).zip(rows) {
        let Some(row) = app.row(place) else {
            continue;
        };
        for placed in &columns {
            cell(canvas, app, row, *placed, y);
        }
        if selected {
            canvas.put(0, y, "▸", look::STRONG);
            let line = columns
                .iter()
                .find(|placed| placed.column == Column::Timeline);
            let width = line.map_or(canvas.width(), |line| line.x.saturating_sub(1));
            canvas.restyle(0, y, width, look::CHOSEN);
        }
    }
    if app.list().is_empty() {
        let text = if app.filter().is_empty() {
            "No CronJobs found."
        } else {
            "None fits the filter; esc takes it away."
        };
        canvas.put(1, top + 1, text, look::PLAIN);
    }
}

fn heading(canvas: &mut Canvas<'_>, app: &App, placed: Placed, y: u16) {
    let Placed { column, x, width } = placed;
    if column == Column::Timeline {
        timeline::axis(canvas, app, placed, y);
        return;
    }
    let end = canvas.put_within(x, y, column.heading(), width, look::STRONG);
    let (order, backwards) = app.list().order();
    if column.order() == Some(order) {
        let sign = if backwards { "▴" } else { "▾" };
        canvas.put(end, y, sign, look::STRONG);
    }
}

fn cell(canvas: &mut Canvas<'_>, app: &App, row: &Row, placed: Placed, y: u16) {
    let Placed { column, x, width } = placed;
    let now = app.now();
    let word = width <= 7;
    let text = match column {
        Column::Namespace => row.namespace.clone(),
        Column::Name => row.name.clone(),
        Column::Schedule => row.schedule.clone(),
        Column::Next => scan::next(row, |next| countdown(now, next)),
        Column::Last => match row.last_schedule_time {
            Some(last) => human((now.as_second() - last.as_second()).max(0)),
            None => "never".to_owned(),
        },
        Column::Missed => row
            .missed
            .map_or_else(|| "-".to_owned(), |missed| missed.to_string()),
        Column::Active => row.active.to_string(),
        Column::Health if word => row.health.as_str().to_owned(),
        Column::Health => scan::health(row),
        Column::Timeline => {
            timeline::runs(canvas, app, row, placed, y);
            return;
        }
    };
    let style = if column == Column::Health {
        look::of_health(row.health)
    } else {
        look::PLAIN
    };
    canvas.put_within(x, y, &text, width, style);
}

/// `12m08s`: the last hour in seconds, before that as everywhere.
fn countdown(now: Timestamp, next: Timestamp) -> String {
    let seconds = next.as_second() - now.as_second();
    match seconds {
        ..=0 => "now".to_owned(),
        1..60 => format!("{seconds}s"),
        60..HOUR => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => human(seconds),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_hour_is_counted_in_seconds() {
        let now = Timestamp::UNIX_EPOCH;
        let cases = [
            (-5, "now"),
            (0, "now"),
            (59, "59s"),
            (60, "1m00s"),
            (3599, "59m59s"),
            (3600, "60m"),
            (10_800, "3h"),
            (82_800, "23h"),
        ];
        for (seconds, expected) in cases {
            let next = Timestamp::from_second(seconds).unwrap();
            assert_eq!(countdown(now, next), expected);
        }
    }
}
