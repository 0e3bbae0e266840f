//! The arguments of the commands that change a cluster.

use std::time::Duration;

use clap::{Arg, Args, ValueEnum};

use crate::cli::args::common::ResourceArg;
use crate::cli::args::connection::kubectl_duration;
use crate::cli::args::{
    BasisArgs, CronJobArgs, FUTURE_TIME, PAST_TIME, Selection, TimeArg, format_of, whole,
};
use crate::output::DryRun;
use crate::output::Format;
use crate::output::actions::ActionsDocument;
use kube_model::FIELD_MANAGER;

/// Selects CronJobs, for commands that change them.
#[derive(Debug, Args)]
#[command(next_help_heading = "Selection", mut_args(for_changing))]
pub(crate) struct Targets {
    /// Select all CronJobs in the namespace
    #[arg(long, conflicts_with_all = ["names", "selector"])]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) cron_jobs: CronJobArgs,
}

fn for_changing(arg: Arg) -> Arg {
    if arg.get_id() != "filename" {
        return arg;
    }
    arg.help("Files that name the CronJobs")
        .long_help(
            "Filename, directory, or - for standard input, identifying the CronJobs to change. Only their names and \
             namespaces are used.",
        )
        .conflicts_with_all(["names", "selector", "all", "all_namespaces"])
}

impl Selection {
    /// CronJobs in the cluster.
    pub(crate) fn in_cluster(cron_jobs: CronJobArgs) -> Self {
        Selection {
            cron_jobs,
            field_selector: None,
        }
    }

    /// CronJobs by name, as verbs for one namespace select them.
    pub(crate) fn by_names(names: Vec<String>, resource: ResourceArg) -> Self {
        Selection::in_cluster(CronJobArgs {
            names,
            resource,
            ..CronJobArgs::default()
        })
    }
}

impl Targets {
    pub(crate) fn is_chosen(&self) -> bool {
        let of = &self.cron_jobs;
        let by_name = !of.names.is_empty() || !of.filename.is_empty();
        by_name || of.selector.is_some() || self.all || of.all_namespaces
    }

    /// The selection in the cluster; the CronJobs of -f are added by their names.
    pub(crate) fn selection(&self) -> Selection {
        Selection::in_cluster(self.cron_jobs.clone())
    }
}

/// How a change is confirmed, sent and printed.
#[derive(Debug, Args)]
pub(crate) struct Changing {
    /// Do not ask for confirmation
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Only show the plan: none, client or server
    #[arg(
        long,
        value_name = "STRATEGY",
        num_args = 0..=1,
        require_equals = true,
        default_value = "none",
        default_missing_value = "client",
        hide_default_value = true,
        long_help = "Must be \"none\", \"server\", or \"client\": print the plan or, with -o, the object; server also asks \
                     the API server"
    )]
    pub(crate) dry_run: DryRun,
    /// Output format. One of: {values}
    #[arg(long, short, value_name = "FORMAT", value_parser = format_of::<ActionsDocument<'_>>())]
    pub(crate) output: Option<Format>,
    /// Name of the manager used to track field ownership.
    #[arg(
        long,
        value_name = "NAME",
        default_value = FIELD_MANAGER,
        hide_short_help = true
    )]
    pub(crate) field_manager: String,
}

/// Suspend CronJobs after showing which runs will be missed
///
/// Shows which runs will be missed, which Jobs keep running, and what resuming will start. Then asks for
/// confirmation.
#[derive(Debug, Args)]
#[command(before_long_help = "\
Examples:
  # Suspend a CronJob, and record the reason
  kubectl cronjob-doctor suspend nightly -n shop --reason 'database migration'

  # Suspend all CronJobs of a namespace for maintenance, and resume exactly these
  kubectl cronjob-doctor suspend --all -n shop --reason 'maintenance 42'
  kubectl cronjob-doctor resume -n shop --reason 'maintenance 42' --catch-up=skip

  # Suspend, and wait until no Job is running
  kubectl cronjob-doctor suspend -l app=shop --wait=30m --yes

  # Show which runs would be missed until six o'clock
  kubectl cronjob-doctor suspend nightly --until '06:00 UTC' --dry-run")]
