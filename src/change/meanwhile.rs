//! What somebody else changed while somebody thought about it.

use jiff::Timestamp;

use crate::diagnose::SUSPEND_REASON;
use crate::model::CronJob;

/// What differs between two versions of a `CronJob`, as far as it decides what the controller does.
pub fn differences(old: &CronJob, new: &CronJob) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |field: &str, old: Option<String>, new: Option<String>| {
        if old != new {
            let shown = |value: Option<String>| value.unwrap_or_else(|| "unset".to_owned());
            found.push(format!("{field}: {} -> {}", shown(old), shown(new)));
        }
    };
    let text = |value: &str| Some(value.to_owned());
    let (a, b) = (&old.spec, &new.spec);
    compare("spec.schedule", text(&a.schedule), text(&b.schedule));
    compare("spec.timeZone", a.time_zone.clone(), b.time_zone.clone());
    compare(
        "spec.startingDeadlineSeconds",
        a.starting_deadline_seconds
            .map(|seconds| seconds.to_string()),
        b.starting_deadline_seconds
            .map(|seconds| seconds.to_string()),
    );
    compare(
        "spec.concurrencyPolicy",
        text(a.concurrency_policy.as_str()),
        text(b.concurrency_policy.as_str()),
    );
    let flag = |value: Option<bool>| Some(value.unwrap_or(false).to_string());
    compare("spec.suspend", flag(a.suspend), flag(b.suspend));
    let reason = |cron_job: &CronJob| cron_job.annotations.get(SUSPEND_REASON).map(str::to_owned);
    compare(
        &format!("metadata.annotations[{SUSPEND_REASON}]"),
        reason(old),
        reason(new),
    );
    if a.job_template != b.job_template {
        compare("spec.jobTemplate", text("as it was"), text("another"));
    }
    let time = |at: Option<Timestamp>| at.map(|at| at.to_string());
    let (a, b) = (&old.status, &new.status);
    compare(
        "status.lastScheduleTime",
        time(a.last_schedule_time),
        time(b.last_schedule_time),
    );
    let names = |cron_job: &CronJob| {
        let active = &cron_job.status.active;
        let names: Vec<&str> = active.iter().map(|job| job.name.as_str()).collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    compare("status.active", names(old), names(new));
    found
}
