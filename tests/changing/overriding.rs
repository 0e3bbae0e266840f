//! `trigger` with flags that override the template.

use crate::changing::prelude::*;
use crate::support::files::yaml;

/// A server whose `shop/nightly` has two containers and an init container.
fn server_of_two() -> ApiServer {
    let server = server();
    server.edit("batch/v1", "CronJob", "shop", "nightly", |nightly| {
        let pod = &mut nightly["spec"]["jobTemplate"]["spec"]["template"];
        pod["spec"] = json!({
            "restartPolicy": "Never", "initContainers": [{"name": "fetch", "image": "fetch:1"}],
            "containers": [
                {
                    "name": "proxy", "image": "proxy:1",
                    "envFrom": [{"secretRef": {"name": "token"}}],
                },
                {
                    "name": "main", "image": "main:1", "command": ["/bin/report"],
                    "args": ["--all"],
                    "env": [
                        {"name": "MODE", "value": "full"},
                        {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
                    ],
                },
            ],
        });
    });
    server
}

fn annotate(server: &ApiServer) {
    let annotations = json!({"kubectl.kubernetes.io/default-container": "main"});
    let field = "spec.jobTemplate.spec.template.metadata.annotations";
    set(server, "nightly", field, annotations);
}

fn trigger(server: &ApiServer, more: impl CommandLine) -> Ran {
    // The last arguments may be the command of the container.
    let arguments = ("trigger nightly -y --name=again", NOW, more);
    Call::by(server, "admin", arguments).run()
}

/// The spec of the pod as it was sent.
fn sent(server: &ApiServer) -> Value {
    server.posts()[0].json()["spec"]["template"]["spec"].take()
}

#[test]
fn overrides_apply_to_the_default_container() {
    let server = server_of_two();
    annotate(&server);
    let before = stored(&server, "nightly");
    let more = "--image=main:2 --env=MODE=dry --env KEY=plain --env=X=1=2 -- sh -c date";
    assert_ran!(trigger(&server, more), 0, "job.batch/again created\n");
    let mut expected = before["spec"]["jobTemplate"]["spec"]["template"]["spec"].clone();
    expected["containers"][1] = json!({
        "name": "main", "image": "main:2", "command": ["sh", "-c", "date"],
        "env": [
            {"name": "MODE", "value": "dry"},
            {"name": "KEY", "value": "plain"},
            {"name": "X", "value": "1=2"},
        ],
    });
    assert_eq!(sent(&server), expected);
}

calls! {
    overrides_without_a_default_apply_to_the_first_container {
        let server = server_of_two();
        let ran = trigger(&server, "--image=proxy:2");
        let images = ["proxy:2", "main:1"];
    } ran => 0, "job.batch/again created\n" => sent(&server)["containers"].texts("image") == images;
    overrides_with_container_flag_apply_to_that_container {
        let server = server_of_two();
        let ran = trigger(&server, "-c main --env=MODE-");
    } ran => 0, "job.batch/again created\n"
        => sent(&server)["containers"][1]["env"].texts("name") == ["KEY"];
    args_flag_keeps_the_command_of_the_container {
        let server = server_of_two();
        let ran = trigger(&server, "-c main --args -- --one day");
        let main = &sent(&server)["containers"][1];
        assert_eq!(main["command"], json!(["/bin/report"]));
    } ran => 0 => main["args"] == json!(["--one", "day"]);
    /// There are no arguments to replace those of the container with.
    args_flag_without_arguments_is_refused { let server = server_of_two(); }
        trigger(&server, "--args") => 2, "" => server.requests().is_empty();
    manifest_needs_a_dry_run(server) {}
        trigger(&server, "-o job") => 2, "" => changes(&server).is_empty();
    manifest_of_a_suspension_does_not_exist {}
        call(&server(), "suspend nightly --dry-run -o job") => 2, "";
    ttl_is_set_and_announced(server) {
        let ran = trigger(&server, "--ttl 90m");
        let job = server.object("batch/v1", "Job", "shop", "again").unwrap();
    } ran => 0, "job.batch/again created\n" => job["spec"]["ttlSecondsAfterFinished"] == 5400;
}

#[test]
fn ttl_that_is_not_a_valid_number_of_seconds_is_refused() {
    for wrong in ["1.5s", "100000d", "-1s"] {
        trigger(&server(), [format!("--ttl={wrong}")]).refused();
    }
}

#[test]
fn override_of_an_unknown_container_or_variable_is_refused() {
    let server = server_of_two();
    let cases = [
        &["-c", "mian", "--image=x"][..],
        &["-c", "main", "--env=MODES-"],
        &["--env=TOKEN-"],
        &["--env=A=1", "--env=A-"],
        &["--env=A"],
    ];
    let errors = cases.map(|more| trigger(&server, more).refused());
    insta::assert_snapshot!(errors.concat());
}

/// The template of a custom resource may have any field. It is copied unchanged, and the owner reference
/// has the `apiVersion` of the custom resource.
#[test]
fn trigger_keeps_unknown_fields_of_a_custom_resource() {
    let api_version = "batch.tutorial.kubebuilder.io/v1";
    let options = Options::default().custom_resource(api_version, "cronjobs", "CronJob");
    let server = ApiServer::start(options);
    let mut nightly = cron_job("shop", "nightly", "0 2 * * *");
    nightly["apiVersion"] = json!(api_version);
    let template = json!({
        "metadata": {"labels": {"app": "nightly"}},
        "spec": {
            "brandNew": {"z": 1, "a": [null]},
            "template": {"spec": {"containers": [{"name": "main", "newer": true}]}},
        },
    });
    nightly["spec"]["jobTemplate"] = template.clone();
    nightly["spec"].as_object_mut().unwrap().remove("timeZone");
    server.add(nightly);
    let more = "--resource=cronjobs.v1.batch.tutorial.kubebuilder.io --dry-run -qo json";
    let item = trigger(&server, more).item();
    let job = &item["object"];
    assert_eq!(job["spec"], template["spec"]);
    assert_eq!(job["metadata"]["labels"], json!({"app": "nightly"}));
    let owner = &job["metadata"]["ownerReferences"][0];
    assert_eq!(owner["apiVersion"], api_version);
    // The controller of the Kubebuilder book records no events, and counts the Job as its own.
    assert_eq!(item["prediction"]["sync"]["events"], json!([]));
    assert_eq!(item["prediction"]["nextRun"]["ifStillRunning"], "waits");
}

/// Stdout contains only the manifest, in a form that kubectl accepts, and no request changes anything.
#[test]
fn manifest_is_what_would_be_sent() {
    for strategy in ["--dry-run", "--dry-run=server"] {
        let server = server_of_two();
        let arguments = format!("{strategy} -o job --ttl=1h --image=main:2 -c main");
        let ran = trigger(&server, arguments);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let manifest = &yaml(&ran.stdout)[0];
        assert_eq!(manifest["kind"], "Job");
        assert_eq!(manifest["metadata"]["name"], "again");
        let owner = &manifest["metadata"]["ownerReferences"][0];
        assert_eq!(owner["uid"], "uid-of-nightly");
        assert_eq!(manifest["spec"]["ttlSecondsAfterFinished"], 3600);
        let containers = &manifest["spec"]["template"]["spec"]["containers"];
        assert_eq!(containers[1]["image"], "main:2");
        for generated in "uid resourceVersion creationTimestamp managedFields".split(' ') {
            assert!(manifest["metadata"][generated].is_null(), "{generated}");
        }
        assert!(manifest["status"].is_null() && manifest["spec"]["selector"].is_null());
        assert!(server.object("batch/v1", "Job", "shop", "again").is_none());
    }
}

#[test]
fn manifests_of_several_are_one_stream() {
    let manifests = call(&server(), "trigger report import --dry-run -qo job").fine();
    let documents: Vec<&str> = manifests.split("---\n").collect();
    let is_job = |text: &&str| text.starts_with("apiVersion: batch/v1\nkind: Job\n");
    let are_jobs = documents.iter().all(is_job);
    assert!(documents.len() == 2 && are_jobs, "{manifests}");
}
