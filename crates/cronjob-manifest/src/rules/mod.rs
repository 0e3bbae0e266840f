//! The catalog of rules, both for `lint` and for findings of `explain`, `scan`, `top` and `report`.
//!
//! A [`Rule`] has one name, title and reason, and separate parts for clusters and for manifests. The
//! checks are in `diagnose/findings` and `lint/rules`. What else depends on a rule is a property of it
//! here: no other code has lists of rules.

mod api_server;
mod concurrency;
mod deadline;
mod expectations;
mod history;
mod job;
mod job_template;
mod kinds;
mod manifest;
mod schedule;
mod sidecars;
mod suspension;
mod time_zone;

pub use api_server::*;
pub use concurrency::*;
pub use deadline::*;
pub use expectations::*;
pub use history::*;
pub use job::*;
pub use job_template::*;
pub use kinds::*;
pub use manifest::*;
pub use schedule::*;
pub use sidecars::{KnownSidecar, has_native_sidecars};
pub use suspension::*;
pub use time_zone::*;

use std::sync::LazyLock;

use cronjob_controller::controller::Outcome;

/// How severe a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    Info,
    // Runs, or the information about them, are lost or at risk.
    Warning,
    // Something does not work. In a manifest: the API server rejects it, or it never runs.
    Error,
}

impl Severity {
    pub const ALL: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Info];
}

string_enum! { impl pub Severity { Error = "error", Warning = "warning", Info = "info" } }

/// What can be wrong or risky with a `CronJob`.
#[derive(Debug)]
pub struct Rule {
    /// In kebab case. It never changes, and is also the code of findings.
    pub name: &'static str,
    /// A short statement in sentence case, without a full stop.
    pub title: &'static str,
    /// Why it matters, in full sentences.
    pub reason: &'static str,
    /// The part for clusters; the example is `examples/findings/NAME.yaml`.
    pub finding: Option<FindingRule>,
    pub lint: Option<LintRule>,
}

impl Rule {
    /// Whether it has this code or name, ignoring case.
    pub fn is_called(&self, code_or_name: &str) -> bool {
        let code = self.lint.as_ref().map(|lint| lint.code);
        let mut called = code.into_iter().chain([self.name]);
        called.any(|own| own.eq_ignore_ascii_case(code_or_name))
    }
}

/// A rule for findings in a cluster.
#[derive(Debug, PartialEq, Eq)]
pub struct FindingRule {
    /// The severity, unless a finding has its own.
    pub severity: Severity,
    /// The field that findings are about.
    pub field: Option<&'static str>,
    /// Whether findings are about future or conditional problems.
    pub is_future: bool,
    /// The outcome of a sync whose verdict says the same.
    pub repeats: Option<Outcome>,
    /// What findings are about, where that matters for what is shown beside them.
    pub topic: Option<RuleTopic>,
}

/// What a finding is about, where another part of an answer depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleTopic {
    /// Pods that make no progress.
    Pods,
    FailedJob,
    /// That the `CronJob` is suspended, which the name of the rule says.
    Suspension,
}

impl FindingRule {
    /// A rule with no other property.
    const fn new(severity: Severity, field: Option<&'static str>) -> Self {
        FindingRule {
            severity,
            field,
            is_future: false,
            repeats: None,
            topic: None,
        }
    }

    /// Whether the log of a container shows more about a finding.
    pub fn shows_log(&self) -> bool {
        matches!(self.topic, Some(RuleTopic::Pods | RuleTopic::FailedJob))
    }
}

/// The properties of a rule about manifests.
#[derive(Debug)]
pub struct LintRule {
    /// `CJD` and three digits, which never change.
    pub code: &'static str,
    /// The severity, unless it is configured.
    pub severity: Severity,
    /// Whether it is off unless a configuration sets its severity.
    pub is_off_by_default: bool,
    /// Whether it is about runs that a suspended `CronJob` does not have.
    pub needs_runs: bool,
    /// What to do about it, unless a finding has a more specific help; `None` if the message says everything.
    pub remedy: Option<&'static str>,
    pub source: LintSource,
}

