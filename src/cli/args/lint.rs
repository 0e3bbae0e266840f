//! The arguments of `lint`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use jiff::Timestamp;

use super::FailOn;
use super::what_if::time;
use crate::lint::Releases;

/// Check manifests of CronJobs: what will be refused, what will never run, what will hurt
///
/// Reads YAML and JSON and shows each problem with its line, the reason and the remedy. Other kinds are
/// passed over.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # Everything in a folder, as Git sees it
  kubectl cronjob-doctor lint -R manifests/

  # What kustomize or helm makes
  kustomize build overlays/prod | kubectl cronjob-doctor lint -

  # For every release from 1.29 to 1.33
  kubectl cronjob-doctor lint -R . --kubernetes-version 1.29-1.33

  # What this cluster would refuse, its policies and quotas included
  kubectl cronjob-doctor lint -R overlays/prod --dry-run=server

  # Mend what is certain; look at it first
  kubectl cronjob-doctor lint -R . --fix --diff

  # Everything about a rule
  kubectl cronjob-doctor lint --explain never-runs")]
pub(in crate::cli) struct Lint {
    /// Files, folders, or - for standard input
    #[arg(value_name = "FILE|DIR|-", required_unless_present_any = ["filename", "list", "explain"])]
    pub(in crate::cli) paths: Vec<PathBuf>,
    /// The same, as kubectl has it
    #[arg(long, short, value_name = "FILE|DIR|-", hide_short_help = true)]
    pub(in crate::cli) filename: Vec<PathBuf>,
    /// Look into the folders of a folder, too; hidden ones and what .gitignore names are left out
    #[arg(long, short = 'R')]
    pub(in crate::cli) recursive: bool,
    /// The release, or the releases: 1.N, 1.N.P or 1.N-1.M (default: the newest known)
    #[arg(long, value_name = "VERSIONS")]
    pub(in crate::cli) kubernetes_version: Option<Releases>,
    /// Ask a cluster, too: server shows it the manifests and lets it say what it would refuse, without
    /// making anything; the default release is then its own
    #[arg(
        long,
        value_enum,
        value_name = "server",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "server",
        hide_possible_values = true
    )]
    pub(in crate::cli) dry_run: Option<DryRunOf>,
    /// A configuration to use for all files (default: the .cronjob-doctor.yaml of each file's folder
    /// or the nearest one above)
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) config: Option<PathBuf>,
    /// Mend what can be mended with certainty
    #[arg(long, help_heading = "Fixes")]
    pub(in crate::cli) fix: bool,
    /// With --fix: show the changes instead of making them
    #[arg(long, requires = "fix", help_heading = "Fixes")]
    pub(in crate::cli) diff: bool,
    /// Show all rules
    #[arg(long, conflicts_with_all = ["paths", "fix", "explain"], help_heading = "Rules")]
    pub(in crate::cli) list: bool,
    /// Explain a rule, by its code or its name
    #[arg(long, value_name = "RULE", conflicts_with_all = ["paths", "fix"], help_heading = "Rules")]
    pub(in crate::cli) explain: Option<String>,
    /// Output format: text, short, json, yaml, sarif, github or junit
    #[arg(
        long,
        short,
        value_enum,
        value_name = "FORMAT",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    pub(in crate::cli) output: Option<LintFormat>,
    /// Exit with 1 if there is a finding of this severity or worse: info, warning, error or never
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = FailOn::Error, hide_possible_values = true, help_heading = "Output")]
    pub(in crate::cli) fail_on: FailOn,
    /// The moment from which coming dates are looked for, in RFC 3339 (default: now)
    #[arg(long, value_name = "TIME", value_parser = time, hide_short_help = true)]
    pub(in crate::cli) now: Option<Timestamp>,
    /// The zone of schedules without one (default: UTC)
    #[arg(long, value_name = "ZONE", hide_short_help = true)]
    pub(in crate::cli) controller_time_zone: Option<String>,
}

/// Whose dry run is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum DryRunOf {
    Server,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum LintFormat {
    Text,
    Short,
    Json,
    Yaml,
    Sarif,
    Github,
    Junit,
}
