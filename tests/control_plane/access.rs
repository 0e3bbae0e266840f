//! What each user is allowed to see, and lists in pages.

use crate::control_plane::prelude::*;

/// A time at which all output is the same, long after all objects were created.
const LATER: &str = "--now=2099-06-01T12:00:00Z";

fn doctor_as(plane: &ControlPlane, user: &str, arguments: impl CommandLine) -> Ran {
    let kubeconfig = plane.kubeconfig(user);
    doctor((arguments, ["--kubeconfig", kubeconfig.to_str().unwrap()]))
}

fn three_cron_jobs(plane: &'static ControlPlane, namespace: &str) -> Namespace<'static> {
    let ns = Namespace::new(plane, namespace);
    for name in ["nightly", "leap", "never"] {
        let schedule = match name {
            "nightly" => "0 2 * * *",
            "leap" => "0 0 29 2 *",
            _ => "0 0 31 2 *",
        };
        let spec = json!({"schedule": schedule, "timeZone": "Etc/UTC", "suspend": true});
        ns.create(name, &spec);
    }
    ns
}

/// Waits until a controller has aggregated the role `view`.
pub(crate) fn wait_for_the_role(plane: &ControlPlane) {
    let viewer = plane.api("viewer");
    wait_until("viewers may see CronJobs", || {
        let answer = viewer.ask("GET", "/apis/batch/v1/cronjobs?limit=1", "", &[]);
        answer.status == 200
    });
}

/// The rows of one namespace, because other tests fill other namespaces at the same time.
fn rows_of<'t>(text: &'t str, namespace: &str) -> Vec<Vec<&'t str>> {
    let rows = text.lines().map(|line| line.split_whitespace().collect());
    rows.filter(|row: &Vec<&str>| row.first() == Some(&namespace))
        .collect()
}

#[test]
fn scan_of_each_user_shows_what_its_rights_allow() {
    let Some(plane) = shared_plane() else { return };
    three_cron_jobs(plane, "access");
    wait_for_the_role(plane);
    for user in ["admin", "viewer"] {
        let text = doctor_as(plane, user, ["scan", "-A", LATER]).fine();
        let mut names: Vec<&str> = rows_of(&text, "access").iter().map(|row| row[1]).collect();
        names.sort_unstable();
        assert_eq!(names, ["leap", "never", "nightly"], "{user}: {text}");
        let document = doctor_as(plane, user, ["scan", "-A", "-o", "json"]).document();
        let mut items = document["items"].items().to_vec();
        items.retain(|item| item["namespace"] == "access");
        let items = json!(items);
        let mut names = items.texts("name");
        names.sort_unstable();
        assert_eq!(names, ["leap", "never", "nightly"], "{user}");
        assert_eq!(document["controller"]["source"], "server");
    }
    for format in ["wide", "json"] {
        for (place, scope) in [
            ("-A", "cluster scope"),
            ("-n access", "namespace \"access\""),
        ] {
            let refused = doctor_as(plane, "nobody", ("scan", place, ["-o", format])).refused();
            assert_contains!(refused, "User \"nobody\" cannot list resource \"cronjobs\"");
            assert_contains!(refused, scope);
        }
    }
}

#[test]
fn scan_with_chunk_size_1_equals_one_request() {
    let Some(plane) = shared_plane() else { return };
    let ns = three_cron_jobs(plane, "pages");
    for name in ["one", "two", "three"] {
        ns.create_job(name, None);
    }
    let scan = |size: &str| {
        let scan = ("scan -n pages -o json --chunk-size", [size, LATER]);
        doctor_as(plane, "admin", scan).fine()
    };
    let pages = scan("1");
    let document: Value = serde_json::from_str(&pages).unwrap();
    assert_eq!(document["items"].items().len(), 3, "{pages}");
    assert_eq!(pages, scan("500"));
    // This server really returns pages of one object.
    let path = format!("{}?limit=1", batch("pages", "cronjobs"));
    let page = ns.api.get(&path);
    assert_eq!(page["items"].items().len(), 1);
    assert_eq!(page["metadata"]["remainingItemCount"], 2);
}
