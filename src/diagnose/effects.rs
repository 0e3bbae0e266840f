//! What a remedy sets off: the controller acts on deletions and changes.

use jiff::Timestamp;
use serde_json::Value;

use super::commands::one_line;
use super::{Facts, ON_TIME};
use crate::controller::{Decision, Outcome, decide, edit_effect};
use crate::duration::human;
use crate::model::{CronJobSpec, Job};

impl Facts<'_> {
    /// What the controller would do now if a Job were deleted first.
    pub fn decide_without(&self, job: &str) -> Decision {
        let others = self.controller_jobs.iter();
        let others = others.filter(|known| known.name != job);
        let others: Vec<Job> = others.cloned().collect();
        decide(self.controller, self.cron_job, &others, self.now)
    }

    /// What the controller does as soon as a Job is deleted, as the end of a sentence.
    pub(super) fn after_deleting(&self, job: &str) -> String {
        let then = self.decide_without(job);
        if let Some(start) = start(&then, self.now) {
            return format!("the controller then immediately starts {start}");
        }
        match (then.outcome, then.status_after.active.first()) {
            (Outcome::Blocked, Some(other)) => {
                format!("{} then still blocks the next run", one_line(other))
            }
            (Outcome::Wait | Outcome::NoSlotFound | Outcome::AlreadyProcessed, _) => {
                let next = self.next_run().filter(|_| self.has_time_to_start());
                next.map_or_else(
                    || "nothing starts then".to_owned(),
                    |next| format!("the next run is then the one scheduled at {next}"),
                )
            }
            _ => "nothing starts then".to_owned(),
        }
    }

    /// What a change of the spec sets off that would not happen without it.
    pub(super) fn after_patching(&self, spec: &Value) -> Option<String> {
        if self.decision.starts() {
            return None;
        }
        let mut changed = self.cron_job.clone();
        merge(&mut changed.spec, spec);
        let effect = edit_effect(
            self.controller,
            self.cron_job,
            &changed,
            &self.controller_jobs,
            self.now,
        );
        let at = effect.looks_at.filter(|_| effect.retroactive)?;
        let start = start(effect.decision_then.as_ref()?, at)?;
        // The first generation polls.
        let soon = at.as_second() - self.now.as_second() <= ON_TIME;
        Some(if soon {
            format!("the controller then immediately starts {start}")
        } else {
            format!("at {at} the controller then starts {start}")
        })
    }
}

/// `JOB for the run scheduled at TIME (9h late)`
fn start(decision: &Decision, at: Timestamp) -> Option<String> {
    let (job, run) = (decision.job_name.as_deref()?, decision.scheduled_time?);
    let late = at.as_second() - run.as_second();
    decision.starts().then(|| {
        let (job, late) = (one_line(job), human(late.max(0)));
        format!("{job} for the run scheduled at {run} ({late} late)")
    })
}

/// The fields that remedies change and that decide about starts.
fn merge(spec: &mut CronJobSpec, patch: &Value) {
    if let Some(seconds) = patch.get("startingDeadlineSeconds") {
        spec.starting_deadline_seconds = seconds.as_i64();
    }
    if let Some(suspend) = patch.get("suspend") {
        spec.suspend = suspend.as_bool();
    }
    if let Some(schedule) = patch.get("schedule").and_then(Value::as_str) {
        schedule.clone_into(&mut spec.schedule);
    }
    if let Some(zone) = patch.get("timeZone") {
        spec.time_zone = zone.as_str().map(str::to_owned);
    }
}
