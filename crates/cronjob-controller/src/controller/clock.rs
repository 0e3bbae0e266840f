//! The schedule of a `CronJob`, as a release reads it, on the clocks that matter.

use kube_cron::{ParseError, Schedule, Timetable, Zone};

use super::Controller;
use super::behavior::Behavior;
use kube_model::CronJob;

/// A schedule on the controller's own clock, and on that of UTC.
pub(super) struct ScheduleClock {
    pub(super) timetable: Timetable,
    /// Where a scheduled time was computed by multiplication it forgot its zone, and what follows from it is
    /// computed in UTC.
    pub(super) in_utc: Timetable,
    /// What [`names_zone`] says: the text is searched once, however many syncs there are.
    pub(super) names_zone: bool,
}

impl ScheduleClock {
    pub(super) fn read(
        cron_job: &CronJob,
        behavior: Behavior,
        controller: &Controller,
    ) -> Result<Self, ParseError> {
        let spec = &cron_job.spec;
        let field = spec
            .time_zone
            .as_deref()
            .filter(|_| behavior.time_zone_field);
        let schedule =
            Schedule::parse_in(&spec.schedule, field, behavior.dialect, &*controller.zones)?;
        Ok(ScheduleClock {
            timetable: schedule.in_zone(&controller.local),
            in_utc: schedule.in_zone(&Zone::utc()),
            names_zone: names_zone(&spec.schedule),
        })
    }
}

/// Whether there is a `TZ` anywhere in the schedule: Kubernetes checks no more than that.
pub fn names_zone(schedule: &str) -> bool {
    schedule.contains("TZ")
}
