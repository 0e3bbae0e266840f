//! Resources, their paths and list queries.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::error::ClusterError;

/// The characters that are escaped in a URL.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// A resource of the API: `cronjobs` of the group `batch` in version `v1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Its name in paths: the plural.
    pub plural: String,
    pub version: String,
    /// The group; empty for the core.
    pub group: String,
}

impl Resource {
    pub(super) fn new(plural: &str, version: &str, group: &str) -> Self {
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

    pub fn services() -> Self {
        Self::new("services", "v1", "")
    }

    pub fn events() -> Self {
        Self::new("events", "v1", "")
    }

    /// Reads `RESOURCE.VERSION.GROUP`.
    pub fn read(text: &str) -> Result<Self, ClusterError> {
        let mut parts = text.splitn(3, '.');
        let mut part = || parts.next().filter(|part| !part.is_empty());
        match (part(), part(), part()) {
            (Some(plural), Some(version), Some(group)) => Ok(Self::new(plural, version, group)),
            _ => Err(ClusterError::Resource(text.to_owned())),
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

    pub(super) fn path(&self, namespace: Option<&str>) -> String {
        let (version, plural) = (escape(&self.version), escape(&self.plural));
        let root = if self.group.is_empty() {
            format!("/api/{version}")
        } else {
            format!("/apis/{}/{version}", escape(&self.group))
        };
        match namespace {
            Some(namespace) => format!("{root}/namespaces/{}/{plural}", escape(namespace)),
            None => format!("{root}/{plural}"),
        }
    }

    pub(super) fn object_path(&self, namespace: &str, name: &str) -> String {
        format!("{}/{}", self.path(Some(namespace)), escape(name))
    }
}

/// Checks that a namespace can be part of a path, as client-go does before it asks.
pub fn check_namespace(name: &str) -> Result<(), ClusterError> {
    let why = match name {
        "." | ".." => format!("may not be '{name}'"),
        _ => match name.chars().find(|c| ['/', '%'].contains(c)) {
            Some(c) => format!("may not contain '{c}'"),
            None => return Ok(()),
        },
    };
    Err(ClusterError::InvalidNamespace {
        name: name.to_owned(),
        why,
    })
}

#[derive(Debug, Clone, Default)]
pub(super) struct ListQuery {
    pub(super) label_selector: Option<String>,
    pub(super) field_selector: Option<String>,
    pub(super) limit: u32,
}

impl ListQuery {
    pub(super) fn limited(limit: u32) -> Self {
        ListQuery {
            limit,
            ..ListQuery::default()
        }
    }

    pub(super) fn by_field(selector: String) -> Self {
        ListQuery {
            field_selector: Some(selector),
            ..ListQuery::default()
        }
    }

    pub(super) fn without_limit(self) -> Self {
        ListQuery { limit: 0, ..self }
    }

    pub(super) fn uri(&self, path: &str, token: Option<&str>) -> String {
        let limit = (self.limit > 0).then(|| self.limit.to_string());
        let parameters = [
            ("labelSelector", self.label_selector.as_deref()),
            ("fieldSelector", self.field_selector.as_deref()),
            ("limit", limit.as_deref()),
            ("continue", token),
        ];
        with_parameters(path, &parameters)
    }
}

/// A path with the parameters that have a value.
pub(super) fn with_parameters(path: &str, parameters: &[(&str, Option<&str>)]) -> String {
    let mut uri = path.to_owned();
    let mut separator = if path.contains('?') { '&' } else { '?' };
    for (name, value) in parameters {
        if let Some(value) = value {
            uri.push_str(&format!("{separator}{name}={}", escape(value)));
            separator = '&';
        }
    }
    uri
}

/// Percent-encodes text for a URL.
fn escape(text: &str) -> impl fmt::Display {
    utf8_percent_encode(text, RESERVED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_queries_are_percent_encoded() {
        let cron_jobs = Resource::cron_jobs();
        assert_eq!(cron_jobs.path(None), "/apis/batch/v1/cronjobs");
        assert_eq!(
            cron_jobs.path(Some("a/../b")),
            "/apis/batch/v1/namespaces/a%2F..%2Fb/cronjobs"
        );
        let query = ListQuery {
            label_selector: Some("app in (a,b)".to_owned()),
            field_selector: None,
            limit: 500,
        };
        assert_eq!(
            query.uri("/x", Some("t=")),
            "/x?labelSelector=app%20in%20%28a%2Cb%29&limit=500&continue=t%3D"
        );
        assert_eq!(ListQuery::default().uri("/x", None), "/x");
    }

    #[test]
    fn names_in_a_path_are_escaped_or_refused() {
        let resource = Resource::new("cronjobs?a", "v1/x#", "ba%tch");
        assert_eq!(
            resource.object_path("..", "a/b"),
            "/apis/ba%25tch/v1%2Fx%23/namespaces/../cronjobs%3Fa/a%2Fb"
        );
        for (name, why) in [
            ("..", "may not be '..'"),
            ("a/b", "may not contain '/'"),
            ("a%2Fb", "may not contain '%'"),
        ] {
            let error = check_namespace(name).unwrap_err().to_string();
            assert_eq!(error, format!("invalid namespace {name:?}: {why}"));
        }
        assert!(check_namespace("shop").is_ok());
    }

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
