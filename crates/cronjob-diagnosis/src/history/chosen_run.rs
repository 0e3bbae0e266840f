//! One run of a `CronJob`, chosen for its logs, or why its Job does not exist.

use jiff::Timestamp;
use serde_json::json;

use super::RunResult;
use super::retention::Retention;
use super::{HistoryWindow, history};
use crate::diagnose::{EventJob, EventJobs, Facts, JobRemoval, NoLogs, keep, local, verdict};
use cronjob_text::duration::exact;
use cronjob_text::spelling::nearest;
use kube_model::{JobResult, PastRun, time_of_named_job};

/// No more Jobs are named in an error.
const FEW: usize = 6;

/// Which run of a `CronJob` is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunChoice {
    Last,
    Failed,
    Succeeded,
    /// The one of a scheduled time.
    At(Timestamp),
    Job(String),
}

/// Chooses a run among those whose Jobs exist.
pub fn choose_run<'f, 'a>(
    facts: &'f Facts<'a>,
    choice: &RunChoice,
) -> Result<&'f PastRun<'a>, NoLogs> {
    let newest = |is_wanted: &dyn Fn(&PastRun<'a>) -> bool| {
        let newest_first = facts.runs.iter().rev();
        let mut wanted = newest_first.filter(|run| is_wanted(run));
        wanted.next()
    };
    let removed = Removed::of(facts);
    match choice {
        RunChoice::Last => {
            let last = newest(&|_| true);
            let started = facts.input.cron_job.status.last_schedule_time;
            let gone = started.filter(|at| {
                let is_older = |run: &PastRun<'_>| run.job.creation_timestamp < Some(*at);
                last.is_none_or(is_older)
                    && newest(&|run| run.scheduled_time == Some(*at)).is_none()
            });
            match (last, gone) {
                (_, Some(at)) => Err(removed.why(at)),
                (Some(last), None) => Ok(last),
                (None, None) => Err(no_jobs(facts)),
            }
        }
        RunChoice::Failed => {
            newest(&|run| run.failure().is_some()).ok_or_else(|| removed.none(JobResult::Failed))
        }
        RunChoice::Succeeded => {
            newest(&PastRun::succeeded).ok_or_else(|| removed.none(JobResult::Succeeded))
        }
        RunChoice::At(at) => {
            let is_of = |run: &PastRun<'_>| {
                let scheduled = run.scheduled_time.map(Timestamp::as_second);
                scheduled == Some(at.as_second())
            };
            newest(&|run| is_of(run) && run.is_by_controller())
                .or_else(|| newest(&is_of))
                .ok_or_else(|| removed.at(*at))
        }
        RunChoice::Job(name) => {
            newest(&|run| run.job.name == *name).ok_or_else(|| removed.named(name))
        }
    }
}

fn no_jobs(facts: &Facts<'_>) -> NoLogs {
    NoLogs::new(format!("it has no Jobs. {}", verdict(facts)))
}

/// The Jobs that no longer exist, and what removes them.
struct Removed<'f, 'a> {
    facts: &'f Facts<'a>,
    event_jobs: EventJobs,
    retention: Retention,
}

impl<'f, 'a> Removed<'f, 'a> {
    fn of(facts: &'f Facts<'a>) -> Self {
        Removed {
            facts,
            event_jobs: EventJobs::of(facts),
            retention: Retention::of(facts),
        }
    }

    fn event_job(&self, at: Timestamp) -> Option<&EventJob> {
        let mut removed = self.event_jobs.removed();
        removed.find(|job| job.scheduled_time == at)
    }

    /// Why the Job of a run that was started no longer exists.
    fn why(&self, at: Timestamp) -> NoLogs {
        let facts = self.facts;
        let event_job = self.event_job(at);
        let scheduled = local(facts, at);
        let what = match event_job {
            Some(job) => format!("Job {} (scheduled at {scheduled})", job.job_name),
            None => format!("the Job of the run scheduled at {scheduled}"),
        };
        let removal = event_job.map_or(JobRemoval::Somehow, |job| job.removed);
        let because = match removal {
            JobRemoval::Replaced(time) => {
                let time = local(facts, time);
                NoLogs::new(format!(
                    "the next run replaced it at {time} (concurrencyPolicy: Replace)"
                ))
            }
            JobRemoval::Missing(time) => {
                let time = local(facts, time);
                NoLogs::new(format!(
                    "it was deleted while it was active, as the controller noticed at {time}"
                ))
            }
            JobRemoval::Deleted(time) => {
                let mut causes = self.causes(at, event_job, false);
                let time = local(facts, time);
                let setting = match causes.why.as_str() {
                    "" => String::new(),
                    why => format!(" ({why})"),
                };
                causes.why = format!("the CronJob controller deleted it at {time}{setting}");
                causes
            }
            JobRemoval::Somehow => {
                let mut causes = self.causes(at, event_job, true);
                if causes.why.is_empty() {
                    "neither a history limit nor ttlSecondsAfterFinished explains that; a client \
                     probably deleted it"
                        .clone_into(&mut causes.why);
                }
                causes
            }
        };
        let why = format!("{what} no longer exists: {}", because.why);
        self.or_newest(NoLogs { why, ..because })
    }

