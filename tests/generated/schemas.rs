//! The JSON schemas of the machine-readable documents. Descriptions are the doc comments of the fields, so that
//! each field is described in one place.

use cronjob_doctor::output::actions::ActionsDocument;
use cronjob_doctor::output::contexts::ContextDocument;
use cronjob_doctor::output::explain::Explanations;
use cronjob_doctor::output::history::HistoryDocument;
use cronjob_doctor::output::kinds::ScheduleExplanations;
use cronjob_doctor::output::lint::LintDocument;
use cronjob_doctor::output::load::LoadDocument;
use cronjob_doctor::output::next_runs::NextRuns;
use cronjob_doctor::output::plan::PlanDocument;
use cronjob_doctor::output::report::ReportDocument;
use cronjob_doctor::output::scan::Scan;
use cronjob_doctor::output::simulate::SimulationDocument;
use cronjob_doctor::output::version::VersionDocument;
use cronjob_doctor::output::{DocumentBody, Envelope};
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

/// The schema of each kind of document, by kind.
pub(crate) fn schemas() -> Vec<(String, Value)> {
    vec![
        schema::<ActionsDocument<'_>>(),
        schema_of_several::<Explanations<'_>>(),
        schema_of_several::<HistoryDocument<'_>>(),
        schema::<LintDocument<'_>>(),
        schema::<LoadDocument<'_>>(),
        schema_of_several::<NextRuns<'_>>(),
        schema::<PlanDocument<'_>>(),
        schema_of_several::<ReportDocument<'_>>(),
        schema_of_several::<Scan<'_>>(),
        schema::<ScheduleExplanations>(),
        schema::<SimulationDocument<'_>>(),
        schema::<VersionDocument>(),
    ]
}

/// The types of the items of documents that can be about several contexts.
const ITEMS: [&str; 4] = ["Explanation", "Health", "NextRunsOf", "Past"];

fn schema<T: DocumentBody>() -> (String, Value) {
    let mut schema = root::<Envelope<T>>();
    for name in ITEMS {
        if let Some(item) = schema["$defs"].get_mut(name) {
            item["properties"]["context"] = json!({
                "type": "string",
                "description": "The context, if the document is about several.",
            });
        }
    }
    (T::schema_name().into(), schema)
}

/// The schema of a document that can be about several contexts: fields about one of them are then in its entry.
fn schema_of_several<T: DocumentBody>() -> (String, Value) {
    let (kind, mut schema) = schema::<T>();
    let stays = |field: &str| ["apiVersion", "kind"].contains(&field) || T::ITEMS.contains(&field);
    let mut context = root::<ContextDocument>();
    for (field, described) in schema["properties"].as_object().unwrap() {
        if !stays(field) {
            context["properties"][field] = described.clone();
        }
    }
    let name = format!("{kind}Context");
    schema["$defs"][&name] = json!({
        "description": context["description"],
        "type": "object",
        "properties": context["properties"],
        "required": context["required"],
    });
    schema["properties"]["contexts"] = json!({
        "description": "The contexts, if the document is about several. What is about one of them is here then.",
        "type": "array",
        "items": {"$ref": format!("#/$defs/{name}")},
    });
    let required = schema["required"].as_array().unwrap().iter().cloned();
    let (always, alone): (Vec<Value>, Vec<Value>) = required.partition(|field| {
        let field = field.as_str().unwrap();
        stays(field) || T::TOTALS == Some(field)
    });
    schema["required"] = always.into();
    schema["anyOf"] = json!([{"required": alone}, {"required": ["contexts"]}]);
    (kind, schema)
}

fn root<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with_transform(RecursiveTransform(forget_widths));
    let generator = settings.into_generator();
    generator.into_root_schema_for::<T>().to_value()
}

/// The width of a number in this program is not part of the schema.
fn forget_widths(schema: &mut Schema) {
    let format = schema.get("format").and_then(Value::as_str);
    if !matches!(format, Some("date-time" | "date")) {
        schema.remove("format");
    }
}
