//! The API server refuses the Jobs.

use super::super::commands::{counted, one_line};
use super::super::{Facts, Found, local};
use crate::duration::human;
use crate::forecast::Because;

/// Events are kept for an hour.
const RECENT: i64 = 3_600;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let events = facts
        .events
        .iter()
        .filter(|event| event.reason == "FailedCreate");
    let last = events.max_by_key(|event| event.last_seen())?;
    let seen = last.last_seen()?;
    let created = facts.runs.iter().filter(|run| run.controlled);
    let succeeded_since = created
        .filter_map(|run| run.job.creation_timestamp)
        .any(|created| created >= seen);
    if succeeded_since || facts.ago(seen) > RECENT {
        return None;
    }
    let next = facts.outlook().next_start();
    let failures = next.and_then(|sync| match &sync.because {
        Some(Because::BackOff(failures)) => Some(failures),
        _ => None,
    });
    let count = failures.map_or(last.occurrences(), |failures| {
        i32::try_from(failures.count).unwrap_or(i32::MAX)
    });
    let times = counted(u64::try_from(count).unwrap_or(1), "time");
    let message = one_line(&last.message);
    let (why, remedy) = classify(facts, &last.message);
    let ago = human(facts.ago(seen));
    let Some(failures) = failures else {
        let detail = format!(
            "{why} The controller failed to create the Job {times}, last at {seen} ({ago} ago): {message}"
        );
        return Some(Found::new(detail).remedy(remedy));
    };
    let detail = format!(
        "{why} The controller failed to create the Job {times}, last at {seen} ({ago} ago), and retries \
         with back-off: the next attempt is due about {} (in {}), even if the cause is gone, and \
         scheduled times until then pass without a run. Any update of the CronJob makes it try \
         immediately. The API server said: {message}",
        local(facts, failures.next),
        human(failures.next.as_second() - facts.now.as_second())
    );
    let remedy = format!("{remedy}  # once it is solved: {}", facts.touch());
    Some(Found::new(detail).remedy(remedy))
}

/// What stands in the way, and how to look at it, by the API server's words.
fn classify(facts: &Facts<'_>, message: &str) -> (&'static str, String) {
    let says = |words: &str| message.contains(words);
    let everywhere = |verb| facts.controller.kubectl.command(verb);
    if says("exceeded quota") {
        (
            "The quota of the namespace is used up.",
            facts.kubectl("describe resourcequota").into(),
        )
    } else if says("being terminated") {
        (
            "The namespace is being deleted.",
            everywhere("get namespace")
                .name(&facts.cron_job.namespace)
                .with("-o yaml")
                .into(),
        )
    } else if says("failed calling webhook") {
        (
            "An admission webhook cannot be reached.",
            everywhere(WEBHOOKS).into(),
        )
    } else if says("denied the request") || says("ValidatingAdmissionPolicy") {
        ("An admission check refuses the Job.", try_it(facts))
    } else if says("already exists") {
        (
            "A Job of that name exists already.",
            facts.kubectl("get jobs").into(),
        )
    } else if says("must be no more than 63 characters") {
        (
            "The name of the CronJob is too long.",
            "Create the CronJob anew under a shorter name.".to_owned(),
        )
    } else if says("is invalid") {
        ("The Job template is not valid.", try_it(facts))
    } else {
        ("The API server refuses the Job.", try_it(facts))
    }
}

pub(super) const WEBHOOKS: &str =
    "get validatingwebhookconfigurations,mutatingwebhookconfigurations";

/// Asks the API server without creating anything.
fn try_it(facts: &Facts<'_>) -> String {
    facts.run_by_hand().with("--dry-run=server").into()
}
