//! Which credential plugins kubectl's preferences allow: `credentialPluginPolicy` in `~/.kube/kuberc`.
//!
//! The decisions and their messages are those of kubectl 1.37. The rest of the preferences is about kubectl's own
//! commands.

use std::path::{MAIN_SEPARATOR_STR, Path, PathBuf, is_separator};
use std::{env, fs, io};

use serde_json::Value as Json;

use super::credential_files::read_file;
use located_yaml;

#[derive(Debug, Clone, Default)]
pub(super) struct PluginPolicy {
    rule: Rule,
    /// The file; empty if there is none.
    path: PathBuf,
}

#[derive(Debug, Clone, Default)]
enum Rule {
    #[default]
    AllowAll,
    DenyAll,
    Allowlist(Vec<String>),
}

/// Why the preferences cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KubercError {
    #[error("disabling kuberc via {0} and passing kuberc flag are mutually exclusive")]
    Disabled(&'static str),
    #[error("cannot read kuberc {}: {why}", path.display())]
    Unread { path: PathBuf, why: io::Error },
    #[error("no valid preferences found in kuberc {}", _0.display())]
    NoPreferences(PathBuf),
    #[error("kuberc {}: {wrong}", path.display())]
    Policy { path: PathBuf, wrong: WrongPolicy },
}

/// Why a policy for credential plugins is not valid.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum WrongPolicy {
    #[error("unknown plugin policy: {0:?}")]
    Unknown(String),
    #[error(
        "misconfigured credential plugin allowlist: plugin policy is {0:?} but allowlist is non-nil"
    )]
    UnusedAllowlist(String),
    #[error("credential plugin policy set to \"Allowlist\", but allowlist is unspecified")]
    NoAllowlist,
    #[error(
        "credential plugin policy set to \"Allowlist\", but allowlist is empty; use \"DenyAll\" policy instead"
    )]
    EmptyAllowlist,
    #[error("misconfigured credential plugin allowlist: empty allowlist entry #{0}")]
    EmptyEntry(usize),
    #[error("non-normalized file path: {0:?} vs {1:?}")]
    NotNormalized(String, String),
}

/// Why a credential plugin may not run.
#[derive(Debug, thiserror::Error)]
pub enum PluginRefusal {
    #[error("plugin {command:?} not allowed: policy set to \"DenyAll\"")]
    Denied { command: String, path: PathBuf },
    #[error("plugin path {command:?} is not permitted by the credential plugin allowlist")]
    NotListed { command: String, path: PathBuf },
    #[error(
        "plugin path {command:?} cannot be resolved for credential plugin allowlist check: {why}"
    )]
    Unresolved { command: String, why: io::Error },
}

impl PluginRefusal {
    pub(super) fn help(&self) -> Option<String> {
        let (Self::Denied { path, .. } | Self::NotListed { path, .. }) = self else {
            return None;
        };
        Some(format!("The policy is in {}.", path.display()))
    }
}

impl PluginPolicy {
    /// Reads the policy in the file of `--kuberc`, of `KUBERC` or in the home directory. As in kubectl, a file in the
    /// home directory that cannot be read leads to a warning only.
    pub(super) fn read(flag: Option<&Path>, warn: impl Fn(&str)) -> Result<Self, KubercError> {
        let Some((path, explicit)) = location(flag)? else {
            return Ok(PluginPolicy::default());
        };
        let preferences = match Preferences::read(&path) {
            Ok(preferences) => preferences.unwrap_or_default(),
            Err(error) if explicit => return Err(error),
            Err(KubercError::Unread { why, .. }) if why.kind() == io::ErrorKind::NotFound => {
                return Ok(PluginPolicy::default());
            }
            Err(error) => {
                warn(&format!("no preferences loaded: {error}"));
                return Ok(PluginPolicy::default());
            }
        };
        if !preferences.ignored.is_empty() {
            let ignored = preferences.ignored.join(", ");
            warn(&format!("kuberc {}: ignored: {ignored}", path.display()));
        }
        Self::of(preferences, path)
    }

    /// The policy in the content of a file.
    pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<Option<Self>, KubercError> {
        let preferences = Preferences::parse(path, bytes)?;
        let policy = preferences.map(|preferences| Self::of(preferences, path.to_owned()));
        policy.transpose()
    }

    fn of(preferences: Preferences, path: PathBuf) -> Result<Self, KubercError> {
        match preferences.rule() {
            Ok(rule) => Ok(PluginPolicy { rule, path }),
            Err(wrong) => Err(KubercError::Policy { path, wrong }),
        }
    }

