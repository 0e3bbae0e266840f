//! Who may do what.

use std::sync::{Arc, Mutex};

use super::status::Status;

/// A user and the groups it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) user: String,
    pub(crate) groups: Vec<String>,
    pub(crate) uid: String,
}

impl Identity {
    pub(crate) fn anonymous() -> Identity {
        Identity {
            user: "system:anonymous".to_owned(),
            groups: vec!["system:unauthenticated".to_owned()],
            uid: String::new(),
        }
    }

    /// A user who has shown who it is.
    pub(crate) fn known(user: &str, groups: &[String]) -> Identity {
        let mut groups = groups.to_vec();
        if !groups.iter().any(|group| group == "system:authenticated") {
            groups.push("system:authenticated".to_owned());
        }
        Identity {
            user: user.to_owned(),
            groups,
            uid: String::new(),
        }
    }

    pub(crate) fn is_in(&self, group: &str) -> bool {
        self.groups.iter().any(|known| known == group)
    }
}

/// What somebody is about to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attempt {
    pub(crate) user: String,
    /// `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `impersonate`.
    pub(crate) verb: String,
    pub(crate) group: String,
    /// Empty for a path that is no resource.
    pub(crate) resource: String,
    pub(crate) subresource: String,
    /// Empty for all of them.
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) path: String,
}

type Rule = Arc<dyn Fn(&Attempt) -> bool + Send + Sync>;

/// A user that the server knows, by the token `<name>-token` and by a client certificate.
#[derive(Clone)]
pub(crate) struct User {
    pub(crate) name: String,
    pub(crate) groups: Vec<String>,
    rule: Rule,
}

impl User {
    /// A user who may do what the rule says.
    pub(crate) fn new(name: &str, rule: impl Fn(&Attempt) -> bool + Send + Sync + 'static) -> User {
        User {
            name: name.to_owned(),
            groups: Vec::new(),
            rule: Arc::new(rule),
        }
    }

    pub(crate) fn in_group(mut self, group: &str) -> User {
        self.groups.push(group.to_owned());
        self
    }

    pub(crate) fn token(&self) -> String {
        format!("{}-token", self.name)
    }

    pub(crate) fn identity(&self) -> Identity {
        Identity::known(&self.name, &self.groups)
    }
}

/// `admin` may everything, `viewer` may read, `nobody` may nothing.
pub(crate) fn usual_users() -> Vec<User> {
    let reads = |attempt: &Attempt| matches!(attempt.verb.as_str(), "get" | "list" | "watch");
    vec![
        User::new("admin", |_| true).in_group("system:masters"),
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

    /// From now on nobody may do what the rule says.
    pub(crate) fn deny(&self, rule: impl Fn(&Attempt) -> bool + Send + Sync + 'static) {
        self.denied.lock().unwrap().push(Arc::new(rule));
    }

    pub(crate) fn allows(&self, identity: &Identity, attempt: &Attempt) -> bool {
        if self.denied.lock().unwrap().iter().any(|rule| rule(attempt)) {
            return false;
        }
        if attempt.resource.is_empty() && is_for_everyone(&attempt.path, identity) {
            return true;
        }
        let asks_about_itself = attempt.group.starts_with("auth")
            && attempt.verb == "create"
            && attempt.resource.starts_with("selfsubject");
        if asks_about_itself && identity.is_in("system:authenticated") {
            return true;
        }
        let user = self.users.iter().find(|user| user.name == identity.user);
        identity.is_in("system:masters") || user.is_some_and(|user| (user.rule)(attempt))
    }

    /// The same, as the refusal that the client gets.
    pub(crate) fn check(&self, identity: &Identity, attempt: &Attempt) -> Result<(), Status> {
        if self.allows(identity, attempt) {
            return Ok(());
        }
        Err(refusal(attempt))
    }
}

fn is_for_everyone(path: &str, identity: &Identity) -> bool {
    let open = matches!(path, "/version" | "/healthz" | "/livez" | "/readyz");
    let discovery = path == "/api"
        || path == "/apis"
        || path.starts_with("/api/")
        || path.starts_with("/apis/")
        || path.starts_with("/openapi");
    open || (discovery && identity.is_in("system:authenticated"))
}

fn refusal(attempt: &Attempt) -> Status {
    let Attempt {
        user,
        verb,
        group,
        resource,
        namespace,
        ..
    } = attempt;
    if resource.is_empty() {
        let what = format!("User {user:?} cannot {verb} path {:?}", attempt.path);
        return Status::forbidden("", "", "", &what);
    }
    let full = if attempt.subresource.is_empty() {
        resource.clone()
    } else {
        format!("{resource}/{}", attempt.subresource)
    };
    let place = if namespace.is_empty() {
        "at the cluster scope".to_owned()
    } else {
        format!("in the namespace {namespace:?}")
    };
    let what =
        format!("User {user:?} cannot {verb} resource {full:?} in API group {group:?} {place}");
    Status::forbidden(group, resource, &attempt.name, &what)
}
