//! What is wrong with `CronJob`s, what happened to their runs, and what a change of them would do.
//!
//! Everything here is computed from objects that were read before and from a time: no clock, environment, files, network,
//! printing or async. What is predicted comes from [`cronjob_controller`].

#[macro_use]
extern crate cronjob_text;

pub mod alerts;
pub mod change;
pub mod diagnose;
pub mod history;
pub mod kubectl;
pub mod load;
pub mod plan;
pub mod report;
pub mod selector;
pub mod survey;
