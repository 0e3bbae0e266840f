//! `simulate` through the real binary: whole outputs, derived manually.

pub(crate) mod fleet;
mod picture;

use crate::support::json::owner_reference;
use crate::support::prelude::*;

/// A CronJob as a manifest; `more` are further lines of its spec.
pub(crate) fn cron_job(name: &str, schedule: &str, more: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: CronJob\nmetadata: {{namespace: shop, name: {name}}}\nspec:\n  \
         schedule: {schedule:?}\n{more}  jobTemplate: {{}}\n---\n"
    )
}

/// Simulates from midnight of a Monday on.
pub(crate) fn simulate(manifests: &str, arguments: impl CommandLine) -> Ran {
    let call = "simulate -f - --from=2026-03-02T00:00:00Z --tzdb=bundled";
    doctor_with_stdin((call, arguments), manifests)
}

pub(crate) fn document(manifests: &str, arguments: impl CommandLine) -> Value {
    simulate(manifests, (arguments, "-o json")).json()
}

/// The outcome of each run: scheduled time of day, status, and time of the start.
fn course(document: &Value) -> Vec<String> {
    let runs = document["items"][0]["runs"].items();
    let time = |value: &Value| value.as_str().map_or("-", |text| &text[11..19]).to_owned();
    let line = |run: &Value| {
        let [scheduled, started] = ["scheduledTime", "startedAt"].map(|field| time(&run[field]));
        format!("{scheduled} {} {started}", run["status"].text())
    };
    runs.iter().map(line).collect()
}

/// The example of the Kubernetes documentation: every minute from 08:30 on, and the controller is down
/// from 08:29 to 10:21. The documentation says that the CronJob is not started anymore.
fn outage(release: &str, more: impl CommandLine) -> Ran {
    let call = "simulate -f=examples/simulate/every-minute.yaml --from=2026-03-02T08:00:00Z --for=3h \
                --outage=2026-03-02T08:29:00Z/2026-03-02T10:21:00Z";
    doctor((call, ["--kubernetes-version", release], more))
}

/// 111 runs come due while the controller is down, and the run of 10:21 when it comes up: more than 100,
/// after which 1.17 starts nothing, indefinitely.
#[test]
fn outage_of_the_documentation_in_1_17() {
    let document = outage("1.17", "-o json").json();
    let summary = &document["items"][0]["summary"];
    assert_eq!([&summary["runs"], &summary["lost"]], [150, 150]);
    assert_ran!(outage("1.17", ""), 0);
}

/// 1.27.1 and 1.36 warn, and start the last of them in time: the run of 10:21 itself.
#[test]
fn outage_of_the_documentation_in_newer_releases() {
    let [older, newer] = ["1.27.1", "1.36"].map(|release| {
        let document = outage(release, "-o json").json();
        let summary = &document["items"][0]["summary"];
        assert_eq!([&summary["runs"], &summary["lost"]], [150, 111]);
        outage(release, "").fine().replace(release, "RELEASE")
    });
    assert_eq!(older, newer);
    insta::assert_snapshot!(newer);
}

/// According to the documentation, the run of 10:21 is started with a deadline of 200 seconds: 1.17 then
/// counts only the runs from 10:18 on (10:17:40), which are four.
#[test]
fn outage_of_the_documentation_with_a_deadline() {
    for release in ["1.17", "1.27.1", "1.36"] {
        let more = "--what-if=startingDeadlineSeconds=200 -o json";
        let document = outage(release, more).json();
        let summary = &document["items"][0]["summary"];
        let counts = ["lost", "started", "runs"].map(|count| &summary[count]);
        assert_eq!(counts, [111, 39, 150], "{release}");
    }
}

