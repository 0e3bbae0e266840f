//! Which CronJobs are changed: by name, by selector, all of them, by files.

use crate::changing::cast::{call, changes, server};
use crate::support::run::Ran;

const QUIET: [&str; 3] = ["suspend", "-yq", "--chunk-size=1"];

fn suspend(arguments: &[&str]) -> Ran {
    call(&server(), &[&QUIET[..], arguments].concat())
}

#[test]
fn nothing_named() {
    for verb in ["suspend", "resume"] {
        let server = server();
        assert_ran!(call(&server, &[verb, "-y"]), 2, "");
        assert!(server.requests().is_empty());
    }
}

#[test]
fn by_selector() {
    assert_ran!(
        suspend(&["-l", "app=hourly"]),
        0,
        "cronjob.batch/hourly suspended\n"
    );
    assert_eq!(suspend(&["-l", "app=none"]).fine(), "");
    let ran = call(&server(), &["suspend", "-y", "-l", "app=none"]);
    insta::assert_snapshot!(ran.stderr);
}

/// The order is the server's; what is suspended already stays so.
#[test]
fn all_of_a_namespace() {
    assert_ran!(
        suspend(&["--all"]),
        0,
        "cronjob.batch/import suspended (no change)\ncronjob.batch/report suspended (no change)\ncronjob.batch/hourly suspended\ncronjob.batch/nightly suspended\n"
    );
}

/// Names alone would not tell which is which.
#[test]
fn all_namespaces() {
    assert_ran!(
        suspend(&["-A"]),
        0,
        "cronjob.batch/import suspended (no change) (namespace shop)\ncronjob.batch/report suspended (no change) (namespace shop)\ncronjob.batch/never suspended (namespace ops)\ncronjob.batch/hourly suspended (namespace shop)\ncronjob.batch/nightly suspended (namespace shop)\n"
    );
    assert_ran!(
        suspend(&["-A", "never"]),
        0,
        "cronjob.batch/never suspended (namespace ops)\n"
    );
}

/// A manifest without a namespace means that of the context, as for kubectl.
#[test]
fn by_files() {
    let server = server();
    let manifests = server.file(
        "manifests.yaml",
        "\
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec: {schedule: '0 2 * * *', jobTemplate: {}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: nightly}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: never, namespace: ops}
spec: {schedule: '0 0 31 2 *', jobTemplate: {}}
",
    );
    let path = manifests.to_str().unwrap();
    let ran = call(&server, &["suspend", "-yq", "-f", path]);
    assert_ran!(
        ran,
        0,
        "cronjob.batch/nightly suspended (namespace shop)\ncronjob.batch/never suspended (namespace ops)\n"
    );
    assert_eq!(changes(&server).len(), 2);
    let ran = call(&server, &["resume", "-yq", "-f", path, "-n", "shop"]);
    assert_ran!(ran, 2);
}

#[test]
fn by_files_that_cannot_be_read() {
    let server = server();
    let broken = server.file("broken.yaml", "kind: CronJob\nspec: [\n");
    let ran = call(&server, &["suspend", "-y", "-f", broken.to_str().unwrap()]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.ends_with(
            "error: nothing was changed: some of the files given with -f cannot be read\n"
        ),
        "{}",
        ran.stderr
    );
    assert!(server.requests().is_empty());
}

/// More than ten are shown in a line each.
#[test]
fn very_many() {
    let server =
        crate::support::apiserver::ApiServer::start(crate::support::apiserver::Options::default());
    for number in 0..12 {
        let name = format!("nightly-{number:02}");
        server.add(crate::live::scene::cron_job("shop", &name, "0 2 * * *"));
    }
    let ran = call(&server, &["suspend", "--all", "--dry-run"]);
    let shown: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(shown.len(), 24, "{}", ran.stdout);
    assert_texts!(shown[0], shown[12],);
}
