//! The arguments, with kubectl's own names where kubectl has them.

mod backfill;
mod changing;
mod choices;
mod completion;
mod connection;
mod explain;
mod global;
mod history;
mod lint;
mod load;
mod next_runs;
mod report;
mod resume;
mod scan;
mod selection;
mod simulate;
mod since;
mod suspend;
mod top;
mod trigger;
mod version;
mod what_if;
mod whole;

pub(super) use backfill::{Backfill, DEFAULT_MAX};
pub(super) use changing::{ChangeFormat, Changing, DryRun, Targets};
pub(super) use choices::{ControllerKind, DocumentFormat, FailOn};
pub(super) use completion::{Completion, Shell};
pub(super) use connection::Connection;
pub(super) use explain::{Explain, ExplainFormat};
pub(super) use global::Global;
pub(super) use history::{History, HistoryFormat};
pub(super) use lint::{DryRunOf, Lint, LintFormat};
pub(super) use load::{Load, LoadFormat};
pub(super) use next_runs::{NextRuns, NextRunsFormat};
pub(super) use report::{Report, ReportFormat};
pub(super) use resume::{CatchUpFlag, Resume, SkipMethod};
pub(super) use scan::{Scan, ScanFormat};
pub(super) use selection::Selection;
pub(super) use simulate::{FailOnRun, JobDuration, Simulate, SimulateFormat, Stretch};
pub(super) use suspend::Suspend;
pub(super) use top::Top;
pub(super) use trigger::{Limit, Trigger};
pub(super) use version::Version;
pub(super) use what_if::{WhatIf, time};

use clap::{Args, CommandFactory as _, Parser, Subcommand};

/// Tells what the CronJob controller will do, when, and why
///
/// Without a command it scans the CronJobs of the namespace.
#[derive(Debug, Parser)]
#[command(
    name = "kubectl-cronjob_doctor",
    bin_name = "kubectl cronjob-doctor",
    version,
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(super) common: Common,
    #[command(subcommand)]
    pub(super) verb: Verb,
}

/// What every verb takes.
#[derive(Clone, Debug, Args)]
pub(super) struct Common {
    #[command(flatten)]
    pub(super) global: Global,
    #[command(flatten)]
    pub(super) connection: Connection,
}

/// The whole command, for whoever makes something from it.
pub fn command() -> clap::Command {
    Cli::command()
}

#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one in a run")]
pub(super) enum Verb {
    Scan(Scan),
    Top(Top),
    Explain(Explain),
    #[command(visible_alias = "next")]
    NextRuns(NextRuns),
    History(History),
    Simulate(Simulate),
    Load(Load),
    Report(Report),
    Suspend(Suspend),
    #[command(visible_alias = "unsuspend")]
    Resume(Resume),
    Trigger(Trigger),
    Backfill(Backfill),
    Lint(Lint),
    Completion(Completion),
    Version(Version),
}

impl Verb {
    /// Whether it changes a cluster.
    pub(super) fn changes(&self) -> bool {
        let changing = match self {
            Verb::Suspend(args) => &args.changing,
            Verb::Resume(args) => &args.changing,
            Verb::Trigger(args) => &args.changing,
            Verb::Backfill(args) => &args.changing,
            _ => return false,
        };
        changing.dry_run == DryRun::None
    }
}
