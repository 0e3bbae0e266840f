//! The controller is down: several CronJobs are due, and none is started anywhere.

use crate::support::json::owner_reference;
use crate::support::prelude::*;

const NOW: &str = "2026-11-26T19:12:23Z";
/// The last start of any of them.
const LAST: &str = "2026-11-26T17:15:00Z";

/// A CronJob of the cluster; `spec` has its fields besides the schedule.
fn cron_job(name: &str, schedule: &str, last: &str, spec: &Value) -> Value {
    let mut object = json!({
        "apiVersion": "batch/v1", "kind": "CronJob",
        "metadata": {
            "name": name, "namespace": "shop", "uid": name, "generation": 1,
            "creationTimestamp": "2026-11-01T10:20:30Z", "labels": {"team": "a"},
        },
        "spec": {"schedule": schedule, "jobTemplate": {}},
        "status": {"lastScheduleTime": last},
    });
    for (field, value) in spec.as_object().unwrap() {
        object["spec"][field] = value.clone();
    }
    object
}

fn job(owner: &str, name: &str, created: &str) -> Value {
    json!({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {
            "name": name, "namespace": "shop", "uid": name, "creationTimestamp": created,
            "ownerReferences": [owner_reference("CronJob", owner, owner)],
        },
        "spec": {}, "status": {},
    })
}

fn event(kind: &str, name: &str, reason: &str, at: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Event",
        "metadata": {"name": format!("{name}.{reason}"), "namespace": "shop"},
        "involvedObject": {"kind": kind, "name": name, "namespace": "shop"},
        "type": "Normal", "reason": reason, "message": "", "firstTimestamp": at, "lastTimestamp": at,
    })
}

/// Three are due without another reason not to start: `minutely`, `hourly` and `strict`, whose run of 19:00 is too
/// late. The others are not due, suspended, blocked, or were created or edited since.
fn cluster() -> Vec<Value> {
    let mut fresh = cron_job("fresh", "*/15 * * * *", LAST, &json!({}));
    fresh["metadata"]["creationTimestamp"] = json!("2026-11-26T19:01:00Z");
    fresh["status"] = json!({});
    let mut edited = cron_job("edited", "0 * * * *", "2026-11-26T17:00:00Z", &json!({}));
    edited["metadata"]["generation"] = json!(2);
    edited["metadata"]["managedFields"] = json!([{
        "manager": "kubectl-edit", "operation": "Update", "time": "2026-11-26T19:05:00Z",
        "fieldsV1": {"f:spec": {"f:schedule": {}}},
    }]);
    let blocked = json!({"concurrencyPolicy": "Forbid"});
    let mut blocked = cron_job("blocked", "*/5 * * * *", LAST, &blocked);
    blocked["status"]["active"] =
        json!([{"kind": "Job", "namespace": "shop", "name": "blocked-1", "uid": "blocked-1"}]);
    vec![
        cron_job("minutely", "* * * * *", LAST, &json!({})),
        cron_job("hourly", "0 * * * *", "2026-11-26T17:00:00Z", &json!({})),
        cron_job(
            "strict",
            "*/30 * * * *",
            "2026-11-26T17:00:00Z",
            &json!({"startingDeadlineSeconds": 60}),
        ),
        cron_job("nightly", "0 3 * * *", "2026-11-26T03:00:00Z", &json!({})),
        cron_job("off", "*/5 * * * *", LAST, &json!({"suspend": true})),
        blocked,
        job("blocked", "blocked-1", LAST),
        edited,
        fresh,
        // Shows how far the evidence reaches.
        event("Pod", "other", "Pulled", NOW),
    ]
}

fn call(verb: &str, objects: &[Value]) -> Ran {
    let common = format!("-f - --now {NOW} --kubernetes-version 1.36");
    doctor_with_objects((verb, common.as_str()), objects)
}

fn scan(arguments: &str, objects: &[Value]) -> Value {
    call(&format!("scan -o json {arguments}"), objects).document()
}

fn finding<'a>(row: &'a Value, code: &str) -> Option<&'a Value> {
    row["findings"]
        .items()
        .iter()
        .find(|found| found["code"] == code)
}

