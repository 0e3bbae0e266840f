//! What a path and a method mean.

use super::access::Attempt;
use super::http::Request;

/// A request, understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) group: String,
    pub(crate) version: String,
    /// Empty where the path is no resource's.
    pub(crate) resource: String,
    pub(crate) subresource: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) verb: String,
}

impl Route {
    pub(crate) fn of(request: &Request) -> Route {
        let mut parts = request.path.split('/').filter(|part| !part.is_empty());
        let mut route = Route {
            verb: request.method.to_lowercase(),
            ..Route::default()
        };
        match parts.next() {
            Some("api") => {}
            Some("apis") => parts
                .next()
                .unwrap_or_default()
                .clone_into(&mut route.group),
            _ => return route,
        }
        parts
            .next()
            .unwrap_or_default()
            .clone_into(&mut route.version);
        let rest: Vec<&str> = parts.collect();
        let rest = match rest.as_slice() {
            ["namespaces", namespace, rest @ ..]
                if !rest.is_empty() && !matches!(rest, ["status" | "finalize"]) =>
            {
                (*namespace).clone_into(&mut route.namespace);
                rest
            }
            other => other,
        };
        if let [resource, rest @ ..] = rest {
            (*resource).clone_into(&mut route.resource);
            route.name = rest.first().copied().unwrap_or_default().to_owned();
            route.subresource = rest.get(1..).unwrap_or_default().join("/");
            route.verb = verb(request, &route.name).to_owned();
        }
        route
    }

    /// What the rules are asked.
    pub(crate) fn attempt(&self, user: &str, path: &str, selected: Option<&str>) -> Attempt {
        // A list of the one object with some name counts as asking for that name.
        let name = if self.name.is_empty() {
            selected.unwrap_or_default().to_owned()
        } else {
            self.name.clone()
        };
        let is_namespace = self.resource == "namespaces" && self.group.is_empty();
        let namespace = if is_namespace {
            self.name.clone()
        } else {
            self.namespace.clone()
        };
        Attempt {
            user: user.to_owned(),
            verb: self.verb.clone(),
            group: if self.resource.is_empty() {
                String::new()
            } else {
                self.group.clone()
            },
            resource: self.resource.clone(),
            subresource: self.subresource.clone(),
            namespace,
            name,
            path: path.to_owned(),
        }
    }
}

fn verb(request: &Request, name: &str) -> &'static str {
    match (request.method.as_str(), name) {
        ("GET" | "HEAD", _) if request.flag("watch") => "watch",
        ("GET" | "HEAD", "") => "list",
        ("GET" | "HEAD", _) => "get",
        ("POST", _) => "create",
        ("PUT", _) => "update",
        ("PATCH", _) => "patch",
        ("DELETE", "") => "deletecollection",
        ("DELETE", _) => "delete",
        _ => "",
    }
}
