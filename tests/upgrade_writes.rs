//! What the API server of another version answers differently when a CronJob is written.

use crate::support::prelude::*;

const TEMPLATE: &str = "  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: busybox}]}}}}\n";

fn manifest(version: &str, name: &str, spec: &str) -> String {
    format!(
        "apiVersion: {version}\nkind: CronJob\nmetadata: {{namespace: shop, name: {name}}}\nspec:\n{spec}---\n"
    )
}

fn with_template(version: &str, name: &str, spec: &str) -> String {
    manifest(version, name, &format!("{spec}{TEMPLATE}"))
}

/// The changes of the first CronJob, from both commands, which must agree.
fn changes(manifest: &str, old: &str, new: &str) -> Value {
    let old = format!("--kubernetes-version={old}");
    let new = format!("--compare={new}");
    let shared = ["-f", "-", "-q", "--tzdb=bundled", "-o", "json", &old, &new];
    let of = |verb: &[&str]| {
        let ran = doctor_with_stdin([verb, &shared].concat(), manifest);
        let document: Value = serde_json::from_str(&ran.fine()).unwrap();
        document["items"][0]["writes"].clone()
    };
    let explained = of(&["explain", "--now=2026-03-02T00:00:00Z"]);
    let simulated = of(&["simulate", "--from=2026-03-02T00:00:00Z", "--for=1d"]);
    assert_eq!(explained, simulated);
    explained
}

#[test]
fn ordinary_manifest_is_answered_the_same() {
    let manifest = with_template("batch/v1", "plain", "  schedule: 0 2 * * *\n");
    assert_eq!(changes(&manifest, "1.26", "1.36"), json!([]));
    let manifest = with_template("batch/v1", "dotted.name", "  schedule: 0 2 * * *\n");
    assert_eq!(changes(&manifest, "1.26", "1.36"), json!([]));
}

/// Without `restartPolicy` both versions reject it, 1.21 as an unsupported value and 1.22 as a missing one.
#[test]
fn what_both_versions_reject_is_not_listed() {
    let spec = "  schedule: 0 2 * * *\n  jobTemplate: {}\n";
    let manifest = manifest("batch/v1", "empty", spec);
    assert_eq!(changes(&manifest, "1.21", "1.36"), json!([]));
}

/// Since 1.29 only new objects are rejected; an existing one with such a schedule can be updated.
#[test]
fn time_zone_in_the_schedule_cannot_be_created_again() {
    let manifest = with_template(
        "batch/v1",
        "zoned",
        "  schedule: CRON_TZ=Europe/Berlin 0 2 * * *\n",
    );
    let rejected = json!([{
        "kubernetesVersion": "1.36",
        "effect": "createRejected",
        "field": "spec.schedule",
        "message": "Invalid value: \"CRON_TZ=Europe/Berlin 0 2 * * *\": cannot use TZ or CRON_TZ in \
                    schedule, use timeZone field instead",
    }]);
    assert_eq!(changes(&manifest, "1.26", "1.36"), rejected);
    assert_eq!(changes(&manifest, "1.29", "1.36"), json!([]));
    let warning = changes(&manifest, "1.22.0", "1.26");
    assert_eq!(warning[0]["effect"], "warning");
    let expected = "CRON_TZ or TZ used in spec.spec.schedule is not officially supported, see \
                    https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details";
    assert_eq!(warning[0]["message"], expected);
    assert_eq!(warning[1], Value::Null);
}

#[test]
fn version_that_is_no_longer_served_is_rejected_at_every_write() {
    let manifest = with_template("batch/v1beta1", "old", "  schedule: 0 2 * * *\n");
    let expected = json!([{
        "kubernetesVersion": "1.25",
        "effect": "writeRejected",
        "field": "apiVersion",
        "message": "no matches for kind \"CronJob\" in version \"batch/v1beta1\"",
    }]);
    assert_eq!(changes(&manifest, "1.24", "1.25"), expected);
    assert_eq!(changes(&manifest, "1.21", "1.24"), json!([]));
}

/// `timeZone` is behind a feature gate in 1.24, and unknown before. `podReplacementPolicy` came with 1.28.
#[test]
fn fields_that_the_old_version_does_not_store_are_stored() {
    let zoned = with_template(
        "batch/v1",
        "zoned",
        "  schedule: 0 2 * * *\n  timeZone: Asia/Tokyo\n",
    );
    for old in ["1.23", "1.24"] {
        assert_eq!(
            changes(&zoned, old, "1.36"),
            json!([{
                "kubernetesVersion": "1.36",
                "effect": "fieldStored",
                "field": "spec.timeZone",
                "message": null,
            }]),
            "{old}"
        );
    }
    assert_eq!(changes(&zoned, "1.25", "1.36"), json!([]));
    let template = TEMPLATE.replace(
        "{spec: {template",
        "{spec: {podReplacementPolicy: Failed, template",
    );
    let manifest = manifest(
        "batch/v1",
        "pods",
        &format!("  schedule: 0 2 * * *\n{template}"),
    );
    let changes = changes(&manifest, "1.26", "1.36");
    assert_eq!(changes[0]["effect"], "fieldStored");
    let expected = "spec.jobTemplate.spec.podReplacementPolicy";
    assert_eq!(changes[0]["field"], expected);
}

#[test]
fn changes_of_many_cronjobs_are_one_sentence() {
    let zoned = (0..7).map(|number| {
        let spec = "  schedule: TZ=UTC 0 2 * * *\n";
        with_template("batch/v1", &format!("zoned-{number}"), spec)
    });
    let manifests = zoned.collect::<String>()
        + &with_template("batch/v1beta1", "old", "  schedule: 0 2 * * *\n")
        + &with_template("batch/v1", "plain", "  schedule: 0 2 * * *\n");
    let flags = "-f - -q --tzdb=bundled --kubernetes-version=1.24 --compare=1.36";
    let call = ("simulate --from=2026-03-02T00:00:00Z --for=1d", flags);
    assert_ran!(doctor_with_stdin(call, &manifests), 0);
    assert_ran!(doctor_with_stdin((call, "old -n shop"), &manifests), 0);
    let explain = ("explain --now=2026-03-02T00:00:00Z", flags);
    assert_ran!(doctor_with_stdin(explain, &manifests), 0);
}
