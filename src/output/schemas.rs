//! The JSON schemas of the machine-readable documents. Descriptions are the doc comments of the fields, so that
//! each field is described in one place.

use std::borrow::Cow;

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use super::contexts::ContextDocument;
use super::envelope::{DocumentBody, Envelope};
use super::{
    actions, explain, history, kinds, lint, load, next_runs, plan, report, scan, simulate, version,
};

/// The schema of each kind of document, by kind.
pub fn schemas() -> Vec<(Cow<'static, str>, Schema)> {
    vec![
        schema::<actions::ActionsDocument<'_>>(),
        schema_of_several::<explain::Explanations<'_>>(),
        schema_of_several::<history::HistoryDocument<'_>>(),
        schema::<lint::LintDocument<'_>>(),
        schema_of_several::<load::LoadDocument<'_>>(),
        schema_of_several::<next_runs::NextRuns<'_>>(),
        schema::<plan::PlanDocument<'_>>(),
        schema_of_several::<report::ReportDocument<'_>>(),
        schema_of_several::<scan::Scan<'_>>(),
        schema::<kinds::ScheduleExplanations>(),
        schema::<simulate::SimulationDocument<'_>>(),
        schema::<version::VersionDocument>(),
    ]
}

fn schema<T: DocumentBody>() -> (Cow<'static, str>, Schema) {
    let mut schema = root::<Envelope<T>>();
    let types = schema.get_mut("$defs").and_then(Value::as_object_mut);
    for (name, schema) in types.into_iter().flatten() {
        if ITEMS.contains(&name.as_str()) {
            schema["properties"]["context"] = json!({
                "type": "string",
                "description": "The context, if the document is about several.",
            });
        }
    }
    (T::KIND.into(), schema)
}

/// The types of the items of documents that can be about several contexts.
const ITEMS: [&str; 6] = [
    "Explanation",
    "Health",
    "NextRunsOf",
    "Past",
    "Suggestion",
    "Uncounted",
];

/// The schema of a document that can be about several contexts: what is about one of them is in its entry then.
fn schema_of_several<T: DocumentBody>() -> (Cow<'static, str>, Schema) {
    let (kind, schema) = schema::<T>();
    let mut schema = schema.to_value();
    let stays = |field: &str| ["apiVersion", "kind"].contains(&field) || T::ITEMS.contains(&field);
    let mut context = root::<ContextDocument>().to_value();
    let about_each = schema["properties"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    for (field, described) in about_each {
        if !stays(&field) {
            context["properties"][field] = described;
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
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let (always, alone): (Vec<Value>, Vec<Value>) = required.into_iter().partition(|field| {
        field
            .as_str()
            .is_some_and(|field| stays(field) || T::TOTALS == Some(field))
    });
    schema["required"] = always.into();
    schema["anyOf"] = json!([{"required": alone}, {"required": ["contexts"]}]);
    (kind, schema.try_into().unwrap_or_default())
}

fn root<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with_transform(RecursiveTransform(forget_widths));
    settings.into_generator().into_root_schema_for::<T>()
}

/// The width of a number in this program is not part of the schema.
fn forget_widths(schema: &mut Schema) {
    let format = schema.get("format").and_then(Value::as_str);
    if !matches!(format, Some("date-time" | "date")) {
        schema.remove("format");
    }
}
