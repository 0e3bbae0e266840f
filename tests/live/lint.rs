//! `lint --dry-run=server`: additional findings about manifests from a cluster.

use crate::live::prelude::*;

const CRON_JOBS: &str = "/apis/batch/v1/namespaces/shop/cronjobs";
const CREATE: &str = "POST /apis/batch/v1/namespaces/shop/cronjobs";
const BAD: &str = "examples/lint/rejected-by-cluster/bad.yaml";

/// The response of a real 1.36 server with a policy that requires a label.
const POLICY: Fault = Fault::Refusal {
    code: 422,
    reason: "Invalid",
    message: "cronjobs.batch \"nightly\" is forbidden: ValidatingAdmissionPolicy 'team-label' \
              with binding 'team-label' denied request: every CronJob needs a label team",
    cause: Some(
        "ValidatingAdmissionPolicy 'team-label' with binding 'team-label' denied request: every \
         CronJob needs a label team",
    ),
};

fn lint_as(server: &ApiServer, user: &str, arguments: impl CommandLine) -> Ran {
    let fixed = "lint --dry-run=server --now=2026-11-21T08:00:00Z";
    Call::by(server, user, (fixed, arguments)).run()
}

fn lint(server: &ApiServer, arguments: impl CommandLine) -> Ran {
    lint_as(server, "admin", arguments)
}

fn is_create(request: &Recorded) -> bool {
    request.line() == CREATE
}

/// A server that refuses every manifest.
fn refusing(fault: Fault) -> ApiServer {
    let server = server();
    server.fault(Match::path(CRON_JOBS).method("POST"), fault);
    server
}

/// A manifest in a file of the server's folder.
fn manifest(server: &ApiServer, name: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut object = json!({
        "apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": name},
        "spec": {
            "schedule": "0 2 * * *", "timeZone": "Etc/UTC", "startingDeadlineSeconds": 3600,
            "concurrencyPolicy": "Forbid",
            "jobTemplate": {"spec": {
                "activeDeadlineSeconds": 1800,
                "template": {"spec": {
                    "restartPolicy": "Never",
                    "containers": [{"name": "main", "image": "registry.example.com/a:1"}],
                }},
            }},
        },
    });
    change(&mut object);
    let path = server.file("a.json", &object.to_string());
    path.to_str().unwrap().to_owned()
}

#[test]
fn manifest_refused_by_a_policy_is_a_finding() {
    let server = refusing(POLICY);
    assert_ran!(lint(&server, [BAD]), 1);
    let asked = &server.requests_where(is_create)[0];
    let query = asked.query.iter();
    let parameters: Vec<_> = query.map(|(name, value)| (&**name, &**value)).collect();
    let expected = [
        ("dryRun", "All"),
        ("fieldManager", "kubectl-cronjob-doctor"),
        ("fieldValidation", "Strict"),
    ];
    assert_eq!(parameters, expected);
    let sent = asked.json();
    assert_eq!(sent["metadata"], json!({"name": "nightly"}));
    assert_eq!(sent["spec"]["startingDeadlineSeconds"], json!(3600));
}

#[test]
fn patch_of_a_kustomization_is_not_shown_to_the_cluster() {
    let server = server();
    let patch = "examples/lint/kustomize-patch/bad.yaml";
    let ran = lint(&server, format!("-o short --severity=info {patch}"));
    assert_eq!(ran.code, 0);
    assert_ends!(ran.stdout, "[CJD005 kustomize-patch]\n");
    assert!(server.requests_where(is_create).is_empty());
}

#[test]
fn accepted_manifest_has_no_finding_and_is_not_created() {
    let server = server();
    lint(&server, [BAD]).assert_no_problems();
    // A CronJob of this name already exists, which is detected only when everything else is valid.
    lint(&server, [BAD]).assert_no_problems();
    let path = format!("{CRON_JOBS}/fresh");
    let fresh = manifest(&server, "fresh", |_| ());
    lint(&server, fresh.clone()).assert_no_problems();
    assert!(server.requests().iter().all(|one| one.path != path));
    let scan = ["scan", "fresh", crate::live::scene::NOW];
    let scanned = Call::by(&server, "admin", scan).run();
    assert_eq!(scanned.code, 2, "{scanned:?}");
}

