//! The names and times that the controller writes.

use super::behaviour::Generation;
use super::gotime::Moment;

/// The name of the Job for a slot: the slot in seconds, or in minutes since 1.21.
pub(super) fn job_name(cron_job: &str, slot: Moment, generation: Generation) -> String {
    let number = match generation {
        Generation::V1 => slot.second(),
        // Go divides towards zero.
        Generation::V2 => slot.second() / 60,
    };
    format!("{cron_job}-{number}")
}

/// Go's `time.RFC1123Z`, in UTC.
pub(super) fn rfc1123z(slot: Moment) -> String {
    slot.timestamp()
        .map(|slot| slot.strftime("%a, %d %b %Y %H:%M:%S +0000").to_string())
        .unwrap_or_default()
}
