//! An explanation as a document.

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Explanation, Header, later};
use crate::controller::{Class, Decision, EditEffect, LIMIT, Outcome, Verdict};
use crate::diagnose::{Cause, PodState};
use crate::forecast::{Condition, ConditionKind, Sync};
use crate::model::Pod;
use crate::output::controller::ControllerDocument;
use crate::output::envelope::{Body, Envelope};
use crate::output::event::EventDocument;
use crate::output::finding::FindingDocument;
use crate::output::scan::Lacking;
use crate::output::words::{ForecastOutcome, Word};

/// What the controller will do with each `CronJob`, and why: `explain -o json`.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Explanations")]
#[serde(rename_all = "camelCase")]
pub struct Document<'a> {
    /// What could not be read; what depends on it is conditional or unknown.
    lacks: &'a [Lacking],
    /// An explanation for each `CronJob`.
    items: Vec<Item<'a>>,
}

impl Body for Document<'_> {
    const KIND: &'static str = "Explanations";
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Explanation")]
#[serde(rename_all = "camelCase")]
struct Item<'a> {
    /// The namespace of the `CronJob`.
    namespace: &'a str,
    /// Its name.
    name: &'a str,
    /// Whether it is in a cluster; a manifest that never was counts as created now.
    in_cluster: bool,
    /// The moment that is taken for now.
    now: Timestamp,
    /// The controller that is modelled.
    controller: &'a ControllerDocument,
    /// What is the case, in a sentence.
    verdict: &'a str,
    /// The schedule, and what it means.
    schedule: ScheduleDocument<'a>,
    /// What the controller would do if it looked now.
    decision: DecisionDocument<'a>,
    /// What will happen from now on if nobody does anything: the coming syncs that do something, in
    /// order, up to the fifth run or 24 hours.
    forecast: Vec<SyncDocument<'a>>,
    /// The missed slots; null where the schedule cannot be read.
    missed: Option<MissedDocument<'a>>,
    /// The next slots.
    next_runs: Vec<RunDocument<'a>>,
    /// What is wrong or risky.
    findings: Vec<FindingDocument<'a>>,
    /// The pods of its Jobs, where they were read.
    pods: Vec<PodDocument<'a>>,
    /// What would be the case after the changes of `--what-if`; left out without them.
    #[serde(skip_serializing_if = "Option::is_none")]
    what_if: Option<WhatIfDocument<'a>>,
    /// What other releases would do, with `--compare`; left out without it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    compared: Vec<ComparedDocument<'a>>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "ExplainedSchedule")]
#[serde(rename_all = "camelCase")]
struct ScheduleDocument<'a> {
    /// As it stands in `spec.schedule`.
    expression: &'a str,
    /// As it stands in `spec.timeZone`.
    time_zone: Option<&'a str>,
    /// What it means, in words.
    description: Option<&'a str>,
    /// Why the controller cannot read it, in upstream's own words.
    error: Option<String>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Decision")]
#[serde(rename_all = "camelCase")]
struct DecisionDocument<'a> {
    /// What the controller does.
    outcome: Word<Outcome>,
    /// The slot that is started, or would be but for what `outcome` says.
    scheduled_time: Option<Timestamp>,
    /// The name of the Job for that slot.
    job_name: Option<&'a str>,
    /// The Job's annotation `batch.kubernetes.io/cronjob-scheduled-timestamp`, from those releases
    /// that write it.
    scheduled_timestamp: Option<&'a str>,
    /// The running Jobs that it deletes first.
    deleted_jobs: &'a [String],
    /// The events that it records, in order.
    events: Vec<EventDocument<'a>>,
    /// When it looks again by itself. Null: never, until something changes. In some releases it
    /// lies before now.
    wakes_at: Option<Timestamp>,
    /// The status of the `CronJob` afterwards.
    status_after: StatusDocument<'a>,
    /// The error that the look ends with.
    error: Option<&'a str>,
    /// What it checks, in order.
    steps: Vec<StepDocument<'a>>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Sync")]
