//! Forecasts from evidence as in a real 1.36 cluster: each case was seen there.

use std::collections::BTreeSet;

use crate::support::prelude::*;
use crate::support::tables::sections;

/// All times are on the 21st and the 22nd of a month.
fn moment(time: &str) -> String {
    format!("2026-11-{time}Z")
}

/// A CronJob of the namespace `ops`: its schedule, every two minutes if there is none, further fields of its spec,
/// such as `suspend=true`, and when it last ran.
fn cron_job(name: &str, spec: &str, last: &str) -> Value {
    let (fields, schedule): (Vec<&str>, Vec<&str>) =
        spec.split_whitespace().partition(|word| word.contains('='));
    let schedule = match schedule.join(" ") {
        none if none.is_empty() => "*/2 * * * *".to_owned(),
        schedule => schedule,
    };
    let mut object = json!({
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {
            "namespace": "ops", "name": name, "uid": format!("uid-{name}"), "generation": 1,
            "creationTimestamp": moment("21T23:00:00"),
        },
        "spec": {"schedule": schedule, "jobTemplate": {}},
        "status": {},
    });
    for (field, value) in fields.iter().filter_map(|field| field.split_once('=')) {
        object["spec"][field] = serde_json::from_str(value).unwrap_or(json!(value));
    }
    if !last.is_empty() {
        object["status"]["lastScheduleTime"] = json!(moment(last));
    }
    object
}

/// Adds a Job to those of the status.
fn running(mut cron_job: Value, job: &str) -> Value {
    cron_job["status"]["active"] = json!([active(job)]);
    cron_job
}

/// Records an edit of the schedule.
fn edited_by(object: &mut Value, generation: u64, manager: &str, time: &str) {
    object["metadata"]["generation"] = json!(generation);
    object["metadata"]["managedFields"] = json!([{
        "manager": manager,
        "operation": "Update",
        "time": moment(time),
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:spec": {"f:schedule": {}}},
    }]);
}

fn job(cron_job: &str, minutes: u64, created: &str) -> Value {
    let created = moment(created);
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "namespace": "ops",
            "name": format!("{cron_job}-{minutes}"),
            "uid": format!("uid-{cron_job}-{minutes}"),
            "creationTimestamp": created,
            "ownerReferences": [{
                "apiVersion": "batch/v1",
                "kind": "CronJob",
                "name": cron_job,
                "uid": format!("uid-{cron_job}"),
                "controller": true,
            }],
        },
        "spec": {},
        "status": {"active": 1, "startTime": created},
    })
}

fn unowned(mut job: Value) -> Value {
    job["metadata"]["ownerReferences"] = json!([]);
    job
}

pub(crate) fn finished(mut job: Value, at: &str) -> Value {
    let at = moment(at);
    job["status"] = json!({
        "startTime": job["metadata"]["creationTimestamp"],
        "completionTime": at,
        "succeeded": 1,
        "conditions": [{"type": "Complete", "status": "True", "lastTransitionTime": at}],
    });
    job
}

fn active(name: &str) -> Value {
    json!({"namespace": "ops", "name": name, "uid": format!("uid-{name}")})
}

fn failed_create(name: &str, cron_job: &str, first: &str, last: &str, count: u64) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"namespace": "ops", "name": name},
        "involvedObject": {
            "kind": "CronJob", "namespace": "ops", "name": cron_job, "uid": format!("uid-{cron_job}"),
        },
        "type": "Warning",
        "reason": "FailedCreate",
        "message": format!("Error creating job: jobs.batch \"{cron_job}\" is forbidden: exceeded quota"),
        "count": count,
        "firstTimestamp": moment(first),
        "lastTimestamp": moment(last),
    })
}

/// The output of a verb for these objects at a time.
fn output(verb: impl CommandLine, objects: &[Value], now: &str) -> String {
    output_of("1.36.2", verb, objects, now)
}

/// The same for another version.
fn output_of(version: &str, verb: impl CommandLine, objects: &[Value], now: &str) -> String {
    let fixed = format!(
        "-q -f - --kubernetes-version={version} --now={}",
        moment(now)
    );
    doctor_with_objects((verb, &fixed), objects).fine()
}

/// The same as a document.
fn document(verb: impl CommandLine, objects: &[Value], now: &str) -> Value {
    document_of("1.36.2", verb, objects, now)
}

fn document_of(version: &str, verb: impl CommandLine, objects: &[Value], now: &str) -> Value {
    serde_json::from_str(&output_of(version, (verb, "-o json"), objects, now)).unwrap()
}

fn explained(objects: &[Value], now: &str) -> Value {
    explained_of("1.36.2", objects, now)
}

fn explained_of(version: &str, objects: &[Value], now: &str) -> Value {
    document_of(version, "explain", objects, now)["items"][0].clone()
}

/// An object as the table describes it.
fn described(text: &str) -> Value {
    let mut parts = text.split("; ");
    let mut words = parts.next().unwrap().splitn(3, ' ');
    let (kind, name) = (words.next().unwrap(), words.next().unwrap());
    let more = words.next().unwrap_or_default();
    let mut object = match kind {
        "cronjob" => cron_job(name, more, ""),
        "job" => {
            let (cron_job, minutes) = name.rsplit_once('-').unwrap();
            job(cron_job, minutes.parse().unwrap(), more)
        }
        "failed" => {
            let [first, last, count] = more.split(' ').collect::<Vec<_>>()[..] else {
                panic!("{text}");
            };
            failed_create(text, name, first, last, count.parse().unwrap())
        }
        _ => panic!("{text}"),
    };
    for part in parts {
        let (setting, value) = part.split_once(' ').unwrap_or((part, ""));
        match setting {
            "last" => object["status"]["lastScheduleTime"] = json!(moment(value)),
            "active" => object["status"]["active"] = json!([active(value)]),
            "created" => object["metadata"]["creationTimestamp"] = json!(moment(value)),
            "edited" => {
                let (manager, time) = value.split_once(' ').unwrap();
                edited_by(&mut object, 2, manager, time);
            }
            "resumed" => {
                let fields = &mut object["metadata"]["managedFields"][0]["fieldsV1"];
                fields["f:spec"]["f:suspend"] = json!({});
            }
            "was" => {
                let before = cron_job(name, value, "");
                applied(&mut object, &before["spec"]);
            }
            "unowned" => object = unowned(object),
            "finished" => object = finished(object, value),
            _ => panic!("{text}"),
        }
    }
    object
}

