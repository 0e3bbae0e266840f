//! What the controllers of other kinds do with an object.

use cronjob_controller::kinds::{KindExplanation, KindSet, ScheduledObject, find, named};
use kube_cron::BundledZones;

use crate::support::files::yaml;
use crate::support::model::at;

/// An API version and a kind.
type Kind = [&'static str; 2];

const BACKUP: Kind = ["postgresql.cnpg.io/v1", "ScheduledBackup"];
const VELERO: Kind = ["velero.io/v1", "Schedule"];
const WORKFLOW: Kind = ["argoproj.io/v1alpha1", "CronWorkflow"];
const SOURCE: Kind = ["volsync.backube/v1alpha1", "ReplicationSource"];

/// The verdicts about objects with these specs and statuses, and what resuming them does. kubectl finds the kind by `name`.
fn verdicts([version, kind]: Kind, name: &str, cases: &[(&str, &str)]) -> String {
    let kind = find(version, kind).unwrap();
    assert!(named(name) == Some(kind), "{name}");
    let now = at("2026-11-23T18:00:00Z");
    let verdict = |(spec, status): &(&str, &str)| {
        let text = format!(
            "metadata: {{name: a, creationTimestamp: 2026-11-22T12:00:00Z}}\nspec: {spec}\nstatus: {status}\n"
        );
        let object = ScheduledObject::of(kind, &yaml(&text)[0], "shop");
        let explained = KindExplanation::of(&object, now, &BundledZones);
        let texts = [Some(explained.verdict), explained.resuming].into_iter();
        let lines: Vec<String> = texts.flatten().map(|text| format!("  {text}\n")).collect();
        format!("{spec} {status}\n{}", lines.concat())
    };
    cases.iter().map(verdict).collect()
}

#[test]
fn scheduled_backup_counts_from_the_last_check() {
    let nightly = "{schedule: 0 0 2 * * *}";
    let checked = "{lastCheckTime: 2026-11-23T02:00:00Z}";
    let cases = [
        (nightly, checked),
        (nightly, "{lastCheckTime: 2026-11-20T12:00:00Z}"),
        // The first check only records the time.
        (nightly, "{}"),
        ("{schedule: 0 0 2 * * *, immediate: true}", "{}"),
        ("{schedule: 0 0 30 2 *}", checked),
        ("{schedule: 0 0 2 30 2 *}", checked),
        ("{schedule: ''}", checked),
    ];
    insta::assert_snapshot!(verdicts(BACKUP, "scheduledbackup", &cases));
}

#[test]
fn velero_schedule_counts_from_the_last_backup_or_skip() {
    let skipped = "{lastBackup: 2026-11-22T02:30:00Z, lastSkipped: 2026-11-23T08:00:00Z}";
    let cases = [
        // Without a backup it counts from the creation.
        ("{schedule: 30 2 * * *}", "{}"),
        ("{schedule: 30 2 * * *}", skipped),
        ("{schedule: 30 2 * * *, paused: true}", skipped),
        (
            "{schedule: 30 2 * * *, paused: true, skipImmediately: true}",
            "{lastBackup: 2026-11-20T02:30:00Z}",
        ),
        ("{schedule: 0 0 31 2 *}", "{}"),
        ("{schedule: ''}", "{}"),
        ("{schedule: CRON_TZ=Europe/Berlin 0 3 * * *}", skipped),
    ];
    insta::assert_snapshot!(verdicts(VELERO, "schedule", &cases));
}

#[test]
fn cron_workflow_catches_up_within_its_deadline_only() {
    let last = "{lastScheduledTime: 2026-11-23T15:00:00Z}";
    let deadline = "{schedules: [30 * * * *], timezone: UTC, startingDeadlineSeconds: 3600}";
    let cases = [
        ("{schedule: 0 * * * *, timezone: Europe/Berlin}", last),
        (deadline, last),
        ("{schedules: [0 * * * *], timezone: Europe/Berln}", last),
        ("{schedules: [], schedule: 0 * * * *}", last),
        ("{schedule: 0 * * * *}", "{phase: Stopped}"),
        ("{schedule: 5, schedules: {a: b}}", last),
    ];
    insta::assert_snapshot!(verdicts(WORKFLOW, "cronworkflows", &cases));
}

#[test]
fn replication_counts_from_the_end_of_the_last_sync() {
    let hourly = "{trigger: {schedule: 0 * * * *}}";
    let running = "{lastSyncTime: 2026-11-23T17:10:00Z, lastSyncStartTime: 2026-11-23T17:55:00Z}";
    let cases = [
        (hourly, "{}"),
        (hourly, running),
        ("{trigger: {manual: now, schedule: 0 * * * *}}", "{}"),
        ("{trigger: {manual: now}}", "{lastManualSync: now}"),
        ("{trigger: {manual: now}}", running),
        ("{trigger: {schedule: ''}}", "{}"),
        ("{sourcePVC: a}", "{}"),
    ];
    let name = "replicationsources.volsync.backube";
    insta::assert_snapshot!(verdicts(SOURCE, name, &cases));
}

#[test]
fn set_of_kinds_has_those_that_it_is_of() {
    let [backup, velero] = [BACKUP, VELERO].map(|[version, kind]| find(version, kind).unwrap());
    let set = KindSet::of(&[backup]);
    assert!(set.contains(backup) && !set.contains(velero));
    assert_eq!(set.kinds().count(), 1);
    assert_eq!(KindSet::ALL.kinds().count(), 5);
    assert_eq!(KindSet::NONE.kinds().count(), 0);
}
