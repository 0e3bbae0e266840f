//! What a release is made of: the manifest for krew, the images, the action, the manifests for a cluster.

#[cfg(unix)]
mod action;
mod addresses;
mod crates_io;
#[cfg(unix)]
mod folder;
#[cfg(unix)]
mod krew;
#[cfg(unix)]
mod krew_rules;
mod nightly;
mod workflows;
