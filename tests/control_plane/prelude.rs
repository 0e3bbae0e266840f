//! What most tests against a real control plane use.

pub(crate) use std::thread;

pub(crate) use jiff::{SignedDuration, Timestamp};

pub(crate) use super::namespace::{
    Namespace, container_status, finding, finish, finish_at, has_condition, job_name, job_spec,
    name_of, owner, reference, with_fields,
};
pub(crate) use super::shared_plane;
pub(crate) use crate::support::control_plane::{
    Api, ControlPlane, SyncEnd, assets, batch, eventually, wait_until,
};
pub(crate) use crate::support::prelude::*;
