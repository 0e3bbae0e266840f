//! An API server for tests: HTTPS on this machine, with objects that the test puts there.
//!
//! It does what a client of `CronJob`s depends on: lists in pages, protobuf, watches, conflicts, refusals and faults.
//! The tests of `tests/control_plane` use a real one. An end-to-end test is five lines:
//!
//! ```ignore
//! let server = ApiServer::start(Options::default());
//! server.load_list("tests/fixtures/cronjobs.json");
//! let kubeconfig = server.kubeconfig(&Kubeconfig::user("viewer").namespace("shop"));
//! let ran = doctor(&["explain", "nightly", "--kubeconfig", kubeconfig.to_str().unwrap()]);
//! assert_eq!(server.requests()[0].line(), "GET /version");
//! ```
//!
//! It does not use the other test modules, so that a benchmark can include it as well. A panic in one of its
//! connections, such as that of a field without a number in messages.txt, fails the test that drops it.
//!
//! | to | use |
//! |---|---|
//! | add objects | [`ApiServer::add`], [`ApiServer::load_list`], with the versions that they have |
//! | change them while it runs | [`ApiServer::put`], [`ApiServer::delete`]: each gets a new version and reaches watches |
//! | have very many | [`Options::synthetic`]: 10,000 and 5 are 19 MB here, and 170 MB on the wire |
//! | log in | [`Kubeconfig`]: `admin`, `viewer`, `nobody`, or a [`User`] of your own, by token, certificate or command |
//! | forbid something | [`ApiServer::deny`] |
//! | break something | [`ApiServer::fault`] with a [`Match`] and a [`Fault`] |
//! | know what was asked | [`ApiServer::requests`], and [`ApiServer::wait_for`] to wait for it |
//! | write logs of containers | [`ApiServer::log`], [`ApiServer::end_log`] |
//! | control watches | [`ApiServer::compact`], [`ApiServer::close_watches`] |
//! | set the clock | [`ApiServer::set_date`]; the clock does not advance |
//!
//! A request passes `connection` (TLS, HTTP by hyper, faults), `answering`, `access` (authentication and
//! authorization), then `reading`, `watching`, `writing`, `logs` or `reviews`, and `reply` (JSON or `protobuf`).
//! `store` holds the objects and their changes. What waits for a change uses [`State::until`].

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail in any way"
)]

mod access;
mod answering;
mod certificates;
mod connection;
mod fates;
mod faults;
mod kubeconfig;
mod logs;
mod messages;
mod objects;
mod options;
mod protobuf;
mod reading;
mod reply;
mod request;
mod resources;
mod reviews;
mod seeding;
mod selectors;
mod state;
mod status;
mod store;
mod synthetic;
mod tls;
mod watching;
mod writing;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use access::Access;
use faults::Faults;
use state::{Settings, State};
use store::Store;

pub(crate) use self::{
    access::{Attempt, User},
    certificates::{Authority, Pair, ServerCertificate},
    faults::{Break, Fate, Fault, Match, NextConnection, Scripted},
    kubeconfig::Kubeconfig,
    options::Options,
    request::{Request as Recorded, watches},
};

/// The longest wait of a test.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that runs until it is dropped.
pub(crate) struct ApiServer {
    state: Arc<State>,
    tls: TlsAcceptor,
    /// Runs the listener and its connections; none while the server is stopped.
    runtime: Mutex<Option<Runtime>>,
    port: u16,
    folder: TempDir,
    files: AtomicU64,
}

