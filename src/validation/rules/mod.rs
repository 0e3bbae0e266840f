//! The rules that a decoded object is held against, one file a concern.
//!
//! They are those of Kubernetes' `pkg/apis/batch/validation` and `pkg/apis/core/validation`, and
//! are asked in their order, which is the order in which the server shows the causes. What the
//! server fills in before it asks is taken as filled in.

pub(super) mod cronjob;

mod affinity;
pub(super) mod annotations;
mod claim_template;
mod container;
mod env;
mod failure_policy;
mod handlers;
mod indexes;
mod job;
mod mounts;
mod network;
mod os;
mod paths;
mod pod;
mod pod_resources;
pub(super) mod ports;
mod projected;
pub(super) mod resources;
mod security;
mod sources;
mod spread;
mod success_policy;
mod tolerations;
mod volumes;
