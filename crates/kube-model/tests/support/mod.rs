//! What several tests share, also with those of other crates.

#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../cronjob-controller/tests/support/model.rs"]
pub(crate) mod model;