/// The response may not come from the API server: a login page neither accepts nor rejects the
/// manifest.
#[test]
fn answer_that_is_not_of_an_api_server_is_an_error() {
    const ACCESS: &str = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let other = "{\"kind\":\"CronJob\",\"metadata\":{\"name\":\"other\"}}";
    let faults = [
        Fault::Html(200),
        Fault::Body("application/json", "{}"),
        Fault::Body("application/json", other),
        Fault::Body("application/json", ""),
        Fault::Html(404),
        Fault::Html(422),
        Fault::Html(403),
    ];
    let errors = faults.map(|fault| lint(&refusing(fault), [BAD]).refused());
    insta::assert_snapshot!(errors.concat());
    // The same applies to the request that checks the permission.
    let allowed = r#"{"kind":"Status","status":{"allowed":true}}"#;
    let bodies = ["{}", "<html>", allowed];
    let errors = bodies.map(|body| {
        let server = refusing(Fault::Status(403));
        server.fault(Match::path(ACCESS), Fault::Body("text/html", body));
        lint(&server, [BAD]).refused()
    });
    insta::assert_snapshot!(errors.concat());
}

/// kubectl would not send it either. The other manifest is still sent.
#[test]
fn namespace_that_cannot_be_part_of_a_path_is_refused() {
    let server = server();
    let wrong = manifest(&server, "wrong", |object| {
        object["metadata"]["namespace"] = json!("a/b");
    });
    let ran = lint(&server, format!("{wrong} {BAD} -o short"));
    let expected = "invalid namespace \"a/b\": may not contain '/'";
    assert_eq!((ran.stderr.as_str(), ran.code), ("", 1), "{ran:?}");
    assert_contains!(ran.stdout, expected);
    let posts = server.requests_where(|one| one.method == "POST");
    assert!(posts.iter().map(Recorded::line).eq([CREATE]));
}

#[test]
fn lint_without_dry_run_server_sends_no_request() {
    let server = server();
    let offline = Call::by(&server, "admin", format!("lint {BAD}"));
    offline.run().assert_no_problems();
    assert!(server.requests().is_empty());
}

#[test]
fn manifest_that_every_server_refuses_has_each_finding_once() {
    let server = server();
    let file = manifest(&server, "wrong", |object| {
        object["spec"]["schedule"] = json!("0 2 * *");
        object["spec"]["successfulJobsHistoryLimit"] = json!(-1);
    });
    let ran = lint(&server, format!("{file} -o short"));
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{ran:?}");
    let is_invalid = |line: &&str| line.ends_with("[CJD105 invalid-value]");
    assert!(lines.iter().all(is_invalid), "{ran:?}");
    assert_eq!(server.requests_where(is_create).len(), 1);
}

#[test]
fn lint_without_the_right_to_create_reports_the_other_findings() {
    let server = server();
    let other = manifest(&server, "other", |object| {
        object["spec"]["schedule"] = json!("0 0 31 2 *");
    });
    let ran = lint_as(&server, "viewer", [BAD, &other, "-o", "short"]);
    assert_eq!(ran.code, 2);
    insta::assert_snapshot!(ran.stderr);
    assert_ends!(ran.stdout, "[CJD201 never-scheduled]\n");
}

#[test]
fn missing_namespace_is_a_finding() {
    let server = server();
    let file = manifest(&server, "nightly", |object| {
        object["metadata"]["namespace"] = json!("elsewhere");
    });
    let ran = lint(&server, file.clone());
    let starts = ["error", " -->", "  = in", "  = help", "          "];
    let kept = |line: &&str| starts.iter().any(|start| line.starts_with(start));
    let lines: Vec<&str> = ran.stdout.lines().filter(kept).collect();
    insta::assert_snapshot!(lines.join("\n"));
    assert_eq!(ran.code, 1);
}

/// The example's manifest, once for each namespace and name.
fn manifests(of: &[&str]) -> String {
    let text = fs::read_to_string(BAD).unwrap();
    let one = |place: &&str| {
        let (namespace, name) = place.split_once('/').unwrap();
        let named = format!("namespace: {namespace}\n  name: {name}\n");
        text.replace("name: nightly\n", &named)
    };
    of.iter().map(one).collect::<Vec<_>>().join("---\n")
}

