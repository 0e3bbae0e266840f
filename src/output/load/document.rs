//! A load as a document.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde::ser::{SerializeSeq as _, Serializer};
use serde_json::{Value, json};

use super::Shown;
use super::words::rounded;
use crate::change::{Application, ExtraKind, ExtraRun};
use crate::load::{Effect, Load, Peak, Suggestion};
use crate::output::controller::ControllerDocument;
use crate::output::envelope::{Body, Envelope};
use crate::output::words::Word;

/// What starts together, and how to spread it: `load -o json`.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Load")]
#[serde(rename_all = "camelCase")]
pub struct Document<'a> {
    /// The controller that is modelled.
    controller: &'a ControllerDocument,
    /// Where the window begins.
    from: Timestamp,
    /// Where it ends.
    to: Timestamp,
    /// How long a bucket is.
    bucket_seconds: i64,
    /// What it comes to.
    summary: Summary,
    /// How fast the controller is.
    work: WorkDocument,
    /// How many start in each bucket.
    #[schemars(with = "Vec<Bucket>")]
    buckets: Buckets<'a>,
    /// Where most start at once.
    peaks: Vec<PeakDocument<'a>>,
    /// Schedules that would spread the starts.
    suggestions: Vec<SuggestionDocument<'a>>,
    /// What it leads to to apply all of them now; null where they are about manifests alone.
    applying: Option<ApplyingDocument>,
    /// The worst of the window, as it is and with all suggestions followed.
    effect: EffectsDocument,
    /// The `CronJob`s whose starts nobody can tell, and why.
    errors: Vec<ErrorDocument<'a>>,
}

impl Body for Document<'_> {
    const KIND: &'static str = "Load";
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "LoadSummary")]
#[serde(rename_all = "camelCase")]
struct Summary {
    /// How many `CronJob`s start something, or could.
    cron_jobs: usize,
    /// How many are left out because they are suspended.
    suspended: usize,
    /// How many are left out because nothing of them starts until they are changed.
    held: usize,
    /// How many of those that count start nothing until a running Job has finished.
    blocked: usize,
    /// How many there are whose starts nobody can tell.
    unreadable: usize,
    /// How many starts there are.
    starts: u64,
    /// How many starts are lost, since the `CronJob` is due again before the controller comes to
    /// it.
    lost: u64,
    /// How many start in the fullest bucket.
    most_in_a_bucket: u64,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Work")]
#[serde(rename_all = "camelCase")]
struct WorkDocument {
    /// How many requests a second the controller may send: `--kube-api-qps`.
    #[schemars(with = "f64")]
    qps: Number,
    /// How many it may send at once, after a rest: `--kube-api-burst`.
    burst: u32,
    /// How many `CronJob`s it looks at side by side: `--concurrent-cron-job-syncs`.
    workers: u32,
    /// How many requests a look takes.
    requests_per_look: u32,
    /// How many more a start takes.
    requests_per_start: u32,
    /// How many events a start records; they have a limit of their own.
    events_per_start: u32,
    /// Where it looks at all of them in passes: so many seconds after the end of the last one.
    poll_seconds: Option<i64>,
    /// How many can start in one moment, after a rest, without a wait.
    starts_at_once: u32,
    /// How many start in a second where more than that are due.
    #[schemars(with = "f64")]
    starts_per_second: Number,
}

/// One by one: a year has half a million minutes.
struct Buckets<'a>(&'a Load);

