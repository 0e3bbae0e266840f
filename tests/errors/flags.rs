//! Flags whose values cannot be used: the flag, the value, and what would do.

use super::{CLUSTER, refused};

#[test]
fn zones() {
    let zones = ["", "Local", "Foo/Bar", "Europe/Berln", "../passwd"];
    let errors = zones.map(|zone| {
        ["--controller-time-zone", "--display-time-zone"].map(|flag| {
            let given = format!("{flag}={zone}");
            let arguments = ["load", "--tzdb=bundled", &given];
            refused(&[&arguments[..], &CLUSTER].concat())
        })
    });
    let of_schedule = [
        "next-runs",
        "--tzdb=bundled",
        "--schedule=@daily",
        "--time-zone=Foo/Bar",
    ];
    insta::assert_snapshot!(errors.concat().concat() + &refused(&of_schedule));
}

/// What is wrong with them is said before a file is opened or a server asked.
#[test]
fn changes_that_cannot_be_made() {
    let changes = [
        "suspend",
        "schedul=@daily",
        "spec.zone=UTC",
        "suspend=maybe",
    ];
    let errors = changes.map(|change| {
        [
            &["explain", "--what-if", change, "-f", "nowhere.yaml"][..],
            &["simulate", "--what-if", change, "-f", "nowhere.yaml"],
            &["simulate", "--at", "2026-11-22T00:00:00Z", change],
        ]
        .map(refused)
    });
    insta::assert_snapshot!(errors.concat().concat());
}

#[test]
fn windows() {
    let cases: [&[&str]; 9] = [
        &["load", "--to=2020-01-01T00:00:00Z"],
        &[
            "load",
            "--from=2020-01-01T00:00:00Z",
            "--to=2020-01-01T00:00:00Z",
        ],
        &["load", "--for=900d"],
        &["load", "--to=2030-01-01T00:00:00Z"],
        &["load", "--for=700d", "--bucket=1s"],
        &["load", "--for=9999999d"],
        &["simulate", "--for=9999999d"],
        &["history", "--since=9999999d"],
        &["next-runs", "--until=2020-01-01T00:00:00Z"],
    ];
    let errors = cases.map(|arguments| refused(&[arguments, &CLUSTER].concat()));
    let of_schedule = [
        "next-runs",
        "--schedule=@daily",
        "--after=2027-01-01T00:00:00Z",
        "--until=2026-12-31T00:00:00Z",
    ];
    insta::assert_snapshot!(errors.concat() + &refused(&of_schedule));
}

/// There is no CronJob whose name could be told.
#[test]
fn a_schedule_has_no_history() {
    let ran = crate::errors::doctor([
        "simulate",
        "--schedule=@daily",
        "--job-duration=from-history",
        "--now=2026-11-21T02:13:08Z",
    ]);
    insta::assert_snapshot!(ran.stderr);
}

#[test]
fn time_after_the_last_one_is_named_as_such() {
    let flags = [
        ["scan", "--now"],
        ["next-runs", "--until"],
        ["load", "--to"],
    ];
    let errors = flags.map(|[verb, flag]| {
        let time = format!("{flag}=9999-12-31T23:59:59Z");
        let refused = refused(&[verb, "-f", "nowhere.yaml", &time]);
        refused.lines().next().unwrap().to_owned()
    });
    insta::assert_snapshot!(errors.join("\n"));
}
