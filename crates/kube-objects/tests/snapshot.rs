//! Reading files as evidence, through the library.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use kube_model::{ConcurrencyPolicy, ContainerStatus};
use kube_objects::snapshot::{Evidence, Options, SnapshotError, SourceText, read};

use crate::support::files::root;

pub(crate) fn fixture(name: &str) -> PathBuf {
    root().join("tests/fixtures").join(name)
}

pub(crate) fn read_all(paths: &[PathBuf]) -> (Evidence, Vec<SnapshotError>) {
    read(paths, &Options::default(), &mut io::empty())
}

/// The evidence of a text, which must not have errors.
fn evidence(text: &str) -> Evidence {
    let (evidence, errors) = from_text(text);
    assert_eq!(errors, [] as [String; 0], "{text}");
    evidence
}

fn from_text(text: &str) -> (Evidence, Vec<String>) {
    read_text(text, &Options::default())
}

fn read_text(text: &str, options: &Options) -> (Evidence, Vec<String>) {
    let source = SourceText {
        name: Arc::from("x.yaml"),
        text: text.to_owned(),
    };
    let mut evidence = Evidence::default();
    let errors = evidence.add(&source, options);
    (evidence, errors.iter().map(ToString::to_string).collect())
}

fn error(text: &str) -> String {
    let (_, errors) = from_text(text);
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors[0].clone()
}

/// A manifest with additional lines in its spec.
fn cron_job(spec: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: CronJob\nmetadata:\n  name: a\nspec:\n  schedule: '* * * * *'\n{spec}"
    )
}

