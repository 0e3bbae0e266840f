//! No node takes a pod.

use super::super::pods::{Hold, Kind, Trouble};
use super::super::{Facts, Found};
use crate::model::{Event, Pod};

const KIND: Kind = Kind {
    hold,
    tells: |event| event.reason == "FailedScheduling",
    over: &["Scheduled"],
    // A new node takes a while, and so does the end of another Job.
    patience: 60,
};

fn hold(pod: &Pod) -> Option<Hold<'_>> {
    let scheduled = pod.conditions.iter().find(|condition| {
        condition.r#type == "PodScheduled"
            && condition.status == "False"
            && condition.reason == "Unschedulable"
    })?;
    Some(Hold {
        message: &scheduled.message,
        since: scheduled.last_transition_time,
        ..Hold::default()
    })
}

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let trouble = Trouble::find(facts, &KIND)?;
    let sentence = trouble.sentence(facts, "finds no node", "found no node");
    let mut detail = trouble.detail(facts, &sentence, causes(trouble.hold.message));
    let events = facts.events_of_pods(trouble.run.job);
    let no_more = |event: &Event| {
        event.reason == "NotTriggerScaleUp" && event.involved_object.name == trouble.pod
    };
    if events.into_iter().any(no_more) {
        detail.push_str(" The autoscaler has no node to add that would do.");
    }
    Some(Found::new(detail).remedy(trouble.look(facts)))
}

/// What stands in the way, without what was thought of evicting others.
fn causes(message: &str) -> &str {
    const END: [char; 3] = [' ', ',', '.'];
    let (causes, _) = message.split_once("preemption:").unwrap_or((message, ""));
    let causes = causes.trim_end_matches(END);
    let claims = "no new claims to deallocate";
    causes
        .strip_suffix(claims)
        .unwrap_or(causes)
        .trim_end_matches(END)
}
