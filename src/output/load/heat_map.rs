//! The data of a heat map: the window as rows and columns of a calendar, and levels of numbers.

use jiff::Zoned;
use jiff::civil::Weekday;

use super::sentences;
use cronjob_diagnosis::load::LoadWindow;
use kube_cron::Zone;

/// The layout of the rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeatMapShape {
    /// A row for each hour, a column for each minute.
    Hours,
    /// A row for each day, a column for each hour.
    Days,
    /// A row for each week, a column for each day.
    Weeks,
}

/// The window as rows and columns.
pub(crate) struct HeatMap {
    pub(crate) shape: HeatMapShape,
    pub(crate) rows: Vec<HeatMapRow>,
    /// The largest count of a bucket.
    pub(crate) most: u64,
    /// The smallest count of a cell that is not empty.
    least: u64,
}

pub(crate) struct HeatMapRow {
    pub(crate) label: String,
    /// `None` outside the window, and for times that the clock skips.
    pub(crate) cells: Vec<Option<HeatMapCell>>,
    pub(crate) starts: u64,
}

/// A cell, which holds one bucket or several.
#[derive(Clone)]
pub(crate) struct HeatMapCell {
    pub(crate) label: String,
    /// The largest count of one of its buckets.
    pub(crate) most: u64,
    pub(crate) starts: u64,
}

const DAY: i64 = 86_400;

impl HeatMapShape {
    /// The shape that suits a window.
    fn of(window: i64, bucket: i64) -> Self {
        if bucket <= 60 && window <= 2 * DAY {
            HeatMapShape::Hours
        } else if bucket <= 3_600 && window <= 62 * DAY {
            HeatMapShape::Days
        } else {
            HeatMapShape::Weeks
        }
    }

    pub(crate) fn columns(self) -> usize {
        match self {
            HeatMapShape::Hours => 60,
            HeatMapShape::Days => 24,
            HeatMapShape::Weeks => 7,
        }
    }

    pub(crate) fn heading(self, column: usize) -> Option<String> {
        const WEEKDAYS: [&str; 7] = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"];
        match self {
            HeatMapShape::Hours => column.is_multiple_of(10).then(|| format!("{column:02}")),
            HeatMapShape::Days => column.is_multiple_of(3).then(|| format!("{column:02}")),
            HeatMapShape::Weeks => WEEKDAYS.get(column).map(|name| (*name).to_owned()),
        }
    }

    /// The time that a cell covers, and its length in seconds.
    fn cell(self) -> (&'static str, i64) {
        match self {
            HeatMapShape::Hours => ("minute", 60),
            HeatMapShape::Days => ("hour", 3_600),
            HeatMapShape::Weeks => ("day", DAY),
        }
    }

    /// The formats of the labels of a row and of a cell.
    fn formats(self) -> (&'static str, &'static str) {
        match self {
            HeatMapShape::Hours => ("%m-%d %H:%M", "%Y-%m-%d %H:%M"),
            HeatMapShape::Days => ("%a %Y-%m-%d", "%a %Y-%m-%d %H:00"),
            HeatMapShape::Weeks => ("%Y-%m-%d", "%a %Y-%m-%d"),
        }
    }

    /// Where the row of a moment begins, and its column.
    fn place(self, at: &Zoned) -> (Zoned, usize) {
        let column = match self {
            HeatMapShape::Hours => at.minute(),
            HeatMapShape::Days => at.hour(),
            HeatMapShape::Weeks => at.weekday().since(Weekday::Monday),
        };
        let column = usize::try_from(column).unwrap_or(0);
        let start = match self {
            // An hour that is repeated has two rows, which differ by their offsets.
            HeatMapShape::Hours => at
                .checked_sub(jiff::SignedDuration::from_secs(
                    i64::from(at.minute()) * 60 + i64::from(at.second()),
                ))
                .unwrap_or_else(|_| at.clone()),
            HeatMapShape::Days => first_of_day(at, 0),
            HeatMapShape::Weeks => first_of_day(at, column),
        };
        (start, column)
    }
}

