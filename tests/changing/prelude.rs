//! What most tests of the verbs that change a cluster use.

pub(crate) use super::cast::{
    call, call_as, changes, forbid_while_running, in_shell, patch, report, requests_after_reading,
    running_report, server, state_file, stored, while_waiting,
};
pub(crate) use crate::live::prelude::*;
