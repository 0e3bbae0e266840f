//! The validation of a manifest: locations, suggestions, releases, and limits.

use std::time::Duration;

use cronjob_controller::controller::Release;
use cronjob_manifest::validation::{self, CauseReason, Suggestion, ValidationResult};
use kube_cron::BundledZones;
use located_yaml as document;

use crate::support::moments::cpu_time;

fn judge(text: &str, release: &str) -> ValidationResult {
    let mut parsed = document::parse(text);
    assert_eq!(parsed.errors, [], "{text}");
    let document = parsed.documents.remove(0);
    let release: Release = release.parse().unwrap();
    validation::validate(&document.root, &document.problems, release, &BundledZones)
}

const MANIFEST: &str = "\
apiVersion: batch/v1
kind: CronJob
metadata:
  name: nightly
spec:
  schedule: 0 2 * * *
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
          - name: main
            image: busybox
";

const POD: &str = "spec.jobTemplate.spec.template.spec";

/// The manifest with a line replaced by another one.
fn with(line: &str, instead: &str) -> String {
    let changed = MANIFEST.replacen(line, instead, 1);
    assert_ne!(changed, MANIFEST, "no {line} to replace");
    changed
}

/// The manifest with another line in its `spec`.
fn in_spec(line: &str) -> String {
    with("  schedule:", &format!("  {line}\n  schedule:"))
}

/// The manifest with another line in the spec of its pods.
fn in_pod(line: &str) -> String {
    let lines = format!("          {line}\n          containers:");
    with("          containers:", &lines)
}

/// The manifest with other lines in its container.
fn in_container(lines: &str) -> String {
    let lines = format!("image: busybox\n            {lines}");
    with("image: busybox", &lines)
}

/// Field, line, the text at the place, and what is suggested.
fn causes(text: &str, release: &str) -> Vec<(String, u32, String, Option<Suggestion>)> {
    let answer = judge(text, release);
    let causes = answer.causes.into_iter();
    causes
        .map(|cause| {
            let written = cause.place.span.slice(text).unwrap().to_owned();
            (cause.field, cause.place.line, written, cause.suggestion)
        })
        .collect()
}

fn cause(text: &str) -> (String, u32, String, Option<Suggestion>) {
    let mut causes = causes(text, "1.36");
    assert_eq!(causes.len(), 1, "{causes:?}");
    causes.remove(0)
}

fn word(text: &str) -> Suggestion {
    Suggestion::Word(text.to_owned())
}

/// The messages of a label that is too long count bytes since 1.35.
#[test]
fn length_of_labels_is_in_characters_up_to_1_34() {
    let label = with(
        "  name: nightly",
        &format!("  name: nightly\n  labels: {{a: {}}}", "a".repeat(64)),
    );
    for (release, unit) in [
        ("1.33", "characters"),
        ("1.34.1", "characters"),
        ("1.35", "bytes"),
        ("1.36", "bytes"),
    ] {
        let causes = judge(&label, release).causes;
        let [cause] = causes.as_slice() else {
            panic!("{release}: {causes:?}");
        };
        let expected = format!("must be no more than 63 {unit}");
        assert!(
            cause.message.ends_with(&expected),
            "{release}: {}",
            cause.message
        );
    }
}

#[test]
fn ordinary_manifest_is_accepted() {
    let answer = judge(MANIFEST, "1.36");
    assert_eq!(answer, ValidationResult::default());
    assert!(answer.accepts());
}

#[test]
fn invalid_value_is_reported_at_its_line() {
    let text = with("Never", "never");
    let policy = format!("{POD}.restartPolicy");
    let refused = (policy, 11, "never".to_owned(), Some(word("Never")));
    // The validations of pods and of Jobs reject it, each with its own message.
    assert_eq!(causes(&text, "1.36"), [refused.clone(), refused]);
}

#[test]
fn missing_field_is_reported_at_its_parent() {
    let image = format!("{POD}.containers[0].image");
    let policy = format!("{POD}.restartPolicy");
    for (removed, field, line, place) in [
        ("            image: busybox\n", &*image, 13, "name: main"),
        ("  schedule: 0 2 * * *\n", "spec.schedule", 5, "spec"),
        ("          restartPolicy: Never\n", &policy, 10, "spec"),
    ] {
        let expected = (field.to_owned(), line, place.to_owned(), None);
        assert_eq!(cause(&with(removed, "")), expected);
    }
}

