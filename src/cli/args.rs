//! The arguments, with kubectl's own names where kubectl has them.

use std::path::PathBuf;

use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};
use jiff::Timestamp;

use crate::controller::{Model, Release};
use crate::tzdb::Choice;

/// Tells what the CronJob controller will do, when, and why.
#[derive(Debug, Parser)]
#[command(
    name = "kubectl-cronjob_doctor",
    bin_name = "kubectl cronjob-doctor",
    version,
    disable_help_subcommand = true,
    max_term_width = 100,
    arg_required_else_help = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(super) global: Global,
    #[command(subcommand)]
    pub(super) verb: Verb,
}

/// The whole command, for whoever makes something from it.
pub fn command() -> clap::Command {
    Cli::command()
}

#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one in a run")]
pub(super) enum Verb {
    Explain(Explain),
    #[command(visible_alias = "next")]
    NextRuns(NextRuns),
    Version(Version),
}

/// What every verb takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(super) struct Global {
    /// When to use colours; NO_COLOR and CLICOLOR_FORCE are honoured
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN", hide_possible_values = true)]
    pub(super) color: Color,
    /// No warnings and no hints
    #[arg(long, short, global = true)]
    pub(super) quiet: bool,
    /// Say more about how the answer was found; may be repeated
    #[arg(long, short, global = true, action = clap::ArgAction::Count, conflicts_with = "quiet")]
    pub(super) verbose: u8,
    /// Which time zone database to use: newest, system or bundled
    #[arg(long, global = true, value_enum, default_value_t = Tzdb::Newest, value_name = "WHICH", hide_possible_values = true, hide_default_value = true)]
    pub(super) tzdb: Tzdb,
}

/// What every verb that computes takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "What if")]
pub(super) struct WhatIf {
    /// The moment taken for now, in RFC 3339
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(super) now: Option<Timestamp>,
    /// The controller's release: 1.N or 1.N.P (default: the newest known)
    #[arg(long, value_name = "VERSION")]
    pub(super) kubernetes_version: Option<Release>,
    /// The controller: kubernetes, or the one of the kubebuilder book
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = ControllerKind::Kubernetes, hide_possible_values = true, hide_default_value = true)]
    pub(super) controller: ControllerKind,
    /// The zone that the controller manager runs in (default: UTC)
    #[arg(long, value_name = "ZONE")]
    pub(super) controller_time_zone: Option<String>,
}

/// Which CronJobs, for verbs that read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Which CronJobs")]
pub(super) struct Selection {
    /// CronJobs by name: NAME, cronjob/NAME or cj/NAME
    #[arg(value_name = "NAME")]
    pub(super) names: Vec<String>,
    /// Read CronJobs from a file, a folder, or - for standard input
    #[arg(long, short, value_name = "FILE|DIR|-")]
    pub(super) filename: Vec<PathBuf>,
    /// Look into the folders of a folder, too
    #[arg(long, short = 'R', requires = "filename")]
    pub(super) recursive: bool,
    /// Only CronJobs of this namespace
    #[arg(long, short, value_name = "NAMESPACE")]
    pub(super) namespace: Option<String>,
    /// CronJobs of all namespaces, which is so for files anyway
    #[arg(long, short = 'A')]
    pub(super) all_namespaces: bool,
}

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
pub(super) struct NextRuns {
    #[command(flatten)]
    pub(super) selection: Selection,
    /// A schedule instead of CronJobs
    #[arg(long, value_name = "EXPR", conflicts_with_all = ["filename", "names"], allow_hyphen_values = true)]
    pub(super) schedule: Option<String>,
    /// The time zone of --schedule, as spec.timeZone
    #[arg(long, value_name = "ZONE", requires = "schedule")]
    pub(super) time_zone: Option<String>,
    /// Runs later than this, in RFC 3339 (default: now)
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Which runs")]
    pub(super) after: Option<Timestamp>,
    /// Runs until then, in RFC 3339
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Which runs")]
    pub(super) until: Option<Timestamp>,
    /// At most so many runs of each CronJob (default: 5, or all with --until)
    #[arg(long, value_name = "N", help_heading = "Which runs")]
    pub(super) count: Option<usize>,
    /// Output format: wide, json, yaml, csv, ics or name
    #[arg(
        long,
        short,
        value_enum,
        value_name = "FORMAT",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    pub(super) output: Option<NextRunsFormat>,
    /// Show local times in this zone instead of each schedule's own
    #[arg(long, value_name = "ZONE", help_heading = "Output")]
    pub(super) display_time_zone: Option<String>,
    /// Explain each schedule: its meaning, its fields, its surprises
    #[arg(long, help_heading = "Output")]
    pub(super) explain: bool,
    /// Leave out the line of headings
    #[arg(long, help_heading = "Output")]
    pub(super) no_headers: bool,
    #[command(flatten)]
    pub(super) what_if: WhatIf,
}

