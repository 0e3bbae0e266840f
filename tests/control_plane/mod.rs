//! The predictions, held against a real control plane.
//!
//! `KUBEBUILDER_ASSETS` names a folder with `etcd`, `kube-apiserver` and `kube-controller-manager`,
//! as envtest has it; without it each test says that it was skipped. What is expected was recorded
//! with Kubernetes 1.36.2.

use crate::support::control_plane;

/// A namespace on the shared control plane; a test without one, or of an older release, ends here. Before 1.22 a Job
/// cannot be suspended, so that the Job controller goes on with one that a test has finished.
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
mod namespace;
mod outage;
mod owned;
mod plan;
mod pods;
mod prelude;
mod prometheus;
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

/// The control plane that the tests of this file share: each works in a namespace of its own.
pub(crate) fn shared_plane() -> Option<&'static ControlPlane> {
    static PLANE: OnceLock<ControlPlane> = OnceLock::new();
    let assets = assets()?;
    Some(PLANE.get_or_init(|| {
        let plane = ControlPlane::start(&assets);
        plane.start_controllers("UTC");
        plane
    }))
}
