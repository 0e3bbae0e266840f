//! A finding, and the rule that finds it.

use super::facts::Facts;

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Something is lost, or will be.
    Warning,
    /// Something does not work.
    Error,
}

impl Severity {
    /// The word for it in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// What is wrong or risky with a `CronJob`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule's code.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The rule's title.
    pub title: &'static str,
    /// What is the case here, with the numbers and names that show it.
    pub detail: String,
    /// What to do about it: a command to paste where there is one.
    pub remedy: Option<String>,
    /// The field that it is about.
    pub field: Option<&'static str>,
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

/// A rule: one file under `findings/`.
pub struct Rule {
    /// A short name in kebab case, for scripts and for looking it up.
    pub code: &'static str,
    /// How bad it is as a rule; the reason says when it is worse.
    pub severity: Severity,
    /// One line.
    pub title: &'static str,
    /// Why it matters, for people who meet it for the first time.
    pub reason: &'static str,
    /// The field that it is about.
    pub field: Option<&'static str>,
    /// Looks for it.
    pub check: fn(&Facts<'_>) -> Option<Found>,
}

impl Rule {
    /// The finding, if the facts show it.
    pub fn find(&self, facts: &Facts<'_>) -> Option<Finding> {
        let found = (self.check)(facts)?;
        Some(Finding {
            code: self.code,
            severity: found.severity.unwrap_or(self.severity),
            title: self.title,
            detail: found.detail,
            remedy: found.remedy,
            field: self.field,
        })
    }
}
