//! Which tool manages a `CronJob`, and what its next sync does to a manual change.
//!
//! The rules are those of managed fields. A client that updates a field owns it from then on, and
//! every other client that owned another value of it no longer does, those that apply included. A
//! client that applies owns exactly the fields of its manifest. So the entry of an `Apply` proves
//! what a manifest states, while the entry of an `Update` may list a default of the API server.

use serde::Serialize;

use super::cronjob::CronJob;
use super::meta::ManagedField;

string_enum! {
    /// A tool that applies manifests.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Tool {
        /// Argo CD.
        ArgoCd = "argocd",
        /// The kustomize-controller of Flux.
        FluxKustomization = "fluxKustomization",
        /// The helm-controller of Flux.
        FluxHelmRelease = "fluxHelmRelease",
        /// Helm.
        Helm = "helm",
        /// `kubectl apply`.
        Kubectl = "kubectl",
    }
}

impl Tool {
    /// The tools by precedence: Argo CD and Flux also write the marks of the charts that they render.
    const ALL: [Self; 5] = [
        Self::ArgoCd,
        Self::FluxKustomization,
        Self::FluxHelmRelease,
        Self::Helm,
        Self::Kubectl,
    ];

    fn title(self) -> &'static str {
        match self {
            Self::ArgoCd => "Argo CD",
            Self::FluxKustomization | Self::FluxHelmRelease => "Flux",
            Self::Helm => "Helm",
            Self::Kubectl => "kubectl apply",
        }
    }

    /// What it calls the set of manifests that an object belongs to.
    pub fn unit(self) -> &'static str {
        match self {
            Self::ArgoCd => "application",
            Self::FluxKustomization => "kustomization",
            Self::FluxHelmRelease => "HelmRelease",
            Self::Helm | Self::Kubectl => "release",
        }
    }

    pub fn next_sync(self) -> &'static str {
        match self {
            Self::ArgoCd => "its next sync",
            Self::FluxKustomization => "its next reconciliation",
            Self::FluxHelmRelease => "its next upgrade or drift correction",
            Self::Helm => "the next helm upgrade",
            Self::Kubectl => "the next kubectl apply",
        }
    }

    /// Whether it applies manifests without being asked each time.
    pub fn is_gitops(self) -> bool {
        matches!(
            self,
            Self::ArgoCd | Self::FluxKustomization | Self::FluxHelmRelease
        )
    }

    /// The names under which it writes.
    fn managers(self) -> &'static [&'static str] {
        match self {
            Self::ArgoCd => &["argocd-controller", "argocd-application-controller"],
            Self::FluxKustomization => &["kustomize-controller"],
            Self::FluxHelmRelease => &["helm-controller"],
            Self::Helm => &["helm"],
            Self::Kubectl => &["kubectl-client-side-apply"],
        }
    }

    /// The tool that writes under a name.
    pub fn of_manager(manager: &str) -> Option<Self> {
        let mut tools = Self::ALL.into_iter();
        tools.find(|tool| tool.managers().contains(&manager))
    }

    fn wrote(self, entry: &ManagedField) -> bool {
        let applies = self == Self::Kubectl && entry.operation == "Apply";
        self.managers().contains(&entry.manager.as_str()) || applies && entry.manager == "kubectl"
    }
}

/// The tool that manages an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ManagedBy {
    /// The tool.
    pub tool: Tool,
    /// The application, Kustomization or release, as `NAMESPACE/NAME` if in another namespace; null if unknown.
    pub name: Option<String>,
}

impl ManagedBy {
    /// `Argo CD (application shop)`.
    pub fn text(&self) -> String {
        let tool = self.tool.title();
        match &self.name {
            Some(name) => format!("{tool} ({} {name})", self.tool.unit()),
            None => tool.to_owned(),
        }
    }
}

/// The health that Argo CD shows of a `CronJob`, since its release 3.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgoHealth {
    Suspended,
    /// The last success is older than the last start, and no Job is active.
    Degraded,
    Healthy,
    /// Healthy, because Argo CD does not know whether a first run has ended yet.
    HealthyWithoutSuccess,
}

impl ArgoHealth {
    pub fn of(cron_job: &CronJob) -> Self {
        let status = &cron_job.status;
        let (scheduled, success) = (status.last_schedule_time, status.last_successful_time);
        match (scheduled, success) {
            _ if cron_job.spec.suspend == Some(true) => ArgoHealth::Suspended,
            (None, _) => ArgoHealth::Healthy,
            (Some(_), None) => ArgoHealth::HealthyWithoutSuccess,
            _ if !status.active.is_empty() => ArgoHealth::Healthy,
            _ if success < scheduled => ArgoHealth::Degraded,
            _ => ArgoHealth::Healthy,
        }
    }
}

