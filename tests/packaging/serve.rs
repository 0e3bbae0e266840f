//! The exporter that runs in a cluster.

use crate::support::prelude::*;

use crate::support::files::{text, yaml};

/// The documents of deploy/base/serve.yaml: the account, the Deployment and the Service.
fn exporter() -> [Value; 3] {
    yaml(&text("deploy/base/serve.yaml")).try_into().unwrap()
}

#[test]
fn objects_of_the_exporter_select_each_other() {
    let [account, deployment, service] = exporter();
    let kinds = [&account, &deployment, &service].map(|object| object["kind"].clone());
    assert_eq!(kinds, ["ServiceAccount", "Deployment", "Service"]);
    let pod = &deployment["spec"]["template"];
    let labels = &pod["metadata"]["labels"];
    assert_eq!(&deployment["spec"]["selector"]["matchLabels"], labels);
    assert_eq!(&service["spec"]["selector"], labels);
    assert_eq!(&service["metadata"]["labels"], labels);
    let expected = &account["metadata"]["name"];
    assert_eq!(&pod["spec"]["serviceAccountName"], expected);
    let container = &pod["spec"]["containers"][0];
    let port = &container["ports"][0];
    assert_eq!(service["spec"]["ports"][0]["targetPort"], port["name"]);
    for (probe, path) in [("readinessProbe", "/readyz"), ("livenessProbe", "/healthz")] {
        let get = json!({"path": path, "port": port["name"]});
        assert_eq!(container[probe]["httpGet"], get, "{probe}");
    }
}

#[test]
fn exporter_has_valid_arguments() {
    let [_, deployment, _] = exporter();
    let container = &deployment["spec"]["template"]["spec"]["containers"][0];
    let arguments = container["args"].items().iter();
    let arguments: Vec<&str> = arguments.map(Json::text).collect();
    assert_eq!(arguments, ["serve", "--all-namespaces", "--listen=:8080"]);
    assert_eq!(container["ports"][0]["containerPort"], 8080);
    let arguments = [arguments.as_slice(), &["--help"]].concat();
    assert_eq!(doctor(&arguments).code, 0);
}

/// The same image, account and restrictions as the nightly scan.
#[test]
fn exporter_has_the_restrictions_of_the_nightly_scan() {
    let [account, deployment, _] = exporter();
    let [other_account, nightly] =
        <[Value; 2]>::try_from(yaml(&text("deploy/nightly.yaml"))).unwrap();
    assert_eq!(account, other_account);
    let pod = &deployment["spec"]["template"]["spec"];
    let nightly = &nightly["spec"]["jobTemplate"]["spec"]["template"]["spec"];
    assert_eq!(pod["securityContext"], nightly["securityContext"]);
    let (container, other) = (&pod["containers"][0], &nightly["containers"][0]);
    assert_eq!(container["securityContext"], other["securityContext"]);
    let requests = &container["resources"]["requests"];
    assert_eq!(requests, &other["resources"]["requests"]);
    assert!(container["resources"]["limits"]["memory"].is_string());
    // After a release, with the digests.
    let [image, with_curl] = [container, other].map(|one| {
        let image = one["image"].text();
        image
            .split_once('@')
            .map_or(image, |(image, _)| image)
            .to_owned()
    });
    assert_eq!(format!("{image}-curl"), with_curl);
}
