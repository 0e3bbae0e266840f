//! The arguments of `trigger`.

use clap::{Arg, Args};
use std::time::Duration;

use super::args::{Changing, Limit, Targets, limit};
use crate::cli::args::connection::kubectl_duration;
use crate::cli::args::{BasisArgs, format_of};
use crate::output::actions::JobActions;
use cronjob_diagnosis::change::EnvChange;

/// Create a Job from a CronJob now, and follow it
///
/// Creates the same Job as "kubectl create job --from", with a generated name. First shows which Jobs run at
/// the same time, and which Jobs the history limits will remove. Then asks for confirmation.
#[derive(Debug, Args)]
#[command(
    mut_args(for_job),
    before_long_help = "\
Examples:
  # Create a Job and wait for it; exits with 1 if the Job fails
  kubectl cronjob-doctor trigger nightly -n shop --wait=30m

  # Create a Job and stream its logs
  kubectl cronjob-doctor trigger nightly -n shop --yes --logs

  # Run the newest Job that failed again, with its own template
  kubectl cronjob-doctor trigger --job cronjob/nightly -n shop

  # Edit the Job before it is created
  kubectl cronjob-doctor trigger nightly --dry-run -o job > job.yaml"
)]
pub(crate) struct Trigger {
    /// Run this finished Job again
    ///
    /// Run this finished Job again, with its own template: JOB, or cronjob/NAME for its newest Job that failed
    #[arg(
        id = "again",
        long = "job",
        value_name = "JOB",
        conflicts_with_all = ["names", "all", "all_namespaces", "selector", "filename"],
        help_heading = "Job"
    )]
    pub(crate) again: Option<String>,
    /// Name of the new Job (default: generated)
    ///
    /// Name of the new Job (default: that of the CronJob or Job, -manual- or -retry-, and 5 random characters)
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub(crate) name: Option<String>,
    /// Run alongside a running Job despite concurrencyPolicy: Forbid
    ///
    /// Create the Job despite concurrencyPolicy: Forbid and a running Job
    #[arg(long)]
    pub(crate) force: bool,
    /// Image name to run
    ///
    /// Image name to run, in place of that of the Job template
    #[arg(long, value_name = "IMAGE")]
    pub(crate) image: Option<String>,
    /// Set an environment variable; NAME- removes it
    ///
    /// Environment variable to set in the container; NAME- removes it (repeatable)
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<EnvChange>,
    /// Container to change, and to print the logs of
    ///
    /// Print the logs of this container, and change it with --image, --env and COMMAND (default: the one that
    /// "kubectl logs" chooses)
    #[arg(long, short, value_name = "NAME")]
    pub(crate) container: Option<String>,
    /// Wait for the Job; exit with 1 if it fails
    ///
    /// Wait until the Job has finished, at most for a TIMEOUT such as 30m, and exit with 1 if it fails
    #[arg(
        long,
        value_name = "TIMEOUT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        value_parser = limit
    )]
    pub(crate) wait: Option<Limit>,
    /// Stream the logs until the Job has finished
    #[arg(long)]
    pub(crate) logs: bool,
    /// Wait for the Job, and delete it after it has finished
    ///
    /// Wait as with --wait, and then delete the Job and its pods. A Job that has not finished by then keeps running.
    #[arg(long)]
    pub(crate) rm: bool,
    /// Delete the Job this long after it has finished
    ///
    /// Delete the Job and its pods this long after it has finished, such as 1h (ttlSecondsAfterFinished)
    #[arg(long, value_name = "DURATION", value_parser = ttl, hide_short_help = true)]
    pub(crate) ttl: Option<i32>,
    #[command(flatten)]
    pub(crate) changing: Changing,
    #[command(flatten)]
    pub(crate) targets: Targets,
    /// Replace only the arguments of the container
    ///
    /// Use the words after -- as arguments, and keep the command
    #[arg(long, requires = "command", help_heading = "Job")]
    pub(crate) args: bool,
    /// Replace the command and arguments of the container
    #[arg(
        last = true,
        value_name = "COMMAND",
        display_order = 0,
        help_heading = "Job"
    )]
    pub(crate) command: Vec<String>,
    #[command(flatten)]
    pub(crate) basis: BasisArgs,
}

/// What describes the Job has a heading of its own, and `-o job` is allowed, too.
fn for_job(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "name" | "image" | "env" | "container" | "ttl" => arg.help_heading("Job"),
        "output" => arg
            .value_parser(format_of::<JobActions<'_>>())
            .long_help(
                "Output format. One of: {values}. job, with --dry-run, prints only the manifest of the Job.",
            ),
        _ => arg,
    }
}

/// Parses a duration of whole seconds, as ttlSecondsAfterFinished has it.
fn ttl(text: &str) -> Result<i32, String> {
    let ttl: Duration = kubectl_duration(text)?;
    let seconds = i32::try_from(ttl.as_secs());
    match seconds {
        Ok(seconds) if ttl.subsec_nanos() == 0 => Ok(seconds),
        Ok(_) => Err("must be a number of whole seconds".to_owned()),
        Err(_) => Err(format!("must be at most {}s", i32::MAX)),
    }
}
