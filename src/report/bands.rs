//! Starts that follow each other at the same distance are one band: a day of minutes is one, too.

use jiff::Timestamp;

/// Starts in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Band {
    /// The first start.
    pub from: Timestamp,
    /// The last start.
    pub to: Timestamp,
    /// How many there are.
    pub count: u64,
    /// The distance from one to the next, in seconds; `None` if it is a single start, or if the
    /// distances differ.
    pub every: Option<i64>,
}

/// More bands than these cannot be told apart in a line.
const MOST: usize = 48;

/// Starts nearer to each other than this part of the line cannot be told apart either.
const FINEST: i64 = 96;

/// Makes bands of starts as they come.
#[derive(Debug, Default)]
pub(super) struct Bands {
    done: Vec<Band>,
    count: u64,
}

impl Bands {
    /// The next start.
    pub(super) fn push(&mut self, at: Timestamp) {
        self.count += 1;
        let Some(last) = self.done.last_mut() else {
            return self.done.push(Band::single(at));
        };
        let gap = at.as_second() - last.to.as_second();
        match last.every {
            _ if last.count == 1 => {
                *last = Band {
                    to: at,
                    count: 2,
                    every: Some(gap),
                    ..*last
                };
            }
            Some(every) if every == gap => {
                last.to = at;
                last.count += 1;
            }
            // Any two have a distance; only a third one shows whether it means something.
            _ if last.count == 2 => {
                let second = last.to;
                *last = Band::single(last.from);
                self.done.push(Band {
                    from: second,
                    to: at,
                    count: 2,
                    every: Some(gap),
                });
            }
            _ => self.done.push(Band::single(at)),
        }
    }

    /// How many starts there were.
    pub(super) fn starts(&self) -> u64 {
        self.count
    }

    /// The bands, in a line that is so many seconds long: few enough to be shown.
    pub(super) fn finished(&self, length: i64) -> Vec<Band> {
        let mut bands = self.done.clone();
        if let Some(last) = bands.pop() {
            if last.count == 2 {
                bands.extend([Band::single(last.from), Band::single(last.to)]);
            } else {
                bands.push(last);
            }
        }
        let mut nearness = (length / FINEST).max(1);
        while bands.len() > MOST {
            bands = merged(&bands, nearness);
            nearness = nearness.saturating_mul(2);
        }
        bands
    }
}

impl Band {
    fn single(at: Timestamp) -> Self {
        Band {
            from: at,
            to: at,
            count: 1,
            every: None,
        }
    }
}

/// The bands, those that are so near to each other being one.
fn merged(bands: &[Band], nearness: i64) -> Vec<Band> {
    let mut merged: Vec<Band> = Vec::new();
    for band in bands {
        match merged.last_mut() {
            Some(last) if band.from.as_second() - last.to.as_second() <= nearness => {
                last.to = band.to;
                last.count += band.count;
                last.every = None;
            }
            _ => merged.push(*band),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400;

    /// The bands of starts at so many seconds: from, to, count, distance.
    fn bands(starts: &[i64]) -> Vec<(i64, i64, u64, Option<i64>)> {
        let mut bands = Bands::default();
        for start in starts {
            bands.push(Timestamp::from_second(*start).unwrap());
        }
        assert_eq!(bands.starts(), starts.len() as u64);
        let all = bands.finished(DAY).into_iter();
        all.map(|b| (b.from.as_second(), b.to.as_second(), b.count, b.every))
            .collect()
    }

    #[test]
    fn what_comes_at_the_same_distance_is_one() {
        let minutes: Vec<i64> = (0..1440).map(|minute| minute * 60).collect();
        assert_eq!(bands(&minutes), [(0, 86_340, 1440, Some(60))]);
        assert_eq!(bands(&[]), []);
        assert_eq!(bands(&[7]), [(7, 7, 1, None)]);
    }

    #[test]
    fn two_are_no_row() {
        assert_eq!(bands(&[0, 60]), [(0, 0, 1, None), (60, 60, 1, None)]);
        let three = [(0, 0, 1, None), (60, 60, 1, None), (600, 600, 1, None)];
        assert_eq!(bands(&[0, 60, 600]), three);
        // Nine to eleven, and again in the afternoon.
        assert_eq!(
            bands(&[9, 10, 11, 15, 16, 17]),
            [(9, 11, 3, Some(1)), (15, 17, 3, Some(1))]
        );
    }

    #[test]
    fn what_cannot_be_told_apart_is_one() {
        // Three in ten minutes of each hour, all at other distances: 72 singles. A 96th of a day is
        // a quarter of an hour.
        let uneven: Vec<i64> = (0..24)
            .flat_map(|hour| [0, 120, 600].map(|second| hour * 3600 + second))
            .collect();
        let expected: Vec<_> = (0..24)
            .map(|hour| (hour * 3600, hour * 3600 + 600, 3, None))
            .collect();
        assert_eq!(bands(&uneven), expected);
    }
}
