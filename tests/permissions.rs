//! The roles of deploy/ grant the permissions that their commands need, and no others.

mod roles;
mod verbs;

use std::collections::BTreeSet;

use roles::Role;
use verbs::{Place, changing, explained, exporting, reading};

#[test]
fn role_read_is_exactly_what_reading_verbs_need() {
    check("deploy/role-read.yaml", &[reading]);
}

#[test]
fn clusterrole_read_is_exactly_what_reading_verbs_need() {
    check("deploy/clusterrole-read.yaml", &[reading]);
}

#[test]
fn role_of_the_exporter_is_exactly_what_serve_needs() {
    check("deploy/base/role.yaml", &[exporting]);
}

#[test]
fn role_change_is_exactly_what_changing_verbs_need() {
    check("deploy/role-change.yaml", &[reading, changing]);
}

#[test]
fn clusterrole_change_is_exactly_what_changing_verbs_need() {
    check("deploy/clusterrole-change.yaml", &[reading, changing]);
}

/// The table of docs/permissions.md: the last cell of a row names the roles that have the permissions of the first.
#[test]
fn roles_are_those_of_the_table_in_permissions_md() {
    let page = crate::support::files::text("docs/permissions.md");
    let (_, table) = page.split_once("| permission |").unwrap();
    let rows = table.lines().skip(2).take_while(|line| !line.is_empty());
    let rows: Vec<Vec<&str>> = rows.map(|row| row.split(" | ").collect()).collect();
    for (role, files) in [
        (
            "read",
            ["deploy/role-read.yaml", "deploy/clusterrole-read.yaml"].as_slice(),
        ),
        (
            "change",
            &["deploy/role-change.yaml", "deploy/clusterrole-change.yaml"],
        ),
        ("exporter", &["deploy/base/role.yaml"]),
    ] {
        let rows = rows.iter().filter(|row| {
            let roles = row.last().unwrap().trim_end_matches(" |");
            roles.split(", ").any(|one| one == role)
        });
        let listed: BTreeSet<String> = rows
            .flat_map(|row| row[0].split('`').skip(1).step_by(2).map(str::to_owned))
            .collect();
        for file in files {
            assert_eq!(Role::read(file).granted(), listed, "{file}");
        }
    }
}

/// The buttons of `top` need permissions of their own, and no role includes Secrets.
#[test]
fn roles_include_what_buttons_need_and_no_secrets() {
    for (file, changes) in [
        ("deploy/role-read.yaml", false),
        ("deploy/clusterrole-read.yaml", false),
        ("deploy/base/role.yaml", false),
        ("deploy/role-change.yaml", true),
        ("deploy/clusterrole-change.yaml", true),
    ] {
        let granted = Role::read(file).granted();
        assert!(
            !granted.iter().any(|right| right.contains("secrets")),
            "{file}"
        );
        for right in ["create jobs.batch", "patch cronjobs.batch"] {
            assert_eq!(granted.contains(right), changes, "{file}: {right}");
        }
    }
}

/// As docs/permissions.md describes: without permission to list CronJobs there is no answer; without
/// one of the other permissions, the answer reports what is missing.
#[test]
fn explain_without_one_right_names_what_is_missing() {
    let whole = Role::read("deploy/role-read.yaml");
    assert_eq!(explained(&whole).code, 0);
    for (right, code, message) in [
        (
            "list cronjobs.batch",
            2,
            "error: cannot list cronjobs.batch: ",
        ),
        (
            "list jobs.batch",
            0,
            "warning: running, failed and late runs are not shown: ",
        ),
        (
            "list events",
            0,
            "warning: events recorded by the controller are not shown: ",
        ),
        (
            "list pods",
            0,
            "warning: the causes of stuck and failed Jobs are not shown: ",
        ),
    ] {
        let ran = explained(&whole.without(right));
        assert_eq!(ran.code, code, "{right}");
        assert!(ran.stderr.starts_with(message), "{right}: {}", ran.stderr);
        // An error has a line of help.
        let lines = 1 + usize::from(code == 2);
        assert_eq!(ran.stderr.lines().count(), lines, "{right}: {}", ran.stderr);
    }
}

/// Few roles include quotas: if the permission for them is missing, there is no warning.
#[test]
fn explain_without_the_right_to_quotas_does_not_warn() {
    let without = Role::read("deploy/role-read.yaml").without("list resourcequotas");
    let ran = explained(&without);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}

/// Runs the commands with only the permissions of a file's role.
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
    // Every permission that was requested is granted, and every granted one was requested.
    let mut asked = role.asked();
    // It is in another namespace, and what it shows can be seen from CronJobs, too.
    asked.remove("get leases.coordination.k8s.io");
    assert_eq!(asked, role.granted(), "{file}");
}
