//! The sidecars that do not end with the main container of a Job, and what their projects document
//! about it. docs/write.md names the sources.

/// A program that runs beside the main container of a pod until it is stopped.
#[derive(Debug, PartialEq, Eq)]
pub struct KnownSidecar {
    pub product: &'static str,
    /// The names that its container usually has.
    names: &'static [&'static str],
    /// The ends of the names of its images, without the registry, the tag and the digest.
    images: &'static [&'static str],
    /// What to set on the pod template if a webhook injects it, as an imperative clause, where native
    /// sidecars exist.
    injected: Option<&'static str>,
    injected_before: Option<&'static str>,
    /// How the main container stops it, as an imperative clause.
    stop: Option<&'static str>,
}

/// An init container with `restartPolicy: Always` has been a sidecar by default since 1.29: the feature
/// gate `SidecarContainers` was alpha in 1.28, beta in 1.29, and has been stable since 1.33.
const NATIVE_SINCE: u32 = 29;

static KNOWN: [KnownSidecar; 10] = [
    KnownSidecar {
        injected: Some(
            "set the annotation sidecar.istio.io/nativeSidecar: \"true\" on the pod template \
             (Istio 1.24 and later), or the label sidecar.istio.io/inject: \"false\" if the Job \
             does not need the mesh",
        ),
        injected_before: Some(
            "set the label sidecar.istio.io/inject: \"false\" on the pod template if the Job does \
             not need the mesh, or send POST http://localhost:15020/quitquitquit at the end of the \
             main container",
        ),
        stop: Some(
            "send POST http://localhost:15020/quitquitquit at the end of the main container",
        ),
        ..KnownSidecar::plain(
            "Istio",
            &["istio-proxy"],
            &["istio/proxyv2", "istio-release/proxyv2"],
        )
    },
    KnownSidecar {
        injected: Some(
            "set the annotation config.linkerd.io/proxy-enable-native-sidecar: \"true\" on the pod \
             template (the default since Linkerd 2.20; config.beta.linkerd.io/... or config.alpha.linkerd.io/... before), or \
             linkerd.io/inject: disabled if the Job does not need the mesh",
        ),
        injected_before: Some(
            "set the annotation linkerd.io/inject: disabled on the pod template if the Job does \
             not need the mesh",
        ),
        ..KnownSidecar::plain("Linkerd", &["linkerd-proxy"], &["linkerd/proxy"])
    },
    KnownSidecar {
        injected: Some(VAULT),
        injected_before: Some(VAULT),
        // The image is also that of the command line, which Jobs may run.
        ..KnownSidecar::plain("Vault Agent", &["vault-agent"], &[])
    },
    KnownSidecar {
        stop: Some(
            "start the proxy (version 2) with --quitquitquit and --exit-zero-on-sigterm, and send \
             POST http://localhost:9091/quitquitquit at the end of the main container",
        ),
        ..KnownSidecar::plain(
            "Cloud SQL Auth Proxy",
            &["cloud-sql-proxy", "cloudsql-proxy"],
            &[
                "cloud-sql-connectors/cloud-sql-proxy",
                "cloudsql-docker/gce-proxy",
            ],
        )
    },
    KnownSidecar {
        injected: Some(DAPR),
        injected_before: Some(DAPR),
        stop: Some(DAPR),
        ..KnownSidecar::plain("Dapr", &["daprd"], &["daprio/daprd", "dapr/daprd"])
    },
    KnownSidecar {
        injected: Some(CONSUL),
        injected_before: Some(CONSUL),
        ..KnownSidecar::plain(
            "Consul",
            &["consul-dataplane"],
            &["hashicorp/consul-dataplane"],
        )
    },
    KnownSidecar::plain("Envoy", &["envoy"], &["envoyproxy/envoy"]),
    KnownSidecar::plain("Fluent Bit", &["fluent-bit"], &["fluent/fluent-bit"]),
    KnownSidecar::plain("Fluentd", &["fluentd"], &["fluent/fluentd"]),
    KnownSidecar::plain(
        "OpenTelemetry Collector",
        &["otc-container", "otel-collector"],
        &[
            "opentelemetry-collector",
            "opentelemetry-collector-contrib",
            "opentelemetry-collector-k8s",
        ],
    ),
];

const VAULT: &str = "set the annotation vault.hashicorp.com/agent-pre-populate-only: \"true\" on the pod template, \
     so that the agent runs only before the main container";

const DAPR: &str = "send POST http://localhost:3500/v1.0/shutdown at the end of the main container, and set \
     restartPolicy: Never";

const CONSUL: &str = "set the annotation consul.hashicorp.com/connect-inject: \"false\" on the pod template if the \
     Job does not need the mesh";

impl KnownSidecar {
    /// One about which its project documents nothing.
    const fn plain(
        product: &'static str,
        names: &'static [&'static str],
        images: &'static [&'static str],
    ) -> Self {
        KnownSidecar {
            product,
            names,
            images,
            injected: None,
            injected_before: None,
            stop: None,
        }
    }

    /// The sidecar that a container is, by its name or its image.
    pub fn of(name: &str, image: &str) -> Option<&'static Self> {
        let repository = repository(image);
        KNOWN.iter().find(|known| {
            let mut images = known.images.iter();
            known.names.contains(&name) || images.any(|end| is_end_of_path(repository, end))
        })
    }

    /// What its project documents to keep it from holding Jobs in Kubernetes 1.`minor`, as an imperative
    /// clause; `None` if only the place of the container matters. What is set for injected containers has
    /// no effect on one that is in the template.
    pub fn remedy(&self, minor: u32, is_in_template: bool) -> Option<&'static str> {
        match (has_native_sidecars(minor), is_in_template) {
            (true, true) => None,
            (true, false) => self.injected,
            (false, true) => self.stop,
            (false, false) => self.injected_before.or(self.stop),
        }
    }
}

/// Whether `restartPolicy: Always` makes an init container a sidecar by default in Kubernetes 1.`minor`.
pub fn has_native_sidecars(minor: u32) -> bool {
    minor >= NATIVE_SINCE
}

/// The name of an image without its tag and its digest.
fn repository(image: &str) -> &str {
    let (image, _) = image.split_once('@').unwrap_or((image, ""));
    let file = image.rfind('/').map_or(0, |slash| slash + 1);
    match image.get(file..).and_then(|name| name.find(':')) {
        Some(colon) => image.get(..file + colon).unwrap_or(image),
        None => image,
    }
}

/// Whether the last parts of a path are these.
fn is_end_of_path(path: &str, end: &str) -> bool {
    path.strip_suffix(end)
        .is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remedy_depends_on_the_release() {
        let istio = KnownSidecar::of("istio-proxy", "").unwrap();
        assert!(istio.remedy(29, false).unwrap().contains("nativeSidecar"));
        assert!(istio.remedy(28, false).unwrap().contains("inject"));
        assert!(!istio.remedy(28, false).unwrap().contains("nativeSidecar"));
        assert_eq!(istio.remedy(29, true), None);
        assert!(!istio.remedy(28, true).unwrap().contains("inject"));
        let sql = KnownSidecar::of("cloud-sql-proxy", "").unwrap();
        assert_eq!((sql.remedy(29, true), sql.remedy(29, false)), (None, None));
        assert!(sql.remedy(28, true).unwrap().contains("--quitquitquit"));
        assert_eq!(sql.remedy(28, true), sql.remedy(28, false));
    }

    #[test]
    fn every_sidecar_has_one_entry() {
        let mut names: Vec<_> = KNOWN.iter().flat_map(|known| known.names).collect();
        names.extend(KNOWN.iter().flat_map(|known| known.images));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
