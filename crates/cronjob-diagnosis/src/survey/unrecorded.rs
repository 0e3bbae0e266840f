//! What a recorder has still to store, and would be lost.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use jiff::Timestamp;

use kube_model::{CronJobEvidence, Event, Job, ObjectKey, Pod};

/// What is not part of the evidence, and waits for a recorder.
#[derive(Debug, Default)]
pub(super) struct Unrecorded {
    /// The Jobs that were removed since something was recorded last, as they were last.
    pub(super) jobs: VecDeque<(ObjectKey, Job)>,
    /// The CronJobs that were deleted since then, as they were last.
    pub(super) deleted: VecDeque<DeletedCronJob>,
    /// Whether there were too many.
    pub(super) is_incomplete: bool,
    /// The pods of Jobs that have ended, which were read since then.
    pub(super) ended: VecDeque<(ObjectKey, EndedPods)>,
    /// How often the pods of a Job were read since it ended, by its UID.
    readings: HashMap<String, u8>,
}

/// A `CronJob` that was deleted.
#[derive(Debug)]
pub(super) struct DeletedCronJob {
    pub(super) evidence: Arc<CronJobEvidence>,
    /// When that was noticed.
    pub(super) at: Option<Timestamp>,
}

/// The evidence of a `CronJob` that is not recorded, with the Jobs that are gone.
#[derive(Debug)]
pub struct UnrecordedCronJob {
    pub evidence: Arc<CronJobEvidence>,
    /// The UIDs of the Jobs that are gone.
    pub removed_jobs: HashSet<String>,
    pub deleted_at: Option<Timestamp>,
}

/// Jobs that have ended, with their pods and the events about them.
#[derive(Debug, Default)]
pub(super) struct EndedPods {
    pub(super) jobs: Vec<Job>,
    pub(super) pods: Vec<Pod>,
    pub(super) events: Vec<Event>,
}

/// The most removed Jobs that wait until they can be recorded.
pub(super) const MOST_REMOVED: usize = 5000;
/// The most Jobs that have ended and whose pods are read together. The others wait.
pub(super) const MOST_ENDED: usize = 50;
/// Pods that have not ended when their Job has are read again, up to this number of times.
pub(super) const MOST_READINGS: u8 = 5;
/// The pods of Jobs that ended earlier are not read, in seconds.
const ENDED_WITHIN: i64 = 3600;

impl Unrecorded {
    /// The UIDs of the Jobs whose pods are read next: failed ones first, since one wants to know why, then those that
    /// ended first, since they are removed first.
    pub(super) fn ended_jobs<'e>(
        &mut self,
        all_evidence: impl Iterator<Item = &'e CronJobEvidence>,
        now: Timestamp,
    ) -> HashSet<String> {
        let jobs = all_evidence.flat_map(|one| &one.jobs);
        let ended: Vec<(bool, i64, &str)> = jobs
            .filter_map(|job| {
                let at = job.ending().and(job.finished_at())?.as_second();
                let is_recent = now.as_second().saturating_sub(at) < ENDED_WITHIN;
                is_recent.then_some((job.failure().is_none(), at, job.uid.as_str()))
            })
            .collect();
        let is_left: HashSet<&str> = ended.iter().map(|(_, _, uid)| *uid).collect();
        self.readings
            .retain(|uid, _| is_left.contains(uid.as_str()));
        let mut unread = ended;
        unread.retain(|(_, _, uid)| self.readings.get(*uid) < Some(&MOST_READINGS));
        unread.sort_unstable();
        let uids = unread.into_iter().map(|(_, _, uid)| uid.to_owned());
        uids.take(MOST_ENDED).collect()
    }

    /// Takes the pods of the Jobs that have ended out of what was read, and says whether there are any.
    pub(super) fn keep_ended(&mut self, read: &mut CronJobEvidence) -> bool {
        let mut ended = EndedPods::default();
        for job in read.jobs.iter().filter(|job| job.ending().is_some()) {
            let is_of_job = |pod: &mut Pod| pod.owning_jobs().any(|name| name == job.name);
            let pods: Vec<Pod> = read.pods.extract_if(.., is_of_job).collect();
            let readings = self.readings.entry(job.uid.clone()).or_default();
            // Those that the Job counts and that are missing may not be in the list yet.
            let counted = i64::from(job.succeeded) + i64::from(job.failed);
            let are_all = i64::try_from(pods.len()).is_ok_and(|found| found >= counted);
            *readings = if are_all && pods.iter().all(Pod::has_ended) {
                MOST_READINGS
            } else {
                readings.saturating_add(1)
            };
            if !pods.is_empty() {
                ended.jobs.push(job.clone());
            }
            ended.pods.extend(pods);
        }
        if ended.pods.is_empty() {
            return false;
        }
        let is_about_ended = |event: &mut Event| {
            let about = &event.involved_object;
            about.kind == "Pod" && ended.pods.iter().any(|pod| pod.name == about.name)
        };
        ended.events = read.events.extract_if(.., is_about_ended).collect();
        self.ended.push_back((read.cron_job.key(), ended));
        if self.ended.len() > MOST_REMOVED {
            self.ended.pop_front();
        }
        true
    }

    /// Keeps a Job that was removed, as it was last.
    pub(super) fn keep_removed(&mut self, of: ObjectKey, job: &Job) {
        self.jobs.push_back((of, job.clone()));
        if self.jobs.len() > MOST_REMOVED {
            self.jobs.pop_front();
            self.is_incomplete = true;
        }
    }

    /// Keeps a `CronJob` that was deleted, as it was last.
    pub(super) fn keep_deleted(&mut self, evidence: Arc<CronJobEvidence>) {
        self.deleted
            .push_back(DeletedCronJob { evidence, at: None });
        if self.deleted.len() > MOST_REMOVED {
            self.deleted.pop_front();
            self.is_incomplete = true;
        }
    }

    /// A Job of a deleted `CronJob` has changed, or is gone.
    pub(super) fn note_job(&mut self, job: &Job) {
        for deleted in &mut self.deleted {
            let uid = &deleted.evidence.cron_job.uid;
            if !job.owner_references.iter().any(|owner| owner.uid == *uid) {
                continue;
            }
            let jobs = &mut Arc::make_mut(&mut deleted.evidence).jobs;
            match jobs.iter_mut().find(|known| known.uid == job.uid) {
                Some(known) => *known = job.clone(),
                None => jobs.push(job.clone()),
            }
        }
    }

    pub(super) fn set_recorded(&mut self) {
        self.jobs.clear();
        self.deleted.clear();
        self.ended.clear();
        self.is_incomplete = false;
    }

    /// What was recorded is lost: the pods are read again.
    pub(super) fn set_lost(&mut self) {
        self.readings.clear();
    }
}
