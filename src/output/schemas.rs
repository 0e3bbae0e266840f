//! The JSON schemas of the machine-readable documents. Descriptions are the doc comments of the fields, so that
//! each field is described in one place.

use std::borrow::Cow;

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde_json::Value;

use super::envelope::{DocumentBody, Envelope};
use super::{
    actions, explain, history, kinds, lint, load, next_runs, plan, report, scan, simulate, version,
};

/// The schema of each kind of document, by kind.
pub fn schemas() -> Vec<(Cow<'static, str>, Schema)> {
    vec![
        schema::<actions::ActionsDocument<'_>>(),
        schema::<explain::Explanations<'_>>(),
        schema::<history::HistoryDocument<'_>>(),
        schema::<lint::LintDocument<'_>>(),
        schema::<load::LoadDocument<'_>>(),
        schema::<next_runs::NextRuns<'_>>(),
        schema::<plan::PlanDocument<'_>>(),
        schema::<report::ReportDocument<'_>>(),
        schema::<scan::Scan<'_>>(),
        schema::<kinds::ScheduleExplanations>(),
        schema::<simulate::SimulationDocument<'_>>(),
        schema::<version::VersionDocument>(),
    ]
}

fn schema<T: DocumentBody>() -> (Cow<'static, str>, Schema) {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with_transform(RecursiveTransform(forget_widths));
    let schema = settings
        .into_generator()
        .into_root_schema_for::<Envelope<T>>();
    (T::KIND.into(), schema)
}

/// The width of a number in this program is not part of the schema.
fn forget_widths(schema: &mut Schema) {
    let format = schema.get("format").and_then(Value::as_str);
    if !matches!(format, Some("date-time" | "date")) {
        schema.remove("format");
    }
}
