//! Creating Jobs, and their names.

use jiff::Timestamp;
use serde_json::json;

use super::super::pods::queue_of_template;
use super::super::{
    CauseKind, Facts, FailureCause, FindingDetails, Input, Severity, local, one_line, when,
};
use super::schedule::sub_minute_every;
use crate::kubectl::{Command, Remedy};
use cronjob_controller::controller::{Cleanup, Generation, NameTaken, Outcome};
use cronjob_controller::forecast::SyncReason;
use cronjob_text::text::Text;
use cronjob_text::words::{counted, plural};
use kube_model::{PastRun, QUEUE_LABEL, ResourceQuota};

pub(super) fn job_creation_fails(facts: &Facts<'_>) -> Option<FindingDetails> {
    let last = facts
        .events_with("FailedCreate")
        .max_by_key(|event| event.last_seen())?;
    let seen = last.last_seen()?;
    let mut created = facts.runs.iter().filter(|run| run.controlled);
    let succeeded_since = created.any(|run| run.job.creation_timestamp >= Some(seen));
    if succeeded_since || !facts.input.is_recent(seen) {
        return None;
    }
    let next = facts.outlook().next_start();
    let failures = next.and_then(|sync| match &sync.because {
        Some(SyncReason::BackOff(failures)) => Some(failures),
        _ => None,
    });
    let count = failures.map_or(last.occurrences(), |failures| {
        i32::try_from(failures.count).unwrap_or(i32::MAX)
    });
    let times = counted(u64::try_from(count).unwrap_or(1), "time");
    let message = one_line(&last.message);
    let message = message.trim_end_matches('.');
    let (why, remedy) = classify(&facts.input, &last.message);
    let failed = text!(
        "{} Creating the Job failed {}, last at {}",
        why,
        times,
        facts.past_time(seen)
    );
    let detail = match failures {
        None => text!("{}: {}", failed, message),
        Some(failures) => {
            let next = text!(
                " The next attempt is due about {}; an update of the CronJob triggers one immediately.",
                when(facts, failures.next)
            );
            text!("{}: {}.{}", failed, message, Text::aside(next))
        }
    };
    let cause = remedy.as_ref().and_then(|show| {
        FailureCause::of_rejection(&facts.input, &last.message, last.first_seen(), show)
    });
    let found = FindingDetails::new(detail).remedy(after_fixing(facts, remedy));
    Some(found.cause(cause))
}

/// Adds the command that makes the controller try again immediately.
fn after_fixing(facts: &Facts<'_>, remedy: Option<Command>) -> Remedy {
    match remedy {
        Some(command) if facts.decision.starts() && facts.input.backs_off() => {
            Remedy::from(command.or("to try immediately, after fixing it", facts.input.touch()))
                .whole()
        }
        Some(command) => command.into(),
        None => SHORTER_NAME.into(),
    }
}

const SHORTER_NAME: &str = "Re-create the CronJob with a shorter name.";

/// The cause and a command that shows it, by the message of the API server.
fn classify(input: &Input<'_>, message: &str) -> (&'static str, Option<Command>) {
    let says = |words: &str| message.contains(words);
    let everywhere = |verb| input.kubectl.command(verb);
    if says("exceeded quota") {
        (
            "The quota of the namespace is used up.",
            Some(input.kubectl("describe resourcequota")),
        )
    } else if says("being terminated") {
        (
            "The namespace is being deleted.",
            Some(
                everywhere("get namespace")
                    .name(&input.cron_job.namespace)
                    .with("-o yaml"),
            ),
        )
    } else if says("failed calling webhook") {
        (
            "An admission webhook cannot be reached.",
            Some(everywhere(WEBHOOKS)),
        )
    } else if says("denied the request") || says("ValidatingAdmissionPolicy") {
        ("An admission check rejects the Job.", Some(try_it(input)))
    } else if says("already exists") {
        (
            "A Job with that name already exists.",
            Some(input.kubectl("get jobs")),
        )
    } else if says("must be no more than 63 characters") {
        ("The name of the CronJob is too long.", None)
    } else if says("is invalid") {
        ("The Job template is invalid.", Some(try_it(input)))
    } else {
        ("The API server rejects the Job.", Some(try_it(input)))
    }
}