impl LintRule {
    /// A rule with no other property. An empty remedy is none.
    const fn new(
        code: &'static str,
        severity: Severity,
        remedy: &'static str,
        source: LintSource,
    ) -> Self {
        LintRule {
            code,
            severity,
            is_off_by_default: false,
            needs_runs: false,
            remedy: if remedy.is_empty() {
                None
            } else {
                Some(remedy)
            },
            source,
        }
    }

    /// Its severity in words, such as `info, off by default`.
    pub fn severity_in_words(&self) -> String {
        let off = if self.is_off_by_default {
            ", off by default"
        } else {
            ""
        };
        format!("{}{off}", self.severity.as_str())
    }
}

/// How violations in a manifest are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LintSource {
    Reading,
    /// From the validation of the API server of a release.
    ApiServer,
    /// From a server-side dry run.
    Cluster,
    Check,
}

/// Declares the rules of a topic, each for findings, for manifests, or for both, and lists them in `RULES`.
macro_rules! rules {
    ($(
        rule $rule:ident: $name:literal,
        title: $title:literal,
        reason: $reason:literal,
        $(finding: $severity:ident $($field:literal)? $({ $($property:ident: $value:expr),+ })?,)?
        $(lint: $code:literal $lint_severity:ident $({ $($lint_property:ident: $lint_value:expr),+ })? by $source:ident, remedy: $remedy:expr,)?
    )*) => {
        $(#[doc = $title]
        #[allow(clippy::doc_markdown, reason = "titles are plain text")]
        pub static $rule: $crate::rules::Rule = $crate::rules::Rule {
            name: $name,
            title: $title,
            reason: $reason,
            finding: rules!(@option $($crate::rules::FindingRule {
                $($($property: $value,)+)?
                ..$crate::rules::FindingRule::new(
                    $crate::rules::Severity::$severity,
                    rules!(@option $($field)?),
                )
            })?),
            lint: rules!(@option $($crate::rules::LintRule {
                $($($lint_property: $lint_value,)+)?
                ..$crate::rules::LintRule::new(
                    $code,
                    $crate::rules::Severity::$lint_severity,
                    $remedy,
                    $crate::rules::LintSource::$source,
                )
            })?),
        };)*

        pub(super) static RULES: &[&$crate::rules::Rule] = &[$(&$rule),*];
    };
    (@option) => { None };
    (@option $value:expr) => { Some($value) };
}

/// Pairs rules with their checks.
macro_rules! checks {
    ($($rule:ident: $check:expr,)*) => { &[$((&$crate::rules::$rule, $check)),*] };
}

pub(crate) use checks;
use rules;

/// The rules of each topic; those for manifests are in the order of their codes.
pub static TOPICS: [(&str, &[&Rule]); 12] = [
    ("API server", api_server::RULES),
    ("Schedules", schedule::RULES),
    ("Time zones", time_zone::RULES),
    ("Deadlines", deadline::RULES),
    ("Overlaps", concurrency::RULES),
    ("Suspension", suspension::RULES),
    ("Finished runs", history::RULES),
    ("Jobs", job_template::RULES),
    ("Expectations", expectations::RULES),
    ("Jobs", job::RULES),
    ("Manifests", manifest::RULES),
    ("Other kinds", kinds::RULES),
];

/// All rules by topic.
pub static RULES: LazyLock<Vec<&Rule>> = LazyLock::new(|| {
    TOPICS
        .iter()
        .flat_map(|(_, rules)| *rules)
        .copied()
        .collect()
});

/// The rules for manifests, in the order of their codes.
pub fn lint_rules() -> impl Iterator<Item = (&'static Rule, &'static LintRule)> {
    RULES
        .iter()
        .filter_map(|rule| Some((*rule, rule.lint.as_ref()?)))
}

/// The rule for manifests with a code or a name, ignoring case.
pub fn find_lint_rule(code_or_name: &str) -> Option<(&'static Rule, &'static LintRule)> {
    lint_rules().find(|(rule, _)| rule.is_called(code_or_name))
}