#[test]
fn unknown_field_is_reported_with_a_suggestion() {
    let elsewhere = |field: String| Some(Suggestion::Elsewhere(field));
    let [schedule, time_zone] = ["schedule", "timeZone"].map(|name| Some(word(name)));
    let env = elsewhere(format!("{POD}.containers[].env"));
    let limit = elsewhere("spec.jobTemplate.spec.backoffLimit".to_owned());
    let env_of_pod = format!("{POD}.env");
    let zzz = format!("{POD}.containers[0].zzz");
    for (text, field, suggestion) in [
        (with("schedule:", "shedule:"), "spec.shedule", &schedule),
        (with("schedule:", "Schedule:"), "spec.Schedule", &schedule),
        (in_spec("timezone: UTC"), "spec.timezone", &time_zone),
        (in_pod("env: []"), &env_of_pod, &env),
        (in_spec("backoffLimit: 2"), "spec.backoffLimit", &limit),
        (in_container("zzz: 1"), &zzz, &None),
    ] {
        let (found, _, place, meant) = cause(&text);
        let written = field.rsplit('.').next().unwrap();
        assert_eq!((&*found, &*place, &meant), (field, written, suggestion));
    }
}

#[test]
fn names_of_volumes_and_resources_are_suggested() {
    let mounts = "volumeMounts: [{name: dta, mountPath: /data}]\n          \
                  volumes: [{name: data, emptyDir: {}}]";
    let (_, _, place, meant) = cause(&in_container(mounts));
    assert_eq!((place.as_str(), meant), ("dta", Some(word("data"))));
    let limits = in_container("resources: {limits: {memroy: 1Gi}}");
    let found = causes(&limits, "1.36").into_iter();
    let meant = found.map(|(_, _, place, meant)| (place, meant));
    let memory = ("memroy".to_owned(), Some(word("memory")));
    assert_eq!(meant.collect::<Vec<_>>(), [memory.clone(), memory]);
}

#[test]
fn all_wrong_types_are_listed_and_the_server_names_the_first_by_key() {
    let text = with(
        "  schedule: 0 2 * * *\n",
        "  suspend: soon\n  schedule: 5\n",
    );
    let answer = judge(&text, "1.36");
    let found = answer
        .causes
        .iter()
        .map(|cause| (cause.place.line, cause.reason));
    let expected = [(7, CauseReason::Undecodable), (6, CauseReason::Undecodable)];
    assert_eq!(found.collect::<Vec<_>>(), expected);
    insta::assert_snapshot!(answer.message.unwrap());
}

#[test]
fn duplicate_key_is_refused_unless_kubectl_sends_it() {
    let text = in_container("image: alpine");
    let image = format!("{POD}.containers[0].image");
    assert_eq!(cause(&text), (image, 15, "image".to_owned(), None));
    let document = document::parse(&text).documents.remove(0);
    let sent = validation::validate(&document.root, &[], Release::NEWEST, &BundledZones);
    assert!(sent.accepts());
}

/// The messages of releases are in `tests/lint_rules.txt`.
#[test]
fn causes_and_warnings_of_releases_have_reason_and_suggestion() {
    let zone = in_spec("timeZone: Mars/Base");
    let newer = Some(Suggestion::NewerRelease(24));
    let unknown = ("spec.timeZone".to_owned(), 6, "timeZone".to_owned(), newer);
    assert_eq!(causes(&zone, "1.23"), [unknown]);
    let prefix = with("0 2 * * *", "CRON_TZ=UTC 0 2 * * *");
    let answer = judge(&prefix, "1.28");
    assert_eq!(answer.causes, []);
    assert_starts!(answer.warnings[0].message, "CRON_TZ or TZ used in");
    let panics = judge(&with("0 2 * * *", "TZ=UTC"), "1.30");
    let [cause] = panics.causes.as_slice() else {
        panic!("{panics:?}");
    };
    assert_eq!((cause.reason, cause.place.line), (CauseReason::Internal, 6));
}

#[test]
fn warnings_have_their_place() {
    let warning = |text: &str, written: &str| {
        let answer = judge(text, "1.36");
        assert!(answer.accepts());
        let [warning] = answer.warnings.as_slice() else {
            panic!("{answer:?}");
        };
        assert_eq!(warning.place.span.slice(text), Some(written));
        warning.message.clone()
    };
    let name = with("name: nightly", "name: nightly.report");
    warning(&name, "nightly.report");
    let twice = in_container("env: [{name: A, value: b}, {name: A, value: c}]");
    insta::assert_snapshot!(warning(&twice, "{name: A, value: c}"));
}

