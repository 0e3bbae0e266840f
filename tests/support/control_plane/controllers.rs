//! The ends of the controller's syncs, which only its log shows.

use std::path::{Path, PathBuf};

/// The controllers' log from a moment on.
pub(crate) struct Log {
    path: PathBuf,
    from: usize,
}

/// How a sync ended, according to the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SyncEnd {
    /// The controller syncs again after this long, in Go's notation.
    Again(String),
    /// It failed, and the controller tries again.
    Failed(String),
}

impl Log {
    pub(super) fn from_now_on(path: &Path) -> Log {
        let from = std::fs::read(path).map_or(0, |text| text.len());
        let path = path.to_owned();
        Log { path, from }
    }

    /// The ends of the syncs of a `CronJob`, except of those after which no other is queued.
    pub(crate) fn syncs(&self, namespace: &str, name: &str) -> Vec<SyncEnd> {
        let bytes = std::fs::read(&self.path).unwrap();
        let text = String::from_utf8_lossy(&bytes[self.from..]);
        let key = format!("{namespace}/{name}");
        let ends = text.lines().filter_map(sync_end);
        let ends = ends.filter(|(of, _)| *of == key);
        ends.map(|(_, end)| end).collect()
    }
}

/// The `CronJob` and the end of a sync in a line of the log.
pub(crate) fn sync_end(line: &str) -> Option<(String, SyncEnd)> {
    if line.contains("e-queuing cronjob\"") {
        let key = between(line, "cronjob=\"", "\"")?;
        let again = between(line, "requeueAfter=\"", "\"")?;
        return Some((key.to_owned(), SyncEnd::Again(again.to_owned())));
    }
    let (_, failed) = line.split_once("error syncing CronJobController ")?;
    let (key, why) = failed.split_once(", requeuing: ")?;
    let why = why.split_once("\" logger=").map_or(why, |(why, _)| why);
    // Clients of older releases reject this without asking the server.
    let why = match why {
        "an empty namespace may not be set when a resource name is provided" => {
            "the server could not find the requested resource"
        }
        why => why,
    };
    Some((key.to_owned(), SyncEnd::Failed(why.to_owned())))
}

fn between<'l>(line: &'l str, start: &str, end: &str) -> Option<&'l str> {
    let (_, rest) = line.split_once(start)?;
    Some(rest.split_once(end)?.0)
}
