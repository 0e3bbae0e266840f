//! An edited schedule: the controller does not sync immediately, and its next sync also considers runs before the edit.

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
    // The controller has synced the CronJob before the edit.
    let mut events = ns.api.events("edited");
    start_sentinels(&ns, "before", &mut events);

    // The new schedule had a run after the last start.
    let schedule = clock.hourly(5);
    let change = format!("schedule={schedule}");
    let explained = ns.explain("moved", ["--what-if", &change]);
    let effect = &explained["whatIf"]["effect"];
    // The sync that is already queued is first, five minutes before that of the new schedule.
    let old_scheduled_time = clock.hours_and_minutes_ago(-1, 10);
    assert_eq!(
        moment(&effect["syncsAt"]).as_second(),
        old_scheduled_time.as_second()
    );
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

    // Any change makes the controller sync, which starts the run from before the edit.
    ns.annotate("moved");
    let started = events.up_to("SuccessfulCreate", "moved").pop().unwrap();
    assert_eq!(started["message"], format!("Created job {job}"));
}

fn moment(text: &Value) -> Timestamp {
    text.text().parse().unwrap()
}
