//! The CronJobs that a call is about.

use super::args::Selection;
use crate::upcoming::Subject;

/// A subject, and where it comes from.
pub(super) struct LocatedSubject {
    pub(super) subject: Subject,
    /// `file:line:column`.
    pub(super) place: Option<String>,
}

/// What was found, and whether that is all that was asked for.
pub(super) struct Found {
    pub(super) subjects: Vec<LocatedSubject>,
    pub(super) complete: bool,
}

impl Found {
    pub(super) fn of_schedule(subject: Subject) -> Self {
        Found { subjects: vec![LocatedSubject { subject, place: None }], complete: true }
    }
}

pub(super) fn read_files(_selection: &Selection) -> anyhow::Result<Found> {
    anyhow::bail!("not yet")
}
