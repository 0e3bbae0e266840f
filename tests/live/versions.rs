//! The version that the server reports, and how it is used.

use crate::live::prelude::*;
use crate::live::scene::objects;

/// The controller in the document, and the messages on stderr.
fn scanned(version: &str, arguments: impl CommandLine) -> (Value, String) {
    let server = server_of(Options::default().git_version(version));
    let ran = view(&server, ("scan -o json", arguments));
    assert_eq!(ran.code, 0, "{ran:?}");
    let report = ran.json();
    (report["controller"].clone(), ran.stderr)
}

fn of_server(version: &str) -> Value {
    json!({
        "model": "v2", "kubernetesVersion": version, "source": "server", "timeZone": "UTC",
        "timeZoneSource": "default",
    })
}

#[test]
fn server_versions_of_cloud_vendors_are_read() {
    for (text, version) in [
        ("v1.36.2", "1.36.2"),
        ("v1.30.4-eks-a737599", "1.30.4"),
        ("v1.29.6-gke.100", "1.29.6"),
        ("v1.31.1-gke.1678000", "1.31.1"),
        ("v1.28.9+k3s1", "1.28.9"),
        ("v1.29.4+rke2r1", "1.29.4"),
        ("v1.26.15+4818370", "1.26.15"),
        ("v1.27.0-rc.1", "1.27.0"),
        ("1.31+", "1.31"),
    ] {
        let (controller, said) = scanned(text, "");
        assert_eq!(controller, of_server(version), "{text}");
        assert_eq!(said, "", "{text}");
    }
}

#[test]
fn server_newer_than_the_newest_known_release_is_reported() {
    let (controller, said) = scanned("v1.99.1", "");
    assert_eq!(controller, of_server("1.99.1"));
    insta::assert_snapshot!(said);
}

/// Each verb names the release notes, whether a flag or the server determines the version.
#[test]
fn version_beyond_the_checked_ones_names_its_source() {
    let origin = "from the release notes; not yet compared with a running 1.37";
    for (version, flag, expected) in [
        ("v1.36.2", "", false),
        ("v1.36.2", "--kubernetes-version 1.37", true),
        ("v1.37.1", "", true),
        ("v1.37.1", "--kubernetes-version 1.36", false),
    ] {
        let server = server_of(Options::default().git_version(version));
        for verb in ["explain nightly -o wide", "report", "next-runs --explain"] {
            let printed = view(&server, (verb, flag)).fine();
            let words = printed.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(
                words.contains(origin),
                expected,
                "{version} {flag} {verb}: {words}"
            );
        }
    }
}

#[test]
fn server_newer_than_known_is_predicted_as_the_newest() {
    let explained = |version: &str| {
        let server = server_of(Options::default().git_version(version));
        let mut explained = view(&server, "explain nightly -o json --compare 1.20").json();
        explained["items"][0]["controller"].take();
        explained["items"][0]["now"].take();
        explained
    };
    assert_eq!(explained("v1.99.1"), explained("v1.37.0"));
}

/// A 1.20 server, which has CronJobs in `batch/v1beta1` only.
#[test]
fn server_of_1_20_is_read_and_changed_in_v1beta1() {
    let mut options = Options::default()
        .git_version("v1.20.15-eks-fb459a0")
        .custom_resource("batch/v1beta1", "cronjobs", "CronJob");
    let versions = |name: &str| if name == "cronjobs" { "v1beta1" } else { "v1" };
    let is_served = |plural: &str, version: &str| version == versions(plural);
    options
        .resources
        .retain(|one| one.group != "batch" || is_served(&one.plural, &one.version));
    let server = ApiServer::start(options);
    for mut object in objects() {
        if object["kind"] == "CronJob" {
            object["apiVersion"] = json!("batch/v1beta1");
        }
        server.add(object);
    }
    let succeeds = |user: &str, call: &str| {
        let ran = ask(&server, user, (call, "--resource=cronjobs.v1beta1.batch"));
        assert_eq!(ran.code, 0, "{call}: {ran}");
        ran.stdout
    };
    for verb in "scan explain history next-runs report".split(' ') {
        assert_contains!(succeeds("viewer", verb), "hourly");
    }
    assert_contains!(succeeds("viewer", "simulate -o wide"), "hourly");
    for verb in [
        "suspend",
        "resume",
        "trigger",
        "backfill --last 1 --dry-run=server",
    ] {
        succeeds("admin", &format!("{verb} nightly -yq"));
    }
    assert_contains!(
        succeeds("viewer", "explain nightly -o wide"),
        "Kubernetes 1.20.15 (v1)"
    );
}

#[test]
fn server_version_that_cannot_be_read_warns_and_assumes_the_default() {
    for text in ["unknown", "", "v1", "v1.x"] {
        let (controller, said) = scanned(text, "");
        assert_eq!(controller["source"], "default", "{text}");
        assert_eq!(controller["kubernetesVersion"], "1.36", "{text}");
        let expected = format!(
            "warning: unknown version {text:?} of the API server; predicting as for Kubernetes 1.36. \
             Set the version with --kubernetes-version.\n"
        );
        assert_eq!(said, expected);
        assert_eq!(scanned(text, "-q").1, "");
    }
}

#[test]
fn version_flag_overrides_the_version_of_the_server() {
    let (controller, said) = scanned("v1.99.1", ["--kubernetes-version=1.20"]);
    let expected = json!({
        "model": "v1", "kubernetesVersion": "1.20", "source": "flag", "timeZone": "UTC",
        "timeZoneSource": "default",
    });
    assert_eq!((controller, said.as_str()), (expected, ""));
}

#[test]
fn explain_shows_the_version_of_the_server() {
    let server = server_of(Options::default().git_version("v1.30.4-eks-a737599"));
    let explained = view(&server, "explain nightly -o json").json();
    let controller = &explained["items"][0]["controller"];
    assert_eq!(controller["kubernetesVersion"], "1.30.4");
    assert_eq!(controller["source"], "server");
}