/// One namespace has to be created, however many manifests are in it: the finding is at the first
/// manifest that does not ignore it.
#[test]
fn missing_namespace_of_many_manifests_is_reported_once() {
    let server = server();
    let ignored = "one # cronjob-doctor: ignore[rejected-by-cluster] on its way";
    let second = ["elsewhere/two", "nowhere/one", "elsewhere/three"];
    let third = ["nowhere/two", "shop/four", "beyond/one", "elsewhere/four"];
    let files = [
        ("a.yaml", manifests(&[&format!("elsewhere/{ignored}")])),
        ("b.yaml", manifests(&second)),
        ("c.yaml", manifests(&third)),
    ];
    let paths = files.map(|(name, text)| server.file(name, &text));
    let paths = paths.each_ref().map(|path| path.to_str().unwrap());
    assert_ran!(lint(&server, (&paths, "-o short")), 1);
}

/// A folder may configure a lower severity for the finding, which does not hide it in other
/// folders.
#[test]
fn missing_namespace_is_reported_once_for_each_severity() {
    let server = server();
    let config = server.file("config.yaml", "rules: {rejected-by-cluster: warning}\n");
    let folder = config.parent().unwrap().join("mild");
    std::fs::create_dir(&folder).unwrap();
    std::fs::copy(&config, folder.join(".cronjob-doctor.yaml")).unwrap();
    let mild = folder.join("a.yaml");
    let two = manifests(&["elsewhere/one", "elsewhere/two"]);
    fs::write(&mild, two).unwrap();
    let other = server.file("b.yaml", &manifests(&["elsewhere/three"]));
    let paths = [mild.to_str().unwrap(), other.to_str().unwrap()];
    assert_ran!(lint(&server, (&paths, "-o short")), 1);
}

#[test]
fn lint_uses_the_version_of_the_server_unless_one_is_given() {
    let server = server_of(Options::default().git_version("v1.23.4"));
    let lines = |arguments: &str| {
        let ran = lint(&server, (&format!("{BAD} -o short"), arguments));
        ran.stdout.matches("time-zone-ignored").count() + ran.stdout.matches("timeZone").count()
    };
    // A 1.23 server does not support time zones.
    assert!(lines("") > 0);
    assert_eq!(lines("--kubernetes-version=1.36"), 0);
    let config = server.file("config.yaml", "kubernetesVersion: '1.36'\n");
    assert_eq!(lines(&format!("--config {}", config.display())), 0);
    let config = server.file("config.yaml", "rules: {simultaneous-starts: off}\n");
    assert!(lines(&format!("--config {}", config.display())) > 0);
}

#[test]
fn an_ignore_is_unused_only_where_the_cluster_was_asked() {
    let server = server();
    let text = std::fs::read_to_string(BAD).unwrap();
    let ignored = "nightly # cronjob-doctor: ignore[rejected-by-cluster] on its way\n";
    let text = text.replace("nightly\n", ignored);
    let file = server.file("a.yaml", &text);
    let file = file.to_str().unwrap();
    let offline = Call::by(&server, "admin", format!("lint {file}"));
    offline.run().assert_no_problems();
    let ran = lint(&server, format!("{file} -o short"));
    assert_contains!(ran.stdout, "[CJD004 unused-ignore]");
    server.fault(Match::any().method("POST"), POLICY);
    assert_eq!(lint(&server, format!("{file} -o short")).fine(), "");
}

calls! {
    manifest_refused_by_a_quota_is_a_finding {
        let message = "cronjobs.batch \"nightly\" is forbidden: exceeded quota: few, requested: \
                       count/cronjobs.batch=1, used: count/cronjobs.batch=3, limited: \
                       count/cronjobs.batch=3";
    } lint(&refusing(Fault::refusal(403, "Forbidden", message)), format!("{BAD} -o short")) => 1;
    warnings_of_the_server_are_findings(server) {
        for warning in [
            "spec.jobTemplate.spec.template.spec.containers[0].image: pin it by its digest",
            "the team of this namespace is leaving",
        ] {
            server.warn(Match::any().method("POST"), warning);
        }
    } lint(&server, format!("{BAD} -o short")) => 0;
    server_that_fails_is_asked_about_one_manifest_only(server) {
        let second = manifest(&server, "second", |_| ());
        let message = "Internal error occurred: failed calling webhook \"a\": no endpoints";
        server.fault(Match::any().method("POST"), Fault::refusal(500, "InternalError", message));
        let texts = [BAD, &second].map(|file| fs::read_to_string(file).unwrap());
        let file = server.file("both.yaml", &texts.join("\n---\n"));
    } lint(&server, [file.to_str().unwrap()]) => 2;
}
