//! Commands to paste, what they cause, and other text that findings have in common.

use jiff::Timestamp;
use serde_json::Value;

use super::outage::show_lease;
use super::{Facts, Input, for_run, local, one_line};
use crate::kubectl::{Command, Kubectl};
use cronjob_controller::controller::{Decision, Model, ON_TIME, Outcome, decide, edit_effect};
use cronjob_manifest::rules::sensible_deadline;
use cronjob_text::duration::{human, whole_second};
use cronjob_text::text::{LocalTime, Text};
use kube_model::{CronJob, CronJobSpec, Job, PastRun};

impl Input<'_> {
    /// A command of kubectl, such as `get job`, in the namespace.
    pub fn kubectl(&self, verb: &'static str) -> Command {
        let command = self.kubectl.command(verb);
        command.namespace(&self.cron_job.namespace)
    }

    /// A verb of this program for the `CronJob`.
    pub fn doctor(&self, verb: &'static str) -> Command {
        let command = self.kubectl.doctor(verb);
        command
            .namespace(&self.cron_job.namespace)
            .name(&self.cron_job.name)
    }

    /// Adds how to run a run again, after a remedy: the Job as it was if it has finished and nothing corrects the
    /// CronJob or has changed it since, and the CronJob as it is then otherwise.
    pub(super) fn then_run_again(&self, remedy: Command, run: &PastRun<'_>) -> Command {
        let is_same = !remedy.corrects() && !self.cron_job.may_differ_from(run.job);
        let again = if is_same && run.ending().is_some() {
            self.kubectl.retry(&run.job.namespace, &run.job.name)
        } else {
            self.doctor("trigger")
        };
        let remedy = if self.is_deleted_with_next_failure(run.job) {
            remedy.then_save_logs(self.save_logs(&run.job.name))
        } else {
            remedy
        };
        remedy.then_run_again(again)
    }

    /// Whether the history limit deletes a failed Job when another one fails.
    fn is_deleted_with_next_failure(&self, job: &Job) -> bool {
        let limit = self.cron_job.spec.failed_jobs_history_limit;
        let is_kept = |other: &&Job| {
            other.failure().is_some() && other.creation_timestamp >= job.creation_timestamp
        };
        let kept = self.jobs.iter().filter(is_kept).count();
        let is_full =
            i32::try_from(kept).is_ok_and(|kept| limit.is_some_and(|limit| kept >= limit));
        job.failure().is_some() && is_full
    }

    /// Writes the logs of a Job to a file.
    pub(crate) fn save_logs(&self, job: &str) -> Command {
        let logs = self.doctor("logs").value("--job", job);
        logs.value(">", &format!("{job}.log"))
    }

    /// Starts the last missed run as the controller would have started it.
    pub(super) fn backfill(&self) -> Command {
        self.doctor("backfill").value("--last", "1")
    }

    /// Shows whether the controller manager is running.
    pub(super) fn show_lease(&self) -> Command {
        show_lease(self.kubectl)
    }

    /// Makes the controller sync now: any update of the object does, except of the schedule alone.
    pub fn touch(&self) -> Command {
        let touch = self.kubectl("annotate cronjob").name(&self.cron_job.name);
        let at = whole_second(self.now);
        touch
            .argument(&format!("cronjob-doctor/touched={at}"))
            .with("--overwrite")
    }
}

impl Facts<'_> {
    /// Sets a sensible `startingDeadlineSeconds`.
    pub(crate) fn set_deadline(&self) -> Command {
        self.patch(&serde_json::json!({ "startingDeadlineSeconds": self.sensible_deadline() }))
    }

    /// Changes fields of the spec, given as JSON, with a comment if that starts a Job.
    pub fn patch(&self, spec: &serde_json::Value) -> Command {
        let CronJob {
            namespace, name, ..
        } = &*self.input.cron_job;
        let patch = patch_command(self.input.kubectl, namespace, name, spec);
        match self.after_patching(spec) {
            Some(then) => patch.comment(then),
            None => patch,
        }
    }

    /// Deletes a Job that does not finish, after its cause was fixed, and runs it again.
    pub(super) fn recreate(&self, job: &str) -> Command {
        let delete = self.delete_job(job);
        if self.decide_without(job).starts() {
            return delete;
        }
        delete.then_run_again(self.input.doctor("trigger"))
    }

    pub fn sensible_deadline(&self) -> i64 {
        self.intervals().map_or(300, |intervals| {
            let is_every = self.input.cron_job.spec.every().is_some();
            sensible_deadline(intervals.shortest, is_every)
        })
    }
}

/// The command that changes fields of the spec, given as JSON.
pub fn patch_command(
    kubectl: &Kubectl,
    namespace: &str,
    name: &str,
    spec: &serde_json::Value,
) -> Command {
    let patch = serde_json::json!({ "spec": spec }).to_string();
    let command = kubectl
        .command("patch cronjob")
        .namespace(namespace)
        .name(name);
    command.with("--type=merge").value("-p", &patch)
}

