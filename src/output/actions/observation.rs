//! What is observed after a change: the progress of a Job, and whether a prediction came true.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use crate::output::style::{Meaning, styled};
use cronjob_diagnosis::change::{JobEnd, JobUpdate};
use cronjob_diagnosis::diagnose::{PredictionCheck, is_refuted};
use cronjob_text::duration::human;
use cronjob_text::printable::{printable, printable_lines};

/// Writes a line about the progress of a Job.
pub(crate) fn write_job_update(
    out: &mut dyn Write,
    job: &str,
    update: &JobUpdate,
) -> io::Result<()> {
    let (label, text) = match update {
        JobUpdate::Suspended => (job, "is suspended and starts no pods".to_owned()),
        JobUpdate::Pod {
            pod,
            phase,
            reason,
            message,
        } => (pod.as_str(), join([phase, reason, message])),
        JobUpdate::Warning { reason, message } => (job, join([reason, message, ""])),
    };
    let label = styled(Meaning::Strong, printable(label));
    writeln!(out, "{label}: {}", several_lines(&text))
}

fn several_lines(text: &str) -> String {
    printable_lines(text).join("\n  ")
}

/// How a Job ended. The lines of a message stay lines.
pub(crate) fn job_end(job: &str, ending: &JobEnd) -> String {
    let after = |seconds: &Option<i64>| {
        seconds.map_or_else(String::new, |seconds| format!(" after {}", human(seconds)))
    };
    let text = match ending {
        JobEnd::Complete { seconds } => format!("succeeded{}", after(seconds)),
        JobEnd::Failed {
            seconds,
            reason,
            message,
        } => join([&format!("failed{}", after(seconds)), reason, message]),
        JobEnd::Deleted => "was deleted before it finished".to_owned(),
    };
    let job = printable(&format!("job.batch/{job}"));
    format!("{job} {}", several_lines(&text))
}

/// That the result of a Job is decided, and only a pod keeps it from ending.
pub(crate) fn waits_for_pod(job: &str) -> String {
    let job = printable(&format!("job.batch/{job}"));
    format!("{job}: a pod of it has not ended; the Job counts as active until then")
}

/// Writes that a Job was deleted, as `kubectl delete` does.
pub(crate) fn write_job_deleted(out: &mut dyn Write, job: &str) -> io::Result<()> {
    writeln!(out, "{} deleted", printable(&format!("job.batch/{job}")))
}

/// What was observed after a change.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum Observation {
    Comparison(PredictionComparison),
    Course(JobCourse),
    RunningJobs(JobCourses),
}

/// The observed end of a Job; without one, it is still running.
pub(crate) fn observed(job: &str, ending: Option<&JobEnd>) -> Observation {
    Observation::Course(JobCourse::of(job, ending))
}

/// The observed ends of the Jobs of a `CronJob`. `is_known` is whether its Jobs were listed.
pub(crate) fn observed_jobs<'a>(
    is_known: bool,
    jobs: impl Iterator<Item = (&'a str, Option<JobEnd>)>,
) -> Observation {
    let jobs: Vec<JobCourse> = jobs
        .map(|(job, ending)| JobCourse::of(job, ending.as_ref()))
        .collect();
    let is_over = |course: &JobCourse| matches!(course.result, "succeeded" | "failed");
    Observation::RunningJobs(JobCourses {
        all_ended: is_known && jobs.iter().all(is_over),
        jobs,
    })
}

/// The comparison of prediction and observation.
pub(crate) fn compared(checks: Vec<PredictionCheck>) -> Observation {
    Observation::Comparison(PredictionComparison {
        as_predicted: !is_refuted(&checks),
        respects: checks,
    })
}

/// The prediction for a resumed `CronJob`, compared with what happened.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "Comparison")]
#[serde(rename_all = "camelCase")]
pub(crate) struct PredictionComparison {
    /// Whether the prediction came true.
    as_predicted: bool,
    /// The compared values.
    respects: Vec<PredictionCheck>,
}

/// The Jobs of a suspended `CronJob` that `suspend --wait` waited for.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "RunningJobs")]
#[serde(rename_all = "camelCase")]
pub(crate) struct JobCourses {
    /// Whether all of them have succeeded or failed.
    all_ended: bool,
    /// The Jobs that were running after the suspension, or were created while the command waited.
    jobs: Vec<JobCourse>,
}

/// The observed course of a Job.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "Course")]
#[serde(rename_all = "camelCase")]
pub(crate) struct JobCourse {
    /// The name of the Job.
    job_name: String,
    /// How the Job ended; `running` if the command stopped waiting before.
    #[schemars(extend("enum" = ["running", "deleted", "succeeded", "failed"]))]
    result: &'static str,
    /// How long it took.
    duration_seconds: Option<i64>,
    /// The reason of its `Failed` condition.
    reason: Option<String>,
    /// The message of its `Failed` condition.
    message: Option<String>,
}

impl JobCourse {
    fn of(job: &str, ending: Option<&JobEnd>) -> Self {
        let (result, duration_seconds, failure) = match ending {
            None => ("running", None, None),
            Some(JobEnd::Deleted) => ("deleted", None, None),
            Some(JobEnd::Complete { seconds }) => ("succeeded", *seconds, None),
            Some(JobEnd::Failed {
                seconds,
                reason,
                message,
            }) => ("failed", *seconds, Some((reason, message))),
        };
        let (reason, message) = failure.unzip();
        JobCourse {
            job_name: job.to_owned(),
            result,
            duration_seconds,
            reason: reason.cloned(),
            message: message.cloned(),
        }
    }
}

fn join<const N: usize>(parts: [&str; N]) -> String {
    let parts = parts.iter().filter(|part| !part.is_empty());
    parts.copied().collect::<Vec<_>>().join(": ")
}
