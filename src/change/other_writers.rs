//! Other writers of a CronJob: field managers that may revert a change, and modifications since the
//! prediction.

use jiff::Timestamp;

use crate::diagnose::SUSPEND_REASON;
use crate::model::{CronJob, ManagedField};

/// The names under which Argo CD and Flux apply objects.
const TOOLS: [&str; 4] = [
    "argocd-controller",
    "argocd-application-controller",
    "kustomize-controller",
    "helm-controller",
];

/// Labels and annotations by which tools recognize the objects that they manage.
const TRACKS: [(&str, &str); 6] = [
    ("argocd.argoproj.io/tracking-id", "Argo CD"),
    ("argocd.argoproj.io/instance", "Argo CD"),
    ("kustomize.toolkit.fluxcd.io/name", "Flux"),
    ("helm.toolkit.fluxcd.io/name", "Flux"),
    ("meta.helm.sh/release-name", "Helm"),
    ("app.kubernetes.io/managed-by", "Helm"),
];

/// Who may revert a change of `spec.suspend`, as part of a sentence.
pub(crate) fn suspend_owner(cron_job: &CronJob) -> Option<String> {
    field_owner(cron_job, "suspend", "kubectl")
}

/// Who sets a field of the spec, or manages the whole CronJob, as part of a sentence. `None` if that is the
/// field manager `own`, or kubectl.
pub(crate) fn field_owner(cron_job: &CronJob, field: &str, own: &str) -> Option<String> {
    let is_ours = |manager: &str| {
        manager == own || manager.starts_with("kubectl") || manager == "before-first-apply"
    };
    let mut entries = cron_job.managed_fields.iter();
    if let Some(entry) = entries.find(|entry| entry.sets(field) && !is_ours(&entry.manager)) {
        return Some(format!("{} sets spec.{field}", entry.manager));
    }
    let is_tool = |entry: &&ManagedField| {
        let flux = entry.manager.starts_with("flux");
        entry.operation == "Apply" && (flux || TOOLS.contains(&entry.manager.as_str()))
    };
    if let Some(tool) = cron_job.managed_fields.iter().find(is_tool) {
        return Some(format!("{} manages this CronJob", tool.manager));
    }
    let tool = TRACKS.iter().find_map(|(name, tool)| {
        let texts = [&cron_job.annotations, &cron_job.labels];
        let mut values = texts.into_iter().filter_map(|texts| texts.get(name));
        // Other tools write the common label, too.
        let common = "app.kubernetes.io/managed-by";
        values
            .any(|value| *name != common || value == *tool)
            .then_some(tool)
    });
    tool.map(|tool| format!("{tool} manages this CronJob"))
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