pub(super) const WEBHOOKS: &str =
    "get validatingwebhookconfigurations,mutatingwebhookconfigurations";

/// Asks the API server without creating anything.
fn try_it(input: &Input<'_>) -> Command {
    input.doctor("trigger").with("--dry-run=server")
}

pub(super) fn quota_exceeded(facts: &Facts<'_>) -> Option<FindingDetails> {
    let full = facts.input.quotas.iter().filter(|quota| quota.is_full());
    let quota = full.min_by_key(|quota| quota.remaining())?;
    let (remaining, hard, used) = (quota.remaining()?, quota.hard?, quota.used?);
    let run = next_start(facts)?;
    let freed = i64::try_from(ending_before(facts, run)).unwrap_or(i64::MAX);
    let is_known =
        job_creation_fails(facts).is_some_and(|finding| finding.detail.contains("exceeded quota"));
    let will_fit = hard > 0 && remaining.saturating_add(freed) > 0;
    if will_fit || is_known {
        return None;
    }
    let own = facts.runs.iter().filter(|run| run.ending().is_none());
    let others = facts
        .input
        .unfinished_in_namespace
        .saturating_sub(own.count());
    let mut detail = text!(
        "ResourceQuota {} is used up: {} of {} Jobs ({}). The API server will reject the Job {}",
        one_line(&quota.name),
        used,
        hard,
        ResourceQuota::JOBS,
        Text::for_run(local(facts, run))
    );
    if hard > 0 {
        detail += " unless Jobs are deleted before then";
    }
    detail += ".";
    let may_change = hard > 0 && (others > 0 || !facts.input.coverage.jobs_read);
    if hard > 0 && others > 0 {
        let others = counted(others, "other Job");
        detail += text!(" {} in the namespace may free quota by finishing.", others);
    }
    let more = used.max(hard).saturating_add(1).to_string();
    let patch = serde_json::json!({ "spec": { "hard": { ResourceQuota::JOBS: more } } });
    let raise = facts.input.kubectl("patch resourcequota").name(&quota.name);
    let raise = raise.with("--type=merge").value("-p", &patch.to_string());
    let kind = CauseKind::ResourceQuota;
    let cause = FailureCause::new(&facts.input, kind, &quota.name, None, raise.clone());
    let found = FindingDetails::new(detail).remedy(raise).cause(Some(cause));
    Some(found.severity_if(may_change, Severity::Warning))
}

/// The run that the controller creates the next Job for.
fn next_start(facts: &Facts<'_>) -> Option<Timestamp> {
    let decision = &facts.decision;
    match decision.outcome {
        Outcome::Start | Outcome::Replace | Outcome::Blocked => decision.scheduled_time,
        Outcome::Wait | Outcome::NoRunFound | Outcome::AlreadyProcessed => {
            facts.next_run().filter(|_| facts.input.has_time_to_start())
        }
        _ => None,
    }
}

