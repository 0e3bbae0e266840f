//! Runs are not over when the next one is due.

use super::super::PastRun;
use super::super::runs::slot_in_name;
use super::super::{Facts, Found};
use crate::duration::{exact, human};
use crate::model::ConcurrencyPolicy;
use crate::schedule::Timetable;
use jiff::Timestamp;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    if facts.cron_job.spec.concurrency_policy == ConcurrencyPolicy::Replace {
        return replaced(facts);
    }
    let timetable = facts.timetable.as_ref()?;
    let of_schedule = facts.runs.iter().filter(|run| run.is_by_controller());
    let judged: Vec<(bool, i64)> = of_schedule
        .filter_map(|run| judge(facts, timetable, *run))
        .collect();
    let over = judged.iter().filter(|(over, _)| *over).count();
    // One long run is an accident, and no habit.
    if over < 2 || over * 2 < judged.len() {
        return None;
    }
    let longest = judged.iter().map(|(_, took)| *took).max()?;
    let period = facts.pace()?.shortest;
    let consequence = match facts.cron_job.spec.concurrency_policy {
        ConcurrencyPolicy::Forbid => {
            "With Forbid the next start is late, and slots in between are lost.".to_owned()
        }
        _ => format!(
            "With Allow up to {} of them run at once.",
            longest / period.max(1) + 1
        ),
    };
    let detail = format!(
        "{over} of the {} runs that are known were not over when the next one was due. The \
         longest takes {}, and runs are due every {}. {consequence}",
        judged.len(),
        human(longest),
        exact(period)
    );
    Some(Found::new(detail).remedy(format!(
        "Make spec.schedule sparser than {}.",
        human(longest)
    )))
}

/// Whether a run was, or is, still going when the next was due, and how long it took so far.
/// `None` where that cannot be said yet, and where it has not begun.
fn judge(facts: &Facts<'_>, timetable: &Timetable, run: PastRun<'_>) -> Option<(bool, i64)> {
    let created = run.job.creation_timestamp?;
    let next = timetable.next(run.slot?).ok()??;
    // What waits for a pod would wait under every schedule.
    if facts.awaits_pod(&run) {
        return None;
    }
    let until = match run.ending() {
        Some(_) => run.finished_at()?,
        None if facts.now >= next => facts.now,
        None => return None,
    };
    // A start that was late has not the whole period for itself; that is not the run's fault.
    let took = until.as_second() - created.as_second();
    let room = next.as_second() - run.slot?.as_second();
    Some((took > room, took))
}

/// With Replace the runs are gone; the events remember those that ended with the next start.
fn replaced(facts: &Facts<'_>) -> Option<Found> {
    let spec = &facts.cron_job.spec;
    // With a limit of 0, finished runs are deleted too.
    if spec.successful_jobs_history_limit == Some(0) || spec.failed_jobs_history_limit == Some(0) {
        return None;
    }
    let timetable = facts.timetable.as_ref()?;
    let killed = facts
        .events
        .iter()
        .filter(|event| event.reason == "SuccessfulDelete")
        .filter(|event| {
            let job = event.message.rsplit(' ').next().unwrap_or_default();
            let slot = slot_in_name(&facts.cron_job.name, job);
            let next = slot.and_then(|slot| timetable.next(slot).ok().flatten());
            let at_the_next = |seen: Timestamp| {
                next.is_some_and(|next| (0..30).contains(&(seen.as_second() - next.as_second())))
            };
            event.last_seen().is_some_and(at_the_next)
        });
    let killed = killed.count();
    if killed < 2 {
        return None;
    }
    let detail = format!(
        "{killed} runs were deleted before they were over, because the next one was due \
         (concurrencyPolicy Replace). Runs are due every {}.",
        exact(facts.pace()?.shortest)
    );
    Some(Found::new(detail).remedy("Make spec.schedule sparser, or use concurrencyPolicy Forbid."))
}
