//! The coming runs of CronJobs, and what is unusual about each of them.

mod meaning;
mod notes;

pub use meaning::{Meaning, meaning};

use std::sync::Arc;

use jiff::Timestamp;

use crate::controller::Controller;
use crate::model::CronJob;
use crate::schedule::{
    Endless, Never, ParseError, Schedule, Timetable, Zone, ZoneError, load_location,
};

/// What is asked about: a CronJob, or just a schedule.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    /// `None` where only a schedule is asked about.
    pub namespace: Option<String>,
    /// `None` where only a schedule is asked about.
    pub name: Option<String>,
    /// `spec.schedule`.
    pub schedule: String,
    /// `spec.timeZone`.
    pub time_zone: Option<String>,
    /// `spec.suspend`.
    pub suspended: bool,
}

impl From<&CronJob> for Subject {
    fn from(cron_job: &CronJob) -> Self {
        let spec = &cron_job.spec;
        Subject {
            namespace: Some(cron_job.namespace.clone()),
            name: Some(cron_job.name.clone()),
            schedule: spec.schedule.clone(),
            time_zone: spec.time_zone.clone(),
            suspended: spec.suspend.unwrap_or(false),
        }
    }
}

/// Which runs are asked for.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Runs later than this.
    pub after: Timestamp,
    /// Runs up to and including this moment.
    pub until: Option<Timestamp>,
    /// At most so many.
    pub count: Option<usize>,
}

/// The coming runs of one subject.
#[derive(Clone, Debug)]
pub struct Upcoming {
    /// What was asked about.
    pub subject: Subject,
    /// What its schedule means, where that was asked for.
    pub meaning: Option<Meaning>,
    /// The zone whose clock decides.
    pub zone: Arc<Zone>,
    /// The runs, in order.
    pub runs: Vec<Run>,
    /// Whether there is no run after these.
    pub exhausted: bool,
    /// Why there is not a single one.
    pub never: Option<Never>,
}

/// A coming run.
#[derive(Clone, Debug)]
pub struct Run {
    /// When.
    pub at: Timestamp,
    /// What is unusual about it.
    pub notes: Vec<String>,
}

/// Why nothing can be said of a subject's runs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The controller cannot read the schedule.
    #[error(transparent)]
    Schedule(#[from] ParseError),
    /// The controller does not know the time zone.
    #[error("invalid timeZone: {name:?}: {error}")]
    TimeZone {
        /// `spec.timeZone`.
        name: String,
        /// Why it is none.
        error: ZoneError,
    },
    /// The controller would search for ever.
    #[error(transparent)]
    Endless(#[from] Endless),
}

/// The schedule of a subject as a controller reads it.
pub fn read(controller: &Controller<'_>, subject: &Subject) -> Result<Schedule, Problem> {
    let field = subject.time_zone.as_deref();
    let time_zone = field.filter(|_| controller.model.reads_time_zone(controller.release));
    if let Some(name) = time_zone {
        load_location(name, controller.zones).map_err(|error| Problem::TimeZone {
            name: name.to_owned(),
            error,
        })?;
    }
    Ok(Schedule::parse_in(
        &subject.schedule,
        time_zone,
        controller.dialect(),
        controller.zones,
    )?)
}

/// Computes the coming runs of a subject.
pub fn upcoming(
    subject: Subject,
    span: Span,
    controller: &Controller<'_>,
) -> Result<Upcoming, Problem> {
    let timetable = read(controller, &subject)?.in_zone(&controller.local);
    let mut moments = Vec::new();
    let mut exhausted = false;
    let mut stands_still = false;
    let mut last = span.after;
    loop {
        let next = match timetable.next(last) {
            Ok(Some(next)) => next,
            Ok(None) => {
                exhausted = true;
                break;
            }
            Err(endless) if moments.is_empty() => return Err(endless.into()),
            Err(Endless) => last,
        };
        if next <= last {
            (exhausted, stands_still) = (true, true);
            break;
        }
        let too_late = span.until.is_some_and(|until| next > until);
        let enough = span.count.is_some_and(|count| moments.len() >= count);
        if too_late || enough {
            break;
        }
        moments.push(next);
        last = next;
    }
    let never = if exhausted && moments.is_empty() {
        timetable.why_never(span.after)
    } else {
        None
    };
    let mut runs = notes::annotate(&timetable, span.after, &moments);
    if let (true, Some(run)) = (stands_still, runs.last_mut()) {
        run.notes
            .push("the last one: the search does not get past it".to_owned());
    }
    let zone = timetable.zone().unwrap_or(&controller.local).clone();
    Ok(Upcoming {
        subject,
        meaning: None,
        zone,
        runs,
        exhausted,
        never,
    })
}

/// All runs of several subjects in order of time; at one moment in the order of the subjects.
pub fn merged(items: &[Upcoming]) -> Vec<(&Upcoming, &Run)> {
    let mut all: Vec<_> = items
        .iter()
        .flat_map(|item| item.runs.iter().map(move |run| (item, run)))
        .collect();
    all.sort_by_key(|(_, run)| run.at);
    all
}

/// The next runs of a timetable, with what is unusual about them.
pub fn coming_runs(timetable: &Timetable, after: Timestamp, count: usize) -> Vec<Run> {
    let moments: Vec<Timestamp> = timetable
        .after(after)
        .take(count)
        .map_while(Result::ok)
        .collect();
    notes::annotate(timetable, after, &moments)
}