#[test]
fn forecasts_match_the_table() {
    for (heading, cases) in sections("tests/forecast.txt") {
        let objects: Vec<Value> = heading.split(" | ").map(described).collect();
        for (given, expected) in cases {
            let mut words: Vec<&str> = given.split(' ').collect();
            let now = words.pop().unwrap();
            let version = words.pop_if(|word| word.starts_with("1."));
            let version = version.unwrap_or("1.36.2");
            let case = format!("{given} of {heading}");
            match words[..] {
                [verb @ ("scan" | "next-runs" | "history")] => {
                    let table = output_of(version, verb, &objects, now);
                    assert!(table.contains(&expected), "{case}: {table}");
                }
                ["notes"] => {
                    let notes = notes(&explained_of(version, &objects, now));
                    assert_begins(&notes, &expected, &case);
                }
                ["findings"] => {
                    let item = explained_of(version, &objects, now);
                    let codes: Vec<String> = codes(&item).into_iter().map(str::to_owned).collect();
                    assert_begins(&codes, &expected, &case);
                }
                [field @ ("scheduledTime" | "because")] => {
                    let item = explained_of(version, &objects, now);
                    let values = item["forecast"].items().iter();
                    let value = |entry: &Value| entry[field].as_str().map(str::to_owned);
                    let values: Vec<String> = values
                        .map(|entry| value(entry).unwrap_or_default())
                        .collect();
                    assert_begins(&values, &expected, &case);
                }
                ["verdict"] => {
                    let verdict = explained_of(version, &objects, now)["verdict"].take();
                    assert!(verdict.text().contains(&expected), "{case}: {verdict}");
                }
                ["finding"] => {
                    let findings = explained_of(version, &objects, now)["findings"].take();
                    let details = findings
                        .items()
                        .iter()
                        .map(|finding| finding["detail"].text());
                    let details: Vec<&str> = details.collect();
                    assert!(
                        details.iter().any(|detail| detail.contains(&expected)),
                        "{case}: {details:?}"
                    );
                }
                _ => {
                    let found = entries(&explained_of(version, &objects, now));
                    assert_begins(&found, &expected, &case);
                }
            }
        }
    }
}

/// `found` begins with what is expected, and has no more if that ends with `end`. `-` is nothing.
#[track_caller]
fn assert_begins(found: &[String], expected: &str, case: &str) {
    let expected: Vec<&str> = expected.split(" | ").collect();
    let (expected, is_all) = match expected.split_last() {
        Some((&"end", all)) => (all, true),
        _ => (&expected[..], false),
    };
    let found: Vec<&str> = found
        .iter()
        .map(|value| if value.is_empty() { "-" } else { value })
        .collect();
    let begins = found.get(..expected.len()).unwrap_or(&found);
    assert_eq!(begins, expected, "{case}");
    assert!(
        !is_all || found.len() == expected.len(),
        "{case}: {found:?}"
    );
}

/// The explanation, after a check that its forecast begins with these entries.
#[track_caller]
fn forecast(objects: &[Value], now: &str, expected: &[&str]) -> Value {
    forecast_of("1.36.2", objects, now, expected)
}

#[track_caller]
fn forecast_of(version: &str, objects: &[Value], now: &str, expected: &[&str]) -> Value {
    let item = explained_of(version, objects, now);
    let first = &entries(&item)[..expected.len()];
    assert_eq!(first, expected, "{version} {now}");
    item
}

/// Each entry as `at outcome job kind-of-condition`, without the month and the zone of the time.
fn entries(item: &Value) -> Vec<String> {
    let entries = item["forecast"].items().iter();
    let fields = ["at", "outcome", "jobName", "conditionKind"];
    let line = |entry: &Value| {
        let fields = fields.map(|field| entry[field].as_str().unwrap_or("-"));
        let line = fields.join(" ").replacen("2026-11-", "", 1);
        line.replacen("Z ", " ", 1)
    };
    entries.map(line).collect()
}

/// A Job that does not finish, under Forbid.
pub(crate) fn stuck() -> Vec<Value> {
    let forbids = cron_job("forbid", "concurrencyPolicy=Forbid", "21T23:56:00");
    vec![
        running(forbids, "forbid-29921756"),
        job("forbid", 29_921_756, "21T23:56:00"),
    ]
}

#[test]
fn a_running_job_under_forbid_makes_the_next_run_conditional() {
    let expected = [
        "21T23:58:00.1 blocked forbid-29921758 jobStillRuns",
        "21T23:58:00.1 start forbid-29921758 jobFinishesFirst",
    ];
    let item = forecast(&stuck(), "21T23:57:34", &expected);
    assert_eq!(item["forecast"][0]["conditionJob"], "forbid-29921756");
    let table = output("scan", &stuck(), "21T23:57:34");
    assert_contains!(table, "forbid   blocked");
    let runs = output("next-runs", &stuck(), "21T23:57:34");
    assert_contains!(runs, "not before forbid-29921756 finishes");
    let metrics = output("scan -o prometheus", &stuck(), "21T23:57:34");
    assert_lacks!(metrics, "next_run_timestamp_seconds{");
}

#[test]
fn load_reports_blocked_cronjobs() {
    // The Job has run for three minutes, and a run is due every two.
    let load = document("load", &stuck(), "21T23:59:00");
    let summary = &load["summary"];
    assert_eq!([&summary["cronJobs"], &summary["blocked"]], [1, 1]);
    let text = output("load", &stuck(), "21T23:59:00");
    assert_contains!(text, "(1 blocked)");
    let mut finishes = stuck();
    finishes[1] = finished(finishes[1].clone(), "21T23:57:00");
    let text = output("load", &finishes, "21T23:57:30");
    assert!(!text.contains("blocked"), "{text}");
}

#[test]
fn a_job_that_usually_finishes_in_time_does_not_block() {
    let mut objects = stuck();
    let earlier = job("forbid", 29_921_754, "21T23:54:00");
    objects.push(finished(earlier, "21T23:55:40"));
    // 100 s are usual: it is expected to end at 23:57:40.
    let expected = [
        "21T23:58:00.1 start forbid-29921758 jobFinishesFirst",
        "21T23:58:00.1 blocked forbid-29921758 jobStillRuns",
    ];
    let item = forecast(&objects, "21T23:57:34", &expected);
    assert_eq!(item["forecast"][0]["likely"], true);
    let table = output("scan", &objects, "21T23:57:34");
    assert_contains!(table, "in 26s (if free)");
}

#[test]
fn a_blocked_run_starts_when_the_job_finishes() {
    let expected = [
        "- start forbid-29921758 jobFinishesFirst",
        "22T00:00:00.1 blocked forbid-29921760 jobStillRuns",
        "22T00:00:00.1 start forbid-29921760 jobFinishesFirst",
    ];
    let item = forecast(&stuck(), "21T23:58:34", &expected);
    let until = |item: &Value| item["forecast"][0]["conditionUntil"].clone();
    assert_eq!(until(&item), moment("22T00:00:00.1"));
    // With a deadline it has to finish before that.
    let mut objects = stuck();
    objects[0]["spec"]["startingDeadlineSeconds"] = json!(50);
    let item = explained(&objects, "21T23:58:34");
    assert_eq!(until(&item), moment("21T23:58:50"));
}

