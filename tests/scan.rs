//! `scan` through the real binary, on a recorded cluster and on manifests.

use crate::support::prelude::*;

mod alerts;
mod dashboard;
mod exports;
mod metrics;
mod selectors;
mod success_due;

/// A real 1.36.2 cluster and the moment at which it was recorded.
const CLUSTER: &str =
    "scan -f examples/cluster --kubernetes-version 1.36.2 --now=2026-11-21T02:13:08Z";

fn scan(arguments: impl CommandLine) -> Ran {
    doctor((CLUSTER, arguments))
}

/// Derived manually: `failing` last started at 02:12:00, 68 seconds ago; `nightly` missed the
/// nine nights from 13 to 21 November; the next 29 February is in 2028, 465 days less two hours away.
#[test]
fn most_severe_finding_comes_first() {
    let document = scan("-o json").document();
    let items = document["items"].items().iter();
    let outcomes = items.map(|item| {
        let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        let findings = item["findings"].items().iter();
        let mut words = [&item["name"], &item["nextRun"]].map(text).to_vec();
        words.extend(findings.map(|finding| text(&finding["code"])));
        words.join(" ")
    });
    let expected = [
        "failing 2026-11-21T02:14:00Z last-run-failed",
        "zero - starting-deadline-zero",
        "never - never-scheduled",
        // Running for two minutes, due every minute.
        "blocked - blocked-by-running-job",
        "replacer 2026-11-21T02:14:00Z runs-longer-than-period",
        "nightly - suspended-long resume-starts-immediately",
        "office 2026-11-23T13:00:00Z missed-without-event",
        "leapday 2028-02-29T00:00:00Z",
        "manual 2027-01-01T05:00:00Z",
        "tight 2026-11-21T03:00:00Z",
        "healthy 2026-11-21T02:30:00Z",
        "minutely 2026-11-21T02:14:00Z",
    ];
    assert_eq!(outcomes.collect::<Vec<_>>(), expected);
    let table = scan("").fine();
    insta::assert_snapshot!(table);
    assert!(table.lines().all(|line| line.chars().count() <= 80));
}

#[test]
fn problems_only_still_counts_all() {
    assert_ran!(scan("-n shop --problems-only"), 0);
    // The only CronJob is in one namespace, but `-A` asks for all of them.
    insta::assert_snapshot!(scan("-A -l app=healthy").fine());
    let none = scan("-l app=healthy --problems-only").fine();
    assert_eq!(none, "1 CronJob: 1 ok\n");
    insta::assert_snapshot!(scan("-l app=healthy --no-headers").fine());
}

/// A suspended `CronJob` misses runs, too; one that was never started has no missed runs.
#[test]
fn missed_only_lists_most_missed_runs_first() {
    let table = scan("-n shop --missed-only").fine();
    let names = table.lines().skip(1).take_while(|line| !line.is_empty());
    let names = names.map(|line| line.split_whitespace().next().unwrap_or_default());
    assert_eq!(names.collect::<Vec<_>>(), ["office", "nightly"]);
    assert!(table.lines().next().unwrap_or_default().contains("MISSED"));
    assert!(table.contains("5 CronJobs:"));
    let by_name = scan("-n shop --missed-only --sort name -o name").fine();
    assert_eq!(by_name, "cronjob.batch/nightly\ncronjob.batch/office\n");
}

/// Column widths are those of the text on the screen, which differ from the number of characters.
#[test]
fn wide_and_combined_characters_are_aligned() {
    let list = ["夜間バッチ", "cafe\u{301}", "plain", "👍🏽"].map(|name| {
        json!({
            "apiVersion": "batch/v1", "kind": "CronJob",
            "metadata": {"name": name, "creationTimestamp": "2026-11-20T00:00:00Z"},
            "spec": {"schedule": "0 0 1 1 *", "jobTemplate": {}},
        })
    });
    let arguments = "scan -f - --now=2026-11-21T00:00:00Z -q --no-headers --sort=name";
    let text = doctor_with_objects(arguments, &list).fine();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    let expected = [
        "cafe\u{301}         in 41d   never   ok",
        "plain        in 41d   never   ok",
        "夜間バッチ   in 41d   never   ok",
        "👍🏽           in 41d   never   ok",
    ];
    assert_eq!(lines, expected);
}

