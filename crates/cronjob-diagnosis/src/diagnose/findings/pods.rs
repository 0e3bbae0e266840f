//! Pods of Jobs.

use jiff::Timestamp;

use super::super::pods::{
    Obstacle, ObstacleKind, ObstructedPods, OutOfMemory, PodFailure, awaited_admission, ends,
    failure_summary, job_in_words,
};
use super::super::waiting::WaitingJob;
use super::super::{CauseKind, Facts, FailureCause, FindingDetails, Input, local, one_line};
use super::FindingCheck;
use super::job::{WEBHOOKS, job_template_suspended};
use crate::kubectl::Command;
use cronjob_text::duration::human;
use cronjob_text::text::Text;
use cronjob_text::words::counted;
use kube_model::{ContainerKind, Event, PastRun, Pod, has_all_pods};

pub(super) fn pod_creation_rejected(facts: &Facts<'_>) -> Option<FindingDetails> {
    facts.unsettled().find_map(|run| rejected_pods(facts, run))
}

fn rejected_pods(facts: &Facts<'_>, run: &PastRun<'_>) -> Option<FindingDetails> {
    let job = run.job;
    if has_all_pods(&facts.input.cron_job.spec, job) {
        return None;
    }
    let with_reason = |reason| {
        let events = facts.input.events_of_job(job);
        events.filter(move |event| event.reason == reason)
    };
    let rejected: Vec<&Event> = with_reason("FailedCreate").collect();
    // Each rejected pod may have its own name, and therefore its own event.
    let last = rejected.iter().max_by_key(|event| event.last_seen())?;
    let seen = last.last_seen()?;
    let created = with_reason("SuccessfulCreate").filter_map(Event::last_seen);
    let pods = facts.input.pods_of(job).into_iter();
    let mut created = created.chain(pods.filter_map(|pod| pod.creation_timestamp));
    if created.any(|created| created > seen) || !facts.input.is_recent(seen) {
        return None;
    }
    let message = last.own_message();
    let message = message.strip_prefix("Error creating: ").unwrap_or(message);
    let (why, remedy) = classify(&facts.input, run, message);
    let what = if job.active > 0 {
        "cannot create all of its pods"
    } else {
        "cannot create its pods"
    };
    let since = rejected.iter().filter_map(|event| event.first_seen()).min();
    let cause = FailureCause::of_rejection(&facts.input, message, since, &remedy);
    let since = since.map_or_else(Text::default, |since| {
        let ago = text!(" ({} ago)", human(facts.input.ago(since)));
        text!(" since {}{}", local(facts, since), Text::aside(ago))
    });
    let times = rejected.iter().map(|event| i64::from(event.occurrences()));
    let times = counted(times.sum::<i64>(), "time");
    let (last, message) = (local(facts, seen), one_line(reason_of(message)));
    let message = message.trim_end_matches('.');
    let mut detail = text!(
        "{} {} {}: rejected {}{}, last at {}: {}.",
        why,
        job_in_words(run),
        what,
        times,
        since,
        last,
        message
    );
    detail += facts.and_blocks(job);
    let remedy = remedy.comment("the Job controller tries again by itself within 6 minutes");
    let found = FindingDetails::new(detail).about(run).remedy(remedy);
    Some(found.cause(cause))
}

/// The message without the name of the pod, which was never created.
fn reason_of(message: &str) -> &str {
    let of_pod = message.strip_prefix("pods \"");
    let reason = of_pod.and_then(|rest| rest.split_once("\" is forbidden: "));
    reason.map_or(message, |(_, reason)| reason)
}

