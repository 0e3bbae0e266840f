//! `next-runs`: when CronJobs will run.

use std::io::{self, Write};

use anyhow::{Context as _, bail};
use jiff::Timestamp;

use super::args::{Connection, Global, NextRuns as Args, NextRunsFormat as Format};
use super::gather::gather;
use super::gathered::{Chosen, Needs};
use super::notice::Notice;
use super::problem::{LocatedSubject, explain_problem};
use super::settings::{Settings, zone_instead, zone_of_flag};
use super::{Outcome, complain, voice, warn};
use crate::diagnose::Facts;
use crate::forecast::Forecast;
use crate::output::next_runs::NextRuns;
use crate::output::{self, Envelope, yaml};
use crate::upcoming::{RunLimits, Subject, Upcoming, meaning, upcoming};
use crate::validation::validate_time_zone;

/// The most runs that are shown at once: all of them are kept until they are printed.
const MOST: usize = 1_000_000;

/// So many runs are shown where nothing limits them.
const DEFAULT_COUNT: usize = 5;

pub(super) fn run(
    global: &Global,
    connection: &Connection,
    args: &Args,
) -> anyhow::Result<Outcome> {
    if args.output == Some(Format::Name) && args.schedule.is_some() {
        bail!("-o name prints the names of CronJobs, and --schedule has none");
    }
    let mut settings = Settings::new(global, connection, &args.what_if)?;
    let display = args.display_time_zone.as_deref();
    let display_zone = display
        .map(|name| zone_of_flag("--display-time-zone", name, &settings.zones))
        .transpose()?;
    let (subjects, complete) = find(&mut settings, global, connection, args)?;
    let mut outcome = if complete {
        Outcome::Fine
    } else {
        Outcome::Incomplete
    };

    if let Some(until) = args.until
        && until < args.after.unwrap_or(settings.now)
    {
        let (beginning, after) = match args.after {
            Some(after) => ("--after", after),
            None => ("now", settings.now),
        };
        bail!("--until {until} is earlier than {beginning}, {after}");
    }
    let span = RunLimits {
        after: args.after.unwrap_or(settings.now),
        until: args.until,
        count: args.count.or(args.until.is_none().then_some(DEFAULT_COUNT)),
    };
    let controller = settings.controller();
    let mut items = Vec::new();
    let mut left = MOST;
    for (located, forecast) in subjects {
        let subject = &located.subject;
        if !global.quiet && warns_of_zone_prefix(subject, &settings) {
            warn(&zone_prefix_warning(subject));
        }
        let one_too_many = left + 1;
        let bounded = RunLimits {
            count: span
                .count
                .or(Some(one_too_many))
                .map(|count| count.min(one_too_many)),
            ..span
        };
        let mut item = upcoming(subject.clone(), bounded, &controller);
        let Some(rest) = left.checked_sub(item.runs.len()) else {
            bail!(
                "more than a million runs are too many at once: choose a smaller --count, \
                 an earlier --until, or fewer CronJobs"
            );
        };
        left = rest;
        if let Some(problem) = &item.error {
            complain(explain_problem(&located, problem));
            outcome = Outcome::Incomplete;
            if args.schedule.is_some() {
                return Ok(outcome);
            }
        } else {
            if let Some(forecast) = forecast.filter(|_| !subject.suspended) {
                annotate(&mut item, &forecast, settings.now, span);
            }
            if args.explain {
                item.meaning = meaning(subject, span.after, &controller).ok();
            }
        }
        if let Some(zone) = &display_zone {
            for run in &mut item.runs {
                run.local_time = run.scheduled_time.to_zoned(zone.time_zone().clone());
            }
        }
        items.push(item);
    }
    // Those that cannot be read come last.
    items.sort_by_key(|item| item.error.is_some());
    let runs = NextRuns {
        now: settings.now,
        controller: settings.controller_document(),
        items: &items,
        display_zone,
    };
    print(args, &settings, &runs).context("cannot write the result")?;
    Ok(outcome)
}

fn print(args: &Args, settings: &Settings, runs: &NextRuns<'_>) -> io::Result<()> {
    let mut out = io::BufWriter::new(voice::stdout());
    let out = &mut out;
    match args.output {
        Some(Format::Json) => output::json(out, &Envelope::from(runs))?,
        Some(Format::Yaml) => yaml::write(out, &Envelope::from(runs))?,
        Some(Format::Csv) => runs.csv(out, !args.no_headers)?,
        Some(Format::Ics) => runs.ics(out)?,
        Some(Format::Name) => runs.names(out)?,
        None | Some(Format::Wide) if args.explain => explain(out, settings, runs, args)?,
        None | Some(Format::Wide) if runs.items.is_empty() => {}
        format => runs.table(out, format == Some(Format::Wide), !args.no_headers)?,
    }
    out.flush()
}

