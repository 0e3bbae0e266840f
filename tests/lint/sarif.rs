//! SARIF, held against the schema of the standard (sarif-schema-2.1.0.json of OASIS).

use crate::support::prelude::*;

#[test]
fn every_example_makes_a_valid_report() {
    let schema = include_str!("../fixtures/sarif-schema-2.1.0.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    let report = doctor([
        "lint",
        "-R",
        "examples/lint",
        "-o",
        "sarif",
        "--fail-on=never",
        super::NOW,
    ])
    .document();
    let mut wrong = Vec::new();
    Validator { root: &schema }.check(&schema, &report, "", &mut wrong);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let results = report["runs"][0]["results"].items();
    let rules = report["runs"][0]["tool"]["driver"]["rules"].items();
    assert!(results.len() >= rules.len());
    assert!(results.iter().any(|result| result["fixes"].is_array()));
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
}

#[test]
fn the_validator_finds_what_is_wrong() {
    let schema = json!({
        "type": "object", "required": ["a"], "additionalProperties": false,
        "properties": {
            "a": {"$ref": "#/definitions/A"}, "b": {"enum": ["x"]},
            "c": {"type": "array", "minItems": 1, "uniqueItems": true, "items": {"minimum": 1}},
        },
        "definitions": {"A": {"anyOf": [{"type": "string"}, {"type": "integer"}]}},
    });
    let validate = |value: Value| {
        let mut wrong = Vec::new();
        Validator { root: &schema }.check(&schema, &value, "", &mut wrong);
        wrong.len()
    };
    assert_eq!(validate(json!({"a": 1, "b": "x", "c": [1, 2]})), 0);
    for value in [
        json!([]),
        json!({}),
        json!({"a": null}),
        json!({"a": "", "d": 1}),
        json!({"a": "", "b": "y"}),
        json!({"a": "", "c": []}),
        json!({"a": "", "c": [1, 1]}),
        json!({"a": "", "c": [0]}),
    ] {
        assert_eq!(validate(value.clone()), 1, "{value}");
    }
}

/// The words of JSON Schema that the schema of SARIF uses. Patterns are those of times, ids and
/// languages, which we do not write.
struct Validator<'s> {
    root: &'s Value,
}

impl Validator<'_> {
    fn check(&self, schema: &Value, value: &Value, path: &str, wrong: &mut Vec<String>) {
        if let Some(reference) = schema["$ref"].as_str() {
            let pointer = reference.strip_prefix('#').unwrap();
            return self.check(self.root.pointer(pointer).unwrap(), value, path, wrong);
        }
        let mut fail = |what: &str| wrong.push(format!("{path}: {what}: {value}"));
        if !is_of(&schema["type"], value) {
            return fail("wrong type");
        }
        if let Some(allowed) = schema["enum"].as_array()
            && !allowed.contains(value)
        {
            fail("none of those allowed");
        }
        if let (Some(least), Some(number)) = (schema["minimum"].as_i64(), value.as_i64())
            && number < least
        {
            fail("too small");
        }
        for required in schema["required"].as_array().into_iter().flatten() {
            if value.get(required.text()).is_none() {
                fail(&format!("lacks {required}"));
            }
        }
        if let Some(items) = value.as_array() {
            if schema["minItems"]
                .as_u64()
                .is_some_and(|least| (items.len() as u64) < least)
            {
                fail("too few items");
            }
            let twice = |at: usize| items[..at].contains(&items[at]);
            if schema["uniqueItems"] == true && (0..items.len()).any(twice) {
                fail("the same item twice");
            }
            for (index, item) in items.iter().enumerate() {
                self.check(&schema["items"], item, &format!("{path}/{index}"), wrong);
            }
        }
        for (key, item) in value.as_object().into_iter().flatten() {
            let path = format!("{path}/{key}");
            match (
                schema["properties"].get(key),
                &schema["additionalProperties"],
            ) {
                (Some(property), _) => self.check(property, item, &path, wrong),
                (None, Value::Bool(false)) => wrong.push(format!("{path}: unknown")),
                (None, additional) => self.check(additional, item, &path, wrong),
            }
        }
        for (word, fits) in [("anyOf", (1, usize::MAX)), ("oneOf", (1, 1))] {
            let Some(choices) = schema[word].as_array() else {
                continue;
            };
            let fitting = choices.iter().filter(|choice| {
                let mut wrong = Vec::new();
                self.check(choice, value, path, &mut wrong);
                wrong.is_empty()
            });
            let count = fitting.count();
            if count < fits.0 || count > fits.1 {
                wrong.push(format!("{path}: {count} of {word} fit: {value}"));
            }
        }
    }
}

fn is_of(kind: &Value, value: &Value) -> bool {
    match kind {
        Value::Array(kinds) => kinds.iter().any(|kind| is_of(kind, value)),
        Value::String(kind) => match kind.as_str() {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            other => panic!("the type {other}"),
        },
        _ => true,
    }
}
