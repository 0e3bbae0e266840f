//! How many of several CronJobs behave the same in several Kubernetes versions.

use schemars::JsonSchema;
use serde::Serialize;

/// How many `CronJob`s behave the same in all compared versions.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
#[schemars(rename = "VersionComparison")]
pub(crate) struct Comparison {
    /// The number of `CronJob`s.
    total: usize,
    /// The number of those that behave the same in all versions.
    same: usize,
    /// The number of those that differ.
    different: usize,
}

impl Comparison {
    /// Of CronJobs, some of which differ.
    pub(super) fn of(total: usize, different: usize) -> Self {
        Comparison {
            total,
            same: total.saturating_sub(different),
            different,
        }
    }

    /// `40 CronJobs: 39 behave the same in 1.26 and 1.36, 1 differs`
    pub(super) fn sentence(self, versions: &str) -> String {
        let Comparison {
            total,
            same,
            different,
        } = self;
        match (same, different) {
            (_, 0) => format!("{total} CronJobs: all behave the same {versions}"),
            (0, _) => format!("{total} CronJobs: none behaves the same {versions}"),
            (same, different) => {
                let behave = if same == 1 { "behaves" } else { "behave" };
                let differ = if different == 1 { "differs" } else { "differ" };
                format!(
                    "{total} CronJobs: {same} {behave} the same {versions}, {different} {differ}"
                )
            }
        }
    }
}

/// `1.17, 1.27.1 and 1.36`
pub(super) fn listed(names: &[String]) -> String {
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => names.concat(),
    }
}
