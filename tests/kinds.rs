//! Schedules of kinds other than `CronJob`, through the real binary.

use crate::support::prelude::*;

const SNAPSHOT: &str = "-f examples/kinds/snapshot.yaml --now=2026-11-23T18:00:00Z";

fn on_snapshot(arguments: impl CommandLine) -> Ran {
    doctor((arguments, SNAPSHOT))
}

/// An API version and a kind.
type Kind = [&'static str; 2];

const BACKUP: Kind = ["postgresql.cnpg.io/v1", "ScheduledBackup"];
const VELERO: Kind = ["velero.io/v1", "Schedule"];
const WORKFLOW: Kind = ["argoproj.io/v1alpha1", "CronWorkflow"];
const SOURCE: Kind = ["volsync.backube/v1alpha1", "ReplicationSource"];
const DESTINATION: Kind = ["volsync.backube/v1alpha1", "ReplicationDestination"];

fn object([version, kind]: Kind, spec: &str, status: &str) -> String {
    format!(
        "apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a, namespace: shop, \
         creationTimestamp: 2026-11-22T12:00:00Z}}\nspec: {spec}\nstatus: {status}\n"
    )
}

/// The library returns no time, which Velero takes for one that is past.
#[test]
fn next_runs_say_that_a_schedule_without_dates_starts_all_the_time() {
    let never = object(VELERO, "{schedule: 0 0 31 2 *}", "{}");
    let text = doctor_with_stdin("next-runs -f -", &never).fine();
    let expected = "February 31 does not exist, so that Velero starts a Backup again and again";
    assert_contains!(text, expected);
}

#[test]
fn next_runs_show_the_kind_of_each_object() {
    insta::assert_snapshot!(on_snapshot("next-runs --count 2").fine());
    let names = on_snapshot("next-runs -o name").fine();
    assert_contains!(names, "scheduledbackup.postgresql.cnpg.io/orders\n");
    let csv = on_snapshot("next-runs --count 1 -o csv").fine();
    assert!(csv.lines().next().unwrap().ends_with(",kind"), "{csv}");
    assert_contains!(csv, ",Schedule\r\n");
    let ics = on_snapshot("next-runs --count 1 -o ics").fine();
    assert_contains!(ics, "SUMMARY:ScheduledBackup shop/orders");
    // It is paused.
    assert_lacks!(ics, "nightly");
}

#[test]
fn kinds_and_selectors_choose_objects() {
    let kinds = |arguments: &str| -> Vec<String> {
        let call = format!("next-runs --count 1 -o json {arguments}");
        let ran = on_snapshot(call);
        assert_eq!(ran.code, 0, "{ran:?}");
        let document = ran.json();
        let kinds = document["items"].texts("kind").into_iter();
        kinds.map(str::to_owned).collect()
    };
    let cases: [(&str, &[&str]); 4] = [
        ("--kinds scheduledbackups", &["CronJob", "ScheduledBackup"]),
        ("-l app=orders", &["ScheduledBackup"]),
        ("-n velero --kinds Schedule,CronWorkflow", &["Schedule"]),
        // A name without a kind is that of a CronJob.
        ("mail", &["CronJob"]),
    ];
    for (arguments, expected) in cases {
        assert_eq!(kinds(arguments), expected, "{arguments}");
    }
    let unknown = on_snapshot("next-runs --kinds cronjobz").refused();
    assert_contains!(unknown, "--kinds: unknown kind \"cronjobz\"");
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
    let counts = ["cronJobs", "otherSchedules", "starts"].map(|count| &load["summary"][count]);
    assert_eq!(counts, [1, 4, 3]);
    let kinds = load["peaks"][0]["cronJobs"].texts("kind");
    assert_eq!(kinds, ["CronJob", "ScheduledBackup"]);
    assert_eq!(load["suggestions"], json!([]));
    let text = on_snapshot("load --for 1d").fine();
    assert_contains!(text, "2 starts due at Tue 02:00");
    assert_contains!(text, "ScheduledBackup shop/orders");
}

#[test]
fn report_has_a_lane_for_each_schedule() {
    let report = on_snapshot("report -o json").json();
    let lanes = report["timeline"]["items"].items();
    let first = [0, 1].map(|index: usize| [&lanes[index]["kind"], &lanes[index]["runs"]]);
    let one = &json!(1);
    let expected = [[&json!("CronJob"), one], [&json!("ScheduledBackup"), one]];
    assert_eq!(first, expected);
    assert_eq!(lanes.len(), 6, "{lanes:?}");
    let page = on_snapshot("report -o html").stdout;
    assert_contains!(page, "ScheduledBackup shop/orders");
}

#[test]
fn other_verbs_say_which_verbs_read_other_kinds() {
    for verb in ["scan", "history", "next-runs", "load", "simulate"] {
        let refusal = on_snapshot(format!("{verb} scheduledbackup/orders")).refused();
        assert_contains!(refusal, "\"scheduledbackup/orders\" is not a CronJob");
        assert_contains!(refusal, "explain KIND/NAME");
    }
    for (names, error) in [
        ("orders mail", "cannot be explained together"),
        ("orders -o wide", "-o wide only works with CronJobs"),
        (
            "none",
            "scheduledbackups.postgresql.cnpg.io \"none\" not found",
        ),
    ] {
        let ran = on_snapshot(format!("explain scheduledbackup/{names}"));
        assert_eq!(ran.code, 2);
        assert_contains!(ran.stderr, error);
    }
}

fn lint(manifest: &str) -> Vec<(String, String)> {
    let call = "lint --severity=info -o json - --now=2026-11-23T18:00:00Z";
    let document = doctor_with_stdin(call, manifest).json();
    let text = |finding: &Value, field: &str| finding[field].text().to_owned();
    let findings = document["findings"].items().iter();
    findings
        .map(|finding| (text(finding, "code"), text(finding, "message")))
        .collect()
}

#[test]
fn lint_words_rejections_as_each_controller() {
    let messages = [
        (BACKUP, "{schedule: 0 1 * * 0}"),
        (BACKUP, "{schedule: \"0 0 2\\t'\\\"\"}"),
        (BACKUP, "{schedule: ''}"),
        (VELERO, "{schedule: '@evry 1h'}"),
        (VELERO, "{schedule: ''}"),
        (VELERO, "{schedule: TZ=UTC}"),
        (VELERO, "{schedule: 5}"),
        (WORKFLOW, "{schedules: [0 1 * * *, 0 24 * * *]}"),
        (WORKFLOW, "{schedules: [0 1 * * *], schedule: 0 2 * * *}"),
        (SOURCE, "{trigger: {schedule: 0 0 1 * * *}}"),
    ]
    .map(|(kind, spec)| {
        let found = lint(&object(kind, spec, "{}"));
        let [(code, message)] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!(code, "CJD801", "{message}");
        message.clone()
    });
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn lint_ignores_placeholders_other_groups_and_valid_manifests() {
    let ignored = "{schedule: 0 2 * * *} # cronjob-doctor: ignore[CJD803] hourly on purpose";
    for (kind, spec) in [
        (SOURCE, "{trigger: {schedule: '${MINUTE} * * * *'}}"),
        (["other.example.com/v1", "Schedule"], "{schedule: never}"),
        (DESTINATION, "{trigger: {manual: once}}"),
        (DESTINATION, "{trigger: {schedule: ''}}"),
        (WORKFLOW, "{schedules: [], schedule: 0 1 * * *}"),
        (WORKFLOW, "{schedule: 0 1 * * *, suspend: true}"),
        (BACKUP, "{schedule: '@daily'}"),
        (BACKUP, ignored),
        // Paused, nothing starts; resumed, no missed run.
        (
            VELERO,
            "{schedule: 0 2 30 2 *, paused: true, skipImmediately: true}",
        ),
        (WORKFLOW, "{schedule: 0 2 30 2 *, suspend: true}"),
    ] {
        assert_eq!(lint(&object(kind, spec, "{}")), [], "{kind:?} {spec}");
    }
}

#[test]
fn lint_reads_typed_lists_and_reports_unreadable_files() {
    let velero = "apiVersion: velero.io/v1\nkind: Schedule";
    let list = format!("{velero}List\nitems: [{{spec: {{schedule: never}}}}]\n");
    let broken = format!("{velero}\nspec:\n  schedule: * 2 * * *\n");
    let template = format!("{velero}\nspec:\n  schedule: {{{{ .Values.a }}}}\n");
    for (manifest, code) in [
        (&list, "CJD801"),
        (&broken, "CJD001"),
        (&template, "CJD002"),
    ] {
        let found = lint(manifest).into_iter().map(|(code, _)| code);
        assert_eq!(found.collect::<Vec<_>>(), [code], "{manifest}");
    }
    let text = doctor_with_stdin("lint -", &list).stdout;
    assert_contains!(text, "--> Schedule (no name)");
}

#[test]
fn hints_of_schedules_are_not_those_of_cron_jobs() {
    for (kind, spec, hint) in [
        (BACKUP, "{schedule: ''}", "use six fields"),
        (VELERO, "{schedule: TZ=UTC}", ""),
        (VELERO, "{schedule: 0 24 * * *}", "hours range from 0 to 23"),
    ] {
        let ran = doctor_with_stdin("next-runs -f -", &object(kind, spec, "{}"));
        assert_eq!(ran.code, 2, "{ran:?}");
        assert_contains!(ran.stderr, hint);
        assert_lacks!(ran.stderr, "five fields");
        assert_lacks!(ran.stderr, "spec.timeZone");
    }
}

#[test]
fn five_fields_of_a_scheduled_backup_are_fixed_with_six() {
    let manifest = object(BACKUP, "{schedule: \"0 2 * * *\"}", "{}");
    let folder = Folder::new("kinds-fixed", &[("a.yaml", &manifest)]);
    doctor_in(&folder, "lint --fix a.yaml");
    let fixed = folder.read("a.yaml");
    assert_contains!(fixed, "{schedule: \"0 0 2 * * *\"}");
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
        // The rule is off by default.
        let config = "--config=examples/lint/next-run-metric-differs/.cronjob-doctor.yaml";
        let call = format!("lint -o json - --now=2026-11-23T18:00:00Z {config}");
        let document = doctor_with_stdin(call, &cron_job(schedule)).json();
        let mut found = document["findings"].items().iter();
        let found = found.find(|finding| finding["code"] == "CJD210");
        found.map(|finding| finding["message"].text().to_owned())
    };
    // At a change of the clock it is a note of the finding about that.
    assert_eq!(message("30 2 * * *"), None);
    let different = ["0 6 13 * 5", "*/60 * * * *"];
    insta::assert_snapshot!(different.map(|one| message(one).unwrap()).join("\n"));
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
