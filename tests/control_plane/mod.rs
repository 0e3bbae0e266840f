//! Compares predictions with what a real control plane does.
//!
//! `KUBEBUILDER_ASSETS` names a folder with `etcd`, `kube-apiserver` and `kube-controller-manager`, such as the one
//! that envtest downloads. If it is not set, each test prints that it was skipped. The expected values were recorded
//! with Kubernetes 1.36.2.

use crate::support::control_plane;

/// Creates a namespace on the shared control plane. Returns from the test if there is no control plane, or if its
/// release is older than `since`. Before 1.22 a Job cannot be suspended, so the Job controller continues to work on a
/// Job that a test has marked as finished.
macro_rules! namespace {
    ($name:expr $(, since $minor:literal)?) => {
        match crate::control_plane::shared_plane()
            $(.filter(|plane| plane.is_since($minor)))?
        {
            Some(plane) => Namespace::new(plane, $name),
            None => return,
        }
    };
}

mod access;
mod backfilled;
mod cases;
mod clock;
#[cfg(target_os = "linux")]
mod clock_changes;
mod comparison;
mod completing;
mod disrupted;
mod edited;
mod expectations;
mod expiry;
mod forecast;
mod held;
mod kinds;
mod last_run;
mod linting;
mod logs;
#[cfg(target_os = "linux")]
mod monitored;
mod namespace;
mod outage;
mod owned;
mod plan;
mod pods;
mod prelude;
mod recorded;
mod resumed;
mod resuming;
mod serve;
mod spreading;
mod starting;
mod suspending;
mod taken;
mod triggering;
mod watch;
mod writers;

use std::sync::OnceLock;

use control_plane::{ControlPlane, assets};

/// The control plane that these tests share. Each test has its own namespace.
pub(crate) fn shared_plane() -> Option<&'static ControlPlane> {
    static PLANE: OnceLock<ControlPlane> = OnceLock::new();
    let assets = assets()?;
    Some(PLANE.get_or_init(|| {
        let plane = ControlPlane::start(&assets);
        plane.start_controllers("UTC");
        plane
    }))
}