/// The cause and a command that shows it, by the message of the API server.
fn classify(input: &Input<'_>, run: &PastRun<'_>, message: &str) -> (&'static str, Command) {
    let says = |words: &str| message.contains(words);
    let everywhere = |verb| input.kubectl.command(verb);
    let describe = || input.kubectl("describe job").name(&run.job.name);
    if says("exceeded quota") {
        (
            "The quota of the namespace is used up.",
            input.kubectl("describe resourcequota"),
        )
    } else if says("failed quota") {
        (
            "The quota of the namespace requires requests or limits that the pods do not set.",
            input.kubectl("describe resourcequota,limitrange"),
        )
    } else if says("error looking up service account") {
        (
            "The service account of the pods does not exist.",
            input.kubectl("get serviceaccounts"),
        )
    } else if says("violates PodSecurity") {
        (
            "The namespace does not allow such pods.",
            everywhere("get namespace")
                .name(&input.cron_job.namespace)
                .with("--show-labels"),
        )
    } else if says("failed calling webhook") {
        (
            "An admission webhook cannot be reached.",
            everywhere(WEBHOOKS),
        )
    } else if says("no PriorityClass with name") {
        (
            "The priority class of the pods does not exist.",
            everywhere("get priorityclasses"),
        )
    } else if says("denied the request") || says("ValidatingAdmissionPolicy") {
        ("An admission check rejects the pods.", describe())
    } else {
        ("The API server rejects the pods.", describe())
    }
}

const IMAGE: ObstacleKind = ObstacleKind {
    obstacle: waits_for_image,
    is_report: is_about_image,
    over: &["Pulled", "Created", "Started"],
    patience: 0,
};

fn waits_for_image(pod: &Pod) -> Option<Obstacle<'_>> {
    Obstacle::waiting(pod, |reason| {
        matches!(
            reason,
            "ErrImagePull"
                | "ImagePullBackOff"
                | "InvalidImageName"
                | "ErrImageNeverPull"
                | "ImageInspectError"
                | "RegistryUnavailable"
                | "SignatureValidationFailed"
        )
    })
}

fn is_about_image(event: &Event) -> bool {
    let says = |words: &str| event.message.starts_with(words);
    match event.reason.as_str() {
        "Failed" => says("Failed to pull image "),
        "InspectFailed" | "ErrImageNeverPull" => true,
        _ => false,
    }
}

pub(super) fn pod_image_pull_fails(facts: &Facts<'_>) -> Option<FindingDetails> {
    let obstructed = ObstructedPods::find(facts, &IMAGE)?;
    let sentence = obstructed.sentence(
        facts,
        "cannot pull the image for",
        "could not pull the image for",
    );
    // Before 1.32 a pod that waits for the next attempt does not show why the last one failed.
    let own = obstructed.obstacle.message;
    let bare = own.is_empty() || (own.starts_with("Back-off ") && !own.contains(": "));
    let event = obstructed.event.filter(|_| bare);
    let message = event.map_or(own, |event| event.message.as_str());
    let detail = obstructed.detail(facts, sentence, &pull_error(message));
    let found = FindingDetails::new(detail).about(&obstructed.run);
    let found = found.cause(image_as_cause(facts, &obstructed, message));
    Some(found.remedy(obstructed.show_and_recreate(facts)))
}

/// What shows that no image can be pulled from a registry.
const REGISTRY_FAILS: [&str; 5] = [
    "dial tcp",
    "TLS handshake",
    "x509: ",
    "toomanyrequests",
    "Service Unavailable",
];

/// The image that cannot be pulled, or its registry, if that is why.
fn image_as_cause(
    facts: &Facts<'_>,
    obstructed: &ObstructedPods<'_>,
    message: &str,
) -> Option<FailureCause> {
    let (named, error) = innermost(message);
    let own = obstructed.obstacle.image;
    let image = Some(own).filter(|image| !image.is_empty()).or(named)?;
    let fails = REGISTRY_FAILS.iter().any(|words| error.contains(words))
        || obstructed.obstacle.reason == "RegistryUnavailable";
    let (kind, object) = if fails {
        (CauseKind::Registry, registry_of(image))
    } else {
        (CauseKind::Image, image)
    };
    let (input, show) = (&facts.input, obstructed.show(&facts.input));
    Some(FailureCause::new(
        input,
        kind,
        object,
        obstructed.since,
        show,
    ))
}

