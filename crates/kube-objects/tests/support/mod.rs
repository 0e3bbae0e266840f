//! What several tests share with those of other crates.

#[allow(unused_macros, reason = "other tests use the rest")]
#[macro_use]
#[path = "../../../../tests/support/asserts.rs"]
mod asserts;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../../tests/support/files.rs"]
pub(crate) mod files;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../../tests/support/folder.rs"]
pub(crate) mod folder;