/// Explain what the controller does with CronJobs, and why
#[derive(Debug, Args)]
#[command(after_help = "\
Decides as the controller of the given release would if it looked now: step by step, with the events it
would record, what was missed and why, and what is wrong or risky.

Examples:
  # Everything about the CronJobs of a snapshot
  kubectl get cronjobs,jobs,events -A -o yaml > snapshot.yaml
  kubectl cronjob-doctor explain -f snapshot.yaml

  # What happens if it is resumed?
  kubectl cronjob-doctor explain nightly -f snapshot.yaml --what-if suspend=false

  # What will an upgrade change?
  kubectl cronjob-doctor explain nightly -f snapshot.yaml --compare 1.20,1.27.1,1.36")]
pub(super) struct Explain {
    #[command(flatten)]
    pub(super) selection: Selection,
    /// Output format: wide, json or yaml
    #[arg(
        long,
        short,
        value_enum,
        value_name = "FORMAT",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    pub(super) output: Option<ExplainFormat>,
    /// Exit with 1 if there is a finding of this severity or worse: info, warning, error or never
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = FailOn::Never, hide_possible_values = true, help_heading = "Output")]
    pub(super) fail_on: FailOn,
    /// Decide as if a field had another value, such as suspend=false; may be repeated
    #[arg(long = "what-if", value_name = "FIELD=VALUE", help_heading = "What if")]
    pub(super) changes: Vec<String>,
    /// Decide as other releases would, such as 1.20,1.27.1,1.36
    #[arg(
        long,
        value_name = "VERSIONS",
        value_delimiter = ',',
        help_heading = "What if"
    )]
    pub(super) compare: Vec<Release>,
    #[command(flatten)]
    pub(super) what_if: WhatIf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ExplainFormat {
    Wide,
    Json,
    Yaml,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOn {
    Info,
    Warning,
    Error,
    Never,
}

/// Show the version of this program and of the data it computes with
#[derive(Debug, Args)]
pub(super) struct Version {
    /// Output format: json or yaml
    #[arg(
        long,
        short,
        value_enum,
        value_name = "FORMAT",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    pub(super) output: Option<DocumentFormat>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum NextRunsFormat {
    Wide,
    Json,
    Yaml,
    Csv,
    Ics,
    Name,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum DocumentFormat {
    Json,
    Yaml,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    /// Sets the choice for both streams.
    pub(super) fn apply(self) {
        let choice = match self {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::AlwaysAnsi,
            Color::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Tzdb {
    Newest,
    System,
    Bundled,
}

impl From<Tzdb> for Choice {
    fn from(tzdb: Tzdb) -> Self {
        match tzdb {
            Tzdb::Newest => Choice::Newest,
            Tzdb::System => Choice::System,
            Tzdb::Bundled => Choice::Bundled,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ControllerKind {
    Kubernetes,
    Kubebuilder,
}

impl From<ControllerKind> for Model {
    fn from(kind: ControllerKind) -> Self {
        match kind {
            ControllerKind::Kubernetes => Model::Kubernetes,
            ControllerKind::Kubebuilder => Model::Kubebuilder,
        }
    }
}

fn time(text: &str) -> Result<Timestamp, String> {
    text.parse().map_err(|_| {
        "expected a time in RFC 3339, such as 2026-03-29T02:30:00Z or 2026-03-29T02:30:00+01:00"
            .to_owned()
    })
}