/// The narrowest table has 33 columns: nightly (7), `in 13h` and HEALTH (6 each), `never` (5), with three spaces between
/// them. RESULT needs 9 more, and the schedule 12.
#[cfg(target_os = "linux")]
#[test]
fn wider_terminal_shows_more_columns() {
    let manifest = "apiVersion: batch/v1\nkind: CronJob\n\
                    metadata: {name: nightly, creationTimestamp: '2026-11-21T08:00:00Z'}\n\
                    spec: {schedule: 0 2 * * *, timeZone: Europe/Berlin, jobTemplate: {}}\n";
    let folder = Folder::new("columns", &[("nightly.yaml", manifest)]);
    let file = folder.file("nightly.yaml");
    let call = format!("scan -q -f {file} --now=2026-11-21T12:00:00Z");
    let mut shown = vec![doctor(&call).fine()];
    for columns in [41, 42, 53, 54, 200] {
        let Some(text) = doctor_in_terminal(columns, &call) else {
            return;
        };
        shown.push(text);
    }
    let headings = shown.iter().map(|text| words(text.lines().next().unwrap()));
    insta::assert_snapshot!(headings.collect::<Vec<_>>().join("\n"));
}

/// HEALTH begins in column 52, and goes on there: a terminal of 80 columns would break the code.
#[cfg(target_os = "linux")]
#[test]
fn health_that_does_not_fit_in_the_line_continues_below() {
    let name = "a-cronjob-with-a-rather-long-name-of-48-letters";
    let manifest = format!(
        "apiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: {name}}}\n\
         spec: {{schedule: '* * * * *', startingDeadlineSeconds: 0, jobTemplate: {{}}}}\n"
    );
    let folder = Folder::new("narrow", &[("long.yaml", &*manifest)]);
    let call = format!(
        "scan -q -f {} --now=2026-11-21T12:00:00Z",
        folder.file("long.yaml")
    );
    let piped = doctor(&call).fine();
    let row = piped.lines().nth(1).unwrap();
    let Some((at, _)) = row.match_indices("error: ").next() else {
        panic!("{piped}");
    };
    let Some(text) = doctor_in_terminal(at + 28, &call) else {
        return;
    };
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let health: Vec<&str> = lines[1..3].iter().map(|line| &line[at..]).collect();
    assert_eq!(health.join(" "), &row[at..], "{text}");
    // The command at the end is not broken, either.
    let mut table = lines.iter().filter(|line| !line.starts_with("-> "));
    assert!(table.all(|line| line.len() <= at + 28), "{text}");
}

/// Of 40 CronJobs, 38 are healthy. A terminal of 24 lines would show only those.
#[cfg(target_os = "linux")]
#[test]
fn healthy_rows_are_folded_in_a_terminal_that_is_too_small() {
    let objects = |count: usize| {
        let object = |number: usize| {
            let deadline = if number < 2 {
                "startingDeadlineSeconds: 0, "
            } else {
                ""
            };
            format!(
                "---\napiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: n{number:02}}}\n\
                 spec: {{schedule: '* * * * *', {deadline}jobTemplate: {{}}}}\n"
            )
        };
        (0..count).map(object).collect::<String>()
    };
    let files = [objects(40), objects(10)];
    let folder = Folder::new(
        "folded",
        &[("many.yaml", &*files[0]), ("few.yaml", &*files[1])],
    );
    let call = |file: &str, more: &str| {
        format!(
            "scan -q -f {} --now=2026-11-21T12:00:00Z {more}",
            folder.file(file)
        )
    };
    let lines = |text: String| text.lines().count();
    let Some(text) = doctor_in_terminal(100, call("many.yaml", "")) else {
        return;
    };
    assert_eq!(text.matches(" ok").count(), 1, "{text}");
    assert_contains!(
        text,
        "40 CronJobs: 2 errors, 38 ok; -o wide lists the healthy ones, too"
    );
    let next = format!(
        "\n-> kubectl cronjob-doctor explain n00 -n default -f {}\n",
        folder.file("many.yaml")
    );
    assert!(text.ends_with(&next), "{text}");
    assert_eq!(lines(text), 1 + 2 + 3);
    for shown in ["-o wide", "--sort name", "n01 n02 n03"] {
        let text = doctor_in_terminal(200, call("many.yaml", shown)).unwrap();
        assert_lacks!(text, "-o wide lists");
    }
    assert_eq!(
        lines(doctor_in_terminal(100, call("few.yaml", "")).unwrap()),
        1 + 10 + 3
    );
    // A pipe gets all.
    assert_eq!(lines(doctor(call("many.yaml", "")).fine()), 1 + 40 + 2);
}

