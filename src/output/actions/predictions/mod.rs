//! What a change would lead to, in documents: a file for each verb.

mod backfill;
mod reschedule;
mod resume;
mod suspend;
mod trigger;

use schemars::JsonSchema;

pub(super) use backfill::PlanDocument;
pub use backfill::prediction as backfill_document;
pub use reschedule::prediction as rescheduling_document;
pub use resume::prediction as resumption_document;
pub use suspend::prediction as suspension_document;
pub use trigger::prediction as triggering_document;

use backfill::StepDocument;
use reschedule::ReschedulingDocument;
use resume::ResumptionDocument;
use suspend::SuspensionDocument;
use trigger::TriggeringDocument;

/// What a change would lead to. Known where it is decided on, and kept as it will be written.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(
    dead_code,
    clippy::large_enum_variant,
    reason = "it stands in the schema only"
)]
pub(super) enum Prediction<'a> {
    Suspension(SuspensionDocument<'a>),
    Resumption(ResumptionDocument<'a>),
    Triggering(TriggeringDocument<'a>),
    Backfill(StepDocument<'a>),
    Rescheduling(ReschedulingDocument<'a>),
}
