//! An API server for tests: HTTPS on this machine, with objects that the test puts there.
//!
//! It behaves as a kube-apiserver of 1.36 does, as far as a client of `CronJob`s can tell: lists in
//! pages, protobuf, watches, refusals in the same words. tests/apiserver.rs holds it against the
//! recorded answers of a real one. An end-to-end test is five lines:
//!
//! ```ignore
//! let server = ApiServer::start(Options::default());
//! server.load_list("tests/fixtures/cronjobs.json");
//! let kubeconfig = server.kubeconfig(&Kubeconfig::user("viewer").namespace("shop"));
//! let ran = doctor(&["explain", "nightly", "--kubeconfig", kubeconfig.to_str().unwrap()]);
//! assert_eq!(server.requests()[0].line(), "GET /version");
//! ```
//!
//! It uses nothing of the other test modules, so that a benchmark can include it as well.
//! A panic in one
//! of its threads, such as that of a field without a number in protobuf/messages.txt, fails the test that drops it.
//!
//! | to | ask |
//! |---|---|
//! | put objects there | [`ApiServer::add`], [`ApiServer::load_list`]: with the versions they bear |
//! | change them while it runs | [`ApiServer::put`], [`ApiServer::delete`]: a new version, and watches learn of it |
//! | have very many | [`Options::synthetic`]: 10,000 and 5 are 24 MB here, and 150 MB on the wire |
//! | be somebody | [`Kubeconfig`]: `admin`, `viewer`, `nobody`, or a [`User`] of your own, by token, certificate or command |
//! | forbid something | [`ApiServer::deny`] |
//! | break something | [`ApiServer::fault`] with a [`Match`] and a [`Fault`] |
//! | know what was asked | [`ApiServer::requests`], and [`ApiServer::wait_for`] to wait for it |
//! | let containers write | [`ApiServer::log`], [`ApiServer::end_log`] |
//! | steer watches | [`ApiServer::compact`], [`ApiServer::close_watches`] |
//! | turn the clock | [`ApiServer::set_date`]; it stands still otherwise |
//!
//! Inside, a request goes this way: `listener` and `connection` (sockets, TLS, faults) → `http` →
//! `answering` → `identity` (who) → `routes` (what) → `access` (may it) → `reading`, `watching`,
//! `writing`, `logs`, `reviews` or `discovery` → `reply` (JSON or `protobuf`) → back. `store` holds the
//! objects and what has happened to them.

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
mod continue_token;
mod discovery;
mod faults;
mod gojson;
mod http;
mod identity;
mod kubeconfig;
mod listener;
mod logs;
mod managed_fields;
mod matching;
mod negotiation;
mod objects;
mod options;
pub(crate) mod protobuf;
mod reading;
mod reply;
mod requests;
mod resources;
mod reviews;
mod routes;
mod seeding;
mod selectors;
mod state;
mod status;
mod stop;
mod store;
mod synthetic;
mod tls;
mod watching;
mod writing;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use rustls::ServerConfig;
use serde_json::json;

use access::Access;
use certificates::Authority;
use faults::Faults;
use kubeconfig::Folder;
use listener::Listener;
use logs::Logs;
use requests::RequestLog;
use state::{Settings, State};
use store::{Change, Store};

pub(crate) use self::{
    access::{Attempt, User},
    certificates::Pair,
    faults::{Fault, Scripted},
    kubeconfig::Kubeconfig,
    matching::Match,
    options::Options,
    requests::{Recorded, watches},
};

/// A server that runs until it is dropped.
pub(crate) struct ApiServer {
    state: Arc<State>,
    authority: Authority,
    tls: Arc<ServerConfig>,
    listener: Mutex<Option<Listener>>,
    port: u16,
    folder: Folder,
    files: AtomicU64,
}

impl ApiServer {
    /// Starts on a port of its own.
    pub(crate) fn start(options: Options) -> ApiServer {
        static SERVERS: AtomicU64 = AtomicU64::new(0);
        let mut store = Store::default();
        seeding::herd(&mut store, &options);
        let state = Arc::new(State {
            store: Mutex::new(store),
            changed: Condvar::new(),
            resources: options.resources,
            access: Access::new(options.users),
            log: RequestLog::default(),
            faults: Faults::default(),
            settings: Mutex::new(Settings {
                now: options.now.parse().unwrap(),
                tells_time: true,
                git_version: options.git_version,
                warnings: Vec::new(),
                address: String::new(),
            }),
            logs: Mutex::new(Logs::default()),
            answers: AtomicU64::new(0),
        });
        let authority = Authority::new();
        let tls = tls::config(&authority, options.expired_certificate);
        let listener =
            Listener::start(0, Arc::clone(&tls), Arc::clone(&state), authority.clients());
        let port = listener.port();
        state.settings.lock().unwrap().address = format!("127.0.0.1:{port}");
        let number = SERVERS.fetch_add(1, Ordering::Relaxed);
        ApiServer {
            state,
            authority,
            tls,
            listener: Mutex::new(Some(listener)),
            port,
            folder: Folder::new(&number.to_string()),
            files: AtomicU64::new(0),
        }
    }

