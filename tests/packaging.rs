//! What a release is made of: archives, the manifest for krew, the formula for Homebrew, the images, the action, the
//! manifests for a cluster, the plugins for other programs. And the workflows that check and make it.

#[cfg(unix)]
mod action;
mod addresses;
mod crates_io;
mod deploy;
#[cfg(unix)]
mod formula;
#[cfg(unix)]
mod krew;
mod nightly;
#[cfg(unix)]
mod platforms;
#[cfg(target_os = "linux")]
mod plugins;
#[cfg(target_os = "linux")]
mod release;
#[cfg(unix)]
mod released;
mod serve;
mod workflows;
