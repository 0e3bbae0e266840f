//! The rules that a decoded object is held against, one file per concern.
//!
//! They are those of Kubernetes' `pkg/apis/batch/validation` and `pkg/apis/core/validation`, and
//! are asked in their order, which is the order in which the server shows the causes. What the
//! server fills in before it asks is taken as filled in.

pub(super) mod cronjob;

mod container;
mod env;
mod job;
mod mounts;
pub(super) mod network;
pub(super) mod pod;
pub(super) mod resources;
pub(super) mod scheduling;
mod security;
mod volumes;
