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

pub use serve::check_history_query;
pub(super) use top::terminal;
