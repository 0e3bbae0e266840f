//! How reliable a `CronJob` was: how many of its due runs succeeded in time, and how that changed from week to week.
//!
//! Only runs that were due count. A run whose result is not known is never taken for a success or a failure.

use std::iter;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use super::{CronJobHistory, HistoryEntry, HistoryWindow, Percentiles, RecordedRun};
use crate::duration::later;
use crate::model::{RunResult, RunStatus};

/// The causes of runs that do not count as due: the CronJob was not meant to run them.
const EXCLUDED: [&str; 3] = ["suspended", "skipped", "notCreated"];

/// The causes of runs that did not succeed although no Job with a result shows it.
const ENDED_EARLY: [&str; 2] = ["replaced", "jobMissing"];

/// How many of the runs that were due in a window succeeded in time.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reliability {
    /// The start of the window.
    pub since: Timestamp,
    /// The end of the window.
    pub until: Timestamp,
    /// The figures of the whole window.
    #[serde(flatten)]
    pub figures: ReliabilityFigures,
    /// The most due runs in a row that are known to have failed or not to have started.
    pub longest_failure_streak: u64,
    /// The same figures for each week, oldest first. The last one ends with the window; the first one can be shorter,
    /// or up to a day longer.
    pub weeks: Vec<ReliabilityWeek>,
}

/// How many of the runs that were due succeeded in time, how long they took, and how late they started.
#[derive(Clone, Copy, Debug, Default, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReliabilityFigures {
    /// What happened to the runs.
    #[serde(flatten)]
    pub runs: DueRuns,
    /// The share of the runs with a known outcome that succeeded in time, from 0 to 1; null if there are none.
    pub success_rate: Option<f64>,
    /// How long the runs took that succeeded, in seconds.
    pub duration_seconds: Percentiles,
    /// How late the controller started the runs, in seconds.
    pub delay_seconds: Percentiles,
}

/// What happened to runs that were due.
#[derive(Clone, Copy, Debug, Default, JsonSchema, PartialEq, Eq, Serialize)]
pub struct DueRuns {
    /// The number of runs that were due: the sum of the next five.
    pub due: u64,
    /// Runs that succeeded, and that started before the next run was due.
    pub succeeded: u64,
    /// Runs that failed.
    pub failed: u64,
    /// Runs that succeeded, but started only when the next run was due already.
    pub late: u64,
    /// Runs that did not start.
    pub skipped: u64,
    /// Runs whose outcome is not known, for example because they have not finished.
    pub unknown: u64,
    /// Runs that do not count as due: during a suspension, skipped on purpose, or before the creation.
    pub excluded: u64,
}

/// A week of the window.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Serialize)]
pub struct ReliabilityWeek {
    /// The start of the week, or of the window.
    pub from: Timestamp,
    /// The figures of the week.
    #[serde(flatten)]
    pub figures: ReliabilityFigures,
}

/// What happened to the runs of a day.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub(crate) struct ReliabilityDay {
    /// The day.
    pub date: Date,
    /// What happened to the runs.
    #[serde(flatten)]
    pub runs: DueRuns,
}

impl HistoryWindow {
    /// The last 28 days.
    pub(crate) fn recent(now: Timestamp) -> Self {
        let since = now.checked_sub(SignedDuration::from_hours(28 * 24));
        HistoryWindow {
            since: since.ok(),
            until: None,
        }
    }
}

impl Reliability {
    /// The reliability in the window of a history; `None` if no recorder was asked: old Jobs are gone then.
    pub(crate) fn of(item: &CronJobHistory<'_>) -> Option<Self> {
        let history = &item.history;
        if history.recorded.is_none() || history.error.is_some() {
            return None;
        }
        let starts = weeks(history.since, history.until, item.facts.zone().time_zone());
        let mut weeks: Vec<Tally> = starts.iter().map(|_| Tally::default()).collect();
        let (mut all, mut streak, mut longest) = (Tally::default(), 0, 0);
        for run in judged(item) {
            all.add(&run);
            let week = starts.partition_point(|start| *start <= run.at);
            if let Some(week) = weeks.get_mut(week.saturating_sub(1)) {
                week.add(&run);
            }
            streak = match run.outcome {
                DueOutcome::Failed | DueOutcome::Skipped => streak + 1,
                DueOutcome::Excluded => streak,
                DueOutcome::Succeeded | DueOutcome::Late | DueOutcome::Unknown => 0,
            };
            longest = longest.max(streak);
        }
        let weeks = starts.into_iter().zip(weeks);
        Some(Reliability {
            since: history.since,
            until: history.until,
            figures: all.figures(),
            longest_failure_streak: longest,
            weeks: weeks
                .map(|(from, week)| ReliabilityWeek {
                    from,
                    figures: week.figures(),
                })
                .collect(),
        })
    }
}

