//! The kustomizations of deploy/: what `kubectl apply -k` applies, and that its objects select each other.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use crate::support::prelude::*;
use test_requirements::KUBECTL;

use crate::support::files::{below, root, text, yaml};

/// The kustomizations that are applied, apart from the one for the Prometheus Operator.
const OVERLAYS: [&str; 3] = ["exporter", "sqlite", "postgres"];

/// Objects by kind and name.
type Objects = BTreeMap<(String, String), Value>;

/// What `kubectl apply -k` applies of a folder of deploy/; `None` without kubectl.
fn kustomized(folder: &str) -> Option<Objects> {
    let kustomize = Command::new("kubectl")
        .args(["kustomize", &format!("deploy/{folder}")])
        .current_dir(root())
        .output();
    let Ok(output) = kustomize else {
        KUBECTL.skip();
        return None;
    };
    assert!(output.status.success(), "{output:?}");
    let documents = yaml(&String::from_utf8(output.stdout).unwrap());
    let named = documents.into_iter().map(|document| {
        let name = document["metadata"]["name"].text().to_owned();
        ((document["kind"].text().to_owned(), name), document)
    });
    Some(named.collect())
}

fn of_kind<'o>(objects: &'o Objects, kind: &str) -> Vec<&'o Value> {
    let objects = objects.values();
    objects.filter(|object| object["kind"] == kind).collect()
}

#[track_caller]
fn only<'o>(objects: &'o Objects, kind: &str) -> &'o Value {
    let [object] = of_kind(objects, kind)[..] else {
        panic!("one {kind}");
    };
    object
}

/// Whether labels have all those of a selector.
fn matches(selector: &Value, labels: &Value) -> bool {
    let selector = selector.as_object().unwrap();
    assert!(!selector.is_empty());
    selector.iter().all(|(key, value)| labels[key] == *value)
}

/// Asserts that each selector leads to the pods of the Deployment, also that of the topology spread.
#[track_caller]
fn check_selectors(objects: &Objects) {
    let deployment = only(objects, "Deployment");
    let pod = &deployment["spec"]["template"];
    let labels = &pod["metadata"]["labels"];
    assert!(matches(
        &deployment["spec"]["selector"]["matchLabels"],
        labels
    ));
    let port = &pod["spec"]["containers"][0]["ports"][0]["name"];
    let service = only(objects, "Service");
    assert!(matches(&service["spec"]["selector"], labels), "{service}");
    assert_eq!(service["spec"]["ports"][0]["targetPort"], *port);
    let monitor = only(objects, "ServiceMonitor");
    let selector = &monitor["spec"]["selector"]["matchLabels"];
    assert!(
        matches(selector, &service["metadata"]["labels"]),
        "{monitor}"
    );
    let endpoint = json!({"port": service["spec"]["ports"][0]["name"], "interval": "60s", "honorLabels": true});
    assert_eq!(monitor["spec"]["endpoints"], json!([endpoint]));
    for budget in of_kind(objects, "PodDisruptionBudget") {
        assert!(
            matches(&budget["spec"]["selector"]["matchLabels"], labels),
            "{budget}"
        );
    }
    for policy in of_kind(objects, "NetworkPolicy") {
        assert!(
            matches(&policy["spec"]["podSelector"]["matchLabels"], labels),
            "{policy}"
        );
        assert_eq!(
            policy["spec"]["ingress"][0]["ports"],
            json!([{"port": port}])
        );
    }
    let spread = pod["spec"].get("topologySpreadConstraints");
    for constraint in spread.into_iter().flat_map(Json::items) {
        assert!(matches(&constraint["labelSelector"]["matchLabels"], labels));
    }
}

