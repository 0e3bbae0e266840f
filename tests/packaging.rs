//! What a release is made of: archives, the manifest for krew, the images, the action, the manifests for a cluster,
//! the plugins for other programs.

#[cfg(unix)]
mod action;
mod addresses;
mod crates_io;
#[cfg(unix)]
mod krew;
mod nightly;
#[cfg(target_os = "linux")]
mod plugins;
#[cfg(target_os = "linux")]
mod release;
mod serve;
mod workflows;
