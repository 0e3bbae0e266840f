//! `explain --compare` of many CronJobs: the totals, and only those that differ.

use crate::simulate::fleet::different;
use crate::support::prelude::*;

fn cron_job(name: &str, schedule: &str, last: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: CronJob\nmetadata: {{namespace: shop, name: {name}, uid: {name}, \
         creationTimestamp: 2026-01-01T00:00:00Z}}\nspec:\n  schedule: {schedule:?}\n  jobTemplate: {{}}\n\
         status: {{lastScheduleTime: {last:?}}}\n---\n"
    )
}

/// At 20:30 on a Tuesday `office` has missed the runs from 11:00 to 18:00. 1.27.1 starts one for 20:00, which is not
/// scheduled, and 1.36 finds none. The others started their last runs. For 1.21, `alternate` runs next on Monday the
/// 23rd, an odd day; since 1.22 it runs on all odd days and on Mondays, next on the 11th.
fn shop() -> String {
    let nightly = (0..38).map(|minute| {
        let last = format!("2026-03-10T02:{minute:02}:00Z");
        cron_job(
            &format!("nightly-{minute:02}"),
            &format!("{minute} 2 * * *"),
            &last,
        )
    });
    nightly.collect::<String>()
        + &cron_job("office", "0 8-18 * * *", "2026-03-10T10:00:00Z")
        + &cron_job("alternate", "0 0 */2 * 1", "2026-03-09T00:00:00Z")
}

fn explain(arguments: impl CommandLine) -> Ran {
    let call = "explain -f - -A --now=2026-03-10T20:30:00Z --tzdb=bundled -q";
    doctor_with_stdin((call, arguments), &shop())
}

#[test]
fn fleet_is_counted_and_only_what_differs_is_shown() {
    let arguments = "--kubernetes-version=1.27.1 --compare=1.36";
    let document = explain((arguments, "-o json")).document();
    let expected = json!({"total": 40, "same": 39, "different": 1});
    assert_eq!(document["comparison"], expected);
    assert_eq!(different(&document), ["office"]);
    let office = document["items"].named("office");
    assert_eq!(office["decision"]["scheduledTime"], "2026-03-10T20:00:00Z");
    assert_eq!(office["compared"][0]["decision"]["outcome"], "noRunFound");
    let ran = explain(arguments);
    assert!(!ran.stdout.contains("nightly"));
    assert_ran!(ran, 0);
}

#[test]
fn schedule_that_versions_read_differently_is_a_difference() {
    let arguments = "--kubernetes-version=1.21 --compare=1.22";
    let document = explain((arguments, "-o json")).document();
    assert_eq!(different(&document), ["alternate"]);
    let items = document["items"].items();
    let alternate = items
        .iter()
        .find(|item| item["name"] == "alternate")
        .unwrap();
    let expected = "2026-03-23T00:00:00Z";
    assert_eq!(alternate["nextRuns"][0]["scheduledTime"], expected);
    let expected = "2026-03-11T00:00:00Z";
    assert_eq!(alternate["compared"][0]["nextRuns"][0], expected);
    assert_ran!(explain(arguments), 0);
}

#[test]
fn details_of_all_are_shown_with_wide() {
    let arguments = "--kubernetes-version=1.35 --compare=1.36";
    let wide = explain((arguments, "-o wide")).fine();
    assert_eq!(
        wide.matches("\nComparison of Kubernetes versions\n")
            .count(),
        40
    );
    assert_ran!(explain(arguments), 0);
}
