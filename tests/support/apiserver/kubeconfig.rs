//! Kubeconfigs: who a client says it is, and what it trusts.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};

use super::certificates::Authority;

/// One way to reach the server; the file is written by `ApiServer::kubeconfig`.
#[derive(Clone, Debug)]
pub(crate) struct Kubeconfig {
    login: Login,
    trust: Trust,
    namespace: Option<String>,
    url: Option<String>,
}

#[derive(Clone, Debug)]
enum Login {
    /// What the kubeconfig says of the user.
    User(Value),
    /// A client certificate of a user, and whether it has expired.
    Certificate(String, bool),
}

#[derive(Clone, Copy, Debug)]
enum Trust {
    Server,
    Stranger,
    Anything,
}

impl Kubeconfig {
    fn with(login: Login) -> Kubeconfig {
        Kubeconfig {
            login,
            trust: Trust::Server,
            namespace: None,
            url: None,
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
        self.url = Some(url.to_owned());
        self
    }

    /// Trusts another authority than the server's.
    pub(crate) fn wrong_authority(mut self) -> Kubeconfig {
        self.trust = Trust::Stranger;
        self
    }

    /// Trusts everybody.
    pub(crate) fn insecure(mut self) -> Kubeconfig {
        self.trust = Trust::Anything;
        self
    }

    /// The file's text; JSON is YAML.
    pub(crate) fn text(&self, url: &str, authority: &Authority) -> String {
        let mut cluster = json!({"server": self.url.as_deref().unwrap_or(url)});
        let data = |pem: &str| json!(BASE64.encode(pem.as_bytes()));
        match self.trust {
            Trust::Server => cluster["certificate-authority-data"] = data(authority.pem()),
            Trust::Stranger => {
                cluster["certificate-authority-data"] = data(Authority::new().pem());
            }
            Trust::Anything => cluster["insecure-skip-tls-verify"] = json!(true),
        }
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

/// A folder of one server, which goes with it.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Folder {
        let parent =
            option_env!("CARGO_TARGET_TMPDIR").map_or_else(std::env::temp_dir, PathBuf::from);
        let path = parent.join(format!("apiserver-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
