//! The upcoming runs of each `CronJob` as bands: runs at one interval are one band, so that a day of runs every
//! minute is one, too.

use std::sync::Arc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::load::{LoadMember, LoadWindow, starts_by_group};
use crate::survey::Row;
use cronjob_controller::controller::Controller;
use cronjob_controller::forecast::NextState;

/// The upcoming runs of many `CronJob`s.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "Timeline")]
pub struct ReportTimeline {
    /// Start of the time shown.
    pub from: Timestamp,
    /// End of the time shown.
    pub to: Timestamp,
    /// A lane for each `CronJob`, and after them one for each schedule of another kind.
    #[serde(rename = "items")]
    pub lanes: Vec<Lane>,
}

/// The upcoming runs of a `CronJob`.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Lane {
    /// The kind of the object.
    pub kind: &'static str,
    /// Namespace of the object.
    pub namespace: String,
    /// Name of the object.
    pub name: String,
    /// What happens to its runs.
    pub outlook: Outlook,
    /// Number of runs in this time.
    pub runs: u64,
    /// The runs. Runs at one interval are one band.
    pub bands: Arc<[Band]>,
    /// Why the runs are not known; null if they are.
    pub error: Option<String>,
}

/// Consecutive runs.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Band {
    /// Scheduled time of the first run.
    pub from: Timestamp,
    /// Scheduled time of the last run.
    pub to: Timestamp,
    /// Number of runs.
    pub count: u64,
    /// Interval of the runs; null for a single run, and if the intervals differ.
    pub every_seconds: Option<i64>,
}

string_enum! {
    /// What happens to the upcoming runs, as far as it is known.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Outlook {
        /// The controller will try to start them.
        Starts = "starts",
        /// None is started, because the CronJob is suspended.
        Suspended = "suspended",
        /// None is started until a running Job has finished, or until the controller syncs the CronJob.
        Blocked = "blocked",
        /// Creating a Job fails, and is tried again.
        Refused = "refused",
        /// None is started until something is changed.
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
                Some(NextState::Retry) => Outlook::Refused,
                Some(_) => Outlook::Starts,
            }
        }
    }
}

impl ReportTimeline {
    /// The timeline of members. The first ones have rows, in the same order; the others are of other kinds.
    pub(super) fn of(
        controller: &Controller,
        members: &[LoadMember],
        rows: &[Row],
        window: LoadWindow,
    ) -> Self {
        let mut outlooks = rows.iter().map(Outlook::of);
        let lane = |member: &LoadMember| {
            let of_other = if member.subject.suspended {
                Outlook::Suspended
            } else {
                Outlook::Starts
            };
            Some(Lane {
                kind: member.subject.kind?,
                namespace: member.name().0.to_owned(),
                name: member.name().1.to_owned(),
                outlook: outlooks.next().unwrap_or(of_other),
                runs: 0,
                bands: Arc::default(),
                error: None,
            })
        };
        let mut lanes: Vec<Lane> = members.iter().filter_map(lane).collect();
        let (groups, problems) = starts_by_group(controller, members, window, Bands::push);
        let (from, to) = (window.from(), window.to());
        let length = to.as_second() - from.as_second();
        for group in groups {
            let bands: Arc<[Band]> = group.starts.finished(length).into();
            for member in group.members {
                if let Some(lane) = lanes.get_mut(member) {
                    lane.runs = group.starts.count;
                    lane.bands = Arc::clone(&bands);
                }
            }
        }
        for (member, problem) in problems {
            if let Some(lane) = lanes.get_mut(member) {
                lane.error = Some(problem.to_string());
            }
        }
        ReportTimeline { from, to, lanes }
    }
}

/// The most bands of a lane: more could not be distinguished.
const MOST_BANDS: usize = 48;

/// Runs closer than this fraction of a lane could not be distinguished either.
const FINEST: i64 = 96;

#[derive(Debug, Default)]
struct Bands {
    done: Vec<Band>,
    count: u64,
}

impl Bands {
    fn push(&mut self, at: Timestamp) {
        self.count += 1;
        let Some(last) = self.done.last_mut() else {
            return self.done.push(Band::single(at));
        };
        let gap = at.as_second() - last.to.as_second();
        match last.every_seconds {
            _ if last.count == 1 => {
                *last = Band {
                    to: at,
                    count: 2,
                    every_seconds: Some(gap),
                    ..*last
                };
            }
            Some(every) if every == gap => {
                last.to = at;
                last.count += 1;
            }
            // Any two runs have an interval. Only a third one shows whether it repeats.
            _ if last.count == 2 => {
                let second = last.to;
                *last = Band::single(last.from);
                self.done.push(Band {
                    from: second,
                    to: at,
                    count: 2,
                    every_seconds: Some(gap),
                });
            }
            _ => self.done.push(Band::single(at)),
        }
    }

    /// The bands of a lane of this length in seconds, few enough to be shown.
    fn finished(&self, length: i64) -> Vec<Band> {
        let mut bands = self.done.clone();
        if let Some(last) = bands.pop() {
            if last.count == 2 {
                bands.extend([Band::single(last.from), Band::single(last.to)]);
            } else {
                bands.push(last);
            }
        }
        let mut nearness = (length / FINEST).max(1);
        while bands.len() > MOST_BANDS {
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
            every_seconds: None,
        }
    }
}

/// Merges bands that are no more than `nearness` seconds apart.
fn merged(bands: &[Band], nearness: i64) -> Vec<Band> {
    let mut merged: Vec<Band> = Vec::new();
    for band in bands {
        match merged.last_mut() {
            Some(last) if band.from.as_second() - last.to.as_second() <= nearness => {
                last.to = band.to;
                last.count += band.count;
                last.every_seconds = None;
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

    /// The bands of runs at these seconds: first, last, count, interval.
    fn bands(runs: &[i64]) -> Vec<(i64, i64, u64, Option<i64>)> {
        let mut bands = Bands::default();
        for run in runs {
            bands.push(Timestamp::from_second(*run).unwrap());
        }
        assert_eq!(bands.count, runs.len() as u64);
        let all = bands.finished(DAY).into_iter();
        all.map(|b| {
            (
                b.from.as_second(),
                b.to.as_second(),
                b.count,
                b.every_seconds,
            )
        })
        .collect()
    }

    #[test]
    fn runs_at_one_interval_are_one_band() {
        let minutes: Vec<i64> = (0..1440).map(|minute| minute * 60).collect();
        assert_eq!(bands(&minutes), [(0, 86_340, 1440, Some(60))]);
        assert_eq!(bands(&[]), []);
        assert_eq!(bands(&[7]), [(7, 7, 1, None)]);
    }

    #[test]
    fn two_runs_are_two_bands() {
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
    fn runs_too_close_to_distinguish_are_one_band() {
        // Three runs in ten minutes of each hour at uneven intervals: 72 single runs. A 96th of a day is a
        // quarter of an hour.
        let uneven: Vec<i64> = (0..24)
            .flat_map(|hour| [0, 120, 600].map(|second| hour * 3600 + second))
            .collect();
        let expected: Vec<_> = (0..24)
            .map(|hour| (hour * 3600, hour * 3600 + 600, 3, None))
            .collect();
        assert_eq!(bands(&uneven), expected);
    }
}