#[serde(rename_all = "camelCase")]
struct SyncDocument<'a> {
    /// When the controller will sync the `CronJob`; null where that is not known.
    at: Option<Timestamp>,
    /// What it does then: an outcome of a decision, or `retry` where an attempt that failed before is
    /// made again.
    outcome: Word<ForecastOutcome>,
    /// The scheduled time that it is about.
    scheduled_time: Option<Timestamp>,
    /// The name of the Job for that time.
    job_name: Option<&'a str>,
    /// What has to hold for it, in a sentence; null for a fact.
    condition: Option<String>,
    /// The kind of condition; null for a fact.
    condition_kind: Option<Word<ConditionKind>>,
    /// The Job that the condition is about.
    condition_job: Option<&'a str>,
    /// By when that Job has to finish.
    condition_until: Option<Timestamp>,
    /// Whether that is likely, going by how long earlier runs took; null where nothing tells.
    likely: Option<bool>,
    /// Why it comes when it comes, in a sentence; null where it is simply the schedule.
    because: Option<String>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Status")]
#[serde(rename_all = "camelCase")]
struct StatusDocument<'a> {
    /// The names of the Jobs that count as running.
    active: &'a [String],
    /// `status.lastScheduleTime`
    last_schedule_time: Option<Timestamp>,
    /// `status.lastSuccessfulTime`
    last_successful_time: Option<Timestamp>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Step")]
struct StepDocument<'a> {
    /// What is checked.
    check: &'static str,
    /// Whether the controller goes on.
    verdict: Word<Verdict>,
    /// What was found.
    detail: &'a str,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Missed")]
#[serde(rename_all = "camelCase")]
struct MissedDocument<'a> {
    /// Slots after this moment count.
    since: Timestamp,
    /// Slots up to this moment count.
    until: Timestamp,
    /// How many there are, exactly.
    count: u64,
    /// The first of them.
    first: Option<Timestamp>,
    /// The last of them.
    last: Option<Timestamp>,
    /// How many this release reckons; null where it computes no number.
    controller_estimate: Option<i64>,
    /// What this release takes them for.
    controller_class: Word<Class>,
    /// More than so many are too many.
    limit: i64,
    /// When there will be more than that if nothing starts.
    crosses_limit_at: Option<Timestamp>,
    /// Why they were missed.
    causes: Vec<CauseDocument<'a>>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "MissedFor")]
struct CauseDocument<'a> {
    /// Why.
    cause: Word<Cause>,
    /// How many slots.
    count: u64,
    /// The first of them.
    first: Timestamp,
    /// The last of them.
    last: Timestamp,
    /// What shows it.
    evidence: &'a str,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "NextSlot")]
#[serde(rename_all = "camelCase")]
struct RunDocument<'a> {
    /// The slot.
    scheduled_time: Timestamp,
    /// The same in the time zone of the schedule.
    local_time: String,
    /// What is special about it.
    notes: &'a [String],
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Pod")]
struct PodDocument<'a> {
    /// Its name.
    name: &'a str,
    /// The Job that it belongs to.
    job: Option<&'a str>,
    /// As the cluster calls it.
    phase: &'a str,
    /// Why it is as it is, in one word; null where all is well.
    reason: Option<&'a str>,
    /// The same in a sentence.
    message: Option<&'a str>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "WhatIf")]
struct WhatIfDocument<'a> {
    /// The changes, as they were given.
    changes: &'a [String],
    /// What would be the case, in a sentence.
    verdict: &'a str,
    /// What the controller would do if it looked right after the change.
    decision: DecisionDocument<'a>,
    /// What the change itself sets off.
    effect: EffectDocument<'a>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "EditEffect")]