/// Adds those causes to a sentence that are not empty: `: ImagePullBackOff: not found`
pub(super) fn add_causes<T>(text: &mut T, causes: [&str; 2])
where
    T: for<'a> std::ops::AddAssign<&'a str>,
{
    for cause in causes.map(one_line) {
        let cause = cause.trim_end_matches(['.', ' ']);
        if !cause.is_empty() {
            *text += ": ";
            *text += cause;
        }
    }
}

impl Input<'_> {
    /// The controller as the subject of a sentence: `Kubernetes 1.36`.
    pub(super) fn controller_name(&self) -> String {
        match self.controller.model {
            Model::Kubernetes => format!("Kubernetes {}", self.controller.release),
            Model::Kubebuilder => "this controller".to_owned(),
        }
    }
}

impl Facts<'_> {
    /// What the controller would do now if a Job were deleted first.
    pub(crate) fn decide_without(&self, job: &str) -> Decision {
        let others = self.controller_jobs.iter();
        let others = others.filter(|known| known.name != job);
        let others: Vec<Job> = others.cloned().collect();
        decide(
            self.input.controller,
            &self.input.cron_job,
            &others,
            self.input.now,
        )
    }

    /// What the controller does as soon as a Job is deleted, as the end of a sentence.
    pub(super) fn after_deleting(&self, job: &str) -> Text {
        let then = self.decide_without(job);
        if let Some(start) = self.start(&then, self.input.now) {
            return self.then_starts(&start);
        }
        match (then.outcome, then.status_after.active.first()) {
            (Outcome::Blocked, Some(other)) => {
                text!("{} then still blocks the next run", one_line(other))
            }
            (Outcome::Wait | Outcome::NoRunFound | Outcome::AlreadyProcessed, _) => {
                let next = self.next_run().filter(|_| self.input.has_time_to_start());
                next.map_or_else(
                    || "nothing starts then".into(),
                    |next| text!("the next run is then scheduled at {}", local(self, next)),
                )
            }
            _ => "nothing starts then".into(),
        }
    }

    /// What a change of the spec starts that would not start without it.
    pub(super) fn after_patching(&self, spec: &Value) -> Option<Text> {
        if self.decision.starts() {
            return None;
        }
        let mut changed = self.input.cron_job.clone().into_owned();
        merge(&mut changed.spec, spec);
        let effect = edit_effect(
            self.input.controller,
            &self.input.cron_job,
            &changed,
            &self.controller_jobs,
            self.input.now,
        );
        let at = effect.syncs_at.filter(|_| effect.retroactive)?;
        let start = self.start(effect.decision_then.as_ref()?, at)?;
        // The first generation polls.
        let soon = at.as_second() - self.input.now.as_second() <= ON_TIME;
        Some(if soon {
            self.then_starts(&start)
        } else {
            text!(
                "the controller then starts {}, at {}",
                start,
                local(self, at)
            )
        })
    }

    /// What a change starts immediately, as the end of a sentence.
    fn then_starts(&self, start: &Text) -> Text {
        if self.controller_is_down() {
            text!(
                "it starts {} once kube-controller-manager is running again",
                start
            )
        } else {
            text!("the controller then immediately starts {}", start)
        }
    }

    /// `JOB for the run scheduled at TIME (9h late)`
    fn start(&self, decision: &Decision, at: Timestamp) -> Option<Text> {
        let (job, run) = (decision.job_name.as_deref()?, decision.scheduled_time?);
        let starts = decision.starts();
        starts.then(|| text!("{} {}", one_line(job), for_run(self, run, at)))
    }

    /// `Sun 2026-11-22 02:00 UTC (3m ago)`
    pub(super) fn past_time(&self, at: Timestamp) -> Text {
        text!("{} ({} ago)", local(self, at), human(self.input.ago(at)))
    }

    /// A time in text without its zone, for a sentence that has already named it.
    pub fn local_without_zone(&self, at: Timestamp) -> LocalTime {
        local(self, at).without_zone()
    }
}

/// Applies the fields that remedies change and that affect starts.
fn merge(spec: &mut CronJobSpec, patch: &Value) {
    if let Some(seconds) = patch.get("startingDeadlineSeconds") {
        spec.starting_deadline_seconds = seconds.as_i64();
    }
    if let Some(suspend) = patch.get("suspend") {
        spec.suspend = suspend.as_bool();
    }
    if let Some(schedule) = patch.get("schedule").and_then(Value::as_str) {
        schedule.clone_into(&mut spec.schedule);
    }
    if let Some(zone) = patch.get("timeZone") {
        spec.time_zone = zone.as_str().map(str::to_owned);
    }
}
