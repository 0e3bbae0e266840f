//! Each kind of document matches its schema. In addition to these examples, every document that the
//! program prints in any test is checked (`support::schemas`).

use crate::support::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;

use crate::support::schemas::mismatches;
use crate::support::verbs;

const NOW: &str = "2026-11-21T02:13:08Z";

/// A document of each kind that does not need a cluster. Documents of changes are checked wherever tests
/// change something.
fn examples() -> Vec<Value> {
    let calls = "\
scan -f examples/cluster --now NOW
explain -f examples/cluster --now NOW --what-if suspend=false --compare 1.20,1.36
next-runs -f examples/cluster --now NOW --explain
lint examples/lint
version --client
explain scheduledbackup/orders -f=examples/kinds/snapshot.yaml --now NOW
plan -f=examples/plan/new --from=examples/plan/old --now NOW
simulate --schedule '*/5 * * * *' --from 2026-03-01T00:00:00Z --for 24h --outage 2026-03-01T03:00:00Z/1h --compare 1.20";
    let mut reading = verbs::reading();
    reading.retain(|verb| verbs::formats(verb).iter().any(|format| format == "json"));
    let reading = reading.into_iter();
    let reading = reading.map(|verb| format!("{verb} -f examples/cluster --now NOW -A"));
    let calls = calls.lines().map(str::to_owned).chain(reading);
    let calls = calls.map(|call| call.replace("NOW", NOW));
    calls.map(|call| doctor((call, "-o json")).json()).collect()
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

/// Each of these changes makes a valid document invalid.
#[test]
fn mismatch_with_a_schema_is_noticed() {
    let scan = examples().swap_remove(0);
    let cases = r#"
/now = "yesterday" -> $.now: "yesterday" is no "date-time"
/items/0/active = -1 -> $.items[0].active: -1 is less than 0
/items/0/name = null -> $.items[0].name: null is no "string"
/controller = {"more": 1} -> $.controller.more: is not in the schema
/summary = {} -> $.summary: "total" is missing"#;
    for case in cases.lines().skip(1) {
        let (change, expected) = case.split_once(" -> ").unwrap();
        let (field, value) = change.split_once(" = ").unwrap();
        let mut changed = scan.clone();
        *changed.pointer_mut(field).unwrap() = serde_json::from_str(value).unwrap();
        let mismatches = mismatches(&changed);
        assert!(mismatches.contains(&expected.to_owned()), "{mismatches:?}");
    }
}

#[test]
fn each_field_is_described() {
    for (kind, schema) in crate::generated::schemas::schemas() {
        let types = schema["$defs"].as_object().into_iter().flatten();
        let whole = (&kind, &schema);
        for (name, described) in types.chain([whole]) {
            for (field, expected) in described["properties"].as_object().into_iter().flatten() {
                let text = expected["description"].as_str().unwrap_or_default();
                assert!(!text.is_empty(), "{kind}: {name}.{field} is not described");
            }
        }
    }
}
