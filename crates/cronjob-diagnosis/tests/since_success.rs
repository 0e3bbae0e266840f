//! What has changed since the last success: each kind of change, and an innocent twin of it.

use serde_json::{Value, json};

use crate::support::files::text;
use crate::support::json::Json as _;
use crate::support::world::explained_by_name;

const MAIN: &str = "spec.template.spec.containers[main]";

/// What is found for a CronJob of an example, after a change of its text.
fn since(example: &str, name: &str, change: impl FnOnce(String) -> String) -> Value {
    let text = change(text(&format!("examples/since/{example}.yaml")));
    let now = text.lines().find_map(|line| line.strip_prefix("# now: "));
    explained_by_name(&text, name, "1.36", now.unwrap())["sinceSuccess"].take()
}

fn unchanged(text: String) -> String {
    text
}

/// The fields that differ with both values, in their order.
fn fields(since: &Value, list: &str) -> Vec<(String, Value, Value)> {
    let fields = since[list].items().iter().map(|field| {
        let text = field["field"].text().replace(MAIN, "main");
        (text, field["old"].clone(), field["new"].clone())
    });
    fields.collect()
}

fn image(tag: &str) -> Value {
    json!(format!("registry.example.com/report:{tag}"))
}

fn image_change(old: &str, new: &str) -> Vec<(String, Value, Value)> {
    vec![("main.image".to_owned(), image(old), image(new))]
}

#[test]
fn changed_image_is_found_with_who_set_it() {
    let report = since("image", "report", unchanged);
    assert_eq!(fields(&report, "fields"), image_change("1.4", "1.5"));
    let writer =
        json!({"fieldManager": "argocd-controller", "noLaterThan": "2026-03-10T01:51:00Z"});
    assert_eq!(report["fields"][0]["setBy"], writer);
    assert_eq!(report["jobName"], "report-29551800");
    assert_eq!(report["success"]["jobName"], "report-29550360");
    assert_eq!(report["firstFailure"], "2026-03-10T02:00:00Z");
    assert_eq!(report["compared"], json!(["template"]));
    assert_eq!(report["changedSince"], json!([]));
}

/// The run of the next night has just begun, and nothing is wrong with it.
#[test]
fn failed_run_is_compared_while_the_next_one_is_under_way() {
    let begun = |text: String| {
        let text = text.replace("# now: 2026-03-10T09:00:00Z", "# now: 2026-03-11T02:00:05Z");
        let text = text.replacen(
            "  status: {lastScheduleTime: '2026-03-10T02:00:00Z',",
            "  status: {active: [{kind: Job, name: report-29553240, namespace: shop, uid: begun}], \
             lastScheduleTime: '2026-03-11T02:00:00Z',",
            1,
        );
        text + "\
- apiVersion: batch/v1
  kind: Job
  metadata:
    name: report-29553240
    namespace: shop
    uid: begun
    creationTimestamp: '2026-03-11T02:00:00Z'
    ownerReferences: [{apiVersion: batch/v1, kind: CronJob, name: report, uid: uid-of-report, controller: true}]
  spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: registry.example.com/report:1.5}]}}}
  status: {startTime: '2026-03-11T02:00:00Z', active: 1, ready: 1}
"
    };
    let report = since("image", "report", begun);
    assert_eq!(report["jobName"], "report-29551800");
    assert_eq!(fields(&report, "fields"), image_change("1.4", "1.5"));
}

#[test]
fn what_every_job_gets_is_no_change() {
    let mirror = since("image", "mirror", unchanged);
    assert_eq!(fields(&mirror, "fields"), []);
    assert_eq!(mirror["compared"], json!(["template"]));
    assert_eq!(mirror["changedSince"], json!([]));
}

#[test]
fn most_telling_field_is_first_and_secrets_are_hidden() {
    let report = since("settings", "report", unchanged);
    let expected = [
        (
            "main.args",
            json!(["--full"]),
            json!(["--full", "--verify"]),
        ),
        ("main.env[DB_HOST].value", json!("db-1"), json!("db-2")),
        ("main.env[DB_PASSWORD].value", Value::Null, Value::Null),
        (
            "main.resources.limits.memory",
            json!("256Mi"),
            json!("128Mi"),
        ),
        ("spec.activeDeadlineSeconds", json!(600), json!(60)),
    ];
    let expected = expected.map(|(field, old, new)| (field.to_owned(), old, new));
    assert_eq!(fields(&report, "fields"), expected);
    let hidden: Vec<bool> = report["fields"]
        .items()
        .iter()
        .map(|field| field["hidden"] == true)
        .collect();
    assert_eq!(hidden, [false, false, true, false, false]);
}

#[test]
fn values_that_are_written_differently_are_no_change() {
    assert_eq!(
        fields(&since("settings", "mirror", unchanged), "fields"),
        []
    );
}

