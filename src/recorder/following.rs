//! Follows CronJobs, and stores what is new.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::clock::{ClockReading, Continuity, Pruning, TrustedClock, TrustedTime};
use super::error::StoreError;
use super::rows::{ClassifiedRuns, NOT_RECORDED, UndecidedPolicy, runs_outside};
use super::store::{CronJobUpdate, RunStore, StoredSpec};
use crate::controller::Controller;
use crate::diagnose::Facts;
use crate::history::{CronJobHistory, HistoryWindow, RecordedRun, SETTLED_AFTER, run_status};
use crate::kubectl::Kubectl;
use crate::model::{
    Coverage, CronJob, CronJobEvidence, RunKind, RunResult, RunStatus, StoredRun, past_runs,
};

/// The longest time between two judgments of a `CronJob`, in seconds.
const JUDGE_EVERY: i64 = 3600;
/// What was missed before the start of the recorder is judged so far back, in seconds.
const LOOK_BACK: i64 = 7 * 86_400;
/// The interval, in seconds, at which the end of the watched interval is stored and the lease renewed, if nothing else
/// is stored.
const MARK_EVERY: i64 = 10;
/// If nothing could be stored for longer, in seconds, it is not known when an edit happened.
const UNSTORED_FOR: i64 = 20;
/// The time between two removals of expired runs.
const PRUNE_EVERY: Duration = Duration::from_secs(86_400);
/// The most jumps of a clock that are remembered.
const MOST_JUMPS: usize = 16;

/// Stores the runs of CronJobs.
pub struct Recorder {
    store: RunStore,
    /// For how long runs are kept, in seconds.
    keep: i64,
    /// By their UID.
    known: HashMap<String, FollowedCronJob>,
    /// Since when nothing was missed.
    watching_since: Option<Timestamp>,
    /// When the last watched interval ended.
    watched_until: Timestamp,
    written_at: Option<Timestamp>,
    /// The end of the present watched interval, as it is stored.
    marked_at: Option<Timestamp>,
    /// When everything was stored last that was new.
    stored_at: Option<Timestamp>,
    /// When expired runs were removed last, by the steady clock.
    pruned_at: Option<Duration>,
    clock: TrustedClock,
    reading: Option<ClockReading>,
    /// The times that clocks left out or showed twice as they jumped.
    jumps: Vec<Range<Timestamp>>,
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
struct FollowedCronJob {
    namespace: String,
    name: String,
    /// Whether this recorder has seen it.
    is_seen: bool,
    spec: StoredSpec,
    judged_until: Timestamp,
    /// `judged_until` as it is stored. It is later if the clocks that say so are not to be trusted.
    stored_until: Timestamp,
    /// Whether it was judged since the recorder began to watch.
    is_watched: bool,
    /// When the clocks could be trusted again, if one has jumped since it was judged.
    resumed_at: Option<Timestamp>,
    /// When it is judged again even if it does not change.
    due: Timestamp,
    /// The runs whose Jobs were running.
    running: Vec<StoredRun>,
}

/// What the histories are computed from.
pub struct RecordingBasis<'a> {
    pub controller: &'a Controller,
    pub kubectl: &'a Kubectl,
    pub coverage: Coverage,
    pub time: TrustedTime,
}

