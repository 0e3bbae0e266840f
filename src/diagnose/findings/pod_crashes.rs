//! Pods of a Job fail, and it goes on trying.

use super::super::commands::{add, counted};
use super::super::pods::{End, called, ends, story};
use super::super::{Facts, Found, PastRun};

/// One failure is what retries are for.
const ENOUGH: u64 = 2;

/// Containers of a pod need not end in the same moment.
const PATIENCE: i64 = 60;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let running = facts.unsettled().filter(|run| run.ending().is_none());
    running.into_iter().find_map(|run| of_run(facts, run))
}

fn of_run(facts: &Facts<'_>, run: &PastRun<'_>) -> Option<Found> {
    let ends = ends(facts, run.job);
    let last = ends.first()?;
    let restarts: u64 = ends.iter().map(End::restarts).sum();
    let failed = ends.iter().filter(|end| end.is_final()).count();
    let failures = restarts.saturating_add(u64::try_from(failed).unwrap_or_default());
    let loops = ends.iter().any(End::is_crash_loop);
    let no_start = ends.iter().any(End::is_no_start);
    let left_over = last.left_over_since(facts);
    let hangs = left_over.is_some_and(|since| facts.ago(since) >= PATIENCE);
    // Of a thousand pods some may fail.
    let pods = run.job.active.saturating_add(run.job.succeeded);
    let enough = u64::try_from(pods).unwrap_or_default().max(ENOUGH);
    if !(loops || no_start || hangs || failures >= enough) {
        return None;
    }
    let story = story(facts, &ends)?;
    let mut detail = format!("{} does not get through. {story}", called(run));
    if restarts > 0 {
        let times = counted(restarts, "time");
        add(&mut detail, format_args!("; it was restarted {times}"));
    }
    detail.push('.');
    if loops {
        detail.push_str(" The kubelet waits longer before each start (CrashLoopBackOff).");
    }
    if hangs {
        detail.push_str(" The pod does not end while another of its containers runs.");
    }
    if let Some(limit) = last.memory_limit(facts) {
        add(&mut detail, format_args!(" Its memory limit is {limit}."));
    }
    detail.push_str(facts.and_blocks(run.job));
    Some(Found::new(detail).remedy(last.look(facts)))
}
