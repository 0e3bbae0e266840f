//! More than two CronJobs: totals first, and what is the same for many is written once.

use crate::changing::prelude::*;

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs at `hour`, has no deadline, and ran last on Friday.
fn daily(name: &str, hour: u8) -> serde_json::Value {
    let mut daily = cron_job("shop", name, &format!("0 {hour} * * *"));
    daily["spec"]["startingDeadlineSeconds"] = json!(null);
    daily["status"] = json!({"lastScheduleTime": format!("2026-11-20T{hour:02}:00:00Z")});
    daily
}

/// Four that run daily, one of which runs now, one that is suspended, and one that never runs.
fn fleet() -> ApiServer {
    let server = ApiServer::start(Options::default());
    for (name, hour) in [("a", 3), ("b", 4), ("c", 5)] {
        server.add(daily(name, hour));
    }
    let [mut busy, job] = running_report("Forbid");
    busy["spec"]["suspend"] = json!(false);
    server.add(busy);
    server.add(job);
    server.add(cron_job("shop", "never", "0 0 31 2 *"));
    let mut old = daily("old", 3);
    old["spec"]["suspend"] = json!(true);
    server.add(old);
    server
}

/// By Sunday at noon `a` to `c` miss the runs of Saturday and Sunday, and `report` that of Sunday.
#[test]
fn suspend_many_until_a_time_has_totals() {
    let until = ["suspend", "--all", "--dry-run", "--until"];
    let ran = call(&fleet(), (&until, "2026-11-22T12:00:00Z"));
    assert_starts!(
        ran.stdout,
        "6 CronJobs: 5 will be suspended, 1 is already suspended; 4 will miss 7 runs\n\
             until Sun 2026-11-22 12:00 UTC; 1 Job keeps running: report-29916120.\n"
    );
    assert_ran!(ran, 0);
    let ran = call(&fleet(), (&until, "2026-11-21T02:30:00Z"));
    assert!(
        one_line(&ran.stdout).contains("no run will be missed until"),
        "{ran}"
    );
}

/// The first run that is missed is that of `a` at three, 46m52s from now.
#[test]
fn suspend_many_without_an_end_shares_sentences() {
    let server = fleet();
    let ran = call(&server, "suspend --all -y");
    let shown = one_line(&ran.stderr);
    assert_starts!(
        shown,
        "6 CronJobs: 5 will be suspended, 1 is already suspended; the first missed run is at \
             Sat 2026-11-21 03:00 Etc/UTC (in 46m); 1 Job keeps running: \
             report-29916120. "
    );
    let once = "Nothing starts until it is resumed.";
    assert_eq!(shown.matches(once).count(), 1, "{ran}");
    assert_eq!(changes(&server).len(), 5);
    assert_ran!(ran, 0);
}

/// The prediction in documents stays whole.
#[test]
fn documents_keep_every_sentence() {
    let ran = call(&fleet(), "suspend --all -yq -o json");
    let document = ran.json();
    let items = document["items"].items();
    let texts = items.iter().filter(|item| {
        let text = item["prediction"]["text"].as_str().unwrap_or_default();
        text.contains("Nothing starts until it is resumed.")
    });
    assert_eq!(texts.count(), 4, "{document}");
}

/// Each missed the runs of Thursday to Saturday at two; the last of them starts late.
#[test]
fn resume_many_counts_late_starts() {
    let server = server();
    for name in ["second", "third"] {
        let mut other = report();
        other["metadata"]["name"] = json!(name);
        other["metadata"]["uid"] = json!(format!("uid-of-{name}"));
        server.add(other);
    }
    let ran = call(&server, "resume --all --catch-up=run -y");
    let shown = one_line(&ran.stderr);
    assert_starts!(
        shown,
        "6 CronJobs: 4 will be resumed, 2 are not suspended; 3 will start a missed run late; \
             6 missed runs will not be started. "
    );
    assert_contains!(ran.stdout, "cronjob.batch/nightly not suspended\n");
    assert_ran!(ran, 0);
    let skipped = call(&fleet_of_three(), "resume --all --catch-up=skip -y");
    let shown = one_line(&skipped.stderr);
    assert_starts!(
        shown,
        "3 CronJobs will be resumed; 9 missed runs will not be started. "
    );
    assert_ran!(skipped, 0);
}

fn fleet_of_three() -> ApiServer {
    let server = ApiServer::start(Options::default());
    for name in ["first", "second", "third"] {
        let mut other = report();
        other["metadata"]["name"] = json!(name);
        other["metadata"]["uid"] = json!(format!("uid-of-{name}"));
        server.add(other);
    }
    server
}

/// They are far above the result of many.
#[test]
fn errors_of_many_are_repeated_at_the_end() {
    let server = fleet();
    let b = Match::path("/apis/batch/v1/namespaces/shop/cronjobs/b").method("PATCH");
    server.fault(b, Fault::Status(422));
    let ran = call(&server, "suspend a b c gone -yq");
    let expected = Some("2 suspended; 1 not suspended: shop/b; 1 not found: shop/gone");
    assert_eq!(ran.stderr.lines().last(), expected);
    assert_ran!(ran, 2);
    for hour in 6..14 {
        server.add(daily(&format!("more-{hour}"), hour));
    }
    let ran = call(&server, "suspend --all -yq");
    let end: Vec<&str> = ran.stderr.lines().rev().take(2).collect();
    assert_starts!(end[0], "  shop/b: ");
    assert_eq!(end[1], "10 suspended; 1 not suspended: shop/b");
}

/// One or two are shown as before.
#[test]
fn two_have_no_totals() {
    let ran = call(&fleet(), "suspend a b --dry-run");
    assert_starts!(ran.stdout, "shop/a\n");
}
