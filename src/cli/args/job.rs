//! The arguments of the commands that create one Job now: `trigger` and `retry`.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args};
use std::time::Duration;

use super::changing::{Limit, limit};
use super::connection::kubectl_duration;
use super::{BasisArgs, ChangeFormat, Changing, ResourceArg, Targets};
use crate::change::EnvChange;

/// Create a Job from a CronJob now, and follow it
///
/// Creates the same Job as "kubectl create job --from", with a generated name. First shows which Jobs run at
/// the same time, which events the controller will record, and which Jobs the history limits will remove. Then
/// asks for confirmation.
#[derive(Debug, Args)]
#[command(before_long_help = "\
Examples:
  # Create a Job and wait for it; exits with 1 if the Job fails
  kubectl cronjob-doctor trigger nightly -n shop --wait=30m

  # Create a Job and stream its logs
  kubectl cronjob-doctor trigger nightly -n shop --yes --logs

  # Use another image and command
  kubectl cronjob-doctor trigger nightly --image registry.example.com/main:1.5 \\
    --env MODE=dry -- /bin/report --verbose

  # Edit the Job before it is created
  kubectl cronjob-doctor trigger nightly --dry-run -o job > job.yaml
  kubectl create -f job.yaml")]
pub(in crate::cli) struct Trigger {
    #[command(flatten)]
    pub(in crate::cli) job: JobArgs,
    #[command(flatten)]
    pub(in crate::cli) targets: Targets,
    #[command(flatten)]
    pub(in crate::cli) command: CommandArgs,
    #[command(flatten)]
    pub(in crate::cli) basis: BasisArgs,
}

/// Run a finished Job of a CronJob again, as a new Job
///
/// The new Job has the template of the finished one, as it ran, even if the CronJob has changed since then; "trigger" uses
/// the current template. The CronJob owns the new Job. First shows which Job is retried, which Jobs run at the
/// same time, and which Jobs the history limits will remove. Then asks for confirmation.
#[derive(Debug, Args)]
#[command(before_long_help = "\
Examples:
  # Retry the newest failed Job of a CronJob
  kubectl cronjob-doctor retry cronjob/nightly -n shop

  # Retry a Job and wait for it; exits with 1 if it fails again
  kubectl cronjob-doctor retry nightly-29394840 -n shop --wait=30m

  # Retry a Job with more output, print its logs, and delete it afterwards
  kubectl cronjob-doctor retry nightly-29394840 --env DEBUG=1 --logs --rm")]
pub(in crate::cli) struct Retry {
    /// Job by name: JOB or job/JOB; or the newest failed Job of cronjob/NAME
    ///
    /// Job by name: JOB or job/JOB. With cronjob/NAME or cj/NAME, or if there is no Job of that name, the newest
    /// failed Job of the CronJob NAME.
    #[arg(value_name = "JOB", display_order = 0, help_heading = "Selection")]
    pub(in crate::cli) target: String,
    #[command(flatten)]
    pub(in crate::cli) job: JobArgs,
    #[command(flatten)]
    pub(in crate::cli) resource: ResourceArg,
    #[command(flatten)]
    pub(in crate::cli) command: CommandArgs,
    #[command(flatten)]
    pub(in crate::cli) basis: BasisArgs,
}

/// The Job to create, and what to do with it.
#[derive(Debug, Args)]
#[command(mut_args(for_job))]
pub(in crate::cli) struct JobArgs {
    /// Name of the new Job (default: generated)
    ///
    /// Name of the new Job (default: the name of the CronJob, -manual- and 5 random characters; for retry, the name
    /// of the retried Job, -retry- and 5 random characters)
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub(in crate::cli) name: Option<String>,
    /// Run alongside a running Job despite concurrencyPolicy: Forbid
    ///
    /// Create the Job even if concurrencyPolicy is Forbid and another Job of the CronJob is running
    #[arg(long)]
    pub(in crate::cli) force: bool,
    /// Image name to run
    ///
    /// Image name to run. It replaces the image of one container of the Job template.
    #[arg(long, value_name = "IMAGE")]
    pub(in crate::cli) image: Option<String>,
    /// Set an environment variable; NAME- removes it
    ///
    /// Environment variables to set in the container. NAME- removes a variable. This flag can be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    pub(in crate::cli) env: Vec<EnvChange>,
    /// Container to change, and to print the logs of
    ///
    /// Print the logs of this container. --image, --env and COMMAND change this container, too (default: the
    /// container that "kubectl logs" chooses).
    #[arg(long, short, value_name = "NAME")]
    pub(in crate::cli) container: Option<String>,
    /// Wait for the Job; exit with 1 if it fails
    ///
    /// Wait until the Job has finished, and exit with 1 if it fails. With a TIMEOUT such as 30m, stop waiting after
    /// that time; the Job keeps running.
    #[arg(
        long,
        value_name = "TIMEOUT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        value_parser = limit
    )]
    pub(in crate::cli) wait: Option<Limit>,
    /// Stream the logs until the Job has finished
    #[arg(long)]
    pub(in crate::cli) logs: bool,
    /// Wait for the Job, and delete it after it has finished
    ///
    /// Wait as with --wait, and then delete the Job and its pods. A Job that has not finished by then keeps running.
    #[arg(long)]
    pub(in crate::cli) rm: bool,
    /// Delete the Job this long after it has finished
    ///
    /// Delete the Job and its pods this long after it has finished, such as 1h (ttlSecondsAfterFinished)
    #[arg(long, value_name = "DURATION", value_parser = ttl, hide_short_help = true)]
    pub(in crate::cli) ttl: Option<i32>,
    #[command(flatten)]
    pub(in crate::cli) changing: Changing,
}

/// What the container runs. It follows all other words.
#[derive(Debug, Args)]
#[command(next_help_heading = "Job")]
pub(in crate::cli) struct CommandArgs {
    /// Replace only the arguments of the container
    ///
    /// Use the words after -- as the arguments of the container, and keep its command
    #[arg(long, requires = "command")]
    pub(in crate::cli) args: bool,
    /// Replace the command and arguments of the container
    #[arg(last = true, value_name = "COMMAND", display_order = 0)]
    pub(in crate::cli) command: Vec<String>,
}

/// What describes the Job has a heading of its own, and `-o job` is allowed, too.
fn for_job(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "name" | "image" | "env" | "container" | "ttl" => arg.help_heading("Job"),
        "output" => with_job_format(arg),
        _ => arg,
    }
}

fn with_job_format(arg: Arg) -> Arg {
    let formats = PossibleValuesParser::new(["json", "yaml", "name", "job"]);
    let formats = formats.map(|name| match name.as_str() {
        "json" => ChangeFormat::Json,
        "yaml" => ChangeFormat::Yaml,
        "name" => ChangeFormat::Name,
        _ => ChangeFormat::Job,
    });
    arg.value_parser(formats)
        .long_help(
            "Output format. One of: {values}. With json and yaml, the plan, the Job and the result \
             are printed as one document. With job, which requires --dry-run, only the manifest of the Job is \
             printed, for \"kubectl create -f -\".",
        )
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
