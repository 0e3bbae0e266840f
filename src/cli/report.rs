//! `report`: an HTML report, or the same data as a document.

use std::io::IsTerminal as _;
use std::sync::Arc;

use anyhow::bail;
use jiff::Span;

use super::CommandOutcome;
use super::args::cluster_name;
use super::args::{
    BasisArgs, Common, FAIL_ON, FAIL_ON_HELP, FailOn, PAST_TIME, Selection, TimeArg, duration,
    format_of, one_word,
};
use super::compared_runs::read_compared_runs;
use super::kinds::KindsArg;
use super::query::{Asked, Query, scope};
use super::recorder::RecorderArg;
use super::report_scope::{report_context, report_scope};
use super::verb::{Group, VerbSpec};
use crate::evidence::{Needs, World};
use crate::output::Format;
use crate::output::contexts::ContextAnswers;
use crate::output::report::{EvidenceSource, ReportAnswer, ReportContext, ShownReport};
use cronjob_controller::controller::Controller;
use cronjob_controller::upcoming::{Subject, read};
use cronjob_diagnosis::history::HistoryWindow;
use cronjob_diagnosis::load::LoadMember;
use cronjob_diagnosis::report::{Report, ReportScope};
use cronjob_diagnosis::survey::Health;
use kube_objects::query::PodSelection;
use kube_objects::snapshot::path_name;

/// Write a self-contained HTML report
///
/// The report is one HTML file that makes no network requests. It shows the health of all CronJobs, the findings with
/// remedies, an explanation of each CronJob, the next runs, runs that start at the same time, and past runs.
#[derive(Debug, clap::Args)]
#[command(before_long_help = "\
Examples:
  # Write a report of the whole cluster
  kubectl cronjob-doctor report -A > report.html

  # Include the next week of a namespace
  kubectl cronjob-doctor report -n shop --ahead 7d > report.html

  # Mail a summary of the week
  kubectl cronjob-doctor report -A --summary \\
    --recorder monitoring/cronjob-doctor > mail.html

  # Write the same data as JSON
  kubectl cronjob-doctor report -A -o json > report.json")]
pub(super) struct ReportArgs {
    /// Show the next runs for this long, at most 31d
    ///
    /// Show the next runs for this long, such as 24h or 7d; at most 31d
    #[arg(long, value_name = "DURATION", default_value = "24h", value_parser = ahead)]
    ahead: i64,
    /// Show past runs of the last DURATION, or since TIME
    #[arg(
        long,
        value_name = "DURATION|TIME",
        long_help = format!("\
Show past runs since this time (default: since the oldest run known of each CronJob, at most 100 runs). {PAST_TIME}")
    )]
    since: Option<TimeArg>,
    /// Write a short page without a script, for the body of a mail
    ///
    /// Write a short page without a script, for the body of a mail: what is broken now and, with --recorder, how many
    /// runs of the last week succeeded in time
    #[arg(long, conflicts_with = "output")]
    summary: bool,
    /// Exit with 1 if a finding is at least this severe
    #[arg(long, value_parser = one_word(FAIL_ON), value_name = "SEVERITY", default_value = "never", hide_default_value = true, long_help = FAIL_ON_HELP)]
    fail_on: FailOn,
    /// Output format. One of: {values}
    ///
    /// Output format. One of: {values} (default: html)
    #[arg(long, short, value_name = "FORMAT", value_parser = format_of::<ReportAnswer<'_>>())]
    output: Option<Format>,
    #[command(flatten)]
    pub(super) selection: Selection,
    #[command(flatten)]
    kinds: KindsArg,
    #[command(flatten)]
    basis: BasisArgs,
    #[command(flatten)]
    pub(super) recorder: RecorderArg,
}

/// The longest time that --ahead can show.
const LONGEST: i64 = 31 * 86_400;

fn ahead(text: &str) -> Result<i64, String> {
    duration(text)
        .filter(|seconds| (60..=LONGEST).contains(seconds))
        .ok_or_else(|| "must be a duration from 1m to 31d, such as 24h or 7d".to_owned())
}

pub(super) const SPEC: VerbSpec = VerbSpec::query::<ReportArgs>("report", Group::Look);

impl Query for ReportArgs {
    type Found = FoundReport;
    type Answer<'a> = ReportAnswer<'a>;

    scope!(recorder);

    fn needs(&self) -> anyhow::Result<Needs> {
        let kinds = self.kinds.set(&self.selection.cron_jobs)?;
        let needs = Needs::pods(PodSelection::OfUnsettled);
        Ok(needs.with_kinds(kinds).with_runs())
    }

