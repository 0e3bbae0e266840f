//! All integration tests in one binary: the crate is linked once.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test may fail in any way, and report why"
)]

mod support;

mod core_properties;
mod meaning;
mod questions;
mod schedule_vectors;
mod statements;
mod upstream_live;
mod upstream_tests;
mod zone_files;
mod zones_second_opinion;