/// The run of 23:58 starts when the Job of 23:56 ends, and is still running when that of 00:00 is due.
#[test]
fn a_run_after_a_blocked_one_waits_for_both() {
    let item = explained(&stuck(), "21T23:58:34");
    let starts = item["forecast"].items().iter();
    let starts = starts.filter(|entry| entry["outcome"] == "start");
    let jobs: Vec<&str> = starts
        .clone()
        .map(|entry| entry["conditionJob"].text())
        .collect();
    let expected = ["forbid-29921756", "forbid-29921758", "forbid-29921760"];
    assert_eq!(jobs[..3], expected, "{item}");
    let conditions: Vec<&str> = starts.map(|entry| entry["condition"].text()).collect();
    assert_contains!(conditions[0], "if forbid-29921756 has finished by");
    assert_contains!(
        conditions[1],
        "if every earlier run has finished by 2026-11-22T00:00:00Z"
    );
}

/// 100 s are usual. The Job that blocks the run of 23:58 ends about 23:59:10, and that run about 00:00:50.
#[test]
fn a_run_that_starts_late_is_likely_to_block_the_next_one() {
    let mut objects = stuck();
    objects[1] = job("forbid", 29_921_756, "21T23:57:30");
    let earlier = job("forbid", 29_921_754, "21T23:54:00");
    objects.push(finished(earlier, "21T23:55:40"));
    let expected = [
        "- start forbid-29921758 jobFinishesFirst",
        "22T00:00:00.1 blocked forbid-29921760 jobStillRuns",
        "22T00:00:00.1 start forbid-29921760 jobFinishesFirst",
    ];
    let item = forecast(&objects, "21T23:58:34", &expected);
    let likely = |entry: usize| item["forecast"][entry]["likely"].clone();
    assert_eq!([likely(0), likely(2)], [true, false]);
}

#[test]
fn without_jobs_those_in_the_status_count_as_running() {
    let alone = &stuck()[..1];
    let item = explained(alone, "21T23:58:34");
    assert_eq!(item["decision"]["outcome"], "blocked");
    let reasons = item["decision"]["events"].texts("reason");
    assert!(!reasons.contains(&"MissingJob"), "{reasons:?}");
    let unread = |text: &Value| text.text().contains("Jobs were not read");
    assert!(unread(&item["verdict"]));
    let expected = "not read; 1 in status.active may still be running";
    assert_eq!(item["decision"]["steps"][0]["detail"], expected);
    let missed = &item["missed"];
    assert!(unread(&missed["causes"][0]["evidence"]), "{missed}");
    let blocked = item["findings"].items().iter();
    let mut blocked = blocked.filter(|finding| finding["code"] == "blocked-by-running-job");
    assert!(unread(&blocked.next().unwrap()["detail"]));
    let other = document("explain --compare=1.27.1", alone, "21T23:58:34");
    let other = &other["items"][0]["compared"][0]["decision"];
    assert_eq!(other["outcome"], "blocked");
}

/// Seen: blocked at 07:53:22 and 07:54:52, and when the Job finished at 07:55:28 the run of 07:55:18 started,
/// 90 s after the deadline of 100 s began.
#[test]
fn which_run_of_every_starts_after_a_blocked_one_is_unknown() {
    let spec = "@every 90s concurrencyPolicy=Forbid startingDeadlineSeconds=100";
    let objects = [
        running(cron_job("d2", spec, "22T07:51:52"), "d2-29922231"),
        job("d2", 29_922_231, "22T07:51:52"),
    ];
    let item = explained(&objects, "22T07:52:35");
    let mut blocked = entries(&item);
    blocked.retain(|entry| entry.contains(" blocked "));
    let is_unknown = |entry: &String| entry.contains(" blocked - ");
    assert!(
        !blocked.is_empty() && blocked.iter().all(is_unknown),
        "{blocked:?}"
    );
}

/// Seen: blocked at 08:37:49, and when the Job finished at 08:38:48 the run of 08:38:08 started.
#[test]
fn which_run_of_every_starts_when_the_job_finishes_is_unknown() {
    let spec = "@every 1m concurrencyPolicy=Forbid startingDeadlineSeconds=100";
    let objects = [
        running(cron_job("a7", spec, "22T08:36:49"), "a7-29922276"),
        job("a7", 29_922_276, "22T08:37:26"),
    ];
    let item = forecast(&objects, "22T08:37:49", &["- start - jobFinishesFirst"]);
    assert_eq!(item["forecast"][0]["scheduledTime"], Value::Null);
    let expected = moment("22T08:38:49.1");
    assert_eq!(item["forecast"][0]["conditionUntil"], expected);
}

/// Seen: the Job finished 3m28s after the last scheduled time, and nothing was started. The first missed runs are a
/// minute apart, so that from 23:31 on the controller searches for runs after 23:30.
#[test]
fn blocked_run_is_missed_if_the_schedule_pauses() {
    let spec = "27-30,35 * * * * concurrencyPolicy=Forbid";
    let objects = [
        running(cron_job("b4", spec, "21T23:27:00"), "b4-29921727"),
        job("b4", 29_921_727, "21T23:27:00"),
    ];
    let expected = [
        "- start b4-29921730 jobFinishesFirst",
        "21T23:35:00.1 start b4-29921735 jobFinishesFirst",
    ];
    let item = forecast(&objects, "21T23:30:04", &expected);
    let until = item["forecast"][0]["conditionUntil"].text();
    assert_eq!(until, moment("21T23:31:00"));
    insta::assert_snapshot!(item["verdict"].text());
    let finding = item["findings"][0]["detail"].text();
    assert_contains!(finding, "starts if that Job ends by Sat 2026-11-21 23:31");
    let runs = output("history -o wide", &objects, "21T23:30:04").replace('\n', " ");
    let runs = runs.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_contains!(
        runs,
        "this run starts if that Job finishes before Sat 2026-11-21 23:31"
    );
    let item = explained_of("1.20.0", &objects, "21T23:30:04");
    let until = item["forecast"][0]["conditionUntil"].text();
    assert_eq!(until, moment("21T23:35:00"));
}

#[test]
fn replace_starts_whether_the_job_finishes_or_not() {
    let mut objects = stuck();
    objects[0]["spec"]["concurrencyPolicy"] = json!("Replace");
    let item = explained(&objects, "21T23:57:34");
    let mut first: Vec<_> = entries(&item)[..2].to_vec();
    first.sort_unstable();
    let expected = [
        "21T23:58:00.1 replace forbid-29921758 jobStillRuns",
        "21T23:58:00.1 start forbid-29921758 jobFinishesFirst",
    ];
    assert_eq!(first, expected);
    let table = output("scan", &objects, "21T23:57:34");
    assert_contains!(table, "in 26s ");
}

