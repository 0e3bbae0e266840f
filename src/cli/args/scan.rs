//! The arguments of `scan`.

use clap::{Args, ValueEnum};

use super::{FailOn, Selection, WhatIf};
use crate::survey::RowOrder;

/// Show the health of all CronJobs, the worst first
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # The CronJobs of the namespace, the worst first
  kubectl cronjob-doctor scan

  # Only those with a problem, of the whole cluster
  kubectl cronjob-doctor scan -A --problems-only

  # Keep the table up to date
  kubectl cronjob-doctor scan -A --watch

  # Fail a pipeline if something will never run
  kubectl cronjob-doctor scan -f snapshot.yaml --fail-on error

  # Feed alerts through node_exporter's textfile collector
  kubectl cronjob-doctor scan -A -o prometheus > /var/lib/node_exporter/cronjobs.prom")]
pub(in crate::cli) struct Scan {
    #[command(flatten)]
    pub(in crate::cli) selection: Selection,
    /// Output format: wide, json, yaml, name, csv, junit or prometheus
    #[arg(
        long,
        short,
        value_enum,
        value_name = "FORMAT",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    pub(in crate::cli) output: Option<ScanFormat>,
    /// Order by health, name, next, last, missed or active
    #[arg(long, value_enum, value_name = "COLUMN", default_value_t = SortBy::Health, hide_possible_values = true, help_heading = "Output")]
    pub(in crate::cli) sort: SortBy,
    /// Only CronJobs with a finding of the severity warning or error
    #[arg(long, help_heading = "Output")]
    pub(in crate::cli) problems_only: bool,
    /// Exit with 1 if there is a finding of this severity or worse: info, warning, error or never
    /// (default: never; the failures of junit are warnings and errors then)
    #[arg(
        long,
        value_enum,
        value_name = "SEVERITY",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    pub(in crate::cli) fail_on: Option<FailOn>,
    /// Leave out the line of headings and the one that sums up
    #[arg(long, help_heading = "Output")]
    pub(in crate::cli) no_headers: bool,
    /// Keep the table up to date until interrupted
    #[arg(long, short, conflicts_with_all = ["filename", "now"], help_heading = "Output")]
    pub(in crate::cli) watch: bool,
    #[command(flatten)]
    pub(in crate::cli) what_if: WhatIf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ScanFormat {
    Wide,
    Json,
    Yaml,
    Name,
    Csv,
    Junit,
    Prometheus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum SortBy {
    Health,
    Name,
    Next,
    Last,
    Missed,
    Active,
}

impl From<SortBy> for RowOrder {
    fn from(sort: SortBy) -> Self {
        match sort {
            SortBy::Health => RowOrder::Health,
            SortBy::Name => RowOrder::Name,
            SortBy::Next => RowOrder::Next,
            SortBy::Last => RowOrder::Last,
            SortBy::Missed => RowOrder::Missed,
            SortBy::Active => RowOrder::Active,
        }
    }
}
