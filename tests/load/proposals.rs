//! The proposal, through the real binary.

use crate::support::prelude::*;

use super::{BERLIN, FROM, cron_job, document, load, many};

/// Names and new schedules.
fn suggested(document: &Value) -> Vec<(&str, &str)> {
    let all = document["suggestions"].items().iter();
    all.map(|one| (one["name"].text(), one["newSchedule"].text()))
        .collect()
}

/// Three start at 02:00, so two of them must be moved; the one at 02:20 may depend on them. The minutes follow from the
/// hashes of the names, and were computed by another implementation of them.
#[test]
fn proposal_keeps_the_order_within_a_namespace() {
    let manifests = cron_job("shop", "a", "0 2 * * *", "")
        + &cron_job("shop", "b", "0 2 * * *", "")
        + &cron_job("shop", "c", "0 2 * * *", "")
        + &cron_job("shop", "report", "20 2 * * *", "");
    let found = document(&manifests, FROM);
    let expected = [("b", "15 2 * * *"), ("c", "17 2 * * *")];
    assert_eq!(suggested(&found), expected);
    assert_eq!(
        found["suggestions"][0],
        json!({
            "namespace": "shop",
            "name": "b",
            "timeZone": null,
            "schedule": "0 2 * * *",
            "newSchedule": "15 2 * * *",
            "laterSeconds": 900,
            "patch": {"spec": {"schedule": "15 2 * * *"}},
            "command": "kubectl patch cronjob b -n shop --type=merge -p '{\"spec\":{\"schedule\":\"15 2 * * *\"}}'",
            "extraRun": null,
        })
    );
    assert_eq!(
        found["effect"],
        json!({
            "before": {"mostInAMinute": 3, "lastStartDelaySeconds": 0.1},
            "after": {"mostInAMinute": 1, "lastStartDelaySeconds": 0.1},
        })
    );
    // In another namespace, `report` does not depend on them.
    let apart = manifests.replace("shop, name: report", "ops, name: report");
    let found = document(&apart, FROM);
    let last = suggested(&found)[1];
    assert_eq!(last, ("c", "53 2 * * *"));
}

/// A CronJob that is alone in its minute or that cannot start later stays; time zones and words are kept.
#[test]
fn proposal_changes_minutes_only() {
    let manifests = cron_job("shop", "macro", "@weekly", BERLIN)
        + &cron_job("shop", "words", "0  0 * jan-dec SUN", BERLIN)
        + &cron_job("shop", "steps", "*/20 0 * * *", BERLIN)
        + &cron_job("shop", "late", "59 0 * * *", BERLIN)
        + &cron_job("shop", "every", "@every 1h", BERLIN)
        + &cron_job("shop", "prefix", "TZ=Europe/Berlin @midnight", "");
    let ran = load(&manifests, (FROM, "-o json"));
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    for (name, schedule) in suggested(&found) {
        let (minute, rest) = schedule.split_once(' ').unwrap();
        match name {
            "macro" => assert_eq!(rest, "0 * * 0"),
            "words" => assert_eq!(rest, "0 * jan-dec SUN"),
            "steps" => assert!(
                minute.ends_with("-59/20") && rest == "0 * * *",
                "{schedule}"
            ),
            "prefix" => {
                let in_berlin = schedule.starts_with("TZ=Europe/Berlin ");
                assert!(in_berlin && schedule.ends_with(" 0 * * *"), "{schedule}");
            }
            other => panic!("{other} cannot start later: {schedule}"),
        }
    }
    assert_eq!(
        found["effect"]["after"]["mostInAMinute"], 1,
        "{}",
        found["suggestions"]
    );
}

#[test]
fn commands_keep_the_cluster_flags() {
    let manifests =
        cron_job("shop", "a", "0 2 * * *", "") + &cron_job("shop", "--all", "0 2 * * *", "");
    let arguments = (FROM, "'--context=my prod' --kubeconfig clusters.yaml");
    let expected = "kubectl patch cronjob -n shop --kubeconfig clusters.yaml --context 'my prod' --type=merge -p \
                    '{\"spec\":{\"schedule\":\"45 2 * * *\"}}' -- --all";
    let found = document(&manifests, arguments);
    let patch = found["suggestions"][0]["command"].text();
    assert_eq!(patch, expected);
    let text = load(&manifests, arguments).fine();
    assert_contains!(text, patch);
}

