//! The arguments of `trigger`.

use std::time::Duration;

use clap::Args;

use super::connection::duration;
use super::{Changing, Targets, WhatIf};
use crate::change::EnvChange;

/// Start a Job of a CronJob now, and say what the controller makes of it
#[derive(Debug, Args)]
#[command(after_help = "\
Makes the same Job as kubectl create job --from, with a name of its own. Says first what it passes \
by, what the controller will record, and which Jobs the history has no room for then; then asks.

Examples:
  # Start one, and wait until it is over: the exit code is the Job's
  kubectl cronjob-doctor trigger nightly -n shop --wait=30m

  # See what it writes
  kubectl cronjob-doctor trigger nightly -n shop --yes --logs

  # Try another image and another command
  kubectl cronjob-doctor trigger nightly --image registry.example.com/main:1.5 \\
    --env MODE=dry -- /bin/report --verbose

  # What would be sent?
  kubectl cronjob-doctor trigger nightly --dry-run -o yaml")]
pub(in crate::cli) struct Trigger {
    #[command(flatten)]
    pub(in crate::cli) targets: Targets,
    #[command(flatten)]
    pub(in crate::cli) changing: Changing,
    /// The name of the Job (default: that of the CronJob, -manual- and five random characters)
    #[arg(long, value_name = "NAME", help_heading = "Job")]
    pub(in crate::cli) name: Option<String>,
    /// Start it although the concurrencyPolicy is Forbid and a Job runs
    #[arg(long, help_heading = "Job")]
    pub(in crate::cli) force: bool,
    /// Another image
    #[arg(long, value_name = "IMAGE", help_heading = "Job")]
    pub(in crate::cli) image: Option<String>,
    /// Another value of a variable: NAME=VALUE; NAME- takes it away
    #[arg(long, value_name = "NAME=VALUE", help_heading = "Job")]
    pub(in crate::cli) env: Vec<EnvChange>,
    /// The container that is changed, and whose logs are shown (default: the one that kubectl logs
    /// takes)
    #[arg(long, short, value_name = "NAME", help_heading = "Job")]
    pub(in crate::cli) container: Option<String>,
    /// Another command, with its arguments
    #[arg(last = true, value_name = "COMMAND", help_heading = "Job")]
    pub(in crate::cli) command: Vec<String>,
    /// Wait until the Job is over, for so long at most; exit with 1 if it fails
    #[arg(
        long,
        value_name = "TIMEOUT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        value_parser = limit,
        help_heading = "Afterwards"
    )]
    pub(in crate::cli) wait: Option<Limit>,
    /// Show what the Job writes, until it is over
    #[arg(long, help_heading = "Afterwards")]
    pub(in crate::cli) logs: bool,
    #[command(flatten)]
    pub(in crate::cli) what_if: WhatIf,
}

/// How long a Job is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Limit {
    /// As long as it takes.
    None,
    /// No longer than that.
    After(Duration),
}

/// A duration, or nothing where the flag stands alone.
fn limit(text: &str) -> Result<Limit, String> {
    if text.is_empty() {
        return Ok(Limit::None);
    }
    duration(text).map(Limit::After)
}
