//! What is stored of a `CronJob`, and what is found in addition.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;

use cronjob_diagnosis::history::{RecordedRun, RunReason, run_status};
use kube_model::{RunKind, RunResult, RunStatus, StoredRun};

/// The runs of a `CronJob`: each Job is one of them, and each scheduled time has one of kind `Scheduled`.
pub(super) struct KnownRuns<'a> {
    cron_job: &'a str,
    runs: Vec<StoredRun>,
    by_time: HashMap<Timestamp, Vec<usize>>,
    by_uid: HashMap<String, usize>,
    changed: BTreeSet<usize>,
}

impl<'a> KnownRuns<'a> {
    pub(super) fn new(cron_job: &'a str, stored: Vec<StoredRun>) -> Self {
        let mut known = KnownRuns {
            cron_job,
            runs: Vec::new(),
            by_time: HashMap::new(),
            by_uid: HashMap::new(),
            changed: BTreeSet::new(),
        };
        for run in stored {
            known.push(run);
        }
        known
    }

    /// Adds a run that was found, or what is known better of a run.
    pub(super) fn add(&mut self, found: StoredRun) {
        let at = found.at;
        if let Some(index) = self.position(&found) {
            self.update(index, &found);
        } else {
            let index = self.push(found);
            self.changed.insert(index);
        }
        self.settle(at);
    }

    /// The runs, and those that are new or known better.
    pub(super) fn into_parts(self) -> (Vec<StoredRun>, Vec<StoredRun>) {
        let changed = self
            .changed
            .iter()
            .filter_map(|index| self.runs.get(*index));
        let changed = changed.cloned().collect();
        (self.runs, changed)
    }

    fn push(&mut self, run: StoredRun) -> usize {
        let index = self.runs.len();
        self.by_time.entry(run.at).or_default().push(index);
        if let Some(uid) = &run.job_uid {
            self.by_uid.insert(uid.clone(), index);
        }
        self.runs.push(run);
        index
    }

    /// The same run: of the same Job, or of the scheduled time as long as no Job of it is known.
    fn position(&self, found: &StoredRun) -> Option<usize> {
        let uid = found.job_uid.as_ref();
        if let Some(index) = uid.and_then(|uid| self.by_uid.get(uid)) {
            return Some(*index);
        }
        let of_time = self.by_time.get(&found.at)?.iter().copied();
        let of_time = of_time.filter_map(|index| Some((index, self.runs.get(index)?)));
        let is_same_job = |known: &StoredRun| match (known.job(), found.job()) {
            (Some(known), Some(found)) => known.is_same(&found),
            _ => false,
        };
        let is_same_time = |known: &StoredRun| {
            let has_one_job = known.job_name.is_none() || found.job_name.is_none();
            has_one_job && known.kind == RunKind::Scheduled && found.kind == known.kind
        };
        let find = |is_same: &dyn Fn(&StoredRun) -> bool| {
            let mut runs = of_time.clone();
            runs.find(|(_, known)| is_same(known))
        };
        let found = find(&is_same_job).or_else(|| find(&is_same_time));
        found.map(|(index, _)| index)
    }

    fn update(&mut self, index: usize, found: &StoredRun) -> Option<()> {
        let known = self.runs.get_mut(index)?;
        let mut updated = known.updated(found)?;
        end(&mut updated);
        if let Some(uid) = &updated.job_uid {
            self.by_uid.insert(uid.clone(), index);
        }
        *known = updated;
        self.changed.insert(index);
        Some(())
    }

    /// Of several Jobs of a scheduled time, the first one is its run, and the others are listed beside it.
    fn settle(&mut self, at: Timestamp) -> Option<()> {
        let of_time = self.by_time.get(&at)?;
        let first = |index: &usize| {
            let run = self.runs.get(*index)?;
            (run.kind == RunKind::Scheduled).then_some(run.job()?.precedence(self.cron_job, at))
        };
        let mut rivals = of_time.iter().copied();
        let rivals: Vec<usize> = rivals
            .by_ref()
            .filter(|index| first(index).is_some())
            .collect();
        let run = rivals.iter().copied().min_by_key(first)?;
        for index in rivals.into_iter().filter(|index| *index != run) {
            let reason = RunReason::second();
            let second = self.runs.get_mut(index)?;
            (second.kind, second.status) = (RunKind::OffSchedule, None);
            second.cause = Some(reason.code.into_owned());
            second.reason = Some(reason.detail.to_string());
            self.changed.insert(index);
        }
        Some(())
    }
}

/// Whether a run was late is known of one that is not running any more.
pub(super) fn end(run: &mut StoredRun) {
    if run.status == Some(RunStatus::Running) && run.result != Some(RunResult::Running) {
        run.status = RecordedRun::of_stored(run).map(|run| run_status(&run));
    }
}
