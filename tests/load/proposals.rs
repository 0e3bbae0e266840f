//! The proposal, through the real binary.

use serde_json::{Value, json};

use super::{cron_job, document, load};

const WEEK: [&str; 1] = ["--from=2026-03-02T00:00:00Z"];

/// Names and new schedules.
fn suggested(document: &Value) -> Vec<(&str, &str)> {
    let all = document["suggestions"].as_array().unwrap().iter();
    all.map(|one| {
        (
            one["name"].as_str().unwrap(),
            one["newSchedule"].as_str().unwrap(),
        )
    })
    .collect()
}

/// Three at 02:00, of which two have to go; the one at 02:20 may wait for them. The first goes to
/// where it is ten minutes from both, the second to the middle of what is left behind it.
#[test]
fn what_waits_for_others_is_not_overtaken() {
    let manifests = cron_job("shop", "a", "0 2 * * *", "")
        + &cron_job("shop", "b", "0 2 * * *", "")
        + &cron_job("shop", "c", "0 2 * * *", "")
        + &cron_job("shop", "report", "20 2 * * *", "");
    let found = document(&manifests, &WEEK);
    assert_eq!(
        suggested(&found),
        [("a", "10 2 * * *"), ("b", "15 2 * * *")]
    );
    assert_eq!(
        found["suggestions"][0],
        json!({
            "namespace": "shop",
            "name": "a",
            "timeZone": null,
            "schedule": "0 2 * * *",
            "newSchedule": "10 2 * * *",
            "laterSeconds": 600,
            "patch": {"spec": {"schedule": "10 2 * * *"}},
            "command": "kubectl -n shop patch cronjob a --type=merge -p '{\"spec\":{\"schedule\":\"10 2 * * *\"}}'",
        })
    );
    assert_eq!(
        found["effect"],
        json!({
            "before": {"mostInAMinute": 3, "lastStartDelaySeconds": 0.1},
            "after": {"mostInAMinute": 1, "lastStartDelaySeconds": 0.1},
        })
    );
    // In another namespace nobody waits for it.
    let apart = manifests.replace(
        "namespace: shop, name: report",
        "namespace: ops, name: report",
    );
    let found = document(&apart, &WEEK);
    let last = suggested(&found)[1];
    assert_eq!(last, ("b", "30 2 * * *"));
}

/// What has a minute to itself, or none to spare, stays; zones and words stay as they are.
#[test]
fn only_minutes_change() {
    let berlin = "  timeZone: Europe/Berlin\n";
    let manifests = cron_job("shop", "macro", "@weekly", berlin)
        + &cron_job("shop", "words", "0  0 * jan-dec SUN", berlin)
        + &cron_job("shop", "steps", "*/20 0 * * *", berlin)
        + &cron_job("shop", "late", "59 0 * * *", berlin)
        + &cron_job("shop", "every", "@every 1h", berlin)
        + &cron_job("shop", "prefix", "TZ=Europe/Berlin @midnight", "");
    let ran = load(&manifests, &[&WEEK[..], &["-o", "json"]].concat());
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
            other => panic!("{other} has nothing to spare: {schedule}"),
        }
    }
    assert_eq!(
        found["effect"]["after"]["mostInAMinute"], 1,
        "{}",
        found["suggestions"]
    );
}

/// 400 in one minute: seven in each of an hour, and none of them late.
#[test]
fn a_herd_is_spread_and_starts_on_time() {
    let all: String = (0..400)
        .map(|index| cron_job("shop", &format!("job-{index:03}"), "0 3 * * *", ""))
        .collect();
    let found = document(&all, &WEEK);
    assert_eq!(found["suggestions"].as_array().unwrap().len(), 393);
    assert_eq!(
        found["effect"],
        json!({
            "before": {"mostInAMinute": 400, "lastStartDelaySeconds": 46.3},
            "after": {"mostInAMinute": 7, "lastStartDelaySeconds": 0.1},
        })
    );
    let fewer = document(&all, &[&WEEK[..], &["--at-most=15"]].concat());
    assert_eq!(fewer["suggestions"].as_array().unwrap().len(), 385);
    assert_eq!(
        fewer["effect"]["after"],
        json!({"mostInAMinute": 15, "lastStartDelaySeconds": 0.2})
    );
}

#[test]
fn commands_are_for_the_cluster_that_was_asked() {
    let manifests =
        cron_job("shop", "a", "0 2 * * *", "") + &cron_job("shop", "--all", "0 2 * * *", "");
    let flags = ["--context=my prod", "--kubeconfig", "clusters.yaml"];
    let arguments = [&WEEK[..], &flags].concat();
    let command = |names: &str| {
        format!(
            "kubectl --kubeconfig clusters.yaml --context 'my prod' -n shop patch cronjob {names}"
        )
    };
    let schedule = r#"'{"spec":{"schedule":"10 2 * * *"}}'"#;
    let expected = [
        command(&format!("a --type=merge -p {schedule}")),
        command(&format!("--type=merge -p {schedule} -- --all")),
    ];
    let patches = load(&manifests, &[&arguments[..], &["-o=patch"]].concat()).fine();
    let patches: Vec<&str> = patches.lines().collect();
    assert_eq!(patches.len(), 1, "{patches:?}");
    assert!(
        expected.iter().any(|command| *command == patches[0]),
        "{patches:?}"
    );
    let found = document(&manifests, &arguments);
    assert_eq!(found["suggestions"][0]["command"], *patches[0]);
    let text = load(&manifests, &arguments).fine();
    assert!(text.contains(patches[0]), "{text}");
}

#[test]
fn where_nothing_helps_nothing_is_proposed() {
    let minutely: String = (0..3)
        .map(|index| cron_job("shop", &format!("job-{index}"), "* * * * *", ""))
        .collect();
    let text = load(&minutely, &WEEK).fine();
    let last = "\nProposal\n  None: no later minutes inside the same hours would make the fullest minute\n  emptier.\n";
    assert!(text.ends_with(last), "{text}");
    assert_eq!(
        load(&minutely, &[&WEEK[..], &["-o=patch"]].concat()).fine(),
        ""
    );
}
