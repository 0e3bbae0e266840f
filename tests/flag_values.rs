//! What flags make of their values, by a table, whose format is described there.

use crate::support::files::text;
use crate::support::prelude::*;

#[test]
fn values_of_flags_are_read_as_in_the_table() {
    let table = text("tests/flag_values.txt");
    let (mut call, mut field) = (Vec::new(), "");
    for line in table.lines().filter(|line| !line.is_empty()) {
        let Some((given, expected)) = line.split_once(" => ").filter(|_| !line.starts_with('#'))
        else {
            continue;
        };
        if let Some(given) = given.strip_prefix('[') {
            (call, field) = (given.arguments(), expected.trim_end_matches(']'));
            continue;
        }
        let ran = doctor(
            call.iter()
                .map(|word| word.replace("VALUE", given))
                .collect::<Vec<_>>(),
        );
        match expected.strip_prefix("error: ") {
            Some(words) => {
                let is_refused = ran.code == 2 && ran.stderr.contains(words);
                assert!(is_refused, "{line}\n{ran}");
            }
            None => {
                let found = ran.json().pointer(field).map(|found| match found {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                });
                assert_eq!(found.as_deref(), Some(expected), "{line}");
            }
        }
    }
}