/// `0 8-18 * * *` with a controller that is down from 10:30 to 20:30 misses eight runs, 11:00 to
/// 18:00. 1.17 lists them and starts the last one. 1.27.1 counts nine hours and a half from the first
/// one, an hour apart, and starts a run for 20:00, which is not a scheduled time. 1.36 searches for the
/// last one within little more than an hour before 20:30, and finds none.
#[test]
fn uneven_schedule_differs_in_three_releases() {
    let manifest = cron_job("hours", "0 8-18 * * *", "");
    let arguments = "--for=1d --outage=2026-03-02T10:30:00Z/2026-03-02T20:30:00Z \
         --kubernetes-version=1.36 --compare=1.17,1.27.1";
    let document = document(&manifest, arguments);
    let item = &document["items"][0];
    let counts = |summary: &Value| {
        ["started", "late", "lost", "phantom", "maxDelaySeconds"]
            .map(|count| summary[count].as_u64().unwrap())
    };
    assert_eq!(counts(&item["summary"]), [3, 0, 8, 0, 0]);
    assert_eq!(counts(&item["compared"][0]["summary"]), [3, 1, 7, 0, 9000]);
    assert_eq!(counts(&item["compared"][1]["summary"]), [3, 0, 8, 1, 0]);
    assert_ran!(simulate(&manifest, arguments), 0);
}

/// Each run takes twelve minutes, and the next one is due after ten: it waits two, four, six, eight
/// minutes. The run of 00:50 would wait ten, but then the run of 01:00 is due as well, and starts.
#[test]
fn forbid_blocks_runs_while_a_job_runs() {
    let manifest = cron_job("orders", "*/10 * * * *", "  concurrencyPolicy: Forbid\n");
    let arguments = "--for=70m --job-duration=12m --kubernetes-version=1.36";
    let expected = [
        "00:00:00 started 00:00:00",
        "00:10:00 late 00:12:00",
        "00:20:00 late 00:24:00",
        "00:30:00 late 00:36:00",
        "00:40:00 late 00:48:00",
        "00:50:00 blocked -",
        "01:00:00 started 01:00:00",
    ];
    assert_eq!(course(&document(&manifest, arguments)), expected);
}

/// The run of 00:00 has been active for 13 minutes, so that it is not assumed to end after one. Its end is known only
/// with a deadline: after 20 minutes, and 30 seconds for its pod.
#[test]
fn job_that_has_run_for_longer_than_jobs_take_does_not_end() {
    let simulated = |template: &Value, own: &Value, arguments: &str| {
        let status = json!({
            "lastScheduleTime": "2026-03-02T00:00:00Z",
            "active": [{"kind": "Job", "namespace": "shop", "name": "hung-29540160", "uid": "job"}],
        });
        let hung = json!({
            "apiVersion": "batch/v1", "kind": "CronJob", "status": status,
            "metadata": {"namespace": "shop", "name": "hung", "uid": "hung", "creationTimestamp": "2026-03-01T23:59:00Z"},
            "spec": {"schedule": "*/5 * * * *", "concurrencyPolicy": "Forbid", "jobTemplate": {"spec": template}},
        });
        let job = json!({
            "apiVersion": "batch/v1", "kind": "Job",
            "metadata": {
                "namespace": "shop", "name": "hung-29540160", "uid": "job", "creationTimestamp": "2026-03-02T00:00:00Z",
                "ownerReferences": [owner_reference("CronJob", "hung", "hung")],
            },
            "spec": own, "status": {"startTime": "2026-03-02T00:00:00Z", "active": 1, "ready": 1},
        });
        let call =
            "simulate -f - --now=2026-03-02T00:13:05Z --for=12m -o json --kubernetes-version=1.36";
        let ran = doctor_with_objects((call, arguments), &[hung, job]);
        let course = course(&ran.json());
        let later = course.into_iter().filter(|run| **run >= *"00:15");
        (later.collect::<Vec<_>>(), ran.stderr)
    };
    let (without, limited) = (json!({}), json!({"activeDeadlineSeconds": 1200}));
    let (course, warning) = simulated(&without, &without, "");
    let blocked = [
        "00:15:00 blocked -",
        "00:20:00 blocked -",
        "00:25:00 blocked -",
    ];
    assert_eq!(course, blocked);
    let expected = "cronjob hung: Job hung-29540160 has been active for 13m, longer than 60s: assuming that it runs \
                    until the end of the simulation";
    assert_contains!(warning, expected);
    // It has run for less than that, and ends.
    let (course, warning) = simulated(&without, &without, "--job-duration=18m");
    let ends = [
        "00:15:00 late 00:18:00",
        "00:20:00 blocked -",
        "00:25:00 blocked -",
    ];
    assert_eq!((&*course, &*warning), (&ends.map(str::to_owned)[..], ""));
    // The deadline of the CronJob is that of later Jobs.
    assert_eq!(simulated(&limited, &without, "").0, blocked);
    let (course, warning) = simulated(&limited, &limited, "");
    let stopped = [
        "00:15:00 blocked -",
        "00:20:00 late 00:20:30",
        "00:25:00 started 00:25:00",
    ];
    assert_eq!(course, stopped);
    assert_contains!(
        warning,
        "assuming that it runs until its activeDeadlineSeconds have passed"
    );
}

