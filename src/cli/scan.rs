//! `scan`: the health of all CronJobs.

/// Nothing is followed by the page in the browser.
#[cfg(not(feature = "cluster"))]
mod scan_watch {
    pub(super) fn watch(_: &super::Common, _: &super::ScanArgs) -> anyhow::Result<()> {
        anyhow::bail!("--watch: this program was built without the feature \"cluster\"")
    }
}
use std::cmp::Reverse;

use super::args::{
    BasisArgs, Common, FAIL_ON, FAIL_ON_HELP, FailOn, Selection, format_of, one_of, one_word,
};
#[cfg(feature = "cluster")]
use super::live::scan_watch;
use super::query::{Asked, Query, scope};
use super::recorder::{RecorderArg, recent_reliability};
use super::verb::{Group, VerbSpec};
use super::world::read_header;
use super::{CommandOutcome, stdio};
use crate::evidence::{Basis, Needs, World};
use crate::output::contexts::ContextAnswers;
use crate::output::scan::{Layout, Scan, ScanAnswer};
use crate::output::{Format, ReadHeader};
use cronjob_diagnosis::survey::{
    Health, Manager, RowOrder, RowSelection, ScanSelection, SurveyReport,
};
use kube_objects::query::PodSelection;
use kube_objects::snapshot::path_name;

/// Check the health of CronJobs, most severe first
///
/// Shows one line for each CronJob: when it runs next, when it last ran, and what is wrong or risky. "explain" shows
/// the details and the remedies.
#[derive(Debug, clap::Args)]
#[command(before_long_help = "\
Examples:
  # Check the CronJobs of the current namespace
  kubectl cronjob-doctor scan

  # List only the CronJobs with problems, in all namespaces
  kubectl cronjob-doctor scan -A --problems-only

  # Keep the table up to date
  kubectl cronjob-doctor scan -A --watch

  # Fail if there is an error
  kubectl cronjob-doctor scan -A --fail-on error")]
pub(super) struct ScanArgs {
    /// List only CronJobs with an error or a warning
    #[arg(long)]
    problems_only: bool,
    /// List only CronJobs that missed runs, as after a restore or a long outage
    #[arg(long, hide_short_help = true)]
    missed_only: bool,
    /// Check only CronJobs that this tool manages: argocd, flux, helm, kubectl or none
    #[arg(long, value_parser = one_of::<Manager>(Manager::STRINGS), value_name = "TOOL")]
    managed_by: Option<Manager>,
    /// Sort by health, name, next, last, missed or active
    ///
    /// Sort by health, name, next, last, missed or active (default: health; missed with --missed-only)
    #[arg(long, value_parser = one_of::<RowOrder>(RowOrder::STRINGS), value_name = "COLUMN")]
    sort: Option<RowOrder>,
    /// Exit with 1 if a finding is at least this severe
    #[arg(long, value_parser = one_word(FAIL_ON), value_name = "SEVERITY", default_value = "never", hide_default_value = true, long_help = FAIL_ON_HELP)]
    fail_on: FailOn,
    /// Output format. One of: {values}
    #[arg(long, short, value_name = "FORMAT", value_parser = format_of::<ScanAnswer<'_>>())]
    pub(super) output: Option<Format>,
    /// Don't print headers
    ///
    /// When using the default, wide or csv output format, don't print headers and the summary line (default print
    /// headers)
    #[arg(long)]
    no_headers: bool,
    /// Watch for changes and keep the table up to date
    ///
    /// After listing the CronJobs, watch for changes and keep the table up to date until interrupted
    #[arg(long, short, conflicts_with_all = ["filename", "now", "recorder"])]
    pub(super) watch: bool,
    #[command(flatten)]
    pub(super) selection: Selection,
    #[command(flatten)]
    pub(super) basis: BasisArgs,
    #[command(flatten)]
    recorder: RecorderArg,
}

pub(super) const SPEC: VerbSpec = VerbSpec {
    synonyms: &[
        (
            "scan",
            &["get", "list", "ls", "status", "check", "health", "problems"],
        ),
        ("scan --watch or top", &["watch", "dashboard"]),
    ],
    ..VerbSpec::query::<ScanArgs>("scan", Group::Look)
};

impl Query for ScanArgs {
    type Found = Checked;
    type Answer<'a> = ScanAnswer<'a>;

    scope!(recorder);

