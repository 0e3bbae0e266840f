//! The health of many `CronJob`s at a moment.
//!
//! A [`Row`] is what remains of a `CronJob` after it was looked at: small enough to keep ten
//! thousand of them, and to lay each aside and compute it again when only that one has changed.
//! A [`SurveyReport`] puts rows in order and says what they come to.

mod live;
mod report;
mod row;

pub use live::LiveSurvey;
pub(crate) use report::{HealthSummary, RowOrder};
pub use report::{RowSelection, SurveyReport};
pub(crate) use row::{Health, Row};

use jiff::Timestamp;

use crate::controller::Controller;
use crate::diagnose::Coverage;
use crate::model::CronJobEvidence;

/// The rows of evidence at a moment, in the order of the evidence. Of each evidence only the row
/// is kept: an iterator that gives them away frees them one by one.
pub fn rows<D: std::borrow::Borrow<CronJobEvidence>>(
    controller: &Controller<'_>,
    all_evidence: impl IntoIterator<Item = D>,
    coverage: Coverage,
    now: Timestamp,
) -> Vec<Row> {
    let row = |evidence: D| Row::of(controller, evidence.borrow(), coverage, now);
    all_evidence.into_iter().map(row).collect()
}
