//! What the machine-readable documents look like, as JSON schemas. Descriptions are the comments at the
//! fields: there is one place where a field is told of.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use super::{actions, explain, history, lint, load, next_runs, report, scan, simulate, version};

/// The schema of each kind of document, by kind.
pub fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("Actions", schema::<actions::Document<'_>>()),
        ("Explanations", schema::<explain::Document<'_>>()),
        ("History", schema::<history::Document<'_>>()),
        ("LintReport", schema::<lint::Document<'_>>()),
        ("Load", schema::<load::Document<'_>>()),
        ("NextRuns", schema::<next_runs::Document<'_>>()),
        ("Report", schema::<report::Document<'_>>()),
        ("ScanReport", schema::<scan::Document<'_>>()),
        ("Simulation", schema::<simulate::Document<'_>>()),
        ("Version", schema::<version::Version>()),
    ]
}

fn schema<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with_transform(RecursiveTransform(forget_widths));
    settings.into_generator().into_root_schema_for::<T>()
}

/// How wide a number is in this program is nobody's business.
fn forget_widths(schema: &mut Schema) {
    let format = schema.get("format").and_then(Value::as_str);
    if !matches!(format, Some("date-time" | "date")) {
        schema.remove("format");
    }
}