/// The days from one moment to another in a time zone, with the runs of each.
pub(crate) fn days(
    item: &CronJobHistory<'_>,
    (since, until): (Timestamp, Timestamp),
    zone: &TimeZone,
) -> Vec<ReliabilityDay> {
    let date = |at: Timestamp| at.to_zoned(zone.clone()).date();
    let last = date(until);
    let all = iter::successors(Some(date(since)), |day| day.tomorrow().ok());
    let mut days: Vec<ReliabilityDay> = all
        .take_while(|day| *day <= last)
        .map(|date| ReliabilityDay {
            date,
            runs: DueRuns::default(),
        })
        .collect();
    for run in judged(item) {
        let day = date(run.at);
        if let Ok(index) = days.binary_search_by_key(&day, |day| day.date)
            && let Some(day) = days.get_mut(index)
        {
            day.runs.add(run.outcome);
        }
    }
    days
}

/// The starts of the weeks of a window, oldest first. They are counted back from its end, by the clock of a time zone.
fn weeks(since: Timestamp, until: Timestamp, zone: &TimeZone) -> Vec<Timestamp> {
    let end = until.to_zoned(zone.clone());
    let start = |week: i64| {
        let before = Span::new().try_days(week * 7).ok()?;
        Some(end.checked_sub(before).ok()?.timestamp())
    };
    // A rest of hours, for example after a change of clocks, is no week.
    let first = later(since, SignedDuration::from_hours(24));
    let starts = (1..).map_while(start).take_while(|start| *start > first);
    let mut starts: Vec<Timestamp> = starts.collect();
    starts.push(since);
    starts.reverse();
    starts
}

/// What happened to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DueOutcome {
    Succeeded,
    Failed,
    /// It succeeded too late.
    Late,
    Skipped,
    Unknown,
    Excluded,
}

struct JudgedRun<'a> {
    at: Timestamp,
    outcome: DueOutcome,
    run: Option<&'a RecordedRun>,
}

/// The runs of a history with their outcomes, in order.
fn judged<'a>(item: &'a CronJobHistory<'_>) -> impl Iterator<Item = JudgedRun<'a>> {
    let mut runs = item.history.runs.iter().peekable();
    iter::from_fn(move || {
        let (at, entry) = runs.next()?;
        let next = runs.peek().map(|(next, _)| *next);
        let next = next.or_else(|| item.facts.next_run_after(at));
        Some(JudgedRun {
            at,
            outcome: outcome(entry, next),
            run: entry.run.as_ref(),
        })
    })
}

/// What happened to a run; `next` is when the next one was due.
fn outcome(entry: &HistoryEntry, next: Option<Timestamp>) -> DueOutcome {
    let cause = entry.reason.as_ref().map_or("", |reason| &*reason.code);
    let is_in_time = |at: Timestamp| next.is_none_or(|next| at < next);
    let Some(run) = &entry.run else {
        let is_open = entry.reason.as_ref().is_some_and(|reason| reason.is_open);
        return match entry.status {
            RunStatus::Skipped if EXCLUDED.contains(&cause) => DueOutcome::Excluded,
            RunStatus::Skipped if !is_open => DueOutcome::Skipped,
            _ => DueOutcome::Unknown,
        };
    };
    match (run.result, run.started_at, run.finished_at) {
        (Some(RunResult::Failed), ..) => DueOutcome::Failed,
        (None, ..) if ENDED_EARLY.contains(&cause) => DueOutcome::Failed,
        (Some(RunResult::Succeeded), Some(started), _) if !is_in_time(started) => DueOutcome::Late,
        (Some(RunResult::Succeeded), Some(_), _) => DueOutcome::Succeeded,
        // Its start is not known, but it was before that.
        (Some(RunResult::Succeeded), None, Some(finished)) if is_in_time(finished) => {
            DueOutcome::Succeeded
        }
        _ => DueOutcome::Unknown,
    }
}

