//! The object that a `CronJob` fails for, which others may fail for, too.

use jiff::Timestamp;

use super::{Facts, Input};
use crate::kubectl::{Command, Remedy};

string_enum! {
    /// The kind of an object that `CronJob`s fail for.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum CauseKind {
        /// It cannot be pulled.
        Image = "image",
        /// No image can be pulled from it: it does not respond, or refuses everything.
        Registry = "registry",
        /// It does not respond, or no longer exists.
        Node = "node",
        /// It is used up.
        ResourceQuota = "resourceQuota",
        /// The API server cannot call it.
        Webhook = "webhook",
        /// It does not exist, like those below.
        ServiceAccount = "serviceAccount",
        ConfigMap = "configMap",
        Secret = "secret",
        PersistentVolumeClaim = "persistentVolumeClaim",
        /// It is being deleted.
        Namespace = "namespace",
        /// A change of the Job template, after which no run has succeeded. It is named by who made it.
        Change = "change",
    }
}

/// What a finding is due to, if the evidence names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FailureCause {
    pub kind: CauseKind,
    /// The namespace of the object, if it is in one.
    pub namespace: Option<String>,
    pub object: String,
    pub since: Option<Timestamp>,
    /// How to see it, and all `CronJob`s that fail.
    pub remedy: Remedy,
}

impl FailureCause {
    pub(super) fn new(
        input: &Input<'_>,
        kind: CauseKind,
        object: &str,
        since: Option<Timestamp>,
        show: Command,
    ) -> Self {
        let is_cluster_wide = matches!(
            kind,
            CauseKind::Image
                | CauseKind::Registry
                | CauseKind::Node
                | CauseKind::Webhook
                | CauseKind::Change
        );
        let namespace = (!is_cluster_wide).then(|| input.cron_job.namespace.clone());
        let scan = input.kubectl.doctor("scan");
        let scan = match &namespace {
            Some(namespace) => scan.namespace(namespace),
            None => scan.with("-A"),
        };
        FailureCause {
            kind,
            namespace,
            object: object.to_owned(),
            since,
            remedy: show.or("to list them", scan.with("--problems-only")).into(),
        }
    }

    /// What the API server names in its message when it rejects an object.
    pub(super) fn of_rejection(
        input: &Input<'_>,
        message: &str,
        since: Option<Timestamp>,
        show: &Command,
    ) -> Option<Self> {
        let between = |start: &str, end: char| {
            let (_, rest) = message.split_once(start)?;
            rest.split_once(end).map(|(object, _)| object)
        };
        let (kind, object) = if let Some(quota) = between("exceeded quota: ", ',') {
            (CauseKind::ResourceQuota, quota)
        } else if message.contains("being terminated") {
            (CauseKind::Namespace, input.cron_job.namespace.as_str())
        } else if let Some(webhook) = between("failed calling webhook \"", '"') {
            (CauseKind::Webhook, webhook)
        } else {
            let account = between("error looking up service account ", ':')?;
            let (_, name) = account.split_once('/')?;
            (CauseKind::ServiceAccount, name)
        };
        Some(Self::new(input, kind, object, since, show.clone()))
    }

    /// The last change of the Job template, if the run before it succeeded and all since then have failed.
    pub(super) fn of_change(facts: &Facts<'_>) -> Option<Self> {
        let input = &facts.input;
        let change = input.cron_job.template_change()?;
        let at = change.time?;
        let scheduled = || facts.runs.iter().filter(|run| !run.is_manual());
        let failed = scheduled().filter(|run| run.has_failed());
        let first_failure = failed.filter_map(|run| run.job.creation_timestamp).min()?;
        let succeeded = facts.runs.iter().filter(|run| run.succeeded());
        let started = succeeded.filter_map(|run| run.job.creation_timestamp).max();
        let last_success = started.or(facts.last_success())?;
        (last_success < at && at <= first_failure).then(|| {
            let show = input.doctor("explain");
            Self::new(input, CauseKind::Change, &change.manager, Some(at), show)
        })
    }

    /// The object that the kubelet or the scheduler did not find, as its message says. That an object lacks a key is
    /// another problem.
    pub(super) fn of_missing(
        input: &Input<'_>,
        message: &str,
        since: Option<Timestamp>,
        show: Command,
    ) -> Option<Self> {
        const NAMED: [(&str, CauseKind); 4] = [
            ("configmap \"", CauseKind::ConfigMap),
            ("secret \"", CauseKind::Secret),
            ("secrets \"", CauseKind::Secret),
            ("persistentvolumeclaim \"", CauseKind::PersistentVolumeClaim),
        ];
        let (kind, object) = NAMED.into_iter().find_map(|(words, kind)| {
            let (_, rest) = message.split_once(words)?;
            let (object, rest) = rest.split_once('"')?;
            rest.starts_with(" not found").then_some((kind, object))
        })?;
        Some(Self::new(input, kind, object, since, show))
    }
}
