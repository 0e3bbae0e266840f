//! SARIF, validated with the schema of the standard (sarif-schema-2.1.0.json of OASIS).

use crate::support::prelude::*;
use crate::support::schemas::mismatches_of;

#[test]
fn every_example_makes_a_valid_report() {
    let schema = include_str!("../fixtures/sarif-schema-2.1.0.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    let call = "lint -R examples/lint -o sarif --fail-on=never";
    let report = doctor((call, [super::NOW])).document();
    let wrong = mismatches_of(&schema, &report);
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
    let validate = |value: Value| mismatches_of(&schema, &value).len();
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
