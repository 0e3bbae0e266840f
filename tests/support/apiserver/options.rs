//! The initial state of a server.

use std::time::Duration;

use super::access::{User, usual_users};
use super::certificates::ServerCertificate;
use super::resources::{Resource, built_in};

/// The initial state of a server; `Options::default()` is a healthy 1.36.2 without objects.
#[derive(Clone)]
pub(crate) struct Options {
    pub(crate) users: Vec<User>,
    pub(crate) resources: Vec<Resource>,
    pub(crate) git_version: String,
    /// The time of its `Date` header, in RFC 3339.
    pub(crate) now: String,
    pub(crate) certificate: ServerCertificate,
    /// How many `CronJob`s there are from the start, and how many Jobs each has.
    pub(crate) synthetic_objects: (usize, usize),
    /// How long a list takes for each of its objects.
    pub(crate) pace: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            users: usual_users(),
            resources: built_in(),
            git_version: "v1.36.2".to_owned(),
            now: "2026-11-21T02:13:08Z".to_owned(),
            certificate: ServerCertificate::Signed,
            synthetic_objects: (0, 0),
            pace: Duration::ZERO,
        }
    }
}

impl Options {
    /// A server with very many objects, which are created when they are requested.
    pub(crate) fn synthetic(cron_jobs: usize, jobs_each: usize) -> Options {
        Options {
            synthetic_objects: (cron_jobs, jobs_each),
            ..Options::default()
        }
    }

    /// Adds a user, which replaces one of the same name.
    pub(crate) fn user(mut self, user: User) -> Options {
        self.users.retain(|known| known.name != user.name);
        self.users.push(user);
        self
    }

    /// Adds a custom resource, such as `cronjobs` of `batch.tutorial.kubebuilder.io/v1`.
    pub(crate) fn custom_resource(
        mut self,
        api_version: &str,
        plural: &str,
        kind: &str,
    ) -> Options {
        self.resources
            .push(Resource::custom(api_version, plural, kind));
        self
    }

    /// The version that it reports, such as `v1.27.3`.
    pub(crate) fn git_version(mut self, version: &str) -> Options {
        version.clone_into(&mut self.git_version);
        self
    }

    /// The time of its `Date` header, in RFC 3339.
    pub(crate) fn now(mut self, now: &str) -> Options {
        now.clone_into(&mut self.now);
        self
    }
}
