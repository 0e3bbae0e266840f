//! What a manager asks about the last week: how many runs were due, how many succeeded in time, how that compares with the
//! week before, and where they did not.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::Report;
use crate::history::DueRuns;

/// The label by which runs are summed up, if a `CronJob` has it.
const TEAM: &str = "team";

/// The most `CronJob`s with runs that did not succeed in time.
const MOST_OFFENDERS: usize = 5;

/// How much shorter than a week the week before may be, for example because of a clock change.
const SLACK: SignedDuration = SignedDuration::from_hours(2);
const WEEK: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The runs of the last week.
#[derive(Debug)]
pub struct ReportedWeek {
    /// Its start: seven days ago, or later if less was asked for.
    pub from: Timestamp,
    pub total: WeekFigures,
    /// What the groups have in common: `Team` or `Namespace`.
    pub grouped_by: &'static str,
    /// By name; `None` for `CronJob`s without a team.
    pub groups: Vec<(Option<String>, WeekFigures)>,
    /// The `CronJob`s with the most runs that did not succeed in time, by their index in the report.
    pub offenders: Vec<(usize, WeekFigures)>,
    /// The `CronJob`s that were created in the week, by their index in the report, with the time.
    pub created: Vec<(usize, Timestamp)>,
}

/// The runs of a week and of the week before.
#[derive(Clone, Copy, Debug, Default)]
pub struct WeekFigures {
    pub cron_jobs: u64,
    pub runs: DueRuns,
    /// `None` if less than two weeks were asked for.
    pub before: Option<DueRuns>,
}

impl WeekFigures {
    fn add(&mut self, other: &WeekFigures) {
        self.cron_jobs += other.cron_jobs;
        self.runs += other.runs;
        if let Some(before) = other.before {
            *self.before.get_or_insert_default() += before;
        }
    }

    pub fn not_in_time(&self) -> u64 {
        self.runs.known() - self.runs.succeeded
    }
}

impl ReportedWeek {
    /// The week of a report; `None` without a recorder.
    pub fn of(report: &Report) -> Option<Self> {
        let known = report.reliability.iter().flatten();
        let from = known
            .filter_map(|one| Some(one.reliability.weeks.last()?.from))
            .min()?;
        let all = report.reliability.iter().zip(&report.all_evidence);
        let figures = all.map(|(reported, evidence)| {
            let weeks = reported.as_ref().map(|one| &*one.reliability.weeks);
            let (last, before) = match weeks.unwrap_or_default() {
                [.., before, last] => (Some(last), Some(before)),
                [last] => (Some(last), None),
                [] => (None, None),
            };
            let is_whole =
                |start: Timestamp, end: Timestamp| end.duration_since(start) + SLACK >= WEEK;
            let runs = last.map(|last| last.figures.runs).unwrap_or_default();
            let before =
                before.filter(|before| last.is_some_and(|last| is_whole(before.from, last.from)));
            let figures = WeekFigures {
                cron_jobs: 1,
                runs,
                before: before.map(|week| week.figures.runs),
            };
            (figures, &evidence.cron_job)
        });
        let figures: Vec<_> = figures.collect();
        let has_teams = figures
            .iter()
            .any(|(_, cron_job)| cron_job.labels.get(TEAM).is_some());
        let mut total = WeekFigures::default();
        let mut groups: BTreeMap<Option<String>, WeekFigures> = BTreeMap::new();
        for (figures, cron_job) in &figures {
            let name = match cron_job.labels.get(TEAM) {
                Some(team) => Some(team.to_owned()),
                None => (!has_teams).then(|| cron_job.namespace.clone()),
            };
            total.add(figures);
            groups.entry(name).or_default().add(figures);
        }
        let mut offenders: Vec<(usize, WeekFigures)> = figures
            .iter()
            .map(|(figures, _)| *figures)
            .enumerate()
            .collect();
        offenders.retain(|(_, figures)| figures.not_in_time() > 0);
        offenders
            .sort_by_key(|(_, figures)| (Reverse(figures.not_in_time()), figures.runs.succeeded));
        offenders.truncate(MOST_OFFENDERS);
        let created = figures
            .iter()
            .enumerate()
            .filter_map(|(index, (_, cron_job))| {
                let created = cron_job.creation_timestamp?;
                (created >= from).then_some((index, created))
            });
        let mut created: Vec<_> = created.collect();
        created.sort_by_key(|(_, created)| *created);
        Some(ReportedWeek {
            from,
            total,
            grouped_by: if has_teams { "Team" } else { "Namespace" },
            groups: groups.into_iter().collect(),
            offenders,
            created,
        })
    }
}