/// With the value `true`, Argo CD leaves an object out of the health of its application.
pub const ARGO_IGNORES_HEALTH: &str = "argocd.argoproj.io/ignore-healthcheck";

string_enum! {
    /// What the next sync of a tool does to a manual change of a field.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum SyncEffect {
        /// It changes the field again.
        SetsBack = "setsBack",
        /// It leaves the field as it is.
        Keeps = "keeps",
        /// That depends on whether the manifest states the field.
        Unknown = "unknown",
    }
}

/// A manual change of a field of the spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManualChange {
    /// `spec.suspend` is set to this.
    Suspend(bool),
    /// `spec.schedule` is changed.
    Schedule,
    /// `spec.startingDeadlineSeconds` is set to this.
    StartingDeadlineSeconds(i64),
}

impl ManualChange {
    pub fn field(self) -> &'static str {
        match self {
            Self::Suspend(_) => "suspend",
            Self::Schedule => "schedule",
            Self::StartingDeadlineSeconds(_) => "startingDeadlineSeconds",
        }
    }
}

impl CronJob {
    /// The tool that manages it, by the managed fields, and by labels and annotations otherwise.
    pub fn managed_by(&self) -> Option<ManagedBy> {
        let wrote = |tool: &Tool| self.managed_fields.iter().any(|entry| tool.wrote(entry));
        let gitops = Tool::ALL.into_iter().filter(|tool| tool.is_gitops());
        let found = gitops.clone().find(wrote);
        let found = found.or_else(|| gitops.clone().find(|tool| self.name_for(*tool).is_some()));
        let found = found.or_else(|| {
            let is_of_helm = wrote(&Tool::Helm)
                || self.name_for(Tool::Helm).is_some()
                || self.labels.get("app.kubernetes.io/managed-by") == Some("Helm");
            is_of_helm.then_some(Tool::Helm)
        });
        let is_applied = wrote(&Tool::Kubectl) || self.applied.is_some();
        let tool = found.or_else(|| is_applied.then_some(Tool::Kubectl))?;
        let name = self.name_for(tool).or_else(|| {
            // Charts set this label, too. It only counts if the tool is known to be Argo CD.
            let label = self.labels.get("app.kubernetes.io/instance");
            let name = label.filter(|_| tool == Tool::ArgoCd)?;
            Some(name.to_owned())
        });
        Some(ManagedBy { tool, name })
    }

    fn mark(&self, name: &str) -> Option<&str> {
        let text = self.labels.get(name).or_else(|| self.annotations.get(name));
        text.filter(|text| !text.is_empty())
    }

    fn is_marked(&self, name: &str, value: &str) -> bool {
        let mark = self.mark(name);
        mark.is_some_and(|mark| mark.eq_ignore_ascii_case(value))
    }

    /// The name of the set of manifests, according to a mark that only this tool writes.
    fn name_for(&self, tool: Tool) -> Option<String> {
        let mark = |name: &str| self.mark(name);
        let qualified = |prefix: &str| {
            let name = mark(&format!("{prefix}name"))?;
            Some(match mark(&format!("{prefix}namespace")) {
                Some(namespace) if namespace != self.namespace => format!("{namespace}/{name}"),
                _ => name.to_owned(),
            })
        };
        match tool {
            Tool::ArgoCd => {
                let id = mark("argocd.argoproj.io/tracking-id");
                let tracked = id.and_then(|id| self.tracked_by(id));
                let name = tracked.or_else(|| mark("argocd.argoproj.io/instance"))?;
                // An application outside of the namespace of Argo CD.
                Some(name.replacen('_', "/", 1))
            }
            Tool::FluxKustomization => qualified("kustomize.toolkit.fluxcd.io/"),
            Tool::FluxHelmRelease => qualified("helm.toolkit.fluxcd.io/"),
            Tool::Helm => qualified("meta.helm.sh/release-"),
            Tool::Kubectl => None,
        }
    }

