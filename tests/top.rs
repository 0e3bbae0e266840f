//! The dashboard, through a real terminal: what is on the screen, what keys do, and what remains of the
//! terminal afterwards.

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
#[path = "top/terminal.rs"]
mod terminal;

#[path = "top/serving.rs"]
mod serving;
