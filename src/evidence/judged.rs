//! From what was read to a [`World`], whose CronJobs are judged together: what is said of a CronJob must not depend on
//! what else was selected.

use super::{Basis, EvidenceNote, Live, World};
use cronjob_diagnosis::diagnose::{Beside, MissingBeside, judge_together};
use kube_model::CronJobEvidence;

/// What was read, and not judged yet.
pub(crate) struct ReadWorld {
    pub(super) world: World,
    /// What was read beside it.
    pub(super) beside: Beside,
}

impl ReadWorld {
    pub(crate) fn basis(&self) -> &Basis {
        &self.world.basis
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.world.cron_jobs.is_empty()
    }

    /// The namespace that was read, if it is one.
    pub(crate) fn namespace(&self) -> Option<&String> {
        self.world.namespace.as_ref()
    }

    /// The namespace in which there are no CronJobs, if it is one.
    pub(crate) fn empty_namespace(&self) -> Option<&String> {
        let is_empty = self.is_empty() && self.world.complete;
        self.namespace().filter(|_| is_empty)
    }

    /// With the CronJobs of another namespace, which were read later.
    pub(crate) fn with(mut self, other: Self) -> Self {
        self.world = self.world.with(other.world);
        self.beside.cron_jobs.extend(other.beside.cron_jobs);
        self.beside.has_jobs &= other.beside.has_jobs;
        self.beside.are_all &= other.beside.are_all;
        self
    }

    /// Sets what the objects show about the controller, and notes what is missing. `live` is where more can be read if
    /// that is needed to judge; `hint` is appended if there are no CronJobs.
    pub(crate) fn conclude(
        self,
        live: Option<&Live>,
        hint: Option<&str>,
        notes: &mut Vec<EvidenceNote>,
    ) -> World {
        let selector = live.and_then(|live| live.wanted.label_selector.as_deref());
        self.world.note_lacks(selector, hint, notes);
        self.judged(live)
    }

    /// Sets what the objects show about the controller.
    pub(crate) fn judged(self, live: Option<&Live>) -> World {
        let ReadWorld { world, mut beside } = self;
        let mut world = World {
            basis: world.basis.with_evidence(&world.cron_jobs),
            ..world
        };
        world.judge(&beside);
        let Some(live) = live else {
            return world;
        };
        let all_evidence = || world.cron_jobs.iter().map(|one| &one.evidence);
        let mut missing =
            MissingBeside::of(&all_evidence(), beside.are_all, live.needs.predicts_change);
        if live.wanted.jobs && !live.reads_all() {
            let facts = all_evidence().map(|one| world.facts(one));
            missing = missing.for_past_runs(facts, live.needs.shows_runs);
        }
        let selected = all_evidence().map(|one| one.cron_job.key());
        if live.read_beside(missing, selected, world.basis.now, &mut beside) {
            world.judge(&beside);
        }
        world
    }
}

impl World {
    /// Judges the CronJobs together.
    fn judge(&mut self, beside: &Beside) {
        let (controller, now) = (&self.basis.controller, self.basis.now);
        let all_evidence = self.cron_jobs.iter_mut().map(|one| &mut one.evidence);
        let mut all_evidence: Vec<&mut CronJobEvidence> = all_evidence.collect();
        judge_together(controller, &mut all_evidence, beside, self.coverage, now);
    }
}
