//! The arguments of `simulate`.

use std::str::FromStr;

use anyhow::{anyhow, bail};
use clap::{Args, ValueEnum};
use jiff::{SignedDuration, Timestamp};

use crate::cli::args::{
    BasisArgs, FUTURE_TIME, PAST_TIME, Selection, Side, TimeArg, TimeReference, duration,
    format_of, kubectl_help, out_of_range, positive_seconds,
};
use crate::output::Format;
use crate::output::simulate::SimulateAnswer;
use cronjob_controller::controller::Release;

/// Simulate the controller over time, with outages and upgrades
///
/// Shows which runs start, start late, or are lost between two times.
#[derive(Debug, Args)]
#[command(before_long_help = "\
Examples:
  # Simulate the next week, with Jobs that take 15 minutes
  kubectl cronjob-doctor simulate orders --for 7d --job-duration 15m

  # Show the effect of an outage of the control plane on Sunday
  kubectl cronjob-doctor simulate -A --for 7d --outage 2026-03-15T08:00:00Z/2h

  # Show what an upgrade of the control plane does to all CronJobs
  kubectl cronjob-doctor simulate -A --for 7d --compare 1.36 \\
    --upgrade-at 2026-03-15T08:00:00Z/30m

  # Show the effect of changing the schedule at noon
  kubectl cronjob-doctor simulate nightly --for 2d \\
    --at 2026-03-10T12:00:00Z schedule='0 5 * * *'")]
pub(crate) struct SimulateArgs {
    /// Use this schedule instead of CronJobs
    #[arg(long, value_name = "EXPR", conflicts_with_all = ["filename", "names"], allow_hyphen_values = true)]
    pub(super) schedule: Option<String>,
    /// Time zone of --schedule, like spec.timeZone
    #[arg(long, value_name = "ZONE", requires = "schedule", aliases = ["tz", "timezone"])]
    pub(super) time_zone: Option<String>,
    /// Start at this time (default: now)
    #[arg(long, value_name = "TIME", long_help = format!("\
Start at this time, assuming that all earlier runs started on time (default: now, with the current status and Jobs). \
{PAST_TIME}"))]
    pub(super) from: Option<TimeArg>,
    /// End at this time
    #[arg(long, value_name = "TIME", conflicts_with = "length")]
    pub(super) to: Option<TimeArg>,
    /// Simulate for this long (default: 7d)
    ///
    /// Simulate for this long, such as 24h or 7d (default: 7d)
    #[arg(long = "for", id = "length", value_name = "DURATION", value_parser = positive_seconds)]
    pub(super) length: Option<i64>,
    /// The controller is down during this time
    #[arg(long, value_name = "TIME/TIME", long_help = time_ranges("The controller is down"))]
    pub(super) outage: Vec<TimeRange>,
    /// The CronJob is suspended during this time
    #[arg(long, value_name = "TIME/TIME", long_help = time_ranges("The CronJob is suspended"))]
    pub(super) suspended: Vec<TimeRange>,
    /// How long Jobs take
    ///
    /// How long Jobs take, such as 5m, or from-history for the median of the existing Jobs
    #[arg(long, value_name = "DURATION", default_value = "1m", value_parser = job_duration)]
    pub(super) job_duration: JobDuration,
    /// Change FIELD at TIME
    #[arg(long, num_args = 2, value_names = ["TIME", "FIELD=VALUE"], long_help = format!("\
Change FIELD at TIME, such as schedule='0 5 * * *' (repeatable). {FUTURE_TIME}"))]
    pub(super) at: Vec<String>,
    /// Predict as if FIELD had another value
    ///
    /// Start as if FIELD had another value, such as suspend=false. This flag can be repeated.
    #[arg(long = "what-if", value_name = "FIELD=VALUE", hide = true)]
    pub(super) changes: Vec<String>,
    /// Compare with other Kubernetes versions
    ///
    /// Compare with other Kubernetes versions, such as 1.20,1.27.1,1.36. Of several CronJobs, only those that differ
    /// are shown without -o wide.
    #[arg(long, value_name = "VERSIONS", value_delimiter = ',')]
    pub(super) compare: Vec<Release>,
    /// Upgrade to --compare during this time
    #[arg(
        long,
        value_name = "TIME/TIME",
        requires = "compare",
        long_help = format!("\
Upgrade to the version of --compare during this time, such as 2026-03-10T08:29:00Z/30m, while no controller runs. The \
result is compared with no upgrade.")
    )]
    pub(super) upgrade_at: Option<TimeRange>,
    /// Exit with 1 if a run is lost or late
    ///
    /// Exit with 1 if a run is lost or blocked (lost), or also late or unscheduled (late) (default: never)
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = FailOnRun::Never, hide_default_value = true)]
    pub(super) fail_on: FailOnRun,
    /// One of: {values}
    ///
    /// Output format. One of: {values}
    #[arg(long, short, value_name = "FORMAT", value_parser = format_of::<SimulateAnswer<'_>>())]
    pub(super) output: Option<Format>,
    /// Don't print headers
    #[arg(long, hide_short_help = true, long_help = kubectl_help::NO_CSV_HEADERS)]
    pub(super) no_headers: bool,
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(super) basis: BasisArgs,
}

