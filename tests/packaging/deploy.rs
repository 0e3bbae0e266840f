//! The objects of deploy/ select each other, in each combination that is applied.

use std::collections::BTreeMap;

use crate::support::prelude::*;

use crate::support::files::{text, yaml};

/// The objects that exist after files were applied, by kind and name.
type Objects = BTreeMap<(String, String), Value>;

fn applied(files: &[&str]) -> Objects {
    let documents = files.iter().flat_map(|file| yaml(&text(file)));
    let named = documents.map(|document| {
        let name = document["metadata"]["name"].text().to_owned();
        ((document["kind"].text().to_owned(), name), document)
    });
    named.collect()
}

fn of_kind<'o>(objects: &'o Objects, kind: &str) -> Vec<&'o Value> {
    let objects = objects.values();
    objects.filter(|object| object["kind"] == kind).collect()
}

/// Whether labels have all those of a selector.
fn matches(selector: &Value, labels: &Value) -> bool {
    let selector = selector.as_object().unwrap();
    assert!(!selector.is_empty());
    selector.iter().all(|(key, value)| labels[key] == *value)
}

/// Asserts that each selector leads to the pods of the Deployment: ServiceMonitor, Service, PodDisruptionBudget and
/// NetworkPolicy.
#[track_caller]
fn check_selectors(objects: &Objects) {
    let [deployment] = of_kind(objects, "Deployment")[..] else {
        panic!("one Deployment");
    };
    let pod = &deployment["spec"]["template"];
    let labels = &pod["metadata"]["labels"];
    assert!(matches(
        &deployment["spec"]["selector"]["matchLabels"],
        labels
    ));
    let ports = &pod["spec"]["containers"][0]["ports"];
    let services = of_kind(objects, "Service");
    assert!(!services.is_empty());
    for service in &services {
        assert!(matches(&service["spec"]["selector"], labels), "{service}");
        assert_eq!(service["spec"]["ports"][0]["targetPort"], ports[0]["name"]);
    }
    for monitor in of_kind(objects, "ServiceMonitor") {
        let selector = &monitor["spec"]["selector"]["matchLabels"];
        let selected = services.iter();
        let selected = selected.filter(|service| matches(selector, &service["metadata"]["labels"]));
        let names: Vec<&Value> = selected.map(|it| &it["spec"]["ports"][0]["name"]).collect();
        assert_eq!(names, [&monitor["spec"]["endpoints"][0]["port"]]);
    }
    for kind in ["PodDisruptionBudget", "NetworkPolicy"] {
        for object in of_kind(objects, kind) {
            let spec = &object["spec"];
            let selector = spec.get("selector").or(spec.get("podSelector")).unwrap();
            assert!(matches(&selector["matchLabels"], labels), "{object}");
        }
    }
}

#[test]
fn selectors_of_each_combination_lead_to_the_pods() {
    let recorders = [
        &[][..],
        &["deploy/serve-recorder.yaml"],
        &["deploy/serve-postgres.yaml"],
    ];
    for recorder in recorders {
        let files = ["deploy/clusterrole-read.yaml", "deploy/serve.yaml"].into_iter();
        let files = files.chain(recorder.iter().copied());
        let files: Vec<&str> = files.chain(["deploy/servicemonitor.yaml"]).collect();
        check_selectors(&applied(&files));
    }
}
