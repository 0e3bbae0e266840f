//! What several tests share, also with those of other crates.

#[macro_use]
#[path = "../../../../tests/support/answers.rs"]
pub(crate) mod answers;
#[macro_use]
#[path = "../../../../tests/support/asserts.rs"]
mod asserts;
#[path = "../../../../tests/support/cases.rs"]
pub(crate) mod cases;
#[path = "../../../../tests/support/edited.rs"]
pub(crate) mod edited;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../../tests/support/files.rs"]
pub(crate) mod files;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../../tests/support/json.rs"]
pub(crate) mod json;
#[path = "../../../cronjob-controller/tests/support/manifest.rs"]
pub(crate) mod manifest;
#[path = "../../../cronjob-controller/tests/support/model.rs"]
pub(crate) mod model;
#[path = "../../../../tests/support/mutate.rs"]
pub(crate) mod mutate;
#[path = "../../../../tests/support/nightly.rs"]
pub(crate) mod nightly;
#[path = "../../../../tests/support/objects.rs"]
pub(crate) mod objects;
#[path = "../../../../tests/support/one.rs"]
pub(crate) mod one;
#[path = "../../../../tests/support/planned.rs"]
pub(crate) mod planned;
#[path = "../../../kube-cron/tests/support/random.rs"]
pub(crate) mod random;
#[path = "../../../cronjob-controller/tests/support/recorded.rs"]
pub(crate) mod recorded;
#[path = "../../../../tests/support/tables.rs"]
pub(crate) mod tables;
#[path = "../../../../tests/support/troubled.rs"]
pub(crate) mod troubled;
#[path = "../../../../tests/support/weekdays.rs"]
pub(crate) mod weekdays;
pub(crate) mod world;
