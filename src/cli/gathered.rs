//! What was gathered about the CronJobs of a call.

use crate::cluster::Pods;
use crate::diagnose::Coverage;
use crate::model::{CronJobEvidence, UnreadResource};

/// What was found, and whether that is all that was asked for.
pub(super) struct Gathered {
    /// The CronJobs that were chosen, with what is about them.
    pub(super) chosen: Vec<Chosen>,
    /// How far the evidence reaches.
    pub(super) coverage: Coverage,
    /// Whether everything that was asked for could be read.
    pub(super) complete: bool,
    /// What could not be had.
    pub(super) lacks: Vec<UnreadResource>,
    /// The namespace that was looked at, if it is one.
    pub(super) namespace: Option<String>,
    /// Where nothing was chosen: what there is instead, or where there may be more.
    pub(super) instead: Option<String>,
}

impl Gathered {
    /// Whether nothing of what was asked for could be had: there is nothing to draw a picture of then.
    pub(super) fn is_void(&self) -> bool {
        self.chosen.is_empty() && !self.complete
    }
}

/// A CronJob that was chosen.
pub(super) struct Chosen {
    pub(super) evidence: CronJobEvidence,
    /// Where it is written, if that is in a file.
    pub(super) places: Option<Places>,
}

/// Where fields are written, as `file:line:column`.
#[derive(Clone)]
pub(super) struct Places {
    pub(super) schedule: String,
    pub(super) time_zone: String,
}

/// What a verb wants to know beside the CronJobs themselves.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Needs {
    /// Jobs, and the events about CronJobs and Jobs.
    pub(super) jobs: bool,
    /// Pods of Jobs, with the events about them, and quotas.
    pub(super) pods: Pods,
}

impl Needs {
    /// Jobs, and no pods.
    pub(super) const JOBS: Needs = Needs {
        jobs: true,
        pods: Pods::None,
    };
}
