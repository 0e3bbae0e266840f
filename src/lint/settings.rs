//! What a configuration decides.

use std::collections::HashMap;

use super::release::Releases;
use super::rule::Rule;
use crate::diagnose::Severity;

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
    pub fn severity(&self, rule: &Rule) -> Option<Severity> {
        match self.severities.get(rule.code) {
            Some(severity) => *severity,
            None => Some(rule.severity),
        }
    }
}
