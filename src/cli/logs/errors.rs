//! Errors of the log subresource of a pod, with a way out.

use crate::cli::diagnostic::Diagnostic;
use crate::cluster::ClusterError;
use crate::diagnose::Facts;

/// What the API server reports when it cannot connect to a kubelet.
const NO_CONNECTION: [&str; 7] = [
    "dial tcp",
    "i/o timeout",
    "connection refused",
    "no route to host",
    "no such host",
    "No agent available",
    "error dialing backend",
];

/// Whether the logs of other containers cannot be read either.
pub(super) fn concerns_all(error: &ClusterError) -> bool {
    match error.status() {
        Some(status) => matches!(status.code, 401 | 403),
        None => !matches!(error, ClusterError::BrokenOff { .. }),
    }
}

/// The error for a log that cannot be read.
pub(super) fn cannot_read_log(
    facts: &Facts<'_>,
    pod: &str,
    container: &str,
    error: &ClusterError,
) -> Diagnostic {
    let namespace = &facts.cron_job.namespace;
    let status = error.status();
    let (code, message) = status.map_or((0, ""), |status| (status.code, &status.message));
    let kind = status.map_or("", |status| &status.details.kind);
    let is_no_node = kind == "nodes" || message.starts_with("nodes \"");
    let is_no_pod = kind == "pods" || message.starts_with("pods \"");
    let get_pod = facts.kubectl("get pod").name(pod).with("-o wide");
    let what = format!("cannot read the log of container {container} of pod {pod}");
    if code == 403 {
        let line = format!("cannot get pods/log in namespace {namespace:?} (forbidden): {error}");
        return Diagnostic::new(line).help(
            "Ask for the permission to get pods/log, such as that of deploy/role-read.yaml.",
        );
    }
    if code == 404 && is_no_node {
        return Diagnostic::new(format!(
            "{what}: its node no longer exists, nor does the log"
        ))
        .help("Send logs to a log store: those on a node are lost with the node.");
    }
    if code == 404 && is_no_pod {
        return Diagnostic::new(format!("{what}: the pod was deleted in the meantime"))
            .help("Run the command again to see what remains of the Job.");
    }
    if code >= 500 && NO_CONNECTION.iter().any(|sign| message.contains(sign)) {
        let line = format!("{what}: the API server cannot reach the kubelet of its node: {error}");
        return Diagnostic::new(line).help(&format!("Find the node and check it: {get_pod}"));
    }
    let notice = Diagnostic::new(format!("{what}: {error}"));
    let describe = facts.kubectl("describe pod").name(pod);
    match error.help() {
        Some(help) => notice.help(&help),
        None if code == 0 => notice,
        None => notice.help(&format!("Show the pod and its events: {describe}")),
    }
}