/// Seen: failures up to 23:57:22, 23:58:44 and 00:01:27, that is 82 s and 163 s apart. The next pause is
/// 5 ms * 2^16, about 328 s, so that nothing was tried at 00:02 or 00:04.
pub(crate) fn refused() -> Vec<Value> {
    vec![
        cron_job("backup", "", "21T23:54:00"),
        failed_create("a", "backup", "21T23:56:00", "21T23:57:22", 15),
        failed_create("b", "backup", "21T23:58:44", "21T23:58:44", 1),
        failed_create("c", "backup", "22T00:01:27", "22T00:01:27", 1),
    ]
}

#[test]
fn a_refused_creation_is_retried_by_the_back_off() {
    // It then starts the newest run that is due.
    let expected = [
        "22T00:06:54.68 retry backup-29921766 estimatedTime",
        "22T00:08:00.1 start backup-29921768 creationSucceeds",
    ];
    let item = forecast(&refused(), "22T00:03:19", &expected);
    let finding = &item["findings"][0];
    assert_eq!(finding["code"], "job-creation-fails");
    let remedy = finding["remedy"]["text"].text();
    assert_contains!(remedy, "annotate cronjob backup");
    insta::assert_snapshot!(item["verdict"].text());
    let table = output("scan", &refused(), "22T00:03:19");
    assert_contains!(table, "retry in 3m35s");
    // The run of 00:04 is not the latest one at 00:06:54; that of 00:06 is.
    let runs = output("next-runs", &refused(), "22T00:03:19");
    let note = |time: &str| runs.lines().find(|line| line.contains(time)).unwrap();
    let passes = "skipped: the next attempt is due about Sun 2026-11-22 00:06:54 UTC";
    assert_contains!(note(" 00:04 UTC"), passes);
    let starts = "starts about Sun 2026-11-22 00:06:54 UTC";
    assert_contains!(note(" 00:06 UTC"), starts);
}

/// With a single attempt its time is unknown, and an update of the CronJob still causes one immediately.
#[test]
fn a_few_refused_attempts_have_the_remedy_too() {
    let at = "21T23:56:00";
    let mut objects = refused();
    objects.truncate(1);
    objects.push(failed_create("a", "backup", at, at, 1));
    let expected = "- retry backup-29921756 unknown";
    let item = forecast(&objects, "21T23:56:01", &[expected]);
    insta::assert_snapshot!(item["verdict"].text());
    let remedy = item["findings"][0]["remedy"]["text"].text();
    assert_contains!(remedy, "annotate cronjob backup");
}

/// `@every` counts from the last run, in the output of every command.
#[test]
fn every_counts_from_the_last_run_in_every_list() {
    let objects = [cron_job("every", "@every 3h", "22T13:00:00")];
    let now = "22T15:50:00";
    let runs = ["16:00", "19:00", "22:00"].map(|time| format!("2026-11-22T{time}:00Z"));
    let item = forecast(&objects, now, &["22T16:00:00.1 start every-29922720 -"]);
    let next_runs = document("next-runs", &objects, now);
    for list in [&item["nextRuns"], &next_runs["items"][0]["runs"]] {
        assert_eq!(list.texts("scheduledTime")[..3], runs);
    }
    let calendar = output("next-runs -o ics", &objects, now);
    assert_contains!(calendar, "DTSTART:20261122T160000Z");
    let after = "next-runs -o csv --after 2026-11-22T18:59:59Z";
    let csv = output(after, &objects, now);
    assert_contains!(csv.lines().nth(1).unwrap(), "2026-11-22T19:00:00Z");
    let simulated = output("simulate --for 8h", &objects, now);
    assert_contains!(simulated, "16:00     3 runs started, the last at 22:00");
    // The first controller polls, and counts from the last run, too.
    let expected = [
        "22T16:00:00 start every-1795363200 estimatedTime",
        "22T19:00:00 start every-1795374000 estimatedTime",
    ];
    forecast_of("1.20.0", &objects, now, &expected);
}

/// Seen: spec.timeZone was removed three seconds before, and the run did not start.
#[test]
fn a_late_start_is_unknown_where_the_spec_was_edited() {
    let kind = |generation: u64| {
        let mut object = cron_job("a6", "1-59/2 * * * *", "22T07:14:00");
        object["metadata"]["generation"] = json!(generation);
        // The evidence reaches up to this time.
        let (then, other) = ("22T07:15:20", "other");
        let objects = [object, failed_create("x", other, then, then, 1)];
        let item = explained(&objects, "22T07:15:21");
        item["forecast"][0]["conditionKind"].clone()
    };
    assert_eq!(kind(1), "estimatedTime");
    assert_eq!(kind(4), "unknown");
}

/// Seen: 13 attempts, a single one, a restart of the controller, and 13 attempts; the next one came 20 s
/// later. A Job that was created manually in the meantime, and one that was replaced, change nothing.
#[test]
fn back_off_begins_again_with_the_controller() {
    let create = |name: &str, first: &str, last: &str, count| {
        let at = |time: &str| format!("22T{time}");
        failed_create(name, "again", &at(first), &at(last), count)
    };
    let mut manual = job("again", 1, "22T04:15:50");
    manual["metadata"]["annotations"] = json!({"cronjob.kubernetes.io/instantiate": "manual"});
    let mut replaced = create("d", "04:14:00", "04:14:00", 1);
    replaced["reason"] = json!("SuccessfulCreate");
    let objects = [
        cron_job("again", "", "22T04:12:00"),
        create("z", "04:10:00", "04:12:43", 16),
        replaced,
        create("a", "04:14:28", "04:14:49", 13),
        create("b", "04:15:09", "04:15:09", 1),
        create("c", "04:15:27", "04:15:47", 13),
        manual,
    ];
    let expected = "22T04:16:07.48 retry again-29922016 estimatedTime";
    let item = forecast(&objects, "22T04:15:55", &[expected]);
    let because = item["forecast"][0]["because"].text();
    assert_contains!(because, "27 attempts failed");
}

/// Seen: the Job had finished, and the API server refused the next one; under Replace it had deleted the
/// running Job before that.
#[test]
fn full_quota_makes_every_start_depend_on_the_api_server() {
    let mut objects = stuck();
    objects.push(json!({
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"namespace": "ops", "name": "jobs"},
        "spec": {"hard": {"count/jobs.batch": "0"}},
        "status": {"hard": {"count/jobs.batch": "0"}, "used": {"count/jobs.batch": "1"}},
    }));
    let kinds = |objects: &[Value], now: &str| {
        let entries = entries(&explained(objects, now)).into_iter();
        let kind = |entry: String| {
            let words: Vec<&str> = entry.split(' ').collect();
            format!("{} {}", words[1], words[3])
        };
        entries.map(kind).collect::<BTreeSet<_>>()
    };
    let blocked = ["blocked jobStillRuns", "start creationSucceeds"];
    for now in ["21T23:57:34", "21T23:58:34"] {
        assert_eq!(kinds(&objects, now), blocked.map(str::to_owned).into());
    }
    objects[0]["spec"]["concurrencyPolicy"] = json!("Replace");
    let replaced = ["replace creationSucceeds", "start creationSucceeds"];
    let kinds = kinds(&objects, "21T23:57:34");
    assert_eq!(kinds, replaced.map(str::to_owned).into());
}

