//! The arguments of `suspend`.

use std::path::PathBuf;

use clap::Args;
use jiff::Timestamp;

use super::what_if::time;
use super::{Changing, Targets, WhatIf};

/// Suspend CronJobs, and say what will be missed
#[derive(Debug, Args)]
#[command(after_help = "\
Says which slots get no Job, what goes on, and what being resumed will lead to; then asks.

Examples:
  # Suspend one, and note down why
  kubectl cronjob-doctor suspend nightly -n shop --reason 'database migration'

  # Everything of a namespace for a maintenance window, and exactly that back
  kubectl cronjob-doctor suspend --all -n shop --save-state window.yaml
  kubectl cronjob-doctor resume --from-state window.yaml --catch-up=skip

  # What would be missed until Monday?
  kubectl cronjob-doctor suspend nightly --until 2026-11-23T06:00:00Z --dry-run")]
pub(in crate::cli) struct Suspend {
    #[command(flatten)]
    pub(in crate::cli) targets: Targets,
    #[command(flatten)]
    pub(in crate::cli) changing: Changing,
    /// When it is to be resumed: count what is missed until then. Nobody resumes it for you
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Change")]
    pub(in crate::cli) until: Option<Timestamp>,
    /// Why, for those who find it suspended: kept in an annotation until it is resumed
    #[arg(long, value_name = "TEXT", help_heading = "Change")]
    pub(in crate::cli) reason: Option<String>,
    /// Write down which were suspended by this call, for resume --from-state
    #[arg(long, value_name = "FILE", help_heading = "Change")]
    pub(in crate::cli) save_state: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) what_if: WhatIf,
}
