//! The arguments of `next-runs`.

use clap::{Args, ValueEnum};
use jiff::Timestamp;

use super::what_if::time;
use super::whole::whole;
use super::{Selection, WhatIf};

/// Show when CronJobs will run next
///
/// Computes the coming runs as the controller's own cron library does, release by release: with its
/// rule for the two day fields, its five-year limit, and what becomes of runs when clocks are
/// changed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # The next runs of a schedule in a time zone
  kubectl cronjob-doctor next-runs --schedule '30 2 * * *' --time-zone Europe/Berlin

  # What a schedule means, field by field
  kubectl cronjob-doctor next-runs --schedule '0 0 13 * 5' --explain

  # All CronJobs of a folder of manifests, in order of time
  kubectl cronjob-doctor next-runs -f manifests/ -R --count 3

  # The same for a cluster
  kubectl get cronjobs -A -o yaml | kubectl cronjob-doctor next-runs -f -

  # As a calendar
  kubectl cronjob-doctor next-runs -f manifests/ --until 2027-01-01T00:00:00Z -o ics")]
pub(in crate::cli) struct NextRuns {
    #[command(flatten)]
    pub(in crate::cli) selection: Selection,
    /// A schedule instead of CronJobs
    #[arg(long, value_name = "EXPR", conflicts_with_all = ["filename", "names"], allow_hyphen_values = true)]
    pub(in crate::cli) schedule: Option<String>,
    /// The time zone of --schedule, as spec.timeZone
    #[arg(long, value_name = "ZONE", requires = "schedule")]
    pub(in crate::cli) time_zone: Option<String>,
    /// Runs later than this, in RFC 3339 (default: now)
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Which runs")]
    pub(in crate::cli) after: Option<Timestamp>,
    /// Runs until then, in RFC 3339
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Which runs")]
    pub(in crate::cli) until: Option<Timestamp>,
    /// At most so many runs of each CronJob (default: 5, or all with --until)
    #[arg(long, value_name = "N", value_parser = whole::<usize>(1..=u64::MAX), allow_negative_numbers = true, help_heading = "Which runs")]
    pub(in crate::cli) count: Option<usize>,
    /// Output format: wide, json, yaml, csv, ics or name
    #[arg(
        long,
        short,
        value_enum,
        value_name = "FORMAT",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    pub(in crate::cli) output: Option<NextRunsFormat>,
    /// Show local times in this zone instead of each schedule's own
    #[arg(long, value_name = "ZONE", help_heading = "Output")]
    pub(in crate::cli) display_time_zone: Option<String>,
    /// Explain each schedule: its meaning, its fields, its surprises
    #[arg(long, help_heading = "Output")]
    pub(in crate::cli) explain: bool,
    /// Leave out the line of headings
    #[arg(long, help_heading = "Output")]
    pub(in crate::cli) no_headers: bool,
    #[command(flatten)]
    pub(in crate::cli) what_if: WhatIf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum NextRunsFormat {
    Wide,
    Json,
    Yaml,
    Csv,
    Ics,
    Name,
}