#[serde(rename_all = "camelCase")]
struct EffectDocument<'a> {
    /// When the controller looks first after the change, by itself; null: never.
    looks_at: Option<Timestamp>,
    /// Why then.
    because: &'static str,
    /// The wake-up that its queue holds from before the change.
    old_wake: Option<Timestamp>,
    /// The wake-up that the change adds to the queue. It can lie in the past.
    new_wake: Option<Timestamp>,
    /// The events that the change itself sets off.
    events: Vec<EventDocument<'a>>,
    /// Whether it then starts a slot that was over when the change was made.
    retroactive: bool,
    /// What it does when it looks first, if the Jobs are still as they are now.
    decision_then: Option<DecisionDocument<'a>>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Compared")]
#[serde(rename_all = "camelCase")]
struct ComparedDocument<'a> {
    /// The release.
    kubernetes_version: String,
    /// What its controller would do.
    decision: DecisionDocument<'a>,
}

/// The document for all explanations of a call.
pub fn document<'a>(
    header: &'a Header,
    lacks: &'a [Lacking],
    items: &'a [Explanation<'a>],
) -> Envelope<Document<'a>> {
    Document {
        lacks,
        items: items
            .iter()
            .map(|explanation| item(header, explanation))
            .collect(),
    }
    .into()
}

fn item<'a>(header: &'a Header, explanation: &'a Explanation<'a>) -> Item<'a> {
    let facts = &explanation.facts;
    let spec = &facts.cron_job.spec;
    Item {
        namespace: &facts.cron_job.namespace,
        name: &facts.cron_job.name,
        in_cluster: !explanation.facts.cron_job.not_in_cluster,
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
        forecast: forecast(explanation),
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

/// What lies further ahead is left out, but for the next run.
const HORIZON: SignedDuration = SignedDuration::from_hours(24);

fn forecast<'a>(explanation: &'a Explanation<'a>) -> Vec<SyncDocument<'a>> {
    let now = explanation.facts.now;
    let horizon = now.checked_add(HORIZON).unwrap_or(Timestamp::MAX);
    let syncs = &explanation.forecast.syncs;
    let next = syncs.iter().position(Sync::starts).unwrap_or_default();
    let shown = syncs
        .iter()
        .enumerate()
        .take_while(|(index, sync)| *index <= next + 1 || sync.at.is_none_or(|at| at <= horizon));
    shown
        .map(|(_, sync)| SyncDocument {
            at: sync.at,
            outcome: ForecastOutcome::of(sync).into(),
            scheduled_time: sync.scheduled_time,
            job_name: sync.job_name.as_deref(),
            condition: sync.condition_in_words(),
            condition_kind: sync
                .condition
                .as_ref()
                .map(|condition| condition.kind().into()),
            condition_job: sync.condition.as_ref().and_then(Condition::job),
            condition_until: sync.condition.as_ref().and_then(Condition::until),
            likely: sync.condition.as_ref().and_then(Condition::likely),
            because: sync.reason_in_words(),
        })
        .collect()
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
        events: EventDocument::of(&effect.events),
        retroactive: effect.retroactive,
        decision_then: effect
            .decision_then
            .as_ref()
            .map(|then| decision(then, effect.looks_at.unwrap_or_default())),
    }
}

fn decision(decision: &Decision, now: Timestamp) -> DecisionDocument<'_> {
    DecisionDocument {
        outcome: decision.outcome.into(),
        scheduled_time: decision.scheduled_time,
        job_name: decision.job_name.as_deref(),
        scheduled_timestamp: decision.scheduled_timestamp.as_deref(),
        deleted_jobs: &decision.deleted_jobs,
        events: EventDocument::of(&decision.events),
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
                verdict: step.verdict.into(),
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
        controller_class: belief.map(|belief| belief.class).unwrap_or_default().into(),
        limit: LIMIT,
        crosses_limit_at: missed.crosses_limit_at,
        causes: explanation
            .causes
            .iter()
            .map(|cause| CauseDocument {
                cause: cause.cause.into(),
                count: cause.count,
                first: cause.first,
                last: cause.last,
                evidence: &cause.evidence,
            })
            .collect(),
    })
}
