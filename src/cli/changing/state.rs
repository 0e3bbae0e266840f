//! Which `CronJob`s a call suspended, so that exactly those can be resumed.
//!
//! The file grows by a line for each, so that it is right whenever the call is cut short: a line is
//! written before its `CronJob` is changed, and taken back if that is not done. A line is JSON, and the
//! whole is YAML, for people to read.

use std::fs::{self, File};
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
    /// Why it was suspended, as far as somebody said.
    pub(in crate::cli) reason: Option<String>,
}

/// What a file tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct State {
    /// The server that it is about.
    pub(in crate::cli) server: String,
    /// What was suspended there.
    pub(in crate::cli) suspended: Vec<Suspended>,
    /// Whether the last line is cut short, and left out. Its `CronJob` had not been changed yet.
    pub(in crate::cli) is_cut: bool,
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
    /// Its length.
    length: u64,
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
        if let Err(error) = file.write_all(text.as_bytes()) {
            // Half a header is of no use, and would be in the way of the next call.
            let _ = fs::remove_file(path);
            return Err(error).context(place);
        }
        let length = length_of(&text);
        Ok(SavedState {
            file,
            place,
            sure: length,
            length,
        })
    }

    /// Notes down a CronJob that is about to be suspended: if the call is cut short, better one
    /// too many, which is not suspended then, than one too few.
    pub(in crate::cli) fn note(
        &mut self,
        cron_job: &CronJob,
        reason: Option<&str>,
    ) -> anyhow::Result<()> {
        let text = entry(cron_job, reason);
        let written = self.file.write_all(text.as_bytes());
        if let Err(error) = written.and_then(|()| self.file.sync_data()) {
            // It is the first error that counts.
            let _ = self.take_back();
            return Err(error).with_context(|| self.place.clone());
        }
        self.length = self.sure + length_of(&text);
        Ok(())
    }

    /// Keeps the last line.
    pub(in crate::cli) fn keep(&mut self) {
        self.sure = self.length;
    }

    /// Takes the last line back.
    pub(in crate::cli) fn take_back(&mut self) -> anyhow::Result<()> {
        self.length = self.sure;
        self.file
            .set_len(self.sure)
            .and_then(|()| self.file.seek(SeekFrom::Start(self.sure)))
            .map(drop)
            .with_context(|| self.place.clone())
    }
}

fn length_of(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
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
fn entry(cron_job: &CronJob, reason: Option<&str>) -> String {
    let entry = json!({
        "namespace": cron_job.namespace,
        "name": cron_job.name,
        "uid": cron_job.uid,
        "reason": reason,
    });
    format!("- {entry}\n")
}

/// Reads the file. A last line that is cut short is left out.
pub(in crate::cli) fn read_state(text: &str) -> Result<State, StateError> {
    let error = match read_whole(text) {
        Ok((server, suspended)) => {
            return Ok(State {
                server,
                suspended,
                is_cut: false,
            });
        }
        Err(error) => error,
    };
    match text.rsplit_once('\n') {
        Some((whole, cut)) if cut.starts_with('-') => {
            let (server, suspended) = read_whole(whole).map_err(|_| error)?;
            Ok(State {
                server,
                suspended,
                is_cut: true,
            })
        }
        _ => Err(error),
    }
}

/// The server that a file is about, and what was suspended there.
fn read_whole(text: &str) -> Result<(String, Vec<Suspended>), StateError> {
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
        reason: field("reason").ok(),
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
        let state = |suspended| State {
            server: "https://127.0.0.1:6443".to_owned(),
            suspended,
            is_cut: false,
        };
        let empty = header("https://127.0.0.1:6443");
        assert_eq!(read_state(&empty), Ok(state(vec![])));
        let text = empty + &entry(&cron_job, None) + &entry(&cron_job, Some("a: \"b\""));
        let one = |reason: Option<&str>| Suspended {
            namespace: "shop".to_owned(),
            name: "nightly".to_owned(),
            uid: "a-b".to_owned(),
            reason: reason.map(str::to_owned),
        };
        let both = vec![one(None), one(Some("a: \"b\""))];
        assert_eq!(read_state(&text), Ok(state(both)));
    }

    /// Wherever it is cut, what stands before is read.
    #[test]
    fn last_line_that_is_cut_is_left_out() {
        let cron_job = CronJob {
            namespace: "shop".to_owned(),
            name: "nightly".to_owned(),
            uid: "a-b".to_owned(),
            ..CronJob::default()
        };
        let whole = header("x") + &entry(&cron_job, None);
        let last = entry(&cron_job, Some("why"));
        for end in 1..last.len() {
            let state = read_state(&(whole.clone() + &last[..end])).unwrap();
            // Without its line end it is whole.
            let is_whole = end == last.len() - 1;
            assert_eq!(
                (state.suspended.len(), state.is_cut),
                (1 + usize::from(is_whole), !is_whole)
            );
        }
        // In the middle it is no accident.
        let text = header("x") + "- {\"name\": \"a\n" + &last;
        assert!(read_state(&text).is_err());
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