/// The beginning of the day a number of days earlier.
fn first_of_day(at: &Zoned, days: usize) -> Zoned {
    let days = jiff::Span::new().days(i64::try_from(days).unwrap_or(0));
    at.checked_sub(days)
        .and_then(|day| day.start_of_day())
        .unwrap_or_else(|_| at.clone())
}

impl HeatMap {
    /// Whether a cell has as many starts as the busiest one, if those are several.
    pub(crate) fn is_peak(&self, cell: &HeatMapCell) -> bool {
        cell.most > 1 && cell.most == self.most
    }

    pub(crate) fn scale(&self) -> ColorScale {
        ColorScale::between(self.least, self.most)
    }

    /// `Starts per minute (Europe/Berlin)`, or `Starts in the busiest minute of each hour (UTC)`.
    pub(crate) fn title(&self, window: LoadWindow, zone: &Zone) -> String {
        let seconds = window.bucket_seconds();
        let (bucket, zone) = (sentences::each_bucket(seconds), zone.name());
        let (cell, length) = self.shape.cell();
        if seconds < length {
            format!("Starts in the busiest {bucket} of each {cell} ({zone})")
        } else {
            format!("Starts per {bucket} ({zone})")
        }
    }

    pub(crate) fn of(span: LoadWindow, buckets: &[u64], zone: &Zone) -> Self {
        let window = span.to().as_second() - span.from().as_second();
        let shape = HeatMapShape::of(window, span.bucket_seconds());
        let (row_format, cell_format) = shape.formats();
        let zone = zone.time_zone();
        let mut rows: Vec<(Zoned, HeatMapRow)> = Vec::new();
        for (bucket, count) in buckets.iter().enumerate() {
            let at = span.start_of(bucket).to_zoned(zone.clone());
            let (start, column) = shape.place(&at);
            if rows.last().is_none_or(|(last, _)| *last != start) {
                let row = HeatMapRow {
                    label: start.strftime(row_format).to_string(),
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
                let cell = cell.get_or_insert_with(|| HeatMapCell {
                    label: at.strftime(cell_format).to_string(),
                    most: 0,
                    starts: 0,
                });
                cell.most = cell.most.max(*count);
                cell.starts += count;
            }
        }
        let cells = rows.iter().flat_map(|(_, row)| row.cells.iter().flatten());
        let least = cells.map(|cell| cell.most).filter(|most| *most > 0).min();
        HeatMap {
            shape,
            least: least.unwrap_or(1),
            rows: rows.into_iter().map(|(_, row)| row).collect(),
            most: buckets.iter().copied().max().unwrap_or(0),
        }
    }
}

/// The marks of the levels, beginning with zero; they are distinguishable without color.
pub(crate) const MARKS: [char; LEVELS + 1] = ['·', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The number of levels above zero.
const LEVELS: usize = 8;

/// The greatest numbers of the levels above zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ColorScale {
    least: u64,
    greatest: u64,
    bounds: [u64; LEVELS],
}

impl ColorScale {
    /// Levels for zero, and for numbers from the least to the greatest. Peaks differ by orders of magnitude, so each level
    /// is the same multiple of the one before.
    pub(crate) fn between(least: u64, greatest: u64) -> Self {
        let mut bounds = [1; LEVELS];
        let mut part = 0.0;
        let mut before = least.saturating_sub(1);
        for bound in &mut bounds {
            part += 1.0 / 8.0;
            #[allow(clippy::cast_precision_loss)] // a level, not a sum
            let exact = (least as f64 * (greatest as f64 / least.max(1) as f64).powf(part)).round();
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // up to the greatest
            let rounded = exact as u64;
            // Each whole number of a small scale is a level of its own.
            *bound = rounded.max(before + 1);
            before = *bound;
        }
        let few = greatest - least.min(greatest) < LEVELS as u64;
        if least > 1 && few {
            // The greatest has the highest level, and each whole number one of its own.
            for (below, bound) in (0..).zip(bounds.iter_mut().rev()) {
                *bound = greatest.saturating_sub(below);
            }
        }
        ColorScale {
            least,
            greatest,
            bounds,
        }
    }

