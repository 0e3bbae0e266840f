//! The resources that the server has, and how it tells about them.

use serde_json::{Value, json};

/// One resource of the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resource {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) plural: String,
    pub(crate) singular: String,
    pub(crate) kind: String,
    pub(crate) short_names: Vec<String>,
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
            singular: kind.to_lowercase(),
            kind: kind.to_owned(),
            short_names: Vec::new(),
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

    /// Both kinds of events are the same objects.
    pub(crate) fn collection(&self) -> String {
        if self.plural == "events" {
            "events".to_owned()
        } else {
            self.full_name()
        }
    }

    /// Whether its objects are shown in another shape than they are stored in.
    pub(crate) fn is_other_view_of_events(&self) -> bool {
        self.group == "events.k8s.io" && self.plural == "events"
    }

    pub(crate) fn verbs(&self) -> &'static [&'static str] {
        if self.stored {
            &[
                "create", "delete", "get", "list", "patch", "update", "watch",
            ]
        } else {
            &["create"]
        }
    }

    fn described(&self) -> Value {
        let mut value = json!({
            "name": self.plural,
            "singularName": self.singular,
            "namespaced": self.namespaced,
            "kind": self.kind,
            "verbs": self.verbs(),
        });
        if !self.short_names.is_empty() {
            value["shortNames"] = json!(self.short_names);
        }
        if self.plural == "cronjobs" && self.group == "batch" {
            value["categories"] = json!(["all"]);
        }
        value
    }
}

/// What every server has.
pub(crate) fn built_in() -> Vec<Resource> {
    let mut events = Resource::built_in("", "events", "Event", "Event");
    events.short_names = vec!["ev".to_owned()];
    let mut namespaces = Resource::built_in("", "namespaces", "Namespace", "Namespace");
    namespaces.short_names = vec!["ns".to_owned()];
    namespaces.namespaced = false;
    namespaces.has_status = true;
    let mut pods = Resource::built_in("", "pods", "Pod", "Pod");
    pods.short_names = vec!["po".to_owned()];
    pods.has_status = true;
    let mut quotas = Resource::built_in("", "resourcequotas", "ResourceQuota", "ResourceQuota");
    quotas.short_names = vec!["quota".to_owned()];
    quotas.has_status = true;
    let mut cron_jobs = Resource::built_in("batch", "cronjobs", "CronJob", "CronJob");
    cron_jobs.short_names = vec!["cj".to_owned()];
    cron_jobs.has_status = true;
    let mut jobs = Resource::built_in("batch", "jobs", "Job", "Job");
    jobs.has_status = true;
    let mut new_events = Resource::built_in("events.k8s.io", "events", "Event", "events.Event");
    new_events.short_names = vec!["ev".to_owned()];
    let review = |plural: &str, kind: &str, message: &'static str| Resource {
        namespaced: false,
        stored: false,
        ..Resource::built_in("authorization.k8s.io", plural, kind, message)
    };
    vec![
        events,
        namespaces,
        pods,
        quotas,
        review(
            "selfsubjectaccessreviews",
            "SelfSubjectAccessReview",
            "SelfSubjectAccessReview",
        ),
        review(
            "selfsubjectrulesreviews",
            "SelfSubjectRulesReview",
            "SelfSubjectRulesReview",
        ),
        cron_jobs,
        jobs,
        new_events,
    ]
}

/// `batch/v1` has the group `batch`, `v1` has none.
pub(crate) fn split_api_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

/// `APIResourceList` of one group and version, if there is such a one.
pub(crate) fn resource_list(resources: &[Resource], group: &str, version: &str) -> Option<Value> {
    let mut list = Vec::new();
    for resource in resources {
        if resource.group != group || resource.version != version {
            continue;
        }
        list.push(resource.described());
        if resource.has_status {
            list.push(json!({
                "name": format!("{}/status", resource.plural),
                "singularName": "",
                "namespaced": resource.namespaced,
                "kind": resource.kind,
                "verbs": ["get", "patch", "update"],
            }));
        }
    }
    let group_version = if group.is_empty() {
        version.to_owned()
    } else {
        format!("{group}/{version}")
    };
    let mut value = json!({"kind": "APIResourceList"});
    if !group.is_empty() {
        value["apiVersion"] = json!("v1");
    }
    value["groupVersion"] = json!(group_version);
    value["resources"] = json!(list);
    (!list.is_empty()).then_some(value)
}

/// `APIGroupList`.
pub(crate) fn group_list(resources: &[Resource]) -> Value {
    let mut groups: Vec<Value> = Vec::new();
    for resource in resources {
        let known = groups.iter().any(|group| group["name"] == resource.group);
        if resource.group.is_empty() || known {
            continue;
        }
        let version = json!({
            "groupVersion": resource.api_version(),
            "version": resource.version,
        });
        groups.push(json!({
            "name": resource.group,
            "versions": [version.clone()],
            "preferredVersion": version,
        }));
    }
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

/// One group of it.
pub(crate) fn group(resources: &[Resource], name: &str) -> Option<Value> {
    let list = group_list(resources);
    let groups = list["groups"].as_array()?;
    let found = groups.iter().find(|group| group["name"] == name)?;
    let mut value = json!({"kind": "APIGroup", "apiVersion": "v1"});
    for key in ["name", "versions", "preferredVersion"] {
        value[key] = found[key].clone();
    }
    Some(value)
}

/// `APIVersions`, of the core group.
pub(crate) fn core_versions(address: &str) -> Value {
    json!({
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [
            {"clientCIDR": "0.0.0.0/0", "serverAddress": address},
        ],
    })
}