    /// The program to run for a normalized command, if it may run.
    pub(super) fn check(&self, command: &str) -> Result<io::Result<PathBuf>, PluginRefusal> {
        let path = self.path.clone();
        let allowed = match &self.rule {
            Rule::AllowAll => return Ok(resolve(command)),
            Rule::DenyAll => {
                let command = command.to_owned();
                return Err(PluginRefusal::Denied { command, path });
            }
            Rule::Allowlist(allowed) => allowed,
        };
        let is_listed = |path: &Path| allowed.iter().any(|entry| Path::new(entry) == path);
        if is_listed(Path::new(command)) {
            return Ok(resolve(command));
        }
        let program = resolve(command).map_err(|why| PluginRefusal::Unresolved {
            command: command.to_owned(),
            why,
        })?;
        let name = program.file_name();
        let mut namesakes = allowed
            .iter()
            .filter(|entry| Path::new(entry).file_name() == name);
        if is_listed(&program)
            || namesakes.any(|entry| resolve(entry).is_ok_and(|entry| entry == program))
        {
            return Ok(Ok(program));
        }
        let command = program.to_string_lossy().into_owned();
        Err(PluginRefusal::NotListed { command, path })
    }
}

/// The file of the preferences, and whether it was asked for.
fn location(flag: Option<&Path>) -> Result<Option<(PathBuf, bool)>, KubercError> {
    let variable = env::var_os("KUBERC").filter(|value| !value.is_empty());
    let gate = env::var("KUBECTL_KUBERC").unwrap_or_default();
    for (is_off, name) in [
        (gate.eq_ignore_ascii_case("false"), "KUBECTL_KUBERC=false"),
        (
            variable.as_ref().is_some_and(|value| value == "off"),
            "KUBERC=off",
        ),
    ] {
        match flag {
            Some(_) if is_off => return Err(KubercError::Disabled(name)),
            None if is_off => return Ok(None),
            _ => {}
        }
    }
    let home = env::home_dir().map(|home| home.join(".kube").join("kuberc"));
    let flag = flag.filter(|flag| Some(*flag) != home.as_deref());
    let given = flag.map(Path::to_owned).or(variable.map(PathBuf::from));
    Ok(match given {
        Some(path) => Some((path, true)),
        None => home.map(|path| (path, false)),
    })
}

/// The fields of the preferences that are about credential plugins.
#[derive(Default)]
struct Preferences {
    policy: String,
    allowlist: Option<Vec<String>>,
    ignored: Vec<String>,
}

impl Preferences {
    /// The first valid document of a file; `None` if the file is empty.
    fn read(path: &Path) -> Result<Option<Self>, KubercError> {
        let bytes = read_file(path).map_err(|why| KubercError::Unread {
            path: path.to_owned(),
            why,
        })?;
        Self::parse(path, &bytes)
    }

    fn parse(path: &Path, bytes: &[u8]) -> Result<Option<Self>, KubercError> {
        let text = String::from_utf8_lossy(bytes);
        let parsed = located_yaml::parse(&text);
        for document in parsed.documents {
            let Ok(json) = document.root.to_json() else {
                continue;
            };
            if let Some(mut preferences) = Self::of(&json) {
                let problems = document.problems.iter().map(ToString::to_string);
                preferences.ignored.extend(problems);
                return Ok(Some(preferences));
            }
        }
        let is_blank = |line: &str| line.trim().is_empty() || line.starts_with("---");
        if text.lines().all(is_blank) {
            return Ok(None);
        }
        Err(KubercError::NoPreferences(path.to_owned()))
    }

    /// The preferences in a document; `None` if kubectl would not accept it.
    fn of(json: &Json) -> Option<Self> {
        if json.get("kind")?.as_str()? != "Preference" {
            return None;
        }
        let texts = match json.get("apiVersion")?.as_str()? {
            "kubectl.config.k8s.io/v1alpha1" => V1ALPHA1,
            "kubectl.config.k8s.io/v1beta1" => V1BETA1,
            _ => return None,
        };
        let mut preferences = Preferences::default();
        if !accepts(texts, json, "", &mut preferences.ignored) {
            return None;
        }
        if !texts.contains(&"credentialPluginPolicy") {
            return Some(preferences);
        }
        let text = |object: &Json, name: &str| {
            let text = object.get(name).and_then(Json::as_str);
            text.unwrap_or_default().to_owned()
        };
        preferences.policy = text(json, "credentialPluginPolicy");
        let entries = json.get("credentialPluginAllowlist");
        if let Some(entries) = entries.and_then(Json::as_array) {
            let mut allowlist = Vec::new();
            for entry in entries {
                let (name, command) = (text(entry, "name"), text(entry, "command"));
                if !name.is_empty() && !command.is_empty() && name != command {
                    return None;
                }
                allowlist.push(if command.is_empty() { name } else { command });
            }
            preferences.allowlist = Some(allowlist);
        }
        Some(preferences)
    }

