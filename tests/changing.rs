//! The verbs that change a cluster, through the real binary: what they predict, what they ask, the
//! exact requests that they send, and what they say when something is in the way.

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
#[path = "live/scene.rs"]
mod scene;

#[path = "changing/suspend.rs"]
mod suspend;
#[path = "changing/trigger.rs"]
mod trigger;
