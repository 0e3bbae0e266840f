//! The next Job does not fit into a quota.

use jiff::Timestamp;

use super::super::commands::{add, counted, one_line};
use super::super::{Facts, Found, PastRun, Severity};
use super::creation_fails;
use crate::controller::{Cleanup, Outcome};
use crate::model::ResourceQuota;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let full = facts.quotas.iter().filter(|quota| quota.is_full());
    let quota = full.min_by_key(|quota| quota.room())?;
    let (room, hard, used) = (quota.room()?, quota.hard?, quota.used?);
    let run = next_start(facts)?;
    let own_room = i64::try_from(room_to_come(facts, run)).unwrap_or(i64::MAX);
    let is_known = creation_fails::check(facts)
        .is_some_and(|finding| finding.detail.contains("exceeded quota"));
    let has_room = hard > 0 && room.saturating_add(own_room) > 0;
    if has_room || is_known {
        return None;
    }
    let own = facts.runs.iter().filter(|run| run.ending().is_none());
    let others = facts.unfinished_in_namespace.saturating_sub(own.count());
    let mut detail = format!(
        "ResourceQuota {} is used up: {used} of {hard} Jobs ({}). The API server will refuse the Job \
         of the run scheduled at {run}",
        one_line(&quota.name),
        ResourceQuota::JOBS
    );
    if hard > 0 {
        detail.push_str(" unless Jobs are deleted before then");
    }
    detail.push('.');
    let may_change = hard > 0 && (others > 0 || !facts.reach.jobs_read);
    if hard > 0 && others > 0 {
        let others = counted(u64::try_from(others).unwrap_or_default(), "other Job");
        add(
            &mut detail,
            format_args!(" {others} in the namespace may make room by finishing."),
        );
    }
    let more = used.max(hard).saturating_add(1).to_string();
    let patch = serde_json::json!({ "spec": { "hard": { ResourceQuota::JOBS: more } } });
    let raise = facts.kubectl("patch resourcequota").name(&quota.name);
    let raise = raise.with("--type=merge").value("-p", &patch.to_string());
    let found = Found::new(detail).remedy(raise);
    Some(if may_change {
        found.severity(Severity::Warning)
    } else {
        found
    })
}

/// The run that the controller creates the next Job for.
fn next_start(facts: &Facts<'_>) -> Option<Timestamp> {
    let decision = &facts.decision;
    match decision.outcome {
        Outcome::Start | Outcome::Replace | Outcome::Blocked => decision.scheduled_time,
        Outcome::Wait | Outcome::NoSlotFound | Outcome::AlreadyProcessed => {
            facts.next_run().filter(|_| facts.has_time_to_start())
        }
        _ => None,
    }
}

/// How many Jobs of its own are deleted before a run, as far as that is sure.
fn room_to_come(facts: &Facts<'_>, run: Timestamp) -> usize {
    let spec = &facts.cron_job.spec;
    let own = || facts.runs.iter().filter(|run| run.controlled);
    // Before 1.29 nothing is cleaned up as long as a creation fails.
    let cleans_up = !facts.decision.starts() || facts.behaviour().cleanup != Cleanup::AfterSuccess;
    let surplus = facts.decision.deleted_jobs.len();
    let ttl = spec.job_template.pointer("/spec/ttlSecondsAfterFinished");
    let ttl = ttl.and_then(serde_json::Value::as_i64);
    let expires = |past: &&PastRun<'_>| {
        let deleted = past.finished_at().zip(ttl);
        let deleted = deleted.map(|(end, ttl)| end.as_second().saturating_add(ttl));
        deleted.is_some_and(|deleted| deleted <= run.as_second())
    };
    // When another one finishes, one that is kept is deleted.
    let is_full = |limit: Option<i32>, kept: usize| {
        limit.is_some_and(|limit| usize::try_from(limit).unwrap_or_default() <= kept)
    };
    let succeeded = own().filter(|run| run.succeeded()).count();
    let failed = own().filter(|run| run.failure().is_some()).count();
    let gives_way = is_full(spec.successful_jobs_history_limit, succeeded)
        || is_full(spec.failed_jobs_history_limit, failed);
    let unfinished = own().filter(|run| run.ending().is_none()).count();
    own().filter(expires).count()
        + if cleans_up { surplus } else { 0 }
        + if gives_way { unfinished } else { 0 }
}
