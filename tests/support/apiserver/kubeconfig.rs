//! Kubeconfigs: the identity of a client, and the authority that it trusts.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Map, Value, json};

use super::certificates::{Authority, Pair, ServerCertificate};

/// The field of a cluster with the certificate that is trusted.
const AUTHORITY: &str = "certificate-authority-data";

/// One way to reach the server; the file is written by `ApiServer::kubeconfig`.
#[derive(Clone, Debug)]
pub(crate) struct Kubeconfig {
    /// The user in the kubeconfig.
    user: Value,
    /// Fields of the cluster in the kubeconfig that differ from the server and its certificate.
    cluster: Map<String, Value>,
    namespace: Option<String>,
}

impl Kubeconfig {
    fn with(user: Value) -> Kubeconfig {
        Kubeconfig {
            user,
            cluster: Map::new(),
            namespace: None,
        }
    }

    /// The token of a user that the server knows.
    pub(crate) fn user(name: &str) -> Kubeconfig {
        Kubeconfig::token(&format!("{name}-token"))
    }

    /// Any token.
    pub(crate) fn token(token: &str) -> Kubeconfig {
        Kubeconfig::with(json!({"token": token}))
    }

    /// A client certificate.
    pub(crate) fn certificate(pair: &Pair) -> Kubeconfig {
        Kubeconfig::with(json!({
            "client-certificate-data": BASE64.encode(&pair.certificate),
            "client-key-data": BASE64.encode(&pair.key),
        }))
    }

    /// A command that prints an `ExecCredential`.
    pub(crate) fn exec(command: &str, arguments: &[&str]) -> Kubeconfig {
        Kubeconfig::with(json!({"exec": {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": command,
            "args": arguments,
            "interactiveMode": "Never",
        }}))
    }

    /// No credentials.
    pub(crate) fn anonymous() -> Kubeconfig {
        Kubeconfig::with(json!({}))
    }

    /// The context's namespace.
    pub(crate) fn namespace(mut self, namespace: &str) -> Kubeconfig {
        self.namespace = Some(namespace.to_owned());
        self
    }

    /// Another address, such as that of a proxy.
    pub(crate) fn url(mut self, url: &str) -> Kubeconfig {
        self.cluster.insert("server".to_owned(), json!(url));
        self
    }

    /// Trusts another authority than the server's.
    pub(crate) fn wrong_authority(mut self) -> Kubeconfig {
        let other = BASE64.encode(Authority::new(ServerCertificate::Signed).pem());
        self.cluster.insert(AUTHORITY.to_owned(), json!(other));
        self
    }

    /// Trusts every server.
    pub(crate) fn insecure(mut self) -> Kubeconfig {
        let insecure = "insecure-skip-tls-verify".to_owned();
        self.cluster.insert(insecure, json!(true));
        self.cluster.insert(AUTHORITY.to_owned(), Value::Null);
        self
    }

    /// The file's text; JSON is YAML.
    pub(crate) fn text(&self, url: &str, authority: &Authority) -> String {
        let mut cluster = Map::from_iter([
            ("server".to_owned(), json!(url)),
            (AUTHORITY.to_owned(), json!(BASE64.encode(authority.pem()))),
        ]);
        cluster.extend(self.cluster.clone());
        let mut context = json!({"cluster": "test-cluster", "user": "test-user"});
        if let Some(namespace) = &self.namespace {
            context["namespace"] = json!(namespace);
        }
        let config = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "test-cluster", "cluster": cluster}],
            "users": [{"name": "test-user", "user": self.user}],
            "contexts": [{"name": "test", "context": context}],
            "current-context": "test",
            "preferences": {},
        });
        serde_json::to_string_pretty(&config).unwrap()
    }
}
