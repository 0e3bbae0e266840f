//! The schedule of a `CronJob`, as a release reads it, on the clocks that matter.

use super::Controller;
use super::behaviour::Behaviour;
use super::gotime::Moment;
use super::names;
use crate::model::CronJob;
use crate::schedule::{Location, ParseError, Schedule, Timetable, Zone, load_location};

/// A schedule on the controller's own clock, and on that of UTC.
pub(super) struct Clock {
    pub(super) timetable: Timetable,
    /// Where a slot was computed by multiplication it forgot its zone, and what follows from it is
    /// reckoned in UTC.
    pub(super) in_utc: Timetable,
}

impl Clock {
    pub(super) fn read(
        cron_job: &CronJob,
        behaviour: Behaviour,
        controller: &Controller<'_>,
    ) -> Result<Self, ParseError> {
        let spec = &cron_job.spec;
        let field = spec
            .time_zone
            .as_deref()
            .filter(|_| behaviour.time_zone_field);
        let schedule =
            Schedule::parse_in(&spec.schedule, field, behaviour.dialect, controller.zones)?;
        Ok(Clock {
            timetable: schedule.in_zone(&controller.local),
            in_utc: schedule.in_zone(&Zone::utc()),
        })
    }

    /// What a Job is told about its slot: the time in `spec.timeZone`, or else in UTC, whatever
    /// zone the controller is in.
    pub(super) fn annotation(
        cron_job: &CronJob,
        controller: &Controller<'_>,
        slot: Moment,
    ) -> Option<String> {
        let name = cron_job.spec.time_zone.as_deref().unwrap_or_default();
        let zone = match load_location(name, controller.zones).ok()? {
            Location::Zone(zone) => zone,
            Location::Local => controller.local.clone(),
        };
        names::rfc3339(slot, &zone)
    }
}
