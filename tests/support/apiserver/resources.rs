//! The resources that the server has, built in and custom.

/// One resource of the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resource {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) plural: String,
    pub(crate) kind: String,
    pub(crate) namespaced: bool,
    /// Its name in the table of messages; custom resources have none, and no protobuf.
    pub(crate) message: Option<&'static str>,
    /// Whether it can be read and changed, or only asked like a question.
    pub(crate) stored: bool,
    /// Whether it has a subresource `status`.
    pub(crate) has_status: bool,
}

impl Resource {
    fn built_in(group: &str, plural: &str, kind: &str, message: &'static str) -> Resource {
        Resource {
            group: group.to_owned(),
            version: "v1".to_owned(),
            plural: plural.to_owned(),
            kind: kind.to_owned(),
            namespaced: true,
            message: Some(message),
            stored: true,
            has_status: false,
        }
    }

    /// A custom resource, in namespaces, with a status.
    ///
    /// `api_version` is a group and a version.
    pub(crate) fn custom(api_version: &str, plural: &str, kind: &str) -> Resource {
        let (group, version) = split_api_version(api_version);
        Resource {
            group: group.to_owned(),
            version: version.to_owned(),
            message: None,
            has_status: true,
            ..Resource::built_in("", plural, kind, "")
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
}

/// What every server has.
pub(crate) fn built_in() -> Vec<Resource> {
    let events = Resource::built_in("", "events", "Event", "Event");
    let mut namespaces = Resource::built_in("", "namespaces", "Namespace", "Namespace");
    namespaces.namespaced = false;
    namespaces.has_status = true;
    let mut pods = Resource::built_in("", "pods", "Pod", "Pod");
    pods.has_status = true;
    let mut quotas = Resource::built_in("", "resourcequotas", "ResourceQuota", "ResourceQuota");
    quotas.has_status = true;
    let mut cron_jobs = Resource::built_in("batch", "cronjobs", "CronJob", "CronJob");
    cron_jobs.has_status = true;
    let mut jobs = Resource::built_in("batch", "jobs", "Job", "Job");
    jobs.has_status = true;
    let review = |group: &str, plural: &str, kind: &str, message: &'static str| Resource {
        namespaced: false,
        stored: false,
        ..Resource::built_in(group, plural, kind, message)
    };
    vec![
        events,
        namespaces,
        pods,
        quotas,
        review(
            "authentication.k8s.io",
            "selfsubjectreviews",
            "SelfSubjectReview",
            "SelfSubjectReview",
        ),
        review(
            "authorization.k8s.io",
            "selfsubjectaccessreviews",
            "SelfSubjectAccessReview",
            "SelfSubjectAccessReview",
        ),
        cron_jobs,
        jobs,
    ]
}

/// `batch/v1` has the group `batch`, `v1` has none.
pub(crate) fn split_api_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}
