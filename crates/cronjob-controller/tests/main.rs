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

mod answers;
mod bounds;
mod children;
mod controller_vectors;
mod due;
mod edit;
mod kinds;
mod kubebuilder;
mod releases;
mod simulate_properties;
mod simulate_vectors;
mod simulations;
mod upcoming;
mod upstream_tests;
