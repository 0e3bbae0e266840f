//! `CronJob`s, `Job`s, pods, events, quotas and nodes, read into the model of `cronjob-controller`.
//!
//! Four things to know:
//!
//! - [`snapshot::Evidence`]: the objects of texts, with their positions, and what was skipped or is wrong;
//! - [`snapshot::find`] and [`snapshot::read`]: the same for files and folders, as kubectl's `-f` and `-R` find them;
//! - [`query`]: which objects are wanted, from files or from a cluster;
//! - [`fields`]: the fields that are used of each kind, each declared once, for protobuf and for documents.
//!
//! ```
//! use kube_objects::snapshot::{Evidence, Options};
//!
//! let text = r#"{"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "report"},
//!     "spec": {"schedule": "0 2 * * *", "jobTemplate": {}}}"#;
//! let (evidence, errors) = Evidence::of_json("report.json", text.to_owned(), &Options::default());
//! assert!(errors.is_empty());
//! let cron_job = &evidence.cron_jobs[0];
//! assert_eq!(cron_job.object.spec.schedule, "0 2 * * *");
//! assert_eq!(cron_job.place.line, 1);
//! ```

pub mod fields;
pub mod query;
pub mod snapshot;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
