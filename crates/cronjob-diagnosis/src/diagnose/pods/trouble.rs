//! Pods that make no progress for one kind of reason.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use jiff::Timestamp;

use super::super::one_line;
use super::super::remedies::add_causes;
use super::super::{Facts, Input, local};
use super::job_in_words;
use crate::kubectl::Command;
use cronjob_text::duration::human;
use cronjob_text::text::Text;
use cronjob_text::words::counted;
use kube_model::{Event, PastRun, Pod};

/// A kind of obstacle for pods.
pub(crate) struct ObstacleKind {
    /// The obstacle that the status of a pod shows.
    pub(crate) obstacle: fn(&Pod) -> Option<Obstacle<'_>>,
    /// Whether an event about a pod reports it, with its cause.
    pub(crate) is_report: fn(&Event) -> bool,
    /// The reasons of the events that show that it is over.
    pub(crate) over: &'static [&'static str],
    /// The seconds for which it is normal.
    pub(crate) patience: i64,
}

/// Why a pod makes no progress.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Obstacle<'a> {
    /// The affected container; empty for the whole pod.
    pub(crate) container: &'a str,
    /// Its image; empty for the whole pod.
    pub(crate) image: &'a str,
    pub(crate) reason: &'a str,
    pub(crate) message: &'a str,
    /// Since when, if the pod itself knows.
    pub(crate) since: Option<Timestamp>,
}

impl<'a> Obstacle<'a> {
    /// The first container of a pod that waits for one of some reasons.
    pub(crate) fn waiting(pod: &'a Pod, reasons: fn(&str) -> bool) -> Option<Self> {
        pod.containers.iter().find_map(|container| {
            let waiting = container.waiting.as_ref();
            let waiting = waiting.filter(|waiting| reasons(&waiting.reason))?;
            Some(Obstacle {
                container: &container.name,
                image: &container.image,
                reason: &waiting.reason,
                message: &waiting.message,
                since: None,
            })
        })
    }
}

/// The pods of the newest Job that make no progress.
pub(crate) struct ObstructedPods<'a> {
    pub(crate) run: PastRun<'a>,
    pub(crate) pod: &'a str,
    /// How many pods of the Job make no progress.
    pods: u64,
    /// What the pod shows, or the events about it if the pod no longer exists.
    pub(crate) obstacle: Obstacle<'a>,
    /// The latest event that reports it.
    pub(crate) event: Option<&'a Event>,
    pub(crate) since: Option<Timestamp>,
    times: u64,
    /// Whether the pod was read, and not only events about it.
    seen: bool,
    /// How many older Jobs have the same problem.
    older: u64,
}

/// A pod that makes no progress.
struct Held<'a> {
    pod: &'a str,
    obstacle: Obstacle<'a>,
    event: Option<&'a Event>,
    since: Option<Timestamp>,
    times: u64,
}

impl<'a> ObstructedPods<'a> {
    /// Finds an obstacle for pods of an unfinished Job.
    pub(crate) fn find(facts: &Facts<'a>, kind: &ObstacleKind) -> Option<Self> {
        let runs = facts.unsettled();
        let mut troubles = runs.filter_map(|run| Self::of_run(&facts.input, *run, kind));
        let newest = troubles.next()?;
        let older = u64::try_from(troubles.count()).unwrap_or_default();
        Some(ObstructedPods { older, ..newest })
    }

