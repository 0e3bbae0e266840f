//! How the last run of a nightly CronJob is shown.

use crate::support::nightly::{
    JOB, NOW, SCHEDULED, cron_job, finished, pulled_run, succeeded_at, unfinished,
};
use crate::support::prelude::*;

fn call(verb: &str, objects: &[Value]) -> Ran {
    doctor_with_objects((verb, ["-f", "-", "--now", NOW]), objects)
}

#[test]
fn page_of_a_healthy_nightly_cron_job_is_short() {
    let end = "2026-11-22T22:04:27Z";
    let cron_job = cron_job(&json!({}), &succeeded_at(end));
    let healthy = [cron_job, finished(JOB, SCHEDULED, "Complete", end)];
    let page = call("explain", &healthy).fine();
    assert!(page.lines().count() <= 6, "{page}");
}

#[test]
fn texts_name_what_a_run_waited_for() {
    let objects = pulled_run();
    let expected = "waited 3m3s (node 12s, image 2m48s), ran 2m, ended 31s later";
    let unwrapped = |ran: Ran| {
        let words = ran.fine();
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_contains!(unwrapped(call("explain -o wide", &objects)), expected);
    assert_contains!(unwrapped(call("history -o wide", &objects)), expected);
}

/// Of a Job whose pod waits for a `ConfigMap`, nothing took any time yet.
#[test]
fn job_without_a_known_phase_has_no_line_of_its_last_run() {
    let mut objects = pulled_run();
    objects[1] = unfinished(&json!({}), 1);
    objects[2]["status"] = json!({"phase": "Pending", "containerStatuses": [{
        "name": "main", "restartCount": 0, "state": {"waiting": {"reason": "CreateContainerConfigError"}},
    }]});
    let text = call("explain -o wide", &objects).stdout;
    let is_empty = |line: &&str| line.trim() == "Last run";
    assert_eq!(text.lines().find(is_empty), None, "{text}");
}
