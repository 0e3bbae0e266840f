//! In which zone the controller manager runs, as far as past runs show it.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;

use cronjob_controller::controller::Controller;
use kube_cron::{BundledZones, Location, Schedule, Zone, Zones, load_location};
use kube_model::{CronJobEvidence, PastRun, SCHEDULED_TIME_ANNOTATION, past_runs};

const ENOUGH: usize = 3;
/// Older runs may come from an older schedule.
const NEWEST: usize = 5;

/// Many zones fit the same runs; these are preferred.
const WELL_KNOWN: [&str; 28] = [
    "Europe/London",
    "Europe/Berlin",
    "Europe/Athens",
    "Europe/Istanbul",
    "America/New_York",
    "America/Chicago",
    "America/Denver",
    "America/Los_Angeles",
    "America/Sao_Paulo",
    "America/Bogota",
    "America/Halifax",
    "America/Anchorage",
    "Africa/Lagos",
    "Africa/Johannesburg",
    "Africa/Nairobi",
    "Asia/Dubai",
    "Asia/Karachi",
    "Asia/Kolkata",
    "Asia/Dhaka",
    "Asia/Bangkok",
    "Asia/Shanghai",
    "Asia/Tokyo",
    "Australia/Perth",
    "Australia/Adelaide",
    "Australia/Sydney",
    "Pacific/Auckland",
    "Pacific/Honolulu",
    "Asia/Kathmandu",
];

/// A CronJob that follows the controller's clock, and when it ran.
struct ClockSample {
    schedule: Schedule,
    scheduled_times: Vec<Timestamp>,
}

impl ClockSample {
    fn fits(&self, zone: &Arc<Zone>) -> bool {
        let timetable = self.schedule.in_zone(zone);
        let mut times = self.scheduled_times.iter();
        times.all(|time| timetable.is_scheduled(*time))
    }

    fn contradicts(&self, zone: &Arc<Zone>) -> bool {
        let timetable = self.schedule.in_zone(zone);
        let mut times = self.scheduled_times.iter();
        !times.any(|time| timetable.is_scheduled(*time))
    }
}

/// The zone in which all runs make sense, if UTC is not one. A schedule that was changed after its
/// last runs would mislead, so it takes several runs, and none may speak for UTC.
pub(super) fn clock_zone<'a>(
    controller: &Controller,
    all_evidence: impl IntoIterator<Item = &'a CronJobEvidence>,
) -> Option<Arc<Zone>> {
    let samples: Vec<ClockSample> = all_evidence
        .into_iter()
        .filter_map(|evidence| sample(controller, evidence))
        .collect();
    let utc = Zone::utc();
    let against = samples.iter().filter(|sample| sample.contradicts(&utc));
    let runs: usize = against.map(|sample| sample.scheduled_times.len()).sum();
    if runs < ENOUGH {
        return None;
    }
    let load = |name, zones: &dyn Zones| match load_location(name, zones) {
        Ok(Location::Zone(zone)) => Some(zone),
        _ => None,
    };
    let fits = |zone: &Arc<Zone>| samples.iter().all(|sample| sample.fits(zone));
    let mut names = WELL_KNOWN.into_iter().chain(BundledZones::names());
    names.find_map(|name| {
        // The database of the controller would keep all that do not fit.
        load(name, &BundledZones).filter(fits)?;
        load(name, &*controller.zones).filter(fits)
    })
}

fn sample(controller: &Controller, evidence: &CronJobEvidence) -> Option<ClockSample> {
    let cron_job = &evidence.cron_job;
    let reads_field = controller.behavior().time_zone_field;
    // Its runs may be from before the time zone was removed.
    let applied = cron_job.last_applied.as_ref();
    let zone_before = applied.and_then(|applied| applied.time_zone.as_ref());
    if reads_field && cron_job.spec.time_zone.as_ref().or(zone_before).is_some() {
        return None;
    }
    let text = &cron_job.spec.schedule;
    let schedule = Schedule::parse(text, controller.dialect(), &*controller.zones).ok()?;
    if schedule.own_zone().is_some() || text.starts_with("@every") {
        return None;
    }
    let runs = past_runs(cron_job, &evidence.jobs);
    let controlled = runs.iter().filter(|run| run.controlled);
    let started = controlled.filter_map(|run| run.scheduled_time);
    let last = cron_job.status.last_schedule_time;
    let mut scheduled_times: BTreeSet<Timestamp> = started.chain(last).collect();
    for run in runs.iter().filter(|run| had_time_zone(run)) {
        scheduled_times.retain(|scheduled_time| Some(*scheduled_time) != run.scheduled_time);
    }
    let scheduled_times: Vec<Timestamp> = scheduled_times.into_iter().rev().take(NEWEST).collect();
    (!scheduled_times.is_empty()).then_some(ClockSample {
        schedule,
        scheduled_times,
    })
}

/// Whether `spec.timeZone` was set when the run started: without it the annotation is in UTC.
fn had_time_zone(run: &PastRun<'_>) -> bool {
    let scheduled = run.job.annotations.get(SCHEDULED_TIME_ANNOTATION);
    scheduled.is_some_and(|text| !text.ends_with('Z'))
}
