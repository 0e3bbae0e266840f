//! The message as a whole, as the server puts it together.

use super::answer::{Cause, Reason};
use super::at::At;
use super::decode::Findings;
use crate::schedule::go_quote;

/// Of a manifest that cannot be decoded.
pub(super) fn undecodable(top: &At<'_>, found: &Findings) -> String {
    let start = cannot_be_handled(top.field("apiVersion").text());
    if let Some(first) = found.wrong.first() {
        return format!("{start}: {}", first.message);
    }
    let (lines, fields): (Vec<&Cause>, Vec<&Cause>) = found
        .strict
        .iter()
        .partition(|cause| cause.message.starts_with("line "));
    let mut parts = Vec::new();
    if !lines.is_empty() {
        let lines = lines.iter().map(|cause| format!("\n  {}", cause.message));
        parts.push(format!(
            "yaml: unmarshal errors:{}",
            lines.collect::<String>()
        ));
    }
    parts.extend(fields.iter().map(|cause| cause.message.clone()));
    format!("{start}: strict decoding error: {}", parts.join(", "))
}

/// The beginning of what the server says of what it cannot take for a `CronJob`.
pub(super) fn cannot_be_handled(api_version: &str) -> String {
    let version = match api_version {
        "" => "v1",
        other => other.rsplit('/').next().unwrap_or(other),
    };
    format!(
        "CronJob in version {} cannot be handled as a CronJob",
        go_quote(version)
    )
}

/// Of a manifest that breaks rules. What is said twice is shown once.
pub(super) fn invalid(top: &At<'_>, causes: &[Cause]) -> String {
    let metadata = top.field("metadata");
    let name = metadata.field("name").text();
    let start = format!("CronJob.batch {} is invalid", go_quote(name));
    if let [
        Cause {
            reason: Reason::Internal,
            message,
            ..
        },
    ] = causes
    {
        return message.clone();
    }
    let mut shown: Vec<String> = Vec::new();
    for cause in causes {
        let text = format!("{}: {}", cause.field, cause.message);
        if !shown.contains(&text) {
            shown.push(text);
        }
    }
    match shown.as_slice() {
        [one] => format!("{start}: {one}"),
        many => format!("{start}: [{}]", many.join(", ")),
    }
}
