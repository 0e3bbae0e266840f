//! What most tests of the verbs that change a cluster use.

pub(crate) use super::cast::{
    call, call_as, changes, forbid_while_running, in_shell, patch, report, requests_after_reading,
    running_report, server, state_file, stored, while_waiting,
};
pub(crate) use crate::live::prelude::*;

/// Adds `shop/other`, which is in the state of `shop/report`.
pub(crate) fn add_other_report(server: &ApiServer) {
    let mut other = report();
    other["metadata"]["name"] = json!("other");
    other["metadata"]["uid"] = json!("uid-of-other");
    server.add(other);
}

pub(crate) fn is_suspended(server: &ApiServer, name: &str) -> bool {
    stored(server, name)["spec"]["suspend"] == json!(true)
}