/// Two at 01:56 and two at 01:58: whatever their names are, one of each two can move.
#[test]
fn the_last_minutes_of_an_hour_are_left_to_those_that_have_no_others() {
    for number in 0..40 {
        let of = |prefix: &str, schedule: &str| {
            let name = format!("{prefix}{number}");
            cron_job(&name, &name, schedule, "")
        };
        let all = [
            of("a", "56 1 * * *"),
            of("b", "56 1 * * *"),
            of("c", "58 1 * * *"),
        ];
        let manifests = all.concat() + &of("d", "58 1 * * *");
        let after = &document(&manifests, FROM)["effect"]["after"]["mostInAMinute"];
        assert_eq!(*after, 1, "{number}");
    }
}

#[test]
fn without_improvement_nothing_is_proposed() {
    let minutely = many(3, "* * * * *");
    let text = load(&minutely, FROM).fine();
    let last = "\nProposal\n  None: no later minutes within the same hours were found that relieve the\n  busiest minute.\n";
    assert_ends!(text, last);
    let none: [Value; 0] = [];
    assert_eq!(document(&minutely, FROM)["suggestions"].items(), none);
}

/// Three CronJobs ran at 00:19. `c` is still running, and `a` has a deadline of an hour. The new minutes are 55, 51
/// and 46, and it is 00:52.
#[test]
fn extra_runs_are_shown_in_every_format() {
    let ran = |name: &str, more: &str, active: &str| {
        let status = "status: {lastScheduleTime: \"2026-03-10T00:19:00Z\", active: [";
        let status = format!("{status}{active}]}}\n---\n");
        cron_job("shop", name, "19 0 * * *", more).replace("---\n", &status)
    };
    let manifests = ran("a", "  startingDeadlineSeconds: 3600\n", "")
        + &ran("b", "", "")
        + &ran("c", "", "{name: c-29551699, namespace: shop, uid: x}")
        + &cron_job("shop", "d", "19 0 * * *", "");
    let now = "--now=2026-03-10T00:52:00Z";
    let found = document(&manifests, now);
    let extra: Vec<(&str, &Value)> = found["suggestions"]
        .items()
        .iter()
        .map(|one| (one["name"].text(), &one["extraRun"]))
        .collect();
    let run = |kind: &str, scheduled: &str, name: &str, starts: &str, running: &[&str]| {
        json!({
            "kind": kind, "scheduledTime": scheduled, "jobName": name, "startsAt": starts, "running": running,
        })
    };
    let [first, second, third] = [46, 51, 55].map(|minute| format!("2026-03-10T00:{minute}:00Z"));
    let tomorrow = "2026-03-11T00:19:00Z";
    let a = run("repeated", &third, "a-29551735", &third, &[]);
    let b = run("retroactive", &second, "b-29551731", tomorrow, &[]);
    let c = run(
        "retroactive",
        &first,
        "c-29551726",
        tomorrow,
        &["c-29551699"],
    );
    assert_eq!(extra, [("a", &a), ("b", &b), ("c", &c)]);
    let expected = json!({"repeated": 1, "retroactive": 2, "quietAt": null});
    assert_eq!(found["applying"], expected);
    let text = load(&manifests, now).fine();
    let (_, applying) = text.split_once("  If applied now, ").unwrap();
    insta::assert_snapshot!(applying);
}

/// With deadlines there are times at which nothing runs twice: an hour after the new minute.
#[test]
fn time_without_extra_runs_is_proposed() {
    let bounded = |name: &str| {
        let deadline = "  startingDeadlineSeconds: 3600\n";
        let status = "status: {lastScheduleTime: \"2026-03-10T00:19:00Z\"}\n---\n";
        cron_job("shop", name, "19 0 * * *", deadline).replace("---\n", status)
    };
    let manifests = bounded("a") + &bounded("b");
    let soon = document(&manifests, "--now=2026-03-10T00:21:00Z");
    assert_eq!(soon["suggestions"][0]["newSchedule"], "51 0 * * *");
    let expected = json!({"repeated": 1, "retroactive": 0, "quietAt": "2026-03-10T01:52:00Z"});
    assert_eq!(soon["applying"], expected);
    let at_noon = "--now=2026-03-10T12:00:00Z";
    let expected = json!({"repeated": 0, "retroactive": 0, "quietAt": null});
    assert_eq!(document(&manifests, at_noon)["applying"], expected);
    let text = load(&manifests, at_noon).fine();
    assert_contains!(text, "\n  Applying it now starts no extra runs.\n");
}

/// The state of a CronJob when its manifest is applied is unknown.
#[test]
fn manifests_have_no_extra_runs() {
    let manifests = (cron_job("shop", "a", "0 2 * * *", "")
        + &cron_job("shop", "b", "0 2 * * *", ""))
        .replace(", creationTimestamp: \"2026-03-01T23:30:00Z\"", "");
    let found = document(&manifests, FROM);
    let expected = (1, &Value::Null);
    assert_eq!(
        (found["suggestions"].items().len(), &found["applying"]),
        expected
    );
}