impl DueRuns {
    /// The number of runs whose outcome is known.
    pub(crate) fn known(self) -> u64 {
        self.due - self.unknown
    }

    fn add(&mut self, outcome: DueOutcome) {
        self.due += u64::from(outcome != DueOutcome::Excluded);
        *match outcome {
            DueOutcome::Succeeded => &mut self.succeeded,
            DueOutcome::Failed => &mut self.failed,
            DueOutcome::Late => &mut self.late,
            DueOutcome::Skipped => &mut self.skipped,
            DueOutcome::Unknown => &mut self.unknown,
            DueOutcome::Excluded => &mut self.excluded,
        } += 1;
    }

    fn success_rate(self) -> Option<f64> {
        let float = |count: u64| u32::try_from(count).ok().map(f64::from);
        let known = float(self.known()).filter(|known| *known > 0.0)?;
        Some(float(self.succeeded)? / known)
    }
}

/// The runs of a window or a week.
#[derive(Default)]
struct Tally {
    runs: DueRuns,
    durations: Vec<i64>,
    delays: Vec<i64>,
}

impl Tally {
    fn add(&mut self, judged: &JudgedRun<'_>) {
        self.runs.add(judged.outcome);
        let Some(run) = judged.run else { return };
        if run.result == Some(RunResult::Succeeded) {
            self.durations.extend(run.duration_seconds);
        }
        if !run.backfilled {
            self.delays.extend(run.delay_seconds);
        }
    }

