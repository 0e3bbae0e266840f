//! All integration tests in one binary: the crate is linked once.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail in any way, and report why"
)]

mod support;

mod pods_wanted;