    fn of_run(input: &Input<'a>, run: PastRun<'a>, kind: &ObstacleKind) -> Option<Self> {
        let pods = input.pods_of(run.job);
        let seen = !pods.is_empty();
        let events = input.events_of_pods(run.job);
        let mut held: Vec<Held<'a>> = if seen {
            let pods = pods.iter();
            pods.filter_map(|pod| of_pod(input, pod, &events, kind))
                .collect()
        } else {
            of_events(input, &events, kind)
        };
        held.retain(|held| held.since.is_none_or(|at| input.ago(at) >= kind.patience));
        let first = held.first()?;
        Some(ObstructedPods {
            run,
            pod: first.pod,
            pods: u64::try_from(held.len()).unwrap_or_default(),
            obstacle: first.obstacle,
            event: first.event,
            since: held.iter().filter_map(|held| held.since).min(),
            times: held.iter().map(|held| held.times).sum(),
            seen,
            older: 0,
        })
    }

    /// `JOB cannot pull the image for its pod POD, container main, since T (65m ago, 12 times)`
    pub(crate) fn sentence(&self, facts: &Facts<'_>, now: &str, then: &str) -> Text {
        let over = self.run.ending().is_some();
        let verb = if over { then } else { now };
        let (job, pod) = (job_in_words(&self.run), one_line(self.pod));
        let mut text = match self.pods {
            1 => text!("{} {} its pod {}", job, verb, pod),
            many => text!("{} {} {} of its pods, such as {}", job, verb, many, pod),
        };
        if !self.obstacle.container.is_empty() {
            let container = one_line(self.obstacle.container);
            text += text!(", container {}", container);
        }
        if let Some(since) = self.since {
            let (since, age) = (local(facts, since), human(facts.input.ago(since)));
            // The last run says how long it has been waiting.
            let ago = match self.times {
                0 | 1 => Text::aside(text!(" ({} ago)", age)),
                many => text!(
                    " ({}{})",
                    Text::aside(text!("{} ago, ", age)),
                    counted(many, "time")
                ),
            };
            let begin = if over { "starting" } else { "since" };
            let is_named = !self.obstacle.container.is_empty();
            let comma = if is_named { "," } else { "" };
            text += text!("{} {} {}{}", comma, begin, since, ago);
        }
        text
    }

    /// The sentence with the cause, and with what follows from it.
    pub(crate) fn detail(&self, facts: &Facts<'_>, sentence: Text, message: &str) -> Text {
        let mut detail = sentence;
        add_causes(&mut detail, [self.obstacle.reason, message]);
        detail += ".";
        match self.older {
            0 => {}
            1 => detail += " An older Job has the same problem.",
            many => detail += text!(" {} older Jobs have the same problem.", many),
        }
        detail += facts.and_blocks(self.run.job);
        detail
    }

    /// Shows the pod, or the events about it if it is gone.
    pub(crate) fn show(&self, input: &Input<'_>) -> Command {
        input.show_pod(self.pod, self.seen)
    }

    /// Shows the pod, and how to start again: a Job keeps the template that it was created with.
    pub(crate) fn show_and_recreate(&self, facts: &Facts<'_>) -> Command {
        let show = self.show(&facts.input);
        if self.run.ending().is_some() {
            return show.then_run_again(facts.input.doctor("trigger"));
        }
        show.or("fix the CronJob, then", facts.recreate(&self.run.job.name))
    }
}

fn of_pod<'a>(
    input: &Input<'_>,
    pod: &'a Pod,
    events: &[&'a Event],
    kind: &ObstacleKind,
) -> Option<Held<'a>> {
    let about = |event: &&&Event| {
        let involved = &event.involved_object;
        involved.name == pod.name && super::same_uid(&involved.uid, &pod.uid)
    };
    let events: Vec<&Event> = events.iter().filter(about).copied().collect();
    let reported = reported(input, &pod.name, &events, kind);
    let obstacle = (kind.obstacle)(pod);
    if obstacle.is_none() && pod.phase != "Pending" {
        return None;
    }
    let Some(obstacle) = obstacle else {
        return reported;
    };
    let (event, since, times) = reported.map_or((None, None, 0), |reported| {
        (reported.event, reported.since, reported.times)
    });
    Some(Held {
        pod: &pod.name,
        obstacle,
        event,
        // Where events are not read, the same is known.
        since: obstacle.since.or(pod.creation_timestamp).or(since),
        times,
    })
}

/// The obstacles that events report, for pods that were not read or no longer exist.
fn of_events<'a>(input: &Input<'_>, events: &[&'a Event], kind: &ObstacleKind) -> Vec<Held<'a>> {
    let names = events
        .iter()
        .map(|event| event.involved_object.name.as_str());
    let names: BTreeSet<&str> = names.collect();
    let held = names.into_iter().filter_map(|name| {
        let about = |event: &&&Event| event.involved_object.name == name;
        let events: Vec<&Event> = events.iter().filter(about).copied().collect();
        reported(input, name, &events, kind)
    });
    let mut held: Vec<Held<'a>> = held.collect();
    held.sort_by_key(|held| Reverse(held.event.and_then(Event::last_seen)));
    held
}

/// The obstacle that events about one pod report, unless later ones show that it is over.
fn reported<'a>(
    input: &Input<'_>,
    pod: &'a str,
    events: &[&'a Event],
    kind: &ObstacleKind,
) -> Option<Held<'a>> {
    let reports = || events.iter().filter(|event| (kind.is_report)(event));
    let times = |event: &&Event| u64::try_from(event.occurrences()).unwrap_or(1);
    let last = reports().max_by_key(|event| event.last_seen())?;
    let seen = last.last_seen()?;
    let mut ends = events
        .iter()
        .filter(|event| kind.over.contains(&event.reason.as_str()));
    let over = ends.any(|event| event.last_seen() >= Some(seen));
    if over || !input.is_recent(seen) {
        return None;
    }
    Some(Held {
        pod,
        obstacle: Obstacle {
            message: &last.message,
            ..Obstacle::default()
        },
        event: Some(last),
        since: reports().filter_map(|event| event.first_seen()).min(),
        times: reports().map(times).sum(),
    })
}
