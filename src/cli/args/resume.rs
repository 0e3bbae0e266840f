//! The arguments of `resume`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::connection::duration;
use super::{Changing, Targets, WhatIf};

/// Resume CronJobs, and say which missed run starts, or skip it
#[derive(Debug, Args)]
#[command(after_help = "\
On being resumed the controller starts the last missed run at once, at whatever time of day that is. \
This says which one, how late, and what becomes of the others; --catch-up=skip keeps it from starting.

Examples:
  # What would start?
  kubectl cronjob-doctor resume nightly -n shop --dry-run

  # Go on with the next run, and leave out what was missed
  kubectl cronjob-doctor resume nightly -n shop --catch-up=skip

  # Catch up, but not all at once, and see whether it happens as predicted
  kubectl cronjob-doctor resume -l app=shop --catch-up=run --stagger 30s --wait

  # What a call of suspend suspended, and nothing else
  kubectl cronjob-doctor resume --from-state window.yaml --catch-up=skip")]
pub(in crate::cli) struct Resume {
    #[command(flatten)]
    pub(in crate::cli) targets: Targets,
    #[command(flatten)]
    pub(in crate::cli) changing: Changing,
    /// The missed run that would start late: run, skip or ask (default: ask)
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = CatchUpFlag::Ask, hide_possible_values = true, hide_default_value = true, help_heading = "Change")]
    pub(in crate::cli) catch_up: CatchUpFlag,
    /// How to skip it: by moving status.lastScheduleTime, by a startingDeadlineSeconds, or auto
    #[arg(long, value_enum, value_name = "HOW", default_value_t = SkipMethod::Auto, hide_possible_values = true, hide_default_value = true, help_heading = "Change")]
    pub(in crate::cli) skip_method: SkipMethod,
    /// Skip by a startingDeadlineSeconds even where another tool may take it away
    #[arg(long, help_heading = "Change")]
    pub(in crate::cli) force: bool,
    /// The pause between those whose missed run starts, such as 30s
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = "Change")]
    pub(in crate::cli) stagger: Option<Duration>,
    /// Watch what happens, and compare it with the prediction
    #[arg(long, conflicts_with = "now", help_heading = "Change")]
    pub(in crate::cli) wait: bool,
    /// What `suspend --save-state` wrote down
    #[arg(long, value_name = "FILE", conflicts_with_all = ["names", "all", "all_namespaces", "selector", "filename"], help_heading = "Which CronJobs")]
    pub(in crate::cli) from_state: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) what_if: WhatIf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum CatchUpFlag {
    Run,
    Skip,
    Ask,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum SkipMethod {
    Status,
    Deadline,
    Auto,
}
