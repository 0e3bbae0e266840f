//! The resources that the server has, built in and custom.

/// One resource of the API.
#[derive(Clone, Debug)]
pub(crate) struct Resource {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) plural: String,
    pub(crate) kind: String,
    /// Custom resources have no protobuf.
    pub(crate) has_protobuf: bool,
}

impl Resource {
    /// A custom resource in namespaces.
    pub(crate) fn custom(api_version: &str, plural: &str, kind: &str) -> Resource {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        Resource {
            group: group.to_owned(),
            version: version.to_owned(),
            plural: plural.to_owned(),
            kind: kind.to_owned(),
            has_protobuf: false,
        }
    }

    pub(crate) fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.clone()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }

    /// `cronjobs.batch`.
    pub(crate) fn full_name(&self) -> String {
        if self.group.is_empty() {
            self.plural.clone()
        } else {
            format!("{}.{}", self.plural, self.group)
        }
    }

    /// Where an object is stored, or what the keys of all objects begin with if the name is empty.
    pub(crate) fn key(&self, namespace: &str, name: &str) -> String {
        let resource = self.full_name();
        if self.is_namespaced() && !namespace.is_empty() {
            format!("{resource}/{namespace}/{name}")
        } else {
            format!("{resource}/{name}")
        }
    }

    pub(crate) fn is_namespaced(&self) -> bool {
        !matches!(self.kind.as_str(), "Namespace" | "Node")
    }

    /// Whether it is only created, to query the permissions or the name of a user.
    pub(crate) fn is_review(&self) -> bool {
        self.kind.ends_with("Review")
    }
}

/// What every server has.
pub(crate) fn built_in() -> Vec<Resource> {
    let resources = [
        ("v1", "events", "Event"),
        ("v1", "namespaces", "Namespace"),
        ("v1", "nodes", "Node"),
        ("v1", "pods", "Pod"),
        ("v1", "resourcequotas", "ResourceQuota"),
        ("v1", "services", "Service"),
        (
            "authentication.k8s.io/v1",
            "selfsubjectreviews",
            "SelfSubjectReview",
        ),
        (
            "authorization.k8s.io/v1",
            "selfsubjectaccessreviews",
            "SelfSubjectAccessReview",
        ),
        ("batch/v1", "cronjobs", "CronJob"),
        ("batch/v1", "jobs", "Job"),
    ];
    let resources = resources.map(|(api_version, plural, kind)| Resource {
        has_protobuf: true,
        ..Resource::custom(api_version, plural, kind)
    });
    // Only read as JSON.
    let lease = Resource::custom("coordination.k8s.io/v1", "leases", "Lease");
    let config_map = Resource::custom("v1", "configmaps", "ConfigMap");
    resources.into_iter().chain([lease, config_map]).collect()
}