#[test]
fn controller_that_is_down_is_one_line_and_an_error() {
    let found = scan("", &cluster());
    assert_eq!(found["outage"]["lastStart"], LAST);
    assert_eq!(found["outage"]["due"], 3);
    let lease = "kubectl get lease kube-controller-manager -n kube-system -o yaml";
    assert_eq!(found["outage"]["remedy"]["command"], lease);
    for (name, state, next) in [
        ("minutely", "overdue", Value::Null),
        ("hourly", "overdue", Value::Null),
        ("strict", "start", json!("2026-11-26T19:30:00Z")),
        ("nightly", "start", json!("2026-11-27T03:00:00Z")),
    ] {
        let row = found["items"].named(name);
        assert_eq!(row["nextState"], state, "{name}");
        assert_eq!(row["nextRun"], next, "{name}");
        let overdue = finding(row, "start-overdue");
        assert_eq!(overdue.is_some(), state == "overdue", "{name}");
        if let Some(overdue) = overdue {
            assert_eq!(overdue["severity"], "error", "{name}");
            assert_eq!(overdue["remedy"]["command"], lease, "{name}");
        }
    }
    // None of the answers promises a start while nothing starts.
    let verdicts = found["items"].texts("verdict");
    assert!(
        !verdicts
            .iter()
            .any(|text| text.contains("immediately") && text.starts_with("Starts"))
    );
    insta::assert_snapshot!(call("scan", &cluster()).fine());
    assert_ran!(call("scan --fail-on error", &cluster()), 1);
}

#[test]
fn controller_that_is_down_is_shown_by_all_commands() {
    let sentence = "No CronJob has been started since Thu 2026-11-26 17:15 UTC although 3 were due: \
                    kube-controller-manager seems to be down";
    let explained = call("explain -o json", &cluster()).document();
    let minutely = explained["items"].named("minutely");
    assert_eq!(
        finding(minutely, "start-overdue").unwrap()["detail"],
        format!("{sentence}.")
    );
    assert_eq!(minutely["forecast"][0]["at"], Value::Null);
    assert_eq!(minutely["forecast"][0]["conditionKind"], "unknown");
    let verdicts = ["minutely", "hourly", "strict", "nightly", "blocked"];
    let verdicts = verdicts.map(|name| explained["items"].named(name)["verdict"].text().to_owned());
    insta::assert_snapshot!(verdicts.join("\n"));
    let report = call("report", &cluster()).fine();
    assert_contains!(report, sentence);
    let report = call("report -o json", &cluster()).document();
    assert_eq!(report["scan"]["outage"]["due"], 3);
    assert_contains!(
        call("scan -o markdown", &cluster()).fine(),
        "kube-controller-manager</code> seems to be down"
    );
    let metrics = call("scan -o prometheus", &cluster()).fine();
    assert_contains!(metrics, "\ncronjob_doctor_controller_down 1\n");
}

const WAS_DOWN: &str = "No CronJob was started after Thu 2026-11-26 17:15 UTC although runs were due: \
                        kube-controller-manager seems to have been down";

/// What was due since the last start anywhere was missed because of the outage; the latest run may still start. Other
/// causes are known better, such as a suspension.
#[test]
fn history_names_the_outage_as_the_cause_of_runs_that_were_missed_since() {
    let ran = |objects: &[Value]| {
        call("history -o json --since 2026-11-26T17:00:00Z", objects).document()
    };
    let document = ran(&cluster());
    let outcomes = |name: &str| -> Vec<String> {
        let runs = document["items"].named(name)["runs"].items().iter();
        let line = |run: &Value| {
            let clock = &run["scheduledTime"].text()[11..16];
            let cause = run["cause"].as_str().unwrap_or("-");
            format!("{clock} {} {cause}", run["status"].text())
        };
        runs.map(line).collect()
    };
    let minutely = outcomes("minutely");
    let missed: Vec<&String> = minutely.iter().filter(|run| ***run > *"17:15~").collect();
    // From 17:16 to 19:11, and 19:12.
    assert_eq!(missed.len(), 117);
    let (last, missed) = missed.split_last().unwrap();
    assert_eq!(*last, "19:12 pending due");
    assert!(
        missed
            .iter()
            .all(|run| run.ends_with("skipped controllerDown")),
        "{missed:?}"
    );
    let hourly = outcomes("hourly");
    assert_eq!(
        hourly[1..],
        ["18:00 skipped controllerDown", "19:00 pending due"]
    );
    assert_eq!(outcomes("off").last().unwrap(), "19:10 skipped suspended");
    let runs = document["items"].named("hourly")["runs"].clone();
    assert_eq!(runs[1]["reason"], WAS_DOWN);
    // The cause of a single CronJob is not known.
    let mut alone = cluster();
    alone.retain(|object| {
        let name = object["metadata"]["name"].text();
        object["kind"] != "CronJob" || ["minutely", "off", "blocked"].contains(&name)
    });
    let alone = ran(&alone);
    let causes = alone["items"].named("minutely")["runs"].texts("cause");
    assert!(!causes.contains(&"controllerDown"), "{causes:?}");
}

