//! A load as a document.

use jiff::Timestamp;
use serde::Serialize;
use serde::ser::{SerializeSeq as _, Serializer};
use serde_json::{Value, json};

use super::Shown;
use super::words::rounded;
use crate::load::{Effect, Load, Peak, Suggestion};
use crate::output::API_VERSION;
use crate::output::next_runs::ControllerDocument;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    api_version: &'static str,
    kind: &'static str,
    controller: &'a ControllerDocument,
    from: Timestamp,
    to: Timestamp,
    bucket_seconds: i64,
    summary: Summary,
    work: WorkDocument,
    buckets: Buckets<'a>,
    peaks: Vec<PeakDocument<'a>>,
    suggestions: Vec<SuggestionDocument<'a>>,
    effect: EffectsDocument,
    errors: Vec<ErrorDocument<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    cron_jobs: usize,
    suspended: usize,
    unreadable: usize,
    starts: u64,
    lost: u64,
    most_in_a_bucket: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WorkDocument {
    qps: Number,
    burst: u32,
    workers: u32,
    requests_per_look: u32,
    requests_per_start: u32,
    events_per_start: u32,
    poll_seconds: Option<i64>,
    starts_at_once: u32,
    starts_per_second: Number,
}

/// One by one: a year has half a million minutes.
struct Buckets<'a>(&'a Load);

#[derive(Serialize)]
struct Bucket {
    start: Timestamp,
    count: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PeakDocument<'a> {
    time: Timestamp,
    count: u64,
    occurrences: usize,
    last_start_delay_seconds: Number,
    cron_jobs: Vec<ParticipantDocument<'a>>,
}

#[derive(Serialize)]
struct ParticipantDocument<'a> {
    namespace: &'a str,
    name: &'a str,
    starts: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SuggestionDocument<'a> {
    namespace: &'a str,
    name: &'a str,
    time_zone: Option<&'a str>,
    schedule: &'a str,
    new_schedule: &'a str,
    later_seconds: u32,
    patch: Value,
    command: String,
}

#[derive(Serialize)]
struct EffectsDocument {
    before: EffectDocument,
    after: EffectDocument,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EffectDocument {
    most_in_a_minute: u64,
    last_start_delay_seconds: Number,
}

#[derive(Serialize)]
struct ErrorDocument<'a> {
    namespace: &'a str,
    name: &'a str,
    schedule: &'a str,
    error: String,
}

/// A number that is written without a fraction where it has none.
struct Number(f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Number(number) = *self;
        #[allow(clippy::cast_possible_truncation)] // whole and small
        if number.fract() == 0.0 && number.abs() < 1e15 {
            serializer.serialize_i64(number as i64)
        } else {
            serializer.serialize_f64(number)
        }
    }
}

/// The document.
pub fn document<'a>(shown: &'a Shown<'a>) -> impl Serialize + 'a {
    let load = shown.load;
    let (limits, work) = (load.limits, load.work);
    Document {
        api_version: API_VERSION,
        kind: "Load",
        controller: &shown.controller,
        from: load.span.from(),
        to: load.span.to(),
        bucket_seconds: load.span.bucket_seconds(),
        summary: Summary {
            cron_jobs: load.counted,
            suspended: load.suspended,
            unreadable: load.problems.len(),
            starts: load.starts,
            lost: load.lost,
            most_in_a_bucket: load.buckets.iter().copied().max().unwrap_or(0),
        },
        work: WorkDocument {
            qps: Number(limits.qps),
            burst: limits.burst,
            workers: limits.workers,
            requests_per_look: work.requests.look,
            requests_per_start: work.requests.start,
            events_per_start: work.requests.events,
            poll_seconds: work.polls,
            starts_at_once: work.at_once,
            starts_per_second: Number(rounded(work.a_second)),
        },
        buckets: Buckets(load),
        peaks: load.peaks.iter().map(|one| peak(shown, one)).collect(),
        suggestions: suggestions(shown),
        effect: EffectsDocument {
            before: load.proposal.before.into(),
            after: load.proposal.after.into(),
        },
        errors: errors(shown),
    }
}

impl Serialize for Buckets<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let load = self.0;
        let mut list = serializer.serialize_seq(Some(load.buckets.len()))?;
        for (bucket, count) in load.buckets.iter().enumerate() {
            list.serialize_element(&Bucket {
                start: load.span.start_of(bucket),
                count: *count,
            })?;
        }
        list.end()
    }
}

impl From<Effect> for EffectDocument {
    fn from(effect: Effect) -> Self {
        EffectDocument {
            most_in_a_minute: effect.most_in_a_minute,
            last_start_delay_seconds: Number(rounded(effect.last_start_delay)),
        }
    }
}

fn peak<'a>(shown: &'a Shown<'a>, peak: &Peak) -> PeakDocument<'a> {
    let cron_jobs = peak.participants.iter().map(|participant| {
        let (namespace, name) = shown.name(participant.member);
        ParticipantDocument {
            namespace,
            name,
            starts: participant.starts,
        }
    });
    PeakDocument {
        time: peak.time,
        count: peak.count,
        occurrences: peak.occurrences,
        last_start_delay_seconds: Number(rounded(peak.last_start_delay)),
        cron_jobs: cron_jobs.collect(),
    }
}

fn suggestions<'a>(shown: &'a Shown<'a>) -> Vec<SuggestionDocument<'a>> {
    let one = |suggestion: &'a Suggestion| {
        let member = shown.members.get(suggestion.member)?;
        let (namespace, name) = shown.name(suggestion.member);
        Some(SuggestionDocument {
            namespace,
            name,
            time_zone: member.subject.time_zone.as_deref(),
            schedule: &member.subject.schedule,
            new_schedule: &suggestion.schedule,
            later_seconds: suggestion.minutes_later * 60,
            patch: json!({ "spec": { "schedule": suggestion.schedule } }),
            command: shown.command(suggestion),
        })
    };
    let all = shown.load.proposal.suggestions.iter();
    all.filter_map(one).collect()
}

fn errors<'a>(shown: &'a Shown<'a>) -> Vec<ErrorDocument<'a>> {
    let problems = shown.load.problems.iter();
    let error = |(member, problem): &(usize, crate::upcoming::Problem)| {
        let (namespace, name) = shown.name(*member);
        Some(ErrorDocument {
            namespace,
            name,
            schedule: &shown.members.get(*member)?.subject.schedule,
            error: problem.to_string(),
        })
    };
    problems.filter_map(error).collect()
}
