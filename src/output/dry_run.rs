//! How much of a change is done.

use clap::ValueEnum;

string_enum! {
    /// The value of `--dry-run`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
    pub(crate) enum DryRun {
        None = "none",
        Client = "client",
        // The API server checks changes and does not store them.
        Server = "server",
    }
}
