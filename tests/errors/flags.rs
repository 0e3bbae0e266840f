//! Flags whose values cannot be used: the flag, the value, and what would do.

use super::{CLUSTER, refused};

#[test]
fn zones() {
    let way_out = "name a zone of the tz database, such as Europe/Berlin";
    for (zone, why) in [
        ("", way_out.to_owned()),
        ("Local", way_out.to_owned()),
        ("Foo/Bar", format!("unknown time zone Foo/Bar; {way_out}")),
        (
            "Europe/Berln",
            "unknown time zone Europe/Berln; did you mean Europe/Berlin?".to_owned(),
        ),
        (
            "../passwd",
            format!("\"../passwd\": time: invalid location name; {way_out}"),
        ),
    ] {
        for flag in ["--controller-time-zone", "--display-time-zone"] {
            let given = format!("{flag}={zone}");
            let arguments = ["load", "--tzdb=bundled", &given];
            let refused = refused(&[&arguments[..], &CLUSTER].concat());
            assert_eq!(refused, format!("error: {flag}: {why}\n"));
        }
    }
    assert_eq!(
        refused(&[
            "next-runs",
            "--tzdb=bundled",
            "--schedule=@daily",
            "--time-zone=Foo/Bar"
        ]),
        format!(
            "error: --time-zone: spec.timeZone: Invalid value: \"Foo/Bar\": unknown time zone \
             Foo/Bar\nhelp: {way_out}\n"
        )
    );
}

/// What is wrong with them is said before a file is opened or a server asked.
#[test]
fn changes_that_cannot_be_made() {
    let fields = "schedule, timeZone, startingDeadlineSeconds, concurrencyPolicy, suspend, \
                  successfulJobsHistoryLimit, failedJobsHistoryLimit";
    for (change, why) in [
        ("suspend", "expected FIELD=VALUE, such as suspend=false"),
        (
            "schedul=@daily",
            "\"schedul\" cannot be changed; did you mean schedule?",
        ),
        (
            "spec.zone=UTC",
            &format!("\"spec.zone\" cannot be changed; these can: {fields}"),
        ),
        ("suspend=maybe", "expected true or false, found \"maybe\""),
    ] {
        for verb in ["explain", "simulate"] {
            assert_eq!(
                refused(&[verb, "--what-if", change, "-f", "nowhere.yaml"]),
                format!("error: --what-if {change}: {why}\n")
            );
        }
        assert_eq!(
            refused(&["simulate", "--at", "2026-11-22T00:00:00Z", change]),
            format!("error: --at 2026-11-22T00:00:00Z {change}: {why}\n")
        );
    }
}

#[test]
fn windows() {
    let cases: [(&[&str], &str); 9] = [
        (
            &["load", "--to=2020-01-01T00:00:00Z"],
            "--to 2020-01-01T00:00:00Z is not later than now, 2026-11-21T02:13:00Z",
        ),
        (
            &[
                "load",
                "--from=2020-01-01T00:00:00Z",
                "--to=2020-01-01T00:00:00Z",
            ],
            "--to 2020-01-01T00:00:00Z is not later than --from, 2020-01-01T00:00:00Z",
        ),
        (
            &["load", "--for=900d"],
            "--for: the window is longer than two years",
        ),
        (
            &["load", "--to=2030-01-01T00:00:00Z"],
            "--to: the window is longer than two years",
        ),
        (
            &["load", "--for=700d", "--bucket=1s"],
            "--bucket: the window has 60480000 buckets, and 527040 is the most: make them longer",
        ),
        (
            &["load", "--for=9999999d"],
            "--for 9999999d from 2026-11-21T02:13:00Z on ends after the year 9999",
        ),
        (
            &["simulate", "--for=9999999d"],
            "--for 9999999d from 2026-11-21T02:13:08Z on ends after the year 9999",
        ),
        (
            &["history", "--since=9999999d"],
            "--since 9999999d begins before the year -9999",
        ),
        (
            &["next-runs", "--until=2020-01-01T00:00:00Z"],
            "--until 2020-01-01T00:00:00Z is earlier than now, 2026-11-21T02:13:08Z",
        ),
    ];
    for (arguments, why) in cases {
        let refused = refused(&[arguments, &CLUSTER].concat());
        assert_eq!(refused, format!("error: {why}\n"));
    }
    let arguments = [
        "next-runs",
        "--schedule=@daily",
        "--after=2027-01-01T00:00:00Z",
        "--until=2026-12-31T00:00:00Z",
    ];
    assert_eq!(
        refused(&arguments),
        "error: --until 2026-12-31T00:00:00Z is earlier than --after, 2027-01-01T00:00:00Z\n"
    );
}

#[test]
fn schedules_have_no_names() {
    assert_eq!(
        refused(&["next-runs", "--schedule=@daily", "-o", "name"]),
        "error: -o name prints the names of CronJobs, and --schedule has none\n"
    );
}

/// There is no CronJob whose name could be told.
#[test]
fn a_schedule_has_no_history() {
    let ran = crate::errors::doctor(&[
        "simulate",
        "--schedule=@daily",
        "--job-duration=from-history",
        "--now=2026-11-21T02:13:08Z",
    ]);
    assert_eq!(
        ran.stderr,
        "warning: no finished Job shows how long they take; a minute is assumed\n"
    );
}

#[test]
fn time_after_the_last_one_is_named_as_such() {
    for (verb, flag) in [
        ("scan", "--now"),
        ("next-runs", "--until"),
        ("load", "--to"),
    ] {
        let time = format!("{flag}=9999-12-31T23:59:59Z");
        let refused = refused(&[verb, "-f", "nowhere.yaml", &time]);
        assert_eq!(
            refused.lines().next().unwrap(),
            format!(
                "error: invalid value '9999-12-31T23:59:59Z' for '{flag} <TIME>': out of range: the last \
                 time that is supported is 9999-12-30T22:00:00Z"
            )
        );
    }
}