/// The registry of an image: its first part, if that can be a host.
fn registry_of(image: &str) -> &str {
    let host = image.split_once('/').map(|(host, _)| host);
    let host = host.filter(|host| host.contains(['.', ':']) || *host == "localhost");
    host.unwrap_or("docker.io")
}

/// The image and the innermost cause, without what the kubelet and the runtime wrap around it.
fn pull_error(message: &str) -> String {
    match innermost(message) {
        (Some(image), rest) if !rest.starts_with(image) => format!("{image}: {rest}"),
        (_, rest) => rest.to_owned(),
    }
}

/// The image that a message names, and the innermost cause.
fn innermost(message: &str) -> (Option<&str>, &str) {
    let (mut image, mut rest) = (None, message);
    while let Some((name, after)) = unwrap(rest) {
        image = image.or(name);
        rest = after;
    }
    (image, rest)
}

/// Removes one layer of a message; some layers name the image.
fn unwrap(message: &str) -> Option<(Option<&str>, &str)> {
    const NAMING: [&str; 4] = [
        "Back-off pulling image \"",
        "Failed to pull image \"",
        "failed to pull and unpack image \"",
        "failed to resolve reference \"",
    ];
    if let Some(rest) = message.strip_prefix("ErrImagePull: ") {
        return Some((None, rest));
    }
    if let Some(rest) = message.strip_prefix("rpc error: code = ") {
        let (_, rest) = rest.split_once(" desc = ")?;
        return Some((None, rest));
    }
    let mut naming = NAMING.iter();
    let named = naming.find_map(|layer| message.strip_prefix(layer))?;
    let (image, rest) = named.split_once("\": ")?;
    Some((Some(image), rest))
}

const CONFIG: ObstacleKind = ObstacleKind {
    obstacle: waits_for_config,
    is_report: is_about_config,
    over: &["Created", "Started"],
    patience: 0,
};

fn waits_for_config(pod: &Pod) -> Option<Obstacle<'_>> {
    Obstacle::waiting(pod, |reason| {
        matches!(
            reason,
            "CreateContainerConfigError" | "CreateContainerError"
        )
    })
}

/// Only events report a volume that cannot be mounted.
fn is_about_config(event: &Event) -> bool {
    match event.reason.as_str() {
        "FailedMount" => is_missing(&event.message),
        "Failed" => event.message.starts_with("Error: ") && is_missing(&event.message),
        _ => false,
    }
}

fn is_missing(message: &str) -> bool {
    let says = |words: &str| message.contains(words);
    let object = says("configmap \"") || says("secret \"") || says("secrets \"");
    (object && says("not found"))
        || says("couldn't find key")
        || says("references non-existent config key")
        || says("references non-existent secret key")
}

fn missing_as_cause(facts: &Facts<'_>, obstructed: &ObstructedPods<'_>) -> Option<FailureCause> {
    let (input, message) = (&facts.input, obstructed.obstacle.message);
    FailureCause::of_missing(input, message, obstructed.since, obstructed.show(input))
}

/// Creates a missing object from a file that the reader has.
fn create_missing(facts: &Facts<'_>, cause: &FailureCause) -> Option<Command> {
    let create = match cause.kind {
        CauseKind::ConfigMap => facts.input.kubectl("create configmap"),
        CauseKind::Secret => facts.input.kubectl("create secret generic"),
        _ => return None,
    };
    Some(create.name(&cause.object).with("--from-file=FILE"))
}