    fn needs(&self) -> anyhow::Result<Needs> {
        // Details, and a comment or a mail, show why the last runs failed, which only their pods do.
        Ok(Needs::pods(match self.output {
            Some(Format::Markdown | Format::Wide) if !self.watch => PodSelection::OfUnsettled,
            _ => PodSelection::OfTroubled,
        }))
    }

    fn begin(&self, common: &Common) -> anyhow::Result<Option<CommandOutcome>> {
        if !self.watch {
            return Ok(None);
        }
        scan_watch::watch(common, self)?;
        Ok(Some(CommandOutcome::Fine))
    }

    fn find(&self, asked: Asked<'_>) -> anyhow::Result<Checked> {
        Ok(check(asked.common, self, asked.world))
    }

    fn answer<'a>(&'a self, checked: &'a ContextAnswers<Checked>) -> Option<ScanAnswer<'a>> {
        let scans = checked.map(|context, checked| Scan {
            read: checked.read.clone(),
            display: checked.basis.controller.display.clone(),
            context,
            selection: checked.selection.clone(),
            report: &checked.report,
        });
        Some(ScanAnswer {
            scans,
            layout: layout(
                self,
                checked.each().any(|(_, checked)| checked.is_of_several),
            ),
            next: checked.as_one().and_then(|checked| explain(self, checked)),
        })
    }

    fn fails(&self, checked: &Checked) -> bool {
        let threshold = self.fail_on.map(Health::from);
        threshold.is_some_and(|threshold| checked.report.summary.worst() >= threshold)
    }

    fn one_context(&self) -> Vec<(&'static str, bool)> {
        vec![
            ("--watch", self.watch),
            ("-o name", self.output == Some(Format::Name)),
        ]
    }

    fn one_namespace(&self) -> Vec<(&'static str, bool)> {
        vec![("--watch", self.watch)]
    }
}

/// The health of the CronJobs of a World.
pub(super) struct Checked {
    basis: Basis,
    read: ReadHeader,
    selection: ScanSelection,
    report: SurveyReport,
    /// Whether several namespaces were asked for.
    is_of_several: bool,
}

fn check(common: &Common, args: &ScanArgs, mut world: World) -> Checked {
    let reliability = recent_reliability(&world);
    let managed_by = args.managed_by.map(|tool| tool.as_str().to_owned());
    let selection = common.selection(&world, &args.selection, managed_by);
    let mut rows = world.take_rows();
    for (row, reliability) in rows.iter_mut().zip(reliability) {
        row.reliability = reliability.map(Box::new);
    }
    let is_empty = rows.is_empty();
    let report = SurveyReport::new(rows, view(args));
    if let Some(tool) = selection.managed_by.as_ref()
        && !is_empty
        && report.summary.total == 0
    {
        stdio::hint(&format!("No CronJobs found with --managed-by {tool}."));
    }
    Checked {
        read: read_header(&world),
        basis: world.basis,
        selection,
        report,
        is_of_several: common.connection.namespaces.len() > 1,
    }
}

/// The command that explains the most severe row. What is read from stdin cannot be read again.
fn explain(args: &ScanArgs, checked: &Checked) -> Option<String> {
    let files = &args.selection.cron_jobs.filename;
    let rows = checked.report.rows.iter();
    let row = rows.min_by_key(|row| Reverse(row.health))?;
    let explain = checked.basis.kubectl.doctor("explain").name(&row.name);
    let explain = explain.namespace(&row.namespace);
    let explain = files.iter().fold(explain, |explain, file| {
        explain.value("-f", &path_name(file))
    });
    let is_repeatable = !files.iter().any(|file| file.as_os_str() == "-");
    is_repeatable.then(|| explain.to_string())
}

/// Which rows are shown, and in which order.
pub(super) fn view(args: &ScanArgs) -> RowSelection {
    RowSelection {
        order: order(args),
        problems_only: args.problems_only,
        missed_only: args.missed_only,
        managed_by: args.managed_by,
    }
}

fn order(args: &ScanArgs) -> RowOrder {
    let default = if args.missed_only {
        RowOrder::Missed
    } else {
        RowOrder::Health
    };
    args.sort.unwrap_or(default)
}

pub(super) fn layout(args: &ScanArgs, several: bool) -> Layout {
    let height = stdio::width().map(|_| stdio::terminal_size().1);
    Layout {
        wide: args.output == Some(Format::Wide),
        namespaces: args.selection.cron_jobs.all_namespaces || several,
        order: order(args),
        headings: !args.no_headers,
        width: stdio::width(),
        wraps: true,
        height: height.filter(|_| args.selection.cron_jobs.names.is_empty() && args.sort.is_none()),
    }
}
