//! Kubeconfigs: who a client says it is, and what it trusts.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Map, Value, json};

use super::certificates::Authority;

/// The field of a cluster with the certificate that is trusted.
const AUTHORITY: &str = "certificate-authority-data";

/// One way to reach the server; the file is written by `ApiServer::kubeconfig`.
#[derive(Clone, Debug)]
pub(crate) struct Kubeconfig {
    login: Login,
    /// What the kubeconfig says of the cluster, where that is not the server with its certificate.
    cluster: Map<String, Value>,
    namespace: Option<String>,
}

#[derive(Clone, Debug)]
enum Login {
    /// What the kubeconfig says of the user.
    User(Value),
    /// A client certificate of a user, and whether it has expired.
    Certificate(String, bool),
}

impl Kubeconfig {
    fn with(login: Login) -> Kubeconfig {
        Kubeconfig {
            login,
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
        Kubeconfig::with(Login::User(json!({"token": token})))
    }

    /// A client certificate of a user.
    pub(crate) fn certificate(user: &str) -> Kubeconfig {
        Kubeconfig::with(Login::Certificate(user.to_owned(), false))
    }

    /// One that has expired.
    pub(crate) fn expired_certificate(user: &str) -> Kubeconfig {
        Kubeconfig::with(Login::Certificate(user.to_owned(), true))
    }

    /// A command that prints an `ExecCredential`.
    pub(crate) fn exec(command: &str, arguments: &[&str]) -> Kubeconfig {
        Kubeconfig::with(Login::User(json!({"exec": {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": command,
            "args": arguments,
            "interactiveMode": "Never",
        }})))
    }

    /// Nothing that says who asks.
    pub(crate) fn anonymous() -> Kubeconfig {
        Kubeconfig::with(Login::User(json!({})))
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
        let other = BASE64.encode(Authority::new().pem());
        self.cluster.insert(AUTHORITY.to_owned(), json!(other));
        self
    }

    /// Trusts everybody.
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
            "users": [{"name": "test-user", "user": self.login(authority)}],
            "contexts": [{"name": "test", "context": context}],
            "current-context": "test",
            "preferences": {},
        });
        serde_json::to_string_pretty(&config).unwrap()
    }

    fn login(&self, authority: &Authority) -> Value {
        match &self.login {
            Login::User(user) => user.clone(),
            Login::Certificate(user, expired) => {
                let pair = authority.client(user, *expired);
                json!({
                    "client-certificate-data": BASE64.encode(pair.certificate.as_bytes()),
                    "client-key-data": BASE64.encode(pair.key.as_bytes()),
                })
            }
        }
    }
}
