//! `report`: a page to look at.

use std::io::{self, IsTerminal as _};
use std::sync::Arc;

use anyhow::bail;

use super::args::{Common, Report as Args, ReportFormat as Format};
use super::load::{begun, later};
use super::version::tzdb;
use super::world::{controller_document, lacking, or_files, zone_of};
use super::{Outcome, print};
use crate::cluster::Pods;
use crate::controller::Controller;
use crate::evidence::{Basis, Needs, World};
use crate::history::Window;
use crate::load::Span;
use crate::model::Dossier;
use crate::output::report::{Circumstances, Sheet, Source, document, html};
use crate::output::{self, yaml};
use crate::report::{Report, Scope};
use crate::survey::Health;
use crate::upcoming::{Subject, read};

/// Starts are counted by the minute.
const BUCKET: i64 = 60;

pub(super) fn run(common: &Common, args: &Args) -> anyhow::Result<Outcome> {
    if args.output.is_none() && io::stdout().is_terminal() {
        bail!(
            "the report is a page for a browser: redirect it to a file, such as report.html; -o html \
             prints it here"
        );
    }
    let basis = common.basis(&args.what_if)?;
    let zone = args.display_time_zone.as_ref();
    let zone = zone_of("--display-time-zone", zone, &basis.zones)?;
    let (source, world) = load(common, args, basis)?;
    let scope = scope(args, &world)?;
    if world.is_void() && matches!(args.output, None | Some(Format::Html)) {
        return Ok(Outcome::Incomplete);
    }
    let (basis, complete) = (world.basis.clone(), world.complete);
    let controller = basis.controller();
    check_past(&controller, &world, &scope)?;
    let circumstances = Circumstances {
        now: basis.now,
        clock: basis.clock(),
        controller: controller_document(&basis),
        tzdb: tzdb(&basis.zones),
        source,
        lacks: lacking(&world.lacks),
        zone: zone.unwrap_or_else(|| Arc::clone(&controller.local)),
        kubectl: basis.kubectl.clone(),
    };
    let dossiers: Vec<Dossier> = world.into_dossiers().collect();
    let report = Report::of(&controller, &dossiers, &scope);
    let sheet = Sheet::new(&circumstances, &report);
    print(|out| match args.output {
        Some(Format::Json) => output::json(out, &document(&sheet)),
        Some(Format::Yaml) => yaml::write(out, &document(&sheet)),
        None | Some(Format::Html) => html(out, &sheet),
    })?;
    let threshold = args.fail_on.threshold().map(Health::from);
    let worst = report.survey.summary.worst();
    let fails = threshold.is_some_and(|threshold| worst >= threshold);
    Ok(Outcome::of(complete, fails))
}

/// What there is, and where it is from.
fn load(common: &Common, args: &Args, basis: Basis) -> anyhow::Result<(Source, World)> {
    let needs = Needs::pods(Pods::OfUnsettled);
    let selection = &args.selection;
    if selection.filename.is_empty() {
        let (live, world) = common
            .load_live(basis, selection, needs)
            .map_err(or_files)?;
        let source = Source {
            server: Some(live.session.server().to_owned()),
            namespace: world.namespace.clone(),
            files: Vec::new(),
        };
        return Ok((source, world));
    }
    let world = common.load(basis, selection, needs)?;
    let files = selection.filename.iter();
    let source = Source {
        server: None,
        namespace: world.namespace.clone(),
        files: files.map(|file| file.display().to_string()).collect(),
    };
    Ok((source, world))
}

fn scope(args: &Args, world: &World) -> anyhow::Result<Scope> {
    let now = world.basis.now;
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
    Ok(Scope {
        now,
        reach: world.reach,
        reach_of_history: world.reach_of_history(),
        ahead: Span::new(from, to, BUCKET)?,
        past: Window { since, until: None },
    })
}

/// The most past runs that a report shows where somebody asks for more than the usual ones.
const MOST_PAST: u64 = 500_000;

/// Counts the past runs that are asked for: a page with all of them must fit into a browser.
fn check_past(controller: &Controller<'_>, world: &World, scope: &Scope) -> anyhow::Result<()> {
    let Some(since) = scope.past.since else {
        return Ok(());
    };
    let runs = world.cron_jobs.iter().filter_map(|one| {
        let cron_job = &one.dossier.cron_job;
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
