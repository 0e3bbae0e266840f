//! What the API servers of other releases say. Worked by hand from `validateCronJobSpec`,
//! `validateScheduleFormat`, `validateTimeZone` and the warnings of `cronJobStrategy` in
//! kubernetes/kubernetes; 1.36 answered for itself in `validation_vectors.rs`.

use cronjob_doctor::internals::controller::Release;
use cronjob_doctor::internals::document;
use cronjob_doctor::internals::schedule::BundledZones;
use cronjob_doctor::internals::validation::{CauseReason, ValidationResult, validate};
use serde_json::{Value, json};

/// The spec of a `CronJob` that every release accepts.
fn nightly(schedule: &str) -> Value {
    let containers = json!([{"name": "main", "image": "busybox"}]);
    let pod = json!({"restartPolicy": "Never", "containers": containers});
    json!({"schedule": schedule, "jobTemplate": {"spec": {"template": {"spec": pod}}}})
}

fn zoned(schedule: &str, zone: &str) -> Value {
    let mut spec = nightly(schedule);
    spec["timeZone"] = json!(zone);
    spec
}

fn create_named(version: &str, name: &str, spec: &Value) -> ValidationResult {
    let release: Release = version.parse().unwrap();
    let old = ["1.8", "1.9", "1.19"].contains(&version);
    let manifest = json!({
        "apiVersion": if old { "batch/v1beta1" } else { "batch/v1" },
        "kind": "CronJob",
        "metadata": {"name": name},
        "spec": spec,
    });
    let parsed = document::parse(&manifest.to_string());
    validate(&parsed.documents[0].root, &[], release, &BundledZones)
}

fn create(version: &str, spec: &Value) -> ValidationResult {
    create_named(version, "nightly", spec)
}

fn errors(answer: &ValidationResult) -> Vec<String> {
    let causes = answer.causes.iter();
    causes
        .map(|cause| format!("{}: {}", cause.field, cause.message))
        .collect()
}

fn warnings(answer: &ValidationResult) -> Vec<&str> {
    let warnings = answer.warnings.iter();
    warnings.map(|warning| warning.message.as_str()).collect()
}

const IN_SCHEDULE: &str = "TZ=Europe/Berlin 0 2 * * *";
const BOTH: &str = "spec.schedule: Invalid value: \"TZ=Europe/Berlin 0 2 * * *\": \
                    cannot use both timeZone field and TZ or CRON_TZ in schedule";
const REFUSED: &str = "spec.schedule: Invalid value: \"TZ=Europe/Berlin 0 2 * * *\": \
                       cannot use TZ or CRON_TZ in schedule, use timeZone field instead";

#[test]
fn zone_in_schedule_by_release() {
    let spec = nightly(IN_SCHEDULE);
    let expected = [
        "spec.schedule: Invalid value: \"TZ=Europe/Berlin 0 2 * * *\": \
      Expected exactly 5 fields, found 6: TZ=Europe/Berlin 0 2 * * *",
    ];
    assert_eq!(errors(&create("1.21", &spec)), expected);
    assert_eq!(create("1.22", &spec), ValidationResult::default());
    let answer = create("1.28", &spec);
    assert_eq!(answer.causes, []);
    assert_eq!(
        warnings(&answer),
        [
            "CRON_TZ or TZ used in spec.spec.schedule is not officially supported, see \
          https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
        ]
    );
    assert_eq!(errors(&create("1.29", &spec)), [REFUSED]);
}

#[test]
fn zone_in_both_places_by_release() {
    let spec = zoned(IN_SCHEDULE, "Europe/Berlin");
    // The field is behind a feature gate that is off, and is dropped.
    assert_eq!(errors(&create("1.24", &spec)), [""; 0]);
    assert_eq!(errors(&create("1.25", &spec)), [BOTH]);
    assert_eq!(errors(&create("1.29", &spec)), [REFUSED]);
}

