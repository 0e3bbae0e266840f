//! The dashboard, through a real terminal: what is on the screen, what keys do, what is sent, and what
//! remains of the terminal afterwards.

// Terminals are made by `script`, whose options differ from one system to the next.
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
#[allow(dead_code, reason = "the verbs that change something use the rest")]
mod cast;
#[path = "live/scene.rs"]
#[allow(dead_code, reason = "the verbs that read use the rest")]
mod scene;
#[path = "top/terminal.rs"]
mod terminal;

#[path = "top/changing.rs"]
mod changing;
#[path = "top/ending.rs"]
mod ending;
#[path = "top/looking.rs"]
mod looking;
#[path = "top/losing.rs"]
mod losing;
#[path = "top/serving.rs"]
mod serving;
