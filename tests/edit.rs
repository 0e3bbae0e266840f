//! What an edit leads to. Worked by hand from `updateCronJob`, `nextScheduleTimeDuration` and the
//! delaying queue of kubernetes/kubernetes, which keeps the earlier of two wake-ups of one object.

use cronjob_doctor::internals::controller::{Controller, EditEffect, Model, Outcome, edit_effect};
use cronjob_doctor::internals::model::{CronJob, CronJobSpec, CronJobStatus};
use jiff::Timestamp;

use crate::support::recorded::controller;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn nightly(schedule: &str) -> CronJob {
    CronJob {
        namespace: "shop".to_owned(),
        name: "nightly".to_owned(),
        uid: "uid".to_owned(),
        creation_timestamp: Some(at("2026-01-01T00:00:00Z")),
        spec: CronJobSpec {
            schedule: schedule.to_owned(),
            ..CronJobSpec::default()
        },
        status: CronJobStatus {
            last_schedule_time: Some(at("2026-03-09T23:00:00Z")),
            ..CronJobStatus::default()
        },
        ..CronJob::default()
    }
}

fn with(schedule: &str, change: impl FnOnce(&mut CronJobSpec)) -> CronJob {
    let mut cron_job = nightly(schedule);
    change(&mut cron_job.spec);
    cron_job
}

const NOON: &str = "2026-03-10T12:00:00Z";

fn at_noon(release: &str, old: &CronJob, new: &CronJob) -> EditEffect {
    edit_effect(&controller(release), old, new, &[], at(NOON))
}

/// kubernetes/kubernetes#130838: 23:00 is changed to 05:00 at noon. The wake-up for 23:00 is still
/// in the queue, and 05:00 of that day lies between the last start and then.
#[test]
fn a_slot_earlier_that_day_is_started_in_the_evening() {
    let effect = at_noon("1.36", &nightly("0 23 * * *"), &nightly("0 5 * * *"));
    assert_eq!(effect.old_wake, Some(at("2026-03-10T23:00:00.1Z")));
    assert_eq!(effect.new_wake, Some(at("2026-03-11T05:00:00.1Z")));
    assert_eq!(effect.syncs_at, effect.old_wake);
    assert!(effect.because.contains("wake-up of the old schedule"));
    let decision = effect.decision_then.unwrap();
    assert_eq!(decision.outcome, Outcome::Start);
    assert_eq!(decision.scheduled_time, Some(at("2026-03-10T05:00:00Z")));
    assert!(effect.retroactive);
    assert_eq!(effect.events, []);
}

/// A deadline is the way out: at 23:00 the slot of 05:00 is too old.
#[test]
fn a_deadline_keeps_the_old_slot_from_being_started() {
    let deadline = |spec: &mut CronJobSpec| spec.starting_deadline_seconds = Some(3600);
    let (old, new) = (with("0 23 * * *", deadline), with("0 5 * * *", deadline));
    let effect = at_noon("1.36", &old, &new);
    assert_eq!(effect.syncs_at, Some(at("2026-03-10T23:00:00.1Z")));
    assert_eq!(effect.decision_then.unwrap().outcome, Outcome::Wait);
    assert!(!effect.retroactive);
}

/// To 13:00: the new wake-up is the earlier one, and nothing surprising happens.
#[test]
fn a_slot_later_that_day_is_started_when_it_is_due() {
    let effect = at_noon("1.36", &nightly("0 23 * * *"), &nightly("0 13 * * *"));
    assert_eq!(effect.new_wake, Some(at("2026-03-10T13:00:00.1Z")));
    assert_eq!(effect.syncs_at, effect.new_wake);
    let decision = effect.decision_then.unwrap();
    assert_eq!(decision.scheduled_time, Some(at("2026-03-10T13:00:00Z")));
    assert!(!effect.retroactive);
}

/// 23:00 in Tokyo is 14:00 UTC. Since yesterday 23:00 UTC there has been no such slot, so that the
/// new wake-up is that of 14:00 today.
#[test]
fn a_time_zone_counts_as_the_schedule_where_the_field_exists() {
    let tokyo = with("0 23 * * *", |spec| {
        spec.time_zone = Some("Asia/Tokyo".to_owned());
    });
    let effect = at_noon("1.36", &nightly("0 23 * * *"), &tokyo);
    assert_eq!(effect.syncs_at, Some(at("2026-03-10T14:00:00.1Z")));
    // The field is dropped in 1.24, and what remains makes the controller look at once.
    let effect = at_noon("1.24", &nightly("0 23 * * *"), &tokyo);
    assert_eq!(effect.syncs_at, Some(at(NOON)));
}

/// The handler goes on without a zone that it does not know: 13:00 UTC. The look then stops.
#[test]
fn an_unknown_time_zone_is_left_out_by_the_handler() {
    let mars = with("0 13 * * *", |spec| {
        spec.time_zone = Some("Mars/Base".to_owned());
    });
    let effect = at_noon("1.36", &nightly("0 23 * * *"), &mars);
    assert_eq!(effect.syncs_at, Some(at("2026-03-10T13:00:00.1Z")));
    assert_eq!(effect.events, []);
    assert_eq!(
        effect.decision_then.unwrap().outcome,
        Outcome::UnknownTimeZone
    );
}

