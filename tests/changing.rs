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
#[allow(dead_code, reason = "the verbs that read use the rest")]
mod call;
#[path = "changing/cast.rs"]
mod cast;
#[path = "live/going.rs"]
mod going;
#[path = "live/scene.rs"]
#[allow(dead_code, reason = "the verbs that read use the rest")]
mod scene;
#[path = "changing/terminal.rs"]
mod terminal;

#[path = "changing/backfill.rs"]
mod backfill;
#[path = "changing/choosing.rs"]
mod choosing;
#[path = "changing/meanwhile.rs"]
mod meanwhile;
#[path = "changing/overriding.rs"]
mod overriding;
#[path = "changing/reasons.rs"]
mod reasons;
#[path = "changing/resume.rs"]
mod resume;
#[path = "changing/rights.rs"]
mod rights;
#[path = "changing/state.rs"]
mod state;
#[path = "changing/suspend.rs"]
mod suspend;
#[path = "changing/trigger.rs"]
mod trigger;
#[path = "changing/triggered.rs"]
mod triggered;
#[path = "changing/waiting.rs"]
mod waiting;
