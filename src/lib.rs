//! What will the `CronJob` controller of this cluster do with this `CronJob`, when, and why?
//!
//! The house has a pure core that computes the answer and thin edges that touch the world.
//!
//! - [`schedule`]: a cron expression becomes times, exactly as the library inside Kubernetes
//!   computes them. Knows no Kubernetes, no clock, no files.
//! - [`document`]: YAML or JSON text becomes a tree in which every node knows its place.
//! - [`model`]: the slim `CronJob`, `Job` and `Event` that everyone passes around.
//! - [`snapshot`]: files and folders become the evidence of [`model`].

pub mod cli;
pub mod controller;
pub mod diagnose;
pub mod document;
pub mod duration;
pub mod model;
pub mod output;
pub mod schedule;
pub mod snapshot;
pub mod tzdb;
pub mod upcoming;