#[derive(JsonSchema, Serialize)]
struct Bucket {
    /// Where it begins.
    start: Timestamp,
    /// How many start in it.
    count: u64,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Peak")]
#[serde(rename_all = "camelCase")]
struct PeakDocument<'a> {
    /// Where the bucket begins: the first one, if the same crowd meets again.
    time: Timestamp,
    /// How many starts there are.
    count: u64,
    /// In how many buckets just this crowd meets.
    occurrences: usize,
    /// How late the last of them is at worst.
    #[schemars(with = "f64")]
    last_start_delay_seconds: Number,
    /// Who starts, those who start most often first.
    cron_jobs: Vec<ParticipantDocument<'a>>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Participant")]
struct ParticipantDocument<'a> {
    /// Its namespace.
    namespace: &'a str,
    /// Its name.
    name: &'a str,
    /// How often it starts in the bucket.
    starts: u64,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Suggestion")]
#[serde(rename_all = "camelCase")]
struct SuggestionDocument<'a> {
    /// The namespace of the `CronJob`.
    namespace: &'a str,
    /// Its name.
    name: &'a str,
    /// `spec.timeZone`
    time_zone: Option<&'a str>,
    /// `spec.schedule` as it is.
    schedule: &'a str,
    /// As it might be.
    new_schedule: &'a str,
    /// How much later each run would start.
    later_seconds: u32,
    /// The change, as a merge patch.
    patch: Value,
    /// The command that makes it.
    command: String,
    /// The run that is started beside those of the schedule if it is made now; null where there is
    /// none.
    extra_run: Option<ExtraRunDocument<'a>>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Applying")]
#[serde(rename_all = "camelCase")]
struct ApplyingDocument {
    /// How many `CronJob`s run a second time, at the new time after the old one.
    repeated: usize,
    /// How many start a run late, for the new time that is past.
    retroactive: usize,
    /// A time in the next 24 hours at which none does, if runs start on time and end before the
    /// next; null where none was found, and where none does now.
    quiet_at: Option<Timestamp>,
}

/// A run that is started because a schedule is moved, in documents.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "ExtraRun")]
#[serde(rename_all = "camelCase")]
pub(in crate::output) struct ExtraRunDocument<'a> {
    /// How it comes about: it ran at the old time, or the new time is past.
    kind: Word<ExtraKind>,
    /// The time of the new schedule that it is for.
    scheduled_time: Timestamp,
    /// Its Job.
    job_name: &'a str,
    /// When it starts, at the latest.
    starts_at: Timestamp,
    /// Jobs of which the end makes the controller start it earlier.
    running: &'a [String],
}

impl<'a> From<&'a ExtraRun> for ExtraRunDocument<'a> {
    fn from(run: &'a ExtraRun) -> Self {
        ExtraRunDocument {
            kind: run.kind.into(),
            scheduled_time: run.scheduled_time,
            job_name: &run.job_name,
            starts_at: run.starts_at,
            running: &run.running,
        }
    }
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Effects")]
struct EffectsDocument {
    /// As it is.
    before: EffectDocument,
    /// As it would be.
    after: EffectDocument,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Effect")]
#[serde(rename_all = "camelCase")]
struct EffectDocument {
    /// How many start in the fullest minute.
    most_in_a_minute: u64,
    /// How late the last start of a crowd is at worst.
    #[schemars(with = "f64")]
    last_start_delay_seconds: Number,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Uncounted")]
struct ErrorDocument<'a> {
    /// Its namespace.
    namespace: &'a str,
    /// Its name.
    name: &'a str,
    /// `spec.schedule`
    schedule: &'a str,
    /// Why it cannot be counted.
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
pub fn document<'a>(shown: &'a Shown<'a>) -> Envelope<Document<'a>> {
    let load = shown.load;
    let (limits, work) = (load.limits, load.work);
    Document {
        controller: &shown.controller,
        from: load.span.from(),
        to: load.span.to(),
        bucket_seconds: load.span.bucket_seconds(),
        summary: Summary {
            cron_jobs: load.counted,
            suspended: load.suspended,
            held: load.held,
            blocked: load.blocked,
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
        applying: applying(shown.application),
        effect: EffectsDocument {
            before: load.proposal.before.into(),
            after: load.proposal.after.into(),
        },
        errors: errors(shown),
    }
    .into()
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
    let extra_runs = &shown.application.extra_runs;
    let one = |(place, suggestion): (usize, &'a Suggestion)| {
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
            extra_run: extra_runs.get(&place).map(ExtraRunDocument::from),
        })
    };
    let all = shown.load.proposal.suggestions.iter();
    all.enumerate().filter_map(one).collect()
}

fn applying(application: &Application) -> Option<ApplyingDocument> {
    (application.in_cluster > 0).then(|| ApplyingDocument {
        repeated: application.count(ExtraKind::Repeated),
        retroactive: application.count(ExtraKind::Retroactive),
        quiet_at: application.quiet_at,
    })
}

fn errors<'a>(shown: &'a Shown<'a>) -> Vec<ErrorDocument<'a>> {
    let problems = shown.load.problems.iter();
    let error = |(member, problem): &(usize, crate::upcoming::ScheduleProblem)| {
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
