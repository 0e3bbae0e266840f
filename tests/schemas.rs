//! Each kind of document is what its schema says. Beside these examples, every document that any test
//! has the program print is held against them (`support::schemas`).

use crate::support::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;

use crate::support::schemas::mismatches;

const NOW: &str = "2026-11-21T02:13:08Z";

/// A document of each kind that takes no cluster. Those of changes are held against theirs wherever tests
/// change something.
fn examples() -> Vec<Value> {
    let cluster = ["-f", "examples/cluster", "--now", NOW, "-o", "json"];
    let with = |verb: &[&'static str]| [verb, &cluster[..]].concat();
    let calls = [
        with(&["scan"]),
        with(&[
            "explain",
            "--what-if",
            "suspend=false",
            "--compare",
            "1.20,1.36",
        ]),
        with(&["history", "-A"]),
        with(&["load", "-A"]),
        with(&["report"]),
        with(&["next-runs", "--explain"]),
        vec!["lint", "examples/lint", "-o", "json"],
        vec!["version", "--client", "-o", "json"],
        vec![
            "explain",
            "scheduledbackup/orders",
            "-f=examples/kinds/snapshot.yaml",
            "--now",
            NOW,
            "-o=json",
        ],
        vec![
            "plan",
            "-f=examples/plan/new",
            "--from=examples/plan/old",
            "--now",
            NOW,
            "-o=json",
        ],
        [
            "simulate --schedule */5|*|*|*|* --from 2026-03-01T00:00:00Z --to 2026-03-02T00:00:00Z",
            "--outage 2026-03-01T03:00:00Z/2026-03-01T04:00:00Z --compare 1.20 -o json",
        ]
        .iter()
        .flat_map(|line| line.split(' '))
        .collect(),
    ];
    let example = |call: Vec<&str>| {
        let call: Vec<String> = call.iter().map(|word| word.replace('|', " ")).collect();
        let call: Vec<&str> = call.iter().map(String::as_str).collect();
        let stdout = doctor(&call).stdout;
        serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{call:?}: {error}: {stdout}"))
    };
    calls.into_iter().map(example).collect()
}

#[test]
fn examples_match_their_schemas() {
    let mut kinds = BTreeSet::from(["Actions".to_owned()]);
    for example in examples() {
        assert_eq!(mismatches(&example), Vec::<String>::new());
        kinds.insert(example["kind"].text().to_owned());
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let shipped = fs::read_dir(folder).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        path.file_stem().unwrap().to_str().unwrap().to_owned()
    });
    assert_eq!(kinds, shipped.collect());
}

/// The check would notice: each of these changes to a document that is right makes it wrong.
#[test]
fn mismatch_with_a_schema_is_noticed() {
    let scan = examples().swap_remove(0);
    for (field, value, expected) in [
        (
            "/now",
            json!("yesterday"),
            r#"$.now: "yesterday" is no "date-time""#,
        ),
        (
            "/items/0/active",
            json!(-1),
            "$.items[0].active: -1 is less than 0",
        ),
        (
            "/items/0/name",
            json!(null),
            r#"$.items[0].name: null is no "string""#,
        ),
        (
            "/controller",
            json!({"more": 1}),
            "$.controller.more: is not in the schema",
        ),
        ("/summary", json!({}), r#"$.summary: "total" is missing"#),
    ] {
        let mut changed = scan.clone();
        *changed.pointer_mut(field).unwrap() = value;
        let mismatches = mismatches(&changed);
        assert!(
            mismatches.iter().any(|one| one == expected),
            "{mismatches:?}"
        );
    }
}

/// Whoever reads a schema learns what each field means.
#[test]
fn each_field_is_described() {
    for (kind, schema) in cronjob_doctor::internals::output::schemas() {
        let schema = schema.to_value();
        let types = schema["$defs"].as_object().into_iter().flatten();
        let whole = (&kind.to_string(), &schema);
        for (name, described) in types.chain([whole]) {
            for (field, expected) in described["properties"].as_object().into_iter().flatten() {
                let text = expected["description"].as_str().unwrap_or_default();
                assert!(!text.is_empty(), "{kind}: {name}.{field} is not described");
            }
        }
    }
}
