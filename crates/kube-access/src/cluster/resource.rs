//! The paths and queries of requests.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use kube_objects::query::{ObjectQuery, PageSize, Resource};

/// The characters that are escaped in a URL.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// The path of a resource, in a namespace or in all.
pub(super) fn path_of(resource: &Resource, namespace: Option<&str>) -> String {
    let (version, plural) = (escape(&resource.version), escape(&resource.plural));
    let root = if resource.group.is_empty() {
        format!("/api/{version}")
    } else {
        format!("/apis/{}/{version}", escape(&resource.group))
    };
    match namespace {
        Some(namespace) => format!("{root}/namespaces/{}/{plural}", escape(namespace)),
        None => format!("{root}/{plural}"),
    }
}

pub(super) fn object_path(resource: &Resource, namespace: &str, name: &str) -> String {
    format!("{}/{}", path_of(resource, Some(namespace)), escape(name))
}

#[derive(Debug, Clone, Default)]
pub(super) struct ListQuery {
    pub(super) label_selector: Option<String>,
    pub(super) field_selector: Option<String>,
    pub(super) page: PageSize,
    /// As in [`ObjectQuery`].
    pub(super) most: Option<u32>,
}

impl ListQuery {
    /// The query for the `CronJob`s.
    pub(super) fn of(wanted: &ObjectQuery) -> Self {
        let named = match wanted.names.as_slice() {
            [name] => Some(format!("metadata.name={name}")),
            _ => None,
        };
        ListQuery {
            label_selector: wanted.label_selector.clone(),
            field_selector: named.or_else(|| wanted.field_selector.clone()),
            page: wanted.page,
            most: wanted.most,
        }
    }

    /// The query for events about objects of a kind.
    pub(super) fn of_events(wanted: &ObjectQuery, kind: &str) -> Self {
        let mut selector = format!("involvedObject.kind={kind}");
        if let ([name], "CronJob") = (wanted.names.as_slice(), kind) {
            selector.push_str(&format!(",involvedObject.name={name}"));
        }
        ListQuery {
            field_selector: Some(selector),
            ..ListQuery::whole(wanted)
        }
    }

    /// The query for all objects of a kind beside the `CronJob`s.
    pub(super) fn whole(wanted: &ObjectQuery) -> Self {
        ListQuery {
            page: wanted.page,
            most: wanted.most,
            ..ListQuery::default()
        }
    }

    pub(super) fn paged(page: PageSize) -> Self {
        ListQuery {
            page,
            ..ListQuery::default()
        }
    }

    pub(super) fn by_field(selector: String) -> Self {
        ListQuery {
            field_selector: Some(selector),
            ..ListQuery::default()
        }
    }

    /// The address of a page with up to `limit` objects; with all if it is 0.
    pub(super) fn uri(&self, path: &str, limit: u32, token: Option<&str>) -> String {
        let limit = (limit > 0).then(|| limit.to_string());
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
    use crate::access::check_namespace;

    #[test]
    fn paths_and_queries_are_percent_encoded() {
        let cron_jobs = Resource::cron_jobs();
        assert_eq!(path_of(&cron_jobs, None), "/apis/batch/v1/cronjobs");
        assert_eq!(
            path_of(&cron_jobs, Some("a/../b")),
            "/apis/batch/v1/namespaces/a%2F..%2Fb/cronjobs"
        );
        let query = ListQuery {
            label_selector: Some("app in (a,b)".to_owned()),
            ..ListQuery::default()
        };
        assert_eq!(
            query.uri("/x", 500, Some("t=")),
            "/x?labelSelector=app%20in%20%28a%2Cb%29&limit=500&continue=t%3D"
        );
        assert_eq!(ListQuery::default().uri("/x", 0, None), "/x");
    }

    #[test]
    fn names_in_a_path_are_escaped_or_refused() {
        let resource = Resource::new("cronjobs?a", "v1/x#", "ba%tch");
        assert_eq!(
            object_path(&resource, "..", "a/b"),
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
}
