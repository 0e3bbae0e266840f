//! The arguments of `explain`.

use clap::{Args, ValueEnum};

use super::{FailOn, Selection, WhatIf};
use crate::controller::Release;

/// Explain what the controller does with CronJobs, and why
#[derive(Debug, Args)]
#[command(after_help = "\
Decides as the controller of the given release would if it looked now: step by step, with the events it \
would record, what was missed and why, and what is wrong or risky.

Examples:
  # Everything about a CronJob
  kubectl cronjob-doctor explain nightly -n shop

  # The same from a snapshot
  kubectl get cronjobs,jobs,events,pods -A -o yaml > snapshot.yaml
  kubectl cronjob-doctor explain -f snapshot.yaml

  # What happens if it is resumed?
  kubectl cronjob-doctor explain nightly --what-if suspend=false

  # Wait for the next run, and see whether it comes as predicted
  kubectl cronjob-doctor explain nightly --follow

  # What will an upgrade change?
  kubectl cronjob-doctor explain nightly --compare 1.20,1.27.1,1.36")]
pub(in crate::cli) struct Explain {
    #[command(flatten)]
    pub(in crate::cli) selection: Selection,
    /// Output format: wide, json or yaml
    #[arg(
        long,
        short,
        value_enum,
        value_name = "FORMAT",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    pub(in crate::cli) output: Option<ExplainFormat>,
    /// Exit with 1 if there is a finding of this severity or worse: info, warning, error or never
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = FailOn::Never, hide_possible_values = true, help_heading = "Output")]
    pub(in crate::cli) fail_on: FailOn,
    /// Decide as if a field had another value, such as suspend=false; may be repeated
    #[arg(long = "what-if", value_name = "FIELD=VALUE", help_heading = "What if")]
    pub(in crate::cli) changes: Vec<String>,
    /// Decide as other releases would, such as 1.20,1.27.1,1.36
    #[arg(
        long,
        value_name = "VERSIONS",
        value_delimiter = ',',
        help_heading = "What if"
    )]
    pub(in crate::cli) compare: Vec<Release>,
    /// Wait for the controller's next look, and show what happens beside what was predicted
    #[arg(long, conflicts_with_all = ["filename", "now", "changes", "compare"], help_heading = "Output")]
    pub(in crate::cli) follow: bool,
    #[command(flatten)]
    pub(in crate::cli) what_if: WhatIf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ExplainFormat {
    Wide,
    Json,
    Yaml,
}
