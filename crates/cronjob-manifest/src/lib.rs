//! Checks manifests of Kubernetes `CronJob`s: bytes in, findings out.
//!
//! Three things to know:
//!
//! - [`Linter`](lint::Linter): reads files one by one, and returns a [`LintReport`](lint::LintReport) with the place, the
//!   help and often the fix of each finding;
//! - [`Rule`](rules::Rule): an entry of the one catalog of rules, for manifests and for what is found in clusters;
//! - [`validate`](validation::validate): what the API server of a release answers, word for word.
//!
//! ```
//! use std::sync::Arc;
//!
//! use cronjob_manifest::lint::{LintSettings, Linter};
//! use kube_cron::{BundledZones, Zone};
//!
//! let linter = Linter {
//!     now: "2026-11-21T08:00:00Z".parse()?,
//!     zones: &BundledZones,
//!     local: Zone::utc(),
//! };
//! let manifest = b"apiVersion: batch/v1
//! kind: CronJob
//! metadata: {name: report}
//! spec:
//!   schedule: 0 2 30 2 *
//!   jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}}
//! ";
//! let settings = Arc::new(LintSettings::default());
//! let file = linter.read(&Arc::from("report.yaml"), manifest, &settings);
//! let report = linter.finish(vec![file]);
//! let found: Vec<&str> = report.findings.iter().map(|finding| finding.rule.name).collect();
//! assert!(found.contains(&"never-scheduled"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing here reads a clock, a file or the environment: texts and the time are arguments.

#[macro_use]
extern crate cronjob_text;

pub mod lint;
pub mod rules;
pub mod validation;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
