//! CronJobs for verbs that change them, beside those of the common scene. It is Saturday,
//! 21 November 2026, 02:13:08.

use std::process::Command;

use crate::support::prelude::*;

use crate::live::call::ask;
use crate::live::scene::{cron_job, job, status_with_active};
use crate::support::apiserver::{ApiServer, Fault, Kubeconfig, Match, Recorded};

/// A server with the common scene, and with `shop/report` and `shop/import`, which are suspended.
pub(crate) fn server() -> ApiServer {
    let server = crate::live::scene::server();
    server.add(report());
    server.add(import());
    server
}

/// Last ran on Wednesday at two, has been suspended since then, and has no deadline: it missed three runs.
pub(crate) fn report() -> Value {
    let mut report = cron_job("shop", "report", "0 2 * * *");
    report["spec"]["suspend"] = json!(true);
    report["spec"]["concurrencyPolicy"] = json!("Allow");
    report["spec"]["startingDeadlineSeconds"] = Value::Null;
    report["status"] = json!({"lastScheduleTime": "2026-11-18T02:00:00Z"});
    report
}

/// Is suspended, and missed nothing: it runs at four.
pub(crate) fn import() -> Value {
    let mut import = cron_job("shop", "import", "0 4 * * *");
    import["spec"]["suspend"] = json!(true);
    import["status"] = json!({"lastScheduleTime": "2026-11-20T04:00:00Z"});
    import
}

/// A Job of `report` that has been running since Wednesday, with the CronJob whose status lists it.
pub(crate) fn running_report(policy: &str) -> [Value; 2] {
    let job = job("shop", "report", "2026-11-18T02:00:00Z", None);
    let mut report = report();
    report["spec"]["concurrencyPolicy"] = json!(policy);
    report["status"] = status_with_active(&job);
    [report, job]
}

/// Adds a running Job of `report`, and sets the `concurrencyPolicy` of `report` to `Forbid`.
pub(crate) fn forbid_while_running(server: &ApiServer) {
    let [forbidding, job] = running_report("Forbid");
    server.put(job);
    server.edit("batch/v1", "CronJob", "shop", "report", |report| {
        report["spec"]["concurrencyPolicy"] = json!("Forbid");
        report["status"] = forbidding["status"].clone();
    });
}

/// A call through a shell script, which must end with `exec "$@"`.
pub(crate) fn in_shell(server: &ApiServer, script: &str, arguments: impl CommandLine) -> Command {
    let config = server.kubeconfig(&Kubeconfig::user("admin").namespace("shop"));
    let mut command = Command::new("sh");
    command
        .args(["-c", script, "sh"])
        .arg(crate::support::run::binary())
        .args(arguments.arguments())
        .arg(crate::live::scene::NOW)
        .env_clear()
        .env("KUBECONFIG", config)
        .env("HOME", "/no/such/folder");
    command
}

/// The requests after those that read the namespace, which are checked.
#[track_caller]
pub(crate) fn requests_after_reading(server: &ApiServer) -> Vec<String> {
    let mut lines = server.lines();
    let rest = lines.split_off(4);
    assert_eq!(lines[0], "GET /version");
    lines[1..].sort();
    let expected = [
        "GET /api/v1/namespaces/shop/events",
        "GET /apis/batch/v1/namespaces/shop/cronjobs",
        "GET /apis/batch/v1/namespaces/shop/jobs",
    ];
    assert_eq!(lines[1..], expected);
    // What the CronJobs of a change are judged beside.
    let beside = [
        "GET /apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager",
        "GET /apis/batch/v1/cronjobs",
    ];
    let rest = rest.into_iter();
    rest.filter(|line| !beside.contains(&line.as_str()))
        .collect()
}

/// Calls as a user of the server, at the moment of the scene.
pub(crate) fn call(server: &ApiServer, arguments: impl CommandLine) -> Ran {
    ask(server, "admin", arguments)
}

/// The requests that change something: method, path with query, content type and body.
pub(crate) fn changes(server: &ApiServer) -> Vec<String> {
    let changing = |one: &Recorded| one.method != "GET" && !one.path.ends_with("reviews");
    let shown = |request: &Recorded| {
        let query = request.query.iter();
        let query: Vec<String> = query
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let body = String::from_utf8(request.body.clone()).unwrap();
        let content_type = request.header("content-type").unwrap();
        let line = request.line();
        format!("{line}?{} {content_type} {body}", query.join("&"))
    };
    let requests = server.requests_where(changing);
    requests.iter().map(shown).collect()
}

/// A merge patch of a CronJob of `shop`, as [`changes`] shows it.
pub(crate) fn patch(name: &str, query: &str, body: &str) -> String {
    format!(
        "PATCH /apis/batch/v1/namespaces/shop/cronjobs/{name}?{query}fieldManager=kubectl-cronjob-doctor \
         application/merge-patch+json {body}"
    )
}

/// What the server has of a CronJob of `shop` now.
pub(crate) fn stored(server: &ApiServer, name: &str) -> Value {
    server.object("batch/v1", "CronJob", "shop", name).unwrap()
}

/// Runs a call whose first change has to wait for a second, and edits an object during that second.
pub(crate) fn while_waiting(
    server: &ApiServer,
    arguments: impl CommandLine,
    edit: impl FnOnce(),
) -> Ran {
    while_patch_waits(server, Match::any(), arguments, edit)
}

/// Runs a call whose first matching patch has to wait for a second, and edits an object during that second.
pub(crate) fn while_patch_waits(
    server: &ApiServer,
    condition: Match,
    arguments: impl CommandLine,
    edit: impl FnOnce(),
) -> Ran {
    let patch = condition.method("PATCH");
    let busy = Fault::TooManyRequests { retry_after: 1 }.times(1);
    server.fault(patch.clone(), busy);
    std::thread::scope(|scope| {
        let call = scope.spawn(|| call(server, arguments));
        server.wait_for_request(|one| patch.fits_but_for_page(one));
        edit();
        call.join().unwrap()
    })
}
