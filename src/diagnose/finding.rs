//! A finding, and what a check found.

use schemars::JsonSchema;
use serde::Serialize;

use crate::rules::{FindingRule, Rule, Severity};

/// What is wrong or risky with a `CronJob`.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Which finding: a word that does not change.
    pub code: &'static str,
    /// How severe it is.
    pub severity: Severity,
    /// What is wrong, in a few words.
    pub title: &'static str,
    /// What is wrong here, with the numbers and names that show it.
    pub detail: String,
    /// What to do about it: a command to paste where there is one.
    pub remedy: Option<String>,
    /// The field of the `CronJob` that it is about.
    pub field: Option<&'static str>,
}

impl Finding {
    /// The finding of a rule, unless the rule is only for manifests.
    pub(super) fn new(rule: &Rule, found: Found) -> Option<Self> {
        let FindingRule { severity, field } = rule.finding.as_ref()?;
        Some(Finding {
            code: rule.name,
            severity: found.severity.unwrap_or(*severity),
            title: rule.title,
            detail: found.detail,
            remedy: found.remedy,
            field: *field,
        })
    }
}

/// What a rule found: the parts of a finding that differ from case to case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What is the case here.
    pub detail: String,
    /// What to do about it.
    pub remedy: Option<String>,
    /// How bad it is here, if that differs from the rule.
    pub severity: Option<Severity>,
}

impl Found {
    /// Something without a remedy of its own.
    pub fn new(detail: impl Into<String>) -> Self {
        Found {
            detail: detail.into(),
            remedy: None,
            severity: None,
        }
    }

    /// With another severity than the rule has.
    #[must_use]
    pub fn severity(self, severity: Severity) -> Self {
        Found {
            severity: Some(severity),
            ..self
        }
    }

    /// With a command to paste, or a sentence that says what to do.
    #[must_use]
    pub fn remedy(self, remedy: impl Into<String>) -> Self {
        Found {
            remedy: Some(remedy.into()),
            ..self
        }
    }
}
