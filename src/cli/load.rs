//! `load`: CronJobs that start at the same time, and how to spread them.

mod apply;

use std::io::{self, Write};
use std::sync::Arc;

use anyhow::{Context as _, anyhow};
use jiff::{SignedDuration, Timestamp};

use super::args::{BasisArgs, Common, DryRun, Selection, duration, time, whole};
use super::diagnostic::Diagnostic;
use super::diagnostic::{LocatedSubject, explain_problem};
use super::world::{controller_document, zone_of};
use super::{Outcome, complain, print, warn};
use crate::change::Application;
use crate::controller::Controller;
use crate::diagnose::Facts;
use crate::duration::exact;
use crate::evidence::{Basis, Needs, World};
use crate::load::{
    ClientLimits, Load, LoadMember, LoadQuestion, LoadWindow, LoadWindowError, load,
};
use crate::output::load::{ShownLoad, csv, document, patches, svg, text};
use crate::output::{self, yaml};
use crate::report::member;
use crate::schedule::Zone;
use crate::upcoming::ScheduleProblem;
use clap::ValueEnum;

/// Show what the CronJobs start together, and how to spread it
#[derive(Debug, clap::Args)]
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
pub(super) struct LoadArgs {
    #[command(flatten)]
    selection: Selection,
    /// Suspended CronJobs count, too
    #[arg(long, help_heading = "Which CronJobs")]
    include_suspended: bool,
    /// Starts from then on, in RFC 3339 (default: now, or where the bucket of now begins)
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Which starts")]
    from: Option<Timestamp>,
    /// Starts before then, in RFC 3339
    #[arg(long, value_name = "TIME", value_parser = time, conflicts_with = "length", help_heading = "Which starts")]
    to: Option<Timestamp>,
    /// For so long: 1d, 4w
    #[arg(id = "length", long = "for", value_name = "DURATION", default_value = "7d", value_parser = seconds, help_heading = "Which starts")]
    length: i64,
    /// Count the starts of pieces of this length: 1m, 15m, 1h
    #[arg(long, value_name = "DURATION", default_value = "1m", value_parser = seconds, help_heading = "Which starts")]
    bucket: i64,
    /// Tell so many peaks
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = whole::<usize>(0..=u64::MAX), allow_negative_numbers = true, help_heading = "Output")]
    peaks: usize,
    /// Spread until no minute has more starts than this (default: as far as it goes)
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=u64::MAX), allow_negative_numbers = true, help_heading = "Output")]
    at_most: Option<u32>,
    /// Output format: json, yaml, csv, svg, or patch for the commands of the proposal
    #[arg(
        long,
        short,
        value_enum,
        value_name = "FORMAT",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    output: Option<LoadFormat>,
    /// Show the days and hours of this zone (default: that of the controller)
    #[arg(long, value_name = "ZONE", help_heading = "Output")]
    display_time_zone: Option<String>,
    /// Leave out the line of headings of csv
    #[arg(long, help_heading = "Output")]
    no_headers: bool,
    /// Requests a second that the controller manager makes: its --kube-api-qps
    #[arg(long, value_name = "N", default_value_t = 20.0, value_parser = rate, allow_negative_numbers = true, help_heading = "What if")]
    qps: f64,
    /// Requests that it makes at once after a rest: its --kube-api-burst
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = whole::<u32>(1..=100_000), allow_negative_numbers = true, help_heading = "What if")]
    burst: u32,
    /// CronJobs that it looks at side by side: its --concurrent-cron-job-syncs (default: 5)
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=100_000), allow_negative_numbers = true, help_heading = "What if")]
    workers: Option<u32>,
    /// Change the schedules as proposed, except where that starts an extra run
    #[arg(long, conflicts_with = "filename", help_heading = "Change")]
    apply: bool,
    /// With --apply, change those that start an extra run, too
    #[arg(long, requires = "apply", help_heading = "Change")]
    force: bool,
    /// With --apply, do not ask
    #[arg(long, short, requires = "apply", help_heading = "Change")]
    yes: bool,
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
    dry_run: Option<DryRun>,
    /// With --apply, the name that the changed fields are recorded under
    #[arg(
        long,
        value_name = "NAME",
        default_value = "kubectl-cronjob-doctor",
        hide_short_help = true,
        help_heading = "Change"
    )]
    field_manager: String,
    #[command(flatten)]
    basis: BasisArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum LoadFormat {
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
        .ok_or_else(|| "expected a number of requests per second, such as 20 or 0.5".to_owned())
}

pub(super) fn run(common: &Common, args: &LoadArgs) -> anyhow::Result<Outcome> {
    if args.apply {
        return apply::run(common, args);
    }
    let basis = common.basis(&args.basis)?;
    let zone = display_zone(args, &basis)?;
    let world = common.load(basis, &args.selection, Needs::default())?;
    if world.is_void() && args.output == Some(LoadFormat::Svg) {
        return Ok(Outcome::Incomplete);
    }
    let computed = compute(common, args, zone, &world)?;
    for problem in &computed.problems {
        complain(problem.clone());
    }
    let shown = computed.shown(&world.basis);
    print(|out| write(out, args, &shown))?;
    let complete = world.complete && computed.problems.is_empty();
    Ok(Outcome::of(complete, false))
}

