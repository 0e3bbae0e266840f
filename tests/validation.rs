//! The judgement of a manifest: places, suggestions, releases, and its bounds.

use std::time::Duration;

use cronjob_doctor::internals::controller::Release;
use cronjob_doctor::internals::document;
use cronjob_doctor::internals::schedule::BundledZones;
use cronjob_doctor::internals::validation::{self, CauseReason, Suggestion, ValidationResult};

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

/// The manifest with a line in another's place.
fn with(line: &str, instead: &str) -> String {
    let changed = MANIFEST.replacen(line, instead, 1);
    assert_ne!(changed, MANIFEST, "no {line} to replace");
    changed
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

#[test]
fn an_ordinary_manifest_is_taken() {
    let answer = judge(MANIFEST, "1.36");
    assert_eq!(answer, ValidationResult::default());
    assert!(answer.accepts());
}

#[test]
fn a_value_is_shown_where_it_stands() {
    let text = with("Never", "never");
    let policy = "spec.jobTemplate.spec.template.spec.restartPolicy".to_owned();
    // Pods and Jobs refuse it, each in its own words.
    let expected = [
        (policy.clone(), 11, "never".to_owned(), Some(word("Never"))),
        (policy, 11, "never".to_owned(), Some(word("Never"))),
    ];
    assert_eq!(causes(&text, "1.36"), expected);
}

#[test]
fn what_is_missing_is_shown_where_it_should_be() {
    let container = "spec.jobTemplate.spec.template.spec.containers[0].image";
    let expected = (container.to_owned(), 13, "name: main".to_owned(), None);
    assert_eq!(cause(&with("            image: busybox\n", "")), expected);
    assert_eq!(
        cause(&with("  schedule: 0 2 * * *\n", "")),
        ("spec.schedule".to_owned(), 5, "spec".to_owned(), None)
    );
    let policy = "spec.jobTemplate.spec.template.spec.restartPolicy";
    assert_eq!(
        cause(&with("          restartPolicy: Never\n", "")),
        (policy.to_owned(), 10, "spec".to_owned(), None)
    );
}

#[test]
fn unknown_fields_are_shown_with_what_was_meant() {
    let spec = "spec.jobTemplate.spec.template.spec";
    for (line, instead, field, written, suggestion) in [
        (
            "schedule:",
            "shedule:",
            "spec.shedule".to_owned(),
            "shedule",
            Some(word("schedule")),
        ),
        (
            "schedule:",
            "Schedule:",
            "spec.Schedule".to_owned(),
            "Schedule",
            Some(word("schedule")),
        ),
        (
            "  schedule:",
            "  timezone: UTC\n  schedule:",
            "spec.timezone".to_owned(),
            "timezone",
            Some(word("timeZone")),
        ),
        (
            "restartPolicy: Never",
            "restartPolicy: Never\n          env: []",
            format!("{spec}.env"),
            "env",
            Some(Suggestion::Elsewhere(format!("{spec}.containers[].env"))),
        ),
        (
            "  schedule:",
            "  backoffLimit: 2\n  schedule:",
            "spec.backoffLimit".to_owned(),
            "backoffLimit",
            Some(Suggestion::Elsewhere(
                "spec.jobTemplate.spec.backoffLimit".to_owned(),
            )),
        ),
        (
            "image: busybox",
            "image: busybox\n            zzz: 1",
            format!("{spec}.containers[0].zzz"),
            "zzz",
            None,
        ),
    ] {
        let (got, _, place, meant) = cause(&with(line, instead));
        assert_eq!((got, place.as_str(), meant), (field, written, suggestion));
    }
}

#[test]
fn names_of_volumes_and_resources_are_suggested() {
    let mounts = "image: busybox\n            volumeMounts: [{name: dta, mountPath: /data}]\n          \
                  volumes: [{name: data, emptyDir: {}}]";
    let (_, _, place, meant) = cause(&with("image: busybox", mounts));
    assert_eq!((place.as_str(), meant), ("dta", Some(word("data"))));
    let limits = "image: busybox\n            resources: {limits: {memroy: 1Gi}}";
    let found = causes(&with("image: busybox", limits), "1.36");
    let meant: Vec<_> = found
        .iter()
        .map(|(_, _, place, meant)| (place.as_str(), meant))
        .collect();
    let memory = Some(word("memory"));
    assert_eq!(meant, [("memroy", &memory), ("memroy", &memory)]);
}

#[test]
fn all_wrong_types_are_listed_and_the_server_names_the_first_by_key() {
    let text = with(
        "  schedule: 0 2 * * *\n",
        "  suspend: soon\n  schedule: 5\n",
    );
    let answer = judge(&text, "1.36");
    let found: Vec<_> = answer
        .causes
        .iter()
        .map(|cause| (cause.place.line, cause.reason))
        .collect();
    let expected = [(7, CauseReason::Undecodable), (6, CauseReason::Undecodable)];
    assert_eq!(found, expected);
    insta::assert_snapshot!(answer.message.unwrap());
}

#[test]
fn a_key_that_is_written_twice_is_refused_unless_kubectl_sends_it() {
    let text = with(
        "image: busybox",
        "image: busybox\n            image: alpine",
    );
    let image = "spec.jobTemplate.spec.template.spec.containers[0].image".to_owned();
    assert_eq!(cause(&text), (image, 15, "image".to_owned(), None));
    let document = document::parse(&text).documents.remove(0);
    let sent = validation::validate(&document.root, &[], Release::NEWEST, &BundledZones);
    assert!(sent.accepts());
}

#[test]
fn versions_of_the_api_by_release() {
    let of = |version: &str| MANIFEST.replace("batch/v1", version);
    let refused = |text: &str, release: &str| {
        let mut answer = judge(text, release);
        answer
            .causes
            .pop()
            .map(|cause| (cause.message, cause.suggestion))
    };
    for (version, served, not_served, instead) in [
        ("batch/v1", "1.21", "1.20", "batch/v1beta1"),
        ("batch/v1beta1", "1.24", "1.25", "batch/v1"),
        ("batch/v2alpha1", "1.20", "1.21", "batch/v1"),
    ] {
        assert_eq!(refused(&of(version), served), None);
        let message = format!("no matches for kind \"CronJob\" in version \"{version}\"");
        let expected = Some((message, Some(word(instead))));
        assert_eq!(refused(&of(version), not_served), expected);
    }
    assert!(refused(&of("batch/v2"), "1.36").is_some());
}

#[test]
fn rules_by_release() {
    let zone = with("  schedule:", "  timeZone: Mars/Base\n  schedule:");
    let first = |text: &str, release: &str| {
        let mut causes = judge(text, release).causes;
        (!causes.is_empty()).then(|| causes.remove(0).message)
    };
    let expected = "unknown field \"spec.timeZone\"";
    assert_eq!(first(&zone, "1.23").unwrap(), expected);
    assert_eq!(
        causes(&zone, "1.23")[0].3,
        Some(Suggestion::NewerRelease(24)),
    );
    // There, but not looked at.
    assert_eq!(first(&zone, "1.24"), None);
    insta::assert_snapshot!(first(&zone, "1.25").unwrap());
    let prefix = with("0 2 * * *", "CRON_TZ=UTC 0 2 * * *");
    assert_eq!(judge(&prefix, "1.28").causes, []);
    assert!(
        judge(&prefix, "1.28").warnings[0]
            .message
            .starts_with("CRON_TZ or TZ used in")
    );
    assert!(
        first(&prefix, "1.29")
            .unwrap()
            .contains("use timeZone field instead")
    );
    let old = |text: String| text.replace("batch/v1", "batch/v1beta1");
    let name = old(with("name: main", "name: Main"));
    for (release, words) in [
        ("1.19", "a DNS-1123 label must consist"),
        ("1.20", "a lowercase RFC 1123 label must consist"),
    ] {
        assert!(first(&name, release).unwrap().contains(words), "{release}");
    }
    let label = format!("name: nightly\n  labels: {{a: {}}}", "b".repeat(64));
    let label = with("name: nightly", &label);
    for (release, unit) in [("1.33", "characters"), ("1.34", "bytes")] {
        let message = first(&label, release).unwrap();
        assert_ends!(message, &format!("must be no more than 63 {unit}"));
    }
    let panics = with("0 2 * * *", "TZ=UTC");
    let answer = judge(&panics, "1.30");
    assert_eq!(answer.causes[0].reason, CauseReason::Internal);
    assert_eq!(answer.causes[0].place.line, 6);
}

#[test]
fn warnings_have_their_place() {
    let text = with("name: nightly", "name: nightly.report");
    let answer = judge(&text, "1.36");
    assert!(answer.accepts());
    assert_eq!(answer.warnings.len(), 1);
    let expected = Some("nightly.report");
    assert_eq!(answer.warnings[0].place.span.slice(&text), expected);
    let text = with(
        "image: busybox",
        "image: busybox\n            env: [{name: A, value: b}, {name: A, value: c}]",
    );
    let answer = judge(&text, "1.36");
    insta::assert_snapshot!(answer.warnings[0].message);
    let expected = Some("{name: A, value: c}");
    assert_eq!(answer.warnings[0].place.span.slice(&text), expected);
}

/// Ten thousand are to be judged in less than a second; here is room for slow machines and for a
/// build without optimisations.
#[test]
fn an_ordinary_manifest_takes_microseconds() {
    let extras = "image: busybox
            env:
            - {name: A, value: b}
            - name: PASSWORD
              valueFrom: {secretKeyRef: {name: db, key: password}}
            resources:
              requests: {cpu: 100m, memory: 128Mi}
              limits: {cpu: '1', memory: 1Gi}
            volumeMounts: [{name: data, mountPath: /data}]
          volumes: [{name: data, emptyDir: {}}]";
    let text = with("image: busybox", extras);
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

/// Lists that invite comparing each with each.
#[test]
fn large_manifests_take_no_longer_than_they_must() {
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
        with(
            "image: busybox",
            &format!("image: busybox\n            ports: [{same_ports}]"),
        ),
        with(
            "image: busybox",
            &format!("image: busybox\n            ports: [{same_names}]"),
        ),
        with("schedule: 0", &format!("x: {{{unknown}}}\n  schedule: 0")),
        with(
            "kind: CronJob",
            &format!("kind: CronJob\nstatus: {{{unknown}}}"),
        ),
        with(
            "name: nightly",
            &format!("name: nightly\n  labels: {{{labels}}}"),
        ),
        with(
            "restartPolicy: Never",
            &format!(
                "restartPolicy: Never\n          volumes: [{{name: a, configMap: {{name: b, items: [{keys}]}}}}]"
            ),
        ),
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

/// Since 1.37 in templates, too; before, only the pods were refused.
#[test]
fn image_volume_without_reference_is_refused_since_1_37() {
    let field = "spec.jobTemplate.spec.template.spec.volumes[0].image.reference";
    for source in [
        "{}",
        "{pullPolicy: Always}",
        "{reference: ''}",
        "{reference: null}",
    ] {
        let volumes =
            format!("image: busybox\n          volumes: [{{name: model, image: {source}}}]");
        let text = with("image: busybox", &volumes);
        for release in ["1.31", "1.35", "1.36.2"] {
            assert!(judge(&text, release).accepts(), "{release}: {source}");
        }
        for release in ["1.37", "1.37.1"] {
            let answer = judge(&text, release);
            let [cause] = answer.causes.as_slice() else {
                panic!("{source}: {answer:?}");
            };
            assert_eq!(cause.field, field, "{source}");
            assert_eq!(cause.reason, CauseReason::Required, "{source}");
            assert_eq!(cause.message, "Required value", "{source}");
        }
    }
    let volumes = "image: busybox\n          volumes: [{name: model, image: {reference: a/b:1}}]";
    assert!(judge(&with("image: busybox", volumes), "1.37").accepts());
}