/// `*/10` was edited to `7 * * * *` at 00:08:11, after minute 7.
pub(crate) fn edited(before: Option<&str>) -> Vec<Value> {
    let mut object = cron_job("chg", "7 * * * *", "22T00:00:00");
    edited_by(&mut object, 2, "kubectl-edit", "22T00:08:11");
    if let Some(before) = before {
        applied(&mut object, &json!({"schedule": before}));
    }
    vec![object]
}

/// Records the spec that was last applied.
fn applied(object: &mut Value, spec: &Value) {
    let applied = json!({"spec": spec}).to_string();
    let name = "kubectl.kubernetes.io/last-applied-configuration";
    object["metadata"]["annotations"] = json!({name: applied});
}

#[test]
fn after_an_edit_the_wake_up_of_the_previous_schedule_comes_first() {
    // Seen: chg-29921767 was created at 00:10:00.
    let expected = [
        "22T00:10:00.1 start chg-29921767 -",
        "22T01:07:00.1 start chg-29921827 -",
    ];
    let item = forecast(&edited(Some("*/10 * * * *")), "22T00:08:12", &expected);
    let edit = "(kubectl-edit, 1s ago, was */10 * * * *)";
    assert_contains!(item["verdict"].text(), edit);
    assert_eq!(item["missed"]["causes"][0]["cause"], "scheduleEdited");
    let finding = &item["findings"][0];
    assert_eq!(finding["code"], "start-overdue");
    let remedy = finding["remedy"]["text"].text();
    assert_contains!(remedy, "annotate cronjob chg");
    assert_contains!(remedy, "chg-29921767");
    let table = output("scan", &edited(Some("*/10 * * * *")), "22T00:08:12");
    assert_contains!(table, "in 108s");
}

/// Seen: the pending run replaced a1-29922267 when a manually created Job of the CronJob finished, and was
/// replaced in turn a minute later.
#[test]
fn after_an_edit_the_pending_run_may_be_replaced() {
    let mut objects = edited(None);
    objects[0]["spec"]["concurrencyPolicy"] = json!("Replace");
    let expected = [
        "- start chg-29921767 unknown",
        "22T01:07:00.1 start chg-29921827 jobFinishesFirst",
        "22T01:07:00.1 replace chg-29921827 jobStillRuns",
    ];
    let item = forecast(&objects, "22T00:08:12", &expected);
    assert_eq!(item["forecast"][2]["conditionJob"], "chg-29921767");
    // With a Job that is already running, either of them may be replaced.
    objects[0]["status"]["active"] = json!([active("chg-29921760")]);
    objects.push(job("chg", 29_921_760, "22T00:00:00"));
    let item = explained(&objects, "22T00:08:12");
    let mut syncs = item["forecast"].items().to_vec();
    syncs.retain(|it| it["conditionKind"] == "jobStillRuns" && it["jobName"] == "chg-29921827");
    let jobs = json!(syncs);
    assert_eq!(jobs.texts("conditionJob"), ["chg-29921760", "chg-29921767"]);
}

/// Seen: the manually created Job of the CronJob finished a second later, so that the pending run started,
/// and the run after it was blocked.
#[test]
fn after_an_edit_the_pending_run_may_block_the_next_one() {
    let spec = "* * * * * concurrencyPolicy=Forbid startingDeadlineSeconds=30";
    let mut object = cron_job("b7", spec, "22T06:45:00");
    edited_by(&mut object, 4, "kubectl-client-side-apply", "22T06:48:07");
    let expected = [
        "- start b7-29922168 unknown",
        "22T06:49:00.1 start b7-29922169 jobFinishesFirst",
    ];
    let item = forecast(&[object], "22T06:48:10", &expected);
    assert_eq!(item["forecast"][1]["conditionJob"], "b7-29922168");
}

#[test]
fn edit_before_the_run_was_due_does_not_explain_its_delay() {
    // The edit was made at 00:08:11; the run of 01:07 is a minute and a half late at 01:08:30.
    let item = explained(&edited(Some("*/10 * * * *")), "22T01:08:30");
    assert!(entries(&item)[0].ends_with(" chg-29921827 unknown"));
}

#[test]
fn a_name_that_is_taken_delays_the_run_after_it() {
    // The name of the run of 00:34 is taken: attempts from 00:34:00.1 on double their pauses of 5 ms, so that
    // the first one after 00:36:00 is that of 00:34:00.1 + (2^15 - 1) * 5 ms = 00:36:43.935.
    let taken = unowned(job("taken", 29_921_794, "22T00:33:00"));
    let objects = [cron_job("taken", "", "22T00:32:00"), taken];
    let item = explained(&objects, "22T00:34:30");
    let list = entries(&item);
    assert_contains!(list[0], " nameTaken ");
    let start = list.iter().find(|entry| entry.contains(" start "));
    let expected = "22T00:36:43.935 start taken-29921796 estimatedTime";
    assert_eq!(start.unwrap(), expected);
    assert_eq!(item["missed"]["causes"][0]["cause"], "nameTaken");
}

/// A Job with the name of tonight's run already exists, and has no owner.
#[test]
fn a_name_that_is_taken_is_reported_before_the_run() {
    let taken = unowned(job("nightly", 29_923_084, "22T10:00:00"));
    let mut objects = vec![cron_job("nightly", "4 22 * * *", "21T22:04:00"), taken];
    let now = "22T21:00:00";
    let item = explained(&objects, now);
    let note = &item["nextRuns"][0]["notes"][0];
    let exists = "not started: the Job nightly-29923084 is in the way";
    assert_eq!(note, exists);
    let finding = &item["findings"][0];
    assert_eq!(finding["code"], "job-name-taken");
    assert_eq!(finding["severity"], "warning");
    let text = |value: &Value| value.text().to_owned();
    assert_texts!(text(&item["verdict"]), text(&finding["remedy"]["text"]));
    let table = output("scan", &objects, now);
    assert_contains!(table, "warning: job-name-taken");
    // When it is due, the remedy has the second command, too.
    let due = explained(&objects, "22T22:05:00");
    let remedy = due["findings"][0]["remedy"]["text"].text();
    insta::assert_snapshot!(remedy);
    // Once that Job is deleted, the controller waits for the end of the back-off.
    objects.truncate(1);
    objects.push(job("other", 29_923_090, "22T22:10:00"));
    let overdue = explained(&objects, "22T22:10:58");
    let finding = &overdue["findings"][0];
    assert_eq!(finding["code"], "start-overdue");
    assert_texts!(text(&overdue["verdict"]), text(&finding["remedy"]["text"]));
}

