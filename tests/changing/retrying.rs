//! `trigger --job`: which Job it repeats, with which template, and what it refuses.

use crate::changing::prelude::*;

const FIRST: &str = "2026-11-20T02:00:00Z";
const SECOND: &str = "2026-11-19T02:00:00Z";

/// A Job of `shop/report` that failed; it ran with an older image.
fn failed(scheduled: &str) -> Value {
    let mut job = job("shop", "report", scheduled, None);
    job["status"] = ended_status("Failed", [scheduled; 2]);
    job["spec"]["template"]["metadata"] = json!({"labels": {
        "app": "report", "batch.kubernetes.io/controller-uid": job["metadata"]["uid"],
        "batch.kubernetes.io/job-name": job["metadata"]["name"],
    }});
    job["spec"]["selector"] =
        json!({"matchLabels": {"batch.kubernetes.io/controller-uid": job["metadata"]["uid"]}});
    job["spec"]["template"]["spec"]["containers"][0]["image"] =
        json!("registry.example.com/main:1.3");
    job
}

fn server_of_failed() -> ApiServer {
    let server = server();
    server.add(failed(FIRST));
    server.add(failed(SECOND));
    server
}

fn name(job: &Value) -> String {
    job["metadata"]["name"].text().to_owned()
}

#[test]
fn failed_job_runs_again_with_its_own_template() {
    let server = server_of_failed();
    let older = name(&failed(SECOND));
    let ran = call(&server, format!("trigger --job {older} --yes --name=again"));
    insta::assert_snapshot!(ran);
    let again = server.object("batch/v1", "Job", "shop", "again").unwrap();
    let found = &again["spec"]["template"]["spec"]["containers"][0]["image"];
    assert_eq!(found, "registry.example.com/main:1.3");
    assert_eq!(
        again["metadata"]["annotations"],
        json!({"cronjob-doctor/retry-of": older, "cronjob.kubernetes.io/instantiate": "manual"})
    );
    let owner = &again["metadata"]["ownerReferences"][0];
    let expected = (&json!("report"), &json!(true));
    assert_eq!((&owner["name"], &owner["controller"]), expected);
    let sent = changes(&server);
    assert_eq!(sent.len(), 1);
    assert_contains!(sent[0], r#""metadata":{"labels":{"app":"report"}}"#);
    for generated in "controller-uid job-name selector scheduled-timestamp status".split(' ') {
        assert_lacks!(sent[0], generated);
    }
}

#[test]
fn cronjob_means_its_newest_failed_job() {
    for target in ["report", "cronjob/report", "cj/report"] {
        let server = server_of_failed();
        let item = call(
            &server,
            format!("trigger --job {target} --dry-run -qo json"),
        )
        .item();
        let newest = name(&failed(FIRST));
        assert_eq!(item["prediction"]["retriedJob"], json!(newest), "{target}");
        assert_eq!(item["action"], "trigger");
        let new = item["object"]["metadata"]["name"].text();
        assert_starts!(new, &format!("{newest}-retry-"));
        assert_eq!(changes(&server), [""; 0]);
    }
}

/// A Job is running, and concurrencyPolicy: Forbid prevents a second one.
fn server_that_forbids() -> ApiServer {
    let server = server_of_failed();
    set(&server, "report", "concurrencyPolicy", "Forbid");
    server.add(job("shop", "report", "2026-11-21T02:00:00Z", None));
    server
}

calls! {
    changed_template_is_announced_only_if_it_changed(server) {
        let mut same = failed(FIRST);
        same["spec"]["template"]["spec"]["containers"][0]["image"] =
            json!("registry.example.com/main:1.4");
        server.add(same);
    } call(&server, "trigger --job cj/report --dry-run --name=again") => 0;
    /// Its image, its deadline and a policy are not those of now.
    job_of_an_earlier_template_names_what_the_cronjob_has_now {
        let server = server();
        let mut job = failed(FIRST);
        job["spec"]["activeDeadlineSeconds"] = json!(20);
        server.add(job);
        server.edit("batch/v1", "CronJob", "shop", "report", |report| {
            let spec = &mut report["spec"]["jobTemplate"]["spec"];
            spec["activeDeadlineSeconds"] = json!(40);
            spec["podFailurePolicy"] = json!({"rules": []});
        });
    } call(&server, "trigger --job cj/report --dry-run --name=again") => 0;
    forbid_with_a_running_job_needs_force { let server = server_that_forbids(); }
        call(&server, "trigger --job cj/report -yq --name=again") => 2, "" => changes(&server).is_empty();
    forbid_with_a_running_job_and_force { let server = server_that_forbids(); }
        call(&server, "trigger --job cj/report -yq --name=again --force")
        => 0, "job.batch/again created\n";
}

#[test]
fn retry_of_a_running_unowned_or_missing_job_is_refused() {
    let server = server();
    // It has been running since Saturday, two o'clock.
    let running = job("shop", "report", "2026-11-21T02:00:00Z", None);
    server.add(running.clone());
    let mut unowned = job("shop", "alone", FIRST, Some(FIRST));
    unowned["metadata"]["ownerReferences"] = json!([]);
    server.add(unowned.clone());
    let mut earlier = failed(SECOND);
    earlier["metadata"]["ownerReferences"][0]["uid"] = json!("uid-of-another-report");
    server.add(earlier.clone());
    let calls: [&str; 6] = [
        &name(&running),
        &format!("job/{}", name(&unowned)),
        &name(&earlier),
        "cj/report",
        "nowhere",
        "pod/report",
    ];
    let mut all = String::new();
    for arguments in calls {
        let refusal = call(&server, ("trigger --yes --job", arguments)).refused();
        all += &format!("$ trigger --job {arguments}\n{refusal}\n");
    }
    insta::assert_snapshot!(all);
    assert_eq!(changes(&server), [""; 0]);
}

#[test]
fn manifest_of_a_retry_has_no_generated_fields() {
    let server = server_of_failed();
    let manifest = call(&server, "trigger --job report --dry-run -qo job").fine();
    assert_starts!(manifest, "apiVersion: batch/v1\nkind: Job\n");
    assert_lacks!(manifest, "controller-uid");
}