/// A container cannot be created, often because a `ConfigMap` or Secret is missing.
pub(super) fn pod_config_missing(facts: &Facts<'_>) -> Option<FindingDetails> {
    let obstructed = ObstructedPods::find(facts, &CONFIG)?;
    let message = obstructed.obstacle.message;
    let [now, then] = if message.starts_with("MountVolume") {
        ["cannot mount a volume of", "could not mount a volume of"]
    } else {
        [
            "cannot create a container in",
            "could not create a container in",
        ]
    };
    let sentence = obstructed.sentence(facts, now, then);
    let detail = obstructed.detail(facts, sentence, message);
    let cause = missing_as_cause(facts, &obstructed);
    let remedy = if is_missing(message) && obstructed.run.ending().is_none() {
        let describe = obstructed.show(&facts.input);
        let describe =
            describe.comment("the pod continues on its own once the missing object exists");
        let create = cause
            .as_ref()
            .and_then(|cause| create_missing(facts, cause));
        create.map_or(describe.clone(), |create| {
            describe.or("to create it", create)
        })
    } else {
        obstructed.show_and_recreate(facts)
    };
    let found = FindingDetails::new(detail).about(&obstructed.run);
    Some(found.cause(cause).remedy(remedy))
}

const ENOUGH: u64 = 2;

/// The containers of a pod may finish at slightly different times.
const LAST_CONTAINER: i64 = 60;

pub(super) fn pod_crashes(facts: &Facts<'_>) -> Option<FindingDetails> {
    let mut running = facts.unsettled().filter(|run| run.ending().is_none());
    running.find_map(|run| crashing_pods(facts, run))
}

fn crashing_pods(facts: &Facts<'_>, run: &PastRun<'_>) -> Option<FindingDetails> {
    let ends = ends(&facts.input, run.job);
    let last = ends.first()?;
    let restarts: u64 = ends.iter().map(PodFailure::restarts).sum();
    let failed = ends.iter().filter(|end| end.is_final()).count();
    let failures = restarts.saturating_add(u64::try_from(failed).unwrap_or_default());
    let loops = ends.iter().any(PodFailure::is_crash_loop);
    let no_start = ends.iter().any(PodFailure::is_no_start);
    let left_over = last.left_over_since(&facts.input);
    let lasts = left_over.is_some_and(|since| facts.input.ago(since) >= LAST_CONTAINER);
    // Another rule reports what a sidecar holds.
    let hangs = lasts && facts.held(run).is_none();
    // Of many pods, some may fail.
    let pods = run.job.active.saturating_add(run.job.succeeded);
    let enough = u64::try_from(pods).unwrap_or_default().max(ENOUGH);
    if !(loops || no_start || hangs || failures >= enough) {
        return None;
    }
    let failure_summary = failure_summary(facts, &ends)?;
    let mut detail = text!("{} is failing. {}", job_in_words(run), failure_summary);
    if restarts > 0 {
        let times = counted(restarts, "time");
        detail += text!("; it was restarted {}", times);
    }
    detail += ".";
    if loops {
        detail += " The kubelet waits longer before each restart (CrashLoopBackOff).";
    }
    if hangs {
        detail += " The pod does not finish while another of its containers is running.";
    }
    let memory = last.out_of_memory(facts);
    if let Some(memory) = &memory {
        detail += text!(" {}", memory.sentence());
    }
    detail += facts.and_blocks(run.job);
    let recreate = || facts.recreate(&run.job.name);
    let remedy = match memory.as_ref().map(OutOfMemory::raised) {
        Some(Some(raised)) => recreate().comment(format!("the CronJob now has {raised}")),
        Some(None) => last
            .remedy(facts, None)
            .or("fix the CronJob, then", recreate()),
        None => last.remedy(facts, None),
    };
    Some(FindingDetails::new(detail).about(run).remedy(remedy))
}

const NODE: ObstacleKind = ObstacleKind {
    obstacle: waits_for_node,
    is_report: |event| event.reason == "FailedScheduling",
    over: &["Scheduled"],
    // Adding a node takes time, and other Jobs may finish and free resources.
    patience: 60,
};

fn waits_for_node(pod: &Pod) -> Option<Obstacle<'_>> {
    let scheduled = pod.condition("PodScheduled");
    let scheduled =
        scheduled.filter(|one| one.status == "False" && one.reason == "Unschedulable")?;
    Some(Obstacle {
        message: &scheduled.message,
        since: scheduled.last_transition_time,
        ..Obstacle::default()
    })
}