#[test]
fn selectors_of_each_combination_lead_to_the_pods() {
    for overlay in OVERLAYS {
        let (Some(mut objects), Some(operator)) = (kustomized(overlay), kustomized("operator"))
        else {
            return;
        };
        objects.extend(operator);
        check_selectors(&objects);
        // The account exists and has the permissions, in the namespace of everything else.
        let account = only(&objects, "ServiceAccount");
        let [name, namespace] = ["name", "namespace"].map(|key| &account["metadata"][key]);
        let binding = only(&objects, "ClusterRoleBinding");
        let subject = json!({"kind": "ServiceAccount", "name": name, "namespace": namespace});
        assert_eq!(binding["subjects"], json!([subject]));
        let role = only(&objects, "ClusterRole");
        assert_eq!(binding["roleRef"]["name"], role["metadata"]["name"]);
        let pod = &only(&objects, "Deployment")["spec"]["template"]["spec"];
        assert_eq!(pod["serviceAccountName"], *name);
        for object in objects.values() {
            let kind = object["kind"].text();
            let expected = if kind.starts_with("Cluster") {
                &Value::Null
            } else {
                namespace
            };
            assert_eq!(object["metadata"]["namespace"], *expected, "{kind}");
        }
    }
}

/// What kube-prometheus-stack selects.
#[test]
fn objects_for_the_operator_have_the_label_of_the_release() {
    let Some(objects) = kustomized("operator") else {
        return;
    };
    let kinds: Vec<&str> = objects.keys().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(kinds, ["PrometheusRule", "ServiceMonitor"]);
    for object in objects.values() {
        let label = &object["metadata"]["labels"]["release"];
        assert_eq!(label, "kube-prometheus-stack");
    }
}

/// The kinds of an overlay.
fn kinds(objects: &Objects) -> BTreeSet<&str> {
    objects.keys().map(|(kind, _)| kind.as_str()).collect()
}

const EXPORTER: [&str; 5] = [
    "ClusterRole",
    "ClusterRoleBinding",
    "Deployment",
    "Service",
    "ServiceAccount",
];

/// Compares the Deployment with that of the exporter, apart from what was removed from it.
#[track_caller]
fn check_rest(deployment: &Value, exporter: &Objects) {
    let mut expected = only(exporter, "Deployment").clone();
    expected["spec"].as_object_mut().unwrap().remove("strategy");
    let container = &mut expected["spec"]["template"]["spec"]["containers"][0];
    container.as_object_mut().unwrap().remove("args");
    expected["spec"]["replicas"].take();
    assert_eq!(*deployment, expected);
}

fn taken(value: &mut Value, key: &str) -> Value {
    let removed = value.as_object_mut().unwrap().remove(key);
    removed.unwrap_or_else(|| panic!("{key}"))
}

#[test]
fn recorder_with_a_file_is_the_exporter_with_a_volume() {
    let (Some(exporter), Some(objects)) = (kustomized("exporter"), kustomized("sqlite")) else {
        return;
    };
    let others = ["PersistentVolumeClaim", "Role"];
    let expected = EXPORTER.into_iter().chain(others).collect();
    assert_eq!(kinds(&objects), expected);
    let mut deployment = only(&objects, "Deployment").clone();
    assert_eq!(
        taken(&mut deployment["spec"], "strategy"),
        json!({"type": "Recreate"})
    );
    assert_eq!(deployment["spec"]["replicas"].take(), 1);
    let pod = &mut deployment["spec"]["template"]["spec"];
    assert_eq!(taken(&mut pod["securityContext"], "fsGroup"), 65532);
    let claim = taken(pod, "volumes")[0]["persistentVolumeClaim"]["claimName"].take();
    assert_eq!(
        claim,
        only(&objects, "PersistentVolumeClaim")["metadata"]["name"]
    );
    let container = &mut pod["containers"][0];
    let mounts = taken(container, "volumeMounts");
    let file = format!("--record={}/runs.db", mounts[0]["mountPath"].text());
    let arguments = ["serve", "--all-namespaces", "--listen=:8080", &file];
    assert_eq!(taken(container, "args"), json!(arguments));
    check_rest(&deployment, &exporter);
    check_readers(&objects);
}