/// With names of usual length and -A, nothing is left of 80 columns for the longest code.
#[cfg(target_os = "linux")]
#[test]
fn health_is_not_broken_within_a_word() {
    let manifest = "apiVersion: batch/v1\nkind: CronJob\n\
                    metadata: {name: job-with-a-usual-name-of-32-chars, namespace: team-frontend-prod, \
                    creationTimestamp: '2026-11-21T08:00:00Z'}\n\
                    spec: {schedule: '@every 30m', startingDeadlineSeconds: 900, jobTemplate: {}}\n";
    let folder = Folder::new("within", &[("one.yaml", manifest)]);
    let call = format!(
        "scan -A -q -f {} --now=2026-11-21T12:00:00Z",
        folder.file("one.yaml")
    );
    let Some(text) = doctor_in_terminal(80, &call) else {
        return;
    };
    let mut table = text.lines().filter(|line| !line.starts_with("-> "));
    assert!(table.all(|line| line.chars().count() <= 80), "{text}");
    assert_contains!(text, "    error: starting-deadline-under-every\n");
}

/// `manual` succeeded at 02:12:20, 48 seconds ago, in a manually created Job.
#[test]
fn wide_shows_all_columns_and_why() {
    insta::assert_snapshot!(scan("failing manual -o wide").fine());
}

#[test]
fn rows_are_sorted_by_the_requested_column() {
    let names = |sort: &str| {
        let text = scan(format!("--sort {sort} -o name")).fine();
        let name = |line: &str| line.strip_prefix("cronjob.batch/").unwrap().to_owned();
        text.lines().map(name).collect::<Vec<_>>().join(" ")
    };
    let by_name = "blocked failing leapday manual replacer tight zero \
                   healthy minutely never nightly office";
    assert_eq!(names("name"), by_name);
    // Four at 02:14, 02:30, 03:00, Monday, January, 2028; three will not run.
    let by_next = "blocked failing replacer minutely healthy tight office manual leapday \
                   zero never nightly";
    assert_eq!(names("next"), by_next);
    // Six were never started; 12 November, 18 November, 02:11, 02:12, and two at 02:13.
    let by_last = "leapday manual tight zero healthy never nightly office blocked failing \
                   replacer minutely";
    assert_eq!(names("last"), by_last);
    // 33, 9, 2, and none.
    let by_missed = "office nightly blocked failing leapday manual replacer tight zero \
                     healthy minutely never";
    assert_eq!(names("missed"), by_missed);
    let by_active = "blocked replacer minutely failing leapday manual tight zero \
                     healthy never nightly office";
    assert_eq!(names("active"), by_active);
}

#[test]
fn column_of_sort_flag_is_shown() {
    assert_ran!(scan("-n shop --sort missed"), 0);
    let active = scan("-l app=minutely --sort active").fine();
    assert_starts!(active, "NAME       NEXT     LAST   ACTIVE   HEALTH\n");
}

