//! More than two CronJobs: totals first, and sentences that are the same for many are written once.

use crate::changing::prelude::*;

/// Runs at `hour`, has no deadline, and ran last on Friday.
fn daily(name: &str, hour: u8) -> Value {
    let mut daily = cron_job("shop", name, &format!("0 {hour} * * *"));
    daily["spec"]["startingDeadlineSeconds"] = json!(null);
    daily["status"] = json!({"lastScheduleTime": format!("2026-11-20T{hour:02}:00:00Z")});
    daily
}

/// Four CronJobs that run daily, one of them with a running Job, one that is suspended, and one that never
/// runs.
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

/// The same with more CronJobs than are shown one by one.
fn large_fleet() -> ApiServer {
    let server = fleet();
    for hour in 6..14 {
        server.add(daily(&format!("more-{hour}"), hour));
    }
    server
}

/// Changing `b` fails.
fn refuse_b(server: &ApiServer) {
    let b = Match::path("/apis/batch/v1/namespaces/shop/cronjobs/b").method("PATCH");
    server.fault(b, Fault::Status(422));
}

calls! {
    /// By Sunday at noon `a` to `c` miss the runs of Saturday and Sunday, and `report` that of Sunday: 4 miss 7.
    suspend_many_until_a_time_has_totals {}
        call(&fleet(), "suspend --all --dry-run --until 2026-11-22T12:00:00Z") => 0;
    suspend_many_until_no_run_is_due_misses_none {}
        call(&fleet(), "suspend --all --dry-run --until 2026-11-21T02:30:00Z") => 0;
    /// The first run that is missed is that of `a` at three, 46m52s from now.
    suspend_many_without_an_end_shares_sentences { let server = fleet(); }
        call(&server, "suspend --all -y") => 0 => changes(&server).len() == 5;
    /// Each missed the runs of Thursday to Saturday at two; the last of them starts late.
    resume_many_counts_late_starts(server) { add_like_report(&server, &["second", "third"]); }
        call(&server, "resume --all --catch-up=run -y") => 0;
    resume_many_counts_skipped_runs {
        let server = ApiServer::start(Options::default());
        add_like_report(&server, &["first", "second", "third"]);
    } call(&server, "resume --all --catch-up=skip -y") => 0;
    errors_of_few_are_followed_by_the_totals { let server = fleet(); refuse_b(&server); }
        call(&server, "suspend a b c gone -yq") => 2;
    /// With many CronJobs, the first mention of an error is far above the totals.
    errors_of_many_are_repeated_at_the_end { let server = large_fleet(); refuse_b(&server); }
        call(&server, "suspend --all -yq") => 2;
    /// One or two CronJobs are shown one by one.
    two_cronjobs_have_no_totals {} call(&fleet(), "suspend a b --dry-run") => 0;
}

/// Documents contain the whole prediction of each CronJob.
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
