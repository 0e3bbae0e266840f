//! The arguments of `backfill`.

use clap::Args;
use jiff::Timestamp;

use super::since::Since;
use super::what_if::time;
use super::whole::whole;
use super::{Changing, Selection, WhatIf};

/// Run slots that were missed, each once, oldest first
#[derive(Debug, Args)]
#[command(after_help = "\
Gives each slot the Job that the controller would have given it, with its name and its annotation, so \
that none runs twice. Leaves out what ran, what runs, what the controller is about to start, and what \
may have run; says what comes of it, and asks. Then runs one after the other, and stops if one fails.

Examples:
  # Which slots of the past day would be run?
  kubectl cronjob-doctor backfill nightly -n shop --since 24h --dry-run

  # The last one that was missed
  kubectl cronjob-doctor backfill nightly -n shop --last 1

  # Certain ones, although nobody knows whether they ran, two at a time
  kubectl cronjob-doctor backfill nightly --slot 2026-11-19T02:00:00Z --slot 2026-11-20T02:00:00Z \\
    --parallel 2")]
pub(in crate::cli) struct Backfill {
    /// The CronJob: NAME, cronjob/NAME or cj/NAME
    #[arg(value_name = "NAME", required = true, help_heading = "Which CronJob")]
    pub(in crate::cli) names: Vec<String>,
    /// Another resource of CronJobs, such as cronjobs.v1beta1.batch
    #[arg(
        long,
        value_name = "RESOURCE.VERSION.GROUP",
        hide_short_help = true,
        help_heading = "Which CronJob"
    )]
    pub(in crate::cli) resource: Option<String>,
    /// Missed slots from then on: a duration such as 24h or 7d, or a time in RFC 3339
    #[arg(long, value_name = "DURATION|TIME", help_heading = "Which slots")]
    pub(in crate::cli) since: Option<Since>,
    /// Missed slots until then, in RFC 3339 (default: now)
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Which slots")]
    pub(in crate::cli) until: Option<Timestamp>,
    /// The last so many missed slots
    #[arg(
        long,
        value_name = "N",
        value_parser = whole::<u32>(1..=u64::MAX),
        allow_negative_numbers = true,
        help_heading = "Which slots"
    )]
    pub(in crate::cli) last: Option<u32>,
    /// The slot of this time, in RFC 3339, even if it may have run; may be given several times
    #[arg(
        long,
        value_name = "TIME",
        value_parser = time,
        conflicts_with_all = ["since", "until", "last"],
        help_heading = "Which slots"
    )]
    pub(in crate::cli) slot: Vec<Timestamp>,
    /// Those, too, of which nobody knows whether they ran
    #[arg(long, help_heading = "Which slots")]
    pub(in crate::cli) include_unknown: bool,
    /// No more than so many, the oldest
    #[arg(
        long,
        value_name = "N",
        default_value_t = DEFAULT_MAX,
        value_parser = whole::<u32>(1..=u64::MAX),
        allow_negative_numbers = true,
        help_heading = "Which slots"
    )]
    pub(in crate::cli) max: u32,
    /// So many Jobs at a time
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = whole::<u16>(1..=65_535),
        allow_negative_numbers = true,
        help_heading = "Change"
    )]
    pub(in crate::cli) parallel: u16,
    /// Go on if a Job fails
    #[arg(long, help_heading = "Change")]
    pub(in crate::cli) keep_going: bool,
    #[command(flatten)]
    pub(in crate::cli) changing: Changing,
    #[command(flatten)]
    pub(in crate::cli) what_if: WhatIf,
}

/// So many slots are run unless somebody says otherwise.
pub(in crate::cli) const DEFAULT_MAX: u32 = 100;

impl Backfill {
    /// The same for what reads the cluster.
    pub(in crate::cli) fn selection(&self) -> Selection {
        Selection {
            names: self.names.clone(),
            all_namespaces: false,
            selector: None,
            field_selector: None,
            filename: Vec::new(),
            recursive: false,
            chunk_size: 500,
            resource: self.resource.clone(),
        }
    }
}
