//! The figures of a history.

use jiff::Timestamp;

use super::{History, Run, RunResult, Status};

/// The figures of a history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// All slots: the sum of the next six.
    pub slots: u64,
    /// Started within ten seconds, and finished.
    pub on_time: u64,
    /// Started later, and finished.
    pub late: u64,
    /// Run by somebody else than the controller, and finished.
    pub backfilled: u64,
    /// Not finished.
    pub running: u64,
    /// Not started.
    pub skipped: u64,
    /// What became of them cannot be known.
    pub unknown: u64,
    /// Slots whose run succeeded.
    pub succeeded: u64,
    /// Slots whose run failed.
    pub failed: u64,
    /// Runs that began while another one ran, those by hand and off the schedule included.
    pub overlaps: u64,
    /// How long after their slots runs were started, in seconds.
    pub delay: Spread,
    /// How long finished runs took, in seconds.
    pub duration: Spread,
}

/// How values are spread: the least value that so many of a hundred do not exceed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    /// The median.
    pub p50: Option<i64>,
    /// Only one of twenty is greater.
    pub p95: Option<i64>,
    /// The greatest.
    pub max: Option<i64>,
}

impl Spread {
    pub(crate) fn of(mut values: Vec<i64>) -> Self {
        values.sort_unstable();
        let of_hundred = |part: usize| {
            let rank = (values.len() * part).div_ceil(100);
            values.get(rank.checked_sub(1)?).copied()
        };
        Spread {
            p50: of_hundred(50),
            p95: of_hundred(95),
            max: values.last().copied(),
        }
    }
}

pub(super) fn of(history: &History) -> Summary {
    let mut summary = Summary::default();
    for entry in &history.entries {
        let count = u64::try_from(entry.count()).unwrap_or(0);
        summary.slots += count;
        *match entry.status {
            Status::OnTime => &mut summary.on_time,
            Status::Late => &mut summary.late,
            Status::Backfilled => &mut summary.backfilled,
            Status::Running => &mut summary.running,
            Status::Skipped => &mut summary.skipped,
            Status::Unknown => &mut summary.unknown,
        } += count;
        match entry.run.as_ref().and_then(|run| run.result) {
            Some(RunResult::Succeeded) => summary.succeeded += count,
            Some(RunResult::Failed) => summary.failed += count,
            Some(RunResult::Running) | None => {}
        }
    }
    let at_slots = || {
        history
            .entries
            .iter()
            .filter_map(|entry| entry.run.as_ref())
    };
    summary.delay = Spread::of(at_slots().filter_map(|run| run.delay_seconds).collect());
    summary.duration = Spread::of(at_slots().filter_map(|run| run.duration_seconds).collect());
    let strays = history.off_schedule.iter().map(|stray| &stray.run);
    let all = at_slots().chain(strays).chain(&history.manual);
    summary.overlaps = overlaps(all, history.as_of);
    summary
}

/// How many runs began while another one ran.
fn overlaps<'a>(runs: impl Iterator<Item = &'a Run>, now: Timestamp) -> u64 {
    let mut stretches: Vec<(Timestamp, Timestamp)> = runs
        .filter_map(|run| {
            let running = run.result == Some(RunResult::Running);
            let gone = run.gone.and_then(super::run::Gone::at);
            let end = run.finished_at.or(running.then_some(now)).or(gone)?;
            Some((run.started_at?, end))
        })
        .collect();
    stretches.sort_unstable();
    let mut busy_until = None;
    let mut count = 0;
    for (start, end) in stretches {
        count += u64::from(busy_until.is_some_and(|busy| start < busy));
        busy_until = busy_until.max(Some(end));
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(values: &[i64]) -> (i64, i64, i64) {
        let spread = Spread::of(values.to_vec());
        (
            spread.p50.unwrap(),
            spread.p95.unwrap(),
            spread.max.unwrap(),
        )
    }

    #[test]
    fn percentiles_are_values_that_occurred() {
        assert_eq!(Spread::of(vec![]), Spread::default());
        assert_eq!(spread(&[7]), (7, 7, 7));
        assert_eq!(spread(&[4, 1, 3, 2]), (2, 4, 4));
        let hundred: Vec<i64> = (1..=100).collect();
        assert_eq!(spread(&hundred), (50, 95, 100));
    }

    #[test]
    fn runs_that_touch_do_not_overlap() {
        let at = |second| Timestamp::from_second(second).ok();
        let run = |start, end| Run {
            job_name: String::new(),
            started_at: at(start),
            finished_at: at(end),
            result: None,
            delay_seconds: None,
            duration_seconds: None,
            failure: None,
            gone: None,
            backfilled: false,
        };
        let count = |runs: &[Run]| overlaps(runs.iter(), at(1_000).unwrap());
        assert_eq!(count(&[run(0, 10), run(10, 20)]), 0);
        assert_eq!(count(&[run(0, 10), run(9, 20), run(19, 30)]), 2);
        assert_eq!(count(&[run(0, 100), run(1, 2), run(3, 4)]), 2);
    }
}
