//! The configuration file `.cronjob-doctor.yaml`, and its settings for a file.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::release::{Releases, ReleasesError};
use crate::rules::{self, LintRule, Rule, Severity};
use cronjob_text::spelling::nearest;
use located_yaml::{self, Entry, Node, Place, Value};

/// The name of configuration files.
pub const FILE_NAME: &str = ".cronjob-doctor.yaml";

/// A configuration file of `lint`.
#[derive(Debug, Default)]
pub struct Config {
    settings: Arc<LintSettings>,
    names_releases: bool,
    ignores: Vec<PathIgnore>,
}

/// Files that are left out, or some rules in them.
#[derive(Debug)]
struct PathIgnore {
    paths: Gitignore,
    /// The rules; empty for all of them.
    rules: Vec<&'static LintRule>,
}

/// What is wrong in a configuration file, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{}: {message}", place.line, place.column)]
pub struct ConfigError {
    pub place: Place,
    /// What is wrong, and what was expected.
    pub message: String,
}

type Result<T> = std::result::Result<T, ConfigError>;

impl Config {
    pub fn parse(text: &str) -> Result<Self> {
        let parsed = located_yaml::parse(text);
        if let Some(error) = parsed.errors.into_iter().next() {
            return fail(error.place, error.kind.to_string());
        }
        let mut config = Config::default();
        let mut documents = parsed.documents.into_iter();
        let Some(document) = documents.next() else {
            return Ok(config);
        };
        if let Some(more) = documents.next() {
            return fail(more.root.place, "a configuration must be a single document");
        }
        if let Some(problem) = document.problems.first() {
            return fail(problem.place(), problem.to_string());
        }
        let mut settings = LintSettings::default();
        for entry in entries(
            &document.root,
            "a mapping with rules, ignore or kubernetesVersion",
        )? {
            match &*entry.key.text {
                "kubernetesVersion" => {
                    settings.releases = releases(&entry.value, text)?;
                    config.names_releases = true;
                }
                "rules" => settings.severities = severities(&entry.value)?,
                "ignore" => config.ignores = ignores(&entry.value)?,
                _ => return unknown(entry, &["kubernetesVersion", "rules", "ignore"]),
            }
        }
        config.settings = Arc::new(settings);
        Ok(config)
    }

    /// Whether it sets the Kubernetes versions.
    pub fn names_releases(&self) -> bool {
        self.names_releases
    }

    /// The settings for a file, given its path from the configuration's folder; `None` if the file is
    /// ignored. `releases` are those of the flag.
    pub fn settings(&self, path: &Path, releases: Option<Releases>) -> Option<Arc<LintSettings>> {
        let mut settings = Arc::clone(&self.settings);
        if let Some(releases) = releases.filter(|releases| *releases != settings.releases) {
            Arc::make_mut(&mut settings).releases = releases;
        }
        for ignore in &self.ignores {
            if !ignore.covers(path) {
                continue;
            }
            if ignore.rules.is_empty() {
                return None;
            }
            let settings = Arc::make_mut(&mut settings);
            let off = ignore.rules.iter().map(|rule| (rule.code, None));
            settings.severities.extend(off);
        }
        Some(settings)
    }
}

impl PathIgnore {
    fn covers(&self, path: &Path) -> bool {
        let plain = !path.has_root() && !path.starts_with("..");
        plain && is_ignored(&self.paths, path)
    }
}

fn fail<T>(place: Place, message: impl Into<String>) -> Result<T> {
    let message = message.into();
    Err(ConfigError { place, message })
}

fn unknown<T>(entry: &Entry, known: &[&'static str]) -> Result<T> {
    let key = &entry.key.text;
    let hint = match nearest(key, known.iter().copied()) {
        Some(name) => format!("did you mean {name}?"),
        None => format!("expected one of {}", known.join(", ")),
    };
    fail(entry.key.place, format!("unknown key {key:?}; {hint}"))
}

fn entries<'n>(node: &'n Node, expected: &str) -> Result<&'n [Entry]> {
    match &node.value {
        Value::Mapping(mapping) => Ok(mapping.entries()),
        Value::Null => Ok(&[]),
        _ => unexpected(node, expected),
    }
}

