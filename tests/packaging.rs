//! What a release is made of: the manifest for krew, the images, the action, the manifests for a cluster.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail in any way"
)]

#[path = "support/files.rs"]
mod files;
#[path = "support/run.rs"]
#[allow(dead_code, reason = "others hand over input, or look at refusals")]
mod run;

#[cfg(unix)]
#[path = "packaging/action.rs"]
mod action;
#[path = "packaging/addresses.rs"]
mod addresses;
#[path = "packaging/crates_io.rs"]
mod crates_io;
#[cfg(unix)]
#[path = "packaging/folder.rs"]
mod folder;
#[cfg(unix)]
#[path = "packaging/krew.rs"]
mod krew;
#[cfg(unix)]
#[path = "packaging/krew_rules.rs"]
mod krew_rules;
#[path = "packaging/nightly.rs"]
mod nightly;
#[path = "packaging/workflows.rs"]
mod workflows;