/// Seen: `*/10` was edited to `*/5` with `kubectl apply` at 22:27:12, and the next run was that of 22:30.
#[test]
fn an_edit_announces_no_run_after_the_wake_up_of_the_new_schedule() {
    let mut object = cron_job("p2", "*/5 * * * *", "");
    object["metadata"]["creationTimestamp"] = json!("2026-11-22T22:23:00Z");
    edited_by(&mut object, 2, "kubectl-client-side-apply", "22T22:27:12");
    let objects = [object];
    let now = "22T22:28:35";
    let expected = [
        "- start p2-29923105 unknown",
        "22T22:30:00.1 start p2-29923110 -",
    ];
    let item = forecast(&objects, now, &expected);
    let runs = output("next-runs", &objects, now);
    let [verdict, condition] = [&item["verdict"], &item["forecast"][0]["condition"]];
    assert_texts!(verdict.text(), condition.text(), runs);
}

#[test]
fn a_deadline_of_zero_makes_every_run_too_late() {
    let object = cron_job("zero", "startingDeadlineSeconds=0", "22T00:32:00");
    let list = entries(&explained(&[object], "22T00:33:00"));
    let is_late = |entry: &String| entry.contains(" deadlineExceeded ");
    assert!(!list.is_empty() && list.iter().all(is_late), "{list:?}");
}

#[test]
fn every_example_of_an_explanation_has_a_forecast() {
    for entry in std::fs::read_dir("examples/explain").unwrap() {
        let path = entry.unwrap().path();
        let path = path.to_str().unwrap();
        let now = "--now=2026-03-10T06:30:12Z";
        let document = doctor(["explain", "-q", "-f", path, now, "-o", "json"]).json();
        for item in document["items"].items() {
            let outcome = item["decision"]["outcome"].text();
            let has_forecast = !item["forecast"].items().is_empty();
            let ends = ["hangs", "panics", "wait"].contains(&outcome);
            assert!(has_forecast || ends, "{path}: {item}");
        }
    }
}

/// The Job of midnight was created, and is not in the status yet: CronJobs were read first, or the controller
/// is about to write it.
pub(crate) fn just_started(policy: &str) -> Vec<Value> {
    let spec = format!("* * * * * concurrencyPolicy={policy}");
    let mut cron_job = cron_job("new", &spec, "21T23:59:00");
    cron_job["status"]["lastSuccessfulTime"] = json!(moment("21T23:59:30"));
    vec![cron_job, job("new", 29_921_760, "22T00:00:00")]
}

fn row(objects: &[Value], release: &str, now: &str) -> Value {
    document_of(release, "scan new", objects, now)["items"][0].clone()
}

fn codes(row: &Value) -> Vec<&str> {
    row["findings"].texts("code")
}

#[test]
fn job_that_was_just_created_is_the_last_run_in_every_release() {
    // Before 1.21 the names have seconds.
    for release in ["1.20", "1.21.3", "1.25.3", "1.28.2", "1.36.2", "1.37"] {
        for policy in ["Allow", "Forbid", "Replace"] {
            let mut objects = just_started(policy);
            if release == "1.20" {
                objects[1]["metadata"]["name"] = json!("new-1795305600");
            }
            let row = row(&objects, release, "22T00:00:01");
            let expected = json!(["2026-11-22T00:00:00Z", 1, "ok"]);
            let known = json!([row["lastScheduleTime"], row["active"], row["health"]]);
            assert_eq!(known, expected, "{release} {policy} {row}");
            let state = if policy == "Forbid" {
                "startIfFinished"
            } else {
                "start"
            };
            let next = json!([row["nextRun"], row["nextState"]]);
            let expected = json!(["2026-11-22T00:01:00Z", state]);
            assert_eq!(next, expected, "{release} {policy}");
        }
    }
}

/// The controller has deleted the Job of 23:59 and not yet created that of midnight.
#[test]
fn replaced_job_that_is_gone_is_not_a_finding_while_the_controller_syncs() {
    let mut replaces = cron_job("new", "* * * * * concurrencyPolicy=Replace", "21T23:59:00");
    replaces["status"]["lastSuccessfulTime"] = json!(moment("21T23:58:30"));
    let objects = [
        running(replaces, "new-29921759"),
        job("other", 29_921_700, "21T23:00:00"),
    ];
    let at = |now: &str| row(&objects, "1.36.2", now);
    assert_eq!(codes(&at("22T00:00:02")), [""; 0]);
    let later = at("22T00:00:20");
    let code = "deleted-job-still-active";
    assert!(codes(&later).contains(&code), "{later}");
}

#[test]
fn job_missing_in_the_status_for_long_takes_the_name() {
    // With files, `--now` is the current time, not the newest time in them.
    let at = |now: &str| row(&just_started("Allow"), "1.36.2", now);
    let new = at("22T00:00:05");
    assert_eq!(codes(&new), [""; 0]);
    assert_eq!(new["lastScheduleTime"], "2026-11-22T00:00:00Z");
    let taken = at("22T00:00:06");
    assert_eq!(codes(&taken), ["job-name-taken"]);
    assert_eq!(taken["lastScheduleTime"], "2026-11-21T23:59:00Z");
    // A Job that is not in the status does not block: the run of midnight is still due, and its name is taken.
    let blocks = |now: &str| row(&just_started("Forbid"), "1.36.2", now)["nextState"].clone();
    assert_eq!(blocks("22T00:00:05"), "startIfFinished");
    assert_eq!(blocks("22T00:00:06"), "retry");
}

/// A Job that the status does not list is unexpected in each sync that sees it finish or finds it unfinished.
#[test]
fn unlisted_job_that_has_run_for_an_hour_is_unexpected() {
    let mut objects = just_started("Allow");
    objects[0]["spec"]["schedule"] = json!("0 0 * * *");
    let item = explained(&objects, "22T01:07:00");
    let events = item["decision"]["events"].texts("reason");
    assert!(events.contains(&"UnexpectedJob"), "{events:?}");
    assert_eq!(item["decision"]["outcome"], "nameTaken");
}

#[test]
fn job_that_the_controller_did_not_create_takes_the_name_immediately() {
    let at = |change: &dyn Fn(&mut Value)| {
        let mut objects = just_started("Allow");
        change(&mut objects[1]);
        row(&objects, "1.36.2", "22T00:00:01")
    };
    let is_taken = |row: &Value| assert!(codes(row).contains(&"job-name-taken"), "{row}");
    is_taken(&at(&|job| {
        job["metadata"]["annotations"] = json!({"cronjob-doctor/backfilled": "true"});
    }));
    let early = at(&|job| *job = self::job("new", 29_921_761, "22T00:00:01"));
    assert_eq!(early["lastScheduleTime"], "2026-11-21T23:59:00Z");
    is_taken(&at(&|job| job["metadata"]["ownerReferences"] = json!([])));
    is_taken(&at(&|job| {
        job["metadata"]["ownerReferences"][0]["uid"] = json!("earlier");
    }));
}

