//! The commands that read a cluster, through the real binary: their requests, their output, and their
//! messages when something is wrong.

#[cfg(target_os = "linux")]
pub(crate) mod alertmanager;
pub(crate) mod call;
mod hostile;
pub(crate) mod listeners;
pub(crate) mod prelude;
pub(crate) mod prometheus;
pub(crate) mod running_call;
pub(crate) mod scene;

mod alerts;
pub(crate) mod backfill;
mod clocks;
mod completing;
mod connecting;
pub(crate) mod contexts;
mod first_minute;
mod future;
mod kubeconfigs;
mod kuberc;
mod languages;
mod lint;
pub(crate) mod logins;
pub(crate) mod logs;
mod logs_followed;
mod missing;
mod named;
mod nodes;
mod outages;
mod pages;
mod phases;
mod plan;
mod pods;
mod proxies;
mod recorder;
#[cfg(target_os = "linux")]
mod recorder_clocks;
#[cfg(target_os = "linux")]
mod recorder_findings;
#[cfg(target_os = "linux")]
mod recorder_metrics;
mod recorder_pages;
mod report;
mod resources;
mod rights;
mod selectors;
pub(crate) mod serve;
mod serve_floods;
mod server_errors;
mod sidecars;
pub(crate) mod since_success;
mod troubled;
mod unreachable;
mod verbs;
mod version_verb;
mod versions;
mod watches;
mod watching;
mod zones;
