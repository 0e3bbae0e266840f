//! What several tests share, also with those of other crates.

#[allow(unused_macros, reason = "other tests use the rest")]
#[macro_use]
#[path = "../../../../tests/support/asserts.rs"]
pub(crate) mod asserts;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../../tests/support/cases.rs"]
pub(crate) mod cases;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../kube-cron/tests/support/moments.rs"]
pub(crate) mod moments;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../kube-cron/tests/support/random.rs"]
pub(crate) mod random;
pub(crate) mod tokens;
