//! The roles of deploy/ are enough for the verbs they are for, and hold nothing that these do not ask for.

// What a system says of a file that is missing differs from one to the next.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail in any way"
)]

#[path = "support/apiserver/mod.rs"]
mod apiserver;
#[path = "support/files.rs"]
#[allow(dead_code, reason = "manifests are the only files")]
mod files;
mod support;

#[path = "live/call.rs"]
#[allow(dead_code, reason = "the verbs that read use the rest")]
mod call;
#[path = "changing/cast.rs"]
#[allow(dead_code, reason = "the verbs that change something use the rest")]
mod cast;
#[path = "live/going.rs"]
#[allow(dead_code, reason = "others end differently")]
mod going;
#[path = "permissions/roles.rs"]
mod roles;
#[path = "live/scene.rs"]
#[allow(dead_code, reason = "the verbs that read use the rest")]
mod scene;
#[path = "permissions/verbs.rs"]
mod verbs;

use roles::Role;
use verbs::{Place, changing, explained, reading};

#[test]
fn reading_in_one_namespace() {
    check("deploy/role-read.yaml", &[reading]);
}

#[test]
fn reading_everywhere() {
    check("deploy/clusterrole-read.yaml", &[reading]);
}

#[test]
fn changing_in_one_namespace() {
    check("deploy/role-change.yaml", &[reading, changing]);
}

#[test]
fn changing_everywhere() {
    check("deploy/clusterrole-change.yaml", &[reading, changing]);
}

/// As docs/permissions.md has it: without CronJobs there is no answer, and without the others one that
/// says what it lacks.
#[test]
fn without_one_of_them() {
    let whole = Role::read("deploy/role-read.yaml");
    assert_eq!(explained(&whole).code, 0);
    for (right, code, said) in [
        (
            "list cronjobs.batch",
            2,
            "error: cannot list cronjobs.batch: ",
        ),
        ("list jobs.batch", 0, "warning: without Jobs, "),
        ("list events", 0, "warning: without events, "),
        ("list pods", 0, "warning: without pods, "),
    ] {
        let ran = explained(&whole.without(right));
        assert_eq!(ran.code, code, "{right}");
        assert!(ran.stderr.starts_with(said), "{right}: {}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{right}: {}", ran.stderr);
    }
}

/// Runs the verbs with the rights of a file's role alone.
#[track_caller]
fn check(file: &str, verbs: &[fn(&Role, Place)]) {
    let role = Role::read(file);
    let place = if role.is_of_the_cluster() {
        Place::Everywhere
    } else {
        Place::Shop
    };
    for run in verbs {
        run(&role, place);
    }
    // Enough: nothing was asked for in vain. Needed: nothing was left unasked.
    assert_eq!(role.asked(), role.granted(), "{file}");
}