    /// The application in a tracking ID, `APP:GROUP/KIND:NAMESPACE/NAME`. Argo CD ignores one that was
    /// copied from another object.
    fn tracked_by<'i>(&self, id: &'i str) -> Option<&'i str> {
        let (application, object) = id.split_once(':')?;
        let (kind, name) = object.split_once(':')?;
        let is_this =
            kind == "batch/CronJob" && name == format!("{}/{}", self.namespace, self.name);
        is_this.then_some(application)
    }

    /// What the next sync of the tool that manages it does to a manual change by a field manager.
    /// `None` if no tool syncs it.
    pub fn sync_effect(&self, change: ManualChange, writer: &str) -> Option<SyncEffect> {
        let tool = self.managed_by()?.tool;
        match tool {
            Tool::Kubectl => None,
            Tool::FluxKustomization => Some(self.flux_effect(change, writer)),
            Tool::ArgoCd | Tool::FluxHelmRelease | Tool::Helm => {
                Some(self.apply_effect(tool, change))
            }
        }
    }

    /// The kustomize-controller does more than to apply: it takes over the fields that kubectl set, and
    /// removes those that the manifest does not state.
    fn flux_effect(&self, change: ManualChange, writer: &str) -> SyncEffect {
        const POLICY: &str = "kustomize.toolkit.fluxcd.io/ssa";
        let is_never_applied = self.is_marked(POLICY, "IfNotPresent")
            || self.is_marked(POLICY, "Ignore")
            || self.is_marked("kustomize.toolkit.fluxcd.io/reconcile", "disabled");
        if is_never_applied {
            return SyncEffect::Keeps;
        }
        let effect = self.apply_effect(Tool::FluxKustomization, change);
        let is_stated = self.is_applied_by(Tool::FluxKustomization, change.field());
        match (effect, change) {
            // Without the field, the API server sets false.
            (SyncEffect::Keeps, ManualChange::Suspend(false)) => effect,
            (SyncEffect::Keeps, _) if !is_stated && self.is_taken_over(writer) => {
                SyncEffect::SetsBack
            }
            _ => effect,
        }
    }

    /// Whether the tool takes over the fields that a field manager sets, and removes those that the
    /// manifest does not state.
    pub fn is_taken_over(&self, writer: &str) -> bool {
        let tool = self.managed_by().map(|managed| managed.tool);
        tool == Some(Tool::FluxKustomization)
            && writer.starts_with("kubectl")
            && !self.is_marked("kustomize.toolkit.fluxcd.io/ssa", "Merge")
    }

    /// Whether a tool states a field by server-side apply.
    pub fn is_applied_by(&self, tool: Tool, field: &str) -> bool {
        let mut entries = self.managed_fields.iter();
        entries.any(|entry| tool.wrote(entry) && entry.operation == "Apply" && entry.sets(field))
    }

    /// The field manager that set a field of the spec after the tool that manages the object.
    pub fn set_in_cluster_by(&self, field: &str) -> Option<&str> {
        let tool = self.managed_by()?.tool;
        let entries = self.managed_fields.iter();
        let of_tool = entries.clone().filter(|entry| tool.wrote(entry));
        let written_at = of_tool.map(|entry| entry.time).max()?;
        let others = entries.filter(|entry| !tool.wrote(entry) && entry.sets(field));
        let last = others.max_by_key(|entry| entry.time)?;
        // A first server-side apply gives what it finds to `before-first-apply`, at the same time.
        (last.time > written_at).then_some(&last.manager)
    }

    /// Whether a tool itself set `spec.suspend` as it is, as far as that is known.
    pub fn states_suspended(&self, tool: Tool) -> bool {
        let mut entries = self.managed_fields.iter();
        let applied = self.applied.filter(|_| tool == Tool::ArgoCd);
        entries.any(|entry| tool.wrote(entry) && entry.sets("suspend"))
            || applied.is_some_and(|applied| applied.suspend == Some(true))
    }

    fn apply_effect(&self, tool: Tool, change: ManualChange) -> SyncEffect {
        // Each manifest states another one.
        if change == ManualChange::Schedule {
            return SyncEffect::SetsBack;
        }
        let field = change.field();
        // What it owns by server-side apply has the value of the manifest.
        if self.is_applied_by(tool, field) {
            return self.compare(change);
        }
        let entries = self.managed_fields.iter();
        let is_apply = |entry: &&ManagedField| tool.wrote(entry) && entry.operation == "Apply";
        let applied_at = entries
            .clone()
            .filter(is_apply)
            .map(|entry| entry.time)
            .max();
        if let Some(applied_at) = applied_at {
            let mut owners = entries.filter(|entry| entry.sets(field)).peekable();
            let has_owner = owners.peek().is_some();
            // It would own the field if the manifest that it applied later stated it.
            let is_stated_nowhere = owners.all(|owner| owner.time < applied_at);
            // Without an owner, a field that has no default may have been removed.
            let may_be_removed =
                !has_owner && !matches!(change, ManualChange::Suspend(_)) && !self.is_unchanged();
            return if is_stated_nowhere && !may_be_removed {
                SyncEffect::Keeps
            } else {
                SyncEffect::Unknown
            };
        }
        match (change, self.applied.filter(|_| tool == Tool::ArgoCd)) {
            (ManualChange::Suspend(new), Some(applied)) => stated(applied.suspend, new),
            (ManualChange::StartingDeadlineSeconds(new), Some(applied)) => {
                stated(applied.starting_deadline_seconds, new)
            }
            // The client that created the object owns the default, too.
            (ManualChange::Suspend(_), None) if self.spec.suspend != Some(true) => {
                SyncEffect::Unknown
            }
            _ if entries
                .clone()
                .any(|entry| tool.wrote(entry) && entry.sets(field)) =>
            {
                self.compare(change)
            }
            _ => SyncEffect::Unknown,
        }
    }

    /// The effect if the manifest states the value that the field has now.
    fn compare(&self, change: ManualChange) -> SyncEffect {
        let is_same = match change {
            ManualChange::Suspend(new) => self.spec.suspend.unwrap_or(false) == new,
            ManualChange::StartingDeadlineSeconds(new) => {
                self.spec.starting_deadline_seconds == Some(new)
            }
            ManualChange::Schedule => false,
        };
        if is_same {
            SyncEffect::Keeps
        } else {
            SyncEffect::SetsBack
        }
    }
}