fn items<'n>(node: &'n Node, expected: &str) -> Result<&'n [Node]> {
    match &node.value {
        Value::Sequence(items) => Ok(items),
        Value::Null => Ok(&[]),
        _ => unexpected(node, expected),
    }
}

fn unexpected<T>(node: &Node, expected: &str) -> Result<T> {
    let found = node.value.kind();
    fail(node.place, format!("expected {expected}, found {found}"))
}

/// As it is written: to YAML, 1.30 is the number 1.3.
fn releases(node: &Node, text: &str) -> Result<Releases> {
    let written = node.as_str().or_else(|| node.raw(text));
    let releases: std::result::Result<_, ReleasesError> = written.unwrap_or_default().parse();
    releases.or_else(|error| fail(node.place, error.to_string()))
}

fn severities(node: &Node) -> Result<HashMap<&'static str, Option<Severity>>> {
    let mut severities = HashMap::new();
    for entry in entries(node, "rules with their severities")? {
        let rule = rule(&entry.key.text, entry.key.place)?;
        severities.insert(rule.code, severity(&entry.value)?);
    }
    Ok(severities)
}

fn severity(node: &Node) -> Result<Option<Severity>> {
    Ok(match (&node.value, node.as_str()) {
        // `off` without quotes is false.
        (Value::Bool(false), _) | (_, Some("off")) => None,
        (_, Some("info")) => Some(Severity::Info),
        (_, Some("warning")) => Some(Severity::Warning),
        (_, Some("error")) => Some(Severity::Error),
        _ => {
            let expected = "expected a severity: off, info, warning or error";
            return fail(node.place, expected);
        }
    })
}

fn rule(called: &str, place: Place) -> Result<&'static LintRule> {
    if let Some((_, rule)) = rules::find_lint_rule(called) {
        return Ok(rule);
    }
    let hint = match nearest(called, rules::lint_rules().map(|(rule, _)| rule.name)) {
        Some(name) => format!("did you mean {name}?"),
        None => "list all rules with kubectl cronjob-doctor lint --list".to_owned(),
    };
    fail(place, format!("unknown rule {called:?}; {hint}"))
}

fn ignores(node: &Node) -> Result<Vec<PathIgnore>> {
    items(node, "a list of paths")?
        .iter()
        .map(ignored)
        .collect()
}

/// `- path: GLOB`, `- {path: GLOB, rules: […]}`, or the glob alone.
fn ignored(node: &Node) -> Result<PathIgnore> {
    let (mut path, mut rules) = (None, Vec::new());
    if node.as_str().is_some() {
        let paths = paths(node)?;
        return Ok(PathIgnore { paths, rules });
    }
    for entry in entries(node, "a path, or a mapping with path and rules")? {
        match &*entry.key.text {
            "path" => path = Some(paths(&entry.value)?),
            "rules" => {
                for item in items(&entry.value, "a list of rules")? {
                    rules.push(rule(item.as_str().unwrap_or_default(), item.place)?);
                }
            }
            _ => return unknown(entry, &["path", "rules"]),
        }
    }
    match path {
        Some(paths) => Ok(PathIgnore { paths, rules }),
        None => fail(node.place, "expected a path, such as path: charts/"),
    }
}

/// A glob as `.gitignore` has it.
fn paths(node: &Node) -> Result<Gitignore> {
    let Some(glob) = node.as_str().filter(|glob| !glob.is_empty()) else {
        let expected = "expected a path such as charts/ or '**/test-*.yaml'";
        return fail(node.place, expected);
    };
    gitignore(glob).or_else(|error| fail(node.place, error.to_string()))
}

fn gitignore(glob: &str) -> std::result::Result<Gitignore, ignore::Error> {
    let mut builder = GitignoreBuilder::new("");
    builder.add_line(None, glob)?.build()
}