    /// The settings that may have removed the Job of a run, and what keeps it the next time.
    fn causes(&self, at: Timestamp, event_job: Option<&EventJob>, ttl: bool) -> NoLogs {
        let (facts, retention) = (self.facts, &self.retention);
        let started = event_job.and_then(|job| job.created).unwrap_or(at);
        let last_started = facts.input.cron_job.status.last_schedule_time;
        let followed = last_started.is_some_and(|last| last > at);
        let removal = retention.removal(started.as_second(), followed);
        let result = self.result(at, event_job);
        let mut causes = Vec::new();
        let mut help = Vec::new();
        if removal.if_failed && result != Some(RunResult::Succeeded) {
            let limit = retention.failed_jobs_history_limit.unwrap_or_default();
            causes.push(limit_in_words("failedJobsHistoryLimit", limit, "failed"));
            let more = json!({ "failedJobsHistoryLimit": limit.max(0).saturating_add(1) });
            help.push(keep(facts, "Keep more failed Jobs", &more));
        }
        if removal.if_succeeded && result != Some(RunResult::Failed) {
            let limit = retention.successful_jobs_history_limit.unwrap_or_default();
            let field = "successfulJobsHistoryLimit";
            causes.push(limit_in_words(field, limit, "successful"));
            let more = json!({ field: limit.max(0).saturating_add(3) });
            help.push(keep(facts, "Keep more successful Jobs", &more));
        }
        if ttl && removal.after_ttl {
            let (ttl, keep) = self.ttl().unwrap_or_default();
            causes.push(ttl);
            help.push(keep);
        }
        if ttl && removal.replaced && result.is_none() {
            causes.push(
                "concurrencyPolicy: Replace deletes a running Job for the next run".to_owned(),
            );
        }
        NoLogs {
            why: causes.join(", or "),
            help,
        }
    }

    /// What `ttlSecondsAfterFinished` does, and how to change that.
    fn ttl(&self) -> Option<(String, String)> {
        let ttl = self.retention.ttl_seconds_after_finished?;
        let after = exact(ttl.max(0));
        let cause =
            format!("ttlSecondsAfterFinished: {ttl} deletes a Job {after} after it has finished");
        let none = json!({ "jobTemplate": { "spec": { "ttlSecondsAfterFinished": null } } });
        let keep = keep(
            self.facts,
            "Keep finished Jobs up to the history limits",
            &none,
        );
        Some((cause, keep))
    }

    /// How a run ended whose Job is gone.
    fn result(&self, at: Timestamp, event_job: Option<&EventJob>) -> Option<RunResult> {
        let known = event_job.and_then(|job| job.result).map(RunResult::from);
        let is_last = self.facts.input.cron_job.status.last_schedule_time == Some(at);
        let success = self.facts.lost_success();
        let succeeded = is_last && success.is_some_and(|success| success >= at);
        known.or(succeeded.then_some(RunResult::Succeeded))
    }

    /// No Job with that result exists.
    fn none(&self, result: JobResult) -> NoLogs {
        let facts = self.facts;
        let removed = self.event_jobs.removed();
        let newest = removed
            .filter(|job| job.result == Some(result))
            .max_by_key(|job| job.scheduled_time);
        if let Some(job) = newest {
            return self.why(job.scheduled_time);
        }
        let adjective = match result {
            JobResult::Failed => "failed",
            JobResult::Succeeded => "successful",
        };
        let mut none = NoLogs::new(format!("it has no {adjective} Job"));
        if let Some(success) = facts
            .lost_success()
            .filter(|_| result == JobResult::Succeeded)
        {
            none.why = format!(
                "{}, although one succeeded at {}",
                none.why,
                local(facts, success)
            );
        }
        let (field, limit) = match result {
            JobResult::Failed => (
                "failedJobsHistoryLimit",
                self.retention.failed_jobs_history_limit,
            ),
            JobResult::Succeeded => (
                "successfulJobsHistoryLimit",
                self.retention.successful_jobs_history_limit,
            ),
        };
        let mut causes = Vec::new();
        if let Some(limit) = limit.filter(|limit| *limit <= 0) {
            causes.push(limit_in_words(field, limit, adjective));
            let more = json!({ field: 1 });
            none = none.help(keep(facts, &format!("Keep {adjective} Jobs"), &more));
        }
        if let Some((ttl, keep)) = self.ttl() {
            causes.push(ttl);
            none = none.help(keep);
        }
        if !causes.is_empty() {
            none.why = format!("{}: {}", none.why, causes.join(", and "));
        }
        self.or_newest(none)
    }

