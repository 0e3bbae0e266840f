//! `next-runs`: when CronJobs will run.

use anyhow::bail;
use jiff::Timestamp;

use super::args::{
    BasisArgs, Common, CronJobArgs, FUTURE_TIME, Selection, Side, TimeArg, TimeReference,
    format_of, kubectl_help, resolve, whole,
};
use super::diagnostic::Diagnostic;
use super::diagnostic::{LocatedSubject, explain_problem};
use super::kinds::KindsArg;
use super::query::{Asked, Query, scope};
use super::verb::{Group, VerbSpec};
use super::world::{controller_document, is_schedule, world_of_schedule};
use super::{CommandOutcome, caution, complain};
use crate::evidence::{Basis, Needs, World};
use crate::output::Format;
use crate::output::contexts::ContextAnswers;
use crate::output::controller::release_origin;
use crate::output::next_runs::{NextRuns, NextRunsAnswer, end_of_calendar};
use cronjob_controller::controller::Model;
use cronjob_controller::forecast::Forecast;
use cronjob_controller::kinds::{DueStart, ScheduledObject};
use cronjob_controller::upcoming::{
    RunLimits, Subject, Upcoming, meaning, read, shared_display_zone, upcoming,
};
use cronjob_text::text::Text;
use kube_cron::Zone;

/// Show when CronJobs will run next
///
/// Computes the next runs as the cron library of the given Kubernetes version does, including its rule for
/// day-of-month and day-of-week, its five-year search limit, and daylight saving time changes.
#[derive(Debug, clap::Args)]
#[command(before_long_help = "\
Examples:
  # Show the next runs of a schedule in a time zone
  kubectl cronjob-doctor next-runs --schedule '30 2 * * *' \\
    --time-zone Europe/Berlin

  # Explain a schedule field by field
  kubectl cronjob-doctor next-runs --schedule '0 0 13 * 5' --explain

  # Show the next runs of all CronJobs in a cluster
  kubectl cronjob-doctor next-runs -A

  # Show a calendar of this week and the next four
  kubectl cronjob-doctor next-runs -A -o html > calendar.html")]
pub(super) struct NextRunsArgs {
    /// Use this schedule instead of CronJobs
    #[arg(long, value_name = "EXPR", conflicts_with_all = ["filename", "names"], allow_hyphen_values = true)]
    schedule: Option<String>,
    /// Time zone of --schedule, like spec.timeZone
    #[arg(long, value_name = "ZONE", aliases = ["tz", "timezone"])]
    time_zone: Option<String>,
    /// Explain the schedule field by field
    #[arg(long)]
    explain: bool,
    /// Show runs after this time (default: now)
    #[arg(long, value_name = "TIME", long_help = format!("\
Show runs after this time (default: now). {FUTURE_TIME}"))]
    after: Option<TimeArg>,
    /// Show runs until this time
    #[arg(long, value_name = "TIME", long_help = format!("\
Show runs until this time. {FUTURE_TIME}"))]
    until: Option<TimeArg>,
    /// Show at most N runs of each CronJob
    ///
    /// Show at most N runs of each CronJob (default: 5; with --until, all). -o html shows all runs of this week and
    /// the next four, or until --until.
    #[arg(long, value_name = "N", value_parser = whole::<usize>(1..=u64::MAX), allow_negative_numbers = true)]
    count: Option<usize>,
    /// One of: {values}
    ///
    /// Output format. One of: {values}
    #[arg(long, short, value_name = "FORMAT", value_parser = format_of::<NextRunsAnswer<'_>>())]
    output: Option<Format>,
    /// Don't print headers
    #[arg(long, long_help = kubectl_help::NO_HEADERS)]
    no_headers: bool,
    #[command(flatten)]
    pub(super) selection: Selection,
    #[command(flatten)]
    kinds: KindsArg,
    #[command(flatten)]
    basis: BasisArgs,
}

/// The most runs that are shown: all of them are kept in memory until they are printed.
const MOST: usize = 1_000_000;

const DEFAULT_COUNT: usize = 5;

impl NextRunsArgs {
    /// The schedule without a CronJob, if one is given: with its flag, or in place of a name.
    fn schedule(&self) -> anyhow::Result<Option<&str>> {
        let CronJobArgs {
            names, filename, ..
        } = &self.selection.cron_jobs;
        let named = match names.as_slice() {
            [name] if filename.is_empty() && is_schedule(name) => Some(name.as_str()),
            _ => None,
        };
        let schedule = self.schedule.as_deref().or(named);
        if schedule.is_none() && self.time_zone.is_some() {
            bail!(
                Diagnostic::new("--time-zone requires --schedule").help(
                    "A CronJob has spec.timeZone. Use --display-time-zone to show local times in another zone."
                )
            );
        }
        Ok(schedule)
    }
}

