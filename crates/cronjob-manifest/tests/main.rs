//! All integration tests in one binary: the crate is linked once.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test may fail in any way, and report why"
)]

#[macro_use]
mod support;

mod lint_rules;
mod validation;
mod validation_vectors;
