//! Other kinds with a schedule, read from a real API server with minimal custom resource definitions.

use crate::control_plane::prelude::*;

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

#[test]
fn custom_kinds_of_a_cluster_are_read_only_if_requested() {
    let Some(plane) = shared_plane() else { return };
    let api = plane.api("admin");
    let namespace = "kinds";
    api.create_namespace(namespace);
    let call = |line: &str| -> Ran {
        let kubeconfig = plane.kubeconfig("admin");
        let kubeconfig = kubeconfig.to_str().unwrap();
        doctor((line, ["--kubeconfig", kubeconfig, "-n", namespace]))
    };
    let missing = call("next-runs --kinds scheduledbackups");
    assert_eq!(missing.code, 2, "{missing:?}");
    assert_contains!(missing.stderr, "scheduledbackups.postgresql.cnpg.io");
    // With all kinds, those that the cluster does not have are left out.
    assert_eq!(call("next-runs --kinds all").code, 0);
    let synced = json!({"trigger": {"schedule": "0 3 * * *"}});
    let monday = json!({"schedules": ["0 6 * * 1"], "timezone": "Europe/Berlin"});
    let schedule = |text: &str| json!({"schedule": text});
    let (volsync, backup) = ("volsync.backube/v1alpha1", "postgresql.cnpg.io/v1");
    for (api_version, kind, spec) in [
        (backup, "ScheduledBackup", schedule("0 0 2 * * *")),
        ("velero.io/v1", "Schedule", schedule("30 2 * * *")),
        ("argoproj.io/v1alpha1", "CronWorkflow", monday),
        (volsync, "ReplicationSource", synced.clone()),
        (volsync, "ReplicationDestination", synced),
    ] {
        let (group, version) = api_version.split_once('/').unwrap();
        let singular = kind.to_lowercase();
        let plural = format!("{singular}s");
        let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        api.create(
            DEFINITIONS,
            &json!({
                "metadata": {"name": format!("{plural}.{group}")},
                "spec": {
                    "group": group,
                    "scope": "Namespaced",
                    "names": {"plural": plural, "singular": singular, "kind": kind},
                    "versions": [{
                        "name": version, "served": true, "storage": true,
                        "schema": {"openAPIV3Schema": open},
                    }],
                },
            }),
        );
        let path = format!("/apis/{group}/{version}/namespaces/{namespace}/{plural}");
        wait_until("the definition is served", || {
            api.ask("GET", &path, "", &[]).status == 200
        });
        api.create(
            &path,
            &json!({
                "apiVersion": api_version, "kind": kind,
                "metadata": {"name": "a"}, "spec": spec,
            }),
        );
    }
    let ran = call("next-runs --kinds all --count 1 -o name");
    let mut names: Vec<&str> = ran.stdout.lines().collect();
    names.sort_unstable();
    let expected = [
        "cronworkflow.argoproj.io/a",
        "replicationdestination.volsync.backube/a",
        "replicationsource.volsync.backube/a",
        "schedule.velero.io/a",
        "scheduledbackup.postgresql.cnpg.io/a",
    ];
    assert_eq!((ran.code, names.as_slice()), (0, &expected[..]), "{ran:?}");
    let one = call("next-runs --kinds schedules --count 1 -o name");
    assert_eq!(one.stdout, "schedule.velero.io/a\n");
    let none = call("next-runs -o name");
    assert_eq!(none.stdout, "", "kinds are read only if they are asked for");
    let explained = call("explain replicationsource/a").stdout;
    assert_contains!(explained, "A sync starts immediately: it is the first.");
    assert_eq!(call("explain scheduledbackup/b").code, 2);
}
