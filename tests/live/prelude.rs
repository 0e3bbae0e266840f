//! What most tests against a server use.

pub(crate) use std::thread;
pub(crate) use std::time::Duration;

pub(crate) use super::call::{Call, ask, call_at_now, view};
pub(crate) use super::running_call::RunningCall;
pub(crate) use super::scene::{
    ALL, ENDED, NOW, SHOP, STARTED, cron_job, ended_status, finish, image_pull_fails, job,
    job_name, namespace, noon, pod_of, populate, pull_event, server, server_of, set,
    status_with_active,
};
pub(crate) use crate::support::apiserver::{
    ApiServer, Fault, Kubeconfig, Match, Options, Recorded, watches,
};
pub(crate) use crate::support::prelude::*;
pub(crate) use crate::support::signal;
