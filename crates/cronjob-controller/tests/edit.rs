//! The effects of an edit, derived from `updateCronJob`, `nextScheduleTimeDuration` and the delaying
//! queue of kubernetes/kubernetes, which keeps the earlier of two wake-ups of one object.

use cronjob_controller::controller::{Controller, EditEffect, Model, Outcome, edit_effect};
use jiff::Timestamp;
use kube_model::{CronJob, CronJobStatus, Texts};

use crate::support::model::{at, cron_job};
use crate::support::recorded::controller;
use crate::support::tables::section;

/// Five fields or a macro, and other settings of the spec, as in `0 5 * * *; suspend`.
fn nightly(spec: &str) -> CronJob {
    let mut settings = spec.split("; ");
    let mut nightly = cron_job("nightly", settings.next().unwrap());
    nightly.status.last_schedule_time = Some(at("2026-03-09T23:00:00Z"));
    for setting in settings {
        match setting {
            "suspend" => nightly.spec.suspend = Some(true),
            "deadline" => nightly.spec.starting_deadline_seconds = Some(3600),
            zone => nightly.spec.time_zone = Some(zone.to_owned()),
        }
    }
    nightly
}

fn at_noon(release: &str, old: &str, new: &str) -> EditEffect {
    let (old, new) = (nightly(old), nightly(new));
    edit_effect(&controller(release), &old, &new, &[], at("12:00"))
}

/// The wake-ups of the old and the new schedule, when the controller syncs, and what it does then.
fn summary(effect: &EditEffect) -> String {
    let of_march = |time: Timestamp| time.to_string().replace("2026-03-", "");
    let or_none = |time: Option<Timestamp>| time.map_or_else(|| "-".to_owned(), of_march);
    let [old, new, sync] = [effect.old_wake, effect.new_wake, effect.syncs_at].map(or_none);
    let then = effect.decision_then.as_ref().map(|decision| {
        let scheduled = or_none(decision.scheduled_time);
        format!("{:?} {scheduled}", decision.outcome)
    });
    let then = then.unwrap_or_else(|| "-".to_owned());
    let retroactive = effect.retroactive;
    format!("{old} | {new} | {sync} | {then} | {retroactive}")
}

#[test]
fn edit_has_the_wake_ups_and_the_sync_of_the_release() {
    for (edit, expected) in section("tests/edit.txt", "edits") {
        let [release, old, new] = edit.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{edit}");
        };
        let effect = at_noon(release, old, new);
        assert_eq!(summary(&effect), expected, "{edit}");
    }
}

#[test]
fn edit_explains_when_the_controller_syncs() {
    for (old, new, because) in [
        ("0 23 * * *", "0 5 * * *", "wake-up of the old schedule"),
        (
            "0 5 * * *; suspend",
            "0 1,13 * * *",
            "next run of the new schedule",
        ),
        ("0 23 * * *", "0 13 * * *", "next run of the new schedule"),
        ("0 23 * * *", "0 5 * * 7", "is still queued"),
        ("0 23 * * *", "TZ=UTC", "panics"),
    ] {
        assert_contains!(at_noon("1.36", old, new).because, because);
    }
}

#[test]
fn readable_schedule_has_no_event() {
    for new in ["0 5 * * *", "0 13 * * *; Mars/Base"] {
        assert_eq!(at_noon("1.36", "0 23 * * *", new).events, [], "{new}");
    }
}

#[test]
fn edit_to_an_invalid_schedule_leaves_only_the_old_wake_up() {
    let effect = at_noon("1.36", "0 23 * * *", "0 5 * * 7");
    let [event] = effect.events.as_slice() else {
        panic!("{:?}", effect.events);
    };
    let expected = ("Warning", "UnParseableCronJobSchedule");
    assert_eq!((event.r#type.as_str(), event.reason), expected);
    insta::assert_snapshot!(event.message);
}

#[test]
fn suspending_leaves_no_wake_up() {
    let effect = at_noon("1.36", "0 23 * * *", "0 23 * * *; suspend");
    assert_eq!(effect.decision_then.unwrap().requeue_after, None);
}

/// The server writes nothing, and only the earlier wake-up remains. A manifest has no status, which does
/// not count as a change.
#[test]
fn edit_that_changes_nothing_adds_no_wake_up() {
    let mut manifest = nightly("0 23 * * *");
    manifest.status = CronJobStatus::default();
    manifest.creation_timestamp = None;
    let (old, noon) = (nightly("0 23 * * *"), at("12:00"));
    let effect = edit_effect(&controller("1.36"), &old, &manifest, &[], noon);
    assert_eq!(effect.new_wake, None);
    assert_eq!(effect.syncs_at, Some(at("2026-03-10T23:00:00.1Z")));
}

/// The controller is notified of every change of the object, and syncs it.
#[test]
fn edit_of_labels_or_annotations_alone_causes_a_sync() {
    let (old, noon) = (nightly("0 23 * * *"), at("12:00"));
    let texts = || Texts::from_iter([("team".to_owned(), "shop".to_owned())]);
    let labeled = CronJob {
        labels: texts(),
        ..old.clone()
    };
    let annotated = CronJob {
        annotations: texts(),
        ..old.clone()
    };
    for new in [labeled, annotated] {
        let effect = edit_effect(&controller("1.36"), &old, &new, &[], noon);
        assert_eq!(effect.new_wake, Some(noon));
        assert_eq!(effect.syncs_at, Some(noon));
        let first_generation = edit_effect(&controller("1.20"), &old, &new, &[], noon);
        assert_eq!(first_generation.new_wake, None);
    }
}

/// In 1.28.0 a search that finds nothing is followed by a wake-up in the past: `0 9 * * 1-5` last
/// ran on Wednesday, and on Sunday the search around the estimate finds no run.
#[test]
fn edit_with_a_wake_up_in_the_past_syncs_immediately() {
    let sunday = at("2026-03-15T12:00:00Z");
    let mut old = nightly("0 23 * * *; suspend");
    old.status.last_schedule_time = Some(at("2026-03-11T09:00:00Z"));
    let new = nightly("0 9 * * 1-5");
    let effect = edit_effect(&controller("1.28.0"), &old, &new, &[], sunday);
    assert_eq!(effect.new_wake, Some(at("2026-03-12T09:00:00.1Z")));
    assert_eq!(effect.syncs_at, Some(sunday));
    assert_eq!(effect.decision_then.unwrap().outcome, Outcome::NoRunFound);
}

/// Every change triggers a sync of the book's controller. No Job is left that has a scheduled time, so it counts
/// from the creation: ten weeks of 05:00 are 69 runs.
#[test]
fn edit_in_the_kubebuilder_model_syncs_immediately() {
    let tutorial = Controller {
        model: Model::Kubebuilder,
        ..controller("1.36")
    };
    let (old, new) = (nightly("0 23 * * *"), nightly("0 5 * * *"));
    let effect = edit_effect(&tutorial, &old, &new, &[], at("12:00"));
    assert_eq!(effect.syncs_at, Some(at("12:00")));
    assert_eq!(effect.old_wake, Some(at("23:00")));
    let decision = effect.decision_then.unwrap();
    assert_eq!(decision.missed.unwrap().estimate, Some(69));
    assert!(effect.retroactive);
}