#[test]
fn an_unreadable_schedule_leaves_only_the_old_wake_up() {
    let effect = at_noon("1.36", &nightly("0 23 * * *"), &nightly("0 5 * * 7"));
    let [event] = effect.events.as_slice() else {
        panic!("{:?}", effect.events);
    };
    let expected = ("Warning", "UnParseableCronJobSchedule");
    assert_eq!((event.r#type.as_str(), event.reason), expected);
    insta::assert_snapshot!(event.message);
    assert_eq!(effect.new_wake, None);
    assert_eq!(effect.syncs_at, Some(at("2026-03-10T23:00:00.1Z")));
    assert_eq!(
        effect.decision_then.unwrap().outcome,
        Outcome::UnparseableSchedule
    );
}

#[test]
fn a_schedule_that_panics_ends_the_controller_manager() {
    let effect = at_noon("1.36", &nightly("0 23 * * *"), &nightly("TZ=UTC"));
    assert_eq!((effect.syncs_at, effect.decision_then), (None, None));
    assert!(effect.because.contains("panics"));
}

/// Resumed at noon, and 05:00 was missed: it is started at once.
#[test]
fn resuming_looks_at_once_and_starts_what_was_missed() {
    let suspended = with("0 5 * * *", |spec| spec.suspend = Some(true));
    let effect = at_noon("1.36", &suspended, &nightly("0 5 * * *"));
    assert_eq!((effect.old_wake, effect.syncs_at), (None, Some(at(NOON))));
    let decision = effect.decision_then.unwrap();
    assert_eq!(decision.scheduled_time, Some(at("2026-03-10T05:00:00Z")));
    assert!(effect.retroactive);
}

/// Resumed with a new schedule in one edit: nobody is awake before the next slot of the new one.
/// At 13:00 the slot of 13:00 is the most recent one.
#[test]
fn resuming_with_a_new_schedule_waits_for_its_next_slot() {
    let suspended = with("0 5 * * *", |spec| spec.suspend = Some(true));
    let effect = at_noon("1.36", &suspended, &nightly("0 1,13 * * *"));
    assert_eq!(effect.syncs_at, Some(at("2026-03-10T13:00:00.1Z")));
    assert!(effect.because.contains("next run of the new schedule"));
    let decision = effect.decision_then.unwrap();
    assert_eq!(decision.scheduled_time, Some(at("2026-03-10T13:00:00Z")));
    assert!(!effect.retroactive);
}

#[test]
fn suspending_looks_at_once_and_stops() {
    let suspended = with("0 23 * * *", |spec| spec.suspend = Some(true));
    let effect = at_noon("1.36", &nightly("0 23 * * *"), &suspended);
    assert_eq!(effect.syncs_at, Some(at(NOON)));
    let decision = effect.decision_then.unwrap();
    assert_eq!(
        (decision.outcome, decision.requeue_after),
        (Outcome::Suspended, None)
    );
}

/// The server writes nothing, and the wake-up of before is all there is. A manifest has no status:
/// it is not what the edit changes.
#[test]
fn an_edit_that_changes_nothing_is_not_heard_of() {
    let mut manifest = nightly("0 23 * * *");
    manifest.status = CronJobStatus::default();
    manifest.creation_timestamp = None;
    let effect = at_noon("1.36", &nightly("0 23 * * *"), &manifest);
    assert_eq!(effect.new_wake, None);
    assert_eq!(effect.syncs_at, Some(at("2026-03-10T23:00:00.1Z")));
}

/// The old generation lists everything within ten seconds, and does not wait for 23:00.
#[test]
fn the_first_generation_starts_the_old_slot_within_seconds() {
    let effect = at_noon("1.19", &nightly("0 23 * * *"), &nightly("0 5 * * *"));
    assert_eq!(effect.syncs_at, Some(at("2026-03-10T12:00:10Z")));
    assert_eq!((effect.old_wake, effect.new_wake), (None, None));
    assert!(effect.retroactive);
}

/// 1.21 to 1.24 reckon from now rather than from the most recent slot; here it comes to the same.
#[test]
fn the_releases_before_1_25_add_the_same_wake_up() {
    let effect = at_noon("1.22", &nightly("0 23 * * *"), &nightly("0 5 * * *"));
    assert_eq!(effect.new_wake, Some(at("2026-03-11T05:00:00.1Z")));
    assert!(effect.retroactive);
}

/// In 1.28.0 a search that finds nothing is followed by a wake-up in the past: `0 9 * * 1-5` last
/// ran on Wednesday, and on Sunday the look around the estimate finds no slot.
#[test]
fn a_wake_up_in_the_past_is_due_at_once() {
    let sunday = at("2026-03-15T12:00:00Z");
    let mut old = nightly("0 23 * * *");
    old.spec.suspend = Some(true);
    old.status.last_schedule_time = Some(at("2026-03-11T09:00:00Z"));
    let new = nightly("0 9 * * 1-5");
    let effect = edit_effect(&controller("1.28.0"), &old, &new, &[], sunday);
    assert_eq!(effect.new_wake, Some(at("2026-03-12T09:00:00.1Z")));
    assert_eq!(effect.syncs_at, Some(sunday));
    assert_eq!(effect.decision_then.unwrap().outcome, Outcome::NoRunFound);
}

/// Every change reaches the book's controller at once. No Job is left that knows its slot, so that
/// it reckons from the creation: ten weeks of 05:00 are 69 slots.
#[test]
fn the_tutorial_looks_at_once() {
    let tutorial = Controller {
        model: Model::Kubebuilder,
        ..controller("1.36")
    };
    let (old, new) = (nightly("0 23 * * *"), nightly("0 5 * * *"));
    let effect = edit_effect(&tutorial, &old, &new, &[], at(NOON));
    assert_eq!(effect.syncs_at, Some(at(NOON)));
    assert_eq!(effect.old_wake, Some(at("2026-03-10T23:00:00Z")));
    let decision = effect.decision_then.unwrap();
    assert_eq!(decision.missed.unwrap().estimate, Some(69));
    assert!(effect.retroactive);
}