impl<'a> RecordingBasis<'a> {
    fn facts(&'a self, evidence: &'a CronJobEvidence) -> Facts<'a> {
        let now = self.time.now;
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
        let recorded = store.newest()?;
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
                    stored_until: cron_job.judged_until,
                    is_watched: false,
                    resumed_at: None,
                    due: Timestamp::MIN,
                    running,
                },
            );
        }
        Ok(Recorder {
            store,
            keep,
            known,
            watching_since: None,
            watched_until: recorded.unwrap_or(Timestamp::MIN),
            written_at: None,
            marked_at: None,
            stored_at: None,
            pruned_at: None,
            clock: TrustedClock::new(recorded),
            reading: None,
            jumps: Vec::new(),
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

    /// Reads the clocks. Nothing is judged across a jump of one of them, and nothing remains judged that has not
    /// happened yet.
    pub fn read_clocks(&mut self, reading: ClockReading) -> TrustedTime {
        let before = self.reading.replace(reading);
        let time = self.clock.read(reading);
        if !time.is_agreed || time.continuity == Continuity::Gap {
            self.interrupt();
        }
        if let (Some(_), Some(before)) = (time.jump, before) {
            let shown = [before.server, before.local, reading.server, reading.local];
            let (first, last) = (shown.iter().min(), shown.iter().max());
            if let (Some(first), Some(last)) = (first, last)
                && self.jumps.len() < MOST_JUMPS
            {
                self.jumps.push(*first..*last);
            }
        }
        if time.is_agreed && time.continuity != Continuity::Continuous {
            let is_gap = time.continuity == Continuity::Gap;
            let latest = reading.server.max(reading.local);
            for known in self.known.values_mut() {
                if known.judged_until > latest {
                    known.judged_until = time.now;
                }
                if is_gap {
                    known.resumed_at = Some(time.now);
                    (known.is_watched, known.due) = (false, Timestamp::MIN);
                }
            }
            self.watched_until = self.watched_until.min(time.now);
        }
        time
    }

    /// Whether a `CronJob` that has not changed is to be judged.
    pub fn is_due(&self, cron_job: &CronJob, now: Timestamp) -> bool {
        self.known
            .get(&cron_job.uid)
            .is_none_or(|known| known.due <= now)
    }

    /// Stores what is new: of the CronJobs that have changed or are due. `exists` says which are left.
    pub fn step<'e>(
        &mut self,
        basis: &RecordingBasis<'_>,
        changed: impl Iterator<Item = &'e CronJobEvidence>,
        exists: impl Fn(&str) -> bool,
    ) -> Result<(), StoreError> {
        let now = basis.time.now;
        let mut updates = Vec::new();
        let mut judged = Vec::new();
        let changed: Vec<_> = changed
            .filter(|evidence| {
                let uid = &evidence.cron_job.uid;
                !uid.is_empty() && !self.rejected.contains(uid)
            })
            .collect();
        let is_late = self.stored_at.is_some() && !is_recent(self.stored_at, now, UNSTORED_FOR);
        if is_late && changed.iter().any(|evidence| self.is_edited(evidence)) {
            self.interrupt();
        }
        for evidence in changed {
            let (update, known) = self.judge(basis, evidence)?;
            judged.push((update.uid.clone(), known));
            updates.push(update);
        }
        let gone = self.known.iter().filter(|(uid, known)| {
            !exists(uid) && (known.is_seen || self.scope.contains(&known.namespace, &known.name))
        });
        // When they were deleted is not known as long as the time is not.
        let gone = gone.filter(|_| basis.time.is_agreed);
        let gone: Vec<String> = gone.map(|(uid, _)| uid.clone()).collect();
        let watched = basis
            .time
            .is_agreed
            .then(|| *self.watching_since.get_or_insert(now)..now);
        let is_marked = is_recent(self.written_at, now, MARK_EVERY);
        if updates.is_empty() && gone.is_empty() && is_marked {
            self.stored_at = Some(now);
            return Ok(());
        }
        let written = self.store.write(&updates, &gone, watched.as_ref(), now);
        let mut problem = None;
        if matches!(written, Err(StoreError::Value(..))) {
            // The others are stored.
            for update in &updates {
                match self
                    .store
                    .write(std::slice::from_ref(update), &[], None, now)
                {
                    Err(error @ StoreError::Value(..)) => {
                        self.rejected.insert(update.uid.clone());
                        problem = Some(error.about(&update.namespace, &update.name));
                    }
                    written => written?,
                }
            }
            judged.retain(|(uid, _)| !self.rejected.contains(uid));
            self.store.write(&[], &gone, watched.as_ref(), now)?;
        } else {
            written?;
        }
        self.marked_at = watched.map(|watched| watched.end);
        (self.written_at, self.stored_at) = (Some(now), Some(now));
        self.known.extend(judged);
        self.known.retain(|uid, _| !gone.contains(uid));
        self.prune(&basis.time)?;
        problem.map_or(Ok(()), Err)
    }

    fn is_edited(&self, evidence: &CronJobEvidence) -> bool {
        let known = self.known.get(&evidence.cron_job.uid);
        known.is_some_and(|known| known.spec != StoredSpec::of(&evidence.cron_job))
    }

    fn prune(&mut self, time: &TrustedTime) -> Result<(), StoreError> {
        let steady = self
            .reading
            .map_or(Duration::ZERO, |reading| reading.steady);
        let is_recent = self
            .pruned_at
            .is_some_and(|at| steady.saturating_sub(at) < PRUNE_EVERY);
        if time.pruning != Pruning::Allowed || is_recent {
            return Ok(());
        }
        self.store.prune(earlier(time.now, self.keep), time.now)?;
        self.pruned_at = Some(steady);
        Ok(())
    }

    /// What is to be stored of a `CronJob`, and what is known of it then.
    fn judge(
        &self,
        basis: &RecordingBasis<'_>,
        evidence: &CronJobEvidence,
    ) -> Result<(CronJobUpdate, FollowedCronJob), StoreError> {
        let cron_job = &evidence.cron_job;
        let (uid, now) = (&cron_job.uid, basis.time.now);
        // Without a time, only Jobs show what happened.
        let settled = if basis.time.is_agreed {
            earlier(now, SETTLED_AFTER)
        } else {
            Timestamp::MIN
        };
        let known = self.known.get(uid);
        let spec = StoredSpec::of(cron_job);
        let ended = ended(known, evidence);
        // Events may show why a Job is gone.
        let first_ended = ended.iter().map(|run| earlier(run.at, 1)).min();
        let judged_until = known.map(|known| known.judged_until);
        let after = judged_until.map(|judged| first_ended.unwrap_or(judged).min(judged));
        let mut window = Window {
            after: after.map(|after| after.max(earlier(now, LOOK_BACK))),
            is_watched: known.is_some_and(|known| known.is_watched),
            watched_until: self.watched_until,
            end: None,
            is_edited: false,
        };
        let oldest = window.after.unwrap_or(Timestamp::MIN);
        let mut found = ended;
        let resumed_at = known.and_then(|known| known.resumed_at);
        let is_edited = known.is_some_and(|known| known.spec != spec);
        // What was due before the edit is judged by the spec of that time.
        if let Some(known) = known.filter(|_| is_edited || resumed_at.is_some()) {
            let edited = if window.is_watched {
                now
            } else {
                self.watched_until
            };
            let before = Window {
                is_watched: true,
                end: Some(edited),
                ..window
            };
            let earlier = with_spec(evidence, &known.spec);
            let earlier = before.known(&earlier);
            let (mut runs, _, _) = before.judge(basis.facts(&earlier), edited);
            if resumed_at.is_some() || !basis.time.is_agreed {
                runs.iter_mut().for_each(forget);
            }
            found.extend(runs);
            window.after = resumed_at.filter(|_| !is_edited).or(Some(edited));
            window.is_edited = is_edited && !window.is_watched;
        }
        let evidence = window.known(evidence);
        let facts = basis.facts(&evidence);
        let (runs, judged_until, facts) = window.judge(facts, settled);
        found.extend(runs);
        let first = window.after.unwrap_or(judged_until);
        found.extend(runs_outside(&facts, first, now));
        for run in &mut found {
            self.doubt(run);
        }
        let next = facts.timetable.as_ref();
        // What is undecided changes with its Job, or when the next run is due.
        let settled = judged_until.max(earlier(now, SETTLED_AFTER));
        let next = next.and_then(|timetable| timetable.next(settled).ok().flatten());
        let next = next.map_or(i64::MAX, |next| {
            next.as_second().saturating_add(SETTLED_AFTER + 1)
        });
        let due = next.clamp(now.as_second() + 1, now.as_second() + JUDGE_EVERY);
        let jobs = found.iter().filter_map(|run| run.job_uid.as_deref());
        let jobs: Vec<&str> = jobs.collect();
        let stored = self.store.runs(uid, &cron_job.name, oldest, &jobs)?;
        let (runs, all) = merged(stored, found);
        let doubted = known.filter(|_| !basis.time.follows_record);
        let stored_until =
            doubted.map_or(judged_until, |known| known.stored_until.max(judged_until));
        let update = CronJobUpdate {
            uid: uid.clone(),
            namespace: cron_job.namespace.clone(),
            name: cron_job.name.clone(),
            judged_until: stored_until,
            spec: Some(spec.clone()).filter(|spec| known.is_none_or(|known| known.spec != *spec)),
            runs,
        };
        let known = FollowedCronJob {
            namespace: cron_job.namespace.clone(),
            name: cron_job.name.clone(),
            is_seen: true,
            spec,
            judged_until,
            stored_until,
            is_watched: basis.time.is_agreed,
            resumed_at: resumed_at.filter(|_| !basis.time.is_agreed),
            due: Timestamp::from_second(due).unwrap_or(Timestamp::MAX),
            running: running(&all),
        };
        Ok((update, known))
    }
}

