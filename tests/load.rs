//! `load` through the real binary: whole outputs, derived manually.

mod picture;
mod proposals;

use crate::support::prelude::*;

/// A CronJob as a manifest; `more` are further lines of its spec.
pub(crate) fn cron_job(namespace: &str, name: &str, schedule: &str, more: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: CronJob\nmetadata: {{namespace: {namespace}, name: {name}, \
         creationTimestamp: \"2026-03-01T23:30:00Z\"}}\nspec:\n  schedule: {schedule:?}\n{more}  \
         jobTemplate: {{}}\n---\n"
    )
}

pub(crate) fn load(manifests: &str, arguments: impl CommandLine) -> Ran {
    let call = "load -f - --kubernetes-version 1.36";
    doctor_with_stdin((call, arguments), manifests)
}

pub(crate) fn document(manifests: &str, arguments: impl CommandLine) -> Value {
    load(manifests, (arguments, "-o json")).document()
}

/// `count` CronJobs with the same schedule.
pub(crate) fn many(count: u64, schedule: &str) -> String {
    let names = (0..count).map(|index| format!("job-{index:02}"));
    names
        .map(|name| cron_job("shop", &name, schedule, ""))
        .collect()
}

/// The buckets in which Jobs start: when they begin, and how many Jobs start.
pub(crate) fn starts(document: &Value) -> Vec<(String, u64)> {
    let buckets = document["buckets"].items();
    let of = |bucket: &Value| {
        let start = bucket["start"].text();
        (start.to_owned(), bucket["count"].as_u64().unwrap())
    };
    buckets.iter().map(of).filter(|(_, n)| *n > 0).collect()
}

pub(crate) const BERLIN: &str = "  timeZone: Europe/Berlin\n";

/// Three that start on the hour, one that starts every 45 minutes after 23:30, and a suspended one.
fn small() -> String {
    cron_job("shop", "hourly", "0 * * * *", "")
        + &cron_job("shop", "nightly", "0 0 * * *", "")
        + &cron_job("ops", "halves", "*/30 * * * *", "")
        + &cron_job("ops", "every", "@every 45m", "")
        + &cron_job("ops", "paused", "0 0 * * *", "  suspend: true\n")
}

/// A Monday.
pub(crate) const FROM: &str = "--from=2026-03-02T00:00:00Z";
const THREE_HOURS: &str = "--from=2026-03-02T00:00:00Z --for=3h";

#[test]
fn starts_of_a_few_hours_are_counted() {
    let document = document(&small(), THREE_HOURS);
    let expected = [
        ("2026-03-02T00:00:00Z", 3),
        ("2026-03-02T00:15:00Z", 1),
        ("2026-03-02T00:30:00Z", 1),
        ("2026-03-02T01:00:00Z", 3),
        ("2026-03-02T01:30:00Z", 1),
        ("2026-03-02T01:45:00Z", 1),
        ("2026-03-02T02:00:00Z", 2),
        ("2026-03-02T02:30:00Z", 2),
    ];
    assert_eq!(
        starts(&document),
        expected.map(|(at, n)| (at.to_owned(), n))
    );
    assert_eq!(document["buckets"].items().len(), 180);
    let summary = json!({
        "cronJobs": 4, "otherSchedules": 0, "suspended": 1, "held": 0, "blocked": 0, "unreadable": 0,
        "starts": 14, "lost": 0, "mostInABucket": 3,
    });
    assert_eq!(document["summary"], summary);
    let peak = |time: &str, count: u64, cron_jobs: &[(&str, &str)]| {
        let names = cron_jobs
            .iter()
            .map(|(namespace, name)| json!({"kind": "CronJob", "namespace": namespace, "name": name, "starts": 1}));
        json!({
            "time": time,
            "count": count,
            "occurrences": 1,
            "lastStartDelaySeconds": 0.1,
            "cronJobs": names.collect::<Vec<_>>(),
        })
    };
    let (hourly, nightly) = (("shop", "hourly"), ("shop", "nightly"));
    let (halves, every) = (("ops", "halves"), ("ops", "every"));
    assert_eq!(
        document["peaks"],
        json!([
            peak("2026-03-02T00:00:00Z", 3, &[hourly, nightly, halves]),
            peak("2026-03-02T01:00:00Z", 3, &[hourly, halves, every]),
            peak("2026-03-02T02:00:00Z", 2, &[hourly, halves]),
            peak("2026-03-02T02:30:00Z", 2, &[halves, every]),
        ])
    );
}

#[test]
fn cron_jobs_that_start_nothing_are_named_as_broken() {
    let never = "  startingDeadlineSeconds: 0\n";
    let late = cron_job("shop", "late", "0 * * * *", never);
    let deleted = "metadata: {deletionTimestamp: \"2026-03-01T23:45:00Z\", ";
    let gone = cron_job("shop", "gone", "0 * * * *", "").replace("metadata: {", deleted);
    let text = load(&(small() + &late + &gone), THREE_HOURS).fine();
    assert_eq!(
        text.lines().next(),
        Some("4 CronJobs start 14 Jobs (not counted: 1 suspended, 2 broken)")
    );
}

#[test]
fn buckets_of_an_hour_count_all_starts() {
    let arguments = (THREE_HOURS, "--bucket=1h --include-suspended");
    let csv = load(&small(), (arguments, "-o csv")).fine();
    let expected = "start,count,lastStartDelaySeconds\r\n\
                    2026-03-02T00:00:00Z,6,0.1\r\n\
                    2026-03-02T01:00:00Z,5,0.1\r\n\
                    2026-03-02T02:00:00Z,4,0.1\r\n";
    assert_eq!(csv, expected);
    let document = document(&small(), arguments);
    let halves = json!({"kind": "CronJob", "namespace": "ops", "name": "halves", "starts": 2});
    assert_eq!(document["peaks"][0]["cronJobs"][0], halves);
}

/// In Berlin, October 25, 2026 has two hours from 02:00, the first at 00:00 UTC; March 29 has none.
#[test]
fn each_cron_job_uses_its_own_time_zone() {
    let manifests = cron_job("shop", "berlin", "30 2 * * *", BERLIN)
        + &cron_job("shop", "utc", "30 1 * * *", "");
    let of = |from: &str| {
        let found = document(&manifests, format!("--from={from} --for=1d --bucket=1h"));
        let times = starts(&found).into_iter();
        let times = times.map(|(at, n)| format!("{} {n}", &at[11..16]));
        times.collect::<Vec<_>>()
    };
    assert_eq!(of("2026-10-24T00:00:00Z"), ["00:00 1", "01:00 1"]);
    assert_eq!(of("2026-10-25T00:00:00Z"), ["00:00 1", "01:00 2"]);
    assert_eq!(of("2026-10-26T00:00:00Z"), ["01:00 2"]);
    assert_eq!(of("2026-03-29T00:00:00Z"), ["01:00 1"]);
}

#[test]
fn only_suspended_cron_jobs_have_no_heat_map() {
    let paused = cron_job("ops", "paused", "0 0 * * *", "  suspend: true\n");
    let text = load(&paused, THREE_HOURS).fine();
    insta::assert_snapshot!(text);
    let counted = load(&paused, (THREE_HOURS, "--include-suspended")).fine();
    assert_starts!(counted, "1 CronJob starts 1 Job\n");
}

/// The rows are in the display time zone: its October 25 has 25 hours, one of them twice.
#[test]
fn repeated_hour_has_two_rows() {
    let manifests = cron_job("shop", "berlin", "*/15 2 * * *", BERLIN);
    let arguments = "--from=2026-10-24T22:00:00Z --for=5h --display-time-zone=Europe/Berlin";
    let text = load(&manifests, arguments).fine();
    let rows: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("10-25"))
        .collect();
    let quarters = "▁··············".repeat(4);
    let nothing = "·".repeat(60);
    let expected = [
        format!("10-25 00:00 {nothing}      0"),
        format!("10-25 01:00 {nothing}      0"),
        format!("10-25 02:00 {quarters}      4"),
        format!("10-25 02:00 {quarters}      4"),
        format!("10-25 03:00 {nothing}      0"),
    ];
    assert_eq!(rows, expected);
}