    fn rule(self) -> Result<Rule, WrongPolicy> {
        match (self.policy.as_str(), self.allowlist) {
            ("" | "AllowAll", None) => Ok(Rule::AllowAll),
            ("DenyAll", None) => Ok(Rule::DenyAll),
            ("" | "AllowAll" | "DenyAll", Some(_)) => {
                Err(WrongPolicy::UnusedAllowlist(self.policy))
            }
            ("Allowlist", None) => Err(WrongPolicy::NoAllowlist),
            ("Allowlist", Some(list)) if list.is_empty() => Err(WrongPolicy::EmptyAllowlist),
            ("Allowlist", Some(list)) => {
                for (index, entry) in list.iter().enumerate() {
                    if entry.is_empty() {
                        return Err(WrongPolicy::EmptyEntry(index + 1));
                    }
                    let normalized = normalized(entry);
                    if normalized != *entry {
                        return Err(WrongPolicy::NotNormalized(entry.clone(), normalized));
                    }
                }
                Ok(Rule::Allowlist(list))
            }
            _ => Err(WrongPolicy::Unknown(self.policy)),
        }
    }
}

/// The fields of a version that are texts; all others are lists and objects above them.
const V1BETA1: &[&str] = &[
    "apiVersion",
    "kind",
    "defaults[].command",
    "defaults[].options[].name",
    "defaults[].options[].default",
    "aliases[].name",
    "aliases[].command",
    "aliases[].prependArgs[]",
    "aliases[].appendArgs[]",
    "aliases[].options[].name",
    "aliases[].options[].default",
    "credentialPluginPolicy",
    "credentialPluginAllowlist[].name",
    "credentialPluginAllowlist[].command",
];

/// Has no policy for credential plugins.
const V1ALPHA1: &[&str] = &[
    "apiVersion",
    "kind",
    "overrides[].command",
    "overrides[].flags[].name",
    "overrides[].flags[].default",
    "aliases[].name",
    "aliases[].command",
    "aliases[].prependArgs[]",
    "aliases[].appendArgs[]",
    "aliases[].flags[].name",
    "aliases[].flags[].default",
];

/// Whether a value has the type that its field has: kubectl does not accept a document with another type anywhere.
/// Unknown fields are collected.
fn accepts(texts: &[&str], value: &Json, path: &str, unknown: &mut Vec<String>) -> bool {
    let continues = |path: &str, signs: &[char]| {
        let mut rests = texts.iter().filter_map(|text| text.strip_prefix(path));
        rests.any(|rest| rest.starts_with(signs))
    };
    match value {
        Json::Null => true,
        Json::String(_) => texts.contains(&path),
        Json::Array(items) => {
            let path = format!("{path}[]");
            texts.iter().any(|text| text.starts_with(&path))
                && items
                    .iter()
                    .all(|item| accepts(texts, item, &path, unknown))
        }
        Json::Object(object) if path.is_empty() || continues(path, &['.']) => {
            object.iter().all(|(name, value)| {
                let path = format!("{path}.{name}");
                let path = path.trim_start_matches('.');
                if texts.contains(&path) || continues(path, &['.', '[']) {
                    return accepts(texts, value, path, unknown);
                }
                unknown.push(format!("unknown field {path:?}"));
                true
            })
        }
        _ => false,
    }
}

/// The shortest equal path, without following links.
pub(super) fn normalized(path: &str) -> String {
    let is_absolute = path.starts_with(is_separator);
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split(is_separator) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if is_absolute => {}
            part => parts.push(part),
        }
    }
    let joined = parts.join(MAIN_SEPARATOR_STR);
    match (is_absolute, joined.is_empty()) {
        (true, _) => format!("{MAIN_SEPARATOR_STR}{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}

/// The program behind a command, by the rules of Go: a path is used as it is, a name is searched in `PATH`, and
/// nothing is run from the current directory because of a relative entry of `PATH`.
fn resolve(command: &str) -> io::Result<PathBuf> {
    if command.contains(is_separator) {
        let path = PathBuf::from(command);
        return executable(&path).map(|()| path);
    }
    let folders = env::var_os("PATH").unwrap_or_default();
    let file = format!(
        "{}{}",
        command.trim_end_matches(env::consts::EXE_SUFFIX),
        env::consts::EXE_SUFFIX
    );
    let mut candidates = env::split_paths(&folders).map(|folder| folder.join(&file));
    let Some(path) = candidates.find(|path| executable(path).is_ok()) else {
        let why = "executable file not found in $PATH";
        return Err(io::Error::new(io::ErrorKind::NotFound, why));
    };
    if path.is_absolute() {
        return Ok(path);
    }
    let why = "cannot run executable found relative to current directory";
    Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
}

fn executable(path: &Path) -> io::Result<()> {
    let about = fs::metadata(path)?;
    if about.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;

        if about.permissions().mode() & 0o111 == 0 {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
    }
    Ok(())
}
