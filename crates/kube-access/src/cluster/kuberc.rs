//! Which credential plugins kubectl's preferences forbid: `credentialPluginPolicy` in `~/.kube/kuberc`. The rest of them
//! is about kubectl's own commands.
//!
//! No plugin runs that kubectl would refuse. A policy that kubectl ignores, because something else in its document is
//! wrong, counts here.

use std::path::{Path, PathBuf, is_separator};
use std::{env, io};

use serde_json::Value as Json;

use super::credential_files::read_file;
use super::error::ClusterError;

#[derive(Debug, Clone, Default)]
pub(super) struct PluginPolicy {
    /// The names and paths of the plugins that may run; `None` if all may.
    allowed: Option<Vec<String>>,
    /// The file; empty if there is none.
    path: PathBuf,
}

impl PluginPolicy {
    /// Reads the policy in the file of `--kuberc`, of `KUBERC` or in the home directory. As in kubectl, a file in the
    /// home directory that cannot be read leads to a warning only.
    pub(super) fn read(flag: Option<&Path>, warn: impl Fn(&str)) -> Result<Self, ClusterError> {
        let variable = env::var_os("KUBERC").filter(|value| !value.is_empty());
        let gate = env::var("KUBECTL_KUBERC").unwrap_or_default();
        let is_off = gate.eq_ignore_ascii_case("false")
            || variable.as_ref().is_some_and(|value| value == "off");
        if is_off && flag.is_none() {
            return Ok(PluginPolicy::default());
        }
        let given = flag
            .map(Path::to_owned)
            .or(variable.map(PathBuf::from).filter(|_| !is_off));
        let is_given = given.is_some();
        let home = || Some(env::home_dir()?.join(".kube").join("kuberc"));
        let there = |path: &PathBuf| is_given || path.exists();
        let Some(path) = given.or_else(home).filter(there) else {
            return Ok(PluginPolicy::default());
        };
        let content = read_file(&path).map_err(|error| error.to_string());
        let (preferences, path) = match content.and_then(|bytes| preferences(&bytes)) {
            Ok(preferences) => (preferences, path),
            Err(why) if is_given => return Err(ClusterError::Kuberc { path, why }),
            Err(why) => {
                warn(&format!("kuberc {} is ignored: {why}", path.display()));
                return Ok(PluginPolicy::default());
            }
        };
        match allowed(&preferences) {
            Ok(allowed) => Ok(PluginPolicy { allowed, path }),
            Err(why) => Err(ClusterError::Kuberc { path, why }),
        }
    }

    /// The program of a command, if it may run.
    pub(super) fn check(&self, command: &str) -> Result<io::Result<PathBuf>, ClusterError> {
        let program = found(command);
        let (Some(allowed), Ok(path)) = (&self.allowed, &program) else {
            return Ok(program);
        };
        let is_it = |entry: &String| found(entry).is_ok_and(|entry| entry == *path);
        if allowed.iter().any(is_it) {
            return Ok(program);
        }
        Err(ClusterError::PluginRefused {
            plugin: command.to_owned(),
            path: self.path.clone(),
        })
    }
}

/// The preferences in a file; null if it has none of the version with a policy.
fn preferences(bytes: &[u8]) -> Result<Json, String> {
    let parsed = located_yaml::parse(&String::from_utf8_lossy(bytes));
    if let Some(error) = parsed.errors.first() {
        return Err(error.to_string());
    }
    let mut documents = parsed.documents.iter();
    let preferences = documents.find_map(|document| {
        let json = document.root.to_json().ok()?;
        let is_it = json.get("kind")? == "Preference"
            && json.get("apiVersion")? == "kubectl.config.k8s.io/v1beta1";
        is_it.then_some(json)
    });
    Ok(preferences.unwrap_or_default())
}

/// The plugins that preferences allow; `None` if they allow all.
fn allowed(preferences: &Json) -> Result<Option<Vec<String>>, String> {
    let field = |name| preferences.get(name).filter(|value| !value.is_null());
    let policy = field("credentialPluginPolicy").map_or(Some(""), Json::as_str);
    match (policy, field("credentialPluginAllowlist")) {
        (Some("" | "AllowAll"), None) => Ok(None),
        (Some("DenyAll"), None) => Ok(Some(Vec::new())),
        (Some("Allowlist"), Some(Json::Array(entries))) if !entries.is_empty() => {
            let text = |entry: &Json, name| Some(entry.get(name)?.as_str()?.to_owned());
            let command = |entry| text(entry, "command").or_else(|| text(entry, "name"));
            let commands = entries.iter().map(command);
            let commands: Option<Vec<String>> = commands.collect();
            commands.map(Some).ok_or_else(|| {
                "each entry of credentialPluginAllowlist must have a command".to_owned()
            })
        }
        _ => Err(
            "credentialPluginPolicy must be AllowAll, DenyAll or Allowlist, and only Allowlist has a \
             credentialPluginAllowlist, with at least one entry"
                .to_owned(),
        ),
    }
}

/// The program of a command: a path is used as it is, and a name is searched in `PATH`. As in Go, nothing is run from
/// the current directory because of a relative entry of `PATH`.
fn found(command: &str) -> io::Result<PathBuf> {
    if command.contains(is_separator) {
        return Ok(PathBuf::from(command));
    }
    let suffix = env::consts::EXE_SUFFIX;
    let file = format!("{}{suffix}", command.trim_end_matches(suffix));
    let folders = env::var_os("PATH").unwrap_or_default();
    let mut candidates = env::split_paths(&folders).map(|folder| folder.join(&file));
    let found = candidates.find(|path| path.is_absolute() && path.is_file());
    found.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "not found in PATH"))
}
