//! Which objects are wanted, from a cluster or from files.

/// Which `CronJob`s are wanted, and what else is read about them.
#[derive(Debug, Clone)]
pub struct ObjectQuery {
    pub resource: Resource,
    /// The namespace; `None` for all.
    pub namespace: Option<String>,
    /// CronJobs of these names; all if empty.
    pub names: Vec<String>,
    /// Whether to look for what was meant by a name that does not exist.
    pub suggests: bool,
    pub label_selector: Option<String>,
    pub field_selector: Option<String>,
    /// Whether to read their Jobs and events, too.
    pub jobs: bool,
    /// Which pods of their Jobs to read, together with quotas.
    pub pods: PodSelection,
    pub page: PageSize,
    /// A list of more pages is an error once it has more objects.
    pub most: Option<u32>,
}

impl ObjectQuery {
    /// Whether all CronJobs of a namespace or of the cluster are wanted.
    pub fn selects_namespaces(&self) -> bool {
        self.names.is_empty() && self.label_selector.is_none() && self.field_selector.is_none()
    }

    /// Whether `job/NAME`, `pod/NAME`, and a name that no CronJob has, may refer to the CronJob of that Job or pod.
    pub fn takes_jobs(&self) -> bool {
        self.jobs
    }
}

/// How many objects a page of a list has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PageSize {
    /// Few at first, then more as long as the pages come quickly.
    #[default]
    Growing,
    /// Always this many; 0 for all in one page.
    Fixed(u32),
}

/// Which pods to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PodSelection {
    #[default]
    None,
    /// The pods of Jobs whose status shows that something may be wrong.
    OfWaiting,
    /// The pods of Jobs whose status shows that something may be wrong, and the quotas.
    OfTroubled,
    /// The pods of Jobs that have ended or whose status shows that something may be wrong, and the quotas.
    OfTroubledAndEnded,
    /// The pods of all Jobs that are unfinished or failed last, with all events about Jobs, and the quotas.
    OfUnsettled,
    /// The pods of all Jobs, with the events about their images.
    OfAll,
}

impl PodSelection {
    /// Whether the next Job matters, which a quota may reject.
    pub fn with_quotas(self) -> bool {
        matches!(
            self,
            PodSelection::OfTroubled | PodSelection::OfTroubledAndEnded | PodSelection::OfUnsettled
        )
    }

    /// Whether only the events that are needed are read.
    pub fn is_of_troubled(self) -> bool {
        matches!(
            self,
            PodSelection::OfWaiting | PodSelection::OfTroubled | PodSelection::OfTroubledAndEnded
        )
    }
}

/// A resource of the API: `cronjobs` of the group `batch` in version `v1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Its name in paths: the plural.
    pub plural: String,
    pub version: String,
    /// The group; empty for the core.
    pub group: String,
}

/// A text that is not of the form `RESOURCE.VERSION.GROUP`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not valid: must be RESOURCE.VERSION.GROUP, such as cronjobs.v1.batch")]
pub struct ResourceError(String);

impl Resource {
    pub fn new(plural: &str, version: &str, group: &str) -> Self {
        Resource {
            plural: plural.to_owned(),
            version: version.to_owned(),
            group: group.to_owned(),
        }
    }

    pub fn cron_jobs() -> Self {
        Self::new("cronjobs", "v1", "batch")
    }

    pub fn jobs() -> Self {
        Self::new("jobs", "v1", "batch")
    }

    pub fn namespaces() -> Self {
        Self::new("namespaces", "v1", "")
    }

    pub fn pods() -> Self {
        Self::new("pods", "v1", "")
    }

    pub fn leases() -> Self {
        Self::new("leases", "v1", "coordination.k8s.io")
    }

    pub fn services() -> Self {
        Self::new("services", "v1", "")
    }

    pub fn config_maps() -> Self {
        Self::new("configmaps", "v1", "")
    }

    pub fn events() -> Self {
        Self::new("events", "v1", "")
    }

    /// Reads `RESOURCE.VERSION.GROUP`.
    pub fn read(text: &str) -> Result<Self, ResourceError> {
        let mut parts = text.splitn(3, '.');
        let mut part = || parts.next().filter(|part| !part.is_empty());
        match (part(), part(), part()) {
            (Some(plural), Some(version), Some(group)) => Ok(Self::new(plural, version, group)),
            _ => Err(ResourceError(text.to_owned())),
        }
    }

    /// As the API writes it in objects, such as `batch/v1`.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.clone()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }

    /// As kubectl names it in messages, such as `cronjobs.batch`.
    pub fn qualified(&self) -> String {
        if self.group.is_empty() {
            self.plural.clone()
        } else {
            format!("{}.{}", self.plural, self.group)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resource_of_another_group_is_parsed() {
        let tutorial = Resource::read("cronjobs.v1.batch.tutorial.kubebuilder.io").unwrap();
        assert_eq!(tutorial.api_version(), "batch.tutorial.kubebuilder.io/v1");
        assert_eq!(
            tutorial.qualified(),
            "cronjobs.batch.tutorial.kubebuilder.io"
        );
        for wrong in ["", "cronjobs", "cronjobs.v1", "cronjobs..batch"] {
            assert!(Resource::read(wrong).is_err(), "{wrong}");
        }
    }
}
