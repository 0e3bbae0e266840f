//! A proposal of `load` that is applied: which extra runs start, and which do not.

use crate::control_plane::cases::start_sentinels;
use crate::control_plane::prelude::*;

const LOAD: [&str; 5] = ["load", "a-settled", "b-fresh", "c-settled", "d-guard"];

/// Three CronJobs were due five minutes ago. Another one was due three minutes later, and they must not overtake it.
/// Two of the three are moved, by one minute and by two. One of these two was created since, and the other one has run.
#[test]
fn applied_proposal_causes_the_predicted_extra_run() {
    let ns = namespace!("spreading");
    let clock = ns.clock;
    // They are moved within their hour.
    let due = if clock.minute(5) < 58 { 5 } else { 8 };
    for (name, minutes_ago, has_run) in [
        ("a-settled", due, true),
        ("b-fresh", due, false),
        ("c-settled", due, true),
        ("d-guard", due - 3, true),
    ] {
        ns.create(name, &json!({"schedule": clock.hourly(minutes_ago)}));
        if has_run {
            ns.set_last(name, clock.minutes_ago(minutes_ago));
        }
    }
    // The controller has synced them before the change.
    let mut events = ns.api.events("spreading");
    start_sentinels(&ns, "before", &mut events);

    let document = ns.document(LOAD);
    let moved = document["suggestions"].items();
    let names: Vec<&str> = moved.iter().map(|one| one["name"].text()).collect();
    // Which of them stays depends on their names.
    assert_eq!(names, ["b-fresh", "c-settled"], "{moved:?}");
    assert_eq!(moved[0]["extraRun"], Value::Null);
    let extra = &moved[1]["extraRun"];
    let later = moved[1]["laterSeconds"].as_i64().unwrap() / 60;
    let missed = clock.minutes_ago(due - later);
    let job = job_name("c-settled", missed);
    let expected = json!({
        "kind": "retroactive",
        "scheduledTime": missed,
        "jobName": job,
        "startsAt": clock.minutes_ago(due - 60),
        "running": [],
    });
    assert_eq!(*extra, expected);

    for suggestion in moved {
        ns.edit(suggestion["name"].text(), &suggestion["patch"]);
    }

    // Nothing has started yet. At the next sync, for any reason, one of them starts and the other one does not.
    let mut recorded = start_sentinels(&ns, "after", &mut events);
    for name in ["b-fresh", "c-settled"] {
        ns.annotate(name);
    }
    recorded.retain(|event| {
        let about = event["involvedObject"]["name"].text();
        ["b-fresh", "c-settled"].contains(&about)
    });
    assert_eq!(recorded, [] as [Value; 0]);
    let started = events.up_to("SuccessfulCreate", "c-settled").pop().unwrap();
    assert_eq!(started["message"], format!("Created job {job}"));
    let all = start_sentinels(&ns, "last", &mut events);
    let mut about = all.iter().map(|event| &event["involvedObject"]["name"]);
    assert!(!about.any(|name| name == "b-fresh"), "{all:?}");
}