/// Runs of 90 seconds that are stopped after 50: since 1.31 the Job counts as active for the grace period of its pod.
#[test]
fn forbid_waits_for_the_grace_period_of_a_stopped_run_since_1_31() {
    let spec = "  concurrencyPolicy: Forbid\n";
    let manifest = cron_job("stopped", "* * * * *", spec);
    let deadline = |grace: &str| {
        let template = format!(
            "jobTemplate: {{spec: {{activeDeadlineSeconds: 50, template: {{spec: {{{grace}}}}}}}}}"
        );
        manifest.replace("jobTemplate: {}", &template)
    };
    let course_in = |release: &str, grace: &str| {
        let call = (
            "--for=3m --job-duration=90s --kubernetes-version",
            [release],
        );
        course(&document(&deadline(grace), call))
    };
    let on_time = [
        "00:00:00 started 00:00:00",
        "00:01:00 started 00:01:00",
        "00:02:00 started 00:02:00",
    ];
    assert_eq!(course_in("1.30", ""), on_time);
    // Stopped at 00:00:50 and 00:02:10, and over 30 seconds later.
    let late = [
        "00:00:00 started 00:00:00",
        "00:01:00 late 00:01:20",
        "00:02:00 late 00:02:40",
    ];
    assert_eq!(course_in("1.31", ""), late);
    let without_grace = "terminationGracePeriodSeconds: 0";
    assert_eq!(course_in("1.31", without_grace), on_time);
}

/// With Replace each Job is deleted when the next run is due: a tenth of a second later, which is when the
/// controller wakes.
#[test]
fn replace_deletes_the_running_job() {
    let manifest = cron_job("orders", "*/10 * * * *", "  concurrencyPolicy: Replace\n");
    let arguments = "--for=30m --job-duration=12m --kubernetes-version=1.36";
    let document = document(&manifest, arguments);
    let runs = document["items"][0]["runs"].items();
    let fields = ["status", "finishedAt", "result", "jobName", "replacedJob"];
    let line = |run: &Value| fields.map(|field| run[field].as_str().unwrap_or("-").to_owned());
    let lines: Vec<String> = runs.iter().map(|run| line(run).join(" ")).collect();
    // 2026-03-02T00:00:00Z is minute 29,540,160.
    let expected = [
        "started 2026-03-02T00:10:00.1Z replaced orders-29540160 -",
        "started 2026-03-02T00:20:00.1Z replaced orders-29540170 orders-29540160",
        "started - - orders-29540180 orders-29540170",
    ];
    assert_eq!(lines, expected);
    assert_eq!(document["items"][0]["summary"]["replaced"], 2);
}

/// Every ten minutes, from 00:30 on every twenty; suspended from 00:45 to 01:10. The run of 01:00, which
/// is missed then, starts at 01:10.
#[test]
fn edit_and_suspension_are_shown() {
    let manifest = cron_job("orders", "*/10 * * * *", "");
    let arguments = "--for=90m --at 2026-03-02T00:30:00Z 'schedule=*/20 * * * *' \
         --suspended=2026-03-02T00:45:00Z/25m --kubernetes-version=1.36";
    let expected = [
        "00:00:00 started 00:00:00",
        "00:10:00 started 00:10:00",
        "00:20:00 started 00:20:00",
        "00:40:00 started 00:40:00",
        "01:00:00 late 01:10:00",
        "01:20:00 started 01:20:00",
    ];
    assert_eq!(course(&document(&manifest, arguments)), expected);
    assert_ran!(simulate(&manifest, arguments), 0);
}

#[test]
fn document_of_an_outage_is_complete() {
    let manifest = cron_job("nightly", "0 2 * * *", "  timeZone: Europe/Berlin\n");
    let arguments = "--for=1d --job-duration=5m --outage=2026-03-02T00:30:00Z/2h \
         --kubernetes-version=1.36";
    // 02:00 in Berlin is 01:00 in UTC, an hour and a half before the controller is up again.
    let document = document(&manifest, arguments);
    let run = &document["items"][0]["runs"][0];
    assert_eq!(run["delaySeconds"], 5400);
    assert_eq!(run["startedAt"], "2026-03-02T02:30:00Z");
    insta::assert_snapshot!(serde_json::to_string_pretty(&document).unwrap());
}

