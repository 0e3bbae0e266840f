//! Who else sets a field of a `CronJob`, and would set it back.

use crate::model::{CronJob, ManagedField};

/// The names under which Argo CD and Flux apply objects.
const TOOLS: [&str; 4] = [
    "argocd-controller",
    "argocd-application-controller",
    "kustomize-controller",
    "helm-controller",
];

/// Labels and annotations by which tools find the objects that they manage again, and the tools.
const TRACKS: [(&str, &str); 6] = [
    ("argocd.argoproj.io/tracking-id", "Argo CD"),
    ("argocd.argoproj.io/instance", "Argo CD"),
    ("kustomize.toolkit.fluxcd.io/name", "Flux"),
    ("helm.toolkit.fluxcd.io/name", "Flux"),
    ("meta.helm.sh/release-name", "Helm"),
    ("app.kubernetes.io/managed-by", "Helm"),
];

/// Who may set `spec.suspend` back, in the words of a sentence.
pub fn suspend_owner(cron_job: &CronJob) -> Option<String> {
    field_owner(cron_job, "suspend", "kubectl")
}

/// Who sets a field of the spec, or manages the whole `CronJob`, in the words of a sentence; nobody if
/// that is the field manager `own`, or a person with kubectl.
pub fn field_owner(cron_job: &CronJob, field: &str, own: &str) -> Option<String> {
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
        return Some(format!("{} manages it", tool.manager));
    }
    let tool = TRACKS.iter().find_map(|(name, tool)| {
        let texts = [&cron_job.annotations, &cron_job.labels];
        let mut values = texts.into_iter().filter_map(|texts| texts.get(name));
        // Others write the common label, too.
        let common = "app.kubernetes.io/managed-by";
        values
            .any(|value| *name != common || value == *tool)
            .then_some(tool)
    });
    tool.map(|tool| format!("{tool} manages it"))
}
