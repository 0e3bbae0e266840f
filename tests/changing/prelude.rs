//! What most tests of the verbs that change a cluster use.

pub(crate) use super::cast::{
    call, changes, forbid_while_running, in_shell, patch, report, requests_after_reading,
    running_report, server, stored, while_patch_waits, while_waiting,
};
pub(crate) use crate::live::call::ask as call_as;
pub(crate) use crate::live::prelude::*;

/// Adds CronJobs of `shop` that are in the state of `shop/report`.
pub(crate) fn add_like_report(server: &ApiServer, names: &[&str]) {
    for name in names {
        let mut other = report();
        other["metadata"]["name"] = json!(name);
        other["metadata"]["uid"] = json!(format!("uid-of-{name}"));
        server.add(other);
    }
}

/// Stores `shop/report` with a Job that has been running since Wednesday.
pub(crate) fn put_running_report(server: &ApiServer, policy: &str) {
    for object in running_report(policy) {
        server.put(object);
    }
}

pub(crate) fn is_suspended(server: &ApiServer, name: &str) -> bool {
    stored(server, name)["spec"]["suspend"] == json!(true)
}
