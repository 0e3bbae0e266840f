//! `--dry-run=server`: sends the manifests to a cluster for validation.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::cli::args::Common;
use crate::cli::interrupt;
use cronjob_controller::controller::Release;
use cronjob_manifest::lint::{
    DryRunCandidate, DryRunResult, FileReport, Linter, RejectionCause, candidates,
};
use cronjob_text::words::counted;
use kube_access::{ClusterError, Right, Session};
use kube_objects::query::Resource;

/// A cluster that can be asked.
pub(super) struct Cluster {
    session: Session,
    /// The namespace of manifests without one.
    namespace: String,
    /// Why no more requests are sent, and the number of CronJobs that were not checked.
    failed: Mutex<Option<(String, usize)>>,
}

impl Cluster {
    pub(super) fn open(common: &Common) -> anyhow::Result<Self> {
        let session = Session::open(&common.access(), &interrupt::SIGNALS)?;
        let namespace = common.connection.namespace().cloned();
        Ok(Cluster {
            namespace: namespace.unwrap_or_else(|| session.namespace().to_owned()),
            session,
            failed: Mutex::new(None),
        })
    }

    /// The version of the API server, if it is known.
    pub(super) fn release(&self) -> anyhow::Result<Option<Release>> {
        match self.session.version() {
            Ok(version) => Ok(version.release),
            Err(error) if error.is_forbidden() || error.is_not_found() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Checks the CronJobs of a file.
    pub(super) fn ask(&self, linter: &Linter<'_>, report: &mut FileReport, bytes: &[u8]) {
        let results: Vec<Option<DryRunResult>> = candidates(bytes)
            .iter()
            .map(|candidate| self.result(candidate.as_ref()?))
            .collect();
        if !results.is_empty() {
            linter.add_dry_run_results(report, bytes, &results);
        }
    }

    /// The answer of the cluster; no further requests are sent after a failure, since each could time out.
    fn result(&self, candidate: &DryRunCandidate) -> Option<DryRunResult> {
        if let Some((_, unasked)) = &mut *self.lock() {
            *unasked += 1;
            return None;
        }
        match self.propose(candidate) {
            Ok(result) => Some(result),
            Err(why) => {
                self.lock().get_or_insert((why, 0)).1 += 1;
                None
            }
        }
    }

    fn propose(&self, candidate: &DryRunCandidate) -> Result<DryRunResult, String> {
        let resource = Resource {
            version: candidate.version.clone(),
            ..Resource::cron_jobs()
        };
        let namespace = candidate.namespace.as_deref().unwrap_or(&self.namespace);
        let error = match self
            .session
            .would_create(&resource, namespace, &candidate.object)
        {
            Ok(warnings) => return Ok(DryRunResult::Accepted { warnings }),
            Err(error) => error,
        };
        if error.is_forbidden() {
            self.ensure_right(&resource, namespace)?;
        }
        refusal(&error).ok_or_else(|| error.to_string())
    }

    /// Distinguishes a missing permission from a quota, since both have the same status code.
    fn ensure_right(&self, resource: &Resource, namespace: &str) -> Result<(), String> {
        let right = Right {
            namespace: Some(namespace),
            ..Right::to("create", resource)
        };
        match self.session.may(&right) {
            Ok(review) if !review.allowed => {
                Err(format!("cannot {} (forbidden)", right.sentence()))
            }
            // If the API server does not answer this, a rejection by the cluster is assumed.
            Err(error) if !error.is_forbidden() && !error.is_not_found() => Err(error.to_string()),
            _ => Ok(()),
        }
    }

    /// Why not everything was checked, if so.
    pub(super) fn failure(&self) -> Option<String> {
        let failed = self.lock();
        let (why, unasked) = failed.as_ref()?;
        let many = counted(*unasked, "CronJob");
        Some(format!("{many} not checked against the cluster: {why}"))
    }

    fn lock(&self) -> MutexGuard<'_, Option<(String, usize)>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The rejection of the manifest, unless it is another error.
fn refusal(error: &ClusterError) -> Option<DryRunResult> {
    if let ClusterError::InvalidNamespace { .. } = error {
        return Some(DryRunResult::Rejected {
            message: error.to_string(),
            causes: Vec::new(),
        });
    }
    let status = error.status()?;
    if !status.is_of_kubernetes() || !matches!(status.code, 400 | 403 | 404 | 409 | 422) {
        return None;
    }
    let causes = status.details.causes.iter();
    let causes = causes.map(|cause| RejectionCause {
        field: cause.field.clone(),
        message: cause.message.clone(),
    });
    Some(DryRunResult::Rejected {
        message: status.message.clone(),
        causes: causes.collect(),
    })
}
