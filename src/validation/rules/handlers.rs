//! Probes and hooks of containers.

use super::super::at::At;
use super::super::names;
use super::super::review::Review;
use super::ports;
use crate::schedule::go_quote;

const PROBE_HANDLERS: [&str; 4] = ["exec", "httpGet", "tcpSocket", "grpc"];
const HOOK_HANDLERS: [&str; 4] = ["exec", "httpGet", "tcpSocket", "sleep"];
const SCHEMES: [&str; 2] = ["HTTP", "HTTPS"];

/// The probes and hooks of a container that may have them. The grace period is how long its pod
/// may take to end.
pub(super) fn check(review: &mut Review, container: &At<'_>, grace_period: i64) {
    let lifecycle = container.field("lifecycle");
    for name in ["postStart", "preStop"] {
        let hook = lifecycle.field(name);
        if hook.exists() {
            handler(review, &hook, &HOOK_HANDLERS, grace_period);
        }
    }
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let at = container.field(name);
        if !at.exists() {
            continue;
        }
        probe(review, &at, grace_period);
        if name == "readinessProbe" {
            let grace = at.field("terminationGracePeriodSeconds");
            if let Some(value) = grace.int() {
                review.invalid(&grace, value, "must not be set for readinessProbes");
            }
        } else {
            let threshold = at.field("successThreshold");
            if let Some(value) = threshold.int().filter(|value| !matches!(value, 0 | 1)) {
                review.invalid(&threshold, value, "must be 1");
            }
        }
    }
}

fn probe(review: &mut Review, at: &At<'_>, grace_period: i64) {
    handler(review, at, &PROBE_HANDLERS, grace_period);
    for name in [
        "initialDelaySeconds",
        "timeoutSeconds",
        "periodSeconds",
        "successThreshold",
        "failureThreshold",
    ] {
        review.nonnegative(&at.field(name));
    }
    let grace = at.field("terminationGracePeriodSeconds");
    if let Some(value) = grace.int().filter(|value| *value <= 0) {
        review.invalid(&grace, value, "must be greater than 0");
    }
}

fn handler(review: &mut Review, at: &At<'_>, kinds: &[&str], grace_period: i64) {
    let mut found = false;
    for kind in kinds {
        let handler = at.field(kind);
        if !handler.exists() {
            continue;
        }
        if found {
            review.forbidden(&handler, "may not specify more than 1 handler type");
            continue;
        }
        found = true;
        match *kind {
            "exec" => {
                let command = handler.field("command");
                if command.is_empty() {
                    review.required(&command, "");
                }
            }
            "httpGet" => http_get(review, &handler),
            "sleep" => sleep(review, &handler, grace_period),
            _ => ports::number_or_name(review, &handler.field("port")),
        }
    }
    if !found {
        review.required(at, "must specify a handler type");
    }
}

fn http_get(review: &mut Review, at: &At<'_>) {
    ports::number_or_name(review, &at.field("port"));
    let scheme = at.field("scheme");
    if !scheme.text().is_empty() {
        review.one_of(&scheme, &SCHEMES);
    }
    let headers = at.field("httpHeaders");
    for header in headers.items() {
        let name = header.field("name");
        if let Some(detail) = names::header(name.text()) {
            let shown = go_quote(name.text());
            review.invalid_as(&headers.path(), name.place(), shown, &detail);
        }
    }
}

fn sleep(review: &mut Review, at: &At<'_>, grace_period: i64) {
    let seconds = at.field("seconds").int().unwrap_or_default();
    if !(0..=grace_period).contains(&seconds) {
        let detail = format!(
            "must be non-negative and less than terminationGracePeriodSeconds ({grace_period})"
        );
        review.invalid(at, seconds, &detail);
    }
}
