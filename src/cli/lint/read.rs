//! Reads the files that were named, side by side.

use std::io;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::cluster::Cluster;
use crate::lint::{FileReport, LintSettings, Linter, wide_manifest};
use crate::snapshot::{Input, SnapshotError};

/// Where a text comes from.
pub(super) enum Source {
    Input(Input),
    /// The output of a program.
    Rendered(Vec<u8>),
}

/// A text, and what holds for it.
pub(super) struct Task {
    pub(super) source: Source,
    /// Its name in the output.
    pub(super) name: Arc<str>,
    pub(super) settings: Arc<LintSettings>,
    /// The kustomization that names it as a patch.
    pub(super) patch_of: Option<Arc<str>>,
}

impl Task {
    /// Whether the text is the output of a program, as far as can be known.
    fn is_rendered(&self) -> bool {
        matches!(
            self.source,
            Source::Rendered(_) | Source::Input(Input::Stdin)
        )
    }
}

/// The number of concurrent requests to a cluster.
const ASKING: usize = 8;

/// What came of a task.
type Outcome = Result<FileReport, SnapshotError>;

/// Checks all files. The results are in the order of the files.
pub(super) fn all(
    linter: &Linter<'_>,
    tasks: &[Task],
    cluster: Option<&Cluster>,
) -> (Vec<FileReport>, Vec<SnapshotError>) {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    // Whoever asks a cluster waits most of the time.
    let most = if cluster.is_some() { ASKING } else { cores };
    let workers = most.min(tasks.len());
    let next = AtomicUsize::new(0);
    let mut done: Vec<(usize, Outcome)> = if workers <= 1 {
        work(linter, tasks, cluster, &next)
    } else {
        thread::scope(|scope| {
            let start = |_| scope.spawn(|| work(linter, tasks, cluster, &next));
            let threads: Vec<_> = (0..workers).map(start).collect();
            let joined = threads.into_iter().map(thread::ScopedJoinHandle::join);
            joined
                .flat_map(|done| done.unwrap_or_else(|panic| resume_unwind(panic)))
                .collect()
        })
    };
    done.sort_by_key(|(index, _)| *index);
    let (mut reports, mut errors) = (Vec::new(), Vec::new());
    for (_, outcome) in done {
        match outcome {
            Ok(report) => reports.push(report),
            Err(error) => errors.push(error),
        }
    }
    (reports, errors)
}

/// Takes one task after the other until there is none left.
fn work(
    linter: &Linter<'_>,
    tasks: &[Task],
    cluster: Option<&Cluster>,
    next: &AtomicUsize,
) -> Vec<(usize, Outcome)> {
    let mut done = Vec::new();
    let mut buffer = Vec::new();
    loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let Some(task) = tasks.get(index) else {
            return done;
        };
        buffer.clear();
        let read = match &task.source {
            Source::Input(input) => input
                .read_into(&mut buffer, &mut io::stdin().lock())
                .map(|()| &*buffer),
            Source::Rendered(text) => Ok(&**text),
        };
        let outcome = read.and_then(|bytes| check(linter, task, bytes, cluster));
        done.push((index, outcome));
    }
}

fn check(linter: &Linter<'_>, task: &Task, bytes: &[u8], cluster: Option<&Cluster>) -> Outcome {
    let file = Arc::clone(&task.name);
    if let Some(encoding) = wide_manifest(bytes) {
        return Err(SnapshotError::Encoding { file, encoding });
    }
    if let Some(kustomization) = &task.patch_of {
        let settings = &task.settings;
        return Ok(Linter::read_patch(&file, bytes, settings, kustomization));
    }
    let mut report = linter.read(&file, bytes, &task.settings);
    if let Some(cluster) = cluster {
        cluster.ask(linter, &mut report, bytes);
    }
    if task.is_rendered() {
        report.set_rendered();
    }
    Ok(report)
}