#[test]
fn json_document_has_the_promised_fields() {
    let text = scan("-o json never nightly").fine();
    let document: Value = serde_json::from_str(&text).unwrap();
    let health = ["never", "nightly"].map(|name| document["items"].named(name)["health"].clone());
    assert_eq!(health, ["error", "warning"]);
    insta::assert_snapshot!(text);
}

#[test]
fn yaml_is_the_same_document() {
    insta::assert_snapshot!(scan("-o yaml tight").fine());
}

#[test]
fn exit_code_follows_findings_only_with_fail_on() {
    let code = |arguments: &str| scan(arguments).code;
    assert_eq!(code(""), 0);
    assert_eq!(code("--fail-on error"), 1);
    assert_eq!(code("--fail-on error nightly"), 0);
    assert_eq!(code("--fail-on warning nightly"), 1);
    assert_eq!(code("--fail-on info healthy"), 0);
    assert_eq!(code("--fail-on never"), 0);
    // The exit code of an error takes precedence over that of findings.
    assert_eq!(code("--fail-on error never nothing-like-it"), 2);
}

#[test]
fn empty_list_is_not_an_error_and_documents_are_still_printed() {
    let empty = |format: &str| {
        let arguments = "scan -f - --now=2026-11-21T02:13:08Z";
        let list = r#"{"apiVersion": "v1", "kind": "List", "items": []}"#;
        let ran = doctor_with_stdin((arguments, format), list);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, "No CronJobs found.\n"));
        ran.stdout
    };
    assert_eq!(empty(""), "");
    assert_eq!(empty("-o wide"), "");
    assert_eq!(empty("-o name"), "");
    let document: Value = serde_json::from_str(&empty("-o json")).unwrap();
    assert_eq!(document["kind"], "ScanReport");
    assert_eq!(document["items"], json!([]));
    assert_eq!(document["summary"]["total"], 0);
    let metrics = metrics::parse(&empty("-o prometheus"));
    assert_eq!(metrics.len(), 1, "the moment alone");
    assert!(empty("-o csv").starts_with("namespace,name,"));
}

/// The controller has given up on this `CronJob`: it does not run, whatever its schedule is.
#[test]
fn cron_job_that_the_controller_gave_up_on_has_no_next_run() {
    let next = |file: &str, release: &str, now: &str| {
        let path = format!("examples/explain/{file}.yaml");
        let arguments =
            format!("scan -q -f {path} --kubernetes-version {release} --now {now} -o json");
        doctor(arguments).item()["nextRun"].take()
    };
    let outage = "2026-03-02T10:21:00Z";
    assert_eq!(next("outage", "1.17", outage), Value::Null);
    // The run that is due.
    assert_eq!(next("outage", "1.36", outage), "2026-03-02T10:21:00Z");
}

#[test]
fn scan_without_jobs_reports_what_is_missing() {
    let outage = "examples/explain/outage.yaml";
    let ran = doctor(format!("scan -f {outage} --now 2026-03-02T10:21:00Z"));
    assert_eq!(ran.code, 0);
    insta::assert_snapshot!(ran.stderr);
}

