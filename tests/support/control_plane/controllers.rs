//! What the `CronJob` controller says of its own looks, which nothing else tells.

use std::path::{Path, PathBuf};

/// The controllers' log from a moment on.
pub(crate) struct Log {
    path: PathBuf,
    from: usize,
}

/// What the log tells of a look's end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// The controller looks again after this long, in Go's words.
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

    /// The ends of the looks at a `CronJob`. A look that ends for good leaves nothing here.
    pub(crate) fn looks(&self, namespace: &str, name: &str) -> Vec<Look> {
        let bytes = std::fs::read(&self.path).unwrap();
        let text = String::from_utf8_lossy(&bytes[self.from..]);
        let about = format!("cronjob=\"{namespace}/{name}\"");
        let lines = text.lines().filter(|line| line.contains(&about));
        lines.filter_map(look).collect()
    }
}

fn look(line: &str) -> Option<Look> {
    let value = |key: &str| {
        let (_, rest) = line.split_once(key)?;
        let (value, _) = rest.rsplit_once('"')?;
        Some(value.to_owned())
    };
    if line.contains("\"Re-queuing cronjob\"") {
        return value("requeueAfter=\"").map(Look::Again);
    }
    let failed = line.contains("\"Error reconciling cronjob\"");
    failed.then(|| value("err=\"").map(Look::Failed))?
}
