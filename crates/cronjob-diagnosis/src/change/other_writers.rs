//! Other writers of a CronJob: field managers that may revert a change, and modifications since the
//! prediction.

use crate::diagnose::{Input, undone_by_sync};
use cronjob_text::text::Text;
use kube_model::{CronJob, ManualChange, SUSPEND_REASON, SyncEffect, Tool};

/// Who may revert a manual change by a field manager, as part of a sentence, if that is known.
pub fn reverted_by(cron_job: &CronJob, change: ManualChange, writer: &str) -> Option<String> {
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
            Some(format!("{} sets spec.{field}", writer_name(owner)))
        }
    }
}

/// What the next sync of the tool that manages a CronJob does to `spec.suspend`, and other clients that set it.
pub(super) fn undone(input: &Input<'_>, suspend: bool, writer: &str) -> impl Iterator<Item = Text> {
    let (does, may) = if suspend {
        ("resumes it", "resume it")
    } else {
        ("suspends it again", "suspend it again")
    };
    let tool = undone_by_sync(&input.cron_job, suspend, does, writer).map(Text::from);
    let other = foreign_owner(&input.cron_job, "suspend", writer);
    let other =
        other.map(|owner| text!("{} sets spec.suspend and may {}.", writer_name(owner), may));
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

/// A field manager as a subject. The API server calls a client that sends no name `unknown`.
fn writer_name(manager: &str) -> String {
    match manager {
        "unknown" => "Another client (field manager \"unknown\")".to_owned(),
        named => named.to_owned(),
    }
}

/// The differences between two versions of a CronJob that matter to the controller.
pub fn differences(old: &CronJob, new: &CronJob) -> Vec<String> {
    let (old_fields, new_fields) = (fields(old), fields(new));
    let changes = old_fields.into_iter().zip(new_fields);
    let changes = changes.filter(|((_, old), (_, new))| old != new);
    let shown = |value: Option<String>| value.unwrap_or_else(|| "unset".to_owned());
    let changes = changes
        .map(|((field, old), (_, new))| format!("{field}: {} -> {}", shown(old), shown(new)));
    let changes_template = old.spec.job_template != new.spec.job_template;
    let template = changes_template.then(|| "spec.jobTemplate was changed".to_owned());
    changes.chain(template).collect()
}

/// The fields of a CronJob that matter to the controller, without the template, as text.
fn fields(cron_job: &CronJob) -> [(&'static str, Option<String>); 8] {
    let (spec, status) = (&cron_job.spec, &cron_job.status);
    let deadline = spec.starting_deadline_seconds;
    let reason = cron_job.annotations.get(SUSPEND_REASON);
    let last = status.last_schedule_time;
    let active: Vec<&str> = status.active.iter().map(|job| job.name.as_str()).collect();
    [
        ("spec.schedule", Some(spec.schedule.clone())),
        ("spec.timeZone", spec.time_zone.clone()),
        (
            "spec.startingDeadlineSeconds",
            deadline.map(|seconds| seconds.to_string()),
        ),
        (
            "spec.concurrencyPolicy",
            Some(spec.concurrency_policy.as_str().to_owned()),
        ),
        (
            "spec.suspend",
            Some(spec.suspend.unwrap_or(false).to_string()),
        ),
        (
            "metadata.annotations[cronjob-doctor/suspend-reason]",
            reason.map(str::to_owned),
        ),
        ("status.lastScheduleTime", last.map(|last| last.to_string())),
        (
            "status.active",
            (!active.is_empty()).then(|| active.join(", ")),
        ),
    ]
}