pub(crate) struct Suspend {
    /// Planned end of the suspension (not automatic)
    #[arg(long, long_help = format!("\
Count the runs missed until this time, and record it in an annotation (removed by resume). The CronJob is not \
resumed automatically; after that time it has the finding suspended-past-until. {FUTURE_TIME}"), value_name = "TIME")]
    pub(crate) until: Option<TimeArg>,
    /// Record the reason in an annotation, for resume --reason
    ///
    /// Record the reason in an annotation, which resume removes. "resume --reason" with the same text resumes exactly
    /// the CronJobs that were suspended with it.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// Wait until the running Jobs have finished
    ///
    /// Wait until no Job of the CronJobs is running: Jobs that the controller created, manually created ones, and
    /// those that are created in the meantime. A Job that fails has finished, too. With a TIMEOUT such as 30m, stop
    /// waiting after that time, and exit with 2; the CronJobs stay suspended, and the Jobs keep running.
    #[arg(
        long,
        value_name = "TIMEOUT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        value_parser = limit
    )]
    pub(crate) wait: Option<Limit>,
    #[command(flatten)]
    pub(crate) changing: Changing,
    #[command(flatten)]
    pub(crate) targets: Targets,
    #[command(flatten)]
    pub(crate) basis: BasisArgs,
}

/// Resume CronJobs after showing which missed run would start
///
/// When a CronJob is resumed, the controller usually starts the latest missed run immediately, at any time of day.
/// Shows which run that is, how late it starts, and which missed runs are not started. Then asks for
/// confirmation. Use --catch-up=skip to keep the missed run from starting.
#[derive(Debug, Args)]
#[command(before_long_help = "\
Examples:
  # Show what would start
  kubectl cronjob-doctor resume nightly -n shop --dry-run

  # Continue with the next scheduled run, and skip the missed ones
  kubectl cronjob-doctor resume nightly -n shop --catch-up=skip

  # Catch up one after the other, and check whether it happens as predicted
  kubectl cronjob-doctor resume -l app=shop --catch-up=run --stagger 30s --wait

  # Resume exactly the CronJobs that an earlier command suspended for this reason
  kubectl cronjob-doctor resume -A --reason 'maintenance 42' --catch-up=skip")]
pub(crate) struct Resume {
    /// Run or skip the missed run: run, skip or ask (default: ask)
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = CatchUpFlag::Ask, hide_default_value = true)]
    pub(crate) catch_up: CatchUpFlag,
    /// Set a deadline even if another tool may remove it
    ///
    /// Without permission to patch cronjobs/status, skip by setting spec.startingDeadlineSeconds even if another tool
    /// manages the CronJob and may remove it
    #[arg(long)]
    pub(crate) force: bool,
    /// Wait this long between CronJobs whose missed run starts
    ///
    /// Wait this long between CronJobs whose missed run starts, such as 30s
    #[arg(long, value_name = "DURATION", value_parser = kubectl_duration)]
    pub(crate) stagger: Option<Duration>,
    /// Watch what happens, and compare it with the prediction
    ///
    /// Watch what the controller does with the resumed CronJobs, and compare it with the prediction. With a TIMEOUT such
    /// as 5m, stop waiting after that time, and exit with 2.
    #[arg(
        long,
        value_name = "TIMEOUT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        value_parser = limit,
        conflicts_with = "now"
    )]
    pub(crate) wait: Option<Limit>,
    #[command(flatten)]
    pub(crate) changing: Changing,
    #[command(flatten)]
    pub(crate) targets: Targets,
    /// Resume those that suspend --reason TEXT suspended
    ///
    /// Of the selected CronJobs (all in the namespace by default), resume only those that "suspend --reason TEXT"
    /// suspended, and leave alone those that were suspended before, by others or for another reason.
    #[arg(long, value_name = "TEXT", help_heading = "Selection")]
    pub(crate) reason: Option<String>,
    #[command(flatten)]
    pub(crate) basis: BasisArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CatchUpFlag {
    Run,
    Skip,
    Ask,
}

