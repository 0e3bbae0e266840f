//! The user of a request, by token or client certificate, and what the user is allowed to do.

use std::sync::{Arc, Mutex};

use serde_json::json;

use super::request::Request;
use super::resources::Resource;
use super::status::Status;

/// The user of a request without a token or a certificate.
const ANONYMOUS: &str = "system:anonymous";

/// The user according to the certificate of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Peer {
    NoCertificate,
    User(String),
    /// Expired, or of another authority.
    BadCertificate,
}

/// What a request tries to do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attempt {
    pub(crate) user: String,
    /// `get`, `list`, `watch`, `create`, `patch`, `delete`, `impersonate`.
    pub(crate) verb: String,
    pub(crate) group: String,
    pub(crate) version: String,
    /// Empty for a path that is not a resource.
    pub(crate) resource: String,
    pub(crate) subresource: String,
    /// Empty for all namespaces.
    pub(crate) namespace: String,
    /// Empty for a list.
    pub(crate) name: String,
    pub(crate) path: String,
}

impl Attempt {
    pub(crate) fn of(request: &Request, user: &str) -> Attempt {
        let mut parts = request.path.split('/').skip(1);
        let mut attempt = Attempt {
            user: user.to_owned(),
            verb: request.method.to_lowercase(),
            path: request.path.clone(),
            ..Attempt::default()
        };
        let mut next = || parts.next().unwrap_or_default().to_owned();
        match next().as_str() {
            "api" => {}
            "apis" => attempt.group = next(),
            _ => return attempt,
        }
        attempt.version = next();
        let rest: Vec<&str> = parts.collect();
        let rest = match rest.as_slice() {
            ["namespaces", namespace, rest @ ..] => {
                attempt.namespace = (*namespace).to_owned();
                match rest {
                    [] => &["namespaces", namespace],
                    rest => rest,
                }
            }
            rest => rest,
        };
        let part = |index: usize| rest.get(index).copied().unwrap_or_default().to_owned();
        (attempt.resource, attempt.name, attempt.subresource) = (part(0), part(1), part(2));
        let verb = match (request.method.as_str(), attempt.name.as_str()) {
            ("GET", _) if request.flag("watch") => "watch",
            ("GET", "") => "list",
            ("POST", _) => "create",
            _ => return attempt,
        };
        attempt.verb = verb.to_owned();
        attempt
    }
}

type Rule = Arc<dyn Fn(&Attempt) -> bool + Send + Sync>;

/// A user that the server knows, by the token `<name>-token` and by a client certificate.
#[derive(Clone)]
pub(crate) struct User {
    pub(crate) name: String,
    rule: Rule,
}

impl User {
    /// A user who is allowed what the rule matches.
    pub(crate) fn new(name: &str, rule: impl Fn(&Attempt) -> bool + Send + Sync + 'static) -> User {
        User {
            name: name.to_owned(),
            rule: Arc::new(rule),
        }
    }

    fn token(&self) -> String {
        format!("{}-token", self.name)
    }
}

/// `admin` is allowed everything, `viewer` only reading, and `nobody` nothing.
pub(crate) fn usual_users() -> Vec<User> {
    let reads = |attempt: &Attempt| matches!(attempt.verb.as_str(), "get" | "list" | "watch");
    vec![
        User::new("admin", |_| true),
        User::new("viewer", reads),
        User::new("nobody", |_| false),
    ]
}

/// The rules of all users, and the exceptions that a test has made.
pub(crate) struct Access {
    pub(crate) users: Vec<User>,
    denied: Mutex<Vec<Rule>>,
}

impl Access {
    pub(crate) fn new(users: Vec<User>) -> Access {
        Access {
            users,
            denied: Mutex::default(),
        }
    }

    /// From now on, no user is allowed what the rule matches.
    pub(crate) fn deny(&self, rule: impl Fn(&Attempt) -> bool + Send + Sync + 'static) {
        self.denied.lock().unwrap().push(Arc::new(rule));
    }

    pub(crate) fn allows(&self, attempt: &Attempt) -> bool {
        if self.denied.lock().unwrap().iter().any(|rule| rule(attempt)) {
            return false;
        }
        if attempt.resource.is_empty() || attempt.resource.starts_with("selfsubject") {
            return attempt.path == "/version" || attempt.user != ANONYMOUS;
        }
        let mut users = self.users.iter();
        users.any(|user| user.name == attempt.user && (user.rule)(attempt))
    }

    /// The name of the user that a request comes from, or acts as.
    pub(crate) fn authenticate(
        &self,
        request: &Request,
        certificate: &Peer,
    ) -> Result<String, Status> {
        let own = self.identify(request, certificate)?;
        let Some(user) = request.header("impersonate-user") else {
            return Ok(own);
        };
        let uids = request
            .header("impersonate-uid")
            .map(|uid| ("authentication.k8s.io", "uids", uid));
        let groups = request.headers("impersonate-group").into_iter();
        let groups = groups.map(|group| ("", "groups", group));
        for (group, resource, name) in [("", "users", user)].into_iter().chain(groups).chain(uids) {
            let attempt = Attempt {
                user: own.clone(),
                verb: "impersonate".to_owned(),
                group: group.to_owned(),
                resource: resource.to_owned(),
                name: name.to_owned(),
                ..Attempt::default()
            };
            self.check(&attempt)?;
        }
        Ok(user.to_owned())
    }

    fn identify(&self, request: &Request, certificate: &Peer) -> Result<String, Status> {
        let user = match (certificate, request.header("authorization")) {
            (Peer::User(name), _) => self.users.iter().find(|user| user.name == *name),
            (_, Some(header)) => {
                let token = header.strip_prefix("Bearer ").unwrap_or_default();
                self.users.iter().find(|user| user.token() == token)
            }
            (Peer::NoCertificate, None) => return Ok(ANONYMOUS.to_owned()),
            (Peer::BadCertificate, None) => None,
        };
        user.map(|user| user.name.clone())
            .ok_or_else(|| Status::of_code(401))
    }

    /// Refuses an attempt that is not allowed, with the error that the client receives.
    pub(crate) fn check(&self, attempt: &Attempt) -> Result<(), Status> {
        if self.allows(attempt) {
            Ok(())
        } else {
            Err(refusal(attempt))
        }
    }
}

fn refusal(attempt: &Attempt) -> Status {
    let Attempt {
        user, verb, group, ..
    } = attempt;
    if attempt.resource.is_empty() {
        let path = &attempt.path;
        let message = format!("forbidden: User {user:?} cannot {verb} path {path:?}");
        return Status::new(403, "Forbidden", message).with_details(json!({}));
    }
    let resource = Resource::custom(&format!("{group}/"), &attempt.resource, "");
    let name = match attempt.name.as_str() {
        "" => resource.full_name(),
        name => format!("{} {name:?}", resource.full_name()),
    };
    let part = match attempt.subresource.as_str() {
        "" => resource.plural.clone(),
        subresource => format!("{}/{subresource}", resource.plural),
    };
    let place = match attempt.namespace.as_str() {
        "" => "at the cluster scope".to_owned(),
        namespace => format!("in the namespace {namespace:?}"),
    };
    let message = format!(
        "{name} is forbidden: User {user:?} cannot {verb} resource {part:?} in API group {group:?} {place}"
    );
    Status::new(403, "Forbidden", message).about(&resource, &attempt.name)
}
