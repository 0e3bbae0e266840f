//! The verbs that read, through the real binary, against a cluster: what they ask, what they answer,
//! and what they say when something is wrong.

// What a system says of a file that is missing differs from one to the next.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail in any way"
)]

#[path = "support/apiserver/mod.rs"]
mod apiserver;
mod support;

#[path = "live/call.rs"]
mod call;
#[path = "live/going.rs"]
mod going;
#[path = "live/listeners.rs"]
mod listeners;
#[path = "live/scene.rs"]
mod scene;

#[path = "live/backfill.rs"]
mod backfill;
#[path = "live/clocks.rs"]
mod clocks;
#[path = "live/completing.rs"]
mod completing;
#[path = "live/connecting.rs"]
mod connecting;
#[path = "live/fail_on.rs"]
mod fail_on;
#[path = "live/future.rs"]
mod future;
#[path = "live/kubeconfigs.rs"]
mod kubeconfigs;
#[path = "live/languages.rs"]
mod languages;
#[path = "live/lint.rs"]
mod lint;
#[path = "live/logins.rs"]
mod logins;
#[path = "live/missing.rs"]
mod missing;
#[path = "live/pages.rs"]
mod pages;
#[path = "live/pods.rs"]
mod pods;
#[path = "live/proxies.rs"]
mod proxies;
#[path = "live/report.rs"]
mod report;
#[path = "live/resources.rs"]
mod resources;
#[path = "live/rights.rs"]
mod rights;
#[path = "live/selectors.rs"]
mod selectors;
#[path = "live/troubles.rs"]
mod troubles;
#[path = "live/unreachable.rs"]
mod unreachable;
#[path = "live/verbs.rs"]
mod verbs;
#[path = "live/versions.rs"]
mod versions;
#[path = "live/versions_told.rs"]
mod versions_told;
#[path = "live/watching.rs"]
mod watching;
#[path = "live/zones.rs"]
mod zones;
