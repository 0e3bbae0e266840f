//! Errors of the log subresource of a pod, with a way out.

use crate::cli::diagnostic::Diagnostic;
use cronjob_diagnosis::diagnose::Input;
use kube_access::ClusterError;

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

/// The error for a log that cannot be read.
pub(super) fn cannot_read_log(
    input: &Input<'_>,
    pod: &str,
    container: &str,
    error: &ClusterError,
) -> Diagnostic {
    let namespace = &input.cron_job.namespace;
    let status = error.status();
    let (code, message) = status.map_or((0, ""), |status| (status.code, &status.message));
    let details = status.map(|status| &status.details);
    let is_about = |kind: &str| code == 404 && details.is_some_and(|details| details.kind == kind);
    // The API server reports a node that does not exist as a pod of its name.
    let has_pod_name = details.is_some_and(|details| details.name == pod);
    let get_pod = input.kubectl("get pod").name(pod).with("-o wide");
    let what = format!("cannot read the log of container {container} of pod {pod}");
    if code == 403 {
        let line = format!("cannot get pods/log in namespace {namespace:?} (forbidden): {error}");
        return Diagnostic::new(line).help(
            "Ask for the permission to get pods/log, such as that of deploy/role-read.yaml.",
        );
    }
    if is_about("pods") && has_pod_name {
        return Diagnostic::new(format!("{what}: the pod was deleted in the meantime"))
            .help("Run the command again to see what remains of the Job.");
    }
    if is_about("pods") {
        return Diagnostic::new(format!(
            "{what}: its node no longer exists, nor does the log"
        ))
        .help("Send logs to a log store: those on a node are lost with the node.");
    }
    if is_about("pods/log") {
        return Diagnostic::new(format!("{what}: its node no longer has the container"))
            .help("Send logs to a log store: a node removes old and evicted containers.");
    }
    if code >= 500 && NO_CONNECTION.iter().any(|sign| message.contains(sign)) {
        let line = format!("{what}: the API server cannot reach the kubelet of its node: {error}");
        return Diagnostic::new(line).help(&format!("Find the node and check it: {get_pod}"));
    }
    let notice = Diagnostic::new(format!("{what}: {error}"));
    let describe = input.kubectl("describe pod").name(pod);
    match error.help() {
        Some(help) => notice.help(&help),
        None if code == 0 => notice,
        None => notice.help(&format!("Show the pod and its events: {describe}")),
    }
}
