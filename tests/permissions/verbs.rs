//! The verbs, called by a user who has only one role.

use crate::support::prelude::*;

use crate::changing::cast::report;
use crate::live::call::Call;
use crate::live::running_call::RunningCall;
use crate::live::scene::{NOW, cron_job, finish, job, pod_in_state, status_with_active};
use crate::live::serve::Exporter;
use crate::permissions::roles::{Role, USER};
use crate::support::apiserver::{ApiServer, Fault, Kubeconfig, Match, watches};
use crate::support::verbs;

/// The namespaces that a call selects.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Shop,
    Everywhere,
}

impl Place {
    fn flag(self) -> &'static str {
        match self {
            Place::Shop => "--namespace=shop",
            Place::Everywhere => "--all-namespaces",
        }
    }
}

fn call<'s>(server: &'s ApiServer, user: &str, arguments: impl CommandLine) -> Call<'s> {
    let config = Kubeconfig::user(user).namespace("shop");
    Call::new(arguments).with(server, &config)
}

/// The verbs that read give the same output as for a user with all permissions.
pub(crate) fn reading(role: &Role, place: Place) {
    let server = role.server();
    stuck(&server);
    let plan = ["plan -q -f=examples/plan/new".to_owned()];
    let calls = verbs::reading().into_iter().map(|verb| {
        let needed = match verb.as_str() {
            "history" => "--since=24h",
            "simulate" => "--from=2026-11-21T00:00:00Z --to=2026-11-22T00:00:00Z",
            _ => "",
        };
        format!("{verb} -q {} {needed}", place.flag())
    });
    for line in calls.chain(plan) {
        let all = call(&server, "admin", (&line, NOW)).run();
        assert_eq!((all.code, all.stderr.as_str()), (0, ""), "{line}");
        assert_eq!(call(&server, USER, (&line, NOW)).run(), all, "{line}");
    }
    follow_logs(&server);
    let watch = RunningCall::start(call(&server, USER, ("scan --watch", place.flag())));
    server.wait_for(|requests| watches(requests) == 3);
    watch.interrupted();
    server.clear_requests();
    serve(&server, place);
}

/// The exporter, which watches what it reads.
pub(crate) fn exporting(role: &Role, place: Place) {
    let server = role.server();
    stuck(&server);
    serve(&server, place);
}

fn serve(server: &ApiServer, place: Place) {
    let serve = ("serve --listen=127.0.0.1:0", place.flag());
    let exporter = Exporter::of(call(server, USER, serve));
    server.wait_for(|requests| watches(requests) == 3);
    exporter.wait_until_ready();
    let lacks = "cronjob_doctor_lacks";
    assert!(!exporter.get("/metrics").body.contains(lacks));
}

fn add_pod(server: &ApiServer, job: &str, name: &str) {
    let time = "2026-11-21T02:13:10Z";
    let state = json!({"running": {"startedAt": time}});
    let status = [json!("Running"), state];
    server.put(pod_in_state(server, ["shop", job, name], time, status));
}

/// Follows the logs of a running Job until it ends.
fn follow_logs(server: &ApiServer) {
    let job = "stuck-29920440";
    add_pod(server, job, &format!("{job}-x7k2p"));
    server.log("shop", &format!("{job}-x7k2p"), "main", "written\n");
    let arguments = ["logs", "stuck", "-fq", "-nshop", NOW];
    let going = RunningCall::start(call(server, USER, arguments));
    assert_eq!(going.line(), "written");
    server.end_log("shop", &format!("{job}-x7k2p"), "main");
    complete(server, job);
    assert_eq!(going.end().1, Some(0));
    server.delete("v1", "Pod", "shop", &format!("{job}-x7k2p"));
    server.clear_requests();
}

/// The output of `explain`, which needs the most permissions, for a user with the role.
pub(crate) fn explained(role: &Role) -> Ran {
    let server = role.server();
    stuck(&server);
    call(&server, USER, format!("explain {NOW}")).run()
}

/// The verbs that change something succeed with the role.
pub(crate) fn changing(role: &Role, place: Place) {
    let server = role.server();
    server.add(report());
    let suspended = |name: &str| {
        let object = server.object("batch/v1", "CronJob", "shop", name).unwrap();
        object["spec"]["suspend"] == json!(true)
    };

    let all = match place {
        Place::Shop => ["suspend", "--all", "--wait", "-yq", NOW],
        Place::Everywhere => ["suspend", "-A", "--wait", "-yq", NOW],
    };
    let ran = call(&server, USER, all).run();
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    assert!(suspended("nightly"));

    let last = ["backfill", "report", "--last=1", "-yq", NOW];
    let backfill = RunningCall::start(call(&server, USER, last));
    complete(&server, "report-29920440");
    assert_eq!(backfill.end().1, Some(0));

    let skip = ("resume report -yq --catch-up=skip", NOW);
    let ran = call(&server, USER, skip).run();
    ran.assert(0, "cronjob.batch/report resumed\n", "");
    assert!(!suspended("report"));

    trigger(&server);
}

/// Starts a Job, whose pod writes a line, and waits for its end. The response to the request is
/// lost, so that the command searches for the Job.
fn trigger(server: &ApiServer) {
    server.clear_requests();
    let jobs = Match::path("/apis/batch/v1/namespaces/shop/jobs").method("POST");
    server.fault(jobs, Fault::CutOff(10).times(1));
    let arguments = ["trigger", "nightly", "-yq", "--name=again", "--logs", NOW];
    let going = RunningCall::start(call(server, USER, arguments));
    server.wait_for(|requests| watches(requests) == 3);
    server.log("shop", "again-x7k2p", "main", "written\n");
    server.end_log("shop", "again-x7k2p", "main");
    add_pod(server, "again", "again-x7k2p");
    while going.line() != "written" {}
    complete(server, "again");
    assert_eq!(going.end().1, Some(0));
}

/// Lets a Job succeed as soon as it exists.
fn complete(server: &ApiServer, name: &str) {
    server.wait_for_object("Job", "shop", name, |_| true);
    finish(server, name, "Complete");
}

/// Adds `shop/stuck`, whose Job has no ready pod; the pods show why.
fn stuck(server: &ApiServer) {
    let mut running = job("shop", "stuck", "2026-11-21T02:00:00Z", None);
    running["status"]["ready"] = json!(0);
    let mut cron_job = cron_job("shop", "stuck", "0 2 * * *");
    cron_job["status"] = status_with_active(&running);
    server.add(cron_job);
    server.add(running);
}
