//! Flags with invalid values: the errors name the flag, the value, and what is valid.

use super::{CLUSTER, doctor, refused};

#[test]
fn unknown_time_zones_are_errors_with_a_suggestion() {
    let zones = ["", "Local", "Foo/Bar", "Europe/Berln", "../passwd"];
    let errors = zones.map(|zone| {
        ["--controller-time-zone", "--display-time-zone"].map(|flag| {
            let given = format!("{flag}={zone}");
            refused(("load --tzdb=bundled", [given], CLUSTER))
        })
    });
    let of_schedule = "next-runs --tzdb=bundled --schedule=@daily --time-zone=Foo/Bar";
    insta::assert_snapshot!(errors.concat().concat() + &refused(of_schedule));
}

/// They are refused before a file is opened or a request is sent.
#[test]
fn invalid_changes_are_refused_before_files_are_read() {
    let changes = [
        "suspend",
        "schedul=@daily",
        "spec.zone=UTC",
        "suspend=maybe",
    ];
    let errors = changes.map(|change| {
        [
            format!("explain --what-if {change} -f nowhere.yaml"),
            format!("simulate --what-if {change} -f nowhere.yaml"),
            format!("simulate --at 2026-11-22T00:00:00Z {change}"),
        ]
        .map(refused)
    });
    insta::assert_snapshot!(errors.concat().concat());
}

#[test]
fn empty_or_too_long_time_windows_are_errors() {
    let errors = [
        "load --to=2020-01-01T00:00:00Z",
        "load --from=2020-01-01T00:00:00Z --to=2020-01-01T00:00:00Z",
        "load --for=900d",
        "load --to=2030-01-01T00:00:00Z",
        "load --for=700d --bucket=1s",
        "load --for=9999999d",
        "simulate --for=9999999d",
        "history --since=9999999d",
        "next-runs --until=2020-01-01T00:00:00Z",
    ]
    .map(|call| refused((call, CLUSTER)));
    let after = "--after=2027-01-01T00:00:00Z --until=2026-12-31T00:00:00Z";
    let of_schedule = ("next-runs --schedule=@daily", after);
    insta::assert_snapshot!(errors.concat() + &refused(of_schedule));
}

/// There is no CronJob that the error could name.
#[test]
fn schedule_with_job_duration_from_history_is_an_error() {
    let simulate = "simulate --schedule=@daily --job-duration=from-history";
    insta::assert_snapshot!(doctor((simulate, "--now=2026-11-21T02:13:08Z")).stderr);
}

#[test]
fn time_after_the_latest_possible_time_is_an_error() {
    let errors = ["scan --now", "next-runs --until", "load --to"].map(|flag| {
        let refused = refused((flag, "9999-12-31T23:59:59Z -f nowhere.yaml"));
        refused.lines().next().unwrap().to_owned()
    });
    insta::assert_snapshot!(errors.join("\n"));
}
