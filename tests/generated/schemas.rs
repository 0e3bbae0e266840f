//! The JSON schemas of the machine-readable documents. Descriptions are the doc comments of the fields, so that
//! each field is described in one place.

use std::collections::BTreeSet;

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
    let all = vec![
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
    ];
    let of_several = all.iter().flat_map(|(.., items)| items.clone());
    let of_several: BTreeSet<String> = of_several.collect();
    let with_context = |(kind, mut schema, _): Described| {
        for name in &of_several {
            if let Some(item) = schema["$defs"].get_mut(name) {
                item["properties"]["context"] = json!({
                    "type": "string",
                    "description": "The context, if the document is about several.",
                });
            }
        }
        (kind, schema)
    };
    all.into_iter().map(with_context).collect()
}

/// A kind, its schema, and the types of its items if it can be about several contexts.
type Described = (String, Value, Vec<String>);

fn schema<T: DocumentBody>() -> Described {
    (T::schema_name().into(), root::<Envelope<T>>(), Vec::new())
}

/// The schema of a document that can be about several contexts: fields about one of them are then in its entry.
fn schema_of_several<T: DocumentBody>() -> Described {
    let (kind, mut schema, _) = schema::<T>();
    let lists = T::ITEMS.iter().map(|list| &schema["properties"][list]);
    let items = lists.filter_map(|list| list["items"]["$ref"].as_str()?.strip_prefix("#/$defs/"));
    let items = items.map(str::to_owned).collect();
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
    (kind, schema, items)
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
