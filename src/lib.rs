//! Explains and predicts what the `CronJob` controller will do.
//!
//! A private library: [`run`] is the program, and what else is public is for the tests and benchmarks of this repository.
//! A pure core computes the answer; `evidence`, `recorder`, `output` and `cli` are the edges, with the crates kube-objects
//! and kube-access. docs/design.md has the purpose of each module.
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the library is private, and its documentation is for those who change it"
)]
#![cfg_attr(
    not(all(
        feature = "cluster",
        feature = "fleet",
        feature = "recorder",
        feature = "report",
        feature = "tui"
    )),
    allow(
        dead_code,
        unused_imports,
        clippy::default_constructed_unit_structs,
        clippy::needless_update,
        clippy::unnecessary_wraps,
        clippy::unused_self,
        reason = "what a feature uses stays, and stand-ins are as what they stand for, so that conditions are few"
    )
)]

#[macro_use]
extern crate cronjob_text;

pub mod cli;
#[cfg(not(feature = "cluster"))]
#[path = "without_cluster.rs"]
mod cluster;
pub mod evidence;
pub mod output;
pub mod recorder;
#[cfg(feature = "tui")]
pub mod top;

#[cfg(feature = "cluster")]
use kube_access::cluster;

pub use cli::run;