/// The Service has the label by which `history` finds it, and the role refers to it.
#[track_caller]
fn check_readers(objects: &Objects) {
    let service = only(objects, "Service");
    let label = &service["metadata"]["labels"]["app.kubernetes.io/component"];
    assert_eq!(label, "recorder");
    let names = &only(objects, "Role")["rules"][0]["resourceNames"];
    let port = service["spec"]["ports"][0]["name"].text();
    let service = service["metadata"]["name"].text();
    assert_eq!(names, &json!([service, format!("{service}:{port}")]));
}

/// Two replicas, which are replaced and drained one after the other, and no password among the arguments.
#[test]
fn replicas_with_a_database_are_the_exporter_with_a_secret() {
    let (Some(exporter), Some(objects)) = (kustomized("exporter"), kustomized("postgres")) else {
        return;
    };
    let others = ["PodDisruptionBudget", "Role"];
    let expected = EXPORTER.into_iter().chain(others).collect();
    assert_eq!(kinds(&objects), expected);
    assert_eq!(
        only(&objects, "PodDisruptionBudget")["spec"]["maxUnavailable"],
        1
    );
    let mut deployment = only(&objects, "Deployment").clone();
    let strategy = taken(&mut deployment["spec"], "strategy");
    assert_eq!(strategy["rollingUpdate"]["maxUnavailable"], 1);
    assert_eq!(deployment["spec"]["replicas"].take(), 2);
    let pod = &mut deployment["spec"]["template"]["spec"];
    taken(pod, "topologySpreadConstraints");
    let container = &mut pod["containers"][0];
    let environment = taken(container, "env");
    let from_secret = |name: &str, key: &str| {
        let secret = json!({"name": "cronjob-doctor", "key": key});
        json!({"name": name, "valueFrom": {"secretKeyRef": secret}})
    };
    let expected = [
        from_secret("RECORD_URL", "url"),
        from_secret("PGPASSWORD", "password"),
    ];
    assert_eq!(environment, json!(expected));
    let arguments = [
        "serve",
        "--all-namespaces",
        "--listen=:8080",
        "--record=$(RECORD_URL)",
    ];
    assert_eq!(taken(container, "args"), json!(arguments));
    check_rest(&deployment, &exporter);
    check_readers(&objects);
}

#[test]
fn exporter_alone_has_a_network_policy() {
    let Some(objects) = kustomized("exporter") else {
        return;
    };
    let expected = EXPORTER.into_iter().chain(["NetworkPolicy"]).collect();
    assert_eq!(kinds(&objects), expected);
    let label = &only(&objects, "Service")["metadata"]["labels"]["app.kubernetes.io/component"];
    assert_eq!(label, "exporter");
}

/// Each file of a kustomization is listed in it, and each file that is listed exists. It needs no kubectl.
#[test]
fn kustomizations_list_their_files() {
    for folder in [
        "base", "exporter", "operator", "postgres", "recorder", "sqlite",
    ] {
        let folder = format!("deploy/{folder}");
        let kustomization = yaml(&text(&format!("{folder}/kustomization.yaml"))).remove(0);
        let list = |key: &str| kustomization.get(key).into_iter().flat_map(Json::items);
        let resources = list("resources").chain(list("components")).map(Json::text);
        let patches = list("patches").map(|patch| patch["path"].text());
        let (folders, mut listed): (Vec<&str>, Vec<&str>) = resources
            .chain(patches)
            .partition(|path| path.starts_with("../"));
        for path in folders {
            assert!(
                root()
                    .join(&folder)
                    .join(path)
                    .join("kustomization.yaml")
                    .exists(),
                "{path}"
            );
        }
        listed.push("kustomization.yaml");
        listed.sort_unstable();
        let files = below(&folder);
        let files = files.iter().map(|file| file.rsplit_once('/').unwrap().1);
        assert_eq!(files.collect::<Vec<_>>(), listed, "{folder}");
    }
}