    fn begin(&self, _common: &Common) -> anyhow::Result<Option<CommandOutcome>> {
        if self.output.is_none() && std::io::stdout().is_terminal() {
            bail!(
                "the report is an HTML page: redirect it to a file, such as report.html, or use -o html to \
                 print it to the terminal"
            );
        }
        Ok(None)
    }

    /// They depend on the window.
    fn add_records(&self, _common: &Common, _world: &mut World) -> anyhow::Result<()> {
        Ok(())
    }

    fn find(&self, asked: Asked<'_>) -> anyhow::Result<FoundReport> {
        let source = source(self, &asked);
        let Asked {
            common,
            mut world,
            live,
        } = asked;
        if let Some(live) = &live {
            read_compared_runs(live, &mut world);
        }
        let mut scope = report_scope(self.ahead, self.since.as_ref(), &world)?;
        let controller = world.basis.controller.clone();
        check_past(&controller, &world, &scope)?;
        let selection = common.selection(&world, &self.selection, None);
        let mut deleted = Vec::new();
        if self.recorder.is_given() {
            let window = recorded_window(&scope, &controller);
            if selection.is_whole() {
                deleted = common.add_records_of_all(&mut world, &self.recorder, window.since)?;
            } else {
                common.add_records(&mut world, &self.recorder, window.since)?;
            }
            scope.recorded = Some(window);
        }
        let context = ReportContext {
            deleted,
            ..report_context(&world, selection, source)
        };
        let others = world.scheduled.iter().flat_map(LoadMember::of_object);
        let others = others.collect();
        let kubectl = world.basis.kubectl.clone();
        let all_evidence = world.into_evidence().map(Arc::new);
        Ok(FoundReport {
            context,
            report: Report::of(controller, kubectl, all_evidence, others, &scope),
        })
    }

    fn answer<'a>(&'a self, found: &'a ContextAnswers<FoundReport>) -> Option<ReportAnswer<'a>> {
        Some(ReportAnswer {
            shown: found.map(|_, one| ShownReport::new(&one.context, &one.report)),
            is_summary: self.summary,
        })
    }

    fn omits_void(&self) -> bool {
        !self.output.is_some_and(Format::is_document)
    }

    fn fails(&self, found: &FoundReport) -> bool {
        let worst = found.report.survey.summary.worst();
        let threshold = self.fail_on.map(Health::from);
        threshold.is_some_and(|threshold| worst >= threshold)
    }
}

/// The report of a context.
pub(super) struct FoundReport {
    context: ReportContext,
    report: Report,
}

/// Where the evidence is from.
fn source(args: &ReportArgs, asked: &Asked<'_>) -> EvidenceSource {
    let (common, world) = (asked.common, &asked.world);
    let server = asked.live.as_ref().map(|live| live.session.server());
    let files = args.selection.cron_jobs.filename.iter();
    EvidenceSource {
        cluster: server.map(|server| cluster_name(&common.connection, server)),
        server: server.map(str::to_owned),
        namespace: match server {
            Some(_) => common.selection(world, &args.selection, None).namespace,
            None => world.namespace.clone(),
        },
        files: files.map(|file| path_name(file).to_string()).collect(),
    }
}

/// The window of the reliability: that of the past runs, or the last 28 days.
fn recorded_window(scope: &ReportScope, controller: &Controller) -> HistoryWindow {
    const DAYS_BEFORE_TODAY: i64 = 27;
    let zone = controller.display.as_ref().unwrap_or(&controller.local);
    let now = scope.now.to_zoned(zone.time_zone().clone());
    let first = now.checked_sub(Span::new().days(DAYS_BEFORE_TODAY));
    let first = first.and_then(|first| first.start_of_day());
    let first = first.ok().map(|first| first.timestamp());
    HistoryWindow {
        since: scope.past.since.or(first),
        until: None,
    }
}

/// The most past runs that `--since` may request.
const MOST_PAST: u64 = 500_000;

/// Rejects a `--since` with more past runs than a browser can show.
fn check_past(controller: &Controller, world: &World, scope: &ReportScope) -> anyhow::Result<()> {
    let Some(since) = scope.past.since else {
        return Ok(());
    };
    let runs = world.cron_jobs.iter().filter_map(|one| {
        let cron_job = &one.evidence.cron_job;
        let schedule = read(controller, &Subject::from(cron_job)).ok()?;
        let timetable = schedule.in_zone(&controller.local);
        let begin = cron_job
            .creation_timestamp
            .map_or(since, |created| created.max(since));
        Some(timetable.count(begin, scope.now).ok()?.count)
    });
    if runs.fold(0, u64::saturating_add) > MOST_PAST {
        bail!(
            "more than 500,000 past runs since {since}, which is too many for a report: use a later \
             --since, or fewer CronJobs"
        );
    }
    Ok(())
}
