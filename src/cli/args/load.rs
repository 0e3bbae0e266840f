//! The arguments of `load`.

use clap::{Args, ValueEnum};
use jiff::Timestamp;

use super::since::duration;
use super::what_if::time;
use super::whole::whole;
use super::{DryRun, Selection, WhatIf};

/// Show what the CronJobs start together, and how to spread it
#[derive(Debug, Args)]
#[command(after_help = "\
Adds up the starts of many CronJobs, each in its own time zone: when most of them meet, who they are, how \
late the last of them is, since the controller makes only so many requests a second, and which minutes would \
spread them.

Examples:
  # The coming week of a whole cluster
  kubectl cronjob-doctor load -A

  # A day of the manifests of a repository, minute by minute
  kubectl cronjob-doctor load -f manifests/ -R --for 1d

  # Apply the proposal, except where that starts an extra run
  kubectl cronjob-doctor load -n shop --apply

  # The same as commands, to review and run later
  kubectl cronjob-doctor load -n shop -o patch > patches.sh

  # As a picture
  kubectl cronjob-doctor load -A -o svg > load.svg")]
pub(in crate::cli) struct Load {
    #[command(flatten)]
    pub(in crate::cli) selection: Selection,
    /// Suspended CronJobs count, too
    #[arg(long, help_heading = "Which CronJobs")]
    pub(in crate::cli) include_suspended: bool,
    /// Starts from then on, in RFC 3339 (default: now, or where the bucket of now begins)
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Which starts")]
    pub(in crate::cli) from: Option<Timestamp>,
    /// Starts before then, in RFC 3339
    #[arg(long, value_name = "TIME", value_parser = time, conflicts_with = "length", help_heading = "Which starts")]
    pub(in crate::cli) to: Option<Timestamp>,
    /// For so long: 1d, 4w
    #[arg(id = "length", long = "for", value_name = "DURATION", default_value = "7d", value_parser = seconds, help_heading = "Which starts")]
    pub(in crate::cli) length: i64,
    /// Count the starts of pieces of this length: 1m, 15m, 1h
    #[arg(long, value_name = "DURATION", default_value = "1m", value_parser = seconds, help_heading = "Which starts")]
    pub(in crate::cli) bucket: i64,
    /// Tell so many peaks
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = whole::<usize>(0..=u64::MAX), allow_negative_numbers = true, help_heading = "Output")]
    pub(in crate::cli) peaks: usize,
    /// Spread until no minute has more starts than this (default: as far as it goes)
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=u64::MAX), allow_negative_numbers = true, help_heading = "Output")]
    pub(in crate::cli) at_most: Option<u32>,
    /// Output format: json, yaml, csv, svg, or patch for the commands of the proposal
    #[arg(
        long,
        short,
        value_enum,
        value_name = "FORMAT",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    pub(in crate::cli) output: Option<LoadFormat>,
    /// Show the days and hours of this zone (default: that of the controller)
    #[arg(long, value_name = "ZONE", help_heading = "Output")]
    pub(in crate::cli) display_time_zone: Option<String>,
    /// Leave out the line of headings of csv
    #[arg(long, help_heading = "Output")]
    pub(in crate::cli) no_headers: bool,
    /// Requests a second that the controller manager makes: its --kube-api-qps
    #[arg(long, value_name = "N", default_value_t = 20.0, value_parser = rate, allow_negative_numbers = true, help_heading = "What if")]
    pub(in crate::cli) qps: f64,
    /// Requests that it makes at once after a rest: its --kube-api-burst
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = whole::<u32>(1..=100_000), allow_negative_numbers = true, help_heading = "What if")]
    pub(in crate::cli) burst: u32,
    /// CronJobs that it looks at side by side: its --concurrent-cron-job-syncs (default: 5)
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=100_000), allow_negative_numbers = true, help_heading = "What if")]
    pub(in crate::cli) workers: Option<u32>,
    /// Change the schedules as proposed, except where that starts an extra run
    #[arg(long, conflicts_with = "filename", help_heading = "Change")]
    pub(in crate::cli) apply: bool,
    /// With --apply, change those that start an extra run, too
    #[arg(long, requires = "apply", help_heading = "Change")]
    pub(in crate::cli) force: bool,
    /// With --apply, do not ask
    #[arg(long, short, requires = "apply", help_heading = "Change")]
    pub(in crate::cli) yes: bool,
    /// With --apply, only show what would happen: client (nothing is sent) or server (it checks the change)
    #[arg(
        long,
        value_enum,
        value_name = "WHERE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "client",
        hide_possible_values = true,
        requires = "apply",
        help_heading = "Change"
    )]
    pub(in crate::cli) dry_run: Option<DryRun>,
    /// With --apply, the name that the changed fields are recorded under
    #[arg(
        long,
        value_name = "NAME",
        default_value = "kubectl-cronjob-doctor",
        hide_short_help = true,
        help_heading = "Change"
    )]
    pub(in crate::cli) field_manager: String,
    #[command(flatten)]
    pub(in crate::cli) what_if: WhatIf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum LoadFormat {
    Json,
    Yaml,
    Csv,
    Svg,
    Patch,
}

fn seconds(text: &str) -> Result<i64, String> {
    duration(text)
        .filter(|seconds| *seconds > 0)
        .ok_or_else(|| "expected a duration such as 15m, 24h, 7d or 1d12h".to_owned())
}

fn rate(text: &str) -> Result<f64, String> {
    let number = text.parse().ok();
    number
        .filter(|rate| (0.001..=1_000_000.0).contains(rate))
        .ok_or_else(|| "expected a number of requests a second, such as 20 or 0.5".to_owned())
}
