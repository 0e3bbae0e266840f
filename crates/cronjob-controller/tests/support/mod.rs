//! What several tests share.

#[path = "../../../kube-cron/tests/support/differences.rs"]
pub(crate) mod differences;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../../tests/support/json.rs"]
pub(crate) mod json;
pub(crate) mod recorded;
