//! The time zone of the controller's clock, as far as past runs show it.

use jiff::Timestamp;

use crate::support::prelude::*;

/// A `CronJob` and its Jobs, each named by its scheduled time.
fn runs(name: &str, schedule: &str, times: &[&str]) -> Vec<Value> {
    let cron_job = json!({
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"namespace": "ops", "name": name, "uid": name},
        "spec": {"schedule": schedule, "jobTemplate": {}},
    });
    let jobs = times.iter().map(|time| {
        let minute = time.parse::<Timestamp>().unwrap().as_second() / 60;
        json!({
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {
                "namespace": "ops", "name": format!("{name}-{minute}"), "uid": minute.to_string(),
                "ownerReferences": [owner_reference("CronJob", name, name)],
            },
        })
    });
    std::iter::once(cron_job).chain(jobs).collect()
}

/// Runs on November 19, 20 and 21 at this time of the day.
fn on_three_days(schedule: &str, time: &str) -> Vec<Value> {
    let times = [19, 20, 21].map(|day| format!("2026-11-{day}T{time}Z"));
    runs("daily", schedule, &times.each_ref().map(String::as_str))
}

/// The inferred time zone; none if UTC is assumed.
fn zone_of(objects: &[Value]) -> Option<String> {
    let call = "scan -f - -o json --now=2026-11-22T12:00:00Z --kubernetes-version=1.27.1";
    let controller = doctor_with_objects(call, objects).json()["controller"].take();
    let is_inferred = controller["timeZoneSource"] != "default";
    is_inferred.then(|| controller["timeZone"].text().to_owned())
}

#[test]
fn runs_in_another_time_zone_show_it() {
    // 02:00 in Berlin is 01:00 UTC in winter and midnight UTC in summer.
    let times = [
        "2026-07-01T00:00:00Z",
        "2026-11-20T01:00:00Z",
        "2026-11-21T01:00:00Z",
    ];
    let nightly = runs("nightly", "0 2 * * *", &times);
    assert_eq!(zone_of(&nightly).as_deref(), Some("Europe/Berlin"));
    let kolkata = on_three_days("15 9 * * *", "03:45:00");
    let ambiguous = runs("hourly", "0 * * * *", &["2026-11-21T03:30:00Z"]);
    let zone = zone_of(&[kolkata, ambiguous].concat());
    assert_eq!(zone.as_deref(), Some("Asia/Kolkata"));
}

#[test]
fn runs_with_a_time_zone_that_was_removed_since_show_no_zone() {
    let times = [
        "2026-11-22T04:10:00Z",
        "2026-11-22T04:11:00Z",
        "2026-11-22T04:12:00Z",
    ];
    let mut objects = runs("morning", "* 9 * * *", &times);
    objects[0]["status"] = json!({"lastScheduleTime": times[2]});
    assert_eq!(zone_of(&objects).as_deref(), Some("Asia/Karachi"));
    // Seen with 1.27.1, which does not annotate its Jobs.
    let mut applied = objects.clone();
    let last = json!({"spec": {"schedule": "* 9 * * *", "timeZone": "Asia/Kathmandu"}});
    let annotation = "kubectl.kubernetes.io/last-applied-configuration";
    applied[0]["metadata"]["annotations"] = json!({annotation: last.to_string()});
    assert_eq!(zone_of(&applied), None);
    for (job, minute) in objects[1..].iter_mut().zip(55..) {
        let scheduled = format!("2026-11-22T09:{minute}:00+05:45");
        let annotation = "batch.kubernetes.io/cronjob-scheduled-timestamp";
        job["metadata"]["annotations"] = json!({annotation: scheduled});
    }
    assert_eq!(zone_of(&objects), None);
}

#[test]
fn utc_and_ambiguous_runs_show_no_zone() {
    let utc = runs("utc", "0 2 * * *", &["2026-11-20T02:00:00Z"]);
    assert_eq!(zone_of(&utc), None);
    let two = ["2026-11-20T01:00:00Z", "2026-11-21T01:00:00Z"];
    assert_eq!(zone_of(&runs("few", "0 2 * * *", &two)), None);
    // One CronJob was changed; the other shows that the clock is in UTC.
    let changed = on_three_days("0 2 * * *", "01:00:00");
    assert_eq!(zone_of(&[changed, utc].concat()), None);
    let nonsense = on_three_days("0 2 * * *", "01:07:00");
    assert_eq!(zone_of(&nonsense), None);
}