#[test]
fn order_of_arguments_is_a_change() {
    let swapped =
        |text: String| text.replace("args: [--full, --verify]", "args: [--verify, --full]");
    let both = |text: String| swapped(text).replace("args: [--full]", "args: [--full, --verify]");
    let report = since("settings", "report", both);
    let (old, new) = (json!(["--full", "--verify"]), json!(["--verify", "--full"]));
    assert_eq!(
        fields(&report, "fields")[0],
        ("main.args".to_owned(), old, new)
    );
}

#[test]
fn secrets_of_an_added_container_are_hidden() {
    let sidecar = "containers:\n        - {name: side, env: [{name: API_TOKEN, value: abc}, {name: URL, value: 'http://u:p@h'}]}";
    let added = |text: String| {
        let (before, failed) = text.rsplit_once("      containers:").unwrap();
        format!("{before}      {sidecar}{failed}")
    };
    let mirror = since("settings", "mirror", added);
    let env = &mirror["fields"][0]["new"]["env"];
    let hidden =
        json!([{"name": "API_TOKEN", "value": "(hidden)"}, {"name": "URL", "value": "(hidden)"}]);
    assert_eq!(*env, hidden);
}

#[test]
fn moved_tag_is_found_by_its_digest() {
    let report = since("digest", "report", unchanged);
    let digest = |digit: &str| format!("sha256:{}", digit.repeat(64));
    let expected = json!([{
        "container": "main", "image": image("1.4"), "oldDigest": digest("a"), "newDigest": digest("b"),
    }]);
    assert_eq!(report["images"], expected);
    assert_eq!(report["compared"], json!(["template", "images", "nodes"]));
    let mirror = since("digest", "mirror", unchanged);
    assert_eq!(
        (&mirror["images"], &mirror["node"]),
        (&json!([]), &Value::Null)
    );
    assert_eq!(mirror["compared"], json!(["template", "images", "nodes"]));
}

/// The configuration of an image has a digest, too, which depends on the runtime.
#[test]
fn image_id_without_a_repository_is_not_compared() {
    let by_config = |text: String| {
        text.replace(
            "docker-pullable://registry.example.com/report@sha256:a",
            "sha256:b",
        )
    };
    let mirror = since("digest", "mirror", by_config);
    assert_eq!(
        (&mirror["images"], &mirror["compared"]),
        (&json!([]), &json!(["template", "nodes"]))
    );
}

#[test]
fn node_that_had_just_become_ready_is_named() {
    let report = since("node", "report", unchanged);
    let node = json!({"old": "node-a", "new": "node-new", "readyForSeconds": 43});
    assert_eq!(report["node"], node);
    let mirror = since("node", "mirror", unchanged);
    let node = json!({"old": "node-a", "new": "node-b", "readyForSeconds": null});
    assert_eq!(mirror["node"], node);
}

/// Of its `ConfigMap`s `settings` was changed between the runs, of `database` only an annotation.
#[test]
fn config_map_that_was_changed_between_the_runs_is_named() {
    let report = since("config-map", "report", unchanged);
    let changed = json!([{"name": "settings", "changedAt": "2026-03-09T14:03:00Z", "fieldManager": "kubectl-edit"}]);
    assert_eq!(report["configMaps"], changed);
    assert_eq!(report["configMapsChangedSince"], json!([]));
    assert_eq!(report["configMapsNotCompared"], json!([]));
    assert_eq!(report["compared"], json!(["template", "configMaps"]));
}

#[test]
fn config_map_that_was_changed_before_the_success_or_after_the_failure_is_no_cause() {
    let mirror = since("config-map", "mirror", unchanged);
    assert_eq!(mirror["configMaps"], json!([]));
    let later = json!([{"name": "corrected", "changedAt": "2026-03-10T08:40:00Z", "fieldManager": "kubectl-edit"}]);
    assert_eq!(mirror["configMapsChangedSince"], later);
}

/// A run failed at 02:00 on March 10, and one at 02:00 on March 11: what was changed in between did not cause the first.
#[test]
fn config_map_that_was_changed_after_the_first_failure_is_no_cause() {
    let next_day = |text: String| {
        let of_job = "- apiVersion: batch/v1\n  kind: Job\n  metadata:\n    name: mirror-29551800";
        let (others, failed) = text.split_once(of_job).unwrap();
        let (failed, rest) = failed.split_once("- apiVersion").unwrap();
        let failed = format!("{of_job}{failed}");
        let again = failed
            .replace("29551800", "29553240")
            .replace("2026-03-10", "2026-03-11");
        format!("{others}{failed}{again}- apiVersion{rest}")
            .replace("# now: 2026-03-10", "# now: 2026-03-11")
            .replace(
                "lastScheduleTime: '2026-03-10",
                "lastScheduleTime: '2026-03-11",
            )
    };
    let mirror = since("config-map", "mirror", next_day);
    assert_eq!(mirror["jobName"], "mirror-29553240");
    assert_eq!(mirror["firstFailure"], "2026-03-10T02:00:00Z");
    assert_eq!(
        (&mirror["configMaps"], &mirror["configMapsChangedSince"]),
        (&json!([]), &json!([]))
    );
}

