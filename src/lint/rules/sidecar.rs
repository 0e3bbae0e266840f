//! Containers that run beside the main one.

use crate::document::Node;
use crate::lint::{LintSubject, POD, Violation};
use crate::rules::{KnownSidecar, has_native_sidecars};
use crate::words::sentence;

/// What commands contain that stop a sidecar, or that run it until a file appears.
const STOPPING: [&str; 8] = [
    "quitquitquit",
    "/shutdown",
    "graceful_shutdown",
    "exit-after-auth",
    "linkerd-await",
    "scuttle",
    "kubexit",
    "kill ",
];

/// A known sidecar is an ordinary container, and no command shows that anything stops it.
pub(super) fn held_by_sidecar(subject: &LintSubject<'_>) -> Vec<Violation> {
    let list = format!("{POD}.containers");
    let containers = subject.get(&list).and_then(Node::as_sequence);
    let containers = containers.unwrap_or_default();
    let known: Vec<Option<&KnownSidecar>> = containers.iter().map(sidecar).collect();
    let main = containers
        .iter()
        .zip(&known)
        .find(|(_, known)| known.is_none());
    let Some((main, _)) = main.filter(|_| !containers.iter().any(mentions_stopping)) else {
        return Vec::new();
    };
    let main = main.get("name").and_then(Node::as_str);
    let main = main.unwrap_or("the main container");
    let minor = subject.context.release.minor();
    let found = known.into_iter().enumerate().filter_map(|(index, known)| {
        let known = known?;
        let then = match subject.str("spec.concurrencyPolicy") {
            Some("Forbid") => "the Job does not finish and blocks all later runs",
            Some("Replace") => "the next run deletes the Job before it finishes",
            _ => "the Job does not finish",
        };
        let message = format!(
            "{} does not end on its own: unless {main} stops it, {then}",
            known.product
        );
        let found = subject.found(&format!("{list}[{index}].name"), message);
        Some(
            match (known.remedy(minor, true), has_native_sidecars(minor)) {
                (Some(clause), _) => found.help(sentence(clause)),
                // The remedy of the rule.
                (None, true) => found,
                (None, false) => {
                    found.help("Stop this container at the end of the main container.".to_owned())
                }
            },
        )
    });
    found.collect()
}

fn sidecar(container: &Node) -> Option<&'static KnownSidecar> {
    let text = |key: &str| container.get(key).and_then(Node::as_str);
    let image = text("image").unwrap_or_default();
    // Istio replaces this image: the container only configures the one that it injects, which may be a
    // native sidecar.
    let is_injected = image == "auto";
    KnownSidecar::of(text("name")?, image).filter(|_| !is_injected)
}

fn mentions_stopping(container: &Node) -> bool {
    let lists = ["command", "args"].iter();
    let words = lists
        .filter_map(|list| container.get(list)?.as_sequence())
        .flatten()
        .filter_map(Node::as_str);
    let mut words = words.into_iter();
    words.any(|word| {
        let stops = |stopping: &&str| word.contains(stopping);
        STOPPING.iter().any(stops) || matches!(word, "kill" | "pkill" | "killall")
    })
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, helps, spec};

    /// A manifest with other containers beside the main one.
    fn beside(others: &str) -> String {
        spec("schedule: 0 6 * * *") + others
    }

    const PROXY: &str =
        "          - name: db\n            image: gcr.io/cloudsql-docker/gce-proxy:1.33\n";

    fn count(text: &str) -> usize {
        found("held-by-sidecar", "1.36", text).len()
    }

    #[test]
    fn known_sidecar_beside_the_main_container() {
        let text = beside(PROXY);
        let message = "16:19 Cloud SQL Auth Proxy does not end on its own: unless report stops it, the Job does not finish";
        assert_eq!(found("CJD511", "1.36", &text), [message]);
        let policy = |policy: &str| {
            let lines = format!("schedule: 0 6 * * *\nconcurrencyPolicy: {policy}");
            let found = found("CJD511", "1.36", &(spec(&lines) + PROXY));
            found[0].rsplit_once("it, ").unwrap().1.to_owned()
        };
        assert_eq!(
            policy("Forbid"),
            "the Job does not finish and blocks all later runs"
        );
        assert_eq!(
            policy("Replace"),
            "the next run deletes the Job before it finishes"
        );
        let both = beside(&format!("{PROXY}          - name: istio-proxy\n"));
        assert_eq!(count(&both), 2);
    }

    #[test]
    fn other_containers_are_not_reported() {
        assert_eq!(count(&spec("schedule: 0 6 * * *")), 0);
        let worker = PROXY.replace("cloudsql-docker/gce-proxy", "example/worker");
        assert_eq!(count(&beside(&worker)), 0);
        // The image is the main container.
        let alone = spec("schedule: 0 6 * * *")
            .replace("registry.example.com/report", "docker.io/fluent/fluent-bit");
        assert_eq!(count(&alone), 0);
        // Istio injects its own image, perhaps as a native sidecar.
        let auto = "          - name: istio-proxy\n            image: auto\n";
        assert_eq!(count(&beside(auto)), 0);
        let native = spec("schedule: 0 6 * * *").replace(
            "          containers:\n",
            &format!(
                "          initContainers:\n{PROXY}            restartPolicy: Always\n          containers:\n"
            ),
        );
        assert_eq!(count(&native), 0);
    }

    #[test]
    fn commands_that_stop_a_sidecar() {
        for args in [
            "[--quitquitquit, --port=5432]",
            "[sh, -c, 'curl -X POST localhost:9091/quitquitquit']",
            "['until test -f /tmp/done; do sleep 1; done; kill 1']",
            "[pkill, gce-proxy]",
        ] {
            let text = beside(&format!("{PROXY}            args: {args}\n"));
            assert_eq!(count(&text), 0, "{args}");
        }
        let other = beside(&format!("{PROXY}            args: [--timeout=5, 7]\n"));
        assert_eq!(count(&other), 1);
    }

    #[test]
    fn remedy_depends_on_the_release_and_the_sidecar() {
        let first = |release: &str, name: &str| {
            let text = beside(&format!("          - name: {name}\n"));
            helps("held-by-sidecar", release, &text).remove(0)
        };
        assert!(first("1.36", "cloud-sql-proxy").starts_with("Move the container to init"));
        assert!(first("1.28", "cloud-sql-proxy").starts_with("Start the proxy (version 2)"));
        assert!(first("1.28", "envoy").starts_with("Stop this container at the end"));
        // Annotations have no effect on a container that no webhook injects.
        assert!(first("1.36", "vault-agent").starts_with("Move the container to init"));
        assert!(first("1.28", "istio-proxy").starts_with("Send POST"));
        // The name alone is enough, and the message is the same for all releases.
        let range = beside("          - name: envoy\n");
        assert_eq!(found("held-by-sidecar", "1.24-1.36", &range).len(), 1);
    }

    #[test]
    fn odd_manifests_are_not_reported() {
        for odd in [
            "          - 7\n",
            "          - {}\n",
            "          - name: [envoy]\n",
        ] {
            assert_eq!(count(&beside(odd)), 0, "{odd}");
        }
    }
}