/// The effect if this is what the manifest states.
fn stated<T: Copy + PartialEq>(stated: Option<T>, new: T) -> SyncEffect {
    match stated {
        Some(stated) if stated != new => SyncEffect::SetsBack,
        _ => SyncEffect::Keeps,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cronjob::AppliedFields;
    use crate::{Texts, testing};
    use jiff::Timestamp;
    use serde_json::json;

    const DOCTOR: &str = "kubectl-cronjob-doctor";
    const SUSPEND: ManualChange = ManualChange::Suspend(true);
    const RESUME: ManualChange = ManualChange::Suspend(false);
    const KEEPS: Option<SyncEffect> = Some(SyncEffect::Keeps);
    const SETS_BACK: Option<SyncEffect> = Some(SyncEffect::SetsBack);
    const UNKNOWN: Option<SyncEffect> = Some(SyncEffect::Unknown);
    const DEADLINE: ManualChange = ManualChange::StartingDeadlineSeconds(300);

    fn entry(manager: &str, operation: &str, second: i64, fields: &[&str]) -> ManagedField {
        let mut spec = json!({});
        for field in fields {
            spec[format!("f:{field}")] = json!({});
        }
        let mut entry = ManagedField {
            manager: manager.to_owned(),
            operation: operation.to_owned(),
            time: Timestamp::from_second(second).ok(),
            ..ManagedField::default()
        };
        entry.note_fields(&serde_json::from_value(json!({"f:spec": spec})).unwrap());
        entry
    }

    fn applied(manager: &str, fields: &[&str]) -> ManagedField {
        entry(manager, "Apply", 100, fields)
    }

    fn cron_job(managed_fields: Vec<ManagedField>) -> CronJob {
        CronJob {
            generation: Some(1),
            managed_fields,
            ..testing::cron_job("report")
        }
    }

    fn suspended(managed_fields: Vec<ManagedField>) -> CronJob {
        let mut cron_job = cron_job(managed_fields);
        cron_job.spec.suspend = Some(true);
        cron_job
    }

    fn effect(cron_job: &CronJob, change: ManualChange) -> Option<SyncEffect> {
        cron_job.sync_effect(change, DOCTOR)
    }

    #[test]
    fn server_side_apply_that_owns_the_field_sets_it_back() {
        let stated = |suspended: fn(Vec<ManagedField>) -> CronJob| {
            suspended(vec![applied("argocd-controller", &["schedule", "suspend"])])
        };
        assert_eq!(effect(&stated(cron_job), SUSPEND), SETS_BACK);
        assert_eq!(effect(&stated(cron_job), RESUME), KEEPS);
        assert_eq!(effect(&stated(suspended), RESUME), SETS_BACK);
        let schedule = effect(&stated(cron_job), ManualChange::Schedule);
        assert_eq!(schedule, SETS_BACK);
    }

    #[test]
    fn server_side_apply_without_the_field_keeps_it() {
        let argo = || applied("argocd-controller", &["schedule"]);
        assert_eq!(effect(&cron_job(vec![argo()]), SUSPEND), KEEPS);
        assert_eq!(effect(&cron_job(vec![argo()]), DEADLINE), KEEPS);
        // The deadline may have been removed.
        let mut edited = cron_job(vec![argo()]);
        edited.generation = Some(2);
        assert_eq!(effect(&edited, SUSPEND), KEEPS);
        assert_eq!(effect(&edited, DEADLINE), UNKNOWN);
    }

    #[test]
    fn field_taken_by_another_client_may_be_stated() {
        let patched = |second| {
            let argo = applied("argocd-controller", &["schedule"]);
            let patch = entry("kubectl-patch", "Update", second, &["suspend"]);
            effect(&suspended(vec![argo, patch]), RESUME)
        };
        assert_eq!(patched(200), UNKNOWN);
        assert_eq!(patched(100), UNKNOWN);
        // Since then the manifest was applied, and did not take the field back.
        assert_eq!(patched(50), KEEPS);
    }

    #[test]
    fn flux_removes_what_kubectl_set() {
        let flux = || applied("kustomize-controller", &["schedule"]);
        let mut unstated = cron_job(vec![flux()]);
        assert_eq!(effect(&unstated, SUSPEND), SETS_BACK);
        assert_eq!(effect(&unstated, RESUME), KEEPS);
        assert_eq!(effect(&unstated, DEADLINE), SETS_BACK);
        let other = unstated.sync_effect(SUSPEND, "flux-client-side-apply");
        assert_eq!(other, KEEPS);
        let policy = |policy| Texts::from_iter([("kustomize.toolkit.fluxcd.io/ssa", policy)]);
        unstated.annotations = policy("Merge");
        assert_eq!(effect(&unstated, SUSPEND), KEEPS);
        let mut stated = cron_job(vec![applied("kustomize-controller", &["suspend"])]);
        stated.annotations = policy("merge");
        assert_eq!(effect(&stated, SUSPEND), SETS_BACK);
        for never_applied in ["IfNotPresent", "Ignore"] {
            stated.annotations = policy(never_applied);
            assert_eq!(effect(&stated, SUSPEND), KEEPS);
        }
        stated.annotations =
            Texts::from_iter([("kustomize.toolkit.fluxcd.io/reconcile", "disabled")]);
        assert_eq!(effect(&stated, SUSPEND), KEEPS);
    }

    #[test]
    fn annotation_of_client_side_apply_decides_for_argo_cd() {
        let update = || entry("argocd-controller", "Update", 100, &["schedule", "suspend"]);
        let client_side = |suspend, starting_deadline_seconds| CronJob {
            applied: Some(AppliedFields {
                suspend,
                starting_deadline_seconds,
            }),
            ..suspended(vec![update()])
        };
        assert_eq!(effect(&client_side(None, None), RESUME), KEEPS);
        assert_eq!(effect(&client_side(Some(true), None), RESUME), SETS_BACK);
        assert_eq!(effect(&client_side(Some(false), None), RESUME), KEEPS);
        assert_eq!(effect(&client_side(None, None), DEADLINE), KEEPS);
        assert_eq!(effect(&client_side(None, Some(60)), DEADLINE), SETS_BACK);
        assert_eq!(effect(&client_side(None, Some(300)), DEADLINE), KEEPS);
    }

    /// An update at the creation owns the defaults, too.
    #[test]
    fn update_without_annotation_proves_only_what_is_not_a_default() {
        let helm = || entry("helm", "Update", 100, &["schedule", "suspend"]);
        assert_eq!(effect(&cron_job(vec![helm()]), SUSPEND), UNKNOWN);
        assert_eq!(effect(&suspended(vec![helm()]), RESUME), SETS_BACK);
        let schedule = effect(&cron_job(vec![helm()]), ManualChange::Schedule);
        assert_eq!(schedule, SETS_BACK);
        assert_eq!(effect(&cron_job(vec![helm()]), DEADLINE), UNKNOWN);
        let fields = ["schedule", "startingDeadlineSeconds"];
        let limited = entry("helm", "Update", 100, &fields);
        assert_eq!(effect(&cron_job(vec![limited]), DEADLINE), SETS_BACK);
        // kubectl does not sync.
        let kubectl = cron_job(vec![applied("kubectl", &["suspend"])]);
        assert_eq!(effect(&kubectl, SUSPEND), None);
    }
}