#[test]
fn config_map_that_was_created_again_was_changed_then() {
    let again = |text: String| {
        let (before, after) = text
            .split_once("name: certificates\n    namespace: shop\n")
            .unwrap();
        let after = after.replacen("2026-01-15T10:00:00Z", "2026-03-10T01:00:00Z", 1);
        format!("{before}name: certificates\n    namespace: shop\n{after}")
    };
    let report = since("config-map", "report", again);
    let changed =
        json!({"name": "certificates", "changedAt": "2026-03-10T01:00:00Z", "fieldManager": null});
    assert_eq!(report["configMaps"][1], changed);
}

#[test]
fn config_map_that_was_not_read_is_not_compared() {
    let without = |text: String| text.replace("    name: database\n", "    name: other\n");
    let report = since("config-map", "report", without);
    assert_eq!(report["configMapsNotCompared"], json!(["database"]));
    assert_eq!(report["compared"], json!(["template"]));
    // As kubectl writes it without --show-managed-fields.
    let omitted = |text: String| {
        let (before, after) = text.split_once("name: database\n").unwrap();
        format!(
            "{before}name: database\n{}",
            after.replacen("managedFields", "unknown", 1)
        )
    };
    let report = since("config-map", "report", omitted);
    assert_eq!(report["configMapsNotCompared"], json!(["database"]));
    // Nothing refers to a ConfigMap.
    let image = since("image", "report", unchanged);
    assert_eq!(
        (&image["configMaps"], &image["configMapsNotCompared"]),
        (&json!([]), &json!([]))
    );
}

#[test]
fn correction_after_the_failure_is_what_the_next_run_has() {
    let report = since("corrected", "report", unchanged);
    assert_eq!(fields(&report, "fields"), image_change("1.4", "1.5"));
    assert_eq!(report["fields"][0]["setBy"], Value::Null);
    assert_eq!(fields(&report, "changedSince"), image_change("1.5", "1.4"));
    let writer = json!({"fieldManager": "kubectl-edit", "noLaterThan": "2026-03-10T08:40:00Z"});
    assert_eq!(report["changedSince"][0]["setBy"], writer);
    let mirror = since("corrected", "mirror", unchanged);
    assert_eq!(fields(&mirror, "changedSince"), []);
    assert_eq!(
        mirror["fields"][0]["setBy"]["noLaterThan"],
        "2026-03-09T08:40:00Z"
    );
}

/// A webhook that changes Jobs is no writer of the CronJob.
#[test]
fn field_that_only_jobs_have_was_not_changed_since() {
    let injected = |text: String| {
        let jobs = "    template:\n      spec:\n";
        text.replace(
            jobs,
            &format!("{jobs}        nodeSelector: {{pool: batch}}\n"),
        )
    };
    let mirror = since("corrected", "mirror", injected);
    assert_eq!(fields(&mirror, "fields"), image_change("1.4", "1.5"));
    assert_eq!(fields(&mirror, "changedSince"), []);
}

#[test]
fn stuck_job_keeps_the_template_that_was_corrected() {
    let report = since("stuck", "report", unchanged);
    assert_eq!(fields(&report, "fields"), image_change("1.4", "1.44"));
    assert_eq!(fields(&report, "changedSince"), image_change("1.44", "1.4"));
    assert_eq!(report["firstFailure"], Value::Null);
    assert_eq!(fields(&since("stuck", "mirror", unchanged), "fields"), []);
}

#[test]
fn success_without_a_job_is_not_compared() {
    for name in ["report", "mirror"] {
        let gone = since("gone", name, unchanged);
        let success =
            json!({"finishedAt": "2026-03-09T02:10:00Z", "scheduledTime": null, "jobName": null});
        assert_eq!(
            (&gone["success"], &gone["compared"]),
            (&success, &json!([]))
        );
    }
}

#[test]
fn manager_is_only_named_if_it_owns_the_field_and_wrote_between_the_runs() {
    for name in ["report", "mirror"] {
        let found = since("writers", name, unchanged);
        assert_eq!(fields(&found, "fields"), image_change("1.4", "1.5"));
        assert_eq!(found["fields"][0]["setBy"], Value::Null, "{name}");
    }
}

#[test]
fn run_that_could_not_be_started_is_compared_by_the_cron_job() {
    let report = since("not-started", "report", unchanged);
    // The service account was added to the Job when it was created.
    assert_eq!(fields(&report, "fields"), image_change("1.4", "latest"));
    assert_eq!(report["jobName"], Value::Null);
    assert_eq!(report["fields"][0]["setBy"]["fieldManager"], "kubectl-set");
}

#[test]
fn first_failure_is_unknown_if_a_run_between_is_gone() {
    let weekly_old = |text: String| text.replace("schedule: 0 2 * * *", "schedule: 0 */2 * * *");
    let report = since("image", "report", weekly_old);
    assert_eq!(report["firstFailure"], Value::Null);
    assert_eq!(
        report["fields"][0]["setBy"]["fieldManager"],
        "argocd-controller"
    );
}

#[test]
fn run_that_succeeded_is_not_compared() {
    let succeeded = |text: String| text.replace("type: Failed", "type: Complete");
    assert_eq!(since("image", "report", succeeded), Value::Null);
}