/// A single CronJob may have a cause of its own. What else is in the files counts, whatever was selected.
#[test]
fn outage_needs_several_cron_jobs_and_does_not_depend_on_the_selection() {
    let down = |arguments: &str, objects: &[Value]| {
        let found = scan(arguments, objects);
        found["outage"] != Value::Null
    };
    assert!(down("-A", &cluster()) && down("-n shop", &cluster()));
    assert!(down("-l team=a", &cluster()));
    assert!(down("--field-selector metadata.name=minutely", &cluster()));
    let named = call("explain minutely hourly -o json", &cluster()).document();
    let all = call("explain -o json", &cluster()).document();
    for name in ["minutely", "hourly"] {
        assert_eq!(named["items"].named(name), all["items"].named(name));
    }
    let mut alone = cluster();
    alone.drain(1..3);
    assert!(!down("", &alone));
    // The controller is another program.
    assert!(!down("--controller kubebuilder", &cluster()));
}

/// With the controller down, `explain NAME` once predicted a start in each minute in which a run was due.
#[test]
fn unstarted_cron_job_is_overdue_also_just_after_a_scheduled_time() {
    let row = |now: &str, concurrency_policy: &str| {
        let spec = json!({"concurrencyPolicy": concurrency_policy});
        let objects = [
            cron_job("minutely", "* * * * *", LAST, &spec),
            job("other", "other-1", "2026-11-26T03:00:00Z"),
            event("Pod", "other", "Pulled", now),
        ];
        let arguments = format!("scan -f - -o json --now {now} --kubernetes-version 1.36");
        let found = doctor_with_objects(arguments.as_str(), &objects).document();
        found["items"].named("minutely").clone()
    };
    for now in [
        "2026-11-26T17:17:05Z",
        "2026-11-26T19:12:05Z",
        "2026-11-26T19:12:55Z",
    ] {
        for policy in ["Allow", "Forbid", "Replace"] {
            let row = row(now, policy);
            assert_eq!(row["nextState"], "overdue", "{now} {policy}");
            assert!(finding(&row, "start-overdue").is_some(), "{now} {policy}");
        }
    }
    let due = row("2026-11-26T17:16:05Z", "Allow");
    assert_eq!(due["nextState"], "start");
    assert!(finding(&due, "start-overdue").is_none());
}

/// The runs of one minute have the same name, so the second one cannot start while the Job of the first one exists.
#[test]
fn run_whose_name_is_taken_is_not_overdue() {
    let next_state = |now: &str| {
        let mut half = cron_job("half", "@every 30s", "2026-11-26T17:14:00Z", &json!({}));
        half["metadata"]["creationTimestamp"] = json!("2026-11-26T17:00:00Z");
        let objects = [
            half,
            job("half", "half-29928554", "2026-11-26T17:14:00Z"),
            job("other", "other-1", "2026-11-26T03:00:00Z"),
            event("Pod", "other", "Pulled", now),
        ];
        let arguments = format!("scan -f - -o json --now {now} --kubernetes-version 1.36");
        let found = doctor_with_objects(arguments.as_str(), &objects).document();
        found["items"].named("half")["nextState"].clone()
    };
    // Overdue since 17:15:00, a minute after it.
    assert_ne!(next_state("2026-11-26T17:15:35Z"), "overdue");
    assert_eq!(next_state("2026-11-26T17:16:05Z"), "overdue");
}

#[test]
fn outage_ends_with_the_first_sign_of_the_controller() {
    let signs = [
        job("nightly", "nightly-29927700", "2026-11-26T19:12:03Z"),
        event("CronJob", "hourly", "FailedCreate", "2026-11-26T19:12:03Z"),
    ];
    for sign in signs {
        let mut objects = cluster();
        // The controller lists a Job that it has created.
        objects[3]["status"]["active"] = json!([{"kind": "Job", "namespace": "shop", "name": "nightly-29927700", "uid": "nightly-29927700"}]);
        objects.push(sign);
        let found = scan("", &objects);
        assert_eq!(found["outage"], Value::Null, "{objects:#?}");
        // As without any outage: the run of this minute starts.
        let minutely = found["items"].named("minutely");
        assert_eq!(minutely["nextState"], "start");
        assert!(finding(minutely, "start-overdue").is_none());
    }
    // So does a write of the status, but not one with kubectl.
    for (manager, is_down) in [("kubectl-patch", true), ("k3s", false)] {
        let mut objects = cluster();
        objects[0]["metadata"]["managedFields"] = json!([{
            "manager": manager, "operation": "Update", "subresource": "status",
            "time": "2026-11-26T19:12:00Z", "fieldsV1": {"f:status": {"f:lastScheduleTime": {}}},
        }]);
        assert_eq!(
            scan("", &objects)["outage"] != Value::Null,
            is_down,
            "{manager}"
        );
    }
}

