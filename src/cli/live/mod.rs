//! The verbs that need a connection to a cluster: those that change it, follow it or serve what it has.
//!
//! Verbs that change something share `changing/`, verbs that watch the cluster `watch.rs` and `live_survey.rs`, and those
//! that wait for Jobs `job_tracker.rs`.

mod again;
pub(super) mod backfill;
mod busy;
mod changing;
mod frontend;
mod job_findings;
mod job_lines;
mod job_tracker;
mod job_wait;
mod live_survey;
mod log_of_job;
mod log_output;
mod log_reader;
pub(super) mod logs;
mod read;
pub(super) mod resume;
mod running_jobs;
pub(super) mod scan_watch;
pub(super) mod serve;
pub(super) mod suspend;
pub(super) mod top;
pub(super) mod trigger;
mod unwatched;
mod watch;

use anyhow::bail;

use super::args::{BasisArgs, Selection};
use super::diagnostic::Diagnostic;

/// The flags that verbs refuse which follow a live cluster.
const NOT_LIVE: &[&str] = &["filename", "recursive", "now"];

/// Fails if files or a time are given to a verb that follows a live cluster. The helps say what to use instead.
fn follow_cluster_only(
    verb: &str,
    selection: &Selection,
    basis: &BasisArgs,
    [with_files, with_time]: [&str; 2],
) -> anyhow::Result<()> {
    let wrong = |flag, follows, help| {
        Diagnostic::new(format!(
            "{flag} cannot be used with {verb}: it follows {follows}"
        ))
        .help(help)
    };
    if !selection.cron_jobs.filename.is_empty() {
        bail!(wrong("-f", "a live cluster", with_files));
    }
    if basis.now.is_some() {
        bail!(wrong("--now", "the API server's time", with_time));
    }
    Ok(())
}

pub use serve::check_history_query;
pub(super) use top::terminal;