impl Recorder {
    /// How late a run started is not known if a clock jumped in between.
    fn doubt(&self, run: &mut StoredRun) {
        let started_at = run
            .started_at
            .filter(|_| run.status == Some(RunStatus::Late));
        let mut jumps = self.jumps.iter();
        let is_within = |started_at: Timestamp| {
            jumps.any(|jump| run.at <= jump.end && started_at >= jump.start)
        };
        if started_at.is_some_and(is_within) {
            run.status = Some(RunStatus::Unknown);
        }
    }
}

/// The times that are to be judged.
#[derive(Clone, Copy)]
struct Window {
    /// `None` if nothing is stored yet: then all that is left.
    after: Option<Timestamp>,
    is_watched: bool,
    /// Until when the recorder was watching, if it is not watching since then.
    watched_until: Timestamp,
    /// The end; `None` for now.
    end: Option<Timestamp>,
    /// Whether the spec changed at an unknown time: then only Jobs show what was due.
    is_edited: bool,
}

impl Window {
    /// The evidence with what the recorder knows: while it was watching, the spec was the same all the time.
    fn known<'e>(&self, evidence: &'e CronJobEvidence) -> Cow<'e, CronJobEvidence> {
        if !self.is_watched || evidence.cron_job.is_unchanged() {
            return Cow::Borrowed(evidence);
        }
        let mut evidence = evidence.clone();
        evidence.cron_job.is_watched = true;
        Cow::Owned(evidence)
    }

    /// The runs up to a time, and until when all are judged.
    fn judge<'f>(
        &self,
        facts: Facts<'f>,
        until: Timestamp,
    ) -> (Vec<StoredRun>, Timestamp, Facts<'f>) {
        let end = self.end.unwrap_or(facts.input.now);
        let at_least = |judged: Timestamp| self.after.map_or(judged, |after| judged.max(after));
        let since = self.after.map(|after| earlier(after, -1));
        if since.is_some_and(|since| since > end) {
            return (Vec::new(), at_least(until), facts);
        }
        let history = HistoryWindow {
            since,
            until: self.end,
        };
        let item = CronJobHistory::of(facts, &history);
        let watched_until = if self.is_watched {
            end
        } else {
            self.watched_until
        };
        let undecided = match self.end {
            None => UndecidedPolicy::Wait,
            Some(edited) if edited == item.facts.input.now => UndecidedPolicy::Keep,
            Some(_) => UndecidedPolicy::Forget,
        };
        let mut known = ClassifiedRuns::of(&item, until, watched_until, undecided);
        known
            .runs
            .retain(|run| !self.is_edited || run.job_name.is_some());
        let undecided = known.undecided.filter(|_| !self.is_edited);
        let judged = undecided.map_or(until, |first| until.min(earlier(first, 1)));
        (known.runs, at_least(judged), item.facts)
    }
}

