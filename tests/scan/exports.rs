//! The output formats for other programs, also with hostile names.

use crate::support::prelude::*;

use super::{metrics, scan};

#[test]
fn csv_has_the_codes_of_the_findings() {
    let csv = scan("-o csv blocked leapday").fine();
    let expected = "\
namespace,name,schedule,timeZone,suspended,nextRun,lastScheduleTime,lastSuccessfulTime,active,\
missed,health,findings,verdict,lastRunState,runsSinceSuccess\r
ops,blocked,* * * * *,,false,,2026-11-21T02:11:00Z,,1,2,warning,\
blocked-by-running-job,\
\"Blocked: blocked-29920451 has been waiting for its pod for 2m8s (concurrencyPolicy: Forbid). When it finishes, \
blocked-29920453 starts immediately for the run scheduled at Sat 2026-11-21 02:13 UTC\",waiting,1\r
ops,leapday,0 0 29 2 *,Etc/UTC,false,2028-02-29T00:00:00Z,,,0,0,ok,,\
Next run: Tue 2028-02-29 00:00 Etc/UTC (in 464d),,0\r
";
    assert_eq!(csv, expected);
    let bare = scan("-o csv blocked leapday --no-headers").fine();
    assert_eq!(bare, expected.split_once("\r\n").unwrap().1);
}

/// The first run of `blocked` began at 02:11: its success is due an hour and five minutes later.
/// Minute 29,920,454 since 1970 is 02:14; 29 February 2028 begins 464 days, 21 hours and 46 minutes
/// and 52 seconds after now.
#[test]
fn prometheus_has_each_metric_once() {
    let text = scan("-o prometheus blocked nightly --sort next").fine();
    insta::assert_snapshot!(text);
    let all = metrics::parse(&scan("-o prometheus").fine());
    assert_eq!(all["cronjob_doctor_health"].len(), 12);
    assert_eq!(all["cronjob_doctor_next_run_timestamp_seconds"].len(), 8);
    let (labels, next) = all["cronjob_doctor_next_run_timestamp_seconds"]
        .iter()
        .max_by_key(|(_, next)| **next)
        .unwrap();
    assert_eq!(labels["cronjob"], "leapday");
    let until = 464 * 86_400 + 21 * 3_600 + 46 * 60 + 52;
    assert_eq!(*next, 1_795_227_188 + until);
}

/// The API server rejects all of these names, but a file can contain any name.
#[test]
fn hostile_names_are_escaped_in_every_format() {
    let name = "a\"},{\\\n<b>&]]>\u{1b}[2Jc";
    let suspended = json!({
        "apiVersion": "batch/v1", "kind": "CronJob",
        "metadata": {"name": name, "namespace": "x\ny", "creationTimestamp": "2026-11-21T00:00:00Z"},
        "spec": {"schedule": "0 3 * * *", "suspend": true, "jobTemplate": {}},
    });
    let run = |format: &str| {
        let arguments = ["scan", "--quiet", "-f", "-", "--now=2026-11-21T02:13:08Z"];
        let arguments = (&arguments, format);
        doctor_with_stdin(arguments, &suspended.to_string()).fine()
    };
    let table = run("-A");
    insta::assert_snapshot!(table);
    let expected = "cronjob.batch/a\"},{\\\\n<b>&]]>\\u{1b}[2Jc\n";
    assert_eq!(run("-o name"), expected);
    let document: Value = serde_json::from_str(&run("-o json")).unwrap();
    assert_eq!(document["items"][0]["name"], name);
    let metrics = metrics::parse(&run("-o prometheus"));
    let labels = metrics["cronjob_doctor_suspended"].keys().next().unwrap();
    assert_eq!(labels["cronjob"], name.replace('\u{1b}', "\\u{1b}"));
    assert_eq!(labels["namespace"], "x\ny");
    let csv = run("-o csv --no-headers");
    let expected = "x\\ny,\"a\"\"},{\\\\n<b>&]]>\\u{1b}[2Jc\",0 3 * * *,,true,,,,0,0,ok,,";
    assert_starts!(csv, expected);
}

/// If a file contains the same name twice, the collector must not reject all metrics.
#[test]
fn metrics_of_cronjobs_with_the_same_name_show_the_most_severe() {
    let cron_job = |schedule: &str| {
        json!({
            "apiVersion": "batch/v1", "kind": "CronJob",
            "metadata": {"name": "twin", "creationTimestamp": "2026-11-21T00:00:00Z"},
            "spec": {"schedule": schedule, "jobTemplate": {}},
        })
    };
    let items = [cron_job("0 3 * * *"), cron_job("0 0 31 2 *")];
    let arguments = "scan -q -f - -o prometheus --now=2026-11-21T02:13:08Z";
    let metrics = metrics::parse(&doctor_with_objects(arguments, &items).fine());
    let health: Vec<i64> = metrics["cronjob_doctor_health"].values().copied().collect();
    assert_eq!(health, [3]);
}

#[test]
fn planned_end_of_a_suspension_is_a_metric() {
    let suspended = json!({
        "apiVersion": "batch/v1", "kind": "CronJob",
        "metadata": {
            "name": "nightly", "namespace": "shop", "creationTimestamp": "2026-11-21T00:00:00Z",
            "annotations": {"cronjob-doctor/suspended-until": "2026-11-22T00:00:00Z"},
        },
        "spec": {"schedule": "0 3 * * *", "suspend": true, "jobTemplate": {}},
    });
    let metrics = |cron_job: &Value| {
        let call = "scan -q -f - --now=2026-11-21T02:13:08Z -o=prometheus";
        metrics::parse(&doctor_with_stdin(call, &cron_job.to_string()).fine())
    };
    let name = "cronjob_doctor_suspended_until_timestamp_seconds";
    let ends: Vec<i64> = metrics(&suspended)[name].values().copied().collect();
    // date -u -d 2026-11-22 +%s
    assert_eq!(ends, [1_795_305_600]);
    let mut resumed = suspended;
    resumed["spec"]["suspend"] = json!(false);
    assert!(!metrics(&resumed).contains_key(name));
}
