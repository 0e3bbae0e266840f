//! Explains and predicts what the `CronJob` controller will do.
//!
//! A private library: [`run`] is the program, and what else is public is for the tests and benchmarks of this repository.
//! A pure core computes the answer; `evidence`, `recorder`, `output` and `cli` are the edges, with the crates kube-objects
//! and kube-access. docs/design.md has the purpose of each module.
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the library is private, and its documentation is for those who change it"
)]
#[macro_use]
extern crate cronjob_text;

pub mod cli;
mod evidence;
pub mod output;
pub mod recorder;
#[cfg(feature = "cluster")]
pub mod top;

pub use cli::run;