/// The clock of the controller is a second ahead of that of the API server.
#[test]
fn job_created_before_its_scheduled_time_is_the_last_run() {
    let mut objects = just_started("Allow");
    objects[1] = job("new", 29_921_760, "21T23:59:59");
    let row = row(&objects, "1.36.2", "22T00:00:01");
    assert_eq!(row["lastScheduleTime"], "2026-11-22T00:00:00Z");
    assert_eq!(codes(&row), [""; 0]);
}

#[test]
fn reason_of_a_taken_name_is_a_whole_sentence() {
    let line = "-q -o json -f examples/findings/job-name-taken.yaml --now 2026-03-10T09:00:20Z";
    let document = doctor(("explain", line, "--kubernetes-version 1.36")).document();
    let forecast = document["items"][0]["forecast"].items();
    let reasons: Vec<&str> = forecast
        .iter()
        .filter_map(|entry| entry["because"].as_str())
        .collect();
    assert_eq!(reasons, ["the Job report-29552220 is in the way"]);
}

/// A Job of `@every 90s` is named by the minute of its run, which is not its scheduled time.
#[test]
fn job_of_every_that_was_just_created_counts_from_its_scheduled_time() {
    let objects = [
        cron_job("new", "@every 90s", "22T00:00:00"),
        job("new", 29_921_761, "22T00:01:30"),
    ];
    let row = row(&objects, "1.36.2", "22T00:01:31");
    assert_eq!(row["lastScheduleTime"], "2026-11-22T00:01:30Z");
    assert_eq!(row["nextRun"], "2026-11-22T00:03:00Z");
}

#[test]
fn cronjob_suspended_right_after_a_start_has_nothing_to_catch_up_on() {
    let mut objects = just_started("Allow");
    objects[0]["spec"]["suspend"] = json!(true);
    let row = row(&objects, "1.36.2", "22T00:00:01");
    assert_eq!(row["missed"], 0, "{row}");
    assert!(!codes(&row).contains(&"resume-starts-immediately"), "{row}");
}

#[test]
fn what_if_and_simulation_continue_from_a_run_that_was_just_started() {
    let objects = just_started("Forbid");
    let now = "22T00:00:01";
    let explained = document("explain --what-if concurrencyPolicy=Replace", &objects, now);
    let what_if = &explained["items"][0]["whatIf"];
    assert_eq!(what_if["decision"]["outcome"], "wait", "{what_if}");
    let simulated = output("simulate --for 3m -o json", &objects, now);
    assert_lacks!(simulated, "nameTaken");
}

/// What the explanation and `next-runs` add to each of the next runs.
fn notes(item: &Value) -> Vec<String> {
    let of_run = |notes: &Value| {
        let notes: Vec<&str> = notes.items().iter().map(Json::text).collect();
        notes.join("; ")
    };
    let runs = item["nextRuns"].each("notes").into_iter();
    runs.map(of_run).collect()
}

#[test]
fn every_next_run_under_forbid_depends_on_the_running_job() {
    // The Job is running, and nothing shows how long it takes.
    let started = just_started("Forbid");
    let of_job = "if new-29921760 has finished by then";
    let of_all = "if every earlier run has finished by then";
    let expected = [of_job, of_all, of_all, of_all, of_all];
    assert_eq!(notes(&explained(&started, "22T00:00:01")), expected);
    // The run of 23:58 is blocked: the one of 00:00 depends on the same Job, and on that run.
    let blocked = notes(&explained(&stuck(), "21T23:58:10"));
    assert_contains!(blocked[0], "not before forbid-29921756 finishes");
    assert_eq!(blocked[1..], [of_all; 4]);
}

#[test]
fn note_has_its_times_in_the_display_time_zone() {
    let next_runs = "next-runs --display-time-zone Asia/Tokyo";
    let table = output(next_runs, &stuck(), "21T23:58:10");
    assert_contains!(table, "(scheduled at Sun 2026-11-22 08:58 Asia/Tokyo)");
    assert_lacks!(table, "UTC");
}

#[test]
fn what_if_shows_the_effect_of_the_change() {
    let what_if = |objects: &[Value], change: &str| {
        let text = output(["explain", "--what-if", change], objects, "21T23:59:30");
        text[text.find("With ").unwrap()..].to_owned()
    };
    insta::assert_snapshot!(what_if(&stuck(), "concurrencyPolicy=Replace"));
    // The new schedule is not read before the wake-up at midnight.
    let hourly = [cron_job("hourly", "0 * * * *", "21T23:00:00")];
    insta::assert_snapshot!(what_if(&hourly, "schedule=30 * * * *"));
}

#[test]
fn manually_created_job_in_status_active_blocks_like_any_other() {
    let manual = |active: &[Value]| {
        let mut job = job("new", 29_921_760, "21T23:58:30");
        job["metadata"]["name"] = json!("new-again");
        job["metadata"]["uid"] = json!("uid-new-again");
        job["metadata"]["annotations"] = json!({"cronjob.kubernetes.io/instantiate": "manual"});
        let mut forbids = cron_job("new", "concurrencyPolicy=Forbid", "21T23:58:00");
        forbids["status"]["active"] = json!(active);
        let row = row(&[forbids, job], "1.36.2", "21T23:59:00");
        row["nextState"].clone()
    };
    assert_eq!(manual(&[]), "start");
    assert_eq!(manual(&[active("new-again")]), "startIfFinished");
}

/// `new` with a deadline and this many other CronJobs, all due at half past; with `late`, also Jobs of the others for
/// midnight that were created then.
fn burst(deadline: i64, others: usize, late: Option<&str>) -> Vec<Value> {
    let spec = format!("*/30 * * * * startingDeadlineSeconds={deadline}");
    let mut objects = vec![cron_job("new", &spec, "21T23:30:00")];
    for number in 0..others {
        let name = format!("other-{number}");
        let last = late.map_or("21T23:30:00", |_| "22T00:00:00");
        objects.push(cron_job(&name, "*/30 * * * *", last));
        if let Some(late) = late {
            let job = job(&name, 29_921_760, late);
            objects.push(finished(job, "22T00:00:20"));
        }
    }
    objects
}