pub(super) fn pod_not_scheduled(facts: &Facts<'_>) -> Option<FindingDetails> {
    let obstructed = ObstructedPods::find(facts, &NODE)?;
    let sentence = obstructed.sentence(facts, "cannot get a node for", "could not get a node for");
    let mut detail = obstructed.detail(facts, sentence, causes(obstructed.obstacle.message));
    let events = facts.input.events_of_pods(obstructed.run.job);
    let no_more = |event: &Event| {
        event.reason == "NotTriggerScaleUp" && event.involved_object.name == obstructed.pod
    };
    if events.into_iter().any(no_more) {
        detail += " The autoscaler cannot add a suitable node.";
    }
    let found = FindingDetails::new(detail).about(&obstructed.run);
    let found = found.cause(missing_as_cause(facts, &obstructed));
    Some(found.remedy(obstructed.show(&facts.input)))
}

/// The causes, without the part about preemption.
fn causes(message: &str) -> &str {
    const END: [char; 3] = [' ', ',', '.'];
    let (causes, _) = message.split_once("preemption:").unwrap_or((message, ""));
    let causes = causes.trim_end_matches(END);
    let causes = causes.trim_end_matches("no new claims to deallocate");
    causes.trim_end_matches(END)
}

const CAUSES: [FindingCheck; 5] = [
    pod_creation_rejected,
    pod_image_pull_fails,
    pod_config_missing,
    pod_crashes,
    pod_not_scheduled,
];

/// A Job is suspended or in a queue, or an init container of its pod does not end.
pub(super) fn run_waiting(facts: &Facts<'_>) -> Option<FindingDetails> {
    let mut runs = facts.unsettled();
    let (run, waits, since) = runs.find_map(|run| {
        let waits = WaitingJob::of(&facts.input, run.job)?;
        let is_long = |since: &Timestamp| facts.input.ago(*since) >= facts.patience();
        let since = waits.since.filter(is_long)?;
        let is_ours = waits.is_suspended || waits.init_container.is_some();
        is_ours.then_some((run, waits, since))
    })?;
    let job = run.job;
    // Another rule reports Jobs that are suspended by the template, and how to resume them.
    if facts.is_in_the_way(job) || (waits.is_suspended && job_template_suspended(facts).is_some()) {
        return None;
    }
    let mut detail = Text::aside(text!(
        "{} has been waiting for {} (since {}): {}.",
        job_in_words(run),
        human(facts.input.ago(since)),
        local(facts, since),
        waits.reason.unwrap_or_default()
    ));
    detail += facts.and_blocks(job);
    let remedy = match (awaited_admission(job), waits.init_container) {
        (Some(admission), _) => facts.input.show_queue(admission),
        (None, Some(init)) => {
            let logs = facts.input.kubectl("logs").name(&text!("job/{}", job.name));
            logs.value("-c", init)
        }
        (None, None) => facts.resume_job(&job.name),
    };
    Some(FindingDetails::new(detail).about(run).remedy(remedy))
}

pub(super) fn no_pod_ready(facts: &Facts<'_>) -> Option<FindingDetails> {
    if let Some(silent) = silent_pod(facts) {
        return Some(silent);
    }
    let mut runs = facts.unsettled();
    let (run, since) = runs.find_map(|run| Some((run, unready_since(facts, run)?)))?;
    let job = run.job;
    // That it blocks others is more important, and reported by another rule.
    if facts.is_in_the_way(job) || CAUSES.iter().any(|cause| cause(facts).is_some()) {
        return None;
    }
    let what = if job.active == 0 { "pod" } else { "ready pod" };
    let age = human(facts.input.ago(since));
    let waits = WaitingJob::of(&facts.input, run.job).and_then(|waits| waits.reason_in_spec);
    let why = waits.map_or_else(Text::default, |why| text!(": {}", why));
    let mut detail = text!(
        "{} has no {} (since {}, {} ago){}.",
        job_in_words(run),
        what,
        local(facts, since),
        age,
        why
    );
    let newest = facts.input.pods_of(job).into_iter().next();
    if let Some(pod) = newest {
        let (name, phase) = (one_line(&pod.name), one_line(&pod.phase));
        detail += text!(" Its pod {} is {}.", name, phase);
    } else if job.active > 0 {
        detail += " Its pods were not read.";
    }
    detail += facts.and_blocks(job);
    let describe = match newest {
        Some(pod) => facts.input.kubectl("describe pod").name(&pod.name),
        None if job.active > 0 => {
            let label = text!("job-name={}", job.name);
            facts.input.kubectl("describe pods").value("-l", &label)
        }
        None => facts.input.kubectl("describe job").name(&job.name),
    };
    let remedy = facts.allow_pods(job).unwrap_or(describe);
    Some(FindingDetails::new(detail).about(run).remedy(remedy))
}

