//! How late Jobs were created because the controller was busy.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::cronjob::{ConcurrencyPolicy, CronJob};
use super::evidence::CronJobEvidence;
use super::run::{PastRun, past_runs};

/// A Job that is later than this was not only waiting for others, in seconds.
const LONGEST: i64 = 300;

/// How late the last Job of each scheduled time was created, in seconds, no matter of which `CronJob`. Empty if no
/// `CronJob` has a deadline.
pub fn start_delays<'a>(
    all_evidence: impl Iterator<Item = &'a CronJobEvidence> + Clone,
) -> Arc<BTreeMap<Timestamp, i64>> {
    let mut delays: BTreeMap<Timestamp, i64> = BTreeMap::new();
    if all_evidence.clone().any(|one| has_deadline(&one.cron_job)) {
        for evidence in all_evidence.filter(|one| starts_when_due(&one.cron_job)) {
            let runs = past_runs(&evidence.cron_job, &evidence.jobs);
            let found = runs.iter().filter_map(|run| delay(evidence, run));
            for (scheduled, delay) in found {
                let known = delays.entry(scheduled).or_default();
                *known = delay.max(*known);
            }
        }
    }
    Arc::new(delays)
}

/// Whether the delays matter for it.
pub fn has_deadline(cron_job: &CronJob) -> bool {
    cron_job.spec.starting_deadline_seconds.is_some()
}

/// Whether nothing but the controller delays its starts. With Forbid, a Job that is gone by now may have delayed one.
fn starts_when_due(cron_job: &CronJob) -> bool {
    let spec = &cron_job.spec;
    spec.concurrency_policy != ConcurrencyPolicy::Forbid && spec.suspend != Some(true)
}

/// The scheduled time and the delay of a Job, unless it may have another reason: any change of the `CronJob` since
/// then, such as an edit or its resumption, or an attempt that failed.
fn delay(evidence: &CronJobEvidence, run: &PastRun<'_>) -> Option<(Timestamp, i64)> {
    let scheduled = run.scheduled_time?;
    let delay = run.delay_seconds();
    let delay = delay.filter(|delay| (1..=LONGEST).contains(delay))?;
    let mut writes = evidence.cron_job.managed_fields.iter();
    let is_changed = writes.any(|write| {
        write.subresource.is_empty() && write.time.is_some_and(|time| time >= scheduled)
    });
    let mut events = evidence.events.iter();
    let has_failed = events.any(|event| {
        event.reason == "FailedCreate"
            && event.involved_object.kind == "CronJob"
            && event.last_seen() >= Some(scheduled)
    });
    (!is_changed && !has_failed).then_some((scheduled, delay))
}
