//! Reads the files that were named, side by side.

use std::io;
use std::sync::Arc;

use super::cluster::Cluster;
use crate::cli::side_by_side::{cores, side_by_side};
use cronjob_manifest::lint::{FileReport, LintSettings, Linter, wide_manifest};
use kube_objects::snapshot::{Input, SnapshotError};

pub(super) enum Source {
    Input(Input),
    Rendered(Vec<u8>),
}

/// A text, and what holds for it.
pub(super) struct Task {
    pub(super) source: Source,
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

/// Checks all files. The results are in the order of the files.
pub(super) fn all(
    linter: &Linter<'_>,
    tasks: &[Task],
    cluster: Option<&Cluster>,
) -> (Vec<FileReport>, Vec<SnapshotError>) {
    // Requests to a cluster mostly wait.
    let most = if cluster.is_some() { ASKING } else { cores() };
    let outcomes = side_by_side(tasks, most, |task| {
        let mut buffer = Vec::new();
        let bytes = match &task.source {
            Source::Input(input) => {
                input.read_into(&mut buffer, &mut io::stdin().lock())?;
                &buffer
            }
            Source::Rendered(text) => text,
        };
        check(linter, task, bytes, cluster)
    });
    let (mut reports, mut errors) = (Vec::new(), Vec::new());
    for outcome in outcomes {
        match outcome {
            Ok(report) => reports.push(report),
            Err(error) => errors.push(error),
        }
    }
    (reports, errors)
}

fn check(
    linter: &Linter<'_>,
    task: &Task,
    bytes: &[u8],
    cluster: Option<&Cluster>,
) -> Result<FileReport, SnapshotError> {
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