/// The time zone of the output, if a flag names one.
fn display_zone(args: &LoadArgs, basis: &Basis) -> anyhow::Result<Option<Arc<Zone>>> {
    let name = args.display_time_zone.as_ref();
    zone_of("--display-time-zone", name, &basis.zones)
}

/// A load, and what is shown with it.
struct Computed {
    members: Vec<LoadMember>,
    load: Load,
    application: Application,
    /// Why CronJobs cannot be counted.
    problems: Vec<Diagnostic>,
    zone: Arc<Zone>,
}

impl Computed {
    fn shown<'a>(&'a self, basis: &'a Basis) -> ShownLoad<'a> {
        ShownLoad {
            controller: controller_document(basis),
            members: &self.members,
            load: &self.load,
            application: &self.application,
            zone: Arc::clone(&self.zone),
            kubectl: &basis.kubectl,
        }
    }
}

/// Computes the load.
fn compute(
    common: &Common,
    args: &LoadArgs,
    zone: Option<Arc<Zone>>,
    world: &World,
) -> anyhow::Result<Computed> {
    let controller = world.basis.controller();
    let now = world.basis.now;
    let question = LoadQuestion {
        window: span(args, now)?,
        limits: limits(args, common.global.quiet, &controller),
        include_suspended: args.include_suspended,
        peaks: args.peaks,
        at_most: args.at_most,
    };
    let members = world.cron_jobs.iter().map(|one| {
        let facts = Facts::of(&controller, &one.evidence, world.coverage, now);
        member(&facts)
    });
    let members: Vec<LoadMember> = members.collect();
    let load = load(&controller, &members, &question);
    let evidence = |member: usize| world.cron_jobs.get(member).map(|one| &one.evidence);
    let suggestions = &load.proposal.suggestions;
    let application = Application::of(&controller, evidence, suggestions, now);
    let problem = |(member, problem): &(usize, ScheduleProblem)| {
        let located = LocatedSubject::from(world.cron_jobs.get(*member)?);
        Some(explain_problem(&located, problem))
    };
    Ok(Computed {
        problems: load.problems.iter().filter_map(problem).collect(),
        zone: zone.unwrap_or_else(|| Arc::clone(&controller.local)),
        members,
        load,
        application,
    })
}

fn write(out: &mut dyn Write, args: &LoadArgs, shown: &ShownLoad<'_>) -> io::Result<()> {
    match args.output {
        Some(LoadFormat::Json) => output::json(out, &document(shown)),
        Some(LoadFormat::Yaml) => yaml::write(out, &document(shown)),
        Some(LoadFormat::Csv) => csv(out, shown, !args.no_headers),
        Some(LoadFormat::Svg) => svg(out, shown),
        Some(LoadFormat::Patch) => patches(out, shown),
        None if shown.members.is_empty() => Ok(()),
        None => text(out, shown),
    }
}

/// The window that the flags select.
fn span(args: &LoadArgs, now: Timestamp) -> anyhow::Result<LoadWindow> {
    let (beginning, from) = match args.from {
        Some(from) => ("--from", from),
        None => ("now", begun(now, args.bucket)?),
    };
    let to = match args.to {
        Some(to) => to,
        None => later("--for", from, args.length)?,
    };
    LoadWindow::new(from, to, args.bucket).map_err(|error| match error {
        LoadWindowError::Empty { from, to } => {
            anyhow!("--to {to}: must be after {beginning} ({from})")
        }
        LoadWindowError::TooLong if args.to.is_none() => anyhow!("--for: {error}"),
        LoadWindowError::TooLong => anyhow!("--to: {error}"),
        LoadWindowError::TooMany(_) | LoadWindowError::NoBucket => anyhow!("--bucket: {error}"),
    })
}

/// The beginning of the bucket of a time.
pub(super) fn begun(now: Timestamp, bucket: i64) -> anyhow::Result<Timestamp> {
    let second = now.as_second();
    let begun = second - second.rem_euclid(bucket);
    Timestamp::from_second(begun).context("the current time is too early")
}

/// The time a number of seconds later, as given by a flag.
pub(super) fn later(flag: &str, from: Timestamp, seconds: i64) -> anyhow::Result<Timestamp> {
    from.checked_add(SignedDuration::from_secs(seconds))
        .map_err(|_| {
            let length = exact(seconds);
            anyhow!("{flag} {length}: ends after the year 9999, counted from {from}")
        })
}

/// The client limits of the controller, with those flags that apply to it.
fn limits(args: &LoadArgs, quiet: bool, controller: &Controller<'_>) -> ClientLimits {
    let usual = ClientLimits::of(controller.behavior());
    let given = ClientLimits {
        qps: args.qps,
        burst: args.burst,
        ..usual
    };
    match (
        ClientLimits::workers_of(controller.behavior()),
        args.workers,
    ) {
        (_, None) => given,
        (Some(_), Some(workers)) => ClientLimits { workers, ..given },
        (None, Some(_)) => {
            if !quiet {
                warn(
                    "--workers has no effect: up to Kubernetes 1.20, the controller syncs one CronJob at a time",
                );
            }
            given
        }
    }
}
