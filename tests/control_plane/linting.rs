//! A manifest that every server would accept, except one with an admission policy.

use crate::control_plane::prelude::*;

const POLICIES: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
pub(super) const BINDINGS: &str =
    "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";

#[test]
fn manifest_refused_by_an_admission_policy_is_a_finding() {
    let Some(plane) = shared_plane().filter(|plane| plane.is_since(30)) else {
        return;
    };
    let api = plane.api("admin");
    let namespace = "team-label";
    api.create_namespace(namespace);
    let lint = |file: &str| -> Ran {
        let file = format!("examples/lint/rejected-by-cluster/{file}.yaml");
        let kubeconfig = plane.kubeconfig("admin");
        let kubeconfig = kubeconfig.to_str().unwrap();
        let place = ["--kubeconfig", kubeconfig, "-n", namespace];
        doctor(("lint --dry-run=server", place, file))
    };
    let silent = |ran: &Ran| (ran.code, ran.stdout.as_str()) == (0, "");
    assert!(silent(&lint("bad")), "no policy yet");
    deny(
        &api,
        namespace,
        "cronjobs",
        "'team' in object.metadata.?labels.orValue({})",
        "every CronJob needs a label team",
    );
    // A new policy is not in effect immediately.
    wait_until("the policy is in effect", || !silent(&lint("bad")));
    assert_ran!(lint("bad"), 1);
    assert!(silent(&lint("good")));
}

/// Creates a policy that is named after the namespace, and denies objects for which the expression is false.
pub(super) fn deny(api: &Api, namespace: &str, resource: &str, expression: &str, message: &str) {
    api.create(
        POLICIES,
        &json!({
            "metadata": {"name": namespace},
            "spec": {
                "failurePolicy": "Fail",
                "matchConstraints": {
                    "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
                    "resourceRules": [{
                        "apiGroups": ["batch"],
                        "apiVersions": ["v1"],
                        "operations": ["CREATE"],
                        "resources": [resource],
                    }],
                },
                "validations": [{"expression": expression, "message": message}],
            },
        }),
    );
    api.create(
        BINDINGS,
        &json!({
            "metadata": {"name": namespace},
            "spec": {"policyName": namespace, "validationActions": ["Deny"]},
        }),
    );
}
