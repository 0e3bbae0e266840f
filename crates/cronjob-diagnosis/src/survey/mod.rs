//! The health of many `CronJob`s at a moment.
//!
//! A [`Row`] is the result for one `CronJob`. It is small enough to keep ten thousand of them, and is computed
//! again only when its `CronJob` changes. A [`SurveyReport`] sorts and summarizes rows.

mod causes;
mod live;
mod report;
mod row;
mod unrecorded;

pub use causes::{SharedCause, shared_causes};
pub use live::LiveSurvey;
pub use report::{HealthSummary, Manager, RowOrder, ScanSelection};
pub use report::{RowSelection, SurveyReport};
pub use row::{Health, Row};

use jiff::Timestamp;

use crate::kubectl::Kubectl;
use cronjob_controller::controller::Controller;
use kube_model::{Coverage, CronJobEvidence};

/// The rows of evidence at a moment, in the order of the evidence. Of each evidence only the row
/// is kept: an iterator that gives them away frees them one by one.
pub fn rows<D: std::borrow::Borrow<CronJobEvidence>>(
    controller: &Controller,
    kubectl: &Kubectl,
    all_evidence: impl IntoIterator<Item = D>,
    coverage: Coverage,
    now: Timestamp,
) -> Vec<Row> {
    // All that are affected by an outage share it.
    let mut shared = None;
    let row = |evidence: D| {
        let mut row = Row::of(controller, kubectl, evidence.borrow(), coverage, now);
        if shared == row.outage {
            row.outage.clone_from(&shared);
        } else {
            shared.clone_from(&row.outage);
        }
        row
    };
    all_evidence.into_iter().map(row).collect()
}
