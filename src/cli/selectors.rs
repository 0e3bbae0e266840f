//! The selectors of a call.

use super::args::Selection;
use super::notice::Notice;
use crate::model::CronJob;
use crate::selector::{FieldSelector, LabelSelector, SelectorError};

/// The selectors of a call, read before anything else is: what is wrong with them is told without
/// a file being opened or a server being asked.
pub(super) struct Selectors {
    labels: LabelSelector,
    fields: FieldSelector,
}

impl Selectors {
    /// Reads `--selector` and `--field-selector`. What is not given requires nothing.
    pub(super) fn of(selection: &Selection) -> anyhow::Result<Self> {
        let labels = selection.selector.as_deref().unwrap_or_default();
        let fields = selection.field_selector.as_deref().unwrap_or_default();
        Ok(Selectors {
            labels: labels
                .parse()
                .map_err(|error| shown("--selector", labels, &error))?,
            fields: fields
                .parse()
                .map_err(|error| shown("--field-selector", fields, &error))?,
        })
    }

    /// Whether a CronJob is meant.
    pub(super) fn choose(&self, cron_job: &CronJob) -> bool {
        self.labels.matches(&cron_job.labels)
            && self.fields.matches(&cron_job.namespace, &cron_job.name)
    }
}

fn shown(flag: &str, text: &str, error: &SelectorError) -> anyhow::Error {
    Notice::new(format!("{flag}: {error}"))
        .excerpt(text, error.span())
        .into()
}
