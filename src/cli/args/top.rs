//! The arguments of `top`.

use clap::Args;

use super::scan::SortBy;
use super::{Selection, WhatIf};

/// Watch CronJobs on a dashboard: what runs next, what is wrong, and why
///
/// Keys are those of k9s: ? shows them.
#[derive(Debug, Args)]
#[command(after_help = "\
Suspending, resuming and triggering say first what they lead to, and ask, as the verbs of these names do.

Examples:
  # The CronJobs of the namespace
  kubectl cronjob-doctor top -n shop

  # The whole cluster, for a screen on the wall
  kubectl cronjob-doctor top -A --read-only")]
pub(in crate::cli) struct Top {
    #[command(flatten)]
    pub(in crate::cli) selection: Selection,
    /// Order at the beginning: health, name, next, last, missed or active
    #[arg(long, value_enum, value_name = "COLUMN", default_value_t = SortBy::Health, hide_possible_values = true, help_heading = "Output")]
    pub(in crate::cli) sort: SortBy,
    /// Refuse to change anything
    #[arg(long, help_heading = "Change")]
    pub(in crate::cli) read_only: bool,
    #[command(flatten)]
    pub(in crate::cli) what_if: WhatIf,
}