fn time_ranges(what: &str) -> String {
    format!(
        "{what} during this time: TIME/TIME or TIME/DURATION, such as 2026-03-10T08:29:00Z/2h (repeatable)"
    )
}

/// What makes a simulation fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOnRun {
    Lost,
    Late,
    Never,
}

/// A range of time: `A/B`, where B may be how long it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TimeRange {
    from: TimeArg,
    to: TimeRangeEnd,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TimeRangeEnd {
    At(TimeArg),
    After(i64),
}

impl FromStr for TimeRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // The name of a zone may have a slash, too.
        let mut wrong = None;
        for (place, _) in text.match_indices('/').take(MOST_SLASHES) {
            let (from, to) = (text.get(..place), text.get(place + 1..));
            let (Some(from), Some(to)) = (from, to) else {
                continue;
            };
            let end = match duration(to) {
                Some(seconds) => Ok(TimeRangeEnd::After(seconds)),
                None => to.parse().map(TimeRangeEnd::At),
            };
            match (from.parse(), end) {
                (Ok(from), Ok(to)) => return Ok(TimeRange { from, to }),
                (Err(error), _) | (_, Err(error)) => wrong = wrong.or(Some(error)),
            }
        }
        let expected = || {
            "must be two times, or a time and a duration, such as \
             2026-03-10T08:29:00Z/2026-03-10T10:21:00Z, 2026-03-10T08:29:00Z/2h or \"22:00 UTC/2h\""
                .to_owned()
        };
        // Otherwise the forms of a time alone would be named.
        let wrong = wrong.filter(|error: &String| !error.starts_with("must be "));
        Err(wrong.unwrap_or_else(expected))
    }
}

/// Two names of zones have at most two slashes each.
const MOST_SLASHES: usize = 5;

impl TimeRange {
    /// The beginning and the end, relative to `now`.
    pub(super) fn resolve(
        &self,
        flag: &str,
        reference: TimeReference<'_>,
    ) -> anyhow::Result<(Timestamp, Timestamp)> {
        let from = self.from.resolve(flag, Side::Future, reference)?;
        let to = match &self.to {
            TimeRangeEnd::At(to) => {
                let reference = TimeReference {
                    now: from,
                    ..reference
                };
                to.resolve(flag, Side::Future, reference)?
            }
            TimeRangeEnd::After(seconds) => from
                .checked_add(SignedDuration::from_secs(*seconds))
                .map_err(|_| anyhow!("{flag}: {}", out_of_range()))?,
        };
        if to <= from {
            bail!("{flag}: the end, {to}, must be after the beginning");
        }
        Ok((from, to))
    }
}

/// How long Jobs take, in seconds; `None`: as long as in the past. As an `Option` by name, it would be an optional
/// value to clap.
pub(super) type JobDuration = Option<i64>;

fn job_duration(text: &str) -> Result<JobDuration, String> {
    if text == "from-history" {
        return Ok(None);
    }
    let seconds = duration(text).map(Some);
    seconds.ok_or_else(|| "must be a duration such as 90s, 5m or 1h30m, or from-history".to_owned())
}
