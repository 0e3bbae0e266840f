//! What several tests share, also with those of other crates.

use serde_json::Value;

#[allow(unused_macros, reason = "other tests use the rest")]
#[macro_use]
#[path = "../../../../tests/support/asserts.rs"]
pub(crate) mod asserts;
#[path = "../../../kube-cron/tests/support/differences.rs"]
pub(crate) mod differences;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../../tests/support/json.rs"]
pub(crate) mod json;
pub(crate) mod linted;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../kube-cron/tests/support/moments.rs"]
pub(crate) mod moments;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../kube-cron/tests/support/random.rs"]
pub(crate) mod random;

/// The cases of a file of vectors, each with the number of its line.
pub(crate) fn cases(text: &str) -> impl Iterator<Item = (usize, Value)> {
    let lines = text.lines().enumerate();
    lines.map(|(index, line)| (index + 1, serde_json::from_str(line).unwrap()))
}
