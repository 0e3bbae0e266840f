//! Follows CronJobs, and stores what is new.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use jiff::Timestamp;

use super::clock::{ClockReading, RecordDelay};
use super::error::StoreError;
use super::judgment::{ChangedCronJob, Judge, earlier, end_unseen};
use super::known_runs::KnownRuns;
use super::store::{CronJobUpdate, RunStore, StoredSpec};
use cronjob_controller::controller::Controller;
use cronjob_diagnosis::diagnose::Facts;
use cronjob_diagnosis::kubectl::Kubectl;
use kube_model::{Coverage, CronJob, CronJobEvidence, RunResult, StoredRun};

/// The interval, in seconds, at which the end of the watched interval is stored and the lease renewed, if nothing else
/// is stored.
const MARK_EVERY: i64 = 10;
/// If nothing could be stored for longer, in seconds, it is not known when an edit happened.
const UNSTORED_FOR: i64 = 20;
/// The time between two removals of expired runs, in seconds.
const PRUNE_EVERY: i64 = 86_400;

/// Stores the runs of CronJobs.
pub struct Recorder {
    store: RunStore,
    /// For how long runs are kept, in seconds.
    keep: i64,
    /// By their UID.
    known: HashMap<String, FollowedCronJob>,
    /// Since when nothing was missed.
    watching_since: Option<Timestamp>,
    /// When the last watched interval ended, before the present one.
    watched_until: Timestamp,
    /// The end of the present watched interval, as it is stored.
    marked_at: Option<Timestamp>,
    written_at: Option<Timestamp>,
    /// When everything was stored last that was new.
    stored_at: Option<Timestamp>,
    pruned_at: Option<Timestamp>,
    /// The time of the record, as it was last.
    now: Timestamp,
    /// When the newest stored Job was created, until it was checked that nothing is stored of times still to come.
    unchecked: Option<Timestamp>,
    scope: RecordingScope,
    /// The UIDs of CronJobs with a value that the database does not store.
    rejected: HashSet<String>,
}

/// The CronJobs that a recorder follows. Of others in the same database it is not known whether they exist.
#[derive(Clone, Debug, Default)]
pub struct RecordingScope {
    /// `None` for all.
    pub namespace: Option<String>,
    /// Empty for all.
    pub names: Vec<String>,
    /// Whether selectors leave out some of them.
    pub is_selected: bool,
}

impl RecordingScope {
    fn contains(&self, namespace: &str, name: &str) -> bool {
        !self.is_selected
            && self
                .namespace
                .as_ref()
                .is_none_or(|known| known == namespace)
            && (self.names.is_empty() || self.names.iter().any(|known| known == name))
    }
}

/// What is known of a stored `CronJob`.
pub(super) struct FollowedCronJob {
    namespace: String,
    name: String,
    /// Whether this recorder has seen it.
    is_seen: bool,
    pub(super) spec: StoredSpec,
    pub(super) judged_until: Timestamp,
    /// Whether it was judged since the recorder began to watch.
    pub(super) is_watched: bool,
    /// When it is judged again even if it does not change.
    due: Timestamp,
    /// The runs whose Jobs were running.
    pub(super) running: Vec<StoredRun>,
}

/// What the histories are computed from.
pub struct RecordingBasis<'a> {
    pub controller: &'a Controller,
    pub kubectl: &'a Kubectl,
    pub coverage: Coverage,
    pub clocks: ClockReading,
}

impl RecordingBasis<'_> {
    pub(super) fn facts<'f>(&'f self, evidence: &'f CronJobEvidence, now: Timestamp) -> Facts<'f> {
        let coverage = Coverage {
            as_of: now,
            ..self.coverage
        };
        Facts::of(self.controller, self.kubectl, evidence, coverage, now)
    }
}

impl Recorder {
    /// Of a store that is open to write.
    pub fn new(store: RunStore, keep: i64) -> Result<Self, StoreError> {
        let mut known = HashMap::new();
        for cron_job in store.cron_jobs()? {
            let running = store.running(&cron_job)?;
            known.insert(
                cron_job.uid,
                FollowedCronJob {
                    namespace: cron_job.namespace,
                    name: cron_job.name,
                    is_seen: false,
                    spec: cron_job.spec,
                    judged_until: cron_job.judged_until,
                    is_watched: false,
                    due: Timestamp::MIN,
                    running,
                },
            );
        }
        Ok(Recorder {
            watched_until: store.newest()?.unwrap_or(Timestamp::MIN),
            store,
            keep,
            known,
            watching_since: None,
            marked_at: None,
            written_at: None,
            stored_at: None,
            pruned_at: None,
            now: Timestamp::MAX,
            unchecked: None,
            scope: RecordingScope::default(),
            rejected: HashSet::new(),
        })
    }