/// `TZ=` without a space: an unreadable schedule up to 1.21, a failed request up to 1.34, and two
/// errors since.
#[test]
fn schedule_that_panics_the_parser_by_release() {
    let spec = nightly("TZ=UTC");
    let expected = "spec.schedule: Invalid value: \"TZ=UTC\": \
                    Expected exactly 5 fields, found 1: TZ=UTC";
    assert_eq!(errors(&create("1.21", &spec)), [expected]);
    for version in ["1.22", "1.28", "1.34"] {
        let answer = create(version, &spec);
        let reasons: Vec<CauseReason> = answer.causes.iter().map(|cause| cause.reason).collect();
        assert_eq!(reasons, [CauseReason::Internal], "{version}");
    }
    assert_eq!(
        errors(&create("1.35", &spec)),
        [
            "spec.schedule: Invalid value: \"TZ=UTC\": invalid schedule format: runtime error: \
             slice bounds out of range [:-1]",
            "spec.schedule: Invalid value: \"TZ=UTC\": cannot use TZ or CRON_TZ in schedule, use \
             timeZone field instead",
        ]
    );
}

/// The characters of a zone's name are checked since 1.27.
#[test]
fn time_zones_by_release() {
    let invalid = |zone: &str, detail: &str| {
        vec![format!(
            "spec.timeZone: Invalid value: \"{zone}\": {detail}"
        )]
    };
    let dots = zoned("0 2 * * *", "../UTC");
    assert_eq!(errors(&create("1.24", &dots)), [""; 0]);
    let expected = invalid("../UTC", "unknown time zone ../UTC");
    assert_eq!(errors(&create("1.27", &dots)), expected);
    let detail = "time: invalid location name";
    assert_eq!(errors(&create("1.26", &dots)), invalid("../UTC", detail));
    let detail = "timeZone must be nil or non-empty string";
    assert_eq!(
        errors(&create("1.25", &zoned("0 2 * * *", ""))),
        invalid("", detail)
    );
}

#[test]
fn names_by_release() {
    let spec = nightly("0 2 * * *");
    let name = "x".repeat(60) + ".y";
    let expected = ValidationResult::default();
    assert_eq!(create_named("1.8", &name, &spec), expected);
    let limit =
        format!("metadata.name: Invalid value: \"{name}\": must be no more than 52 characters");
    assert_eq!(errors(&create_named("1.9", &name, &spec)), [limit]);
    let name = "nightly.report";
    assert_eq!(warnings(&create_named("1.26", name, &spec)), [""; 0]);
    assert_eq!(
        warnings(&create_named("1.27", name, &spec)),
        [
            "metadata.name: this is used in Pod names and hostnames, which can result in surprising \
          behavior; a DNS label is recommended: [must not contain dots]"
        ]
    );
    let answer = create_named("1.19", "Nightly", &spec);
    let start = "metadata.name: Invalid value: \"Nightly\": a DNS-1123 subdomain must consist of ";
    assert!(errors(&answer)[0].starts_with(start), "{answer:?}");
}

#[test]
fn restart_policies_by_release() {
    let mut spec = nightly("0 2 * * *");
    let job = &mut spec["jobTemplate"]["spec"];
    job["selector"] = json!({"matchLabels": {"a": "b"}});
    let pod = job["template"]["spec"].as_object_mut().unwrap();
    pod.remove("restartPolicy");
    let expected = [
        "spec.jobTemplate.spec.template.spec.restartPolicy: Unsupported value: \"Always\": \
         supported values: \"OnFailure\", \"Never\"",
        "spec.jobTemplate.spec.selector: Invalid value: v1.LabelSelector{MatchLabels:\
         map[string]string{\"a\":\"b\"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: \
         `selector` will be auto-generated",
    ];
    assert_eq!(errors(&create("1.21", &spec)), expected);
    assert_eq!(
        errors(&create("1.36", &spec)),
        [
            "spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: \
             \"OnFailure\", \"Never\"",
            "spec.jobTemplate.spec.selector: Invalid value: {\"matchLabels\":{\"a\":\"b\"}}: \
             `selector` will be auto-generated",
        ]
    );
}

/// The empty policy is replaced by the default before it is checked.
#[test]
fn empty_concurrency_policy_is_the_default() {
    let mut spec = nightly("0 2 * * *");
    spec["concurrencyPolicy"] = json!("");
    assert_eq!(create("1.36", &spec), ValidationResult::default());
    spec["concurrencyPolicy"] = json!("forbid");
    let expected = ["spec.concurrencyPolicy: Unsupported value: \"forbid\": \
      supported values: \"Allow\", \"Forbid\", \"Replace\""];
    assert_eq!(errors(&create("1.36", &spec)), expected);
}
