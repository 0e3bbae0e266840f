//! A real control plane on this machine: etcd, the API server and the controllers.
//!
//! `tests/control_plane` compares predictions with it. It needs the programs of Kubernetes: a test first calls
//! [`assets`], and is skipped if there are none:
//!
//! ```ignore
//! let Some(assets) = assets() else { return };
//! let plane = ControlPlane::start(&assets);
//! plane.start_controllers("UTC");
//! let kubeconfig = plane.kubeconfig("viewer");
//! ```
//!
//! There is no kubelet: the pods of Jobs stay pending.
//!
//! `process` runs a program that ends when the test does; `credentials` creates the users; `etcd` accesses the stored
//! objects directly, and `api` through the API server; `controllers` reads the controllers' log.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test may fail in any way, and print about it"
)]

mod api;
mod controllers;
mod credentials;
mod etcd;
mod process;

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use serde_json::Value;
use test_requirements::CONTROL_PLANE;

pub(crate) use self::api::{Api, Events, batch};
pub(crate) use self::controllers::{Log, SyncEnd, sync_end};
pub(crate) use self::etcd::Etcd;
use self::process::{Folder, Process};
pub(crate) use self::process::{eventually, wait_until};

const ZONES: &str = "zoneinfo";

/// The folder with the programs of Kubernetes. Without it, a test is skipped, which is printed.
pub(crate) fn assets() -> Option<PathBuf> {
    let assets = std::env::var_os("KUBEBUILDER_ASSETS").map(PathBuf::from);
    if assets.is_none() {
        CONTROL_PLANE.skip();
    }
    assets
}

/// A control plane that runs until it is dropped, or until the test program ends.
pub(crate) struct ControlPlane {
    // Dropped in this order: clients before their servers, and the files last.
    controllers: Mutex<Option<Process>>,
    server: Process,
    etcd: Etcd,
    assets: PathBuf,
    /// The release: 36 is Kubernetes 1.36.
    pub(crate) minor: u32,
    folder: Folder,
}

impl ControlPlane {
    /// Starts etcd and the API server, and waits until they are ready. No controller runs yet.
    pub(crate) fn start(assets: &Path) -> ControlPlane {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let minor = minor_version(assets);
        let folder = Folder::new(&format!("control-plane-{}-{number}", std::process::id()));
        let etcd = Etcd::start(assets, &folder);
        let port = free_port();
        let url = format!("https://127.0.0.1:{port}");
        credentials::write(&folder, &url);
        let zones = folder.file(ZONES);
        std::fs::create_dir(&zones).unwrap();
        let zone_info = [("ZONEINFO", zones.to_str().unwrap())];
        let server = Process::start(
            &folder,
            "api",
            &assets.join("kube-apiserver"),
            &zone_info,
            &{
                let file = |name: &str| folder.file(name).display().to_string();
                [
                    format!("--etcd-servers={}", etcd.url()),
                    format!("--secure-port={port}"),
                    "--bind-address=127.0.0.1".to_owned(),
                    "--advertise-address=127.0.0.1".to_owned(),
                    format!("--cert-dir={}", file("certificates")),
                    format!("--tls-cert-file={}", file("server.crt")),
                    format!("--tls-private-key-file={}", file("server.key")),
                    format!("--token-auth-file={}", file("tokens.csv")),
                    "--authorization-mode=RBAC".to_owned(),
                    format!("--service-account-key-file={}", file("accounts.pub")),
                    format!(
                        "--service-account-signing-key-file={}",
                        file("accounts.key")
                    ),
                    "--service-account-issuer=https://kubernetes.default.svc".to_owned(),
                    "--service-cluster-ip-range=10.96.0.0/24".to_owned(),
                ]
                .into_iter()
                // Lists continue in etcd, where a test can compact what they began with.
                .chain(
                    (minor >= 34).then(|| "--feature-gates=ListFromCacheSnapshot=false".to_owned()),
                )
                .collect::<Vec<_>>()
            },
        );
        let plane = ControlPlane {
            controllers: Mutex::default(),
            server,
            etcd,
            assets: assets.to_owned(),
            minor,
            folder,
        };
        let api = plane.api("admin");
        eventually("the API server is ready", || {
            plane.server.check();
            api.is_ready().then_some(())
        });
        api.let_viewers_view();
        plane
    }

    /// The folder of zones that these programs know beside those of the machine.
    pub(crate) fn zones(&self) -> PathBuf {
        self.folder.file(ZONES)
    }

    /// Starts the controllers in this time zone.
    pub(crate) fn start_controllers(&self, zone: &str) {
        self.start_controllers_and(zone, &[]);
    }