    /// The level of a number, 0 for zero.
    pub(crate) fn level(self, number: u64) -> usize {
        if number == 0 {
            return 0;
        }
        let beyond = |bound: &&u64| **bound < number;
        (1 + self.bounds.iter().take_while(beyond).count()).min(LEVELS)
    }

    /// The numbers of each level, including zero: `3`, `4-9`.
    pub(crate) fn ranges(self) -> Vec<(usize, String)> {
        let mut ranges = vec![(0, "0".to_owned())];
        let (mut least, greatest) = (self.least, self.greatest);
        for (level, most) in (1..).zip(self.bounds) {
            if least > greatest {
                break;
            }
            let most = most.min(greatest);
            if most < least {
                continue;
            }
            let range = if least == most {
                most.to_string()
            } else {
                format!("{least}-{most}")
            };
            ranges.push((level, range));
            least = most + 1;
        }
        ranges
    }
}

#[cfg(test)]
mod tests {
    use super::ColorScale;

    fn ranges(greatest: u64) -> Vec<String> {
        ranges_between(1, greatest)
    }

    fn ranges_between(least: u64, greatest: u64) -> Vec<String> {
        let ranges = ColorScale::between(least, greatest).ranges().into_iter();
        ranges.map(|(_, range)| range).collect()
    }

    #[test]
    fn levels_grow_by_the_same_factor() {
        assert_eq!(ranges(0), ["0"]);
        assert_eq!(ranges(2), ["0", "1", "2"]);
        assert_eq!(ranges(5), ["0", "1", "2", "3", "4", "5"]);
        // By factors of the square root of 2, rounded.
        let expected = ["0", "1", "2", "3", "4", "5-6", "7-8", "9-11", "12-16"];
        assert_eq!(ranges(16), expected);
        assert_eq!(
            ranges(256),
            [
                "0", "1-2", "3-4", "5-8", "9-16", "17-32", "33-64", "65-128", "129-256"
            ]
        );
    }

    /// A cluster whose quietest hour has more starts than half of the busiest.
    #[test]
    fn levels_are_between_the_least_and_the_greatest() {
        let levels = [
            "0", "64-69", "70-74", "75-79", "80-85", "86-91", "92-98", "99-105", "106-113",
        ];
        assert_eq!(ranges_between(64, 113), levels);
        assert_eq!(ranges_between(7, 9), ["0", "7", "8", "9"]);
        assert_eq!(ranges_between(5, 5), ["0", "5"]);
        let levels = |least, greatest| {
            let scale = ColorScale::between(least, greatest);
            [least, greatest].map(|number| scale.level(number))
        };
        assert_eq!(levels(64, 113), [1, 8]);
        assert_eq!(levels(7, 9), [6, 8]);
        assert_eq!(levels(40, 40), [8, 8]);
    }

    #[test]
    fn half_of_a_peak_has_another_level() {
        for greatest in 2..=256 {
            let scale = ColorScale::between(1, greatest);
            assert!(
                scale.level(greatest / 2) < scale.level(greatest),
                "{greatest}"
            );
        }
    }

    #[test]
    fn each_number_has_the_level_whose_range_it_is_in() {
        for greatest in 1..300 {
            let scale = ColorScale::between(1, greatest);
            for (level, range) in scale.ranges() {
                let (low, high) = range.split_once('-').unwrap_or((&range, &range));
                assert_eq!(scale.level(low.parse().unwrap()), level, "{greatest}");
                assert_eq!(scale.level(high.parse().unwrap()), level, "{greatest}");
            }
            assert_eq!(scale.level(greatest), scale.ranges().len() - 1);
        }
    }
}
