//! Stores what happened to runs, before Kubernetes deletes their Jobs.
//!
//! `serve --record` follows a cluster. After each change, and when a run is due, the history of the `CronJob` is
//! computed as `history` does, and what is new of it is stored ([`Recorder`]), up to the time that all clocks have
//! reached ([`ClockReading`]). The rows are in an SQLite file or in PostgreSQL ([`RunStore`]). `--recorder` reads that
//! file, or asks the recorder ([`read_page`]).

mod clock;
mod database;
#[cfg(feature = "cluster")]
mod databases;
mod error;
mod following;
mod judgment;
mod known_runs;
mod location;
mod remote;
mod rows;
mod store;

pub use clock::{ClockReading, RecordDelay};
pub use error::StoreError;
pub use following::{Recorder, RecordingBasis, RecordingScope};
pub use judgment::ChangedCronJob;
pub use location::StoreLocation;
pub(crate) use location::not_a_path;
pub use remote::read_page;
pub use store::{CronJobUpdate, RunStore, StoredSpec};

use kube_model::CronJobRecord;

/// Whether a `CronJob` can have a name, as the API server checks it.
pub(crate) fn is_possible_name(name: &str) -> bool {
    let is_end = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    name.len() <= 253
        && name.split('.').all(|part| {
            part.starts_with(is_end)
                && part.ends_with(is_end)
                && part.chars().all(|c| is_end(c) || c == '-')
        })
}

/// What is stored of the CronJobs of a name.
pub struct RecordOfCronJob {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) record: CronJobRecord,
}
