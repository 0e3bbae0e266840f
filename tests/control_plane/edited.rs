//! A schedule that is changed: the controller does not sync immediately, and then counts back.

use crate::control_plane::cases::start_sentinels;
use crate::control_plane::prelude::*;

#[test]
fn edited_schedule_starts_its_missed_run_with_the_next_sync() {
    let ns = namespace!("edited");
    let clock = ns.clock;
    ns.create(
        "moved",
        &json!({"schedule": clock.hourly(10), "timeZone": "Etc/UTC"}),
    );
    ns.set_last("moved", clock.minutes_ago(10));
    // The controller has looked at it as it is.
    let mut events = ns.api.events("edited");
    start_sentinels(&ns, "before", &mut events);

    // The new schedule had a run after the last start.
    let schedule = clock.hourly(5);
    let change = format!("schedule={schedule}");
    let explained = ns.explain("moved", ["--what-if", &change]);
    let effect = &explained["whatIf"]["effect"];
    // The wake-up that is in the queue comes first, five minutes before that of the new schedule.
    let old_slot = clock.hours_and_minutes_ago(-1, 10);
    assert_eq!(moment(&effect["syncsAt"]).as_second(), old_slot.as_second());
    assert_eq!(effect["syncsAt"], effect["oldWake"]);
    assert_eq!(effect["events"], json!([]));
    assert_eq!(effect["retroactive"], true);
    let job = job_name("moved", clock.minutes_ago(5));
    for decision in [&explained["whatIf"]["decision"], &effect["decisionThen"]] {
        let expected = (&json!("start"), &json!(job));
        assert_eq!((&decision["outcome"], &decision["jobName"]), expected);
    }

    let log = ns.plane.log();
    ns.edit("moved", &json!({"spec": {"schedule": schedule}}));
    let recorded = start_sentinels(&ns, "after", &mut events);
    let about = |event: &&Value| event["involvedObject"]["name"] == "moved";
    assert_eq!(recorded.iter().find(about), None);
    assert_eq!(log.syncs("edited", "moved"), []);

    // Whatever makes it look: the run of before the edit is started.
    ns.annotate("moved");
    let started = events.up_to("SuccessfulCreate", "moved").pop().unwrap();
    assert_eq!(started["message"], format!("Created job {job}"));
}

fn moment(text: &Value) -> Timestamp {
    text.text().parse().unwrap()
}