impl ApiServer {
    /// Starts on a port of its own.
    pub(crate) fn start(options: Options) -> ApiServer {
        let mut store = Store::default();
        let (cron_jobs, jobs_each) = options.synthetic_objects;
        if cron_jobs > 0 {
            synthetic::populate(&mut store, &options.resources, cron_jobs, jobs_each);
        }
        let authority = Authority::new(options.certificate);
        let tls = tls::acceptor(&authority.server(options.certificate));
        let state = Arc::new(State {
            authority,
            resources: options.resources,
            access: Access::new(options.users),
            store: Mutex::new(store),
            logs: Mutex::default(),
            requests: Mutex::default(),
            faults: Faults::default(),
            settings: Mutex::new(Settings {
                now: options.now.parse().unwrap(),
                sends_date: true,
                git_version: options.git_version,
                warnings: Vec::new(),
                closes_connections: false,
                next_connection: NextConnection::default(),
                is_closed: false,
            }),
            pace: options.pace,
            changed: watch::Sender::default(),
            has_panicked: AtomicBool::new(false),
        });
        let (runtime, port) = connection::listen(0, tls.clone(), Arc::clone(&state));
        ApiServer {
            state,
            tls,
            runtime: Mutex::new(Some(runtime)),
            port,
            folder: tempfile::tempdir().unwrap(),
            files: AtomicU64::new(0),
        }
    }

    /// `https://127.0.0.1:` and the port.
    pub(crate) fn url(&self) -> String {
        format!("https://127.0.0.1:{}", self.port)
    }

    /// Writes a kubeconfig and returns its path; it is deleted with the server.
    pub(crate) fn kubeconfig(&self, config: &Kubeconfig) -> PathBuf {
        let text = config.text(&self.url(), &self.state.authority);
        self.file("kubeconfig", &text)
    }

    /// A kubeconfig as a tree, for tests that change it.
    pub(crate) fn kubeconfig_tree(&self, config: &Kubeconfig) -> Value {
        serde_json::from_str(&config.text(&self.url(), &self.state.authority)).unwrap()
    }

    /// Writes a kubeconfig in which the user, the cluster or more is changed, and returns its path.
    pub(crate) fn kubeconfig_after(
        &self,
        config: &Kubeconfig,
        change: impl FnOnce(&mut Value),
    ) -> String {
        let mut tree = self.kubeconfig_tree(config);
        change(&mut tree);
        let path = self.file("kubeconfig", &tree.to_string());
        path.to_str().unwrap().to_owned()
    }

