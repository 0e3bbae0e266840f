//! The API server refuses the pods of a Job.

use super::super::commands::{add, counted, one_line};
use super::super::pods::{called, to_second};
use super::super::{Facts, Found, PastRun};
use super::creation_fails::WEBHOOKS;
use crate::duration::human;
use crate::model::Event;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    facts.unsettled().find_map(|run| of_run(facts, run))
}

fn of_run(facts: &Facts<'_>, run: &PastRun<'_>) -> Option<Found> {
    let job = run.job;
    let refused: Vec<&Event> = facts
        .events_of_job(job)
        .filter(|event| event.reason == "FailedCreate")
        .collect();
    // Each refused pod may have a name, and so an event of its own.
    let last = refused.iter().max_by_key(|event| event.last_seen())?;
    let seen = last.last_seen()?;
    let created = facts
        .events_of_job(job)
        .filter(|event| event.reason == "SuccessfulCreate")
        .filter_map(Event::last_seen);
    let pods = facts.pods_of(job).into_iter();
    let mut created = created.chain(pods.filter_map(|pod| pod.creation_timestamp));
    if created.any(|created| created > seen) || !facts.is_recent(seen) {
        return None;
    }
    let message = plain(&last.message);
    let (why, remedy) = classify(facts, run, message);
    let what = if job.active > 0 {
        "cannot create all of its pods"
    } else {
        "cannot create its pods"
    };
    let mut detail = format!("{why} {} {what}", called(run));
    let since = refused.iter().filter_map(|event| event.first_seen()).min();
    if let Some(since) = since {
        let (since, age) = (to_second(since), human(facts.ago(since)));
        add(&mut detail, format_args!(" since {since} ({age} ago)"));
    }
    let times = refused.iter().map(|event| event.occurrences());
    let times = times
        .filter_map(|times| u64::try_from(times).ok())
        .sum::<u64>();
    let times = counted(times, "time");
    let (seen, message) = (to_second(seen), one_line(message));
    let message = message.trim_end_matches('.');
    add(
        &mut detail,
        format_args!("; it was refused {times}, last at {seen}: {message}."),
    );
    detail.push_str(facts.and_blocks(job));
    Some(Found::new(detail).remedy(remedy))
}

/// The API server's own words.
fn plain(message: &str) -> &str {
    let combined = "(combined from similar events): ";
    let message = message.strip_prefix(combined).unwrap_or(message);
    message.strip_prefix("Error creating: ").unwrap_or(message)
}

/// What stands in the way, and how to look at it, by the API server's words.
fn classify(facts: &Facts<'_>, run: &PastRun<'_>, message: &str) -> (&'static str, String) {
    let says = |words: &str| message.contains(words);
    let everywhere = |verb| facts.controller.kubectl.command(verb);
    let describe = || facts.kubectl("describe job").name(&run.job.name).into();
    if says("exceeded quota") {
        (
            "The quota of the namespace is used up.",
            facts.kubectl("describe resourcequota").into(),
        )
    } else if says("failed quota") {
        (
            "The quota of the namespace asks for requests or limits that the pods do not have.",
            facts.kubectl("describe resourcequota,limitrange").into(),
        )
    } else if says("error looking up service account") {
        (
            "The service account of the pods does not exist.",
            facts.kubectl("get serviceaccounts").into(),
        )
    } else if says("violates PodSecurity") {
        (
            "The namespace does not allow such pods.",
            everywhere("get namespace")
                .name(&facts.cron_job.namespace)
                .with("--show-labels")
                .into(),
        )
    } else if says("failed calling webhook") {
        (
            "An admission webhook cannot be reached.",
            everywhere(WEBHOOKS).into(),
        )
    } else if says("no PriorityClass with name") {
        (
            "The priority class of the pods does not exist.",
            everywhere("get priorityclasses").into(),
        )
    } else if says("denied the request") || says("ValidatingAdmissionPolicy") {
        ("An admission check refuses the pods.", describe())
    } else {
        ("The API server refuses the pods.", describe())
    }
}