/// A pod whose node does not respond. That it blocks others is reported by another rule, which names the node, too.
fn silent_pod(facts: &Facts<'_>) -> Option<FindingDetails> {
    let mut runs = facts.unsettled();
    let (run, silent) = runs.find_map(|run| Some((run, facts.input.silent_pod(run.job)?)))?;
    if facts.is_in_the_way(run.job) {
        return None;
    }
    let (pod, why) = (one_line(&silent.pod.name), silent.in_words(facts));
    let mut detail = text!(
        "{} may no longer run: {} (pod {}).",
        job_in_words(run),
        why,
        pod
    );
    detail += facts.and_blocks(run.job);
    let remedy = facts.input.bring_back_node(silent.pod);
    let node = facts.input.node_as_cause(silent.pod, Some(silent.since));
    let found = FindingDetails::new(detail).titled("Node of a running Job is lost");
    Some(found.about(run).remedy(remedy).cause(node))
}

/// Since when a Job has no ready pod, if that is long ago.
fn unready_since(facts: &Facts<'_>, run: &PastRun<'_>) -> Option<Timestamp> {
    let job = run.job;
    let waits = run.ending().is_none()
        && job.suspend != Some(true)
        && job.deletion_timestamp.is_none()
        && (job.ready == Some(0) || job.start_time.is_none());
    let started = job.start_time.or(job.creation_timestamp);
    let started = started.filter(|_| waits)?;
    let pods = facts.input.pods_of(job);
    let since = match pods.first() {
        Some(_) if pods.iter().any(|pod| is_at_work(pod)) => return None,
        Some(newest) => newest.creation_timestamp.unwrap_or(started),
        // Between two pods, none is ready.
        None if job.succeeded > 0 || job.failed > 0 => return None,
        None => started,
    };
    (facts.input.ago(since) >= facts.patience()).then_some(since)
}

/// Whether a container of a pod is running, which may be an init container, but not a sidecar alone.
fn is_at_work(pod: &Pod) -> bool {
    let containers = pod.containers.iter();
    let mut at_work = containers.filter(|one| one.kind != ContainerKind::NativeSidecar);
    pod.phase == "Running" || at_work.any(|one| one.waiting.is_none() && one.terminated.is_none())
}

#[cfg(test)]
mod tests {
    mod pod_image_pull_fails {
        use super::super::pull_error;

        #[test]
        fn pull_error_is_the_innermost_cause() {
            let image = "registry.example.com/a:2";
            let layers = format!(
                "rpc error: code = Unknown desc = failed to pull and unpack image \"{image}\": failed to \
             resolve reference \"{image}\": "
            );
            let refused = "failed to authorize: unexpected status: 401 Unauthorized";
            assert_eq!(
                pull_error(&format!("{layers}{refused}")),
                format!("{image}: {refused}")
            );
            assert_eq!(
                pull_error(&format!("{layers}{image}: not found")),
                format!("{image}: not found")
            );
            assert_eq!(
                pull_error(&format!("Back-off pulling image \"{image}\"")),
                format!("Back-off pulling image \"{image}\"")
            );
            assert_eq!(pull_error(""), "");
        }
    }
}