/// The runs that are new or known better, and all that are known now.
fn merged(stored: Vec<StoredRun>, found: Vec<StoredRun>) -> (Vec<StoredRun>, Vec<StoredRun>) {
    let (mut changed, mut all) = (Vec::new(), stored);
    for run in found {
        let is_same = |known: &&mut StoredRun| {
            let of_job = known.job_uid.is_some() && known.job_uid == run.job_uid;
            let of_name =
                run.job_name.is_some() && known.job_name == run.job_name && run.job_uid.is_none();
            let of_time =
                known.kind == RunKind::Scheduled && known.kind == run.kind && known.at == run.at;
            of_job || of_name || of_time
        };
        if let Some(known) = all.iter_mut().find(is_same) {
            if let Some(updated) = known.updated(&run) {
                known.clone_from(&updated);
                changed.push(updated);
            }
            continue;
        }
        all.push(run.clone());
        changed.push(run);
    }
    (changed, all)
}

fn running(runs: &[StoredRun]) -> Vec<StoredRun> {
    let is_running = |run: &&StoredRun| run.result == Some(RunResult::Running);
    runs.iter().filter(is_running).cloned().collect()
}

/// The runs that were running and whose Jobs are gone: how they ended was not seen.
fn ended(known: Option<&FollowedCronJob>, evidence: &CronJobEvidence) -> Vec<StoredRun> {
    let running = known.iter().flat_map(|known| &known.running);
    let left = past_runs(&evidence.cron_job, &evidence.jobs);
    let is_left = |uid: &Option<String>| left.iter().any(|run| Some(&run.job.uid) == uid.as_ref());
    let gone = running.filter(|run| !is_left(&run.job_uid));
    let ended = gone.map(|run| StoredRun {
        status: run
            .status
            .and_then(|_| RecordedRun::of_stored(run).map(|run| run_status(&run))),
        result: None,
        ..run.clone()
    });
    ended.collect()
}

/// Without a Job, what the time of a wrong clock says about a run does not count.
fn forget(run: &mut StoredRun) {
    if run.job_name.is_none() {
        run.status = Some(RunStatus::Unknown);
        run.cause = Some(NOT_RECORDED.to_owned());
        run.reason = None;
    }
}

/// The evidence as it would be with another spec.
fn with_spec(evidence: &CronJobEvidence, spec: &StoredSpec) -> CronJobEvidence {
    let mut evidence = evidence.clone();
    spec.apply(&mut evidence.cron_job.spec);
    evidence
}

fn is_recent(at: Option<Timestamp>, now: Timestamp, seconds: i64) -> bool {
    at.is_some_and(|at| (0..seconds).contains(&(now.as_second() - at.as_second())))
}

fn earlier(at: Timestamp, seconds: i64) -> Timestamp {
    at.checked_sub(SignedDuration::from_secs(seconds))
        .unwrap_or(Timestamp::MIN)
}