    fn figures(self) -> ReliabilityFigures {
        ReliabilityFigures {
            runs: self.runs,
            success_rate: self.runs.success_rate(),
            duration_seconds: Percentiles::of(self.durations),
            delay_seconds: Percentiles::of(self.delays),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;
    use std::sync::Arc;

    use super::*;
    use crate::controller::Controller;
    use crate::diagnose::Facts;
    use crate::history::RunReason;
    use crate::kubectl::PLAIN;
    use crate::model::testing::at;
    use crate::model::{Coverage, CronJobEvidence, CronJobRecord, StoredRun, testing};

    const HOUR: i64 = 3_600;

    /// The start of the day, and seconds later.
    fn after(seconds: i64) -> Timestamp {
        later(
            at("2026-03-10T00:00:00Z"),
            SignedDuration::from_secs(seconds),
        )
    }

    /// A recorded run: `s`ucceeded, `f`ailed, succeeded too `l`ate, `b`ackfilled, `r`unning, `d`eadline exceeded,
    /// su`p`ended or `u`nknown.
    fn stored(hour: i64, letter: char) -> StoredRun {
        let due = hour * HOUR;
        let started = if letter == 'l' { due + HOUR } else { due + 2 };
        let result = match letter {
            's' | 'l' | 'b' => Some(RunResult::Succeeded),
            'f' => Some(RunResult::Failed),
            'r' => Some(RunResult::Running),
            _ => None,
        };
        let (status, cause) = match letter {
            'd' => (RunStatus::Skipped, Some("deadline")),
            'p' => (RunStatus::Skipped, Some("suspended")),
            'u' => (RunStatus::Unknown, Some("jobsDeleted")),
            'b' => (RunStatus::Backfilled, None),
            _ => (RunStatus::OnTime, None),
        };
        StoredRun {
            at: after(due),
            status: Some(status),
            result,
            cause: cause.map(str::to_owned),
            job_name: result.map(|_| format!("a-{hour}")),
            started_at: result.map(|_| after(started)),
            finished_at: result.map(|_| after(started + 60)),
            ..StoredRun::default()
        }
    }

    fn evidence(
        schedule: &str,
        runs: Vec<StoredRun>,
        watched: Range<Timestamp>,
    ) -> CronJobEvidence {
        let mut evidence = CronJobEvidence {
            cron_job: testing::cron_job("a"),
            record: Some(Arc::new(CronJobRecord {
                watched: vec![watched],
                runs,
                ..CronJobRecord::default()
            })),
            ..CronJobEvidence::default()
        };
        evidence.cron_job.spec.schedule = schedule.to_owned();
        evidence.cron_job.spec.time_zone = Some("Europe/Berlin".to_owned());
        evidence
    }

    fn with_history<T>(
        evidence: &CronJobEvidence,
        (since, now): (Timestamp, Timestamp),
        check: impl FnOnce(&CronJobHistory<'_>) -> T,
    ) -> T {
        let controller = Controller::newest();
        let coverage = Coverage::none(now);
        let window = HistoryWindow {
            since: Some(since),
            until: None,
        };
        let facts = Facts::of(&controller, &PLAIN, evidence, coverage, now);
        check(&CronJobHistory::of(facts, &window))
    }

    /// Hourly runs since midnight that were all recorded, half an hour after the last one.
    fn hourly<T>(letters: &str, check: impl FnOnce(&CronJobHistory<'_>) -> T) -> T {
        let runs: Vec<StoredRun> = (0..)
            .zip(letters.chars())
            .map(|(hour, letter)| stored(hour, letter))
            .collect();
        let now = runs.last().unwrap().at + SignedDuration::from_mins(30);
        let evidence = evidence("0 * * * *", runs, after(-HOUR)..now);
        with_history(&evidence, (after(0), now), check)
    }

    #[test]
    fn every_due_run_is_counted_once_and_unknown_ones_never_as_success() {
        // Due, succeeded, failed, late, skipped, unknown, excluded; the longest streak.
        let cases = [
            ("ssss", [4, 4, 0, 0, 0, 0, 0], 0),
            ("sfds", [4, 2, 1, 0, 1, 0, 0], 2),
            // It started when the next one was due, and so did not succeed in time, but it succeeded.
            ("flf", [3, 0, 2, 1, 0, 0, 0], 1),
            ("bs", [2, 2, 0, 0, 0, 0, 0], 0),
            // The recorder did not see the end of what was running, and an unknown run may have succeeded.
            ("frf", [3, 0, 2, 0, 0, 1, 0], 1),
            ("ffuf", [4, 0, 3, 0, 0, 1, 0], 2),
            // Nothing was due in between.
            ("ffppf", [3, 0, 3, 0, 0, 0, 2], 3),
            ("pp", [0, 0, 0, 0, 0, 0, 2], 0),
        ];
        for (letters, counts, streak) in cases {
            let reliability = hourly(letters, |item| Reliability::of(item).unwrap());
            let runs = reliability.figures.runs;
            let DueRuns {
                due,
                succeeded,
                failed,
                late,
                skipped,
                unknown,
                excluded,
            } = runs;
            let found = [due, succeeded, failed, late, skipped, unknown, excluded];
            assert_eq!(found, counts, "{letters}");
            assert_eq!(
                due,
                succeeded + failed + late + skipped + unknown,
                "{letters}"
            );
            assert_eq!(reliability.longest_failure_streak, streak, "{letters}");
        }
    }

    #[test]
    fn run_that_can_still_start_is_not_counted_as_skipped() {
        let outcome = |is_open| {
            let reason = RunReason {
                code: "forbid".into(),
                detail: String::new(),
                is_open,
            };
            let entry = HistoryEntry {
                status: RunStatus::Skipped,
                run: None,
                reason: Some(reason),
                source: None,
                times: 0..1,
            };
            outcome(&entry, None)
        };
        assert_eq!(
            [true, false].map(outcome),
            [DueOutcome::Unknown, DueOutcome::Skipped]
        );
    }

    #[test]
    fn success_rate_is_the_share_of_runs_with_a_known_outcome() {
        let figures = |letters| hourly(letters, |item| Reliability::of(item).unwrap().figures);
        assert_eq!(figures("sssfuu").success_rate, Some(0.75));
        assert_eq!(figures("slpp").success_rate, Some(0.5));
        assert_eq!(figures("uupp").success_rate, None);
        // A backfilled run says nothing about the controller, and a failed one nothing about a usual duration.
        let figures = figures("slfb");
        let (delay, duration) = (figures.delay_seconds, figures.duration_seconds);
        assert_eq!((delay.p50, delay.max), (Some(2), Some(HOUR)));
        assert_eq!((duration.p50, duration.max), (Some(60), Some(60)));
    }

    #[test]
    fn recorded_success_counts_for_the_last_success_and_the_usual_duration() {
        hourly("sf", |item| {
            assert_eq!(item.facts.last_success(), Some(after(62)));
            assert_eq!(item.facts.durations().p50(), Some(60));
        });
    }

    #[test]
    fn gaps_with_due_runs_and_new_identities_are_notes() {
        let mut evidence = evidence("0 * * * *", Vec::new(), after(0)..after(0));
        let around = |hour: i64| after(hour * HOUR - 1_800)..after(hour * HOUR + 1_800);
        let seen = |hour, uid: &str| (after(hour * HOUR), uid.to_owned());
        evidence.record = Some(Arc::new(CronJobRecord {
            watched: [1, 3, 5, 7, 9].map(around).to_vec(),
            first_seen: vec![seen(-24, "u1"), seen(2, "u2")],
            ..CronJobRecord::default()
        }));
        // The run at the end was due just now.
        let notes = with_history(&evidence, (after(0), after(10 * HOUR)), |item| {
            item.history.notes.clone()
        });
        let expected = [
            "the recording has 2 earlier gaps",
            "not recorded: Tue 2026-03-10 04:30 to Tue 2026-03-10 05:30 Europe/Berlin",
            "not recorded: Tue 2026-03-10 06:30 to Tue 2026-03-10 07:30 Europe/Berlin",
            "not recorded: Tue 2026-03-10 08:30 to Tue 2026-03-10 09:30 Europe/Berlin",
            "re-created at Tue 2026-03-10 03:00 Europe/Berlin (uid u2)",
        ];
        assert_eq!(notes, expected);
    }

    #[test]
    fn weekends_have_no_due_runs_and_clocks_change_in_between() {
        let evidence = evidence("0 6 * * 1-5", Vec::new(), after(-HOUR)..after(0));
        let window = (at("2026-03-27T00:00:00Z"), at("2026-03-31T00:00:00Z"));
        with_history(&evidence, window, |item| {
            // Friday at 6:00 in winter, Monday at 6:00 in summer.
            let times: Vec<String> = judged(item).map(|run| run.at.to_string()).collect();
            assert_eq!(times, ["2026-03-27T05:00:00Z", "2026-03-30T04:00:00Z"]);
            let runs = Reliability::of(item).unwrap().figures.runs;
            assert_eq!((runs.due, runs.unknown), (2, 2));
        });
    }

    #[test]
    fn weeks_are_counted_back_from_the_end_by_the_clock() {
        let evidence = evidence("0 6 * * *", Vec::new(), after(-HOUR)..after(0));
        let zone = with_history(&evidence, (after(0), after(HOUR)), |item| {
            item.facts.zone().time_zone().clone()
        });
        let starts = |since: &str| {
            let weeks = weeks(at(since), at("2026-03-31T12:00:00Z"), &zone);
            weeks.iter().map(Timestamp::to_string).collect::<Vec<_>>()
        };
        // 14:00 in summer is 12:00 UTC, 14:00 in winter 13:00 UTC. An hour is no week.
        let expected = [
            "2026-03-03T12:00:00Z",
            "2026-03-10T13:00:00Z",
            "2026-03-17T13:00:00Z",
            "2026-03-24T13:00:00Z",
        ];
        assert_eq!(starts("2026-03-03T12:00:00Z"), expected);
        assert_eq!(
            starts("2026-03-20T00:00:00Z"),
            ["2026-03-20T00:00:00Z", expected[3]]
        );
        assert_eq!(starts("2026-03-30T00:00:00Z"), ["2026-03-30T00:00:00Z"]);
    }

    #[test]
    fn days_are_those_of_the_time_zone() {
        let letters = "s".repeat(23) + "f";
        hourly(&letters, |item| {
            let zone = item.facts.zone().time_zone();
            // From 1:00 on March 10 to 0:30 on March 11.
            let days = days(item, (after(0), after(23 * HOUR + 1_800)), zone);
            let found = days
                .iter()
                .map(|day| (day.date.to_string(), day.runs.succeeded, day.runs.failed));
            let expected = [
                ("2026-03-10".to_owned(), 23, 0),
                ("2026-03-11".to_owned(), 0, 1),
            ];
            assert_eq!(found.collect::<Vec<_>>(), expected);
        });
    }
}