/// A busy controller is late by seconds, and an old snapshot shows nothing about later times.
#[test]
fn outage_is_reported_only_with_recent_evidence() {
    let until = |seen: &str| {
        let mut objects = cluster();
        // Others were created or edited later.
        objects.truncate(7);
        objects.push(event("Pod", "other", "Pulled", seen));
        scan("", &objects)["outage"]["due"].clone()
    };
    assert_eq!(until("2026-11-26T17:15:50Z"), Value::Null);
    assert_eq!(until("2026-11-26T17:30:59Z"), Value::Null);
    // `minutely` and `strict`.
    assert_eq!(until("2026-11-26T17:31:00Z"), 2);
}

/// A Job that was deleted and created again has its name and owner, but the controller did not create it.
#[test]
fn job_that_was_created_again_is_no_sign_of_the_controller() {
    let created = |manager: &str, is_listed: bool| {
        let mut objects = cluster();
        let mut again = job("nightly", "nightly-29927700", "2026-11-26T19:12:03Z");
        again["metadata"]["managedFields"] = json!([{
            "manager": manager, "operation": "Update", "time": "2026-11-26T19:12:03Z",
            "fieldsV1": {"f:spec": {}},
        }]);
        let uid = if is_listed {
            "nightly-29927700"
        } else {
            "before"
        };
        let listed =
            json!({"kind": "Job", "namespace": "shop", "name": "nightly-29927700", "uid": uid});
        objects[3]["status"]["active"] = json!([listed]);
        objects.push(again);
        scan("", &objects)["outage"] != Value::Null
    };
    assert!(created("kubectl-replace", false));
    assert!(created("kubectl-create", true));
    assert!(created("k9s", false));
    assert!(!created("kube-controller-manager", true));
}

/// When the controller is back: it starts the latest run that was due of `often` and `half`, and none of `strict`.
const BACK: &str = "2026-11-26T19:12:03Z";

/// A Job that ended half a minute after its creation.
fn finished(owner: &str, name: &str, created: &str) -> Value {
    let mut job = job(owner, name, created);
    let end = created.replace(":00Z", ":30Z").replace(":03Z", ":13Z");
    job["status"] = json!({
        "startTime": created, "completionTime": end, "succeeded": 1,
        "conditions": [{"type": "Complete", "status": "True", "lastTransitionTime": end}],
    });
    job
}

/// The controller was down from 17:15 to 19:12:03. No recorder saw it.
fn after_an_outage() -> Vec<Value> {
    let strict = json!({"startingDeadlineSeconds": 60});
    let mut objects = vec![
        cron_job("often", "*/5 * * * *", "2026-11-26T19:10:00Z", &json!({})),
        cron_job("half", "*/30 * * * *", "2026-11-26T19:00:00Z", &json!({})),
        cron_job("strict", "*/30 * * * *", "2026-11-26T17:00:00Z", &strict),
    ];
    // Minutes since the epoch: 17:00 is 29928540.
    objects.extend([
        finished("often", "often-29928555", LAST),
        finished("often", "often-29928670", BACK),
        finished("half", "half-29928540", "2026-11-26T17:00:00Z"),
        finished("half", "half-29928660", BACK),
        finished("strict", "strict-29928540", "2026-11-26T17:00:00Z"),
        event("Pod", "other", "Pulled", NOW),
    ]);
    objects
}

/// The runs of 17:30 to 18:30, with their causes.
fn causes_of(objects: &[Value]) -> Vec<String> {
    let words = "history -o json --since 2026-11-26T17:16:00Z --until 2026-11-26T18:31:00Z";
    let document = call(words, objects).document();
    let items = document["items"].items().iter();
    let causes = items.flat_map(|item| {
        let runs = item["runs"].items().iter();
        let runs = runs.filter(|run| run["status"] == "skipped");
        let name = item["name"].text().to_owned();
        runs.map(move |run| format!("{name} {}", run["cause"].text()))
    });
    let mut causes: Vec<String> = causes.collect();
    causes.dedup();
    causes
}