fn is_ignored(paths: &Gitignore, path: &Path) -> bool {
    paths.matched_path_or_any_parents(path, false).is_ignore()
}

/// The settings for the manifests of a folder.
#[derive(Clone, Debug, Default)]
pub struct LintSettings {
    /// The Kubernetes versions that the manifests are for.
    pub releases: Releases,
    /// The configured severities, by code; `None` turns a rule off.
    pub severities: HashMap<&'static str, Option<Severity>>,
}

impl LintSettings {
    /// The severity of a rule; `None` if it is off.
    pub fn severity(&self, rule: &LintRule) -> Option<Severity> {
        match self.severities.get(rule.code) {
            Some(severity) => *severity,
            None => Some(rule.severity).filter(|_| !rule.is_off_by_default),
        }
    }

    /// Whether a rule applies to manifests and is not off.
    pub fn wants(&self, rule: &Rule) -> bool {
        rule.lint
            .as_ref()
            .is_some_and(|lint| self.severity(lint).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Config::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn paths_are_those_of_gitignore() {
        let text =
            "ignore: [charts/, '/top.yaml', '**/test-*.yaml', {path: old/, rules: [CJD201]}]";
        let config = Config::parse(text).unwrap();
        let left_out = |path: &str| config.settings(Path::new(path), None).is_none();
        for path in "charts/a.yaml a/charts/b/c.yaml top.yaml x/test-1.yaml".split(' ') {
            assert!(left_out(path), "{path}");
        }
        let kept = "a/top.yaml mytest-1.yaml old/a.yaml /charts/a.yaml ../charts/a";
        for path in kept.split(' ') {
            assert!(!left_out(path), "{path}");
        }
        let (_, rule) = rules::find_lint_rule("never-scheduled").unwrap();
        let severity = |path: &str| {
            config
                .settings(Path::new(path), None)
                .unwrap()
                .severity(rule)
        };
        assert_eq!(severity("old/a.yaml"), None);
        assert_eq!(severity("new/a.yaml"), Some(Severity::Error));
    }

    #[test]
    fn versions_are_read_as_they_are_written() {
        let releases = |text: &str, flag: Option<&str>| {
            let flag = flag.map(|flag| flag.parse().unwrap());
            let config = Config::parse(text).unwrap();
            let settings = config.settings(Path::new("a"), flag).unwrap();
            settings.releases.to_string()
        };
        assert_eq!(releases("kubernetesVersion: 1.30", None), "1.30");
        let range = releases("kubernetesVersion: '1.30-1.33'", None);
        assert_eq!(range, "1.30-1.33");
        assert_eq!(releases("kubernetesVersion: 1.30", Some("1.25")), "1.25");
        assert_eq!(releases("", None), "1.36");
    }

    #[test]
    fn mistakes_are_reported_with_their_position() {
        for case in [
            "rules: {never-schedule: off} => 1:9: unknown rule \"never-schedule\"; did you mean never-scheduled?",
            "rules:\n  never-scheduled: fatal => 2:20: expected a severity: off, info, warning or error",
            "rule: {} => 1:1: unknown key \"rule\"; did you mean rules?",
            "ignore: {a: b} => 1:9: expected a list of paths, found an object",
            "ignore: [{rules: []}] => 1:10: expected a path, such as path: charts/",
            "ignore: ['[z-a]'] => 1:10: error parsing glob '[z-a]': invalid range; 'z' > 'a'",
            "kubernetesVersion: 2.0 => 1:20: '2.0' is not a valid Kubernetes version: must be 1.N or 1.N.P, such as 1.37",
            "- a => 1:1: expected a mapping with rules, ignore or kubernetesVersion, found a list",
            "a: 1\n---\nb: 1 => 3:1: a configuration must be a single document",
        ] {
            let (text, expected) = case.split_once(" => ").unwrap();
            assert_eq!(error(text), expected);
        }
    }
}
