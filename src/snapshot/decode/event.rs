//! Decodes events, whose fields have different names in two APIs.

use super::super::error::FieldError;
use super::super::field::ApiObject;
use super::meta;
use crate::model::{Event, EventSeries, ObjectReference};

/// Reads an event of `v1`, or of `events.k8s.io`, which has other names for some fields.
pub(super) fn read(
    object: &ApiObject<'_>,
    namespace: &str,
    is_core: bool,
) -> Result<Event, FieldError> {
    let meta = meta::read(object, namespace)?;
    let named = |core, other| if is_core { core } else { other };
    let mut reporting_component =
        object.string_or_empty(named("reportingComponent", "reportingController"))?;
    if reporting_component.is_empty() {
        // Older clients name themselves as the source only.
        let source = named("source", "deprecatedSource");
        let component = object.object(source, |source| source.string_or_empty("component"))?;
        reporting_component = component.unwrap_or_default();
    }
    Ok(Event {
        namespace: meta.namespace,
        name: meta.name,
        r#type: object.string_or_empty("type")?,
        reason: object.string_or_empty("reason")?,
        message: object.string_or_empty(named("message", "note"))?,
        involved_object: object
            .object(named("involvedObject", "regarding"), meta::object_reference)?
            .unwrap_or_else(ObjectReference::default),
        first_timestamp: object.time(named("firstTimestamp", "deprecatedFirstTimestamp"))?,
        last_timestamp: object.time(named("lastTimestamp", "deprecatedLastTimestamp"))?,
        event_time: object.time("eventTime")?,
        count: object.int32(named("count", "deprecatedCount"))?,
        series: object.object("series", series)?,
        reporting_component,
    })
}

fn series(series: &ApiObject<'_>) -> Result<EventSeries, FieldError> {
    Ok(EventSeries {
        count: series.int32("count")?.unwrap_or_default(),
        last_observed_time: series.time("lastObservedTime")?,
    })
}
