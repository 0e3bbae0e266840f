//! A role that is read from a file and enforced by the API server.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use crate::support::prelude::*;

use crate::support::apiserver::{ApiServer, Attempt, Options, User};
use crate::support::files::{text, yaml};

/// The user who has the role.
pub(crate) const USER: &str = "somebody";

/// A permission in words: `list cronjobs.batch`, `get pods/log`.
type Right = String;

/// A role of one file, and the permissions that its user needed.
pub(crate) struct Role {
    kind: String,
    granted: BTreeSet<Right>,
    asked: Arc<Mutex<BTreeSet<Right>>>,
}

impl Role {
    /// Reads a file that begins with a role. Only a binding follows it.
    pub(crate) fn read(file: &str) -> Role {
        let documents = yaml(&text(file));
        let (role, others) = documents.split_first().unwrap();
        let mut others = others.iter().map(|other| &other["kind"]);
        assert!(others.all(|kind| kind == "ClusterRoleBinding"), "{file}");
        let mut granted = BTreeSet::new();
        for rule in role["rules"].items() {
            let fields: Vec<&String> = rule.as_object().unwrap().keys().collect();
            assert_eq!(fields, ["apiGroups", "resources", "verbs"], "{file}");
            for group in words(&rule["apiGroups"]) {
                for resource in words(&rule["resources"]) {
                    for verb in words(&rule["verbs"]) {
                        let right = right(verb, resource, group);
                        assert!(!right.contains('*'), "{file}: {right}");
                        assert!(granted.insert(right.clone()), "{file}: {right} twice");
                    }
                }
            }
        }
        Role {
            kind: role["kind"].text().to_owned(),
            granted,
            asked: Arc::default(),
        }
    }

    /// This role without one of its permissions.
    pub(crate) fn without(&self, right: &str) -> Role {
        let mut granted = self.granted.clone();
        assert!(granted.remove(right), "{right}");
        Role {
            kind: self.kind.clone(),
            granted,
            asked: Arc::default(),
        }
    }

    /// Whether the role applies to all namespaces.
    pub(crate) fn is_of_the_cluster(&self) -> bool {
        self.kind == "ClusterRole"
    }

    pub(crate) fn granted(&self) -> BTreeSet<Right> {
        self.granted.clone()
    }

    /// The permissions that were needed so far, granted or not.
    pub(crate) fn asked(&self) -> BTreeSet<Right> {
        self.asked.lock().unwrap().clone()
    }

    /// A server on which [`USER`] has this role, in `shop` or in all namespaces.
    pub(crate) fn server(&self) -> ApiServer {
        let (granted, asked) = (self.granted.clone(), Arc::clone(&self.asked));
        let everywhere = self.is_of_the_cluster();
        let may = move |attempt: &Attempt| {
            let resource = match attempt.subresource.as_str() {
                "" => attempt.resource.clone(),
                part => format!("{}/{part}", attempt.resource),
            };
            let right = right(&attempt.verb, &resource, &attempt.group);
            let is_granted = granted.contains(&right);
            asked.lock().unwrap().insert(right);
            is_granted && (everywhere || attempt.namespace == "shop")
        };
        let server = ApiServer::start(Options::default().user(User::new(USER, may)));
        crate::live::scene::populate(&server);
        server
    }
}

fn right(verb: &str, resource: &str, group: &str) -> Right {
    let (resource, part) = resource.split_once('/').unwrap_or((resource, ""));
    let dot = if group.is_empty() { "" } else { "." };
    let slash = if part.is_empty() { "" } else { "/" };
    format!("{verb} {resource}{dot}{group}{slash}{part}")
}

fn words(list: &Value) -> impl Iterator<Item = &str> {
    let list = list.items().iter();
    list.map(Json::text)
}
