//! The fields of a job template that findings use, as JSON.

use serde_json::{Map, Value, json};

use super::source::{FieldSource, FieldValue};

type TemplateFields = &'static [(&'static str, u32, TemplateField)];

enum TemplateField {
    Text,
    Number,
    Flag,
    /// Those texts whose names are used.
    Texts(fn(&str) -> bool),
    /// The quantity of one resource.
    Quantity(&'static str),
    Object(TemplateFields),
    List(&'static TemplateField),
}

use TemplateField::{Flag, List, Number, Object, Quantity, Text, Texts};

const JOB_TEMPLATE: TemplateFields = &[
    ("metadata", 1, Object(&[("labels", 11, Texts(|_| true))])),
    ("spec", 2, Object(JOB_SPEC)),
];

const JOB_SPEC: TemplateFields = &[
    ("parallelism", 1, Number),
    ("completions", 2, Number),
    ("activeDeadlineSeconds", 3, Number),
    ("template", 6, Object(POD_TEMPLATE)),
    ("backoffLimit", 7, Number),
    ("ttlSecondsAfterFinished", 8, Number),
    ("suspend", 10, Flag),
    ("podFailurePolicy", 11, Object(POD_FAILURE_POLICY)),
    ("managedBy", 15, Text),
];

const POD_TEMPLATE: TemplateFields = &[
    (
        "metadata",
        1,
        Object(&[("annotations", 12, Texts(is_about_eviction))]),
    ),
    ("spec", 2, Object(POD_SPEC)),
];

const POD_SPEC: TemplateFields = &[
    ("containers", 2, List(&Object(CONTAINER))),
    ("restartPolicy", 3, Text),
    ("initContainers", 20, List(&Object(CONTAINER))),
    ("schedulingGates", 38, List(&Object(NAMED_PART))),
];

const CONTAINER: TemplateFields = &[("name", 1, Text), ("resources", 8, Object(RESOURCES))];

const RESOURCES: TemplateFields = &[("limits", 1, Quantity("memory"))];

const NAMED_PART: TemplateFields = &[("name", 1, Text)];

/// Its rules are complete: a patch of one has to repeat the others.
const POD_FAILURE_POLICY: TemplateFields = &[("rules", 1, List(&Object(POD_FAILURE_RULE)))];

const POD_FAILURE_RULE: TemplateFields = &[
    ("action", 1, Text),
    ("onExitCodes", 2, Object(EXIT_CODES)),
    ("onPodConditions", 3, List(&Object(CONDITION_PATTERN))),
];

const EXIT_CODES: TemplateFields = &[
    ("containerName", 1, Text),
    ("operator", 2, Text),
    ("values", 3, List(&Number)),
];

const CONDITION_PATTERN: TemplateFields = &[("type", 1, Text), ("status", 2, Text)];

/// Whether an annotation of a pod is used: it says whether an autoscaler may evict the pod. Others would make equal
/// templates differ.
fn is_about_eviction(annotation: &str) -> bool {
    matches!(
        annotation,
        "karpenter.sh/do-not-disrupt" | "cluster-autoscaler.kubernetes.io/safe-to-evict"
    )
}

impl TemplateField {
    /// Reads a value; it stays null if it is empty, as unset fields are in protobuf.
    fn read(&self, value: &mut Value, source: &mut impl FieldSource) {
        match self {
            Text => {
                let text: String = read(source);
                if !text.is_empty() {
                    *value = Value::from(text);
                }
            }
            Number => *value = Value::from(read::<i64>(source)),
            Flag => *value = Value::from(read::<bool>(source)),
            Texts(is_used) => {
                let texts: kube_model::Texts = read(source);
                let used = texts.iter().filter(|(name, _)| is_used(name));
                let used: Map<String, Value> = used
                    .map(|(name, text)| (name.to_owned(), text.into()))
                    .collect();
                match value {
                    // Protobuf has a field for each.
                    Value::Object(others) => others.extend(used),
                    _ if used.is_empty() => {}
                    _ => *value = Value::Object(used),
                }
            }
            Quantity(resource) => {
                let (mut name, mut quantity) = (String::new(), String::new());
                source.fields(|source| {
                    source.field("key", 1, &mut name);
                    source.object("value", 2, |source| {
                        source.field("string", 1, &mut quantity);
                    });
                });
                if name == *resource {
                    *value = json!({ name: quantity });
                }
            }
            Object(fields) => {
                let mut object = Map::new();
                source.fields(|source| {
                    for (name, number, field) in *fields {
                        source.enter(name, *number, |source| {
                            field.read(object.entry(*name).or_insert(Value::Null), source);
                        });
                    }
                });
                object.retain(|_, value| !value.is_null());
                if !object.is_empty() {
                    *value = Value::Object(object);
                }
            }
            List(item) => source.items(|source| {
                let mut one = Value::Null;
                item.read(&mut one, source);
                match value {
                    Value::Array(items) => items.push(one),
                    _ => *value = Value::Array(vec![one]),
                }
            }),
        }
    }
}

fn read<T: FieldValue + Default>(source: &mut impl FieldSource) -> T {
    let mut value = T::default();
    value.read(source);
    value
}

/// The fields of a job template.
pub(super) fn template(source: &mut impl FieldSource) -> Value {
    let mut template = Value::Null;
    Object(JOB_TEMPLATE).read(&mut template, source);
    let pod = template.pointer_mut("/spec/template/spec");
    if let Some(pod) = pod.and_then(Value::as_object_mut) {
        drop_unused_containers(pod);
    }
    template
}

/// Drops what would only make templates differ: the name of a single container, which holds no other one, and
/// init containers without a limit.
fn drop_unused_containers(pod: &mut Map<String, Value>) {
    let has_limit = |container: &Value| container.get("resources").is_some();
    if let Some(containers) = pod.get_mut("containers").and_then(Value::as_array_mut) {
        if let [only] = containers.as_mut_slice() {
            let only = only.as_object_mut();
            let _ = only.and_then(|only| only.remove("name"));
            containers.retain(has_limit);
        }
        if containers.is_empty() {
            pod.remove("containers");
        }
    }
    if let Some(containers) = pod.get_mut("initContainers").and_then(Value::as_array_mut) {
        containers.retain(has_limit);
        if containers.is_empty() {
            pod.remove("initContainers");
        }
    }
}
