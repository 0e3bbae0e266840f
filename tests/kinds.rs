//! Schedules of kinds other than `CronJob`, through the real binary.

use crate::support::prelude::*;

const SNAPSHOT: &str = "-f examples/kinds/snapshot.yaml --now=2026-11-23T18:00:00Z";

fn on_snapshot(arguments: impl CommandLine) -> Ran {
    doctor((arguments, SNAPSHOT))
}

/// The verdict about an object, with the line about resuming.
fn verdict(manifest: &str, kind: &str) -> Vec<String> {
    let call = format!("explain {kind}/a -f - --now=2026-11-23T18:00:00Z -o json");
    let document = doctor_with_stdin(call, manifest).json();
    let item = &document["items"][0];
    let texts = ["verdict", "resuming"].map(|field| item[field].as_str().map(str::to_owned));
    texts.into_iter().flatten().collect()
}

fn object(version: &str, kind: &str, spec: &str, status: &str) -> String {
    format!(
        "apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a, namespace: shop, \
         creationTimestamp: 2026-11-22T12:00:00Z}}\nspec: {spec}\nstatus: {status}\n"
    )
}

fn backup(spec: &str, status: &str) -> Vec<String> {
    let manifest = object("postgresql.cnpg.io/v1", "ScheduledBackup", spec, status);
    verdict(&manifest, "scheduledbackup")
}

fn velero(spec: &str, status: &str) -> Vec<String> {
    let manifest = object("velero.io/v1", "Schedule", spec, status);
    verdict(&manifest, "schedule")
}

fn workflow(spec: &str, status: &str) -> Vec<String> {
    let manifest = object("argoproj.io/v1alpha1", "CronWorkflow", spec, status);
    verdict(&manifest, "cronworkflows")
}

fn sync(spec: &str, status: &str) -> Vec<String> {
    let manifest = object(
        "volsync.backube/v1alpha1",
        "ReplicationSource",
        spec,
        status,
    );
    verdict(&manifest, "replicationsources.volsync.backube")
}

#[test]
fn scheduled_backup_counts_from_the_last_check() {
    let nightly = "{schedule: 0 0 2 * * *}";
    assert_eq!(
        backup(nightly, "{lastCheckTime: 2026-11-23T02:00:00Z}"),
        ["The next Backup starts at Tue 2026-11-24 02:00 UTC (in 8h)."]
    );
    assert_eq!(
        backup(nightly, "{lastCheckTime: 2026-11-20T12:00:00Z}"),
        [
            "A Backup starts immediately for the run scheduled at Sat 2026-11-21 02:00 UTC (2d16h ago)."
        ]
    );
    // The first check only records the time.
    assert_eq!(
        backup(nightly, "{}"),
        ["The next Backup starts at Tue 2026-11-24 02:00 UTC (in 8h)."]
    );
    assert_eq!(
        backup("{schedule: 0 0 2 * * *, immediate: true}", "{}"),
        ["A Backup starts immediately: it is the first."]
    );
    assert_eq!(
        backup(
            "{schedule: 0 0 30 2 *}",
            "{lastCheckTime: 2026-11-23T02:00:00Z}"
        ),
        [
            "CloudNativePG rejects the schedule, so nothing starts: spec.schedule: Invalid value: \
             \"0 0 30 2 *\": End of range (30) above maximum (23): 30"
        ]
    );
    assert_eq!(
        backup(
            "{schedule: 0 0 2 30 2 *}",
            "{lastCheckTime: 2026-11-23T02:00:00Z}"
        ),
        ["The schedule never matches, so nothing starts."]
    );
}

