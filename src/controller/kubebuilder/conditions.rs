//! The conditions in which this controller reports what it did; it records no events.
//!
//! Each type is there once, so that a later condition takes the place of an earlier one of its
//! type. Nothing ever sets `Degraded` back to `False`.

use crate::controller::decision::StatusCondition;
use crate::controller::sync::SyncContext;

const AVAILABLE: &str = "Available";
const PROGRESSING: &str = "Progressing";
const DEGRADED: &str = "Degraded";

fn set(
    sync: &mut SyncContext<'_>,
    r#type: &'static str,
    status: &'static str,
    reason: &'static str,
    message: String,
) {
    let condition = StatusCondition {
        r#type,
        status,
        reason,
        message,
    };
    sync.conditions.push(condition);
}

/// The conditions that follow from the existing Jobs.
pub(super) fn of_jobs(sync: &mut SyncContext<'_>, failed: usize) {
    let active = sync.active.len();
    if sync.cron_job.spec.suspend == Some(true) {
        let message = "CronJob is suspended".to_owned();
        set(sync, AVAILABLE, "False", "Suspended", message);
    } else if failed > 0 {
        let message = format!("{failed} job(s) have failed");
        set(sync, DEGRADED, "True", "JobsFailed", message.clone());
        set(sync, AVAILABLE, "False", "JobsFailed", message);
    } else if active > 0 {
        let message = format!("{active} job(s) are currently active");
        set(sync, PROGRESSING, "True", "JobsActive", message);
        let message = format!("CronJob is progressing with {active} active job(s)");
        set(sync, AVAILABLE, "True", "JobsActive", message);
    } else {
        let message = "All jobs have completed successfully".to_owned();
        set(sync, AVAILABLE, "True", "AllJobsCompleted", message);
        let message = "No jobs are currently active".to_owned();
        set(sync, PROGRESSING, "False", "NoJobsActive", message);
    }
}

/// The schedule cannot be read, or too many scheduled times were missed: upstream does not distinguish the two.
pub(super) fn no_schedule(sync: &mut SyncContext<'_>, why: &str) {
    let message = format!("Failed to parse schedule: {why}");
    set(sync, DEGRADED, "True", "InvalidSchedule", message);
}

/// The scheduled time is older than the deadline allows.
pub(super) fn missed(sync: &mut SyncContext<'_>, scheduled_time: &str) {
    let message = format!("Missed starting deadline for run at {scheduled_time}");
    set(sync, DEGRADED, "True", "MissedSchedule", message);
}

/// The Job could not be created.
pub(super) fn not_created(sync: &mut SyncContext<'_>, error: &str) {
    let message = format!("Failed to create job: {error}");
    set(sync, DEGRADED, "True", "JobCreationFailed", message);
}

pub(super) fn created(sync: &mut SyncContext<'_>, name: &str) {
    let message = format!("Created job {name}");
    set(sync, PROGRESSING, "True", "JobCreated", message);
}
