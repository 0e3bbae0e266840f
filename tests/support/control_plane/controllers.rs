//! The ends of the controller's syncs, which only its log shows.

use std::path::{Path, PathBuf};

/// The controllers' log from a moment on.
pub(crate) struct Log {
    path: PathBuf,
    from: usize,
}

/// How a sync ended, by the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SyncEnd {
    /// The controller syncs again after this long, in Go's words.
    Again(String),
    /// It failed, and tries again.
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
        let about = format!("cronjob=\"{namespace}/{name}\"");
        let lines = text.lines().filter(|line| line.contains(&about));
        lines.filter_map(sync_end).collect()
    }
}

fn sync_end(line: &str) -> Option<SyncEnd> {
    let value = |key: &str| {
        let (_, rest) = line.split_once(key)?;
        let (value, _) = rest.rsplit_once('"')?;
        Some(value.to_owned())
    };
    if line.contains("\"Re-queuing cronjob\"") {
        return value("requeueAfter=\"").map(SyncEnd::Again);
    }
    let failed = line.contains("\"Error reconciling cronjob\"");
    failed.then(|| value("err=\"").map(SyncEnd::Failed))?
}