/// Ten thousand are to be validated in less than a second; this limit allows for slow machines and for a
/// build without optimizations.
#[test]
fn an_ordinary_manifest_takes_microseconds() {
    let extras = "env:
            - {name: A, value: b}
            - name: PASSWORD
              valueFrom: {secretKeyRef: {name: db, key: password}}
            resources:
              requests: {cpu: 100m, memory: 128Mi}
              limits: {cpu: '1', memory: 1Gi}
            volumeMounts: [{name: data, mountPath: /data}]
          volumes: [{name: data, emptyDir: {}}]";
    let text = in_container(extras);
    let document = document::parse(&text).documents.remove(0);
    let start = cpu_time();
    let rounds = 1_000;
    for _ in 0..rounds {
        let answer = validation::validate(&document.root, &[], Release::NEWEST, &BundledZones);
        assert!(answer.accepts());
    }
    let each = cpu_time().saturating_sub(start) / rounds;
    assert!(each < Duration::from_micros(500), "{each:?}");
}

/// Lists in which it would be easy to compare each item with each other one.
#[test]
fn large_manifests_are_validated_within_two_seconds() {
    let many = |item: &dyn Fn(usize) -> String| {
        let items: Vec<String> = (0..8_000).map(item).collect();
        items.join(", ")
    };
    let same_ports = many(&|port| format!("{{containerPort: 80, hostPort: {}}}", port + 1));
    let same_names = many(&|_| "{containerPort: 80}".to_owned());
    let unknown = many(&|name| format!("unknown{name}: 1"));
    let labels = many(&|name| format!("'a {name}': b"));
    let keys = many(&|key| format!("{{key: k{key}, path: p{key}}}"));
    for text in [
        in_container(&format!("ports: [{same_ports}]")),
        in_container(&format!("ports: [{same_names}]")),
        in_spec(&format!("x: {{{unknown}}}")),
        with("spec:", &format!("status: {{{unknown}}}\nspec:")),
        with("spec:", &format!("  labels: {{{labels}}}\nspec:")),
        in_pod(&format!(
            "volumes: [{{name: a, configMap: {{name: b, items: [{keys}]}}}}]"
        )),
    ] {
        let document = document::parse(&text).documents.remove(0);
        let start = cpu_time();
        let answer = validation::validate(&document.root, &[], Release::NEWEST, &BundledZones);
        let took = cpu_time().saturating_sub(start);
        assert!(took < Duration::from_secs(2), "{took:?}");
        assert!(answer.causes.len() <= 1_001);
        assert!(answer.warnings.len() <= 1_001);
    }
}

/// Since 1.37 it is rejected in templates, too; before, only the pods were rejected.
#[test]
fn rule_of_a_pod_failure_policy_has_a_name_since_1_38() {
    let rule = "{name: bad-config, action: FailJob, onExitCodes: {operator: In, values: [42]}}";
    let policy = format!("      podFailurePolicy: {{rules: [{rule}]}}\n      template:");
    let named = with("      template:", &policy);
    let fields = causes(&named, "1.37").into_iter().map(|(field, ..)| field);
    let name = "spec.jobTemplate.spec.podFailurePolicy.rules[0].name";
    assert_eq!(fields.collect::<Vec<_>>(), [name]);
    assert!(judge(&named, "1.38").accepts());
}

#[test]
fn image_volume_without_reference_is_refused_since_1_37() {
    let field = format!("{POD}.volumes[0].image.reference");
    let with_volume = |source| in_pod(&format!("volumes: [{{name: model, image: {source}}}]"));
    let sources = [
        "{}",
        "{pullPolicy: Always}",
        "{reference: ''}",
        "{reference: null}",
    ];
    for source in sources {
        let text = with_volume(source);
        for release in ["1.31", "1.35", "1.36.2"] {
            assert!(judge(&text, release).accepts(), "{release}: {source}");
        }
        for release in ["1.37", "1.37.1"] {
            let causes = judge(&text, release).causes.into_iter();
            let found = causes.map(|cause| (cause.field, cause.reason, cause.message));
            let message = "Required value".to_owned();
            let required = (field.clone(), CauseReason::Required, message);
            assert_eq!(found.collect::<Vec<_>>(), [required], "{source}");
        }
    }
    assert!(judge(&with_volume("{reference: a/b:1}"), "1.37").accepts());
}
