//! The file that lists the `CronJob`s that `suspend --save-state` suspended, so that exactly those can be
//! resumed.
//!
//! A line is written before its `CronJob` is changed, and removed if the change fails, so that the file is
//! correct even if the command is interrupted. Each line is JSON; the whole file is YAML.

use std::fs::{self, File};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use anyhow::{Context as _, anyhow};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;

use crate::diagnose::SuspensionRecord;
use crate::document::{self, Node};
use crate::duration::whole_second;
use crate::model::{CronJob, SUSPEND_REASON};
use crate::output::API_VERSION;

const KIND: &str = "Suspended";

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SuspendedEntry {
    pub(crate) namespace: String,
    pub(crate) name: String,
    /// A CronJob that was re-created under the name has another one.
    pub(crate) uid: String,
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suspended_at: Option<Timestamp>,
    // These are for people who read the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    suspended_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<Timestamp>,
}

impl SuspendedEntry {
    /// Whether a CronJob is still in this suspension. Its annotations are not those of the last one that set
    /// `spec.suspend` if another client has suspended it since.
    pub(crate) fn is_of(&self, cron_job: &CronJob, record: &SuspensionRecord) -> bool {
        // Files of the first version have no time.
        let is_of_then = self.suspended_at.is_none_or(|at| record.at == Some(at));
        self.reason.as_deref() == cron_job.annotations.get(SUSPEND_REASON) && is_of_then
    }
}

pub(crate) struct StateFile {
    pub(crate) server: Option<String>,
    pub(crate) suspended: Vec<SuspendedEntry>,
    /// Whether the last line is cut short, and left out. Its CronJob had not been changed yet.
    pub(crate) is_cut: bool,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum StateFileError {
    #[error("{0}")]
    Unreadable(String),
    /// It is a document of another kind.
    #[error("expected a file written by `suspend --save-state` ({KIND} of {version}), found {found}", version = API_VERSION)]
    Other { found: String },
    /// An entry without a namespace, a name or a uid.
    #[error("line {line}: expected namespace, name and uid")]
    Entry { line: u32 },
}

pub(crate) struct StateFileWriter {
    file: File,
    place: String,
    /// Its length without the last line, which may have to be removed.
    kept: u64,
}

impl StateFileWriter {
    /// Creates a file. An existing one is not overwritten: a maintenance window may depend on it.
    pub(crate) fn create(path: &Path, server: &str) -> anyhow::Result<Self> {
        let place = format!("--save-state {}", path.display());
        let file = File::create_new(path);
        let mut file = file.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => anyhow!(
                "{place}: the file already exists and may be needed to resume CronJobs; choose another name"
            ),
            _ => anyhow!("{place}: {error}"),
        })?;
        let text = header(server);
        if let Err(error) = file.write_all(text.as_bytes()) {
            // Half a header is useless, and would prevent the next call.
            let _ = fs::remove_file(path);
            return Err(error).context(place);
        }
        let mut state = StateFileWriter {
            file,
            place,
            kept: 0,
        };
        state.keep_last()?;
        Ok(state)
    }

    /// Adds a CronJob that is about to be suspended. If the run is interrupted, an entry too many does no
    /// harm, but a missing one would.
    pub(crate) fn add(
        &mut self,
        cron_job: &CronJob,
        record: &SuspensionRecord,
    ) -> anyhow::Result<()> {
        let text = entry(cron_job, record);
        let written = self.file.write_all(text.as_bytes());
        if let Err(error) = written.and_then(|()| self.file.sync_data()) {
            // The first error counts.
            let _ = self.remove_last();
            return Err(error).with_context(|| self.place.clone());
        }
        Ok(())
    }

    pub(crate) fn keep_last(&mut self) -> anyhow::Result<()> {
        let end = self.file.stream_position();
        self.kept = end.with_context(|| self.place.clone())?;
        Ok(())
    }

    pub(crate) fn remove_last(&mut self) -> anyhow::Result<()> {
        self.file
            .set_len(self.kept)
            .and_then(|()| self.file.seek(SeekFrom::Start(self.kept)))
            .map(drop)
            .with_context(|| self.place.clone())
    }
}

