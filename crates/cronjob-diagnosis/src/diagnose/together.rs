//! What CronJobs show about each other: which coming runs may be past their deadline because others are due at the
//! same time, and whether the controller seems to be down.
//!
//! The answer about a `CronJob` must not depend on what else was selected. So what was not selected is judged, too
//! ([`Beside`]).

use std::iter;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::Facts;
use super::findings::is_lost_without_cause;
use super::outage::{PATIENCE, left_undone};
use super::past_outages::past_outages;
use crate::history::is_missed_without_cause;
use crate::load::{LoadMember, LoadWindow, runs_past_deadline};
use cronjob_controller::controller::{Controller, Model, Requeue};
use kube_model::{
    Coverage, CronJob, CronJobEvidence, ExpectedDelay, PastOutage, has_deadline, start_delays,
};

/// What is judged beside the CronJobs of an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beside {
    /// Other CronJobs. Without their Jobs, the status shows when they were started.
    pub cron_jobs: Vec<CronJobEvidence>,
    /// Whether their Jobs and events were read.
    pub has_jobs: bool,
    /// Whether these and the CronJobs of the answer are all of a namespace at least. Those of a selection may have
    /// something in common that is not the controller.
    pub are_all: bool,
    /// When the controller manager last renewed its lease; `None` if that was not read.
    pub lease_renewed: Option<Timestamp>,
}

impl Beside {
    /// The other CronJobs of files, of which everything is read.
    pub fn of_files(cron_jobs: Vec<CronJobEvidence>) -> Self {
        Beside {
            cron_jobs,
            has_jobs: true,
            are_all: true,
            lease_renewed: None,
        }
    }

    /// Whether the lease shows that the controller manager was running up to a minute ago.
    pub fn shows_running(&self, now: Timestamp) -> bool {
        let renewed = self.lease_renewed;
        renewed.is_some_and(|renewed| now.as_second() - renewed.as_second() <= PATIENCE)
    }
}

/// Sets what CronJobs show about each other.
pub fn judge_together(
    controller: &Controller,
    all_evidence: &mut [&mut CronJobEvidence],
    beside: &Beside,
    coverage: Coverage,
    now: Timestamp,
) {
    let known = || all_evidence.iter().map(|one| &**one);
    let delays = expected_delays(controller, known(), beside, now);
    let undone = left_undone(controller, known(), beside, coverage, now);
    let past: Arc<[PastOutage]> = match controller.model {
        Model::Kubernetes => {
            let others = beside.cron_jobs.iter().filter(|_| beside.has_jobs);
            past_outages(&known().chain(others)).into()
        }
        Model::Kubebuilder => Arc::default(),
    };
    let measured = beside.has_jobs.then(|| {
        let all_evidence = known().chain(&beside.cron_jobs);
        start_delays(all_evidence)
    });
    let judged = delays.into_iter().chain(iter::repeat(None));
    let judged = judged.zip(undone.passed_over_since());
    for (evidence, (delay, since)) in all_evidence.iter_mut().zip(judged) {
        evidence.expected_delay = delay;
        evidence.outage = undone.outage;
        evidence.past_outages = Arc::clone(&past);
        evidence.passed_over_since = since;
        if let Some(measured) = measured
            .as_ref()
            .filter(|_| has_deadline(&evidence.cron_job))
        {
            evidence.start_delays = Arc::clone(measured);
        }
    }
}

/// What CronJobs that were judged by themselves lack to be judged together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingBeside {
    /// The lease of the controller manager, because a run may have been passed over, or a start be promised.
    pub lease: bool,
    pub cron_jobs: MissingCronJobs,
    /// Their Jobs and events, which show when the controller was down in the past.
    pub jobs: bool,
}

/// Whether other CronJobs are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingCronJobs {
    No,
    /// Only if the lease does not show that the controller manager is running, and not very many.
    UnlessRunning,
    Yes,
}

impl MissingBeside {
    /// `are_all` is false where the CronJobs are a selection. A change may promise a start although no run is late.
    pub fn of<'a>(
        all_evidence: &(impl Iterator<Item = &'a CronJobEvidence> + Clone),
        are_all: bool,
        predicts_change: bool,
    ) -> Self {
        let has = |is_so: fn(&CronJobEvidence) -> bool| all_evidence.clone().any(is_so);
        let is_passed_over = has(|one| one.passed_over_since.is_some());
        // One that is suspended shows nothing, and a missed run of it may be promised.
        let is_suspended = !are_all && has(|one| one.cron_job.spec.suspend == Some(true));
        let is_unknown = predicts_change || is_suspended;
        MissingBeside {
            lease: is_passed_over || is_unknown,
            cron_jobs: if is_passed_over || has(|one| depends_on_others(&one.cron_job)) {
                MissingCronJobs::Yes
            } else if is_unknown {
                MissingCronJobs::UnlessRunning
            } else {
                MissingCronJobs::No
            },
            jobs: false,
        }
    }

    /// Adds what CronJobs lack of which a past run was missed although nothing of their own explains that.
    /// `shows_runs` is false where only findings are shown.
    #[must_use]
    pub fn for_past_runs<'a>(
        self,
        mut all_facts: impl Iterator<Item = Facts<'a>>,
        shows_runs: bool,
    ) -> Self {
        let jobs = all_facts.any(|facts| {
            let is_kubernetes = facts.input.controller.model == Model::Kubernetes;
            is_kubernetes
                && (is_lost_without_cause(&facts) || shows_runs && is_missed_without_cause(&facts))
        });
        MissingBeside { jobs, ..self }
    }

    pub(crate) fn is_any(self) -> bool {
        self.lease || self.cron_jobs != MissingCronJobs::No
    }
}

/// Whether a `CronJob` may not start in time because of others that are due at the same time, even if these are few.
fn depends_on_others(cron_job: &CronJob) -> bool {
    // A start takes less than a second, so more than this many would have to be due at once.
    const SHORT: i64 = 120;
    let deadline = cron_job.spec.starting_deadline_seconds;
    deadline.is_some_and(|deadline| (1..SHORT).contains(&deadline))
}

/// The delay of each `CronJob` that may take a run of the next day past its deadline; empty if no run can be.
pub(crate) fn expected_delays<'a>(
    controller: &Controller,
    all_evidence: impl Iterator<Item = &'a CronJobEvidence>,
    beside: &'a Beside,
    now: Timestamp,
) -> Vec<Option<ExpectedDelay>> {
    const DAY: SignedDuration = SignedDuration::from_hours(24);
    let all = all_evidence.chain(&beside.cron_jobs);
    let cron_jobs: Vec<&CronJob> = all.map(|one| &one.cron_job).collect();
    // Another rule is about the releases that work in passes; in the others a start takes less than a second.
    let polls = controller.behavior().requeue == Requeue::Poll;
    let longest = i64::try_from(cron_jobs.len()).unwrap_or(i64::MAX);
    let is_short = |deadline: &i64| !polls && (1..longest).contains(deadline);
    let deadlines = cron_jobs.iter();
    let deadlines = deadlines.map(|one| one.spec.starting_deadline_seconds.filter(is_short));
    let deadlines: Vec<Option<i64>> = deadlines.collect();
    let window = now.checked_add(DAY).ok();
    match window.and_then(|to| LoadWindow::new(now, to, 60).ok()) {
        Some(window) if deadlines.iter().any(Option::is_some) => {
            let members: Vec<LoadMember> = cron_jobs.into_iter().map(LoadMember::from).collect();
            runs_past_deadline(controller, &members, &deadlines, window)
        }
        _ => Vec::new(),
    }
}
