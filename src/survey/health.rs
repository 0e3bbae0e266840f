//! How a `CronJob` is, in one word.

use crate::diagnose::{Finding, Severity};

string_enum! {
    /// How a `CronJob` is: as bad as the worst that was found.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Health {
        /// Nothing was found.
        Ok = "ok",
        /// Something is worth knowing.
        Info = "info",
        /// Something is lost, or will be.
        Warning = "warning",
        /// Something does not work.
        Error = "error",
    }
}

impl Health {
    /// Of findings in any order.
    pub fn of(findings: &[Finding]) -> Self {
        let worst = findings.iter().map(|finding| finding.severity).max();
        worst.map_or(Health::Ok, Health::from)
    }

    /// Whether somebody should do something about it.
    pub fn is_problem(self) -> bool {
        self >= Health::Warning
    }
}

impl From<Severity> for Health {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Info => Health::Info,
            Severity::Warning => Health::Warning,
            Severity::Error => Health::Error,
        }
    }
}