#[test]
fn lists_of_the_api_server_are_read() {
    let files = ["cronjobs.json", "jobs.json", "events.json"].map(fixture);
    let (evidence, errors) = read_all(&files);
    assert!(errors.is_empty(), "{errors:?}");
    let (cron_jobs, jobs) = (&evidence.cron_jobs, &evidence.jobs);
    let counts = [cron_jobs.len(), jobs.len(), evidence.events.len()];
    assert_eq!(counts, [12, 6, 26]);
    assert!(evidence.skipped.is_empty() && evidence.warnings.is_empty());

    let mut healthy = cron_jobs.iter().filter(|one| one.object.name == "healthy");
    let healthy = healthy.next().unwrap();
    let spec = &healthy.object.spec;
    assert_eq!(healthy.object.api_version, "batch/v1");
    assert_eq!(healthy.object.namespace, "shop");
    assert_eq!(spec.schedule, "*/30 * * * *");
    assert_eq!(spec.time_zone.as_deref(), Some("Europe/Berlin"));
    assert_eq!(spec.starting_deadline_seconds, Some(300));
    assert_eq!(spec.concurrency_policy, ConcurrencyPolicy::Allow);
    assert_eq!(spec.suspend, Some(false));
    let time_zone = healthy.fields.time_zone.as_ref().unwrap();
    assert_eq!((time_zone.place.line, time_zone.place.column), (1167, 21));
    assert_eq!(time_zone.raw, "\"Europe/Berlin\"");

    let blocked = &cron_jobs[0].object;
    assert_eq!(blocked.spec.concurrency_policy, ConcurrencyPolicy::Forbid);
    assert_eq!(blocked.status.active[0].name, "blocked-29920451");
    let last = blocked.status.last_schedule_time.unwrap();
    assert_eq!(last.to_string(), "2026-11-21T02:11:00Z");
    assert_eq!(blocked.managed_fields.len(), 2);
    assert_eq!(blocked.managed_fields[1].manager, "kube-controller-manager");
    assert_eq!(blocked.managed_fields[1].subresource, "status");
    assert!(blocked.managed_fields[0].sets("schedule"));
    assert!(blocked.managed_fields[1].beside_spec && blocked.managed_fields[1].of_spec.is_empty());

    let failing = &jobs[2];
    assert_eq!(failing.name, "failing-29920452");
    let counts = [failing.active, failing.succeeded, failing.failed];
    assert_eq!(counts, [0, 0, 1]);
    assert_eq!(failing.conditions[0].r#type, "Failed");
    assert_eq!(failing.conditions[0].reason, "BackoffLimitExceeded");
    assert_eq!(failing.owner_references[0].name, "failing");
    assert_eq!(failing.owner_references[0].controller, Some(true));

    let event = evidence.events.last().unwrap();
    assert_eq!(event.reason, "InvalidSchedule");
    assert_eq!(event.reporting_component, "cronjob-controller");
    let expected = "2026-11-21T02:10:06Z";
    assert_eq!(event.last_seen().unwrap().to_string(), expected);
}

#[test]
fn a_job_template_passes_through_untouched() {
    let (evidence, _) = read_all(&[fixture("cronjob-get.json")]);
    let text = fs::read_to_string(fixture("cronjob-get.json")).unwrap();
    let whole: serde_json::Value = serde_json::from_str(&text).unwrap();
    let template = &evidence.cron_jobs[0].object.spec.job_template;
    let expected = whole["spec"]["jobTemplate"].to_string();
    assert_eq!(template.to_string(), expected);
}

#[test]
fn manifest_fields_have_their_locations() {
    let evidence = evidence(
        "---\n# first\n---\napiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a, namespace: b}\n\
         spec:\n  timeZone: Etc/UTC\n  schedule: \"@daily\"\n",
    );
    let located = &evidence.cron_jobs[0];
    assert_eq!(&*located.file, "x.yaml");
    assert_eq!(
        (located.document, located.place.line, located.place.column),
        (1, 4, 1)
    );
    let schedule = located.fields.schedule.as_ref().unwrap();
    assert_eq!((schedule.place.line, schedule.place.column), (9, 13));
    assert_eq!(schedule.raw, "\"@daily\"");
    let time_zone = located.fields.time_zone.as_ref().unwrap();
    let expected = (8, "Etc/UTC");
    assert_eq!((time_zone.place.line, time_zone.raw.as_str()), expected);
}

#[test]
fn absent_fields_stay_absent() {
    let evidence = evidence(&cron_job("  suspend: null\n"));
    let cron_job = &evidence.cron_jobs[0].object;
    assert_eq!(cron_job.namespace, "default");
    assert_eq!(cron_job.spec.suspend, None);
    assert_eq!(cron_job.spec.time_zone, None);
    assert_eq!(cron_job.spec.starting_deadline_seconds, None);
    assert_eq!(cron_job.spec.concurrency_policy, ConcurrencyPolicy::Allow);
    assert_eq!(*cron_job.spec.job_template, serde_json::Value::Null);
    assert_eq!(cron_job.creation_timestamp, None);
}

#[test]
fn namespace_of_the_options_is_the_default() {
    let options = Options {
        namespace: "shop".to_owned(),
        ..Options::default()
    };
    let (evidence, errors) = read_text(&cron_job(""), &options);
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(evidence.cron_jobs[0].object.namespace, "shop");
}

#[test]
fn scalars_are_converted_as_kubectl_does() {
    let evidence = evidence(&cron_job(
        "  suspend: yes\n  startingDeadlineSeconds: 0o17\n  successfulJobsHistoryLimit: 3.0\n  concurrencyPolicy: Sometimes\n",
    ));
    let spec = &evidence.cron_jobs[0].object.spec;
    assert_eq!(spec.suspend, Some(true));
    assert_eq!(spec.starting_deadline_seconds, Some(15));
    assert_eq!(spec.successful_jobs_history_limit, Some(3));
    let expected = ConcurrencyPolicy::Other("Sometimes".to_owned());
    assert_eq!(spec.concurrency_policy, expected);
}

#[test]
fn every_version_of_the_api_is_read() {
    let other = "batch.tutorial.kubebuilder.io/v1";
    for version in ["batch/v1", "batch/v1beta1", "batch/v2alpha1", other] {
        let evidence = evidence(&cron_job("").replace("batch/v1", version));
        assert_eq!(evidence.cron_jobs[0].object.api_version, version);
    }
}

#[test]
fn other_kinds_are_counted_and_left_out() {
    let evidence = evidence(
        "{apiVersion: v1, kind: ConfigMap, data: {a: b}}\n---\n\
         {apiVersion: apps/v1, kind: Deployment}\n---\n\
         {apiVersion: example.com/v1, kind: CronJob}\n---\n\
         {apiVersion: v1, kind: ServiceList, items: [{}, {}]}\n---\n\
         {apiVersion: example.com/v1, kind: AllowList}\n",
    );
    assert!(evidence.cron_jobs.is_empty());
    let skipped = evidence.skipped.iter();
    let skipped: Vec<_> = skipped.map(|(kind, n)| (kind.as_str(), *n)).collect();
    let expected = [
        ("apps/v1 Deployment", 1),
        ("example.com/v1 AllowList", 1),
        ("example.com/v1 CronJob", 1),
        ("v1 ConfigMap", 1),
        ("v1 Service", 2),
    ];
    assert_eq!(skipped, expected);
}

#[test]
fn lists_of_mixed_kinds_and_nested_lists_are_read() {
    let job = "{apiVersion: batch/v1, kind: Job, metadata: {name: j}}";
    let inner = format!("{{apiVersion: v1, kind: List, items: [{job}]}}");
    let jobs = "{apiVersion: batch/v1, kind: JobList, items: [{metadata: {name: k}}]}";
    let evidence = evidence(&format!(
        "{{apiVersion: v1, kind: List, items: [{job}, {inner}, {jobs}]}}\n---\n{{apiVersion: v1, kind: List, items: null}}\n"
    ));
    let names: Vec<_> = evidence.jobs.iter().map(|job| job.name.as_str()).collect();
    assert_eq!(names, ["j", "j", "k"]);
}

/// Init containers come first; the last termination of a container counts if it is not terminated now.
#[test]
fn pods_are_read_with_the_states_of_their_containers() {
    let evidence = evidence(include_str!("snapshot_pods.yaml"));
    let [pod] = evidence.pods.as_slice() else {
        panic!("{:?}", evidence.pods)
    };
    let identity = [&pod.namespace, &pod.name, &pod.uid].map(String::as_str);
    assert_eq!(identity, ["shop", "a-29000000-x2v8p", "p"]);
    assert_eq!(pod.creation_timestamp, "2026-03-10T08:00:00Z".parse().ok());
    assert_eq!(pod.owner_references[0].name, "a-29000000");
    let texts = [&pod.phase, &pod.reason, &pod.message].map(String::as_str);
    assert_eq!(texts, ["Running", "r", "m"]);
    assert_eq!(pod.conditions[0].r#type, "PodScheduled");
    let since = pod.conditions[0].last_transition_time;
    assert_eq!(since, "2026-03-10T08:00:01Z".parse().ok());
    let container = |one: &ContainerStatus| {
        assert_eq!(one.is_running, one.running_since.is_some(), "{}", one.name);
        let since = one.running_since.map(|since| since.to_string());
        let since = since.unwrap_or_default();
        let (name, image) = (&one.name, &one.image);
        format!("{name} {image} {:?} {:?} {since}", one.kind, one.restarts)
    };
    // The name of an image rather than its digest.
    let expected = [
        "init i:1 Init OnFailure ",
        "log l:1 NativeSidecar Always 2026-03-10T08:00:01Z",
        "main m:1 Ordinary OnFailure ",
        "side s:1 Ordinary ByRules 2026-03-10T08:00:02Z",
    ];
    let containers = pod.containers.iter().map(container);
    assert_eq!(containers.collect::<Vec<_>>(), expected);
    let [init, _, main, side] = pod.containers.as_slice() else {
        panic!("{:?}", pod.containers)
    };
    let end = init.terminated.as_ref().unwrap();
    assert_eq!((end.exit_code, end.reason.as_str()), (0, "Completed"));
    let waiting = main.waiting.as_ref().unwrap();
    let texts = [&waiting.reason, &waiting.message].map(String::as_str);
    assert_eq!(texts, ["CrashLoopBackOff", "w"]);
    let end = main.terminated.as_ref().unwrap();
    assert_eq!((end.exit_code, end.reason.as_str()), (137, "OOMKilled"));
    assert_eq!(end.finished_at, "2026-03-10T08:05:00Z".parse().ok());
    assert_eq!((main.restart_count, side.restart_count), (3, 0));
    assert_eq!((&side.waiting, &side.terminated), (&None, &None));
    assert_eq!(end.started_at, "2026-03-10T08:04:00Z".parse().ok());
    assert_eq!((init.end(), main.end()), (init.terminated.as_ref(), None));
}

#[test]
fn wrong_types_in_pods_are_named_with_their_place() {
    let pod = |status: &str| {
        error(&format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nstatus:\n  {status}\n"
        ))
    };
    let cases = [
        "containerStatuses: {}",
        "initContainerStatuses: [{restartCount: often}]",
        "containerStatuses: [{lastState: {terminated: {exitCode: 1.5}}}]",
        "containerStatuses: [{state: waiting}]",
        "containerStatuses: [{state: {running: {startedAt: now}}}]",
        "conditions: [{lastTransitionTime: now}]",
    ];
    let errors = cases.map(pod);
    insta::assert_snapshot!(errors.join("\n"));
}

#[test]
fn events_of_the_new_api_are_read() {
    let evidence = evidence(
        "apiVersion: events.k8s.io/v1\nkind: Event\nmetadata: {name: e, namespace: shop}\n\
         eventTime: 2026-11-21T02:10:06.123456Z\nnote: text\nreason: FailedCreate\ntype: Warning\n\
         reportingController: cronjob-controller\nregarding: {kind: CronJob, name: a, namespace: shop, uid: u}\n\
         series: {count: 7, lastObservedTime: 2026-11-21T02:20:00.000000Z}\n",
    );
    let event = &evidence.events[0];
    let texts = [&event.message, &event.reason].map(String::as_str);
    assert_eq!(texts, ["text", "FailedCreate"]);
    assert_eq!(event.involved_object.name, "a");
    assert_eq!(event.reporting_component, "cronjob-controller");
    assert_eq!(event.occurrences(), 7);
    let expected = "2026-11-21T02:10:06.123456Z";
    assert_eq!(event.first_seen().unwrap().to_string(), expected);
    let last = event.last_seen().unwrap().to_string();
    assert_eq!(last, "2026-11-21T02:20:00Z");
}

#[test]
fn event_has_times_and_a_count_in_either_form() {
    let read = |fields: &str| {
        let event = format!("apiVersion: v1\nkind: Event\nmetadata: {{name: e}}\n{fields}");
        let event = evidence(&event).events.remove(0);
        let times = [event.first_seen(), event.last_seen()];
        let [first, last] = times.map(|time| time.unwrap().strftime("%H:%M").to_string());
        format!("{first} {last} {}", event.occurrences())
    };
    let old =
        "firstTimestamp: 2026-11-21T02:00:00Z\nlastTimestamp: 2026-11-21T03:00:00Z\ncount: 3\n";
    assert_eq!(read(old), "02:00 03:00 3");
    let new = "eventTime: 2026-11-21T02:00:00.000000Z\n";
    assert_eq!(read(new), "02:00 02:00 1");
}

#[test]
fn event_source_replaces_an_empty_reporting_component() {
    let evidence = evidence(
        "{apiVersion: v1, kind: Event, metadata: {name: e}, reportingComponent: '', source: {component: cronjob-controller}}",
    );
    assert_eq!(evidence.events[0].reporting_component, "cronjob-controller");
}

#[test]
fn wrong_types_are_named_with_their_place() {
    let cases = [
        "  startingDeadlineSeconds: abc\n",
        "  startingDeadlineSeconds: 1.5\n",
        "  suspend: 'true'\n",
        "  timeZone: 5\n",
        "  timeZone: on\n",
        "  failedJobsHistoryLimit: 4294967296\n",
        "  jobTemplate: []\n",
        "status:\n  active:\n  - {}\n  - 1\n",
        "status:\n  lastScheduleTime: yesterday\n",
    ];
    let errors = cases.map(|spec| error(&cron_job(spec)));
    insta::assert_snapshot!(errors.join("\n"));
    let label = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: batch/v1\n  kind: Job\n  \
                 metadata: {name: j, labels: {version: 1.5}}\n";
    let expected = "x.yaml:6:41: Job j: items[0].metadata.labels.version: expected text, found 1.5; \
                    put the value in quotes";
    assert_eq!(error(label), expected);
}

#[test]
fn missing_required_fields_are_errors() {
    let cases = [
        "a: 1\n",
        "- 1\n",
        "kind: Job\n",
        "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\nspec:\n  suspend: true\n",
        "apiVersion: batch/v1\nkind: Job\nmetadata: {}\n",
        "apiVersion: batch/v1\nkind: Job\n",
    ];
    let errors = cases.map(error);
    insta::assert_snapshot!(errors.join("\n"));
}

#[test]
fn one_bad_object_does_not_hide_the_others() {
    let good = cron_job("");
    let bad = cron_job("  suspend: 5\n");
    let broken = "schedule: */5 * * * *\n";
    let documents = [bad.as_str(), &good, broken, &good, &bad];
    let (evidence, errors) = from_text(&documents.join("---\n"));
    assert_eq!(evidence.cron_jobs.len(), 2);
    assert_eq!(errors.len(), 3);
    assert_starts!(errors[0], "x.yaml:7:12: ");
    assert_starts!(errors[1], "x.yaml:16:11: ");
    assert_ends!(errors[1], "schedule: '*/5 * * * *'");
    assert_starts!(errors[2], "x.yaml:31:12: ");
}

#[test]
fn duplicate_keys_cause_a_warning() {
    let evidence = evidence(&cron_job("  schedule: '@daily'\n"));
    assert_eq!(evidence.cron_jobs[0].object.spec.schedule, "@daily");
    let expected = "x.yaml:7:3: duplicate key `schedule`, first set on line 6 (line 7, column 3); \
                    the last value is used";
    assert_eq!(evidence.warnings[0].to_string(), expected);
}

#[test]
fn helm_templates_are_errors_also_if_they_are_valid_yaml() {
    let named = |name: &str| cron_job("").replace("name: a", name);
    let zone = cron_job("  timeZone: \"{{ .Values.zone }}\"\n");
    for (template, what) in [
        (zone, "x.yaml:7:13: spec.timeZone looks"),
        (named("name: {{ .Release.Name }}"), "x.yaml:4:9: looks"),
    ] {
        let expected = format!("{what} like a Helm template; render it first: helm template …");
        assert_eq!(error(&template), expected);
    }
    // Annotations may contain templates of other programs.
    evidence(&named("name: a\n  annotations: {x: '{{ $labels.job }}'}"));
}

#[test]
fn concatenated_json_documents_are_read() {
    let get = fs::read_to_string(fixture("cronjob-get.json")).unwrap();
    let evidence = evidence(&get.repeat(3));
    let documents: Vec<_> = evidence.cron_jobs.iter().map(|c| c.document).collect();
    assert_eq!(documents, [0, 1, 2]);
}
