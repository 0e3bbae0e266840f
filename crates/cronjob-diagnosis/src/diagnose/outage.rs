//! Whether the controller starts nothing anywhere.
//!
//! One `CronJob` that is not started may have a reason of its own that nothing shows, such as the back-off of an
//! attempt without an event. Several that are due, while the controller does nothing at all, have one in common.

use std::collections::HashSet;
use std::iter;

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use super::suspension::{last_run_skipped_by, unchanged_since};
use super::together::Beside;
use super::{Facts, local, utc_or};
use crate::kubectl::{Kubectl, PLAIN, Remedy};
use cronjob_controller::controller::{Controller, Model, Outcome, marks_of_run};
use cronjob_text::duration::whole_second;
use cronjob_text::text::{LocalTime, Text};
use cronjob_text::words::plural;
use kube_cron::Zone;
use kube_model::{
    BACKFILLED, ConcurrencyPolicy, Coverage, CronJob, CronJobEvidence, Outage, PastOutage,
    time_in_name,
};

/// A busy controller is late by seconds.
pub(super) const PATIENCE: i64 = 60;
/// How many CronJobs have to be due.
pub(super) const ENOUGH: usize = 2;

/// What the controller seems to leave undone.
#[derive(Default)]
pub struct LeftUndone {
    /// When each `CronJob` was due first since the controller last did anything for one of them, if that is a minute
    /// ago; empty if none was.
    passed_over_since: Vec<Option<Timestamp>>,
    /// That the controller seems to be down.
    pub outage: Option<Outage>,
}

impl LeftUndone {
    /// When each `CronJob` was due first, in their order, and endless.
    pub(crate) fn passed_over_since(&self) -> impl Iterator<Item = Option<Timestamp>> + '_ {
        self.passed_over_since
            .iter()
            .copied()
            .chain(iter::repeat(None))
    }
}

/// Judges the controller by its lease where that was read, and by the CronJobs.
pub(crate) fn left_undone<'a>(
    controller: &Controller,
    all_evidence: impl Iterator<Item = &'a CronJobEvidence> + Clone,
    beside: &'a Beside,
    coverage: Coverage,
    now: Timestamp,
) -> LeftUndone {
    let all_evidence = all_evidence.chain(&beside.cron_jobs);
    let seen = coverage.as_of.min(now);
    let last = |times: &mut dyn Iterator<Item = Timestamp>| times.filter(|at| *at <= seen).max();
    let last_start = last(&mut all_evidence.clone().flat_map(starts));
    let alive = last(&mut all_evidence.clone().flat_map(other_signs)).max(last_start);
    let until = seen.checked_sub(SignedDuration::from_secs(PATIENCE));
    let until = until.map_or(Timestamp::MIN, whole_second);
    if controller.model != Model::Kubernetes || alive >= Some(until) {
        return LeftUndone::default();
    }
    let since = all_evidence.map(|evidence| {
        let facts = Facts::of(controller, &PLAIN, evidence, coverage, now);
        facts.first_due_between(alive, until)
    });
    let passed_over_since: Vec<Option<Timestamp>> = since.collect();
    let due = passed_over_since.iter().flatten().count();
    let is_down = match beside.lease_renewed {
        Some(_) => due > 0 && !beside.shows_running(now),
        None => beside.are_all && due >= ENOUGH,
    };
    LeftUndone {
        passed_over_since,
        outage: is_down.then_some(Outage { last_start, due }),
    }
}

/// What it means, without a full stop.
fn in_words(outage: Outage, shown: impl Fn(Timestamp) -> LocalTime) -> Text {
    let since = outage
        .last_start
        .map_or_else(Text::default, |last| text!(" since {}", shown(last)));
    let were = plural(outage.due, "was", "were");
    text!(
        "No CronJob has been started{} although {} {} due: kube-controller-manager seems to be down",
        since,
        outage.due,
        were
    )
}

/// The controller seems to be down.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ControllerOutage {
    /// When a `CronJob` was started last; null if none ever was, as far as is known.
    pub last_start: Option<Timestamp>,
    /// How many `CronJob`s were due since the controller last did anything, and were not started.
    pub due: usize,
    /// All of this as a sentence, without a full stop.
    pub text: Text,
    /// The command that shows whether the controller is running.
    pub remedy: Remedy,
}

impl ControllerOutage {
    pub(crate) fn of(outage: Outage, kubectl: &Kubectl, display: Option<&Zone>) -> Self {
        ControllerOutage {
            last_start: outage.last_start,
            due: outage.due,
            text: in_words(outage, |at| utc_or(display, at)),
            remedy: show_lease(kubectl).into(),
        }
    }
}

/// Shows whether the controller manager is running.
pub(super) fn show_lease(kubectl: &Kubectl) -> crate::kubectl::Command {
    let look = kubectl.command("get lease");
    let look = look
        .namespace("kube-system")
        .name("kube-controller-manager");
    look.with("-o yaml")
        .comment("renewTime should be a few seconds old")
}

/// Who does nothing, in the middle of a sentence.
pub const DOWN: &str = "kube-controller-manager, which seems to be down,";

