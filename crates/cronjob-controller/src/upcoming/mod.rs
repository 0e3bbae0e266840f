//! The upcoming runs of CronJobs, with notes.

mod meaning;
mod notes;

pub use meaning::{ScheduleMeaning, meaning};

use std::sync::Arc;

use cronjob_text::text::Text;
use jiff::{Timestamp, Zoned};
use kube_cron::{Endless, Never, ParseError, Schedule, Timetable, Zone, ZoneError, load_location};
use serde::{Serialize, Serializer};

use crate::controller::Controller;
use crate::kinds::{ScheduledKind, ScheduledObject};
use kube_model::CronJob;

/// A CronJob, or just a schedule.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Subject {
    /// The kind, such as `CronJob`; null for a schedule without an object.
    pub kind: Option<&'static str>,
    /// The kind of an object that is not a `CronJob`.
    #[serde(skip)]
    pub other_kind: Option<&'static ScheduledKind>,
    /// The namespace of the `CronJob`; null for a schedule without one.
    pub namespace: Option<String>,
    /// The name of the `CronJob`; null for a schedule without one.
    pub name: Option<String>,
    /// The schedule.
    pub schedule: String,
    /// The time zone.
    pub time_zone: Option<String>,
    /// Whether the `CronJob` is suspended, so that no run starts.
    pub suspended: bool,
    /// The last scheduled time or else the creation, from which `@every` counts.
    #[serde(skip)]
    pub anchor: Option<Timestamp>,
}

/// The kind of a subject that is a `CronJob`.
pub const CRON_JOB: &str = "CronJob";

impl Subject {
    /// The zone of a schedule without one. The controllers of other kinds usually run in UTC.
    pub fn local(&self, controller: &Controller) -> Arc<Zone> {
        match self.other_kind {
            Some(_) => Zone::utc(),
            None => Arc::clone(&controller.local),
        }
    }

    /// A subject for each schedule of an object.
    pub fn of_object(object: &ScheduledObject) -> impl Iterator<Item = Subject> + '_ {
        object.schedules.iter().map(|schedule| Subject {
            kind: Some(object.kind.name),
            other_kind: Some(object.kind),
            namespace: Some(object.namespace.clone()),
            name: Some(object.name.clone()),
            schedule: schedule.clone(),
            time_zone: object.time_zone.clone(),
            suspended: object.paused.is_some(),
            anchor: object.base.map(|(base, _)| base).or(object.created),
        })
    }
}

impl From<&CronJob> for Subject {
    fn from(cron_job: &CronJob) -> Self {
        let spec = &cron_job.spec;
        Subject {
            kind: Some(CRON_JOB),
            other_kind: None,
            namespace: Some(cron_job.namespace.clone()),
            name: Some(cron_job.name.clone()),
            schedule: spec.schedule.clone(),
            time_zone: spec.time_zone.clone(),
            suspended: spec.suspend.unwrap_or(false),
            anchor: cron_job.anchor(),
        }
    }
}

/// Which upcoming runs are listed.
#[derive(Clone, Copy, Debug)]
pub struct RunLimits {
    pub after: Timestamp,
    /// Runs up to and including this time.
    pub until: Option<Timestamp>,
    pub count: Option<usize>,
}

/// The upcoming runs of one `CronJob` or schedule.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "NextRunsOf")
)]
#[serde(rename_all = "camelCase")]
pub struct Upcoming {
    /// The `CronJob` or schedule.
    #[serde(flatten)]
    pub subject: Subject,
    /// The time zone of the schedule.
    #[serde(skip)]
    pub zone: Arc<Zone>,
    /// Only runs after this time are listed.
    pub from: Timestamp,
    /// The runs.
    pub runs: Vec<UpcomingRun>,
    /// Whether there are no further runs within the range of the controller's search.
    pub exhausted: bool,
    /// Why the schedule never runs; null if it does.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    #[serde(serialize_with = "as_text")]
    pub never: Option<Never>,
    /// The parse error, as the controller words it.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    #[serde(serialize_with = "as_text")]
    pub error: Option<ScheduleProblem>,
    /// The explanation of the schedule, with `--explain`; omitted without it.
    #[cfg_attr(feature = "schema", schemars(with = "Option<meaning::MeaningInWords>"))]
    #[serde(rename = "explanation", skip_serializing_if = "Option::is_none")]
    pub meaning: Option<ScheduleMeaning>,
}

/// An upcoming run.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "NextRun")
)]
#[serde(rename_all = "camelCase")]
pub struct UpcomingRun {
    /// When it is scheduled.
    pub scheduled_time: Timestamp,
    /// The scheduled time as local time.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    #[serde(serialize_with = "as_local_time")]
    pub local_time: Zoned,
    /// Notes about the run.
    pub notes: Vec<Text>,
}

/// A local time in RFC 3339.
pub fn with_offset(time: &Zoned) -> impl std::fmt::Display {
    time.strftime("%Y-%m-%dT%H:%M:%S%:z")
}

fn as_local_time<S: Serializer>(time: &Zoned, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&with_offset(time))
}

/// Serializes a reason as its text.
#[allow(clippy::ref_option, reason = "serde passes the field like this")]
pub fn as_text<S: Serializer>(
    reason: &Option<impl std::fmt::Display>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match reason {
        Some(reason) => serializer.collect_str(reason),
        None => serializer.serialize_none(),
    }
}

