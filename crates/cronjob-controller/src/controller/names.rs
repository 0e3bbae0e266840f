//! The names and times that the controller writes.

use jiff::Timestamp;
use kube_cron::{Location, Zone, load_location};

use super::Controller;
use super::behavior::Generation;
use super::gotime::GoTime;
use kube_model::CronJob;

/// What distinguishes the Job of a run from the Jobs of other runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunMarks {
    /// The name that the controller gives it.
    pub job_name: String,
    /// What `SCHEDULED_TIME_ANNOTATION` says, in the releases that write it.
    pub scheduled_timestamp: Option<String>,
}

/// The name and the annotation that a controller would give the Job of a scheduled time: whatever creates that
/// Job in its place must give it the same, or the scheduled time may run twice.
pub fn marks_of_run(
    controller: &Controller,
    cron_job: &CronJob,
    scheduled_time: Timestamp,
) -> RunMarks {
    let (behavior, scheduled_time) = (controller.behavior(), GoTime::of(scheduled_time));
    let annotation = behavior
        .annotates_scheduled_time
        .then(|| annotation(cron_job, controller, scheduled_time));
    RunMarks {
        job_name: job_name(&cron_job.name, scheduled_time, behavior.generation),
        scheduled_timestamp: annotation.flatten(),
    }
}

/// The name of the Job for a scheduled time: the scheduled time in seconds, or in minutes since 1.21.
pub(super) fn job_name(cron_job: &str, scheduled_time: GoTime, generation: Generation) -> String {
    let number = match generation {
        Generation::V1 | Generation::Tutorial => scheduled_time.second(),
        // Go divides towards zero.
        Generation::V2 => scheduled_time.second() / 60,
    };
    format!("{cron_job}-{number}")
}

/// The value of the annotation with the scheduled time: the time in `spec.timeZone`, or else in UTC, whatever zone the
/// controller is in.
pub(super) fn annotation(
    cron_job: &CronJob,
    controller: &Controller,
    scheduled_time: GoTime,
) -> Option<String> {
    let name = cron_job.spec.time_zone.as_deref().unwrap_or_default();
    let zone = match load_location(name, &*controller.zones).ok()? {
        Location::Zone(zone) => zone,
        Location::Local => controller.local.clone(),
    };
    rfc3339(scheduled_time, &zone)
}

/// A time in a zone as Go's `time.RFC3339`.
pub(super) fn rfc3339(scheduled_time: GoTime, zone: &Zone) -> Option<String> {
    let local = scheduled_time
        .timestamp()?
        .to_zoned(zone.time_zone().clone());
    let offset = if local.offset().is_zero() { "Z" } else { "%:z" };
    Some(
        local
            .strftime(&format!("%Y-%m-%dT%H:%M:%S{offset}"))
            .to_string(),
    )
}

/// A time in a zone as Go prints it without a format.
pub(super) fn plain(scheduled_time: GoTime, zone: &Zone) -> String {
    formatted(scheduled_time, zone, "%Y-%m-%d %H:%M:%S %z %Z")
}

/// Go's `time.RFC1123Z`, in UTC.
pub(super) fn rfc1123z(scheduled_time: GoTime) -> String {
    formatted(scheduled_time, &Zone::utc(), "%a, %d %b %Y %H:%M:%S %z")
}

fn formatted(scheduled_time: GoTime, zone: &Zone, format: &str) -> String {
    let shown = scheduled_time.timestamp().map(|scheduled_time| {
        let local = scheduled_time.to_zoned(zone.time_zone().clone());
        local.strftime(format).to_string()
    });
    shown.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_cron::{BundledZones, Zones as _};

    /// As Go prints them.
    #[test]
    fn times_are_written_as_by_go() {
        let time = GoTime::of("2026-03-10T09:00:05Z".parse().unwrap());
        let berlin = BundledZones.load("Europe/Berlin").unwrap();
        assert_eq!(rfc1123z(time), "Tue, 10 Mar 2026 09:00:05 +0000");
        assert_eq!(
            rfc3339(time, &Zone::utc()).as_deref(),
            Some("2026-03-10T09:00:05Z")
        );
        assert_eq!(
            rfc3339(time, &berlin).as_deref(),
            Some("2026-03-10T10:00:05+01:00")
        );
        assert_eq!(plain(time, &berlin), "2026-03-10 10:00:05 +0100 CET");
    }
}
