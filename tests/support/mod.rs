//! What several test files share.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail in any way"
)]

#[allow(dead_code, reason = "the tests of the crates use the rest")]
#[macro_use]
pub(crate) mod answers;
pub(crate) mod apart;
pub(crate) mod apiserver;
#[macro_use]
pub(crate) mod asserts;
pub(crate) mod cases;
#[macro_use]
pub(crate) mod command_line;
#[cfg(target_os = "linux")]
pub(crate) mod control_plane;
#[path = "../../crates/kube-cron/tests/support/differences.rs"]
pub(crate) mod differences;
pub(crate) mod edited;
pub(crate) mod entities;
pub(crate) mod examples;
pub(crate) mod files;
pub(crate) mod folder;
pub(crate) mod json;
#[path = "../../crates/cronjob-manifest/tests/support/linted.rs"]
pub(crate) mod linted;
#[cfg(target_os = "linux")]
pub(crate) mod local_clock;
pub(crate) mod markdown;
pub(crate) mod markup;
#[path = "../../crates/cronjob-controller/tests/support/model.rs"]
pub(crate) mod model;
#[allow(dead_code, reason = "the tests of the crates use the rest")]
#[path = "../../crates/kube-cron/tests/support/moments.rs"]
pub(crate) mod moments;
pub(crate) mod mutate;
pub(crate) mod nightly;
pub(crate) mod objects;
pub(crate) mod one;
pub(crate) mod peak;
pub(crate) mod picture;
pub(crate) mod planned;
#[cfg(target_os = "linux")]
pub(crate) mod postgres;
pub(crate) mod prelude;
pub(crate) mod promtool;
#[path = "../../crates/kube-cron/tests/support/random.rs"]
pub(crate) mod random;
#[allow(dead_code, reason = "the tests of the crates use the rest")]
#[path = "../../crates/cronjob-controller/tests/support/recorded.rs"]
pub(crate) mod recorded;
#[macro_use]
pub(crate) mod run;
pub(crate) mod schemas;
pub(crate) mod signal;
pub(crate) mod tables;
#[path = "../../crates/located-yaml/tests/support/tokens.rs"]
pub(crate) mod tokens;
pub(crate) mod troubled;
pub(crate) mod verbs;
pub(crate) mod weekdays;