/// Why the runs of a schedule cannot be computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleProblem {
    /// The controller cannot parse the schedule.
    #[error(transparent)]
    Schedule(#[from] ParseError),
    /// The controller does not know the time zone.
    #[error("invalid timeZone: {name:?}: {error}")]
    TimeZone {
        /// `spec.timeZone`.
        name: String,
        error: ZoneError,
    },
    /// The search of the controller would never end.
    #[error(transparent)]
    Endless(#[from] Endless),
}

/// Reads the schedule of a subject, as its controller does.
pub fn read(controller: &Controller, subject: &Subject) -> Result<Schedule, ScheduleProblem> {
    let other = subject.other_kind;
    let field = subject.time_zone.as_deref();
    let time_zone = field.filter(|_| other.is_some() || controller.behavior().time_zone_field);
    if let Some(name) = time_zone {
        load_location(name, &*controller.zones).map_err(|error| ScheduleProblem::TimeZone {
            name: name.to_owned(),
            error,
        })?;
    }
    Ok(Schedule::parse_in(
        &subject.schedule,
        time_zone,
        other.map_or_else(|| controller.dialect(), |kind| kind.dialect),
        &*controller.zones,
    )?)
}

/// The schedule of a `CronJob` as a controller reads it, in the zone it runs in.
pub fn timetable(
    controller: &Controller,
    cron_job: &CronJob,
) -> Result<Timetable, ScheduleProblem> {
    Ok(read(controller, &Subject::from(cron_job))?.in_zone(&controller.local))
}

/// The time zone that the times of a `CronJob` are shown in.
pub fn display_zone(controller: &Controller, cron_job: &CronJob) -> Arc<Zone> {
    display_zone_of(controller, &Subject::from(cron_job))
}

fn display_zone_of(controller: &Controller, subject: &Subject) -> Arc<Zone> {
    if let Some(zone) = &controller.display {
        return Arc::clone(zone);
    }
    let local = subject.local(controller);
    let schedule = read(controller, subject).ok();
    let own = schedule.and_then(|schedule| schedule.in_zone(&local).zone().cloned());
    own.unwrap_or(local)
}

/// The time zone that the times of all subjects are shown in, if it is the same.
pub fn shared_display_zone<'a>(
    controller: &Controller,
    mut subjects: impl Iterator<Item = &'a Subject>,
) -> Option<Arc<Zone>> {
    let first = display_zone_of(controller, subjects.next()?);
    let is_same = |subject| display_zone_of(controller, subject).name() == first.name();
    subjects.all(is_same).then_some(first)
}

/// Computes the coming runs of a subject.
pub fn upcoming(subject: Subject, span: RunLimits, controller: &Controller) -> Upcoming {
    let zone = subject.local(controller);
    let mut upcoming = Upcoming {
        subject,
        zone,
        from: span.after,
        runs: Vec::new(),
        exhausted: false,
        never: None,
        error: None,
        meaning: None,
    };
    upcoming.error = upcoming.find(span, controller).err();
    upcoming
}

impl Upcoming {
    fn find(&mut self, span: RunLimits, controller: &Controller) -> Result<(), ScheduleProblem> {
        let timetable = read(controller, &self.subject)?.in_zone(&self.zone);
        let mut moments = Vec::new();
        let mut stands_still = false;
        let anchor = self.subject.anchor.unwrap_or(span.after);
        let mut last = timetable.search_start(anchor, span.after);
        loop {
            let next = match timetable.next(last) {
                Ok(Some(next)) => next,
                Ok(None) => {
                    self.exhausted = true;
                    break;
                }
                Err(endless) if moments.is_empty() => return Err(endless.into()),
                Err(Endless) => last,
            };
            if next <= last {
                (self.exhausted, stands_still) = (true, true);
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
        if self.exhausted && moments.is_empty() {
            self.never = timetable.why_never(span.after);
        }
        if let Some(zone) = timetable.zone() {
            self.zone = Arc::clone(zone);
        }
        self.runs = notes::annotate(&timetable, &self.zone, span.after, &moments);
        if let (true, Some(run)) = (stands_still, self.runs.last_mut()) {
            run.notes
                .push("the last run: the search does not get past it".into());
        }
        Ok(())
    }
}

/// All runs of several subjects in order of time; at one moment in the order of the subjects.
pub fn merged(items: &[Upcoming]) -> Vec<(&Upcoming, &UpcomingRun)> {
    let mut all: Vec<_> = items
        .iter()
        .flat_map(|item| item.runs.iter().map(move |run| (item, run)))
        .collect();
    all.sort_by_key(|(_, run)| run.scheduled_time);
    all
}

/// The next runs of a timetable, with what is unusual about them. Those of `@every` count from `anchor`, and nothing
/// is started up to it, also if it is in the future.
pub fn coming_runs(
    timetable: &Timetable,
    zone: &Zone,
    anchor: Option<Timestamp>,
    after: Timestamp,
    count: usize,
) -> Vec<UpcomingRun> {
    let anchor = anchor.unwrap_or(after);
    let moments: Vec<Timestamp> = timetable
        .after(timetable.search_start(anchor, after.max(anchor)))
        .take(count)
        .map_while(Result::ok)
        .collect();
    notes::annotate(timetable, zone, after, &moments)
}
