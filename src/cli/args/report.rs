//! The arguments of `report`.

use clap::{Args, ValueEnum};

use super::since::{Since, duration};
use super::{FailOn, Selection, WhatIf};

/// Write a page to look at: health, explanations, coming runs, history
#[derive(Debug, Args)]
#[command(after_help = "\
One HTML page that stands by itself: it needs no network, works from a file, on paper and on a phone. It has \
the health of all CronJobs, what was found and what to do about it, the explanation of each, the coming \
starts, what starts together, and what became of past runs.

Examples:
  # The whole cluster
  kubectl cronjob-doctor report -A > report.html

  # A snapshot, at the moment at which it was made
  kubectl cronjob-doctor report -f snapshot.yaml --now 2026-11-21T02:13:08Z > report.html

  # The coming week of a namespace
  kubectl cronjob-doctor report -n shop --ahead 7d > report.html

  # The same as data
  kubectl cronjob-doctor report -A -o json > report.json")]
pub(in crate::cli) struct Report {
    #[command(flatten)]
    pub(in crate::cli) selection: Selection,
    /// Output format: html, json or yaml (default: html)
    #[arg(
        long,
        short,
        value_enum,
        value_name = "FORMAT",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    pub(in crate::cli) output: Option<ReportFormat>,
    /// Show the starts of so long from now on: 24h, 7d; 31d at most
    #[arg(long, value_name = "DURATION", default_value = "24h", value_parser = ahead, help_heading = "Which runs")]
    pub(in crate::cli) ahead: i64,
    /// Show the history from then on: a duration such as 24h or 7d, or a time in RFC 3339 (default: as
    /// far as the Jobs of each CronJob reach, and no more than 100 slots)
    #[arg(long, value_name = "DURATION|TIME", help_heading = "Which runs")]
    pub(in crate::cli) since: Option<Since>,
    /// Exit with 1 if there is a finding of this severity or worse: info, warning, error or never
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = FailOn::Never, hide_possible_values = true, help_heading = "Output")]
    pub(in crate::cli) fail_on: FailOn,
    /// Show the days and hours of this zone (default: that of the controller)
    #[arg(long, value_name = "ZONE", help_heading = "Output")]
    pub(in crate::cli) display_time_zone: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) what_if: WhatIf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ReportFormat {
    Html,
    Json,
    Yaml,
}

/// A month of minutes is what a page can show.
const LONGEST: i64 = 31 * 86_400;

fn ahead(text: &str) -> Result<i64, String> {
    duration(text)
        .filter(|seconds| (60..=LONGEST).contains(seconds))
        .ok_or_else(|| "expected a duration from 1m to 31d, such as 24h or 7d".to_owned())
}
