//! `simulate` through the real binary: whole outputs, derived manually.

pub(crate) mod fleet;
mod picture;

use crate::support::objects::Objects;
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
    assert_ran!(outage("1.17", ""), 0);
}

/// 1.27.1 and 1.36 warn, and start the last of them in time: the run of 10:21 itself.
#[test]
fn outage_of_the_documentation_in_newer_releases() {
    let [older, newer] =
        ["1.27.1", "1.36"].map(|release| outage(release, "").fine().replace(release, "RELEASE"));
    assert_eq!(older, newer);
    insta::assert_snapshot!(newer);
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
    assert_ran!(simulate(&manifest, arguments), 0);
}

/// A Job that has been active for 13 minutes.
#[test]
fn job_that_has_run_for_longer_than_jobs_take_is_named() {
    let warning = |spec: &str, arguments: &str| {
        let hung = format!(
            "cronjob hung */5 * * * *; last 23T00:00:00 | job hung-29923200 23T00:00:00; with {spec}"
        );
        let call = "simulate -f - --now=2026-11-23T00:13:05Z --for=12m --kubernetes-version=1.36";
        let objects = Objects::default().read(&hung);
        doctor_with_objects((call, arguments), &objects).stderr
    };
    let until_the_end = "cronjob hung: Job hung-29923200 has been active for 13m, longer than 60s: assuming that it \
                         runs until the end of the simulation";
    assert_contains!(warning("{}", ""), until_the_end);
    assert_eq!(warning("{}", "--job-duration=18m"), "");
    let limited = warning(r#"{"spec": {"activeDeadlineSeconds": 1200}}"#, "");
    assert_contains!(
        limited,
        "assuming that it runs until its activeDeadlineSeconds have passed"
    );
}

/// Every ten minutes, from 00:30 on every twenty; suspended from 00:45 to 01:10. The run of 01:00, which
/// is missed then, starts at 01:10.
#[test]
fn edit_and_suspension_are_shown() {
    let manifest = cron_job("orders", "*/10 * * * *", "");
    let arguments = "--for=90m --at 2026-03-02T00:30:00Z 'schedule=*/20 * * * *' \
         --suspended=2026-03-02T00:45:00Z/25m --kubernetes-version=1.36";
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

#[test]
fn cron_job_that_was_created_after_the_period_is_named() {
    let call = "simulate minutely -n shop -f examples/cluster --from 2026-11-20T22:40:00Z --for 1h";
    let ran = doctor((call, "--now 2026-11-21T02:13:08Z"));
    let expected =
        "cronjob minutely: it was created at 2026-11-21T02:10:06Z, after the simulated period";
    assert_contains!(ran.stderr, expected);
    assert_lacks!(ran.stdout, "(-");
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
