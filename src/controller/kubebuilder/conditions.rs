//! The conditions by which this controller tells what it did; it records no events.
//!
//! Each type is there once, so that a later condition takes the place of an earlier one of its
//! type. Nothing ever sets `Degraded` back to `False`.

use crate::controller::decision::Condition;
use crate::controller::look::Look;

const AVAILABLE: &str = "Available";
const PROGRESSING: &str = "Progressing";
const DEGRADED: &str = "Degraded";

fn set(
    look: &mut Look<'_>,
    r#type: &'static str,
    status: &'static str,
    reason: &'static str,
    message: String,
) {
    let condition = Condition {
        r#type,
        status,
        reason,
        message,
    };
    look.conditions.push(condition);
}

/// What the Jobs that are there come to.
pub(super) fn of_jobs(look: &mut Look<'_>, failed: usize) {
    let active = look.active.len();
    if look.cron_job.spec.suspend == Some(true) {
        let message = "CronJob is suspended".to_owned();
        set(look, AVAILABLE, "False", "Suspended", message);
    } else if failed > 0 {
        let message = format!("{failed} job(s) have failed");
        set(look, DEGRADED, "True", "JobsFailed", message.clone());
        set(look, AVAILABLE, "False", "JobsFailed", message);
    } else if active > 0 {
        let message = format!("{active} job(s) are currently active");
        set(look, PROGRESSING, "True", "JobsActive", message);
        let message = format!("CronJob is progressing with {active} active job(s)");
        set(look, AVAILABLE, "True", "JobsActive", message);
    } else {
        let message = "All jobs have completed successfully".to_owned();
        set(look, AVAILABLE, "True", "AllJobsCompleted", message);
        let message = "No jobs are currently active".to_owned();
        set(look, PROGRESSING, "False", "NoJobsActive", message);
    }
}

/// The schedule cannot be read, or too many slots were missed: upstream does not tell these apart.
pub(super) fn no_schedule(look: &mut Look<'_>, why: &str) {
    let message = format!("Failed to parse schedule: {why}");
    set(look, DEGRADED, "True", "InvalidSchedule", message);
}

/// The slot is older than the deadline allows.
pub(super) fn missed(look: &mut Look<'_>, slot: &str) {
    let message = format!("Missed starting deadline for run at {slot}");
    set(look, DEGRADED, "True", "MissedSchedule", message);
}

/// The Job could not be created.
pub(super) fn not_created(look: &mut Look<'_>, error: &str) {
    let message = format!("Failed to create job: {error}");
    set(look, DEGRADED, "True", "JobCreationFailed", message);
}

/// The Job was created.
pub(super) fn created(look: &mut Look<'_>, name: &str) {
    let message = format!("Created job {name}");
    set(look, PROGRESSING, "True", "JobCreated", message);
}