fn header(server: &str) -> String {
    format!(
        "# The CronJobs suspended by `kubectl cronjob-doctor suspend --save-state`.\n\
         # To resume exactly these, run `kubectl cronjob-doctor resume --from-state FILE`.\n\
         apiVersion: {}\nkind: {KIND}\nserver: {}\nitems:\n",
        API_VERSION,
        json!(server)
    )
}

/// The line of a `CronJob`.
fn entry(cron_job: &CronJob, record: &SuspensionRecord) -> String {
    let entry = json!(SuspendedEntry {
        namespace: cron_job.namespace.clone(),
        name: cron_job.name.clone(),
        uid: cron_job.uid.clone(),
        reason: record.reason.clone(),
        suspended_at: record.at.map(whole_second),
        suspended_by: record.user.clone(),
        until: record.until.map(whole_second),
    });
    format!("- {entry}\n")
}

/// Reads the file. A last line that is cut short is left out.
pub(crate) fn read_state(text: &str) -> Result<StateFile, StateFileError> {
    let error = match read_whole(text) {
        Err(error) => error,
        read => return read,
    };
    match text.rsplit_once('\n') {
        Some((whole, cut)) if cut.starts_with('-') => Ok(StateFile {
            is_cut: true,
            ..read_whole(whole).map_err(|_| error)?
        }),
        _ => Err(error),
    }
}

fn read_whole(text: &str) -> Result<StateFile, StateFileError> {
    let parsed = document::parse(text);
    if let Some(error) = parsed.errors.first() {
        return Err(StateFileError::Unreadable(error.to_string()));
    }
    let root = parsed.documents.first().map(|document| &document.root);
    let field = |name| root.and_then(|root| root.get(name)).and_then(Node::as_str);
    let (version, kind) = (field("apiVersion"), field("kind"));
    if (version, kind) != (Some(API_VERSION), Some(KIND)) {
        let found = match (kind, version) {
            (Some(kind), Some(version)) => format!("{kind} of {version}"),
            _ => "a document without apiVersion and kind".to_owned(),
        };
        return Err(StateFileError::Other { found });
    }
    let items = root.and_then(|root| root.get("items"));
    let items = items.and_then(Node::as_sequence).unwrap_or_default();
    Ok(StateFile {
        server: field("server").map(str::to_owned),
        suspended: items.iter().map(suspended).collect::<Result<_, _>>()?,
        is_cut: false,
    })
}

fn suspended(node: &Node) -> Result<SuspendedEntry, StateFileError> {
    let field = |name| {
        let text = node.get(name).and_then(Node::as_str);
        let line = node.place.line;
        text.map(str::to_owned)
            .ok_or(StateFileError::Entry { line })
    };
    Ok(SuspendedEntry {
        namespace: field("namespace")?,
        name: field("name")?,
        uid: field("uid")?,
        reason: field("reason").ok(),
        suspended_at: field("suspendedAt").ok().and_then(|at| at.parse().ok()),
        ..SuspendedEntry::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    /// Wherever it is cut, what stands before is read.
    #[test]
    fn last_line_that_is_cut_is_left_out() {
        let cron_job = testing::cron_job("nightly");
        let whole = header("x") + &entry(&cron_job, &SuspensionRecord::default());
        let record = SuspensionRecord {
            reason: Some("why".to_owned()),
            ..SuspensionRecord::default()
        };
        let last = entry(&cron_job, &record);
        for end in 1..last.len() {
            let state = read_state(&(whole.clone() + &last[..end])).unwrap();
            // Without its line end it is whole.
            let is_whole = end == last.len() - 1;
            assert_eq!(
                (state.suspended.len(), state.is_cut),
                (1 + usize::from(is_whole), !is_whole)
            );
        }
        // In the middle of the file, a cut line cannot be left from an interruption.
        let text = header("x") + "- {\"name\": \"a\n" + &last;
        assert!(read_state(&text).is_err());
    }
}
