//! What several tests share.

#[macro_use]
#[path = "../../../../tests/support/answers.rs"]
pub(crate) mod answers;
#[allow(unused_macros, reason = "other tests use the rest")]
#[macro_use]
#[path = "../../../../tests/support/asserts.rs"]
mod asserts;
#[path = "../../../kube-cron/tests/support/differences.rs"]
pub(crate) mod differences;
#[path = "../../../kube-cron/tests/support/expressions.rs"]
pub(crate) mod expressions;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../../tests/support/files.rs"]
pub(crate) mod files;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../../tests/support/json.rs"]
pub(crate) mod json;
pub(crate) mod manifest;
#[allow(dead_code, reason = "other tests use the rest")]
pub(crate) mod model;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../kube-cron/tests/support/moments.rs"]
pub(crate) mod moments;
#[path = "../../../../tests/support/objects.rs"]
pub(crate) mod objects;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../kube-cron/tests/support/random.rs"]
pub(crate) mod random;
pub(crate) mod recorded;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../../tests/support/tables.rs"]
pub(crate) mod tables;