    /// Only these CronJobs are followed.
    pub fn set_scope(&mut self, scope: RecordingScope) {
        self.scope = scope;
    }

    /// When something was stored last.
    pub fn written_at(&self) -> Option<Timestamp> {
        self.written_at
    }

    /// How many CronJobs are known.
    pub fn count(&self) -> usize {
        self.known.len()
    }

    /// Why runs are recorded late, if they are.
    pub fn delay(&self, clocks: ClockReading) -> Option<RecordDelay> {
        clocks.delay(self.marked_at.unwrap_or(self.watched_until))
    }

    /// The connection to the cluster is lost, or too much could not be stored: from now on, runs are missed.
    pub fn interrupt(&mut self) {
        if self.watching_since.take().is_none() {
            return;
        }
        self.watched_until = self.marked_at.take().unwrap_or(self.watched_until);
        for known in self.known.values_mut() {
            known.is_watched = false;
            known.due = Timestamp::MIN;
        }
    }

    /// Whether a `CronJob` that has not changed is to be judged.
    pub fn is_due(&self, cron_job: &CronJob, now: Timestamp) -> bool {
        self.known
            .get(&cron_job.uid)
            .is_none_or(|known| known.due <= now)
    }

    /// Stores what is new, and returns it: of the CronJobs that have changed or are due. `exists` says which are left.
    pub fn step<'e>(
        &mut self,
        basis: &RecordingBasis<'_>,
        changed: impl Iterator<Item = ChangedCronJob<'e>>,
        exists: impl Fn(&str) -> bool,
    ) -> Result<Vec<CronJobUpdate>, StoreError> {
        let now = basis.clocks.now();
        if now < self.now {
            self.unchecked = Some(self.store.newest_job()?.unwrap_or(Timestamp::MIN));
            self.known
                .values_mut()
                .for_each(|known| known.due = Timestamp::MIN);
            self.pruned_at = None;
        }
        self.now = now;
        // A time before that of the newest Job is wrong, and shows nothing.
        let latest = basis.clocks.latest();
        if self
            .unchecked
            .is_some_and(|newest_job| newest_job <= latest)
        {
            self.take_back(latest)?;
            self.unchecked = None;
        }
        let changed: Vec<_> = changed
            .filter(|changed| {
                let uid = &changed.evidence.cron_job.uid;
                !uid.is_empty() && !self.rejected.contains(uid)
            })
            .collect();
        let is_late = self.stored_at.is_some() && !is_recent(self.stored_at, now, UNSTORED_FOR);
        if is_late && changed.iter().any(|one| self.is_edited(&one.evidence)) {
            self.interrupt();
        }
        let (mut updates, mut judged) = (Vec::new(), Vec::new());
        let mut deleted = HashMap::new();
        for one in changed {
            let (update, known) = self.judge(basis, &one)?;
            if let Some(at) = one.deleted_at {
                deleted.insert(update.uid.clone(), at.min(now));
            }
            judged.push((update.uid.clone(), known));
            updates.push(update);
        }
        let gone = self.known.iter().filter(|(uid, known)| {
            let is_followed = known.is_seen || self.scope.contains(&known.namespace, &known.name);
            !exists(uid) && is_followed && !deleted.contains_key(*uid)
        });
        // Those that were deleted while the recorder did not run.
        let gone: Vec<_> = gone
            .map(|(uid, known)| (uid.clone(), known.last(uid)))
            .collect();
        for (uid, last) in gone {
            deleted.insert(uid, now);
            updates.push(last);
        }
        let deleted: Vec<(String, Timestamp)> = deleted.into_iter().collect();
        let watched = self.watched(now);
        let is_marked = is_recent(self.written_at, now, MARK_EVERY);
        if updates.is_empty() && deleted.is_empty() && is_marked {
            self.stored_at = Some(now);
            return Ok(updates);
        }
        let problem = self.write(&updates, &deleted, watched.as_ref(), now)?;
        judged.retain(|(uid, _)| !self.rejected.contains(uid));
        self.marked_at = watched.map(|watched| watched.end);
        (self.written_at, self.stored_at) = (Some(now), Some(now));
        self.known.extend(judged);
        for (uid, _) in &deleted {
            self.known.remove(uid);
        }
        self.prune(now)?;
        problem.map_or(Ok(updates), Err)
    }

    /// Stores updates. One with a value that the database does not store is rejected, and the others are stored.
    fn write(
        &mut self,
        updates: &[CronJobUpdate],
        deleted: &[(String, Timestamp)],
        watched: Option<&Range<Timestamp>>,
        now: Timestamp,
    ) -> Result<Option<StoreError>, StoreError> {
        match self.store.write(updates, deleted, watched, now) {
            Err(StoreError::Value(..)) => {}
            written => return written.map(|()| None),
        }
        let mut problem = None;
        for update in updates {
            let alone = std::slice::from_ref(update);
            match self.store.write(alone, &[], None, now) {
                Err(error @ StoreError::Value(..)) => {
                    self.rejected.insert(update.uid.clone());
                    problem = Some(error.about(&update.namespace, &update.name));
                }
                written => written?,
            }
        }
        self.store.write(&[], deleted, watched, now)?;
        Ok(problem)
    }

    /// The present watched interval. What is stored for a time that is still to come is not extended before that.
    fn watched(&mut self, now: Timestamp) -> Option<Range<Timestamp>> {
        if now < self.watched_until {
            return None;
        }
        let since = *self.watching_since.get_or_insert(now);
        Some(since..self.marked_at.map_or(now, |marked| marked.max(now)))
    }

    /// At the start, and whenever the time goes back: removes what is stored of times that have not come yet, because
    /// it was invented by clocks that were ahead.
    fn take_back(&mut self, latest: Timestamp) -> Result<(), StoreError> {
        self.store.take_back(latest)?;
        self.watched_until = self.watched_until.min(latest);
        self.watching_since = self.watching_since.filter(|since| *since <= latest);
        let marked_at = self.marked_at.filter(|_| self.watching_since.is_some());
        self.marked_at = marked_at.map(|marked| marked.min(latest));
        for known in self.known.values_mut() {
            known.judged_until = known.judged_until.min(latest);
        }
        Ok(())
    }

    /// Removes expired runs once a day. The newest Job shows whether so much time has passed.
    fn prune(&mut self, now: Timestamp) -> Result<(), StoreError> {
        if is_recent(self.pruned_at, now, PRUNE_EVERY) {
            return Ok(());
        }
        if let Some(newest) = self.store.newest_job()? {
            self.store.prune(earlier(now.min(newest), self.keep))?;
        }
        self.pruned_at = Some(now);
        Ok(())
    }

    fn is_edited(&self, evidence: &CronJobEvidence) -> bool {
        let known = self.known.get(&evidence.cron_job.uid);
        known.is_some_and(|known| known.spec != StoredSpec::of(&evidence.cron_job))
    }

    /// What is to be stored of a `CronJob`, and what is known of it then.
    fn judge(
        &self,
        basis: &RecordingBasis<'_>,
        changed: &ChangedCronJob<'_>,
    ) -> Result<(CronJobUpdate, FollowedCronJob), StoreError> {
        let cron_job = &changed.evidence.cron_job;
        let known = self.known.get(&cron_job.uid);
        let is_watching = self.watching_since.is_some();
        let judge = Judge::new(basis, changed, known, self.watched_until, is_watching);
        let judgment = judge.judge();
        let stored = self.store.runs(
            &cron_job.uid,
            &cron_job.name,
            judgment.since,
            &judgment.runs,
        )?;
        let mut runs = KnownRuns::new(&cron_job.name, stored);
        for run in judgment.runs {
            runs.add(run);
        }
        let (all, runs) = runs.into_parts();
        let spec = StoredSpec::of(cron_job);
        let update = CronJobUpdate {
            uid: cron_job.uid.clone(),
            namespace: cron_job.namespace.clone(),
            name: cron_job.name.clone(),
            judged_until: judgment.judged_until,
            spec: Some(spec.clone()).filter(|spec| known.is_none_or(|known| known.spec != *spec)),
            runs,
        };
        let known = FollowedCronJob {
            namespace: cron_job.namespace.clone(),
            name: cron_job.name.clone(),
            is_seen: true,
            spec,
            judged_until: judgment.judged_until,
            is_watched: true,
            due: judgment.due,
            running: all.into_iter().filter(is_running).collect(),
        };
        Ok((update, known))
    }
}

impl FollowedCronJob {
    /// What is stored of one that was deleted unseen: how its running Jobs ended is not known.
    fn last(&self, uid: &str) -> CronJobUpdate {
        let mut runs = self.running.clone();
        runs.iter_mut().for_each(end_unseen);
        CronJobUpdate {
            uid: uid.to_owned(),
            namespace: self.namespace.clone(),
            name: self.name.clone(),
            judged_until: self.judged_until,
            spec: None,
            runs,
        }
    }
}

fn is_running(run: &StoredRun) -> bool {
    run.result == Some(RunResult::Running)
}

fn is_recent(at: Option<Timestamp>, now: Timestamp, seconds: i64) -> bool {
    at.is_some_and(|at| (0..seconds).contains(&(now.as_second() - at.as_second())))
}
