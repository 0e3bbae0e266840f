//! `report`: an HTML report, or the same data as a document.

use std::io::{self, IsTerminal as _};
use std::sync::Arc;

use anyhow::bail;

use super::args::{BasisArgs, Common, FailOn, Selection, Since, duration};
use super::load::{begun, later};
use super::top::cluster_name;
use super::version::tzdb;
use super::world::{controller_document, or_files, zone_of};
use super::{Outcome, print};
use crate::cluster::Pods;
use crate::controller::Controller;
use crate::evidence::{Basis, Needs, World};
use crate::history::HistoryWindow;
use crate::load::LoadWindow;
use crate::model::CronJobEvidence;
use crate::output::report::{EvidenceSource, ReportContext, ShownReport, document, html};
use crate::output::{self, yaml};
use crate::report::{Report, ReportScope};
use crate::survey::Health;
use crate::upcoming::{Subject, read};
use clap::ValueEnum;

/// Write a page to look at: health, explanations, coming runs, history
#[derive(Debug, clap::Args)]
#[command(after_help = "\
One HTML page that stands by itself: it needs no network, works from a file, on paper and on a phone. It has \
the health of all CronJobs, what was found and what to do about it, the explanation of each, the coming \
starts, what starts together, and what became of past runs.

Examples:
  # The whole cluster
  kubectl cronjob-doctor report -A > report.html

  # A snapshot, at the moment at which it was made
  kubectl cronjob-doctor report -f snapshot.yaml --now 2026-11-21T02:13:08Z > report.html

  # The coming week of a namespace
  kubectl cronjob-doctor report -n shop --ahead 7d > report.html

  # The same as data
  kubectl cronjob-doctor report -A -o json > report.json")]
pub(super) struct ReportArgs {
    #[command(flatten)]
    selection: Selection,
    /// Output format: html, json or yaml (default: html)
    #[arg(
        long,
        short,
        value_enum,
        value_name = "FORMAT",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    output: Option<ReportFormat>,
    /// Show the starts of so long from now on: 24h, 7d; 31d at most
    #[arg(long, value_name = "DURATION", default_value = "24h", value_parser = ahead, help_heading = "Which runs")]
    ahead: i64,
    /// Show the history from then on: a duration such as 24h or 7d, or a time in RFC 3339 (default: as
    /// far as the Jobs of each CronJob reach, and no more than 100 slots)
    #[arg(long, value_name = "DURATION|TIME", help_heading = "Which runs")]
    since: Option<Since>,
    /// Exit with 1 if there is a finding of this severity or worse: info, warning, error or never
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = FailOn::Never, hide_possible_values = true, help_heading = "Output")]
    fail_on: FailOn,
    /// Show the days and hours of this zone (default: that of the controller)
    #[arg(long, value_name = "ZONE", help_heading = "Output")]
    display_time_zone: Option<String>,
    #[command(flatten)]
    basis: BasisArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ReportFormat {
    Html,
    Json,
    Yaml,
}

/// A month of minutes is what a page can show.
const LONGEST: i64 = 31 * 86_400;

fn ahead(text: &str) -> Result<i64, String> {
    duration(text)
        .filter(|seconds| (60..=LONGEST).contains(seconds))
        .ok_or_else(|| "expected a duration from 1m to 31d, such as 24h or 7d".to_owned())
}

/// Starts are counted by the minute.
const BUCKET: i64 = 60;

pub(super) fn run(common: &Common, args: &ReportArgs) -> anyhow::Result<Outcome> {
    if args.output.is_none() && io::stdout().is_terminal() {
        bail!(
            "the report is a page for a browser: redirect it to a file, such as report.html; -o html \
             prints it here"
        );
    }
    let basis = common.basis(&args.basis)?;
    let zone = args.display_time_zone.as_ref();
    let zone = zone_of("--display-time-zone", zone, &basis.zones)?;
    let (cluster, source, world) = load(common, args, basis)?;
    let scope = scope(args, &world)?;
    if world.is_void() && matches!(args.output, None | Some(ReportFormat::Html)) {
        return Ok(Outcome::Incomplete);
    }
    let (basis, complete) = (world.basis.clone(), world.complete);
    let controller = basis.controller();
    check_past(&controller, &world, &scope)?;
    let context = ReportContext {
        now: basis.now,
        clock: basis.clock(),
        controller: controller_document(&basis),
        tzdb: tzdb(&basis.zones),
        cluster,
        source,
        lacks: world.lacks.clone(),
        zone: zone.unwrap_or_else(|| Arc::clone(&controller.local)),
        kubectl: basis.kubectl.clone(),
    };
    let all_evidence: Vec<CronJobEvidence> = world.into_dossiers().collect();
    let report = Report::of(&controller, &all_evidence, &scope);
    let shown = ShownReport::new(&context, &report);
    print(|out| match args.output {
        Some(ReportFormat::Json) => output::json(out, &document(&shown)),
        Some(ReportFormat::Yaml) => yaml::write(out, &document(&shown)),
        None | Some(ReportFormat::Html) => html(out, &shown),
    })?;
    let threshold = args.fail_on.threshold().map(Health::from);
    let worst = report.survey.summary.worst();
    let fails = threshold.is_some_and(|threshold| worst >= threshold);
    Ok(Outcome::of(complete, fails))
}

/// The name of the cluster, where the evidence is from, and the evidence.
fn load(
    common: &Common,
    args: &ReportArgs,
    basis: Basis,
) -> anyhow::Result<(Option<String>, EvidenceSource, World)> {
    let needs = Needs::pods(Pods::OfUnsettled);
    let selection = &args.selection;
    if selection.filename.is_empty() {
        let (live, world) = common
            .load_live(basis, selection, needs)
            .map_err(or_files)?;
        let server = live.session.server();
        let cluster = cluster_name(&common.connection, server);
        let source = EvidenceSource {
            server: Some(server.to_owned()),
            namespace: world.namespace.clone(),
            files: Vec::new(),
        };
        return Ok((Some(cluster), source, world));
    }
    let world = common.load(basis, selection, needs)?;
    let files = selection.filename.iter();
    let source = EvidenceSource {
        server: None,
        namespace: world.namespace.clone(),
        files: files.map(|file| file.display().to_string()).collect(),
    };
    Ok((None, source, world))
}

fn scope(args: &ReportArgs, world: &World) -> anyhow::Result<ReportScope> {
    let now = world.basis.now;
    // The next full minute.
    let from = match begun(now, BUCKET)? {
        from if from < now => later("--ahead", from, BUCKET)?,
        from => from,
    };
    let to = later("--ahead", from, args.ahead)?;
    let since = args.since.map(|since| since.before(now)).transpose()?;
    if let Some(since) = since.filter(|since| *since > now) {
        bail!("--since {since} is later than now, {now}");
    }
    Ok(ReportScope {
        now,
        coverage: world.coverage,
        history_coverage: world.reach_of_history(),
        ahead: LoadWindow::new(from, to, BUCKET)?,
        past: HistoryWindow { since, until: None },
    })
}

/// The most past runs that `--since` may request.
const MOST_PAST: u64 = 500_000;

/// Rejects a `--since` with more past runs than a browser can show.
fn check_past(
    controller: &Controller<'_>,
    world: &World,
    scope: &ReportScope,
) -> anyhow::Result<()> {
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
            "since {since} there are more than half a million past runs, which are too many for one \
             report: choose a later --since, or fewer CronJobs"
        );
    }
    Ok(())
}
