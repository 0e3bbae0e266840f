//! An explanation as a document.

use jiff::Timestamp;
use serde::Serialize;

use super::{Explanation, Header, later};
use crate::controller::{Decision, EditEffect, LIMIT, RecordedEvent};
use crate::diagnose::PodState;
use crate::model::Pod;
use crate::output::API_VERSION;
use crate::output::finding::FindingDocument;
use crate::output::next_runs::ControllerDocument;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    api_version: &'static str,
    kind: &'static str,
    items: Vec<Item<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Item<'a> {
    namespace: &'a str,
    name: &'a str,
    now: Timestamp,
    controller: &'a ControllerDocument,
    verdict: &'a str,
    schedule: ScheduleDocument<'a>,
    decision: DecisionDocument<'a>,
    missed: Option<MissedDocument<'a>>,
    next_runs: Vec<RunDocument<'a>>,
    findings: Vec<FindingDocument<'a>>,
    pods: Vec<PodDocument<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    what_if: Option<WhatIfDocument<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    compared: Vec<ComparedDocument<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ScheduleDocument<'a> {
    expression: &'a str,
    time_zone: Option<&'a str>,
    description: Option<&'a str>,
    error: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DecisionDocument<'a> {
    outcome: &'static str,
    scheduled_time: Option<Timestamp>,
    job_name: Option<&'a str>,
    scheduled_timestamp: Option<&'a str>,
    deleted_jobs: &'a [String],
    events: Vec<EventDocument<'a>>,
    wakes_at: Option<Timestamp>,
    status_after: StatusDocument<'a>,
    error: Option<&'a str>,
    steps: Vec<StepDocument<'a>>,
}

#[derive(Serialize)]
struct EventDocument<'a> {
    r#type: &'static str,
    reason: &'static str,
    message: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StatusDocument<'a> {
    active: &'a [String],
    last_schedule_time: Option<Timestamp>,
    last_successful_time: Option<Timestamp>,
}

#[derive(Serialize)]
struct StepDocument<'a> {
    check: &'static str,
    verdict: &'static str,
    detail: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MissedDocument<'a> {
    since: Timestamp,
    until: Timestamp,
    count: u64,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    controller_estimate: Option<i64>,
    controller_class: &'static str,
    limit: i64,
    crosses_limit_at: Option<Timestamp>,
    causes: Vec<CauseDocument<'a>>,
}

#[derive(Serialize)]
struct CauseDocument<'a> {
    cause: &'static str,
    count: u64,
    first: Timestamp,
    last: Timestamp,
    evidence: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RunDocument<'a> {
    scheduled_time: Timestamp,
    local_time: String,
    notes: &'a [String],
}

#[derive(Serialize)]
struct PodDocument<'a> {
    name: &'a str,
    job: Option<&'a str>,
    phase: &'a str,
    reason: Option<&'a str>,
    message: Option<&'a str>,
}

#[derive(Serialize)]
struct WhatIfDocument<'a> {
    changes: &'a [String],
    verdict: &'a str,
    decision: DecisionDocument<'a>,
    effect: EffectDocument<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EffectDocument<'a> {
    looks_at: Option<Timestamp>,
    because: &'static str,
    old_wake: Option<Timestamp>,
    new_wake: Option<Timestamp>,
    events: Vec<EventDocument<'a>>,
    retroactive: bool,
    decision_then: Option<DecisionDocument<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ComparedDocument<'a> {
    kubernetes_version: String,
    decision: DecisionDocument<'a>,
}

/// The document for all explanations of a call.
pub fn document<'a>(header: &'a Header, items: &'a [Explanation<'a>]) -> impl Serialize + 'a {
    Document {
        api_version: API_VERSION,
        kind: "Explanations",
        items: items
            .iter()
            .map(|explanation| item(header, explanation))
            .collect(),
    }
}