#[test]
fn velero_schedule_counts_from_the_last_backup_or_skip() {
    let nightly = "{schedule: 30 2 * * *}";
    // Without a backup it counts from the creation.
    assert_eq!(
        velero(nightly, "{}"),
        [
            "A Backup starts immediately, because the run scheduled at Mon 2026-11-23 02:30 UTC \
             (15h ago) was missed."
        ]
    );
    let skipped = "{lastBackup: 2026-11-22T02:30:00Z, lastSkipped: 2026-11-23T08:00:00Z}";
    assert_eq!(
        velero(nightly, skipped),
        ["The next Backup starts at Tue 2026-11-24 02:30 UTC (in 8h)."]
    );
    assert_eq!(
        velero("{schedule: 30 2 * * *, paused: true}", skipped),
        [
            "Nothing runs, because spec.paused is true.",
            "The next Backup starts at Tue 2026-11-24 02:30 UTC (in 8h)."
        ]
    );
    assert_eq!(
        velero("{schedule: 0 0 31 2 *}", "{}"),
        ["The schedule never matches, and Velero starts a Backup again and again."]
    );
    assert_eq!(
        velero("{schedule: CRON_TZ=Europe/Berlin 0 3 * * *}", skipped),
        ["The next Backup starts at Tue 2026-11-24 03:00 Europe/Berlin (in 8h)."]
    );
}

#[test]
fn cron_workflow_catches_up_within_its_deadline_only() {
    let last = "{lastScheduledTime: 2026-11-23T15:00:00Z}";
    assert_eq!(
        workflow("{schedule: 0 * * * *, timezone: Europe/Berlin}", last),
        ["The next Workflow starts at Mon 2026-11-23 20:00 Europe/Berlin (in 60m)."]
    );
    assert_eq!(
        workflow(
            "{schedules: [30 * * * *], timezone: UTC, startingDeadlineSeconds: 3600}",
            last
        ),
        [
            "A Workflow starts immediately for the run scheduled at Mon 2026-11-23 17:30 UTC (30m ago)."
        ]
    );
    assert_eq!(
        workflow("{schedules: [0 * * * *], timezone: Europe/Berln}", last),
        [
            "Argo Workflows rejects the schedule, so nothing starts: invalid timezone \
             \"Europe/Berln\": unknown time zone Europe/Berln"
        ]
    );
}

#[test]
fn replication_counts_from_the_end_of_the_last_sync() {
    let hourly = "{trigger: {schedule: 0 * * * *}}";
    assert_eq!(
        sync(hourly, "{}"),
        ["A sync starts immediately: it is the first."]
    );
    assert_eq!(
        sync(
            hourly,
            "{lastSyncTime: 2026-11-23T17:10:00Z, lastSyncStartTime: 2026-11-23T17:55:00Z}"
        ),
        ["A sync has been running since Mon 2026-11-23 17:55 UTC."]
    );
    assert_eq!(
        sync("{trigger: {manual: now, schedule: 0 * * * *}}", "{}"),
        ["A sync starts only when spec.trigger.manual changes; schedules are ignored."]
    );
    assert_eq!(
        sync("{sourcePVC: a}", "{}"),
        ["No trigger: a sync starts as soon as the previous one has ended."]
    );
}

#[test]
fn next_runs_show_the_kind_of_each_object() {
    insta::assert_snapshot!(on_snapshot("next-runs --count 2").fine());
    let names = on_snapshot("next-runs -o name").fine();
    assert!(
        names.contains("scheduledbackup.postgresql.cnpg.io/orders\n"),
        "{names}"
    );
    let csv = on_snapshot("next-runs --count 1 -o csv").fine();
    assert!(csv.lines().next().unwrap().ends_with(",kind"), "{csv}");
    assert!(csv.lines().any(|line| line.ends_with(",Schedule")), "{csv}");
    let ics = on_snapshot("next-runs --count 1 -o ics").fine();
    assert!(ics.contains("SUMMARY:ScheduledBackup shop/orders"), "{ics}");
    assert!(!ics.contains("nightly"), "it is paused: {ics}");
}

