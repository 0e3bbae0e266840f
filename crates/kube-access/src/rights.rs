//! Permissions, and whether the API server grants them.

use serde::Deserialize;

use kube_objects::query::Resource;

/// A permission, as the API server reviews it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Right<'a> {
    /// The verb, such as `patch`.
    pub verb: &'static str,
    pub resource: &'a Resource,
    pub subresource: Option<&'static str>,
    /// The namespace; `None` for all.
    pub namespace: Option<&'a str>,
    pub name: Option<&'a str>,
}

/// Whether the API server grants a permission.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct AccessReview {
    pub allowed: bool,
    /// The reason, if the server gives one.
    pub reason: String,
}

impl<'a> Right<'a> {
    /// The right to all objects of a resource in all namespaces.
    pub fn to(verb: &'static str, resource: &'a Resource) -> Self {
        Right {
            verb,
            resource,
            subresource: None,
            namespace: None,
            name: None,
        }
    }

    /// In words, such as `patch cronjobs.batch in namespace "shop"`.
    pub fn sentence(&self) -> String {
        let resource = self.resource.qualified();
        let what = match (self.subresource, self.name) {
            (Some(subresource), None) => format!("{resource}/{subresource}"),
            (Some(subresource), Some(name)) => format!("{resource}/{subresource} {name:?}"),
            (None, Some(name)) => format!("{resource} {name:?}"),
            (None, None) => resource,
        };
        let place = match self.namespace {
            Some(namespace) => format!("in namespace {namespace:?}"),
            None => "in all namespaces".to_owned(),
        };
        format!("{} {what} {place}", self.verb)
    }
}