pub(super) const SPEC: VerbSpec = VerbSpec {
    alias: Some("next"),
    ..VerbSpec::query::<NextRunsArgs>("next-runs", Group::Plan)
};

impl Query for NextRunsArgs {
    type Found = UpcomingRuns;
    type Answer<'a> = NextRunsAnswer<'a>;

    scope!();

    fn needs(&self) -> anyhow::Result<Needs> {
        // Files often have manifests only, so missing Jobs are not reported.
        let needs = if self.selection.cron_jobs.filename.is_empty() {
            Needs::JOBS
        } else {
            Needs::default()
        };
        Ok(needs.with_kinds(self.kinds.set(&self.selection.cron_jobs)?))
    }

    fn begin(&self, _common: &Common) -> anyhow::Result<Option<CommandOutcome>> {
        if self.output == Some(Format::Name) && self.schedule()?.is_some() {
            bail!("-o name cannot be used with --schedule");
        }
        if self.output == Some(Format::Html) && self.count.is_some() {
            // A day without all of its runs would be wrong.
            bail!("-o html cannot be used with --count: it shows all runs up to --until");
        }
        Ok(None)
    }

    fn world(&self, common: &Common) -> anyhow::Result<Option<World>> {
        let zone = self.time_zone.as_ref();
        world_of_schedule(common, &self.basis, self.schedule()?, zone)
    }

    fn find(&self, asked: Asked<'_>) -> anyhow::Result<UpcomingRuns> {
        upcoming_runs(self, asked.world)
    }

    fn answer<'a>(&'a self, found: &'a ContextAnswers<UpcomingRuns>) -> Option<NextRunsAnswer<'a>> {
        let one = found.as_one();
        if one.is_some_and(|one| one.is_alone && !one.complete) {
            // The error was printed.
            return None;
        }
        let runs = found.map(|context, found| NextRuns {
            now: found.basis.now,
            context,
            controller: controller_document(&found.basis),
            items: &found.items,
            display_zone: found.basis.controller.display.clone(),
            reader: reader(&found.basis),
            limits: found.limits,
        });
        Some(NextRunsAnswer {
            runs,
            explains: self.explain,
            with_headings: !self.no_headers,
        })
    }

    fn is_complete(&self, found: &UpcomingRuns) -> bool {
        found.complete
    }

    fn one_context(&self) -> Vec<(&'static str, bool)> {
        vec![
            ("--schedule", self.schedule.is_some()),
            ("-o name", self.output == Some(Format::Name)),
        ]
    }
}

/// The upcoming runs of a World.
pub(super) struct UpcomingRuns {
    basis: Basis,
    items: Vec<Upcoming>,
    limits: RunLimits,
    complete: bool,
    /// Whether it is about a schedule of the command line.
    is_alone: bool,
}

fn upcoming_runs(args: &NextRunsArgs, mut world: World) -> anyhow::Result<UpcomingRuns> {
    let is_alone = args.schedule()?.is_some();
    let subjects = subjects(&mut world, is_alone);
    let (basis, mut complete) = (world.basis, world.complete);
    let display_zone = basis.controller.display.clone();
    let shown = shared_display_zone(
        &basis.controller,
        subjects.iter().map(|(located, ..)| &located.subject),
    );
    let reference = TimeReference::of(&basis, shown.as_deref());
    let after = resolve(args.after.as_ref(), "--after", Side::Future, reference)?;
    let until = resolve(args.until.as_ref(), "--until", Side::Future, reference)?;
    if let Some(until) = until
        && until < after.unwrap_or(basis.now)
    {
        let (beginning, after) = match after {
            Some(after) => ("--after", after),
            None => ("now", basis.now),
        };
        bail!("--until {until}: must not be before {beginning} ({after})");
    }
    let is_calendar = args.output == Some(Format::Html);
    let span = RunLimits {
        after: after.unwrap_or(basis.now),
        until,
        count: args
            .count
            .or((until.is_none() && !is_calendar).then_some(DEFAULT_COUNT)),
    };
    let controller = &basis.controller;
    let mut items = Vec::new();
    let mut left = MOST;
    for (located, forecast, pending) in subjects {
        let subject = &located.subject;
        if warns_of_zone_prefix(subject, &basis) {
            caution(&zone_prefix_warning(subject));
        }
        let one_too_many = left + 1;
        // Nothing is started up to the last scheduled time, also if that is in the future.
        let last = subject.anchor.filter(|_| args.after.is_none());
        let bounded = RunLimits {
            after: last.map_or(span.after, |last| last.max(span.after)),
            count: span
                .count
                .or(Some(one_too_many))
                .map(|count| count.min(one_too_many)),
            until: span.until.or_else(|| {
                let zone = shared_display_zone(controller, [subject].into_iter());
                zone.filter(|_| is_calendar)
                    .and_then(|zone| end_of_calendar(span.after, &zone))
            }),
        };
        let mut item = upcoming(subject.clone(), bounded, controller);
        let Some(rest) = left.checked_sub(item.runs.len()) else {
            bail!(
                "more than 1,000,000 runs, which is too many: use a smaller --count, an earlier --until, or \
                 fewer CronJobs"
            );
        };
        left = rest;
        if let Some(problem) = &item.error {
            complain(explain_problem(&located, problem));
            complete = false;
        } else {
            if let Some(forecast) = forecast.filter(|_| !subject.suspended) {
                annotate(&mut item, &forecast, basis.now, span);
            }
            if let Some(run) = item.runs.first_mut().filter(|_| !subject.suspended) {
                run.notes.extend(pending.map(Text::from));
            }
            if args.explain && subject.other_kind.is_none() {
                item.meaning = meaning(subject, span.after, controller).ok();
            }
        }
        if let Some(zone) = &display_zone {
            for run in &mut item.runs {
                run.local_time = run.scheduled_time.to_zoned(zone.time_zone().clone());
            }
        }
        items.push(item);
    }
    // CronJobs with errors come last.
    items.sort_by_key(|item| item.error.is_some());
    Ok(UpcomingRuns {
        basis,
        items,
        limits: span,
        complete,
        is_alone,
    })
}

