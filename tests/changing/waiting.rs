//! `resume --wait`: what happens, compared with what was predicted. The test plays the controller.

use crate::changing::prelude::*;

/// Resumes `report`, and lets the controller act as soon as it is resumed. The call uses the time of the
/// server, because --wait cannot be used with --now.
fn resume(server: &ApiServer, more: impl CommandLine, act: impl FnOnce()) -> Ran {
    resume_waiting(server, "--wait", more, act)
}

fn resume_waiting(
    server: &ApiServer,
    wait: &str,
    more: impl CommandLine,
    act: impl FnOnce(),
) -> Ran {
    let arguments = ["resume", "report", "-yq", "--catch-up=run", wait];
    let arguments = (&arguments, more);
    thread::scope(|scope| {
        let call = scope.spawn(|| Call::by(server, "admin", arguments).run());
        server.wait_for_object("CronJob", "shop", "report", |report| {
            report["spec"]["suspend"] == json!(false)
        });
        act();
        call.join().unwrap()
    })
}

/// Does what the controller does: creates a Job, records an event, and updates the status.
fn start(server: &ApiServer, scheduled_time: &str) {
    let job = job("shop", "report", scheduled_time, None);
    let name = job["metadata"]["name"].text().to_owned();
    server.put(job);
    server.put(json!({
        "apiVersion": "v1", "kind": "Event", "metadata": {"namespace": "shop", "name": "report.1"},
        "involvedObject": {
            "kind": "CronJob", "namespace": "shop", "name": "report", "uid": "uid-of-report",
        },
        "type": "Normal", "reason": "SuccessfulCreate", "message": format!("Created job {name}"),
    }));
    set(
        server,
        "report",
        "status.lastScheduleTime",
        json!(scheduled_time),
    );
}

calls! {
    resume_wait_ends_after_its_timeout(server) {} resume_waiting(&server, "--wait=1s", "", || {}) => 2;
    resume_wait_with_the_predicted_start_succeeds(server) {} resume(&server, "", || start(&server, "2026-11-21T02:00:00Z")) => 0;
    /// Another run than the predicted one starts: 29919000 is the minute of Friday, two o'clock.
    resume_wait_with_another_start_than_predicted_fails(server) {} resume(&server, "", || start(&server, "2026-11-20T02:00:00Z")) => 1;
}

#[test]
fn resume_wait_as_json_has_what_was_observed() {
    let server = server();
    let ran = resume(&server, "-o json", || {
        start(&server, "2026-11-21T02:00:00Z");
    });
    let observed = ran.item()["observed"].take();
    assert_eq!(observed["asPredicted"], true);
    insta::assert_snapshot!(serde_json::to_string_pretty(&observed).unwrap());
}
