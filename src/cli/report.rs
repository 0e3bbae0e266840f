//! `report`: a page to look at.

use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::sync::Arc;

use anyhow::{Context as _, bail};

use super::args::{Connection, Global, Report as Args, ReportFormat as Format};
use super::gather::{gather, gather_live, or_files};
use super::gathered::{Chosen, Gathered, Needs};
use super::load::{begun, later};
use super::settings::{Settings, zone_of_flag};
use super::version::tzdb;
use super::{Outcome, voice};
use crate::cluster::Pods;
use crate::controller::Controller;
use crate::history::Window;
use crate::load::Span;
use crate::model::CronJobEvidence;
use crate::output::report::{Circumstances, Sheet, Source, document, html};
use crate::output::{self, yaml};
use crate::report::{Report, Scope};
use crate::survey::Health;
use crate::upcoming::{Subject, read};

/// Starts are counted by the minute.
const BUCKET: i64 = 60;

pub(super) fn run(
    global: &Global,
    connection: &Connection,
    args: &Args,
) -> anyhow::Result<Outcome> {
    if args.output.is_none() && io::stdout().is_terminal() {
        bail!(
            "the report is a page for a browser: redirect it to a file, such as report.html; -o html \
             prints it here"
        );
    }
    let mut settings = Settings::new(global, connection, &args.what_if)?;
    let display_zone = args
        .display_time_zone
        .as_deref()
        .map(|name| zone_of_flag("--display-time-zone", name, &settings.zones))
        .transpose()?;
    let (source, found) = find(&mut settings, global, connection, args)?;
    let scope = scope(args, &settings, &found)?;
    if found.is_void() && matches!(args.output, None | Some(Format::Html)) {
        return Ok(Outcome::Incomplete);
    }
    let controller = settings.controller();
    check_past(&controller, &found.chosen, &scope)?;
    let made = Circumstances {
        now: settings.now,
        clock: settings.clock(),
        controller: settings.controller_document(),
        tzdb: tzdb(&settings.zones),
        source,
        lacks: found.lacks.clone(),
        zone: display_zone.unwrap_or_else(|| Arc::clone(&controller.local)),
        kubectl: settings.kubectl.clone(),
    };
    let all_evidence = found.chosen.into_iter().map(|chosen| chosen.evidence);
    let all_evidence: Vec<CronJobEvidence> = all_evidence.collect();
    let report = Report::of(&controller, &all_evidence, &scope);
    print(args, &Sheet::new(&made, &report)).context("cannot write the result")?;
    let threshold = args.fail_on.threshold().map(Health::from);
    let worst = report.survey.summary.worst();
    Ok(match (found.complete, threshold) {
        (false, _) => Outcome::Incomplete,
        (true, Some(threshold)) if worst >= threshold => Outcome::Found,
        (true, _) => Outcome::Fine,
    })
}

/// What there is, and where it is from.
fn find(
    settings: &mut Settings,
    global: &Global,
    connection: &Connection,
    args: &Args,
) -> anyhow::Result<(Source, Gathered)> {
    let needs = Needs {
        jobs: true,
        pods: Pods::OfUnsettled,
    };
    let selection = &args.selection;
    if selection.filename.is_empty() {
        let (live, found) =
            gather_live(settings, global, connection, selection, needs).map_err(or_files)?;
        let source = Source {
            server: Some(live.session.server().to_owned()),
            namespace: found.namespace.clone(),
            files: Vec::new(),
        };
        return Ok((source, found));
    }
    let files = selection.filename.iter();
    let source = Source {
        server: None,
        namespace: connection
            .namespace
            .clone()
            .filter(|_| !selection.all_namespaces),
        files: files.map(|file| file.display().to_string()).collect(),
    };
    let found = gather(settings, global, connection, selection, needs)?;
    Ok((source, found))
}

fn scope(args: &Args, settings: &Settings, found: &Gathered) -> anyhow::Result<Scope> {
    let now = settings.now;
    // The first full minute that is not over.
    let from = match begun(now, BUCKET)? {
        from if from < now => later("--ahead", from, BUCKET)?,
        from => from,
    };
    let to = later("--ahead", from, args.ahead)?;
    let since = args.since.map(|since| since.before(now)).transpose()?;
    if let Some(since) = since.filter(|since| *since > now) {
        bail!("--since {since} is later than now, {now}");
    }
    let mut reach_of_history = found.coverage;
    if args.what_if.now.is_some() {
        // Whoever says what the time was says when the evidence was collected.
        reach_of_history.as_of = now;
    }
    Ok(Scope {
        now,
        coverage: found.coverage,
        reach_of_history,
        ahead: Span::new(from, to, BUCKET)?,
        past: Window { since, until: None },
    })
}

/// The most past runs that a report shows where somebody asks for more than the usual ones.
const MOST_PAST: u64 = 500_000;

/// Counts the past runs that are asked for: a page with all of them must fit into a browser.
fn check_past(controller: &Controller<'_>, chosen: &[Chosen], scope: &Scope) -> anyhow::Result<()> {
    let Some(since) = scope.past.since else {
        return Ok(());
    };
    let runs = chosen.iter().filter_map(|one| {
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

fn print(args: &Args, sheet: &Sheet<'_>) -> io::Result<()> {
    let mut out = BufWriter::new(voice::stdout());
    match args.output {
        Some(Format::Json) => output::json(&mut out, &document(sheet))?,
        Some(Format::Yaml) => yaml::write(&mut out, &document(sheet))?,
        None | Some(Format::Html) => html(&mut out, sheet)?,
    }
    out.flush()
}