#[test]
fn csv_has_a_record_for_each_run() {
    let manifest = cron_job("nightly", "0 2 * * *", "");
    let arguments = "--for=2d --kubernetes-version=1.20 -o csv";
    let expected = "\
namespace,name,kubernetesVersion,scheduledTime,localTime,status,startedAt,finishedAt,result,jobName,replacedJob,delaySeconds,cause,reason
shop,nightly,1.20,2026-03-02T02:00:00Z,2026-03-02T02:00:00+00:00,started,2026-03-02T02:00:00Z,2026-03-02T02:01:00Z,succeeded,nightly-1772416800,,0,,
shop,nightly,1.20,2026-03-03T02:00:00Z,2026-03-03T02:00:00+00:00,started,2026-03-03T02:00:00Z,2026-03-03T02:01:00Z,succeeded,nightly-1772503200,,0,,
";
    // RFC 4180 requires CRLF.
    let expected = expected.replace('\n', "\r\n");
    assert_eq!(simulate(&manifest, arguments).fine(), expected);
    let bare = (arguments, "--no-headers");
    let (_, lines) = expected.split_once('\n').unwrap();
    assert_eq!(simulate(&manifest, bare).fine(), lines);
}

#[test]
fn exit_code_follows_fail_on() {
    let manifest = cron_job("orders", "0 * * * *", "");
    let code = |arguments: &[&str]| simulate(&manifest, ("--for=6h", arguments)).code;
    let late = "--outage=2026-03-02T00:30:00Z/1h";
    let lost = "--outage=2026-03-02T00:30:00Z/2h";
    assert_eq!(code(&["--fail-on=late"]), 0);
    assert_eq!(code(&[late]), 0);
    assert_eq!(code(&[late, "--fail-on=lost"]), 0);
    assert_eq!(code(&[late, "--fail-on=late"]), 1);
    assert_eq!(code(&[lost, "--fail-on=lost"]), 1);
}

#[test]
fn invalid_arguments_are_rejected() {
    let manifest = cron_job("orders", "0 * * * *", "");
    let cases = [
        "--to=2026-03-01T00:00:00Z",
        "--for=1h --at 2026-03-02T02:00:00Z suspend=true",
        "--at noon suspend=true",
        "missing",
        "--for=1000000d '--what-if=schedule=* * * * *'",
    ];
    let errors = cases.map(|arguments| simulate(&manifest, arguments).refused());
    insta::assert_snapshot!(errors.concat());
}

/// An invalid schedule is reported with its location, and the other CronJobs are still simulated.
#[test]
fn invalid_schedule_is_reported() {
    let manifests = cron_job("bad", "99 * * * *", "") + &cron_job("good", "0 2 * * *", "");
    let ran = simulate(&manifests, "--for=1d -o csv --no-headers");
    assert_eq!(ran.code, 2);
    insta::assert_snapshot!(ran.stderr);
    assert_eq!(ran.stdout.lines().count(), 1);
    assert_starts!(ran.stdout, "shop,good,");

    let alone = doctor("simulate '--schedule=99 * * * *' --now=2026-03-02T00:00:00Z");
    assert_ran!(alone, 2);
}

/// A time of day without a date is that of today, also if the period is another day.
#[test]
fn outage_outside_of_the_period_is_named() {
    let call = "simulate --schedule @hourly --now=2026-03-10T06:00:00Z --from=2026-03-02T08:00:00Z --for=1h";
    let ran = doctor((call, "--outage 08:10Z/08:30Z"));
    let expected = "--outage 2026-03-10T08:10:00Z/2026-03-10T08:30:00Z is outside of the simulated period, \
                    2026-03-02T08:00:00Z to 2026-03-02T09:00:00Z";
    assert_contains!(ran.stderr, expected);
    assert_eq!(ran.code, 0);
    let inside = doctor((call, "--outage 2026-03-02T08:50:00Z/2026-03-02T09:30:00Z"));
    assert_lacks!(inside.stderr, "outside");
}
