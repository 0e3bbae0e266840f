//! The arguments, with kubectl's own names where kubectl has them.

mod changing;
mod common;
mod connection;

pub(super) use changing::{
    Backfill, CatchUpFlag, ChangeFormat, Changing, DEFAULT_MAX, DryRun, Limit, Resume, SkipMethod,
    Suspend, Targets, Trigger,
};
pub(super) use common::{
    BasisArgs, Common, DocumentFormat, FailOn, Selection, Since, duration, out_of_range, time,
    too_late, whole,
};
pub(super) use connection::Connection;

use clap::{CommandFactory as _, Parser, Subcommand};

use super::completion::CompletionArgs;
use super::explain::ExplainArgs;
use super::history::HistoryArgs;
use super::lint::LintArgs;
use super::load::LoadArgs;
use super::next_runs::NextRunsArgs;
use super::report::ReportArgs;
use super::scan::ScanArgs;
use super::simulate::SimulateArgs;
use super::top::TopArgs;
use super::version::VersionArgs;

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

/// The whole command, for whoever makes something from it.
pub fn command() -> clap::Command {
    Cli::command()
}

#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one in a run")]
pub(super) enum Verb {
    Scan(ScanArgs),
    Top(TopArgs),
    Explain(ExplainArgs),
    #[command(visible_alias = "next")]
    NextRuns(NextRunsArgs),
    History(HistoryArgs),
    Simulate(SimulateArgs),
    Load(LoadArgs),
    Report(ReportArgs),
    Suspend(Suspend),
    #[command(visible_alias = "unsuspend")]
    Resume(Resume),
    Trigger(Trigger),
    Backfill(Backfill),
    Lint(LintArgs),
    Completion(CompletionArgs),
    Version(VersionArgs),
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
