//! Properties of the parser for every text.

use located_yaml::{Node, parse};
use proptest::prelude::*;

use crate::support::cases::properties;
use crate::support::tokens::token;

fn yamlish() -> impl Strategy<Value = String> {
    let token = token(&["%YAML 1.1\n", "*/5 * * * *"]);
    prop::collection::vec(token, 0..60).prop_map(|tokens| tokens.concat())
}

/// Parses a text and uses everything in the result that can be used without knowing the text.
fn exercise(text: &str) -> Result<(), TestCaseError> {
    fn walk(node: &Node, text: &str) {
        assert!(node.raw(text).is_some(), "{node:?}");
        assert!(node.place.line > 0 && node.place.column > 0);
        if let Some(items) = node.as_sequence() {
            for item in items {
                walk(item, text);
            }
        }
        for entry in node.as_mapping().map_or(&[][..], |m| m.entries()) {
            assert!(entry.key.place.span.slice(text).is_some(), "{entry:?}");
            walk(&entry.value, text);
        }
    }
    let parsed = parse(text);
    for document in &parsed.documents {
        walk(&document.root, text);
        let _ = document.root.to_json();
        for comment in &document.comments {
            let raw = comment.place.span.slice(text);
            prop_assert!(raw.is_some_and(|raw| raw.starts_with('#')), "{raw:?}");
        }
        for problem in &document.problems {
            prop_assert!(!problem.to_string().is_empty());
        }
    }
    for error in &parsed.errors {
        prop_assert!(error.place.line > 0 && error.place.column > 0);
        prop_assert!(!error.to_string().is_empty());
    }
    Ok(())
}

proptest! {
    #![proptest_config(properties(1_000))]

    #[test]
    fn parse_of_random_text_does_not_panic(text in any::<String>()) {
        exercise(&text)?;
    }

    #[test]
    fn parse_of_random_yaml_does_not_panic(text in yamlish()) {
        exercise(&text)?;
    }

    #[test]
    fn json_means_the_same_to_serde(text in json_text()) {
        let expected: serde_json::Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(parse(&text).documents[0].root.to_json().unwrap(), expected);
    }

    #[test]
    fn parse_of_a_mutated_fixture_does_not_panic(
        at in 0.0..1.0f64, length in 0..200usize, insert in yamlish(),
    ) {
        let fixture = include_str!("../../../tests/fixtures/cronjob-get.json");
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        let start = (fixture.len() as f64 * at) as usize;
        let end = (start + length).min(fixture.len());
        let mutated = format!("{}{insert}{}", &fixture[..start], &fixture[end..]);
        exercise(&mutated)?;
    }
}

fn json_text() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<String>().prop_map(Into::into),
    ];
    let tree = scalar.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::btree_map(any::<String>(), inner, 0..6)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    });
    prop::collection::vec(tree, 0..4)
        .prop_map(|items| serde_json::to_string(&items).unwrap_or_default())
}