/// A start takes two requests and an event, and the controller sends 20 a second after a burst of 30: the last of 80
/// is about (80 * 3 - 30) / 20 s late, that of 10 less than a second.
#[test]
fn deadline_shorter_than_the_delay_of_a_burst_is_reported_before() {
    let code = "starting-deadline-shorter-than-delay";
    let finding = |deadline, others| {
        let document = document("scan", &burst(deadline, others, None), "21T23:40:00");
        let rows = document["items"].items().iter();
        let findings = rows.flat_map(|row| row["findings"].items().to_vec());
        let mut found: Vec<Value> = findings.filter(|finding| finding["code"] == code).collect();
        assert!(found.len() <= 1, "{found:?}");
        found.pop()
    };
    assert_eq!(finding(5, 10), None);
    assert_eq!(finding(60, 79), None);
    let found = finding(5, 79).unwrap();
    assert_eq!(found["severity"], "warning");
    insta::assert_snapshot!(found["detail"].text());
}

/// `slow` started 73 s after a scheduled time, `strict` on time.
#[test]
fn late_start_for_another_reason_is_not_evidence_of_a_busy_controller() {
    let is_warned = |spec: &str, change: &dyn Fn(&mut Vec<Value>)| {
        let slow = running(cron_job("slow", spec, "22T00:04:00"), "slow-29921764");
        let mut objects = vec![
            slow,
            cron_job("strict", "startingDeadlineSeconds=30", "22T00:04:00"),
            finished(job("strict", 29_921_764, "22T00:04:00"), "22T00:04:20"),
            finished(job("slow", 29_921_762, "22T00:02:00"), "22T00:05:13"),
            job("slow", 29_921_764, "22T00:05:13"),
        ];
        change(&mut objects);
        let document = document("scan", &objects, "22T00:05:40");
        let strict = document["items"]
            .items()
            .iter()
            .find(|row| row["name"] == "strict");
        codes(strict.unwrap()).contains(&"starting-deadline-shorter-than-delay")
    };
    assert!(is_warned("", &|_| {}));
    // Its previous Job blocked it, or may have.
    assert!(!is_warned("concurrencyPolicy=Forbid", &|_| {}));
    assert!(!is_warned("concurrencyPolicy=Forbid", &|objects| {
        objects.remove(3);
    }));
    // It was edited, resumed or touched at that time; an earlier edit delays nothing.
    let edited = |time: &'static str| {
        move |objects: &mut Vec<Value>| edited_by(&mut objects[0], 2, "kubectl-edit", time)
    };
    assert!(!is_warned("", &edited("22T00:05:12")));
    assert!(is_warned("", &edited("22T00:03:00")));
    // An attempt was rejected, and repeated.
    assert!(!is_warned("", &|objects| {
        objects.push(failed_create("e", "slow", "22T00:04:00", "22T00:04:40", 3));
    }));
    assert!(!is_warned("suspend=true", &|_| {}));
}

#[test]
fn run_missed_in_a_burst_is_explained_by_the_delay_of_other_jobs() {
    let detail = |late| {
        let objects = burst(5, 3, Some(late));
        let item = explained(&objects, "22T00:05:00");
        let mut findings = item["findings"].items().iter();
        let lost = findings.find(|finding| finding["code"] == "starting-deadline-exceeded");
        lost.unwrap()["detail"].text().to_owned()
    };
    insta::assert_snapshot!(detail("22T00:00:07"));
    insta::assert_snapshot!(detail("22T00:00:00"));
}

/// Whether the start at half past is certain, or depends on a sync of the controller in time.
#[test]
fn start_with_little_time_depends_on_a_prompt_sync() {
    let first = |deadline, others, late: Option<&str>| {
        let mut objects = burst(deadline, others, late);
        // It has started at midnight, so that only the next run is to come.
        objects[0]["status"]["lastScheduleTime"] = json!(moment("22T00:00:00"));
        let item = explained(&objects, "22T00:05:00");
        let first = item["forecast"][0].clone();
        assert_eq!(first["at"], "2026-11-22T00:30:00.1Z");
        assert_eq!(first["outcome"], "start");
        let fields = ["conditionKind", "conditionUntil"];
        fields.map(|field| first[field].as_str().unwrap_or("-").to_owned())
    };
    let fact = ["-", "-"].map(str::to_owned);
    let until = |time: &str| ["syncsInTime".to_owned(), moment(time)];
    assert_eq!(first(5, 0, None), until("22T00:30:05"));
    assert_eq!(first(30, 0, None), fact);
    // The Jobs of others for midnight were 45 s late; this time (400 * 3 - 30) / 20 s are expected.
    assert_eq!(first(30, 3, Some("22T00:00:45")), until("22T00:30:30"));
    assert_eq!(first(60, 3, Some("22T00:00:45")), fact);
    assert_eq!(first(30, 399, None), until("22T00:30:30"));
    assert_eq!(first(60, 399, None), fact);
    let verdict = |deadline| {
        let text = output("explain", &burst(deadline, 0, None), "21T23:40:00");
        text.lines().take(3).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(verdict(5));
}

/// Seen with 1.35.3: resumed with another schedule at 23:42:50, it started at 23:43:00.
#[test]
fn edit_to_every_with_a_deadline_waits_for_the_next_run() {
    let mut edited = cron_job(
        "polled",
        "@every 1m startingDeadlineSeconds=600",
        "21T23:30:00",
    );
    edited_by(&mut edited, 4, "kubectl-client-side-apply", "21T23:42:50");
    let item = explained(&[edited], "21T23:42:53");
    assert_eq!(item["forecast"][0]["conditionKind"], "unknown");
    assert_eq!(item["forecast"][1]["at"], moment("21T23:43:00.1"));
}

/// Seen with 1.21.1: the name of the owner is enough.
#[test]
fn job_of_another_kind_with_the_same_name_is_unexpected_since_1_21() {
    let mut other = job("same", 29_921_000, "21T23:20:00");
    let owner = &mut other["metadata"]["ownerReferences"][0];
    owner["kind"] = json!("Workflow");
    owner["uid"] = json!("another");
    let objects = [cron_job("same", "", "21T23:30:00"), other];
    let decision = |release| explained_of(release, &objects, "21T23:31:00")["decision"].clone();
    assert_eq!(decision("1.20.0")["events"], json!([]));
    assert_eq!(decision("1.21.1")["events"][0]["reason"], "UnexpectedJob");
}

/// Seen with the first controller of 1.21.1: due at 22:39:00, and the first sync after that was 10.2 s later.
#[test]
fn start_within_the_time_of_two_syncs_depends_on_a_prompt_sync() {
    let first = |deadline| {
        let spec = format!("startingDeadlineSeconds={deadline}");
        let objects = [cron_job("polled", &spec, "21T23:30:00")];
        explained_of("1.20.0", &objects, "21T23:31:57")["forecast"][0].clone()
    };
    assert_eq!(first(10)["conditionKind"], "syncsInTime");
    assert_eq!(first(10)["conditionUntil"], moment("21T23:32:10"));
    assert_eq!(first(15)["conditionKind"], "syncsInTime");
    assert_eq!(first(20)["conditionKind"], "estimatedTime");
}