/// Each CronJob by itself: what its schedule means, and then its runs.
fn explain(
    out: &mut dyn Write,
    settings: &Settings,
    runs: &NextRuns<'_>,
    args: &Args,
) -> io::Result<()> {
    let readable = runs.items.iter().filter(|item| item.error.is_none());
    for (index, item) in readable.enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        if let Some(meaning) = &item.meaning {
            let read_by = settings.read_by(&item.zone);
            output::meaning::text(out, &item.subject, &read_by, meaning)?;
            writeln!(out)?;
        }
        let alone = NextRuns {
            items: std::slice::from_ref(item),
            controller: runs.controller.clone(),
            display_zone: runs.display_zone.clone(),
            ..*runs
        };
        alone.table(out, args.output == Some(Format::Wide), !args.no_headers)?;
    }
    Ok(())
}

/// Says of each run what else is known of it: what blocks, delays or reschedules it.
fn annotate(item: &mut Upcoming, forecast: &Forecast, now: Timestamp, span: RunLimits) {
    let is_next = span.after == now;
    for (index, run) in item.runs.iter_mut().enumerate() {
        let pending = forecast.pending(now).filter(|_| index == 0 && is_next);
        run.notes.extend(pending);
        run.notes.extend(forecast.note(run.scheduled_time));
    }
}

/// A schedule, and what is to come of its CronJob.
type Found = (LocatedSubject, Option<Forecast>);

/// What is asked about, and whether that is all of it.
fn find(
    settings: &mut Settings,
    global: &Global,
    connection: &Connection,
    args: &Args,
) -> anyhow::Result<(Vec<Found>, bool)> {
    let Some(schedule) = &args.schedule else {
        // Files are often manifests alone; what they have of Jobs is read anyway.
        let needs = if args.selection.filename.is_empty() {
            Needs::JOBS
        } else {
            Needs::default()
        };
        let found = gather(settings, global, connection, &args.selection, needs)?;
        let controller = settings.controller();
        let forecast = |chosen: &Chosen| {
            let facts = Facts::of(&controller, &chosen.evidence, found.coverage, settings.now);
            let forecast = facts.forecast(DEFAULT_COUNT);
            (LocatedSubject::from(chosen), Some(forecast))
        };
        return Ok((found.chosen.iter().map(forecast).collect(), found.complete));
    };
    if let Some(name) = &args.time_zone {
        check_time_zone(name, settings)?;
    }
    let subject = Subject {
        schedule: schedule.clone(),
        time_zone: args.time_zone.clone(),
        ..Subject::default()
    };
    let alone = LocatedSubject {
        subject,
        places: None,
    };
    Ok((vec![(alone, None)], true))
}

/// `--time-zone` is what the API server would be given as `spec.timeZone`.
pub(super) fn check_time_zone(name: &str, settings: &Settings) -> anyhow::Result<()> {
    let errors = validate_time_zone(name, &*settings.zones);
    if errors.is_empty() {
        return Ok(());
    }
    let errors = errors.iter();
    let errors: Vec<String> = errors
        .map(|detail| format!("spec.timeZone: Invalid value: {name:?}: {detail}"))
        .collect();
    let notice = Notice::new(format!("--time-zone: {}", errors.join("; ")));
    Err(notice.help(&zone_instead(name)).into())
}

/// Objects from files are what somebody has; a schedule on the command line may become one.
fn warns_of_zone_prefix(subject: &Subject, settings: &Settings) -> bool {
    let prefixed = ["TZ=", "CRON_TZ="]
        .iter()
        .any(|prefix| subject.schedule.starts_with(prefix));
    prefixed && settings.controller().dialect().has_zone_prefix()
}

fn zone_prefix_warning(subject: &Subject) -> String {
    let who = subject
        .name
        .as_deref()
        .map_or_else(String::new, |name| format!("{name}: "));
    let mut warning = format!(
        "{who}TZ= in a schedule is refused for new CronJobs by Kubernetes 1.29 and later: \
         use spec.timeZone"
    );
    if subject.time_zone.is_some() {
        warning.push_str("; the controller ignores spec.timeZone beside it");
    }
    warning
}
