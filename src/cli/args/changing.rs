//! The arguments of the verbs that change a cluster.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use jiff::Timestamp;

use super::connection::kubectl_duration;
use super::{BasisArgs, Selection, Since, time, whole};
use crate::change::EnvChange;

/// Which CronJobs, for verbs that change them.
#[derive(Debug, Args)]
#[command(next_help_heading = "Which CronJobs")]
pub(in crate::cli) struct Targets {
    /// CronJobs by name: NAME, cronjob/NAME or cj/NAME
    #[arg(value_name = "NAME")]
    pub(in crate::cli) names: Vec<String>,
    /// All CronJobs of the namespace
    #[arg(long, conflicts_with_all = ["names", "selector"])]
    pub(in crate::cli) all: bool,
    /// CronJobs of all namespaces
    #[arg(long, short = 'A')]
    pub(in crate::cli) all_namespaces: bool,
    /// Only CronJobs with these labels, such as app=shop,tier!=test
    #[arg(long, short = 'l', value_name = "SELECTOR", conflicts_with = "names")]
    pub(in crate::cli) selector: Option<String>,
    /// The CronJobs that a file, a folder or - for standard input names
    #[arg(long, short, value_name = "FILE|DIR|-", conflicts_with_all = ["names", "selector", "all", "all_namespaces"])]
    pub(in crate::cli) filename: Vec<PathBuf>,
    /// Look into the folders of a folder, too
    #[arg(long, short = 'R', requires = "filename")]
    pub(in crate::cli) recursive: bool,
    /// Ask the server for so many objects at a time; 0 for all at once
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = whole::<u32>(0..=u64::MAX), allow_negative_numbers = true, hide_short_help = true)]
    pub(in crate::cli) chunk_size: u32,
    /// Another resource of CronJobs, such as cronjobs.v1.batch.tutorial.kubebuilder.io
    #[arg(long, value_name = "RESOURCE.VERSION.GROUP", hide_short_help = true)]
    pub(in crate::cli) resource: Option<String>,
}

impl Targets {
    /// The same for what reads the cluster; files are not among it.
    pub(in crate::cli) fn selection(&self) -> Selection {
        Selection {
            names: self.names.clone(),
            all_namespaces: self.all_namespaces,
            selector: self.selector.clone(),
            field_selector: None,
            filename: Vec::new(),
            recursive: false,
            chunk_size: self.chunk_size,
            resource: self.resource.clone(),
        }
    }
}

/// How the change is made and told.
#[derive(Debug, Args)]
#[command(next_help_heading = "Change")]
pub(in crate::cli) struct Changing {
    /// Do not ask
    #[arg(long, short)]
    pub(in crate::cli) yes: bool,
    /// Only show what would happen: none, client (nothing is sent) or server (it checks the change)
    #[arg(
        long,
        value_enum,
        value_name = "WHERE",
        num_args = 0..=1,
        require_equals = true,
        default_value = "none",
        default_missing_value = "client",
        hide_possible_values = true,
        hide_default_value = true
    )]
    pub(in crate::cli) dry_run: DryRun,
    /// Output format: json, yaml or name
    #[arg(
        long,
        short,
        value_enum,
        value_name = "FORMAT",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    pub(in crate::cli) output: Option<ChangeFormat>,
    /// The name that the changed fields are noted down under
    #[arg(
        long,
        value_name = "NAME",
        default_value = "kubectl-cronjob-doctor",
        hide_short_help = true
    )]
    pub(in crate::cli) field_manager: String,
}

/// How far a change goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum DryRun {
    None,
    Client,
    Server,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ChangeFormat {
    Json,
    Yaml,
    Name,
}

/// Suspend CronJobs, and say what will be missed
#[derive(Debug, Args)]
#[command(after_help = "\
Says which slots get no Job, what goes on, and what being resumed will lead to; then asks.

Examples:
  # Suspend one, and note down why
  kubectl cronjob-doctor suspend nightly -n shop --reason 'database migration'

  # Everything of a namespace for a maintenance window, and exactly that back
  kubectl cronjob-doctor suspend --all -n shop --save-state window.yaml
  kubectl cronjob-doctor resume --from-state window.yaml --catch-up=skip

  # What would be missed until Monday?
  kubectl cronjob-doctor suspend nightly --until 2026-11-23T06:00:00Z --dry-run")]
pub(in crate::cli) struct Suspend {
    #[command(flatten)]
    pub(in crate::cli) targets: Targets,
    #[command(flatten)]
    pub(in crate::cli) changing: Changing,
    /// When it is to be resumed: count what is missed until then. Nobody resumes it for you
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Change")]
    pub(in crate::cli) until: Option<Timestamp>,
    /// Why, for those who find it suspended: kept in an annotation until it is resumed
    #[arg(long, value_name = "TEXT", help_heading = "Change")]
    pub(in crate::cli) reason: Option<String>,
    /// Write down which were suspended by this call, for resume --from-state
    #[arg(long, value_name = "FILE", help_heading = "Change")]
    pub(in crate::cli) save_state: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) basis: BasisArgs,
}

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
    #[arg(long, value_name = "DURATION", value_parser = kubectl_duration, help_heading = "Change")]
    pub(in crate::cli) stagger: Option<Duration>,
    /// Watch what happens, and compare it with the prediction
    #[arg(long, conflicts_with = "now", help_heading = "Change")]
    pub(in crate::cli) wait: bool,
    /// What `suspend --save-state` wrote down
    #[arg(long, value_name = "FILE", conflicts_with_all = ["names", "all", "all_namespaces", "selector", "filename"], help_heading = "Which CronJobs")]
    pub(in crate::cli) from_state: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) basis: BasisArgs,
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
    pub(in crate::cli) basis: BasisArgs,
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
    kubectl_duration(text).map(Limit::After)
}

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
    pub(in crate::cli) basis: BasisArgs,
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