/// How many Jobs of the CronJob are certain to be deleted before a run.
fn ending_before(facts: &Facts<'_>, run: Timestamp) -> usize {
    let spec = &facts.input.cron_job.spec;
    let own = || facts.runs.iter().filter(|run| run.controlled);
    // Before 1.29 nothing is cleaned up while creating a Job fails.
    let cleans_up =
        !facts.decision.starts() || facts.input.behavior().cleanup != Cleanup::AfterSuccess;
    let surplus = facts.decision.deleted_jobs.len();
    let ttl = spec.job_setting("ttlSecondsAfterFinished");
    let expires = |past: &&PastRun<'_>| {
        let deleted = past.finished_at().zip(ttl);
        let deleted = deleted.map(|(end, ttl)| end.as_second().saturating_add(ttl));
        deleted.is_some_and(|deleted| deleted <= run.as_second())
    };
    // When another Job finishes, an older one is deleted.
    let is_full = |limit: Option<i32>, kept: usize| {
        limit.is_some_and(|limit| usize::try_from(limit).unwrap_or_default() <= kept)
    };
    let succeeded = own().filter(|run| run.succeeded()).count();
    let failed = own().filter(|run| run.failure().is_some()).count();
    let gives_way = is_full(spec.successful_jobs_history_limit, succeeded)
        || is_full(spec.failed_jobs_history_limit, failed);
    let unfinished = own().filter(|run| run.ending().is_none()).count();
    own().filter(expires).count()
        + if cleans_up { surplus } else { 0 }
        + if gives_way { unfinished } else { 0 }
}

pub(super) fn job_name_taken(facts: &Facts<'_>) -> Option<FindingDetails> {
    let decision = &facts.decision;
    let (later, taken) = match decision.outcome {
        Outcome::NameTaken => (
            false,
            decision.scheduled_time.zip(decision.job_name.as_deref()),
        ),
        _ => (true, facts.name_taken_next()),
    };
    let (scheduled_time, name) = taken?;
    let job = facts.input.job_named(name)?;
    let ours = facts.controls(name);
    // Some releases try to adopt a Job of their own, but the API server rejects the lookup.
    let lookup_fails = facts.input.behavior().name_taken == NameTaken::MeansToAdopt;
    // Another rule reports why two runs have the same name.
    if ours && sub_minute_every(facts).is_some() {
        return None;
    }
    if ours && !later && decision.error.is_none() && !lookup_fails {
        return None;
    }
    let whose = match job.controller() {
        _ if ours => "belongs to this CronJob".into(),
        Some(owner) => text!(
            "belongs to {} {}",
            one_line(&owner.kind),
            one_line(&owner.name)
        ),
        None => "has no owner".into(),
    };
    let created = job
        .creation_timestamp
        .map_or_else(Text::default, |at| text!(" (created {})", local(facts, at)));
    let does = if later { "will" } else { "does" };
    let detail = text!(
        "The run scheduled at {} {} not start: its Job would be {}, and a Job with that name already \
         exists{}; it {}.",
        local(facts, scheduled_time),
        does,
        one_line(name),
        created,
        whose
    );
    let remedy = if ours {
        facts
            .input
            .kubectl("get job")
            .name(&job.name)
            .with("-o yaml")
    } else {
        let delete = facts.input.kubectl("delete job").name(&job.name);
        if later || !facts.input.backs_off() {
            delete.comment("if nothing needs it")
        } else {
            delete.or("if nothing needs it; then", facts.input.touch())
        }
    };
    let found = FindingDetails::new(detail).remedy(remedy);
    Some(found.severity_if(later, Severity::Warning))
}

const LONGEST: usize = 52;
const LONGEST_JOB: usize = 63;

pub(super) fn name_too_long(facts: &Facts<'_>) -> Option<FindingDetails> {
    let length = facts.input.cron_job.name.len();
    if length <= LONGEST {
        return None;
    }
    // A dash, and the scheduled time in seconds or in minutes.
    let suffix = match facts.input.behavior().generation {
        Generation::V1 | Generation::Tutorial => 11,
        Generation::V2 => 9,
    };
    let mut detail = format!(
        "The name has {length} characters, and new CronJobs can have at most {LONGEST}: it cannot \
         be created again under this name."
    );
    if length + suffix > LONGEST_JOB {
        detail += &format!(
            " The names of its Jobs would have {} characters, and at most {LONGEST_JOB} are \
                 allowed: no Job can be created.",
            length + suffix
        );
    }
    Some(FindingDetails::new(detail).remedy("Create it with a shorter name, then delete this one."))
}