    /// Starts the usual controllers and some more in this time zone.
    pub(crate) fn start_controllers_and(&self, zone: &str, more: &[&str]) {
        const CONTROLLERS: [&str; 6] = [
            "cronjob",
            "job",
            "ttl-after-finished",
            "namespace",
            "serviceaccount",
            "clusterrole-aggregation",
        ];
        let name = |name: &&str| match *name {
            _ if self.minor >= 28 => format!("{name}-controller"),
            "garbage-collector" => "garbagecollector".to_owned(),
            "node-lifecycle" => "nodelifecycle".to_owned(),
            name => name.to_owned(),
        };
        let controllers: Vec<String> = CONTROLLERS.iter().chain(more).map(name).collect();
        let controllers = controllers.join(",");
        let kubeconfig = self.kubeconfig("admin").display().to_string();
        let accounts = self.folder.file("accounts.key").display().to_string();
        let mut arguments = vec![
            format!("--kubeconfig={kubeconfig}"),
            format!("--service-account-private-key-file={accounts}"),
            "--leader-elect=false".to_owned(),
            // It does not serve clients.
            "--secure-port=0".to_owned(),
            format!("--controllers={controllers}"),
            // It does not throttle its requests, and logs when it syncs again.
            "--kube-api-qps=500".to_owned(),
            "--kube-api-burst=1000".to_owned(),
            "--vmodule=cronjob_controllerv2=4,cronjob_controller=4".to_owned(),
        ];
        if self.minor < 24 {
            // Another port, without encryption.
            arguments.push("--port=0".to_owned());
        }
        if self.has_first_controller() {
            arguments.push("--feature-gates=CronJobControllerV2=false".to_owned());
        }
        let program = self.assets.join("kube-controller-manager");
        let zones = self.zones();
        let environment = [("TZ", zone), ("ZONEINFO", zones.to_str().unwrap())];
        let process = Process::start(
            &self.folder,
            "controllers",
            &program,
            &environment,
            &arguments,
        );
        *self.running() = Some(process);
    }

    /// Whether the first controller runs: `FIRST_CONTROLLER` is set, and the release still has it.
    pub(crate) fn has_first_controller(&self) -> bool {
        self.minor <= 22 && std::env::var_os("FIRST_CONTROLLER").is_some()
    }

    /// The arguments of the program if the server's version does not show which controller runs.
    pub(crate) fn version_arguments(&self) -> &'static [&'static str] {
        if self.has_first_controller() {
            &["--kubernetes-version=1.20"]
        } else {
            &[]
        }
    }

    /// The status of a Job without the condition that releases before 1.31 have for success policies only.
    pub(crate) fn job_status(&self, mut status: Value) -> Value {
        if self.minor < 31
            && let Some(conditions) = status["conditions"].as_array_mut()
        {
            conditions.retain(|condition| condition["type"] != "SuccessCriteriaMet");
        }
        status
    }

    /// Whether the release is at least 1.`minor`. Otherwise a test that needs it is skipped, which is printed.
    pub(crate) fn is_since(&self, minor: u32) -> bool {
        let is_since = self.minor >= minor;
        if !is_since {
            eprintln!(
                "skipped: Kubernetes 1.{} is older than 1.{minor}",
                self.minor
            );
        }
        is_since
    }

    /// Kills the controllers.
    pub(crate) fn stop_controllers(&self) {
        drop(self.running().take());
    }

    fn running(&self) -> MutexGuard<'_, Option<Process>> {
        self.controllers.lock().unwrap()
    }

    /// A client of the API server for `admin`, `viewer` or `nobody`.
    pub(crate) fn api(&self, user: &str) -> Api {
        Api::new(&self.kubeconfig(user))
    }

    /// The kubeconfig of `admin`, `viewer` or `nobody`.
    pub(crate) fn kubeconfig(&self, user: &str) -> PathBuf {
        credentials::kubeconfig(&self.folder, user)
    }

    pub(crate) fn etcd(&self) -> &Etcd {
        &self.etcd
    }

    /// What the controllers log from now on.
    pub(crate) fn log(&self) -> Log {
        Log::from_now_on(&self.controllers_log())
    }

    /// The file that the controllers log to. A restart of the controllers overwrites it.
    pub(crate) fn controllers_log(&self) -> PathBuf {
        self.folder.file("controllers.log")
    }
}

/// A port that is free at this moment.
fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    listener.local_addr().unwrap().port()
}

/// The release of the programs: `Kubernetes v1.36.2` is 36.
fn minor_version(assets: &Path) -> u32 {
    let mut command = Command::new(assets.join("kube-apiserver"));
    let output = command.arg("--version").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let minor = text.split('.').nth(1).and_then(|minor| minor.parse().ok());
    minor.unwrap_or_else(|| panic!("{text}"))
}