    /// A file in the server's own folder, such as one with a token or a script.
    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let number = self.files.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.path().join(format!("{number}-{name}"));
        std::fs::write(&path, text).unwrap();
        path
    }

    /// The certificate that a client has to trust, as PEM.
    pub(crate) fn authority(&self) -> &str {
        self.state.authority.pem()
    }

    /// A client certificate of a user, and its key.
    pub(crate) fn client_certificate(&self, user: &str, expired: bool) -> Pair {
        self.state.authority.client(user, expired)
    }

    /// Sets the server's time, in RFC 3339, which is also the time of new objects.
    pub(crate) fn set_date(&self, now: &str) {
        let mut settings = self.state.settings.lock().unwrap();
        settings.now = now.parse().unwrap();
        settings.sends_date = true;
    }

    /// From now on its answers have no `Date`.
    pub(crate) fn omit_date(&self) {
        self.state.settings.lock().unwrap().sends_date = false;
    }

    /// The version in the answer to `/version`, such as `v1.21.14-gke.700`.
    pub(crate) fn set_git_version(&self, version: &str) {
        let mut settings = self.state.settings.lock().unwrap();
        version.clone_into(&mut settings.git_version);
    }

    /// Answers to these requests have a `Warning` header.
    pub(crate) fn warn(&self, condition: Match, text: &str) {
        let mut settings = self.state.settings.lock().unwrap();
        settings.warnings.push((condition, text.to_owned()));
    }

    /// From now on, no user is allowed what the rule matches, not even `admin`.
    pub(crate) fn deny(&self, rule: impl Fn(&Attempt) -> bool + Send + Sync + 'static) {
        self.state.access.deny(rule);
    }

    /// These requests fail, until the fault has happened as often as it should.
    pub(crate) fn fault(&self, condition: Match, fault: impl Into<Scripted>) {
        self.state.faults.add(condition, fault.into());
    }

    /// From now on, each request has a connection of its own.
    pub(crate) fn close_connections(&self) {
        self.state.settings.lock().unwrap().closes_connections = true;
    }

    /// Removes all faults.
    pub(crate) fn clear_faults(&self) {
        self.state.faults.clear();
        self.state.announce_change();
    }

    /// All requests so far, in the order in which they came in.
    pub(crate) fn requests(&self) -> Vec<Recorded> {
        self.state.requests.lock().unwrap().clone()
    }

    /// The lines of all requests so far.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.requests().iter().map(Recorded::line).collect()
    }

    /// The lines of all requests so far, sorted, because lists are read at the same time.
    pub(crate) fn sorted_lines(&self) -> Vec<String> {
        let mut lines = self.lines();
        lines.sort();
        lines
    }

    /// The requests so far that satisfy a condition.
    pub(crate) fn requests_where(&self, condition: impl Fn(&Recorded) -> bool) -> Vec<Recorded> {
        let mut requests = self.requests();
        requests.retain(condition);
        requests
    }

    /// The requests so far that create a Job in `shop`.
    pub(crate) fn posts(&self) -> Vec<Recorded> {
        self.requests_where(|one| one.line() == "POST /apis/batch/v1/namespaces/shop/jobs")
    }

    /// Forgets the requests so far.
    pub(crate) fn clear_requests(&self) {
        self.state.requests.lock().unwrap().clear();
    }

    /// Waits until the requests so far satisfy a condition; a minute at most.
    pub(crate) fn wait_for(&self, condition: impl Fn(&[Recorded]) -> bool) {
        let holds = || condition(&self.state.requests.lock().unwrap());
        self.wait_until(holds, || format!("{:#?}", self.lines()));
    }

    /// Waits until there is a request that satisfies a condition.
    pub(crate) fn wait_for_request(&self, condition: impl Fn(&Recorded) -> bool) {
        self.wait_for(|requests| requests.iter().any(&condition));
    }

    /// Waits until something is watched.
    pub(crate) fn wait_for_watch(&self) {
        self.wait_for_request(Recorded::is_watch);
    }

    /// Ends all watches, as a server does from time to time.
    pub(crate) fn close_watches(&self) {
        self.change(Store::close_watches);
    }

    /// Forgets everything before now: older watches and continue tokens are refused.
    pub(crate) fn compact(&self) {
        self.change(Store::compact);
    }

    /// A list of all objects of a kind in protobuf.
    pub(crate) fn protobuf(&self, api_version: &str, kind: &str) -> Vec<u8> {
        let resource = self.state.resource_of(api_version, kind);
        let store = self.state.store.lock().unwrap();
        let metadata = json!({"resourceVersion": store.revision().to_string()});
        let all = resource.key("", "");
        let items: Vec<_> = store
            .range(&all, &all)
            .map(|(_, object)| Arc::clone(object))
            .collect();
        protobuf::list(resource, &metadata, &items)
    }

    /// Stops the server: connections end, and new ones are refused.
    ///
    /// # Panics
    ///
    /// If a connection has panicked, so that the test fails.
    pub(crate) fn stop(&self) {
        drop(self.runtime.lock().unwrap().take());
        let has_panicked = self.state.has_panicked.load(Ordering::Relaxed);
        assert!(
            !has_panicked || thread::panicking(),
            "a connection of the server has panicked"
        );
    }

    /// Restarts the server on the same port, with the same objects.
    pub(crate) fn restart(&self) {
        self.stop();
        let (runtime, _) = connection::listen(self.port, self.tls.clone(), Arc::clone(&self.state));
        *self.runtime.lock().unwrap() = Some(runtime);
    }

    /// Waits until a condition holds, which a change of the server can make true; a minute at most.
    fn wait_until(&self, condition: impl Fn() -> bool, description: impl Fn() -> String) {
        let runtime = Builder::new_current_thread().enable_time().build().unwrap();
        let holds = self.state.until_true(condition);
        let waited = runtime.block_on(async { timeout(PATIENCE, holds).await });
        assert!(waited.is_ok(), "timed out waiting for {}", description());
    }

    fn change<T>(&self, change: impl FnOnce(&mut Store) -> T) -> T {
        let result = change(&mut self.state.store.lock().unwrap());
        self.state.announce_change();
        result
    }
}

impl Drop for ApiServer {
    fn drop(&mut self) {
        self.stop();
    }
}