#[test]
fn text_of_a_week_has_its_peak_and_a_proposal() {
    let manifests = many(40, "0 2 * * 1-5");
    let arguments = (FROM, "--at-most=39");
    let document = document(&manifests, arguments);
    assert_eq!(document["suggestions"][0]["newSchedule"], "26 2 * * 1-5");
    let text = load(&manifests, arguments).fine();
    insta::assert_snapshot!(text);
}

#[test]
fn without_peaks_nothing_is_proposed() {
    let alone = cron_job("shop", "alone", "0 * * * *", "");
    let text = load(&alone, (FROM, "--for=3d")).fine();
    assert_starts!(text, "1 CronJob starts 72 Jobs\n");
    assert_contains!(text, "\nPeaks\n  No two Jobs start within one minute.\n");
    assert_ends!(
        text,
        "\nProposal\n  Nothing to spread: no two Jobs start in the same minute.\n"
    );
    load("", FROM).assert(0, "", "No CronJobs found.\n");
}

#[test]
fn invalid_schedules_are_reported_and_the_rest_is_counted() {
    let manifests = cron_job("shop", "good", "0 0 * * *", "")
        + &cron_job("shop", "bad", "61 0 * * *", "")
        + &cron_job("shop", "nowhere", "0 0 * * *", "  timeZone: Europe/Berln\n");
    let ran = load(&manifests, (FROM, "-o json"));
    assert_eq!(ran.code, 2);
    insta::assert_snapshot!(ran.stderr);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document["summary"]["starts"], 7);
    assert_eq!(document["summary"]["unreadable"], 2);
    assert_eq!(document["errors"][0]["name"], "bad");
    assert_eq!(document["errors"][0]["schedule"], "61 0 * * *");
}

#[test]
fn invalid_numbers_are_rejected() {
    for wrong in "--bucket=0s --bucket=1x --qps=0 --qps=nan --burst=0".split(' ') {
        assert_eq!(load(&small(), wrong).code, 2, "{wrong}");
    }
}

/// The window begins with the bucket that contains the current time.
#[test]
fn default_window_is_a_week_from_now() {
    let document = document(&small(), "--now=2026-03-04T10:20:30Z --bucket=15m");
    let window = (
        &document["from"],
        &document["to"],
        &document["bucketSeconds"],
    );
    let (from, to) = (json!("2026-03-04T10:15:00Z"), json!("2026-03-11T10:15:00Z"));
    assert_eq!(window, (&from, &to, &json!(900)));
    assert_eq!(document["buckets"].items().len(), 7 * 96);
}

#[test]
fn client_limits_are_explained() {
    let reason = |arguments: &str| {
        let window = "--now=2026-03-02T00:00:00Z --for=1h";
        let text = load(&many(2, "* * * * *"), (arguments, window)).fine();
        let (_, rest) = text.split_once("\nDelays\n").unwrap();
        let (reason, _) = rest.split_once("\n\n").unwrap();
        reason.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    // 52 starts: 104 requests, but ten of the updates are sent later, and a tenth as many events; five more are
    // allowed in the tenth of a second in which they are sent.
    assert_texts!(
        reason("--qps=50 --burst=100 --workers=10"),
        // 36 requests, one after the other, a hundredth of a second each: six more are allowed in that time.
        reason("--controller=kubebuilder"),
    );
}