    /// No Job of that scheduled time exists.
    fn at(&self, at: Timestamp) -> NoLogs {
        let facts = self.facts;
        let shown = local(facts, at);
        if at > facts.input.now {
            return self.or_times(NoLogs::new(format!("{shown} is in the future")));
        }
        let started = facts.input.cron_job.status.last_schedule_time == Some(at);
        if started || self.event_job(at).is_some() {
            return self.why(at);
        }
        let window = HistoryWindow {
            since: Some(at),
            until: Some(at),
        };
        let past = history(facts, &window);
        if let Some(error) = past.error {
            return NoLogs::new(error.to_string());
        }
        let Some((_, entry)) = past.runs.iter().find(|(time, _)| *time == at) else {
            return self.or_times(NoLogs::new(format!(
                "no run was scheduled at {shown}, and no Job of that time exists"
            )));
        };
        let because = entry.reason.as_ref().map_or("", |reason| &reason.detail);
        let why = format!("the run scheduled at {shown} has no Job: {because}");
        let explain = facts.input.doctor("history");
        self.or_times(NoLogs::new(why).help(format!("Show all runs: {explain}")))
    }

    /// No Job of that name belongs to the `CronJob`.
    fn named(&self, name: &str) -> NoLogs {
        let facts = self.facts;
        let namespace = &facts.input.cron_job.namespace;
        if facts.input.job_named(name).is_some() {
            let logs = facts.input.kubectl("logs").name(&format!("job/{name}"));
            let logs = logs.with("--all-containers --prefix");
            let why = format!("Job {name} does not belong to it");
            return NoLogs::new(why).help(format!("Print its logs with kubectl: {logs}"));
        }
        let at = time_of_named_job(&facts.input.cron_job, name, None);
        let started = |at: &Timestamp| {
            let status = &facts.input.cron_job.status;
            status.last_schedule_time == Some(*at) || self.event_job(*at).is_some()
        };
        if let Some(at) = at.filter(started) {
            return self.why(at);
        }
        let names = facts.runs.iter().map(|run| run.job.name.as_str());
        let meant = nearest(name, names);
        let meant = meant.map_or_else(String::new, |meant| format!("; did you mean {meant}?"));
        let why = format!("Job {name} not found in namespace {namespace:?}{meant}");
        let mut none = NoLogs::new(why);
        let newest_first = facts.runs.iter().rev().take(FEW);
        let names: Vec<&str> = newest_first.map(|run| run.job.name.as_str()).collect();
        if !names.is_empty() {
            none = none.help(format!("Use --job with one of: {}.", names.join(", ")));
        }
        none
    }

    /// Adds how to get the logs of the newest Job that exists.
    fn or_newest(&self, none: NoLogs) -> NoLogs {
        let Some(run) = self.facts.runs.last() else {
            return none;
        };
        let logs = self
            .facts
            .input
            .doctor("logs")
            .value("--job", &run.job.name);
        none.help(format!(
            "Print the logs of the newest Job that exists: {logs}"
        ))
    }

    /// Adds the scheduled times whose Jobs exist.
    fn or_times(&self, none: NoLogs) -> NoLogs {
        let newest_first = self.facts.runs.iter().rev();
        let times = newest_first.filter_map(|run| run.scheduled_time).take(FEW);
        let times: Vec<String> = times.map(|at| at.to_string()).collect();
        if times.is_empty() {
            return none;
        }
        none.help(format!("Use --at with one of: {}.", times.join(", ")))
    }
}

/// `failedJobsHistoryLimit: 0 keeps no failed Job`
fn limit_in_words(field: &str, limit: i32, adjective: &str) -> String {
    match limit {
        ..=0 => format!("{field}: {limit} keeps no {adjective} Job"),
        1 => format!("{field}: 1 keeps only the newest {adjective} Job"),
        many => format!("{field}: {many} keeps only the newest {adjective} Jobs"),
    }
}
