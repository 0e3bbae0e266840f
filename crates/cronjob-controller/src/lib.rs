//! What the `CronJob` controller of each Kubernetes release does with a `CronJob`, and when.
//!
//! Three things to know:
//!
//! - the objects are those of [`kube_model`]: a [`CronJob`](kube_model::CronJob), its [`Job`](kube_model::Job)s, and what else
//!   counts;
//! - [`Controller`](controller::Controller) and [`decide`](controller::decide): one sync of the controller of a release,
//!   with its events, the resulting status and the time of the next sync, as a [`Decision`](controller::Decision);
//! - [`simulate`]: the same over hours or years, with outages, suspensions and long Jobs.
//!
//! ```
//! use cronjob_controller::controller::{Controller, Outcome, decide};
//! use kube_model::{CronJob, CronJobSpec, CronJobStatus};
//!
//! let mut controller = Controller::assumed();
//! controller.release = "1.36".parse()?;
//! let nightly = CronJob {
//!     name: "nightly".to_owned(),
//!     namespace: "shop".to_owned(),
//!     spec: CronJobSpec {
//!         schedule: "0 2 * * *".to_owned(),
//!         ..CronJobSpec::default()
//!     },
//!     status: CronJobStatus {
//!         last_schedule_time: Some("2026-11-20T02:00:00Z".parse()?),
//!         ..CronJobStatus::default()
//!     },
//!     ..CronJob::default()
//! };
//! let decision = decide(&controller, &nightly, &[], "2026-11-22T09:00:00Z".parse()?);
//! // Two runs were missed; the last of them starts, seven hours late.
//! assert_eq!(decision.outcome, Outcome::Start);
//! assert_eq!(decision.scheduled_time, Some("2026-11-22T02:00:00Z".parse()?));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`forecast`] runs the controller forward from a state that was read from a cluster, [`upcoming`] lists scheduled
//! times with what is unusual about them, and [`kinds`] describes other controllers that read schedules. Nothing here
//! reads a clock, a file or the environment: the time is an argument.

#[macro_use]
extern crate cronjob_text;

pub mod controller;
pub mod forecast;
pub mod kinds;
pub mod simulate;
pub mod upcoming;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
