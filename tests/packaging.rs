//! What a release is made of: the manifest for krew, the images, the action, the manifests for a cluster.

#[cfg(unix)]
mod action;
mod addresses;
mod crates_io;
#[cfg(unix)]
mod krew;
mod nightly;
mod serve;
mod workflows;
