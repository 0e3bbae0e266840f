//! Other writers of a CronJob: field managers that may revert a change, and modifications since the
//! prediction.

use jiff::Timestamp;

use crate::diagnose::{Facts, undone_by_sync};
use crate::model::{CronJob, ManualChange, SUSPEND_REASON, SyncEffect, Tool};

/// Who may revert a manual change by a field manager, as part of a sentence, if that is known.
pub(crate) fn reverted_by(
    cron_job: &CronJob,
    change: ManualChange,
    writer: &str,
) -> Option<String> {
    let field = change.field();
    let tool = cron_job.managed_by().map(|managed| managed.text());
    let effect = cron_job.sync_effect(change, writer);
    match (effect, tool) {
        (Some(SyncEffect::SetsBack), Some(tool)) => Some(format!("{tool} manages spec.{field}")),
        (Some(SyncEffect::Unknown), Some(tool))
            if foreign_owner(cron_job, field, writer).is_none() =>
        {
            Some(format!("{tool} manages this CronJob"))
        }
        _ => {
            let owner = foreign_owner(cron_job, field, writer)?;
            Some(format!("{owner} sets spec.{field}"))
        }
    }
}

/// What the next sync of the tool that manages a CronJob does to `spec.suspend`, and other clients that set it.
/// `then` is what each of them does to the CronJob.
pub(super) fn undone(
    facts: &Facts<'_>,
    suspend: bool,
    then: &str,
    writer: &str,
) -> impl Iterator<Item = String> {
    let tool = undone_by_sync(&facts.cron_job, suspend, then, writer);
    let other = foreign_owner(&facts.cron_job, "suspend", writer);
    let other = other.map(|owner| {
        let may = then.replacen("s ", " ", 1);
        format!("{owner} sets spec.suspend and may {may}.")
    });
    tool.into_iter().chain(other)
}

/// Another client that set a field: not the tool that manages the CronJob, not kubectl, and not the
/// field manager `own`.
fn foreign_owner<'c>(cron_job: &'c CronJob, field: &str, own: &str) -> Option<&'c str> {
    let is_ours = |manager: &str| {
        manager == own || manager.starts_with("kubectl") || manager == "before-first-apply"
    };
    let is_tool = |manager: &str| Tool::of_manager(manager).is_some();
    let mut entries = cron_job.managed_fields.iter();
    let entry = entries
        .find(|entry| entry.sets(field) && !is_ours(&entry.manager) && !is_tool(&entry.manager))?;
    Some(&entry.manager)
}

/// The differences between two versions of a CronJob that matter to the controller.
pub(crate) fn differences(old: &CronJob, new: &CronJob) -> Vec<String> {
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
    let template_changed = a.job_template != b.job_template;
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
    if template_changed {
        found.push("spec.jobTemplate was changed".to_owned());
    }
    found
}