/// A deletion takes so long, in seconds, if a controller has something to clean up.
const PATIENCE: i64 = 60;
/// Deletes the Jobs first, whose pods may take long to end.
const FOREGROUND: &str = "foregroundDeletion";
const FOREGROUND_PATIENCE: i64 = 600;

pub(super) fn deletion_stuck(facts: &Facts<'_>) -> Option<FindingDetails> {
    let (input, cron_job) = (&facts.input, &facts.input.cron_job);
    let since = cron_job.deletion_timestamp?;
    let foreign = cron_job.finalizers.iter();
    let foreign: Vec<String> = foreign
        .filter(|name| *name != FOREGROUND)
        .map(|name| one_line(name))
        .collect();
    let patience = if foreign.is_empty() {
        FOREGROUND_PATIENCE
    } else {
        PATIENCE
    };
    if input.ago(since) < patience {
        return None;
    }
    let why = if cron_job.finalizers.is_empty() {
        "it still exists".to_owned()
    } else if foreign.is_empty() {
        "its Jobs have to be deleted first (foregroundDeletion)".to_owned()
    } else {
        let (noun, verb) = match foreign.len() {
            1 => ("finalizer", "holds"),
            _ => ("finalizers", "hold"),
        };
        format!("the {noun} {} {verb} it", foreign.join(", "))
    };
    let detail = text!(
        "Its deletion was requested at {}, and {}.",
        facts.past_time(since),
        why
    );
    let remedy = if foreign.is_empty() {
        input.kubectl("get jobs")
    } else {
        let describe = input.kubectl("describe cronjob").name(&cron_job.name);
        let patch = input.kubectl("patch cronjob").name(&cron_job.name);
        let patch = patch.with("--type=merge");
        let patch = patch.value("-p", r#"{"metadata":{"finalizers":null}}"#);
        let condition = "only if what should remove it is gone, because nothing is cleaned up then";
        describe.or(condition, patch)
    };
    Some(FindingDetails::new(detail).remedy(remedy))
}

pub(super) fn job_template_suspended(facts: &Facts<'_>) -> Option<FindingDetails> {
    let template = &facts.input.cron_job.spec.job_template;
    let suspended = template
        .pointer("/spec/suspend")
        .and_then(serde_json::Value::as_bool);
    // Kueue resumes the Jobs of its queues. An admission webhook may choose the queue.
    let mut jobs = facts.runs.iter().map(|run| run.job);
    let queued =
        queue_of_template(template).is_some() || jobs.any(|job| job.labels.contains(QUEUE_LABEL));
    if suspended != Some(true) || queued {
        return None;
    }
    let runs = facts.runs.iter().rev();
    let waiting = runs.filter(|run| run.job.suspend == Some(true) && run.ending().is_none());
    let newest = waiting.clone().next().map(|run| run.job.name.as_str());
    let waiting = waiting.count();
    let mut detail =
        Text::from("spec.jobTemplate.spec.suspend is true: Jobs are created, but start no pods.");
    if waiting > 0 {
        let (jobs, are) = (counted(waiting, "Job"), plural(waiting, "is", "are"));
        detail += text!(" {} {} waiting to be resumed.", jobs, are);
    }
    let mut patch = json!({ "jobTemplate": { "spec": { "suspend": false } } });
    if let Some(queue) = facts.input.cron_job.labels.get(QUEUE_LABEL) {
        detail += " Kueue reads the label kueue.x-k8s.io/queue-name of the Job. The CronJob has this label, \
                   but its Job template does not.";
        patch = json!({ "jobTemplate": { "metadata": { "labels": { QUEUE_LABEL: queue } } } });
    }
    let patch = facts.patch(&patch);
    Some(FindingDetails::new(detail).remedy(match newest {
        Some(job) => patch.or("and the Job that waits", facts.resume_job(job)),
        None => patch,
    }))
}
