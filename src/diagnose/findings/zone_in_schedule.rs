//! TZ= in front of the schedule.

use super::super::commands::{add, one_line};
use super::super::{Facts, Found};
use crate::controller::ZonePrefix;
use crate::schedule::split_zone;
use serde_json::json;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let spec = &facts.cron_job.spec;
    if facts.schedule.is_err() || !spec.schedule.contains("TZ") {
        return None;
    }
    let release = facts.controller.release;
    let mut detail = match facts.behaviour().zone_prefix {
        ZonePrefix::Refused => format!(
            "The schedule is \"{}\". Kubernetes {release} still runs it, but refuses TZ for new \
             objects: this CronJob cannot be created again.",
            one_line(&spec.schedule)
        ),
        ZonePrefix::Accepted | ZonePrefix::NotParsed => format!(
            "The schedule is \"{}\". Kubernetes {release} takes that without supporting it, and \
             1.29 refuses it for new objects.",
            one_line(&spec.schedule)
        ),
    };
    if let Some(zone) = &spec.time_zone {
        add(
            &mut detail,
            format_args!(" spec.timeZone ({}) is ignored.", one_line(zone)),
        );
    }
    let found = Found::new(detail);
    let reads = facts.controller.model.reads_time_zone(release);
    Some(match split_zone(&spec.schedule).filter(|_| reads) {
        Some((zone, rest)) => {
            found.remedy(facts.patch(&json!({ "schedule": rest, "timeZone": zone })))
        }
        None => found,
    })
}