#[test]
fn history_names_an_outage_that_is_over() {
    let objects = after_an_outage();
    let expected = [
        "often controllerDown",
        "half controllerDown",
        "strict controllerDown",
    ];
    let mut causes = causes_of(&objects);
    causes.sort_unstable_by_key(|cause| expected.iter().position(|one| one == cause));
    assert_eq!(causes, expected);
    let words = "history -o json --since 2026-11-26T17:16:00Z";
    let document = call(words, &objects).document();
    let run = &document["items"].named("half")["runs"][0];
    assert_eq!(run["scheduledTime"], "2026-11-26T17:30:00Z");
    assert_eq!(run["reason"], WAS_DOWN);
}

/// No verdict, finding or remedy promises a start at once.
#[test]
fn nothing_starts_immediately_during_an_outage() {
    let document = call("explain -o json", &cluster()).document();
    for item in document["items"].items() {
        let findings = item["findings"].items().iter();
        // The title of a rule is the same at all times.
        let texts = findings.flat_map(|one| [&one["detail"], &one["remedy"]]);
        for text in texts.chain([&item["verdict"], &item["forecast"]]) {
            assert_lacks!(text.to_string(), " immediately");
        }
    }
    let strict = document["items"].named("strict");
    let lost = finding(strict, "starting-deadline-exceeded").unwrap();
    let remedy = lost["remedy"]["text"].text();
    assert_contains!(remedy, "once kube-controller-manager is running again");
}

/// The run of `strict` was lost in the outage, and no other run of it was due since.
#[test]
fn run_that_was_lost_in_an_outage_is_explained_by_it() {
    let found = scan("", &after_an_outage());
    let lost = finding(found["items"].named("strict"), "starting-deadline-exceeded");
    assert_contains!(lost.unwrap()["detail"].text(), WAS_DOWN);
}

/// What is late together may have another cause, and what shows no start is not always an outage.
#[test]
fn history_names_no_outage_that_the_evidence_does_not_show() {
    let is_named = |change: &dyn Fn(&mut Vec<Value>)| {
        let mut objects = after_an_outage();
        change(&mut objects);
        let causes = causes_of(&objects);
        causes.iter().any(|cause| cause.ends_with("controllerDown"))
    };
    let both = |objects: &mut Vec<Value>, change: &dyn Fn(&mut Value)| {
        objects[..2].iter_mut().for_each(change);
    };
    assert!(is_named(&|_| {}));
    // The controller started another CronJob, ended a Job, or recorded an event in the meantime.
    assert!(!is_named(&|objects| {
        objects.push(cron_job(
            "other",
            "20 * * * *",
            "2026-11-26T18:20:00Z",
            &json!({}),
        ));
        objects.push(finished("other", "other-29928620", "2026-11-26T19:08:00Z"));
    }));
    assert!(!is_named(&|objects| {
        objects.push(cron_job(
            "gone",
            "8 * * * *",
            "2026-11-26T19:08:00Z",
            &json!({}),
        ));
    }));
    assert!(!is_named(&|objects| {
        let rejected = event("CronJob", "half", "FailedCreate", "2026-11-26T19:08:00Z");
        objects.push(rejected);
    }));
    // Both were resumed at the same time, or may have been.
    let resumed = json!([{
        "manager": "kubectl-patch", "operation": "Update", "time": "2026-11-26T19:12:02Z",
        "fieldsV1": {"f:spec": {"f:suspend": {}}},
    }]);
    assert!(!is_named(&|objects| both(objects, &|one| {
        one["metadata"]["generation"] = json!(3);
        one["metadata"]["managedFields"] = resumed.clone();
    })));
    assert!(!is_named(&|objects| both(objects, &|one| one["metadata"]
        ["generation"] =
        json!(3))));
    // Earlier Jobs blocked both until then.
    assert!(!is_named(&|objects| {
        both(objects, &|one| {
            one["spec"]["concurrencyPolicy"] = json!("Forbid");
        });
        for index in [3, 5] {
            objects[index]["status"]["completionTime"] = json!("2026-11-26T19:12:02Z");
            objects[index]["status"]["conditions"][0]["lastTransitionTime"] =
                json!("2026-11-26T19:12:02Z");
        }
    }));
    // One alone, and two whose attempts were repeated at the same times.
    assert!(!is_named(&|objects| {
        objects.remove(0);
    }));
    assert!(!is_named(&|objects| {
        objects[0] = cron_job("often", "*/30 * * * *", "2026-11-26T19:00:00Z", &json!({}));
        objects[4] = finished("often", "often-29928660", BACK);
        objects.remove(3);
    }));
    // They started minutes apart.
    assert!(!is_named(&|objects| {
        objects[6] = finished("half", "half-29928660", "2026-11-26T19:11:00Z");
    }));
}
