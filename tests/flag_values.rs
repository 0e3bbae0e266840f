//! How flags read their values, from a table that describes its own format.

use crate::support::prelude::*;
use crate::support::tables::sections;

#[test]
fn values_of_flags_are_read_as_in_the_table() {
    for (heading, cases) in sections("tests/flag_values.txt") {
        let (call, field) = heading.split_once(" => ").unwrap();
        let call = call.arguments();
        for (value, expected) in cases {
            let ran = doctor(
                call.iter()
                    .map(|word| word.replace("VALUE", &value))
                    .collect::<Vec<_>>(),
            );
            if let Some(words) = expected.strip_prefix("error: ") {
                let is_refused = ran.code == 2 && ran.stderr.contains(words);
                assert!(is_refused, "{value:?}: {ran}");
                continue;
            }
            let found = ran.json().pointer(field).map(|found| match found {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            });
            assert_eq!(found.as_ref(), Some(&expected), "{value:?}");
        }
    }
}