/// How long to wait for a Job. As an `Option` by name, it would be an optional value to clap.
pub(crate) type Limit = Option<Duration>;

/// Parses a duration; empty if the flag has no value.
pub(super) fn limit(text: &str) -> Result<Limit, String> {
    if text.is_empty() {
        return Ok(None);
    }
    kubectl_duration(text).map(Some)
}

/// Create Jobs for missed runs, each once, oldest first
///
/// Each Job gets the name and the annotation that the controller would have given it, so that no run starts
/// twice. Skips runs that already ran, are running, may have run, or are about to be started by the controller. Shows the plan and its consequences, asks for confirmation, and then runs one Job after the other. Stops
/// if a Job fails.
#[derive(Debug, Args)]
#[command(
    mut_args(for_backfill),
    before_long_help = "\
Examples:
  # Show which missed runs of the last 24 hours would be run
  kubectl cronjob-doctor backfill nightly -n shop --since 24h --dry-run

  # Run the latest missed run
  kubectl cronjob-doctor backfill nightly -n shop --last 1

  # Run two missed runs in parallel, even if they may have run
  kubectl cronjob-doctor backfill nightly --at 2026-11-19T02:00:00Z \\
    --at 2026-11-20T02:00:00Z --parallel 2"
)]
pub(crate) struct Backfill {
    /// Run missed runs of the last DURATION, or since TIME
    #[arg(
        long,
        value_name = "DURATION|TIME",
        long_help = format!("Run missed runs since this time. {PAST_TIME}")
    )]
    pub(crate) since: Option<TimeArg>,
    /// Run missed runs until this time (default: now)
    #[arg(long, value_name = "TIME", long_help = format!("\
Run missed runs scheduled until this time (default: now). {PAST_TIME}"))]
    pub(crate) until: Option<TimeArg>,
    /// Run the latest N missed runs
    #[arg(
        long,
        value_name = "N",
        value_parser = whole::<u32>(1..=u64::MAX),
        allow_negative_numbers = true
    )]
    pub(crate) last: Option<u32>,
    /// Select the run scheduled at this time
    #[arg(
        long,
        value_name = "TIME",
        conflicts_with_all = ["since", "until", "last"],
        long_help = format!("\
Select the run scheduled at this time, even if it may have run. This flag can be repeated. {PAST_TIME}")
    )]
    pub(crate) at: Vec<TimeArg>,
    /// Include runs that may have run
    #[arg(long)]
    pub(crate) include_unknown: bool,
    /// Run at most N missed runs, the oldest ones
    #[arg(
        long,
        value_name = "N",
        default_value_t = DEFAULT_MAX,
        value_parser = whole::<u32>(1..=u64::MAX),
        allow_negative_numbers = true
    )]
    pub(crate) max: u32,
    /// Run N Jobs at the same time
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = whole::<u16>(1..=65_535),
        allow_negative_numbers = true
    )]
    pub(crate) parallel: u16,
    /// Continue if a Job fails
    #[arg(long)]
    pub(crate) keep_going: bool,
    #[command(flatten)]
    pub(crate) changing: Changing,
    /// The CronJob: NAME, NAMESPACE/NAME, cronjob/NAME or cj/NAME
    #[arg(
        value_name = "NAME",
        required = true,
        help_heading = "Selection",
        display_order = 0
    )]
    pub(crate) names: Vec<String>,
    #[command(flatten)]
    pub(crate) resource: ResourceArg,
    #[command(flatten)]
    pub(crate) basis: BasisArgs,
}

/// The default of `backfill --max`.
pub(crate) const DEFAULT_MAX: u32 = 100;

fn for_backfill(arg: Arg) -> Arg {
    if arg.get_id() != "resource" {
        return arg;
    }
    arg.help(
        "Use another resource that has the fields of a CronJob, such as cronjobs.v1beta1.batch",
    )
}
