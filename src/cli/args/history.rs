//! The arguments of `history`.

use clap::{Args, ValueEnum};
use jiff::Timestamp;

use super::since::Since;
use super::what_if::time;
use super::{Selection, WhatIf};

/// Show what became of each past run
#[derive(Debug, Args)]
#[command(after_help = "\
Lays every slot of the schedule beside the Job that ran it: on time, late, running, skipped and why, or \
unknown where the history limits have removed the Job.

Examples:
  # The past day of a CronJob
  kubectl cronjob-doctor history nightly --since 24h

  # From a snapshot, as a table for a spreadsheet
  kubectl cronjob-doctor history nightly -f snapshot.yaml -o csv")]
pub(in crate::cli) struct History {
    #[command(flatten)]
    pub(in crate::cli) selection: Selection,
    /// Output format: wide, json, yaml or csv
    #[arg(
        long,
        short,
        value_enum,
        value_name = "FORMAT",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    pub(in crate::cli) output: Option<HistoryFormat>,
    /// How far back: a duration such as 24h or 7d, or a time in RFC 3339 (default: as far as its Jobs
    /// reach, and no more than 100 slots)
    #[arg(long, value_name = "DURATION|TIME", help_heading = "Which runs")]
    pub(in crate::cli) since: Option<Since>,
    /// Until when, in RFC 3339 (default: now)
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Which runs")]
    pub(in crate::cli) until: Option<Timestamp>,
    /// Leave out the line of headings
    #[arg(long, help_heading = "Output")]
    pub(in crate::cli) no_headers: bool,
    #[command(flatten)]
    pub(in crate::cli) what_if: WhatIf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum HistoryFormat {
    Wide,
    Json,
    Yaml,
    Csv,
}