#[test]
fn kinds_and_selectors_choose_objects() {
    let kinds = |arguments: &str| -> Vec<String> {
        let call = format!("next-runs --count 1 -o json {arguments}");
        let document = on_snapshot(call).json();
        let items = document["items"].as_array().unwrap().iter();
        items
            .map(|item| item["kind"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        kinds("--kinds scheduledbackups"),
        ["CronJob", "ScheduledBackup"]
    );
    assert_eq!(kinds("-l app=orders"), ["ScheduledBackup"]);
    assert_eq!(
        kinds("-n velero --kinds Schedule,CronWorkflow"),
        ["Schedule"]
    );
    assert_eq!(kinds("mail"), ["CronJob"], "a name is that of a CronJob");
    let unknown = on_snapshot("next-runs --kinds cronjobz");
    assert_eq!(unknown.code, 2);
    assert!(
        unknown
            .stderr
            .contains("--kinds: unknown kind \"cronjobz\""),
        "{unknown:?}"
    );
}

#[test]
fn explanation_of_each_kind() {
    let names = "scheduledbackup/orders schedules.velero.io/nightly cronworkflow/report \
                 replicationsource/uploads replicationdestination/restored";
    insta::assert_snapshot!(on_snapshot(format!("explain {names}")).fine());
}

#[test]
fn load_counts_all_kinds_and_moves_only_cron_jobs() {
    let load = on_snapshot("load --for 1d -o json").json();
    let summary = &load["summary"];
    assert_eq!(
        (&summary["cronJobs"], &summary["otherSchedules"]),
        (&1.into(), &4.into())
    );
    assert_eq!(summary["starts"], 3, "{summary}");
    let peak = &load["peaks"][0]["cronJobs"];
    let kinds: Vec<&str> = peak
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["CronJob", "ScheduledBackup"]);
    assert_eq!(load["suggestions"].as_array().unwrap().len(), 0);
    let text = on_snapshot("load --for 1d").fine();
    assert!(
        text.contains("2 starts due at Tue 2026-11-24 02:00 UTC"),
        "{text}"
    );
    assert!(text.contains("ScheduledBackup shop/orders"), "{text}");
}

#[test]
fn report_has_a_lane_for_each_schedule() {
    let report = on_snapshot("report -o json").json();
    let lanes = report["timeline"]["items"].as_array().unwrap();
    let lane = |index: usize| {
        (
            lanes[index]["kind"].as_str().unwrap(),
            lanes[index]["runs"].as_u64(),
        )
    };
    assert_eq!(lane(0), ("CronJob", Some(1)));
    assert_eq!(lanes.len(), 6, "{lanes:?}");
    assert_eq!(lane(1), ("ScheduledBackup", Some(1)));
    let page = on_snapshot("report -o html");
    assert!(page.stdout.contains("ScheduledBackup shop/orders"));
}

#[test]
fn other_verbs_say_which_verbs_read_other_kinds() {
    for verb in ["scan", "history", "next-runs", "load", "simulate"] {
        let ran = on_snapshot(format!("{verb} scheduledbackup/orders"));
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{verb}: {ran:?}");
        assert!(
            ran.stderr
                .contains("\"scheduledbackup/orders\" is not a CronJob"),
            "{ran:?}"
        );
        assert!(ran.stderr.contains("explain KIND/NAME"), "{ran:?}");
    }
    for (names, error) in [
        (
            "scheduledbackup/orders mail",
            "cannot be explained together",
        ),
        (
            "scheduledbackup/orders --brief",
            "--brief only works with CronJobs",
        ),
        ("schedule/none", "schedules.velero.io \"none\" not found"),
    ] {
        let ran = on_snapshot(format!("explain {names}"));
        assert!(ran.code == 2 && ran.stderr.contains(error), "{ran:?}");
    }
}

fn lint(manifest: &str) -> Vec<(String, String)> {
    let ran = doctor_with_stdin(
        "lint --severity=info -o json - --now=2026-11-23T18:00:00Z",
        manifest,
    );
    let document = ran.json();
    let findings = document["findings"].as_array().unwrap().iter();
    let text =
        |finding: &serde_json::Value, field: &str| finding[field].as_str().unwrap().to_owned();
    findings
        .map(|finding| (text(finding, "code"), text(finding, "message")))
        .collect()
}

#[test]
fn lint_words_rejections_as_each_controller() {
    let rejected = |version: &str, kind: &str, spec: &str| {
        let found = lint(&object(version, kind, spec, "{}"));
        let [(code, message)] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!(code, "CJD801", "{message}");
        message.clone()
    };
    assert_eq!(
        rejected(
            "postgresql.cnpg.io/v1",
            "ScheduledBackup",
            "{schedule: 0 1 * * 0}"
        ),
        "CloudNativePG rejects it: spec.schedule: Invalid value: \"0 1 * * 0\": Beginning of range \
         (0) below minimum (1): 0"
    );
    assert_eq!(
        rejected("velero.io/v1", "Schedule", "{schedule: '@evry 1h'}"),
        "Velero rejects it: invalid schedule: unrecognized descriptor: @evry 1h"
    );
    assert_eq!(
        rejected(
            "argoproj.io/v1alpha1",
            "CronWorkflow",
            "{schedules: [0 1 * * *, 0 24 * * *]}"
        ),
        "Argo Workflows rejects it: cron schedule 0 24 * * * is malformed: end of range (24) above \
         maximum (23): 24"
    );
    assert_eq!(
        rejected(
            "volsync.backube/v1alpha1",
            "ReplicationSource",
            "{trigger: {schedule: 0 0 1 * * *}}"
        ),
        "VolSync rejects it: expected exactly 5 fields, found 6: [0 0 1 * * *]"
    );
}

#[test]
fn lint_leaves_placeholders_other_groups_and_right_manifests_alone() {
    let silent = |manifest: &str| assert_eq!(lint(manifest), [], "{manifest}");
    silent(&object(
        "volsync.backube/v1alpha1",
        "ReplicationSource",
        "{trigger: {schedule: '${MINUTE} * * * *'}}",
        "{}",
    ));
    silent(&object(
        "other.example.com/v1",
        "Schedule",
        "{schedule: never}",
        "{}",
    ));
    silent(&object(
        "volsync.backube/v1alpha1",
        "ReplicationDestination",
        "{trigger: {manual: once}}",
        "{}",
    ));
    silent(&object(
        "argoproj.io/v1alpha1",
        "CronWorkflow",
        "{schedule: 0 1 * * *, suspend: true}",
        "{}",
    ));
    silent(&object(
        "postgresql.cnpg.io/v1",
        "ScheduledBackup",
        "{schedule: '@daily'}",
        "{}",
    ));
    let ignored = object(
        "postgresql.cnpg.io/v1",
        "ScheduledBackup",
        "{schedule: 0 2 * * *} # cronjob-doctor: ignore[CJD803] hourly on purpose",
        "{}",
    );
    silent(&ignored);
}

#[test]
fn five_fields_of_a_scheduled_backup_are_fixed_with_six() {
    let manifest = "apiVersion: postgresql.cnpg.io/v1\nkind: ScheduledBackup\nmetadata:\n  name: a\nspec:\n  schedule: \"0 2 * * *\"\n";
    assert_eq!(
        lint(manifest),
        [(
            "CJD803".to_owned(),
            "it runs at minute 2 past every hour".to_owned()
        )]
    );
    let folder = Folder::new("kinds-fixed", &[("a.yaml", manifest)]);
    doctor_in(&folder, "lint --fix a.yaml");
    let fixed = folder.read("a.yaml");
    assert!(fixed.contains("schedule: \"0 0 2 * * *\""), "{fixed:?}");
}

fn cron_job(schedule: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: a, namespace: shop}}\nspec: {{schedule: '{schedule}', timeZone: Europe/Berlin, \
         startingDeadlineSeconds: 300, concurrencyPolicy: Forbid, jobTemplate: {{spec: {{activeDeadlineSeconds: 600, template: {{spec: {{restartPolicy: Never, \
         containers: [{{name: a, image: 'registry.example.com/a:1'}}]}}}}}}}}}}\n"
    )
}

#[test]
fn next_run_of_kube_state_metrics_is_compared() {
    let message = |schedule: &str| {
        let found = lint(&cron_job(schedule)).into_iter();
        let mut found = found.filter(|(code, _)| code == "CJD210");
        found.next().map(|(_, message)| message)
    };
    assert_eq!(
        message("0 6 13 * 5").unwrap(),
        "kube-state-metrics 2.19 and later report Fri 2027-08-13 06:00 Europe/Berlin as a next run, \
         and the controller starts it Fri 2026-11-27 06:00 Europe/Berlin"
    );
    assert_eq!(
        message("*/60 * * * *").unwrap(),
        "kube-state-metrics 2.19 and later report no next run: step (60) must be less than range \
         size (60): \"*/60\""
    );
    assert!(
        message("30 2 * * *")
            .unwrap()
            .contains("Sun 2027-03-28 03:30")
    );
    for same in [
        "0 6 * * *",
        "*/15 * * * *",
        "30 3 * * 1-5",
        "@daily",
        "@every 1h",
    ] {
        assert_eq!(message(same), None, "{same}");
    }
}
