//! What a configuration decides.

use std::collections::HashMap;

use super::release::Releases;
use crate::rules::{LintRule, Rule, Severity};

/// What holds for a file, by the configuration that is meant for it.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The releases that the manifests are meant for.
    pub releases: Releases,
    /// The severities of rules that do not have their own, by code; `None` switches a rule off.
    pub severities: HashMap<&'static str, Option<Severity>>,
}

impl Settings {
    /// How bad a rule's findings are; `None` if it is switched off.
    pub fn severity(&self, rule: &LintRule) -> Option<Severity> {
        match self.severities.get(rule.code) {
            Some(severity) => *severity,
            None => Some(rule.severity),
        }
    }

    /// Whether a rule is for manifests, and is not switched off.
    pub fn wants(&self, rule: &Rule) -> bool {
        rule.lint
            .as_ref()
            .is_some_and(|lint| self.severity(lint).is_some())
    }
}