fn item<'a>(header: &'a Header, explanation: &'a Explanation<'a>) -> Item<'a> {
    let facts = &explanation.facts;
    let spec = &facts.cron_job.spec;
    Item {
        namespace: &facts.cron_job.namespace,
        name: &facts.cron_job.name,
        now: header.now,
        controller: &header.controller,
        verdict: &explanation.verdict,
        schedule: ScheduleDocument {
            expression: &spec.schedule,
            time_zone: spec.time_zone.as_deref(),
            description: explanation.description.as_deref(),
            error: facts.schedule.as_ref().err().map(ToString::to_string),
        },
        decision: decision(&facts.decision, header.now),
        missed: missed(explanation),
        next_runs: explanation
            .next_runs
            .iter()
            .map(|run| RunDocument {
                scheduled_time: run.at,
                local_time: local(explanation, run.at),
                notes: &run.notes,
            })
            .collect(),
        findings: explanation
            .findings
            .iter()
            .map(FindingDocument::from)
            .collect(),
        pods: facts.pods.iter().map(pod).collect(),
        what_if: explanation.what_if.as_ref().map(|what_if| WhatIfDocument {
            changes: &what_if.changes,
            verdict: &what_if.verdict,
            decision: decision(&what_if.decision, header.now),
            effect: effect(&what_if.effect),
        }),
        compared: explanation
            .compared
            .iter()
            .map(|(version, compared)| ComparedDocument {
                kubernetes_version: version.to_string(),
                decision: decision(compared, header.now),
            })
            .collect(),
    }
}

fn pod(pod: &Pod) -> PodDocument<'_> {
    let state = PodState::of(pod);
    PodDocument {
        name: &pod.name,
        job: state.job,
        phase: &pod.phase,
        reason: state.reason,
        message: state.message,
    }
}

fn local(explanation: &Explanation<'_>, at: Timestamp) -> String {
    let facts = &explanation.facts;
    at.to_zoned(facts.zone().time_zone().clone())
        .strftime("%Y-%m-%dT%H:%M:%S%:z")
        .to_string()
}

fn effect(effect: &EditEffect) -> EffectDocument<'_> {
    EffectDocument {
        looks_at: effect.looks_at,
        because: effect.because,
        old_wake: effect.old_wake,
        new_wake: effect.new_wake,
        events: events(&effect.events),
        retroactive: effect.retroactive,
        decision_then: effect
            .decision_then
            .as_ref()
            .map(|then| decision(then, effect.looks_at.unwrap_or_default())),
    }
}

fn events(events: &[RecordedEvent]) -> Vec<EventDocument<'_>> {
    let document = |event| {
        let event: &RecordedEvent = event;
        EventDocument {
            r#type: event.kind(),
            reason: event.reason,
            message: &event.message,
        }
    };
    events.iter().map(document).collect()
}

fn decision(decision: &Decision, now: Timestamp) -> DecisionDocument<'_> {
    DecisionDocument {
        outcome: decision.outcome.as_str(),
        scheduled_time: decision.scheduled_time,
        job_name: decision.job_name.as_deref(),
        scheduled_timestamp: decision.scheduled_timestamp.as_deref(),
        deleted_jobs: &decision.deleted_jobs,
        events: events(&decision.events),
        wakes_at: decision.requeue_after.and_then(|after| later(now, after)),
        status_after: StatusDocument {
            active: &decision.status_after.active,
            last_schedule_time: decision.status_after.last_schedule_time,
            last_successful_time: decision.status_after.last_successful_time,
        },
        error: decision.error.as_deref(),
        steps: decision
            .steps
            .iter()
            .map(|step| StepDocument {
                check: step.check,
                verdict: step.verdict.as_str(),
                detail: &step.detail,
            })
            .collect(),
    }
}

fn missed<'a>(explanation: &'a Explanation<'a>) -> Option<MissedDocument<'a>> {
    let missed = explanation.facts.missed?;
    let belief = explanation.facts.decision.missed;
    Some(MissedDocument {
        since: missed.since,
        until: missed.until,
        count: missed.count,
        first: missed.first,
        last: missed.last,
        controller_estimate: belief.and_then(|belief| belief.estimate),
        controller_class: belief
            .map(|belief| belief.class)
            .unwrap_or_default()
            .as_str(),
        limit: LIMIT,
        crosses_limit_at: missed.crosses_limit_at,
        causes: explanation
            .causes
            .iter()
            .map(|cause| CauseDocument {
                cause: cause.cause.as_str(),
                count: cause.count,
                first: cause.first,
                last: cause.last,
                evidence: &cause.evidence,
            })
            .collect(),
    })
}
