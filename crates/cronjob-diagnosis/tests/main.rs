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

mod agreement;
mod alerts;
mod answers;
mod backfill_plan;
mod causes;
mod change_next;
mod change_trigger;
mod chosen_run;
mod explain_mutated;
mod explained;
mod findings;
mod history_properties;
mod history_rules;
mod kubectl;
mod last_run;
mod load;
mod load_properties;
mod phases;
mod plan;
mod reliability;
mod report;
mod rescheduling;
mod resume_vectors;
mod selectors;
mod since_success;
mod success_due;
