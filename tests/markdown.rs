//! `-o markdown` of `scan` and `history`: the contents of the tables, and that names are escaped.

use crate::support::prelude::*;

use crate::support::markdown::{HARM, assert_inert};

const AT: &str = "--now=2026-11-21T02:13:08Z";

fn recorded(verb: &str, more: impl CommandLine) -> Ran {
    let call = format!("{verb} -f=examples/cluster --kubernetes-version=1.36.2 {AT}");
    doctor((&call, "-o markdown", more))
}

/// The cells of all rows of the tables, without `<code>` elements.
fn rows(text: &str) -> Vec<Vec<String>> {
    let rows = text.lines().filter(|line| line.starts_with("| "));
    let cells = rows.map(|row| {
        let row = row.replace("<code>", "").replace("</code>", "");
        let row = row.trim_start_matches("| ").trim_end_matches('|');
        row.split(" | ")
            .map(|cell| cell.trim().to_owned())
            .collect()
    });
    cells.collect()
}

/// A CronJob of this name with a failed and a successful Job.
fn cluster(namespace: &str, name: &str) -> Vec<Value> {
    let job = |hour: u32, condition: &str| {
        let at = |minute: u32| format!("2026-11-20T{hour:02}:{minute:02}:00Z");
        json!({
            "apiVersion": "batch/v1", "kind": "Job",
            "metadata": {
                "name": format!("{name}-{hour}"), "namespace": namespace, "uid": format!("{hour}"),
                "creationTimestamp": at(0),
                "annotations": {"batch.kubernetes.io/cronjob-scheduled-timestamp": at(0)},
                "ownerReferences": [owner_reference("CronJob", name, "u")],
            },
            "status": {
                "startTime": at(0),
                "completionTime": if condition == "Complete" { json!(at(5)) } else { Value::Null },
                "conditions": [{
                    "type": condition, "status": "True", "lastTransitionTime": at(5),
                    "reason": "BackoffLimitExceeded", "message": HARM,
                }],
            },
        })
    };
    vec![
        json!({
            "apiVersion": "batch/v1", "kind": "CronJob",
            "metadata": {
                "name": name, "namespace": namespace, "uid": "u",
                "creationTimestamp": "2026-11-20T21:30:00Z",
            },
            "spec": {"schedule": "0 22-23 * * *", "timeZone": "Etc/UTC", "jobTemplate": {}},
            "status": {"lastScheduleTime": "2026-11-20T23:00:00Z"},
        }),
        job(22, "Complete"),
        job(23, "Failed"),
    ]
}

#[test]
fn scan_has_a_row_for_each_cronjob_and_its_findings() {
    let text = recorded("scan", "").fine();
    assert_inert(&text);
    let rows = rows(&text);
    assert_eq!(rows.len(), 1 + 12);
    assert_eq!(rows[0], ["CronJob", "Next", "Last", "Health"]);
    // 02:14 is the next minute, and it last started at 02:12.
    let expected = [
        "ops/failing",
        "Sat 2026-11-21 02:14 UTC",
        "Sat 2026-11-21 02:12 UTC, failing-29920452: failed after 19s: gave up after 1 attempt",
        "**error: last-run-failed**",
    ];
    assert_eq!(rows[1], expected);
    insta::assert_snapshot!(recorded("scan", ["failing", "nightly", "healthy"]).fine());
}

#[test]
fn history_has_the_runs_of_each_cronjob() {
    let input = list(&cluster("shop", "nightly"));
    let call = format!("history -f=- {AT} --kubernetes-version=1.36 -o=markdown");
    let text = doctor_with_stdin(call, &input).fine();
    assert_inert(&text);
    let rows = rows(&text);
    // Two runs of five minutes; the second failed.
    assert_eq!(rows[1][0], "shop/nightly");
    assert_eq!(rows[1][2..4], ["2 on time", "1 succeeded, 1 failed"]);
    for (row, hour, result) in [(3, 22, "succeeded"), (4, 23, "**failed**")] {
        let expected = format!("Fri 2026-11-20 {hour}:00|on time|0s|5m|{result}|nightly-{hour}");
        assert_eq!(rows[row][..6].join("|"), expected);
    }
    assert_eq!(rows.len(), 5);
    insta::assert_snapshot!(recorded("history", ["blocked", "nightly"]).fine());
}

/// Names, messages and values never start Markdown markup.
#[test]
fn hostile_text_is_escaped_in_every_command() {
    let long = format!("{HARM}{}", "_*".repeat(100_000));
    for name in [HARM, &long] {
        let mut items = cluster("@org/team", name);
        items[0]["metadata"]["annotations"] = json!({"cronjob-doctor/max-duration": HARM});
        items[0]["spec"]["concurrencyPolicy"] = json!("Forbid");
        let input = list(&items);
        for verb in ["scan", "history"] {
            let call = [verb, "-f=-", AT, "-o=markdown"];
            let text = doctor_with_stdin(call, &input).fine();
            assert_inert(&text);
            assert_contains!(text, "&#64;<!-- -->org/team");
        }
    }
}

/// CronJobs that do not fit in a comment are only counted.
#[test]
fn cron_jobs_beyond_the_limit_are_counted() {
    let one = |number: usize| {
        let mut items = cluster("shop", &format!("job-{number:04}"));
        items[0]["metadata"]["uid"] = json!(format!("u-{number}"));
        items[0]["spec"]["schedule"] = json!("0 0 31 2 *");
        items.swap_remove(0)
    };
    let input = list(&(0..2_000).map(one).collect::<Vec<_>>());
    for verb in ["scan", "history"] {
        let ran = doctor_with_stdin(format!("{verb} -f=- {AT} -o=markdown"), &input);
        assert_inert(&ran.stdout);
        assert_contains!(ran.stdout, "\nand 1950 more\n");
    }
}

#[test]
fn markdown_without_cron_jobs_is_a_heading() {
    let input = list(&[]);
    for verb in ["scan", "history"] {
        let ran = doctor_with_stdin(format!("{verb} -f=- {AT} -o=markdown"), &input);
        assert_starts!(ran.stdout, "### No CronJobs\n");
    }
}