    /// `https://127.0.0.1:` and the port.
    pub(crate) fn url(&self) -> String {
        format!("https://127.0.0.1:{}", self.port)
    }

    /// Writes a kubeconfig and says where; it goes when the server goes.
    pub(crate) fn kubeconfig(&self, config: &Kubeconfig) -> PathBuf {
        let text = config.text(&self.url(), &self.authority);
        self.file("kubeconfig", &text)
    }

    /// A kubeconfig whose user logs in by a command that prints a credential.
    pub(crate) fn exec_kubeconfig(&self, user: &str) -> PathBuf {
        let credential = json!({
            "apiVersion": "client.authentication.k8s.io/v1",
            "kind": "ExecCredential",
            "status": {"token": format!("{user}-token")},
        });
        let file = self.file("credential.json", &credential.to_string());
        self.kubeconfig(&Kubeconfig::exec("cat", &[file.to_str().unwrap()]))
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
        self.authority.pem()
    }

    /// A client certificate of a user, and its key.
    pub(crate) fn client_certificate(&self, user: &str, expired: bool) -> Pair {
        self.authority.client(user, expired)
    }

    /// From now on the server tells this time, in RFC 3339, and stamps objects with it.
    pub(crate) fn set_date(&self, now: &str) {
        let mut settings = self.state.settings.lock().unwrap();
        settings.now = now.parse().unwrap();
        settings.tells_time = true;
    }

    /// From now on its answers have no `Date`.
    pub(crate) fn tell_no_date(&self) {
        self.state.settings.lock().unwrap().tells_time = false;
    }

    /// The version that `/version` tells, such as `v1.21.14-gke.700`.
    pub(crate) fn set_git_version(&self, version: &str) {
        let mut settings = self.state.settings.lock().unwrap();
        version.clone_into(&mut settings.git_version);
    }

    /// Answers to such requests bear a `Warning` header.
    pub(crate) fn warn(&self, condition: Match, text: &str) {
        let mut settings = self.state.settings.lock().unwrap();
        settings.warnings.push((condition, text.to_owned()));
    }

    /// From now on nobody may do what the rule says; even those who may everything.
    pub(crate) fn deny(&self, rule: impl Fn(&Attempt) -> bool + Send + Sync + 'static) {
        self.state.access.deny(rule);
    }

    /// Such requests go wrong, until the fault has struck as often as it should.
    pub(crate) fn fault(&self, condition: Match, fault: impl Into<Scripted>) {
        self.state.faults.add(condition, fault.into());
    }

    /// Nothing goes wrong any longer.
    pub(crate) fn clear_faults(&self) {
        self.state.faults.clear();
    }

    /// All requests so far, in the order in which they came in.
    pub(crate) fn requests(&self) -> Vec<Recorded> {
        self.state.log.all()
    }

    /// Forgets the requests so far.
    pub(crate) fn clear_requests(&self) {
        self.state.log.clear();
    }

    /// Waits until the requests so far satisfy a condition; a minute at most.
    pub(crate) fn wait_for(&self, condition: impl Fn(&[Recorded]) -> bool) {
        self.state.log.wait_for(condition);
    }

    /// Ends all watches, as a server does now and then.
    pub(crate) fn close_watches(&self) {
        self.change(|store| store.remember(Change::CloseWatches(store.revision())));
    }

    /// Forgets everything before now: older watches and continue tokens are refused.
    pub(crate) fn compact(&self) {
        self.change(Store::compact);
    }

    /// Continue tokens that were given out so far are too old.
    pub(crate) fn expire_continue_tokens(&self) {
        self.change(Store::expire_continue_tokens);
    }

    /// Goes away: connections end, and new ones are refused.
    pub(crate) fn stop(&self) {
        drop(self.listener.lock().unwrap().take());
    }

    /// Comes back on the same port, with the same objects.
    pub(crate) fn restart(&self) {
        self.stop();
        let listener = Listener::start(
            self.port,
            Arc::clone(&self.tls),
            Arc::clone(&self.state),
            self.authority.clients(),
        );
        *self.listener.lock().unwrap() = Some(listener);
    }

    fn change<T>(&self, change: impl FnOnce(&mut Store) -> T) -> T {
        let result = change(&mut self.state.store.lock().unwrap());
        self.state.changed.notify_all();
        result
    }
}