/// What reads the schedules.
fn reader(basis: &Basis) -> String {
    let controller = &basis.controller;
    let reader = match controller.model {
        Model::Kubernetes => format!("Kubernetes {}", controller.release),
        Model::Kubebuilder => "Kubebuilder tutorial controller".to_owned(),
    };
    let origin = match controller.model {
        Model::Kubernetes => release_origin(controller.release, basis.release_source()),
        Model::Kubebuilder => None,
    };
    let origin = origin.map_or_else(String::new, |origin| format!(" ({origin})"));
    let library = controller.dialect().version();
    format!("{reader}{origin}, robfig/cron {library}")
}

/// Notes what blocks, delays or reschedules each run.
fn annotate(item: &mut Upcoming, forecast: &Forecast, now: Timestamp, span: RunLimits) {
    let is_next = span.after == now;
    for (index, run) in item.runs.iter_mut().enumerate() {
        let pending = forecast.pending(now).filter(|_| index == 0 && is_next);
        run.notes.extend(pending);
        run.notes.extend(forecast.note(run.scheduled_time));
    }
}

/// A subject with the forecast of a CronJob, or with what an object of another kind starts before its next run.
type FoundSubject = (LocatedSubject, Option<Forecast>, Option<String>);

/// The subjects of a World; `is_alone` is whether its only one is a schedule of the command line.
fn subjects(world: &mut World, is_alone: bool) -> Vec<FoundSubject> {
    // What is known of each is dropped when its forecast is made: both together take much memory.
    let cron_jobs = std::mem::take(&mut world.cron_jobs).into_iter();
    let subjects = cron_jobs.map(|one| {
        let forecast = (!is_alone).then(|| world.facts(&one.evidence).forecast(DEFAULT_COUNT));
        let located = LocatedSubject::of(&one, &one.evidence.cron_job, !is_alone);
        (located, forecast, None)
    });
    let others = world.scheduled.iter().flat_map(|object| {
        Subject::of_object(object).map(|subject| {
            let pending = pending(object, &subject, &world.basis);
            let places = None;
            (LocatedSubject { subject, places }, None, pending)
        })
    });
    subjects.chain(others).collect()
}

/// What the controller of an object of another kind starts now, if it is known.
fn pending(object: &ScheduledObject, subject: &Subject, basis: &Basis) -> Option<String> {
    let schedule = read(&basis.controller, subject).ok()?;
    // A manifest has no status.
    object.created?;
    match object.due(&schedule.in_zone(&Zone::utc()), basis.now)? {
        DueStart::Missed(missed) => Some(format!("the run scheduled at {missed} starts first")),
        DueStart::First => Some("the first start does not wait for it".to_owned()),
        DueStart::Waits(_) | DueStart::AgainAndAgain => None,
    }
}

/// Whether to warn about `TZ=`. A schedule on the command line may become a new CronJob.
fn warns_of_zone_prefix(subject: &Subject, basis: &Basis) -> bool {
    let prefixed = ["TZ=", "CRON_TZ="]
        .iter()
        .any(|prefix| subject.schedule.starts_with(prefix));
    prefixed && subject.other_kind.is_none() && basis.controller.dialect().has_zone_prefix()
}

fn zone_prefix_warning(subject: &Subject) -> String {
    let who = subject
        .name
        .as_deref()
        .map_or_else(String::new, |name| format!("{name}: "));
    let mut warning = format!(
        "{who}Kubernetes 1.29 and later reject TZ= in the schedule of new CronJobs: use \
         spec.timeZone"
    );
    if subject.time_zone.is_some() {
        warning.push_str("; the controller ignores spec.timeZone if TZ= is set");
    }
    warning
}
