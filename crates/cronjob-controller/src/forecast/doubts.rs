//! What else coming syncs depend on, beside what the two runs of the controller show.

use std::collections::HashSet;

use super::sync::{Sync, SyncCondition, Uncertainty};
use super::{PROMPT, Situation, retry, run, seconds};
use crate::controller::{Generation, Outcome};
use kube_model::Job;

/// Changes the conditions of syncs.
type Doubt = fn(&Situation<'_>, &mut [Sync]);

/// The doubts about any forecast. The order matters: a later one sees the conditions that earlier ones left, and may
/// replace them.
pub(super) const DOUBTS: [Doubt; 5] = [
    quota_refuses_the_job,
    names_may_be_taken,
    creation_fails_again,
    controller_comes_too_late,
    controller_is_down,
];

/// Makes the syncs uncertain that a doubt is about.
pub(super) fn make_uncertain<'s>(
    syncs: impl IntoIterator<Item = &'s mut Sync>,
    why: Uncertainty,
    is_concerned: impl Fn(&Sync) -> bool,
) {
    for sync in syncs.into_iter().filter(|sync| is_concerned(sync)) {
        sync.condition = Some(SyncCondition::Unknown(why));
    }
}

fn starts(syncs: &mut [Sync]) -> impl Iterator<Item = &mut Sync> {
    syncs.iter_mut().filter(|sync| sync.starts())
}

fn quota_refuses_the_job(situation: &Situation<'_>, syncs: &mut [Sync]) {
    for sync in starts(syncs).filter(|_| situation.quota_is_full) {
        let is_doubtful = matches!(
            sync.condition,
            Some(SyncCondition::EstimatedTime | SyncCondition::Unknown(_))
        );
        if !is_doubtful {
            // Whether a Job runs matters less than that the next one is refused.
            sync.condition = Some(SyncCondition::CreationSucceeds);
        }
    }
}

/// A Job that is deleted soon after it has finished may be gone when a run with its name is due.
fn names_may_be_taken(situation: &Situation<'_>, syncs: &mut [Sync]) {
    const MINUTE: i64 = 60;
    let (name, spec) = (&situation.cron_job.name, &situation.cron_job.spec);
    let limits = [
        spec.successful_jobs_history_limit,
        spec.failed_jobs_history_limit,
    ];
    let is_short_lived = spec
        .job_setting("ttlSecondsAfterFinished")
        .is_some_and(|seconds| seconds < MINUTE);
    if !limits.contains(&Some(0)) && !is_short_lived {
        return;
    }
    let is_own = |job: &&Job| job.owner() == Some(name);
    let jobs = || situation.jobs.iter();
    let stays = |taken: &String| jobs().any(|job| job.name == *taken && !is_own(&job));
    let mut names: HashSet<String> = jobs().filter(is_own).map(|job| job.name.clone()).collect();
    let is_certain = |sync: &&Sync| match &sync.job_name {
        Some(job) if sync.outcome == Outcome::NameTaken => stays(job),
        Some(job) if sync.starts() => names.insert(job.clone()),
        _ => true,
    };
    let certain = syncs.iter().take_while(is_certain).count();
    let doubtful = syncs.iter_mut().skip(certain);
    make_uncertain(doubtful, Uncertainty::NameTaken, |sync| {
        !sync.is_if_job_runs()
    });
}

fn creation_fails_again(situation: &Situation<'_>, syncs: &mut [Sync]) {
    let fails = retry::last_attempt_failed(situation);
    for sync in starts(syncs).filter(|sync| fails && sync.condition.is_none()) {
        sync.condition = Some(SyncCondition::CreationSucceeds);
    }
}

fn controller_comes_too_late(situation: &Situation<'_>, syncs: &mut [Sync]) {
    let polls = situation.controller.behavior().generation == Generation::V1;
    for sync in starts(syncs) {
        let late = match sync.condition {
            None => PROMPT,
            // It looks every 10s, and looks at one after the other.
            Some(SyncCondition::EstimatedTime) if polls => 2 * PROMPT,
            Some(_) => continue,
        };
        if let Some(in_time) = syncs_in_time(situation, sync, late) {
            sync.condition = Some(in_time);
        }
    }
}

/// A start that a controller may come too late for that is sometimes late by as many seconds.
fn syncs_in_time(situation: &Situation<'_>, sync: &Sync, late: i64) -> Option<SyncCondition> {
    let deadline = situation.cron_job.spec.starting_deadline_seconds?;
    let before = sync.scheduled_time?.checked_add(seconds(deadline)).ok()?;
    let longest_delay = seconds(situation.longest_delay.max(late));
    (run::later(sync.at?, longest_delay) > before)
        .then_some(SyncCondition::SyncsInTime { deadline, before })
}

fn controller_is_down(situation: &Situation<'_>, syncs: &mut [Sync]) {
    let starts = starts(syncs).filter(|_| situation.controller_is_down);
    make_uncertain(starts, Uncertainty::ControllerDown, |sync| {
        !sync.is_if_job_finishes() && !sync.is_if_job_runs()
    });
}