impl Facts<'_> {
    /// Whether nothing starts, whatever is due.
    pub fn controller_is_down(&self) -> bool {
        self.input.outage.is_some()
    }

    /// That the controller seems to be down, as a sentence without a full stop.
    pub(crate) fn outage_in_words(&self) -> Option<Text> {
        Some(in_words(self.input.outage?, |at| local(self, at)))
    }

    /// How many runs the controller has passed over since it went down, and the first of them. Those before may have
    /// been missed for another reason, such as a suspension.
    pub(super) fn missed_in_outage(&self) -> Option<(u64, Timestamp)> {
        let first = self.input.passed_over_since?;
        let before = first.checked_sub(SignedDuration::from_secs(1)).ok()?;
        let counted = self
            .timetable
            .as_ref()?
            .count(before, self.input.now)
            .ok()?;
        // After a change of the schedule it is not one of its runs.
        (counted.first == Some(first)).then_some((counted.count, first))
    }

    /// The outage that a time is in, which may last.
    pub(crate) fn outage_at(&self, second: i64) -> Option<PastOutage> {
        let now = self.input.outage.map(|outage| PastOutage {
            last_start: outage.last_start,
            last_sign: outage.last_start.unwrap_or(Timestamp::MIN),
            next_sign: Timestamp::MAX,
        });
        let past = self.input.past_outages.iter().copied();
        now.into_iter().chain(past).find(|outage| {
            outage.last_sign.as_second() < second && second < outage.next_sign.as_second()
        })
    }

    /// Why a run was missed in an outage, the same whether it lasts or not, without a full stop.
    pub(crate) fn missed_because(&self, outage: PastOutage) -> Text {
        let after = outage
            .last_start
            .map(|last| text!(" after {}", local(self, last)));
        text!(
            "No CronJob was started{} although runs were due: kube-controller-manager seems to have been down",
            after.unwrap_or_default()
        )
    }

    /// When a run was due first that the controller has not started, if the latest one has only just become due.
    pub(super) fn passed_over_before(&self, latest: Timestamp) -> Option<Timestamp> {
        let since = self.input.passed_over_since?;
        let is_new = self.input.now.as_second() - latest.as_second() <= PATIENCE;
        Some(since).filter(|since| is_new && *since < latest)
    }

    /// The first run that was due in a time, if nothing but the controller can have kept it from starting.
    fn first_due_between(&self, after: Option<Timestamp>, until: Timestamp) -> Option<Timestamp> {
        let CronJob { spec, status, .. } = &*self.input.cron_job;
        let is_blocked =
            spec.concurrency_policy == ConcurrencyPolicy::Forbid && !status.active.is_empty();
        let may_start = matches!(
            self.decision.outcome,
            Outcome::Start
                | Outcome::Replace
                | Outcome::Wait
                | Outcome::DeadlineExceeded
                | Outcome::NoRunFound
        );
        let created = self.input.cron_job.known_creation();
        if is_blocked || !may_start || !self.input.has_time_to_start() || created.is_none() {
            return None;
        }
        let written = unchanged_since(&self.input.cron_job);
        let times = [after, written, created, status.last_schedule_time];
        let from = times.into_iter().flatten().max();
        let first = from.and_then(|from| self.next_run_after(from));
        let due = iter::successors(first, |due| self.next_run_after(*due));
        // A Job takes the name of all runs of a minute.
        let most = 60 * (self.input.jobs.len() + 1);
        let mut due = due.take(most).take_while(|due| *due <= until);
        due.find(|due| !self.is_name_taken(*due))
    }

    fn is_name_taken(&self, run: Timestamp) -> bool {
        let marks = marks_of_run(self.input.controller, &self.input.cron_job, run);
        self.input.job_named(&marks.job_name).is_some()
    }
}

/// When Jobs of a `CronJob` were started.
pub(super) fn starts(evidence: &CronJobEvidence) -> impl Iterator<Item = Timestamp> + '_ {
    let cron_job = &evidence.cron_job;
    // A client that skipped a run started nothing.
    let recorded = cron_job.status.last_schedule_time;
    let recorded = recorded.filter(|_| last_run_skipped_by(cron_job).is_none());
    starts_of_jobs(evidence).chain(recorded)
}

/// When the controller created Jobs of a `CronJob` that are left.
pub(super) fn starts_of_jobs(evidence: &CronJobEvidence) -> impl Iterator<Item = Timestamp> + '_ {
    let cron_job = &evidence.cron_job;
    let active = cron_job.status.active.iter();
    let active: HashSet<&str> = active.map(|known| known.uid.as_str()).collect();
    let jobs = evidence.jobs.iter();
    let jobs = jobs.filter(move |job| {
        // A copy of a Job has another name, and one that was created again another identity.
        let is_named = time_in_name(&cron_job.name, &job.name).is_some();
        let is_copy = job.by_kubectl || job.annotations.contains(BACKFILLED);
        let is_known = job.ending().is_some() || active.contains(job.uid.as_str());
        is_named && is_known && cron_job.created(job) && !is_copy
    });
    jobs.filter_map(|job| job.creation_timestamp)
}

/// When the controller did something else for a `CronJob`: it wrote the status, or an event.
pub(super) fn other_signs(evidence: &CronJobEvidence) -> impl Iterator<Item = Timestamp> + '_ {
    let writes = evidence.cron_job.managed_fields.iter();
    // The name of the controller differs between distributions.
    let writes = writes
        .filter(|write| write.subresource == "status" && !write.manager.starts_with("kubectl"));
    let events = evidence.events.iter();
    let events = events.filter(|event| event.involved_object.kind == "CronJob");
    let events = events.flat_map(|event| [event.first_seen(), event.last_seen()]);
    writes.map(|write| write.time).chain(events).flatten()
}