/// It was never created in a cluster, so it cannot have missed a run.
#[test]
fn manifest_not_from_a_cluster_counts_as_created_now() {
    let manifest = "\
apiVersion: batch/v1
kind: CronJob
metadata: {name: report, namespace: shop}
spec: {schedule: '*/5 * * * *', jobTemplate: {spec: {}}}
";
    let now = "--now=2026-03-10T12:02:10Z";
    let ran = |arguments: &str| doctor_with_stdin((arguments, "-f - -q", now), manifest).fine();
    let table = ran("scan");
    insta::assert_snapshot!(table);
    let of = |verb: &str| -> Value {
        let document: Value = serde_json::from_str(&ran(&format!("{verb} -o json"))).unwrap();
        document["items"][0].clone()
    };
    let scanned = of("scan");
    assert_eq!(scanned["inCluster"], false);
    let expected = (&json!(0), &json!("2026-03-10T12:05:00Z"));
    assert_eq!((&scanned["missed"], &scanned["nextRun"]), expected);
    let explained = of("explain");
    assert_eq!(explained["inCluster"], false);
    assert_eq!(explained["decision"]["outcome"], "wait");
    assert_eq!(explained["missed"]["since"], "2026-03-10T12:02:10Z");
    assert_eq!(explained["findings"], json!([]));
    let text = ran("explain -o wide");
    let created = "  Created     not in a cluster: treated as created now\n";
    assert_contains!(text, created);
    let past = of("history");
    let expected = (&json!([]), &json!("creation"));
    assert_eq!((&past["runs"], &past["basis"]), expected);
    // A manifest that has a status comes from a cluster.
    let kept = manifest.to_owned() + "status: {lastScheduleTime: '2026-03-10T11:30:00Z'}\n";
    let all = ["scan", "-f", "-", "-q", now, "-o", "json"];
    let document = doctor_with_stdin(all, &kept).document();
    assert_eq!(document["items"][0]["inCluster"], true);
    assert_eq!(document["items"][0]["missed"], 6);
}

/// The examples of load are manifests.
#[test]
fn manifests_of_a_folder_have_no_missed_runs() {
    let document = doctor("scan -f examples/load -q -o json").document();
    let items = document["items"].items();
    assert_eq!(items.len(), 15);
    for item in items {
        assert_eq!(item["missed"], 0, "{item}");
        assert_ne!(item["health"], "warning", "{item}");
    }
    // Now is the clock of this machine, in whole seconds.
    let now = document["now"].text();
    assert_eq!(now.len(), "2026-03-10T12:00:00Z".len(), "{now}");
}

#[test]
fn managed_by_selects_cronjobs_and_is_shown() {
    let scan = |arguments: &str| {
        let common = "scan -f examples/findings/suspended-outside-gitops.yaml -f \
                      examples/findings/suspended-long.yaml -f examples/findings/hot-loop.yaml \
                      --now=2026-03-20T09:00:00Z --kubernetes-version=1.36 -q";
        doctor((common, arguments)).fine()
    };
    let counted = |tool: &str| {
        let document = scan(&format!("-o json --managed-by {tool}"));
        let document: Value = serde_json::from_str(&document).unwrap();
        let rows = document["items"].items().len();
        assert_eq!(document["summary"]["total"], rows, "{document:#}");
        (rows, document["items"][0]["managedBy"].clone())
    };
    let argo = json!({"tool": "argocd", "name": "shop"});
    assert_eq!(counted("argocd"), (1, argo));
    assert_eq!(counted("helm"), (1, json!({"tool": "helm", "name": null})));
    assert_eq!(counted("none"), (1, Value::Null));
    assert_eq!(counted("flux").0, 0);
    let none =
        "scan -f examples/findings/hot-loop.yaml --now=2026-03-20T09:00:00Z --managed-by=flux";
    let ran = doctor(none);
    assert_eq!(ran.stdout, "");
    assert_contains!(ran.stderr, "No CronJobs found with --managed-by flux.\n");
    assert_lacks!(doctor((none, "-q")).stderr, "No CronJobs");
    let wide = scan("-o wide --managed-by=argocd");
    assert_contains!(wide, "MANAGED-BY");
    assert_contains!(wide, "Argo CD (application shop)");
}

/// The suspension is more important than the finding about what resuming does.
#[test]
fn suspended_cron_job_with_a_missed_run_shows_both_findings() {
    let health = |more: &str| {
        let example = "examples/findings/resume-starts-immediately.yaml";
        let arguments = ["scan", "-q", "-f", example, "--now=2026-03-10T14:00:00Z"];
        doctor((&arguments, more)).fine()
    };
    let table = health("");
    assert_contains!(table, "  warning: suspended (missed 2 runs, +1)");
    let document: Value = serde_json::from_str(&health("-o json")).unwrap();
    assert_eq!(document["items"][0]["health"], "warning");
}
