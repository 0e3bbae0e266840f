//! Decodes events, whose fields have different names in two APIs.

use super::super::error::FieldError;
use super::super::field::ApiObject;
use super::{DecodeFailure, meta};
use crate::model::{Event, EventSeries, ObjectReference};

/// The names that differ between the two APIs.
struct Names {
    involved_object: &'static str,
    message: &'static str,
    first_timestamp: &'static str,
    last_timestamp: &'static str,
    count: &'static str,
    source: &'static str,
    reporting: &'static str,
}

const CORE: Names = Names {
    involved_object: "involvedObject",
    message: "message",
    first_timestamp: "firstTimestamp",
    last_timestamp: "lastTimestamp",
    count: "count",
    source: "source",
    reporting: "reportingComponent",
};

const NEW: Names = Names {
    involved_object: "regarding",
    message: "note",
    first_timestamp: "deprecatedFirstTimestamp",
    last_timestamp: "deprecatedLastTimestamp",
    count: "deprecatedCount",
    source: "deprecatedSource",
    reporting: "reportingController",
};

/// An event of `v1`.
pub(super) fn read_core(object: &ApiObject<'_>, namespace: &str) -> Result<Event, DecodeFailure> {
    read(object, namespace, &CORE)
}

/// An event of `events.k8s.io`.
pub(super) fn read_new(object: &ApiObject<'_>, namespace: &str) -> Result<Event, DecodeFailure> {
    read(object, namespace, &NEW)
}

fn read(object: &ApiObject<'_>, namespace: &str, names: &Names) -> Result<Event, DecodeFailure> {
    let meta = meta::read(object, namespace)?;
    Ok(Event {
        namespace: meta.namespace,
        name: meta.name,
        r#type: object.string_or_empty("type")?,
        reason: object.string_or_empty("reason")?,
        message: object.string_or_empty(names.message)?,
        involved_object: object
            .object(names.involved_object, meta::object_reference)?
            .unwrap_or_else(ObjectReference::default),
        first_timestamp: object.time(names.first_timestamp)?,
        last_timestamp: object.time(names.last_timestamp)?,
        event_time: object.time("eventTime")?,
        count: object.int32(names.count)?,
        series: object.object("series", series)?,
        reporting_component: reporting(object, names)?,
    })
}

fn series(series: &ApiObject<'_>) -> Result<EventSeries, FieldError> {
    Ok(EventSeries {
        count: series.int32("count")?.unwrap_or_default(),
        last_observed_time: series.time("lastObservedTime")?,
    })
}

/// Older clients leave the reporting component empty and name themselves as the source only.
fn reporting(object: &ApiObject<'_>, names: &Names) -> Result<String, FieldError> {
    let reporting = object.string_or_empty(names.reporting)?;
    if !reporting.is_empty() {
        return Ok(reporting);
    }
    let source = object.object(names.source, |source| source.string_or_empty("component"))?;
    Ok(source.unwrap_or_default())
}
