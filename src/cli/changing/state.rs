//! Which `CronJob`s a call suspended, so that exactly those can be resumed.
//!
//! The file grows by a line for each, so that it is right whenever the call is cut short. A line
//! is JSON, and the whole is YAML, for people to read.

use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use anyhow::{Context as _, anyhow};
use serde_json::json;

use crate::document::{self, Node};
use crate::model::CronJob;
use crate::output::API_VERSION;

/// The kind of the document.
const KIND: &str = "Suspended";

/// A `CronJob` that was suspended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct Suspended {
    /// Its namespace.
    pub(in crate::cli) namespace: String,
    /// Its name.
    pub(in crate::cli) name: String,
    /// Its identity: a namesake that was made later is another one.
    pub(in crate::cli) uid: String,
}

/// Why a file does not tell what was suspended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::cli) enum StateError {
    /// It is no YAML.
    #[error("{0}")]
    Unreadable(String),
    /// It is something else.
    #[error("expected what `suspend --save-state` writes ({KIND} of {version}), found {found}", version = API_VERSION)]
    Other {
        /// What it is.
        found: String,
    },
    /// An entry without a namespace, a name or a uid.
    #[error("line {line}: expected namespace, name and uid")]
    Entry {
        /// Where it is.
        line: u32,
    },
}

/// The file, as it grows.
pub(in crate::cli) struct SavedState {
    file: File,
    /// What to call it in errors.
    place: String,
    /// Its length without the line that may have to be taken back.
    sure: u64,
}

impl SavedState {
    /// Begins a file. One that is there stays: it may be all that is known of another window.
    pub(in crate::cli) fn begin(path: &Path, server: &str) -> anyhow::Result<Self> {
        let place = format!("--save-state {}", path.display());
        let file = File::create_new(path);
        let mut file = file.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => anyhow!(
                "{place}: the file exists, and may be what another window is to be restored from; \
                 name a new one"
            ),
            _ => anyhow!("{place}: {error}"),
        })?;
        let text = header(server);
        let written = file.write_all(text.as_bytes());
        let sure = written.and_then(|()| file.stream_position());
        let sure = sure.with_context(|| place.clone())?;
        Ok(SavedState { file, place, sure })
    }

    /// Notes down a CronJob that is about to be suspended: if the call is cut short, better one
    /// too many, which is not suspended then, than one too few.
    pub(in crate::cli) fn note(&mut self, cron_job: &CronJob) -> anyhow::Result<()> {
        let text = entry(cron_job);
        self.file
            .write_all(text.as_bytes())
            .and_then(|()| self.file.sync_data())
            .with_context(|| self.place.clone())
    }

    /// Keeps the last line, or takes it back.
    pub(in crate::cli) fn keep(&mut self, suspended: bool) -> anyhow::Result<()> {
        if suspended {
            let position = self.file.stream_position();
            self.sure = position.with_context(|| self.place.clone())?;
            return Ok(());
        }
        self.file
            .set_len(self.sure)
            .and_then(|()| self.file.seek(SeekFrom::Start(self.sure)))
            .map(drop)
            .with_context(|| self.place.clone())
    }
}

/// The beginning of the file.
fn header(server: &str) -> String {
    format!(
        "# The CronJobs that a call of `kubectl cronjob-doctor suspend` suspended.\n\
         # `kubectl cronjob-doctor resume --from-state FILE` resumes them, and no others.\n\
         apiVersion: {}\nkind: {KIND}\nserver: {}\nitems:\n",
        API_VERSION,
        json!(server)
    )
}

/// The line of a `CronJob`.
fn entry(cron_job: &CronJob) -> String {
    let entry = json!({
        "namespace": cron_job.namespace,
        "name": cron_job.name,
        "uid": cron_job.uid,
    });
    format!("- {entry}\n")
}

/// Reads the file: the server that it is about, and what was suspended there.
pub(in crate::cli) fn read_state(text: &str) -> Result<(String, Vec<Suspended>), StateError> {
    let parsed = document::parse(text);
    if let Some(error) = parsed.errors.first() {
        return Err(StateError::Unreadable(error.to_string()));
    }
    let root = parsed.documents.first().map(|document| &document.root);
    let field = |name| root.and_then(|root| root.get(name)).and_then(Node::as_str);
    let (version, kind) = (field("apiVersion"), field("kind"));
    if (version, kind) != (Some(API_VERSION), Some(KIND)) {
        let found = match (kind, version) {
            (Some(kind), Some(version)) => format!("{kind} of {version}"),
            _ => "something without a kind".to_owned(),
        };
        return Err(StateError::Other { found });
    }
    let items = root.and_then(|root| root.get("items"));
    let items = items.and_then(Node::as_sequence).unwrap_or_default();
    let items: Result<Vec<Suspended>, StateError> = items.iter().map(suspended).collect();
    Ok((field("server").unwrap_or_default().to_owned(), items?))
}

fn suspended(node: &Node) -> Result<Suspended, StateError> {
    let field = |name| {
        let text = node.get(name).and_then(Node::as_str);
        let line = node.place.line;
        text.map(str::to_owned).ok_or(StateError::Entry { line })
    };
    Ok(Suspended {
        namespace: field("namespace")?,
        name: field("name")?,
        uid: field("uid")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let cron_job = CronJob {
            namespace: "shop".to_owned(),
            name: "nightly".to_owned(),
            uid: "a-b".to_owned(),
            ..CronJob::default()
        };
        let empty = header("https://127.0.0.1:6443");
        let server = "https://127.0.0.1:6443".to_owned();
        assert_eq!(read_state(&empty), Ok((server.clone(), vec![])));
        let text = empty + &entry(&cron_job) + &entry(&cron_job);
        let one = Suspended {
            namespace: "shop".to_owned(),
            name: "nightly".to_owned(),
            uid: "a-b".to_owned(),
        };
        assert_eq!(read_state(&text), Ok((server, vec![one.clone(), one])));
    }

    #[test]
    fn what_is_something_else_is_refused() {
        let found = |text: &str| read_state(text).unwrap_err().to_string();
        assert_eq!(
            found("apiVersion: v1\nkind: List\n"),
            "expected what `suspend --save-state` writes (Suspended of cronjob-doctor/v1), \
             found List of v1"
        );
        assert_eq!(
            found(&(header("x") + "- {\"name\": \"a\"}\n")),
            "line 7: expected namespace, name and uid"
        );
        assert!(found("a: [").starts_with("line 1"));
    }
}
