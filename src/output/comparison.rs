//! How many of several CronJobs behave the same in several Kubernetes versions, and what their API servers answer
//! differently.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::lines::TextPage;
use cronjob_controller::controller::Release;
use cronjob_manifest::validation::{WriteChange, WriteEffect};
use cronjob_text::printable::shortened;
use cronjob_text::words::{listed, plural};

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
    pub(super) fn sentence(self, compared: &ComparedReleases) -> String {
        let (total, same, different) = (self.total, self.same, self.different);
        if different == 0 {
            let between = match compared {
                ComparedReleases::Versions(versions) => format!("between {}", listed(versions)),
                ComparedReleases::Upgrade { .. } => compared.to_string(),
            };
            return format!("No difference {between} ({total} CronJobs)");
        }
        let how = match (same, different) {
            (0, _) => format!("none behaves the same {compared}"),
            (same, different) => {
                let behave = plural(same, "behaves", "behave");
                let differ = plural(different, "differs", "differ");
                format!("{same} {behave} the same {compared}, {different} {differ}")
            }
        };
        format!("{total} CronJobs: {how}")
    }
}

/// What is compared.
pub(super) enum ComparedReleases {
    Versions(Vec<String>),
    Upgrade { from: Release, to: Release },
}

impl ComparedReleases {
    pub(super) fn versions(old: Release, others: impl IntoIterator<Item = Release>) -> Self {
        let all = [old].into_iter().chain(others);
        ComparedReleases::Versions(all.map(|release| release.to_string()).collect())
    }
}

/// `in 1.26, 1.27.1 and 1.36`
impl fmt::Display for ComparedReleases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ComparedReleases::Versions(versions) => write!(f, "in {}", listed(versions)),
            ComparedReleases::Upgrade { from, to } => {
                write!(f, "with and without the upgrade from {from} to {to}")
            }
        }
    }
}

/// A longer schedule is cut where many are shown.
pub(super) const LONGEST_SCHEDULE: usize = 200;
/// More CronJobs than these are in the documents.
pub(super) const MAX_CRON_JOBS: usize = 50;

/// Adds how many other CronJobs differ.
pub(super) fn more_differ(page: &mut TextPage, more: usize) {
    if more > 0 {
        let text = format!("{more} more CronJobs differ (use -o wide or -o json to show all).");
        page.blank().paragraph(0, text);
    }
}

/// More names than these are only counted.
const MAX_NAMES: usize = 5;
const LONGEST_MESSAGE: usize = 500;

/// Adds what the API servers answer differently than that of the old version, for CronJobs with these names.
pub(super) fn write_changes<'c>(
    page: &mut TextPage,
    old: Release,
    changes: impl Iterator<Item = (String, &'c [WriteChange])>,
) {
    let mut groups: Vec<(&WriteChange, Vec<String>, usize)> = Vec::new();
    for (name, changes) in changes {
        for change in changes {
            let key = |change: &'c WriteChange| (change.release, change.effect, &change.field);
            let known = groups.iter_mut().find(|(known, ..)| {
                key(known) == key(change)
                    && (change.field.is_some() || known.message == change.message)
            });
            match known {
                Some((_, names, count)) => {
                    if names.len() < MAX_NAMES && !names.contains(&name) {
                        names.push(name.clone());
                    }
                    *count += 1;
                }
                None => groups.push((change, vec![name.clone()], 1)),
            }
        }
    }
    if groups.is_empty() {
        return;
    }
    groups.sort_by_key(|(change, ..)| (change.release, change.effect));
    page.heading("API server");
    for (change, names, count) in groups.iter().take(MAX_GROUPS) {
        let who = match count.saturating_sub(names.len()) {
            0 => listed(names),
            more => format!("{} and {more} more CronJobs", names.join(", ")),
        };
        page.paragraph(2, sentence(change, old, &who, *count));
    }
    page.more(2, groups.len(), MAX_GROUPS, " (use -o json to show all)");
}

/// More kinds of changes are in the documents.
const MAX_GROUPS: usize = 20;

fn sentence(change: &WriteChange, old: Release, who: &str, count: usize) -> String {
    let release = change.release;
    let field = change.field.as_deref().unwrap_or_default();
    let message = change.message.as_deref().unwrap_or_default();
    let message = shortened(message, LONGEST_MESSAGE);
    let (they, existing) = plural(
        count,
        ("it is", "The existing CronJob is"),
        ("they are", "The existing CronJobs are"),
    );
    match change.effect {
        WriteEffect::WriteRejected => format!(
            "{release} rejects the next apply of {who}: {field}: {message}. {existing} not affected."
        ),
        WriteEffect::CreateRejected => format!(
            "{release} rejects {who} when {they} created again: {field}: {message}. {existing} not affected, and can \
             still be updated."
        ),
        WriteEffect::Warning => {
            format!("{release} warns at the next apply of {who}: {message}")
        }
        WriteEffect::FieldStored => format!(
            "{release} stores {field} of {who} with the next apply, and it takes effect; {old} does not store it."
        ),
    }
}
