//! Credential plugins: programs in a kubeconfig that print credentials.
//!
//! kube would run them itself, but three times for each client, and without a timeout.

use std::io::IsTerminal as _;
use std::process::{Output, Stdio};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use kube::config::{AuthInfo, ExecConfig, ExecInteractiveMode};
use secrecy::ExposeSecret as _;
use serde::Deserialize;
use serde_json::json;
use tokio::process::Command;
use tokio::sync::Mutex;

use super::deadline::Deadline;
use super::error::ClusterError;
use super::kuberc::PluginPolicy;
use crate::process::{self, Limits, ProcessError};

/// The largest output. A token and a certificate with its key are a few KiB.
const LARGEST_OUTPUT: u64 = 1 << 20;

/// Held while a plugin may ask something: there is one terminal.
static TERMINAL: Mutex<()> = Mutex::const_new(());

#[derive(Debug, Clone)]
pub(super) struct Plugin {
    exec: ExecConfig,
    command: String,
    policy: PluginPolicy,
}

#[derive(Deserialize)]
struct Credential {
    status: Option<Login>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Login {
    token: Option<String>,
    client_certificate_data: Option<String>,
    client_key_data: Option<String>,
}

impl Plugin {
    /// Removes the plugin from a user, which has no credentials until the plugin is called. As in kubectl, other
    /// credentials take precedence over a plugin.
    pub(super) fn take(user: &mut AuthInfo, policy: PluginPolicy) -> Option<Self> {
        let exec = user.exec.take()?;
        let has_token = user
            .token
            .as_ref()
            .is_some_and(|token| !token.expose_secret().is_empty());
        let others = [
            &user.token_file,
            &user.username,
            &user.client_certificate,
            &user.client_certificate_data,
        ];
        if has_token || others.iter().any(|other| other.is_some()) {
            return None;
        }
        Some(Plugin {
            command: exec.command.clone().unwrap_or_default(),
            exec,
            policy,
        })
    }

    /// Calls the plugin for credentials. An interactive plugin has no timeout, because a person may
    /// have to answer it.
    pub(super) async fn ask(
        &self,
        user: &mut AuthInfo,
        deadline: Option<Deadline>,
    ) -> Result<(), ClusterError> {
        let may_prompt = self.may_prompt()?;
        let mut command = self.command(may_prompt)?;
        let limits = Limits {
            output: LARGEST_OUTPUT,
            messages: LARGEST_OUTPUT,
            time: deadline.filter(|_| !may_prompt).map(Deadline::left),
        };
        // An interactive plugin must stay in the process group of the terminal.
        let output = if may_prompt {
            let _turn = TERMINAL.lock().await;
            process::run_in_foreground(&mut command, limits).await
        } else {
            process::run(&mut command, limits).await
        };
        let output = output.map_err(|error| match error {
            ProcessError::Start(_) => self.not_started(&error),
            ProcessError::Late(_) => {
                let flag = deadline.map_or("", |deadline| deadline.limit.flag);
                self.failed(format!("did not finish in time; increase {flag}"))
            }
            error => self.failed(error.to_string()),
        })?;
        let login = self.read(&output)?;
        if login.token.is_none() && login.client_certificate_data.is_none() {
            return Err(self.failed("the ExecCredential has neither a token nor a certificate"));
        }
        if let Some(token) = login.token {
            user.token = Some(token.into());
        }
        if let (Some(certificate), Some(key)) =
            (login.client_certificate_data, login.client_key_data)
        {
            user.client_certificate = None;
            user.client_certificate_data = Some(BASE64_STANDARD.encode(certificate));
            user.client_key = None;
            user.client_key_data = Some(BASE64_STANDARD.encode(key).into());
        }
        Ok(())
    }

    /// Whether a person may have to answer it.
    pub(super) fn may_prompt(&self) -> Result<bool, ClusterError> {
        let terminal = std::io::stdin().is_terminal();
        match self.exec.interactive_mode {
            Some(ExecInteractiveMode::Never) => Ok(false),
            Some(ExecInteractiveMode::Always) if !terminal => {
                Err(self.failed("needs a terminal for input (interactiveMode: Always), but standard input is not a terminal"))
            }
            _ => Ok(terminal),
        }
    }

    fn command(&self, may_prompt: bool) -> Result<Command, ClusterError> {
        if self.command.is_empty() {
            return Err(self.failed("no command in the kubeconfig"));
        }
        let program = self.policy.check(&self.command)?;
        let mut command =
            Command::new(program.map_err(|error| self.not_started(&ProcessError::Start(error)))?);
        command.args(self.exec.args.iter().flatten());
        for variable in self.exec.env.iter().flatten() {
            if let (Some(name), Some(value)) = (variable.get("name"), variable.get("value")) {
                command.env(name, value);
            }
        }
        let mut spec = json!({"interactive": may_prompt});
        if self.exec.provide_cluster_info
            && let (Some(spec), Ok(cluster)) = (
                spec.as_object_mut(),
                serde_json::to_value(&self.exec.cluster),
            )
        {
            spec.insert("cluster".to_owned(), cluster);
        }
        let info = json!({
            "apiVersion": self.exec.api_version,
            "kind": "ExecCredential",
            "spec": spec,
        });
        command.env("KUBERNETES_EXEC_INFO", info.to_string());
        if may_prompt {
            command.stdin(Stdio::inherit()).stderr(Stdio::inherit());
        } else {
            command.stdin(Stdio::null()).stderr(Stdio::piped());
        }
        command.stdout(Stdio::piped());
        Ok(command)
    }

    fn read(&self, output: &Output) -> Result<Login, ClusterError> {
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr);
            let message = message.trim();
            let message = if message.is_empty() {
                String::new()
            } else {
                format!(": {message}")
            };
            return Err(self.failed(match output.status.code() {
                Some(code) => format!("exited with status {code}{message}"),
                None => format!("was terminated: {}{message}", output.status),
            }));
        }
        // Usually JSON, but YAML is accepted, too.
        let text = String::from_utf8_lossy(&output.stdout);
        let documents = located_yaml::parse(&text).documents;
        let credential = documents.first().and_then(|document| {
            let value = document.root.to_json().ok()?;
            serde_json::from_value::<Credential>(value).ok()
        });
        credential
            .and_then(|credential| credential.status)
            .ok_or_else(|| self.failed("did not print an ExecCredential"))
    }

    fn not_started(&self, error: &ProcessError) -> ClusterError {
        let hint = self.exec.install_hint.as_deref().map(str::trim);
        ClusterError::Credentials {
            plugin: self.command.clone(),
            why: error.to_string(),
            hint: hint.map(str::to_owned),
        }
    }

    fn failed(&self, why: impl Into<String>) -> ClusterError {
        ClusterError::Credentials {
            plugin: self.command.clone(),
            why: why.into(),
            hint: None,
        }
    }
}
