//! A survey that follows the changes of a cluster.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::iter;
use std::sync::Arc;

use jiff::Timestamp;

use super::row::Row;
use super::unrecorded::{EndedPods, Unrecorded, UnrecordedCronJob};
use crate::diagnose::{
    Beside, Facts, LeftUndone, MissingBeside, Severity, expected_delays, left_undone,
};
use crate::kubectl::Kubectl;
use cronjob_controller::controller::Controller;
use cronjob_controller::forecast::NextState;
use kube_model::{
    Coverage, CronJob, CronJobEvidence, CronJobRecord, Event, Job, ObjectKey, Pod, ResourceQuota,
    cron_jobs_of, has_deadline, manual_origin, pods_in_question, start_delays,
};

/// The rows of a changing cluster. Only the CronJobs that a change affects are examined again.
#[derive(Debug, Default)]
pub struct LiveSurvey {
    entries: BTreeMap<ObjectKey, LiveRow>,
    gone: Vec<ObjectKey>,
    /// Jobs whose `CronJob` is not known: watches are independent, so it may come later.
    unclaimed: HashMap<ObjectKey, Job>,
    /// Where those are, in the order in which they came.
    unclaimed_places: VecDeque<ObjectKey>,
    /// What a recorder has still to store, if there is one.
    unrecorded: Option<Unrecorded>,
    /// What was read beside these CronJobs, to judge them together.
    beside: Beside,
    /// The minute in which they were judged together.
    judged_in_minute: Option<i64>,
}

/// The most Jobs whose `CronJob` is not known. With a selector, most Jobs are of others.
const UNCLAIMED: usize = 1000;

impl LiveSurvey {
    pub fn new(all_evidence: impl IntoIterator<Item = CronJobEvidence>) -> Self {
        let mut survey = LiveSurvey::default();
        for evidence in all_evidence {
            let place = evidence.cron_job.key();
            let entry = LiveRow {
                evidence: Arc::new(evidence),
                ..LiveRow::default()
            };
            survey.entries.insert(place, entry);
        }
        survey
    }

    /// The evidence as it is now, by namespace and name.
    pub fn shared_evidence(&self) -> impl Iterator<Item = Arc<CronJobEvidence>> {
        self.entries
            .values()
            .map(|entry| Arc::clone(&entry.evidence))
    }

    /// The evidence, by namespace and name.
    pub fn all_evidence(&self) -> impl Iterator<Item = &CronJobEvidence> + Clone {
        self.entries.values().map(|entry| &*entry.evidence)
    }

    /// A `CronJob` is there, or has changed.
    pub fn set_cron_job(&mut self, cron_job: CronJob) {
        let place = cron_job.key();
        let is_new = !self.entries.contains_key(&place);
        let entry = self.entries.entry(place).or_default();
        entry.set_cron_job(cron_job, self.unrecorded.as_mut());
        if is_new {
            self.claim_jobs();
        }
    }

    /// A `CronJob` is gone.
    pub fn remove_cron_job(&mut self, cron_job: &CronJob) {
        let place = cron_job.key();
        if let Some(entry) = self.entries.remove(&place) {
            self.gone.push(place);
            if let Some(unrecorded) = &mut self.unrecorded {
                unrecorded.keep_deleted(entry.evidence);
            }
        }
    }

    /// These are all `CronJob`s; Jobs and events stay.
    pub fn replace_cron_jobs(&mut self, cron_jobs: Vec<CronJob>) {
        let mut before = std::mem::take(&mut self.entries);
        for cron_job in cron_jobs {
            let place = cron_job.key();
            let mut entry = before.remove(&place).unwrap_or_default();
            entry.set_cron_job(cron_job, self.unrecorded.as_mut());
            self.entries.insert(place, entry);
        }
        for (place, entry) in before {
            self.gone.push(place);
            if let Some(unrecorded) = &mut self.unrecorded {
                unrecorded.keep_deleted(entry.evidence);
            }
        }
        self.claim_jobs();
    }

    /// Assigns the Jobs whose `CronJob` was not known.
    fn claim_jobs(&mut self) {
        let mut unclaimed = std::mem::take(&mut self.unclaimed);
        for place in std::mem::take(&mut self.unclaimed_places) {
            if let Some(job) = unclaimed.remove(&place) {
                self.set_job(&job);
            }
        }
    }

    /// The `CronJob`s that went since this was asked last, by namespace and name.
    pub fn gone(&mut self) -> Vec<ObjectKey> {
        std::mem::take(&mut self.gone)
    }

    /// A Job is there, or has changed.
    pub fn set_job(&mut self, job: &Job) {
        let is_claimed = self.each_of_job(job, |evidence, unrecorded| {
            let mut known = evidence.jobs.iter_mut();
            let Some(known) = known.find(|known| known.name == job.name) else {
                return evidence.jobs.push(job.clone());
            };
            let before = std::mem::replace(known, job.clone());
            if let Some(unrecorded) = unrecorded.filter(|_| before.uid != job.uid) {
                // It was deleted, and created again under its name.
                unrecorded.keep_removed(evidence.cron_job.key(), &before);
            }
        });
        let place = place_of_job(job);
        if is_claimed {
            self.forget_unclaimed(&place);
        } else if cron_jobs_of(job).next().is_some() {
            if self.unclaimed.insert(place.clone(), job.clone()).is_none() {
                self.unclaimed_places.push_back(place);
            }
            if self.unclaimed_places.len() > UNCLAIMED
                && let Some(oldest) = self.unclaimed_places.pop_front()
            {
                self.unclaimed.remove(&oldest);
            }
        }
    }

    fn forget_unclaimed(&mut self, place: &ObjectKey) {
        if self.unclaimed.remove(place).is_some() {
            self.unclaimed_places.retain(|known| known != place);
        }
    }

    /// A Job is gone; `job` is what it was last.
    pub fn remove_job(&mut self, job: &Job) {
        self.forget_unclaimed(&place_of_job(job));
        self.each_of_job(job, |evidence, unrecorded| {
            evidence.jobs.retain(|known| {
                let is_same = known.uid == job.uid || job.uid.is_empty();
                known.name != job.name || !is_same
            });
            if let Some(unrecorded) = unrecorded {
                unrecorded.keep_removed(evidence.cron_job.key(), job);
            }
        });
    }

    pub fn replace_jobs(&mut self, jobs: &[Job]) {
        let left: HashSet<&str> = jobs.iter().map(|job| job.uid.as_str()).collect();
        for (place, entry) in &mut self.entries {
            let before = std::mem::take(&mut entry.changing().jobs);
            if let Some(unrecorded) = &mut self.unrecorded {
                let removed = before.iter().filter(|job| !left.contains(job.uid.as_str()));
                removed.for_each(|job| unrecorded.keep_removed(place.clone(), job));
            }
        }
        self.unclaimed.clear();
        self.unclaimed_places.clear();
        for job in jobs {
            self.set_job(job);
        }
    }

    /// An event about a `CronJob` is there, or has happened again.
    pub fn set_event(&mut self, event: Event) {
        if let Some(entry) = self.entry_of_event(&event) {
            let events = &mut entry.changing().events;
            match events.iter_mut().find(|known| known.name == event.name) {
                Some(known) => *known = event,
                None => events.push(event),
            }
        }
    }

    /// An event is forgotten, as all are after an hour.
    pub fn remove_event(&mut self, event: &Event) {
        if let Some(entry) = self.entry_of_event(event) {
            let events = &mut entry.changing().events;
            events.retain(|known| known.name != event.name);
        }
    }

    /// These are all events about `CronJob`s.
    pub fn replace_events(&mut self, events: Vec<Event>) {
        for entry in self.entries.values_mut() {
            let events = &mut entry.changing().events;
            events.retain(|known| !is_watched(known));
        }
        for event in events {
            self.set_event(event);
        }
    }

    /// The evidence of the `CronJob`s with Jobs whose pods must be read, without pods, and without the Jobs that have
    /// ended and whose pods are not to be read.
    pub fn lacking_pods(&mut self, now: Timestamp) -> Vec<CronJobEvidence> {
        let all_evidence = || self.entries.values().map(|entry| &*entry.evidence);
        let unrecorded = self.unrecorded.as_mut();
        let ended = unrecorded.map(|unrecorded| unrecorded.ended_jobs(all_evidence(), now));
        let ended = ended.unwrap_or_default();
        let is_ended = |job: &Job| ended.contains(&job.uid);
        let lacking = all_evidence()
            .filter(|one| one.jobs.iter().any(is_ended) || !pods_in_question(one, now).is_empty());
        let mut lacking: Vec<CronJobEvidence> = lacking.cloned().collect();
        for evidence in &mut lacking {
            forget_pods(evidence);
            let jobs = &mut evidence.jobs;
            jobs.retain(|job| job.ending().is_none() || is_ended(job));
        }
        lacking
    }

    /// Sets what is not watched: all quotas, how many Jobs have not finished in some namespaces, and the pods of the
    /// Jobs of some `CronJob`s with the events about them. The others have none.
    pub fn set_unwatched(
        &mut self,
        quotas: Vec<ResourceQuota>,
        unfinished: &HashMap<String, usize>,
        with_pods: Vec<CronJobEvidence>,
    ) {
        let of_namespace = ResourceQuota::by_namespace(quotas);
        let with_pods = with_pods.into_iter();
        let mut with_pods: HashMap<ObjectKey, CronJobEvidence> =
            with_pods.map(|one| (one.cron_job.key(), one)).collect();
        for (place, entry) in &mut self.entries {
            let mut read = with_pods.remove(place).unwrap_or_default();
            if let Some(unrecorded) = &mut self.unrecorded {
                entry.is_recorded &= !unrecorded.keep_ended(&mut read);
            }
            let mut events = read.events;
            events.retain(|event| !is_watched(event));
            let quotas = of_namespace
                .get(&place.namespace)
                .cloned()
                .unwrap_or_default();
            let unfinished = unfinished.get(&place.namespace).copied().unwrap_or(0);
            let known = &entry.evidence;
            let unwatched = known.events.iter().filter(|event| !is_watched(event));
            if known.pods == read.pods
                && unwatched.eq(&events)
                && known.quotas == quotas
                && known.unfinished_in_namespace == unfinished
            {
                continue;
            }
            let evidence = entry.changing();
            forget_pods(evidence);
            evidence.pods = read.pods;
            evidence.events.extend(events);
            evidence.quotas = quotas;
            evidence.unfinished_in_namespace = unfinished;
        }
    }

    /// What was read beside the CronJobs of the survey, to judge them together.
    pub fn set_beside(&mut self, beside: Beside) {
        self.beside = beside;
    }

    /// What the CronJobs of the survey alone lack to be judged together; `None` if they show enough.
    pub fn missing_beside(&self) -> Option<MissingBeside> {
        let missing = MissingBeside::of(&self.all_evidence(), true, false);
        Some(missing).filter(|missing| missing.is_any())
    }

    /// Their namespaces and names.
    pub fn places(&self) -> impl Iterator<Item = ObjectKey> + '_ {
        self.entries.keys().cloned()
    }

    /// Judges the CronJobs together: once a minute, and whether the controller is down each time while it seems to
    /// be. `are_all` is false where they are a selection.
    pub fn judge_together(
        &mut self,
        controller: &Controller,
        are_all: bool,
        coverage: Coverage,
        now: Timestamp,
    ) {
        self.beside.are_all |= are_all;
        let minute = Some(now.as_second().div_euclid(60));
        let is_new = std::mem::replace(&mut self.judged_in_minute, minute) != minute;
        if is_new {
            self.set_delays(controller, now);
        }
        let was_down = self.entries.values().any(|entry| {
            entry.evidence.outage.is_some() || entry.evidence.passed_over_since.is_some()
        });
        if is_new || was_down {
            let undone = left_undone(controller, self.all_evidence(), &self.beside, coverage, now);
            self.set_undone(&undone);
        }
    }

    /// Sets how late Jobs were created, and which coming runs may be past their deadline.
    fn set_delays(&mut self, controller: &Controller, now: Timestamp) {
        let measured = start_delays(self.all_evidence());
        let delays = expected_delays(controller, self.all_evidence(), &self.beside, now);
        let delays = delays.into_iter().chain(iter::repeat(None));
        for (entry, delay) in self.entries.values_mut().zip(delays) {
            let evidence = &entry.evidence;
            let is_limited = has_deadline(&evidence.cron_job);
            // What is recorded does not depend on it.
            if is_limited && evidence.start_delays != measured {
                entry.row = None;
                Arc::make_mut(&mut entry.evidence).start_delays = Arc::clone(&measured);
            }
            if entry.evidence.expected_delay != delay {
                entry.changing().expected_delay = delay;
            }
        }
    }

    fn set_undone(&mut self, undone: &LeftUndone) {
        for (entry, since) in self.entries.values_mut().zip(undone.passed_over_since()) {
            let known = (entry.evidence.outage, entry.evidence.passed_over_since);
            // What is recorded does not depend on it.
            if known != (undone.outage, since) {
                entry.row = None;
                let evidence = Arc::make_mut(&mut entry.evidence);
                evidence.outage = undone.outage;
                evidence.passed_over_since = since;
            }
        }
    }

    /// Sets what is stored of a `CronJob`. Only its row depends on it: the recorder judges by what was read.
    pub fn set_record(&mut self, place: &ObjectKey, record: &Arc<CronJobRecord>) {
        if let Some(entry) = self.entries.get_mut(place)
            && entry.record.as_ref() != Some(record)
        {
            (entry.row, entry.record) = (None, Some(Arc::clone(record)));
        }
    }

    /// Examines again what has changed, or may have changed by now.
    pub fn refresh(
        &mut self,
        controller: &Controller,
        kubectl: &Kubectl,
        coverage: Coverage,
        now: Timestamp,
    ) {
        self.refresh_some(controller, kubectl, coverage, now, usize::MAX);
    }

    /// Examines again what has changed, and at most `most` of the rows that have only grown older, because on a large
    /// cluster all of them grow older at the same time. Returns how many rows changed apart from their age.
    pub fn refresh_some(
        &mut self,
        controller: &Controller,
        kubectl: &Kubectl,
        coverage: Coverage,
        now: Timestamp,
        most: usize,
    ) -> usize {
        let (mut changed, mut aged) = (0, 0);
        for entry in self.entries.values_mut() {
            let is_due = match entry.due(now) {
                Due::No => false,
                Due::Now => true,
                Due::Aged => {
                    aged += 1;
                    aged <= most
                }
            };
            if is_due {
                changed += usize::from(entry.update(controller, kubectl, coverage, now));
            }
        }
        changed
    }

    /// A row, by its namespace and name.
    pub fn row(&self, place: &ObjectKey) -> Option<&Row> {
        self.entries.get(place)?.row.as_ref()
    }

    pub fn evidence(&self, place: &ObjectKey) -> Option<&CronJobEvidence> {
        self.entries.get(place).map(|entry| &*entry.evidence)
    }

    /// The rows, by namespace and name, as of the last update.
    pub fn rows(&self) -> impl Iterator<Item = &Row> + Clone {
        self.entries.values().filter_map(|entry| entry.row.as_ref())
    }

    /// Notes that the CronJobs that are gone were deleted by now.
    pub fn note_deletions(&mut self, now: Timestamp) {
        let unrecorded = self.unrecorded.iter_mut();
        for deleted in unrecorded.flat_map(|unrecorded| &mut unrecorded.deleted) {
            deleted.at.get_or_insert(now);
        }
    }

    /// The evidence that has changed since it was recorded, and that of the CronJobs that are due or were deleted.
    /// What a Job was last counts even if it is gone by now, and so do its pods.
    pub fn unrecorded(&self, is_due: impl Fn(&CronJob) -> bool) -> Vec<UnrecordedCronJob> {
        let mut removed: HashMap<&ObjectKey, Vec<&Job>> = HashMap::new();
        for (place, job) in self.unrecorded.iter().flat_map(|one| &one.jobs) {
            removed.entry(place).or_default().push(job);
        }
        let mut ended: HashMap<&ObjectKey, Vec<&EndedPods>> = HashMap::new();
        for (place, of_jobs) in self.unrecorded.iter().flat_map(|one| &one.ended) {
            ended.entry(place).or_default().push(of_jobs);
        }
        let complete = |place: &ObjectKey, evidence: &Arc<CronJobEvidence>, deleted_at| {
            let mut evidence = Arc::clone(evidence);
            let removed = removed.get(place).into_iter().flatten().copied();
            let read = ended.get(place).into_iter().flatten();
            let mut gone = HashSet::new();
            for job in removed.chain(read.clone().flat_map(|read| &read.jobs)) {
                if evidence.jobs.iter().all(|known| known.uid != job.uid) {
                    gone.insert(job.uid.clone());
                    Arc::make_mut(&mut evidence).jobs.push(job.clone());
                }
            }
            for read in read {
                let known = Arc::make_mut(&mut evidence);
                known.pods.extend(read.pods.iter().cloned());
                known.events.extend(read.events.iter().cloned());
            }
            UnrecordedCronJob {
                evidence,
                removed_jobs: gone,
                deleted_at,
            }
        };
        let deleted = self.unrecorded.iter().flat_map(|one| &one.deleted);
        let deleted = deleted.filter_map(|one| {
            let place = one.evidence.cron_job.key();
            Some(complete(&place, &one.evidence, Some(one.at?)))
        });
        let chosen = self.entries.iter().filter_map(|(place, entry)| {
            let is_chosen = !entry.is_recorded || is_due(&entry.evidence.cron_job);
            is_chosen.then(|| complete(place, &entry.evidence, None))
        });
        deleted.chain(chosen).collect()
    }

    /// Whether too many Jobs were removed since something was recorded: not all of them are known.
    pub fn forgot_jobs(&self) -> bool {
        let unrecorded = self.unrecorded.as_ref();
        unrecorded.is_some_and(|unrecorded| unrecorded.is_incomplete)
    }

    /// From now on, what would be lost is kept until it is recorded.
    pub fn keep_unrecorded(&mut self) {
        self.unrecorded = Some(Unrecorded::default());
    }

    /// All evidence is recorded.
    pub fn set_recorded(&mut self) {
        self.unrecorded
            .iter_mut()
            .for_each(Unrecorded::set_recorded);
        for entry in self.entries.values_mut() {
            entry.is_recorded = true;
        }
    }

    /// What was recorded is lost.
    pub fn set_unrecorded(&mut self) {
        if let Some(unrecorded) = &mut self.unrecorded {
            unrecorded.set_lost();
        }
        for entry in self.entries.values_mut() {
            entry.is_recorded = false;
        }
    }

    /// The rows with something to report that was not reported yet.
    pub fn news(&mut self) -> Vec<Row> {
        let entries = self.entries.values_mut();
        entries.filter_map(LiveRow::news).collect()
    }

    /// Changes the evidence of each `CronJob` of a Job. Returns whether there is one.
    fn each_of_job(
        &mut self,
        job: &Job,
        mut change: impl FnMut(&mut CronJobEvidence, Option<&mut Unrecorded>),
    ) -> bool {
        let place = |name: &str| ObjectKey::new(&*job.namespace, name);
        let origin = manual_origin(job, |name| self.entries.contains_key(&place(name)));
        let mut is_known = false;
        for name in cron_jobs_of(job).chain(origin) {
            if let Some(entry) = self.entries.get_mut(&place(name)) {
                change(entry.changing(), self.unrecorded.as_mut());
                is_known = true;
            }
        }
        if let Some(unrecorded) = &mut self.unrecorded {
            unrecorded.note_job(job);
        }
        is_known
    }

    fn entry_of_event(&mut self, event: &Event) -> Option<&mut LiveRow> {
        let involved = &event.involved_object;
        if !is_watched(event) {
            return None;
        }
        let place = ObjectKey::new(involved.namespace.as_str(), involved.name.as_str());
        self.entries.get_mut(&place)
    }
}

/// Whether an event is about a `CronJob`. Only those are watched.
fn is_watched(event: &Event) -> bool {
    event.involved_object.kind == "CronJob"
}

/// Removes the pods of Jobs that have no problem any more.
fn keep_pods_in_question(evidence: &mut Arc<CronJobEvidence>, now: Timestamp) {
    let jobs = pods_in_question(evidence, now);
    let jobs: HashSet<String> = jobs.into_iter().map(|job| job.name.clone()).collect();
    if jobs.is_empty() {
        forget_pods(Arc::make_mut(evidence));
        return;
    }
    let is_kept = |pod: &Pod| {
        let mut owners = pod.owner_references.iter();
        owners.all(|owner| owner.kind != "Job" || jobs.contains(&owner.name))
    };
    if !evidence.pods.iter().all(is_kept) {
        Arc::make_mut(evidence).pods.retain(is_kept);
    }
}

/// Removes the pods, and the events about other objects than the `CronJob`.
fn forget_pods(evidence: &mut CronJobEvidence) {
    evidence.pods.clear();
    evidence.events.retain(is_watched);
}

fn place_of_job(job: &Job) -> ObjectKey {
    ObjectKey::new(&*job.namespace, job.name.as_str())
}

/// How often a row is computed again, in seconds, even if nothing has changed: its times are relative to now.
const STALE_AFTER: i64 = 60;

/// How often a row with an unfinished Job is computed again, in seconds, because what it blocks changes, and its age.
const STALE_WHILE_UNFINISHED: i64 = 10;

/// A scheduled time that has just come is for the controller: a start that is not there yet is not missed. A
/// change makes the row again before that, in seconds.
const GRACE: i64 = 3;

/// A row that is kept, with what it comes from.
#[derive(Debug, Default)]
struct LiveRow {
    /// A report may still read it while it changes: then the report keeps the old one.
    evidence: Arc<CronJobEvidence>,
    /// What is stored of it.
    record: Option<Arc<CronJobRecord>>,
    /// `None` if it is to be computed again.
    row: Option<Row>,
    /// What was last reported of it.
    reported: Option<ReportedState>,
    checked_at: Timestamp,
    /// Whether the recorder has seen the evidence.
    is_recorded: bool,
}

/// Whether a row is to be computed again.
enum Due {
    No,
    /// It has grown old, and may be another by now.
    Aged,
    Now,
}

impl LiveRow {
    /// The `CronJob` has changed, or is another one of its name.
    fn set_cron_job(&mut self, cron_job: CronJob, unrecorded: Option<&mut Unrecorded>) {
        let known = &self.evidence.cron_job.uid;
        let is_other = !known.is_empty() && *known != cron_job.uid;
        if let Some(unrecorded) = unrecorded.filter(|_| is_other) {
            unrecorded.keep_deleted(Arc::clone(&self.evidence));
        }
        self.changing().cron_job = cron_job;
    }

    /// The evidence, to be changed: the row is computed again.
    fn changing(&mut self) -> &mut CronJobEvidence {
        (self.row, self.is_recorded) = (None, false);
        Arc::make_mut(&mut self.evidence)
    }

    fn due(&self, now: Timestamp) -> Due {
        let Some(row) = &self.row else {
            return Due::Now;
        };
        let age = now.as_second() - self.checked_at.as_second();
        let late = row.next_run.map(|next| now.as_second() - next.as_second());
        match late {
            Some(late) if late >= GRACE => Due::Now,
            Some(late) if late >= 0 => Due::No,
            _ if age >= self.stale_after() => Due::Aged,
            _ => Due::No,
        }
    }

    fn stale_after(&self) -> i64 {
        let mut jobs = self.evidence.jobs.iter();
        if jobs.any(|job| job.ending().is_none()) {
            STALE_WHILE_UNFINISHED
        } else {
            STALE_AFTER
        }
    }

    /// Computes the row, and returns whether it changed apart from its age.
    fn update(
        &mut self,
        controller: &Controller,
        kubectl: &Kubectl,
        coverage: Coverage,
        now: Timestamp,
    ) -> bool {
        // Pods are only read while their Job may have a problem, and soon out of date after that.
        let has_pods =
            !self.evidence.pods.is_empty() || !self.evidence.events.iter().all(is_watched);
        if has_pods {
            keep_pods_in_question(&mut self.evidence, now);
        }
        let mut facts = Facts::of(controller, kubectl, &self.evidence, coverage, now);
        facts.input.record.clone_from(&self.record);
        let row = Row::of_facts(&facts, self.evidence.cron_job.anchor());
        let before = self.row.as_ref();
        let changed = !before.is_some_and(|before| is_alike(before, &row));
        self.row = Some(row);
        self.checked_at = now;
        changed
    }

    /// The row, if there is something to report that was not reported yet.
    fn news(&mut self) -> Option<Row> {
        let state = self.row.as_ref().map(ReportedState::of);
        if state == self.reported {
            return None;
        }
        self.reported = state;
        self.row.clone()
    }
}

/// Whether two rows of the same `CronJob` have the same place in every order.
fn is_alike(one: &Row, other: &Row) -> bool {
    one.health == other.health
        && one.missed == other.missed
        && ReportedState::of(one) == ReportedState::of(other)
}

/// The part of a row whose changes are reported: a row that has only grown older is not.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ReportedState {
    schedule: String,
    time_zone: Option<String>,
    suspended: bool,
    next_run: Option<Timestamp>,
    next_state: Option<NextState>,
    last_schedule_time: Option<Timestamp>,
    last_successful_time: Option<Timestamp>,
    active: usize,
    codes: Vec<(&'static str, Severity)>,
}

impl ReportedState {
    fn of(row: &Row) -> Self {
        let findings = row.findings.iter();
        ReportedState {
            schedule: row.schedule.clone(),
            time_zone: row.time_zone.clone(),
            suspended: row.suspended,
            next_run: row.next_run,
            next_state: row.next_state,
            last_schedule_time: row.last_schedule_time,
            last_successful_time: row.last_successful_time,
            active: row.active,
            codes: findings
                .map(|finding| (finding.code, finding.severity))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::unrecorded::{MOST_ENDED, MOST_READINGS, MOST_REMOVED};
    use super::*;
    use crate::kubectl::PLAIN;
    use kube_model::testing::{self, at, event, job};
    use kube_model::{ConcurrencyPolicy, CronJobSpec, ObjectReference};

    fn cron_job(name: &str) -> CronJob {
        CronJob {
            creation_timestamp: Some(at("2026-11-21T00:00:00Z")),
            spec: CronJobSpec {
                schedule: "0 * * * *".to_owned(),
                ..CronJobSpec::default()
            },
            ..testing::cron_job(name)
        }
    }

    fn refresh(survey: &mut LiveSurvey, now: &str) -> Vec<String> {
        let controller = Controller::assumed();
        let now = at(now);
        let coverage = Coverage::all(now);
        survey.refresh(&controller, &PLAIN, coverage, now);
        survey.news().into_iter().map(|row| row.name).collect()
    }

    #[test]
    fn removed_jobs_are_kept_until_there_are_too_many() {
        let mut survey = LiveSurvey::new(vec![CronJobEvidence {
            cron_job: cron_job("a"),
            ..CronJobEvidence::default()
        }]);
        assert!(!survey.forgot_jobs());
        survey.keep_unrecorded();
        for number in 0..=MOST_REMOVED {
            assert!(!survey.forgot_jobs(), "{number}");
            let job = job(&format!("a-{number}"), "a");
            survey.set_job(&job);
            survey.remove_job(&job);
        }
        assert!(survey.forgot_jobs());
        survey.set_recorded();
        assert!(!survey.forgot_jobs());
    }

    #[test]
    fn refresh_returns_only_changed_rows() {
        let all_evidence = ["a", "b"].map(|name| CronJobEvidence {
            cron_job: cron_job(name),
            ..CronJobEvidence::default()
        });
        let mut survey = LiveSurvey::new(all_evidence);
        assert_eq!(refresh(&mut survey, "2026-11-21T00:10:00Z"), ["a", "b"]);
        assert_eq!(refresh(&mut survey, "2026-11-21T00:10:01Z").len(), 0);
        // The run is due, and stays the next one until it is started.
        assert_eq!(refresh(&mut survey, "2026-11-21T01:00:03Z").len(), 0);
        let mut started = cron_job("b");
        started.status.last_schedule_time = Some(at("2026-11-21T01:00:00Z"));
        started.status.active = vec![ObjectReference::default()];
        survey.set_cron_job(started);
        assert_eq!(refresh(&mut survey, "2026-11-21T01:00:04Z"), ["b"]);
        survey.remove_cron_job(&cron_job("b"));
        survey.set_cron_job(cron_job("c"));
        assert_eq!(refresh(&mut survey, "2026-11-21T01:00:05Z"), ["c"]);
        assert_eq!(survey.rows().count(), 2);
        let place = |name: &str| ObjectKey::new("shop", name);
        assert_eq!(survey.gone(), [place("b")]);
        survey.replace_cron_jobs(vec![cron_job("a")]);
        assert_eq!(survey.gone(), [place("c")]);
        assert_eq!(survey.gone(), []);
    }

    #[test]
    fn delay_of_another_job_is_known_within_a_minute() {
        let mut strict = cron_job("strict");
        strict.spec.starting_deadline_seconds = Some(30);
        strict.status.last_schedule_time = Some(at("2026-11-21T09:00:00Z"));
        let all_evidence = [strict, cron_job("slow")].map(|cron_job| CronJobEvidence {
            cron_job,
            ..CronJobEvidence::default()
        });
        let mut survey = LiveSurvey::new(all_evidence);
        let mut late = job("slow-29920860", "slow");
        late.creation_timestamp = Some(at("2026-11-21T09:01:13Z"));
        survey.set_job(&late);
        survey.set_delays(&Controller::assumed(), at("2026-11-21T09:01:40Z"));
        refresh(&mut survey, "2026-11-21T09:01:40Z");
        let row = survey.row(&ObjectKey::new("shop", "strict")).unwrap();
        let mut codes = row.findings.iter().map(|finding| finding.code);
        assert!(codes.any(|code| code == "starting-deadline-shorter-than-delay"));
    }

    /// Nothing happens in the cluster while a Job blocks a run, but what is to be said of it changes.
    #[test]
    fn row_with_an_unfinished_job_is_computed_again_within_seconds() {
        let mut blocked = cron_job("a");
        blocked.spec.schedule = "*/5 * * * *".to_owned();
        blocked.spec.concurrency_policy = ConcurrencyPolicy::Forbid;
        blocked.status.last_schedule_time = Some(at("2026-11-21T01:00:00Z"));
        blocked.status.active = vec![ObjectReference {
            name: "a-29920380".to_owned(),
            ..ObjectReference::default()
        }];
        let mut survey = LiveSurvey::new([CronJobEvidence {
            cron_job: blocked,
            ..CronJobEvidence::default()
        }]);
        survey.set_job(&job("a-29920380", "a"));
        let mut findings = |now: &str| {
            refresh(&mut survey, now);
            let row = survey.rows().next().unwrap();
            let codes = row.findings.iter().map(|finding| finding.code);
            codes.collect::<Vec<_>>()
        };
        let blocks = "blocked-by-running-job";
        // It is worth a word after half a minute.
        assert!(!findings("2026-11-21T01:05:20Z").contains(&blocks));
        assert!(findings("2026-11-21T01:05:34Z").contains(&blocks));
    }

    #[test]
    fn outage_ends_in_the_minute_of_the_next_start() {
        let mut survey = LiveSurvey::new([]);
        for name in ["a", "b"] {
            let mut cron_job = cron_job(name);
            cron_job.status.last_schedule_time = Some(at("2026-11-21T07:00:00Z"));
            survey.set_cron_job(cron_job);
        }
        let states = |survey: &mut LiveSurvey, now: &str, judges: bool| {
            let (controller, coverage) = (Controller::assumed(), Coverage::all(at(now)));
            survey.beside.are_all = false;
            survey.judge_together(&controller, judges, coverage, at(now));
            refresh(survey, now);
            let rows = survey
                .rows()
                .map(|row| (row.outage.is_some(), row.next_state));
            rows.collect::<Vec<_>>()
        };
        let overdue = (true, Some(NextState::Overdue));
        // Those of a selection may have something else in common.
        let other = states(&mut survey, "2026-11-21T09:10:00Z", false);
        assert!(other.iter().all(|(is_down, _)| !is_down));
        let down = states(&mut survey, "2026-11-21T09:11:10Z", true);
        assert_eq!(down, [overdue; 2]);
        let mut late = job("a-29920860", "a");
        late.creation_timestamp = Some(at("2026-11-21T09:11:18Z"));
        survey.set_job(&late);
        let mut started = cron_job("a");
        started.status.last_schedule_time = Some(at("2026-11-21T07:00:00Z"));
        started.status.active = vec![ObjectReference {
            uid: late.uid.clone(),
            ..ObjectReference::default()
        }];
        survey.set_cron_job(started);
        let back = states(&mut survey, "2026-11-21T09:11:20Z", true);
        assert!(back.iter().all(|(is_down, _)| !is_down));
    }

    #[test]
    fn job_that_comes_before_its_cron_job_is_assigned_later() {
        let mut survey = LiveSurvey::new([]);
        let names = |survey: &LiveSurvey, place: &str| {
            let place = ObjectKey::new("shop", place);
            let jobs = &survey.evidence(&place).unwrap().jobs;
            jobs.iter().map(|job| job.name.clone()).collect::<Vec<_>>()
        };
        survey.set_job(&job("a-1", "a"));
        survey.set_job(&job("b-1", "b"));
        survey.set_job(&job("b-1", "b"));
        survey.set_job(&job("b-2", "b"));
        survey.remove_job(&job("b-2", "b"));
        survey.set_cron_job(cron_job("a"));
        assert_eq!(names(&survey, "a"), ["a-1"]);
        survey.replace_cron_jobs(vec![cron_job("a"), cron_job("b")]);
        assert_eq!(names(&survey, "a"), ["a-1"]);
        assert_eq!(names(&survey, "b"), ["b-1"]);
        assert!(survey.unclaimed.is_empty());
        // One that is assigned and then unknown again has one place.
        for _ in 0..2 {
            survey.set_job(&job("d-1", "d"));
            assert_eq!(survey.unclaimed_places.len(), 1);
            survey.set_cron_job(cron_job("d"));
            assert_eq!(names(&survey, "d"), ["d-1"]);
            assert_eq!(survey.unclaimed_places.len(), 0);
            survey.remove_cron_job(&cron_job("d"));
        }
        for _ in 0..2 {
            survey.set_job(&job("d-1", "d"));
            survey.remove_job(&job("d-1", "d"));
        }
        assert_eq!(survey.unclaimed_places.len(), 0);
        // Only the newest are kept.
        for number in 0..=UNCLAIMED {
            survey.set_job(&job(&format!("c-{number}"), "c"));
        }
        survey.set_cron_job(cron_job("c"));
        assert_eq!(names(&survey, "c").len(), UNCLAIMED);
        assert_eq!(names(&survey, "c").first().unwrap(), "c-1");
    }

    #[test]
    fn quotas_and_pods_are_replaced_and_events_about_cron_jobs_stay() {
        let quota = ResourceQuota {
            namespace: "shop".to_owned(),
            name: "jobs".to_owned(),
            hard: Some(3),
            used: Some(3),
            ..ResourceQuota::default()
        };
        let mut survey = LiveSurvey::new([]);
        survey.set_cron_job(cron_job("a"));
        let mut running = job("a-1", "a");
        (running.active, running.ready) = (1, Some(0));
        survey.set_job(&running);
        survey.set_event(event("CronJob", "a"));
        let now = at("2026-11-21T00:30:00Z");
        let mut with_pods = survey.lacking_pods(now);
        assert_eq!(with_pods.len(), 1);
        with_pods[0].pods.push(kube_model::Pod::default());
        with_pods[0].events.push(event("Pod", "a-1-x7k2p"));
        let unfinished = HashMap::from([("shop".to_owned(), 2)]);
        survey.set_unwatched(vec![quota], &unfinished, with_pods);
        let known = |survey: &LiveSurvey| {
            let one = survey.all_evidence().next().unwrap();
            let counts = (one.pods.len(), one.events.len(), one.quotas.len());
            (counts, one.unfinished_in_namespace)
        };
        assert_eq!(known(&survey), ((1, 2, 1), 2));
        // A list of all events about CronJobs says nothing about others.
        survey.replace_events(vec![event("CronJob", "a")]);
        assert_eq!(known(&survey), ((1, 2, 1), 2));
        // A pod that is ready is no longer in question.
        running.ready = Some(1);
        survey.set_job(&running);
        refresh(&mut survey, "2026-11-21T00:30:01Z");
        assert_eq!(known(&survey), ((0, 1, 1), 2));
        survey.set_unwatched(Vec::new(), &HashMap::new(), Vec::new());
        assert_eq!(known(&survey), ((0, 1, 0), 0));
    }

    #[test]
    fn pods_of_ended_jobs_are_read_for_a_recorder_and_kept_until_it_has_stored_them() {
        let now = at("2026-11-21T01:10:00Z");
        let ended = |name: &str, end: &str| {
            let mut complete = testing::condition("Complete", "True", "");
            complete.last_transition_time = Some(at(end));
            Job {
                uid: format!("uid-of-{name}"),
                completion_time: Some(at(end)),
                conditions: vec![complete],
                ..job(name, "a")
            }
        };
        let mut survey = LiveSurvey::new([]);
        survey.set_cron_job(cron_job("a"));
        survey.set_job(&ended("a-1", "2026-11-21T01:00:40Z"));
        // Longer ago than an hour.
        survey.set_job(&ended("a-0", "2026-11-21T00:00:40Z"));
        assert!(survey.lacking_pods(now).is_empty());
        survey.keep_unrecorded();
        let nothing = HashMap::new();
        let stored_pods = |survey: &mut LiveSurvey| {
            let changed = survey.unrecorded(|_| false);
            let all_evidence = changed.iter().map(|one| &one.evidence);
            let counts = all_evidence.map(|one| [one.pods.len(), one.events.len()]);
            let counts: Vec<[usize; 2]> = counts.collect();
            survey.set_recorded();
            counts
        };
        assert_eq!(stored_pods(&mut survey), [[0, 0]]);
        // It is read until its pod has ended, but not forever.
        for reading in 0..MOST_READINGS {
            let mut lacking = survey.lacking_pods(now);
            let jobs: Vec<&str> = lacking[0]
                .jobs
                .iter()
                .map(|job| job.name.as_str())
                .collect();
            assert_eq!(jobs, ["a-1"], "{reading}");
            lacking[0].pods.push(testing::pod("a-1-x", "a-1"));
            lacking[0].events.push(event("Pod", "a-1-x"));
            survey.set_unwatched(Vec::new(), &nothing, lacking);
            let has_nothing = |one: &CronJobEvidence| one.pods.is_empty() && one.events.is_empty();
            assert!(survey.all_evidence().all(has_nothing));
            assert_eq!(stored_pods(&mut survey), [[1, 1]]);
            assert!(stored_pods(&mut survey).is_empty());
        }
        assert!(survey.lacking_pods(now).is_empty());
        survey.set_job(&ended("a-2", "2026-11-21T01:09:40Z"));
        let mut lacking = survey.lacking_pods(now);
        let mut pod = testing::pod("a-2-x", "a-2");
        pod.phase = "Succeeded".to_owned();
        lacking[0].pods.push(pod);
        survey.set_unwatched(Vec::new(), &nothing, lacking);
        assert_eq!(stored_pods(&mut survey), [[1, 0]]);
        assert!(survey.lacking_pods(now).is_empty());
        // What was stored is lost.
        survey.set_unrecorded();
        assert_eq!(survey.lacking_pods(now)[0].jobs.len(), 2);
        for number in 0..100 {
            survey.set_job(&ended(&format!("a-9{number}"), "2026-11-21T01:09:50Z"));
        }
        assert_eq!(survey.lacking_pods(now)[0].jobs.len(), MOST_ENDED);
    }

    /// The names of the Jobs of each evidence that is not recorded, and the UIDs of those that are gone.
    fn unrecorded(survey: &LiveSurvey) -> Vec<(String, Vec<String>, Option<Timestamp>)> {
        let all = survey.unrecorded(|_| false).into_iter();
        all.map(|one| {
            let jobs = one.evidence.jobs.iter().map(|job| job.uid.as_str());
            let is_gone = |uid: &&str| one.removed_jobs.contains(*uid);
            let mut jobs: Vec<String> = jobs
                .map(|uid| {
                    if is_gone(&uid) {
                        format!("-{uid}")
                    } else {
                        uid.to_owned()
                    }
                })
                .collect();
            jobs.sort();
            (one.evidence.cron_job.uid.clone(), jobs, one.deleted_at)
        })
        .collect()
    }

    fn with_uid(uid: &str, job: Job) -> Job {
        Job {
            uid: uid.to_owned(),
            ..job
        }
    }

    #[test]
    fn deleted_cron_job_is_kept_with_its_jobs_until_it_is_recorded() {
        let now = at("2026-11-21T01:10:00Z");
        let named = |uid: &str| CronJob {
            uid: uid.to_owned(),
            ..cron_job("a")
        };
        let of = |uid: &str, job: Job| {
            let mut job = job;
            Arc::make_mut(&mut job.owner_references)[0].uid = uid.to_owned();
            job
        };
        for is_seen in [true, false] {
            let mut survey = LiveSurvey::new([]);
            survey.keep_unrecorded();
            survey.set_cron_job(named("old"));
            survey.set_job(&of("old", with_uid("1", job("a-1", "a"))));
            if is_seen {
                survey.remove_cron_job(&named("old"));
            }
            survey.note_deletions(now);
            survey.set_cron_job(named("new"));
            survey.note_deletions(now);
            // The Jobs of the old one change, and are gone later.
            let mut failed = of("old", with_uid("1", job("a-1", "a")));
            failed.failed = 1;
            survey.remove_job(&failed);
            survey.note_deletions(at("2026-11-21T01:11:00Z"));
            let found = survey.unrecorded(|_| false);
            let old = &found[0];
            assert_eq!(old.evidence.cron_job.uid, "old");
            assert_eq!(old.deleted_at, Some(now));
            assert_eq!(old.evidence.jobs, [failed]);
            assert_eq!(found[1].evidence.cron_job.uid, "new");
            assert_eq!((found.len(), found[1].deleted_at), (2, None));
            survey.set_recorded();
            assert!(survey.unrecorded(|_| false).is_empty());
        }
        // It is missing in a list.
        let mut survey = LiveSurvey::new([]);
        survey.keep_unrecorded();
        survey.set_cron_job(named("old"));
        survey.replace_cron_jobs(vec![named("new")]);
        survey.note_deletions(now);
        let found = unrecorded(&survey);
        let uids: Vec<&str> = found.iter().map(|(uid, ..)| uid.as_str()).collect();
        assert_eq!(uids, ["old", "new"]);
        survey.replace_cron_jobs(Vec::new());
        survey.note_deletions(now);
        assert!(unrecorded(&survey).iter().all(|(.., at)| *at == Some(now)));
    }

    #[test]
    fn job_that_was_created_again_or_is_missing_in_a_list_is_kept_until_it_is_recorded() {
        let mut survey = LiveSurvey::new([]);
        survey.keep_unrecorded();
        survey.set_cron_job(cron_job("a"));
        let first = with_uid("1", job("a-1", "a"));
        let again = with_uid("2", job("a-1", "a"));
        survey.set_job(&first);
        survey.set_recorded();
        survey.set_job(&again);
        assert_eq!(unrecorded(&survey)[0].1, ["-1", "2"]);
        // The deletion of the first one comes late.
        survey.remove_job(&first);
        assert_eq!(unrecorded(&survey)[0].1, ["-1", "2"]);
        survey.set_recorded();
        survey.replace_jobs(&[with_uid("3", job("a-1", "a"))]);
        assert_eq!(unrecorded(&survey)[0].1, ["-2", "3"]);
    }

    /// The pods of a Job are read while it is removed, and that it is gone was recorded before they are there.
    #[test]
    fn pods_that_are_read_after_their_job_was_recorded_as_gone_are_recorded() {
        let now = at("2026-11-21T01:10:00Z");
        let mut survey = LiveSurvey::new([]);
        survey.set_cron_job(cron_job("a"));
        survey.keep_unrecorded();
        let ended = Job {
            conditions: vec![testing::condition("Failed", "True", "")],
            ..with_uid("1", job("a-1", "a"))
        };
        let mut ended = ended;
        (ended.conditions[0].last_transition_time, ended.failed) = (Some(now), 1);
        survey.set_job(&ended);
        // A list without the pod that the Job counts may be out of date.
        for _ in 0..2 {
            let lacking = survey.lacking_pods(now);
            assert_eq!(lacking.len(), 1);
            survey.set_unwatched(Vec::new(), &HashMap::new(), lacking);
        }
        let mut lacking = survey.lacking_pods(now);
        survey.remove_job(&ended);
        survey.set_recorded();
        let mut pod = testing::pod("a-1-x", "a-1");
        pod.phase = "Failed".to_owned();
        lacking[0].pods.push(pod);
        survey.set_unwatched(Vec::new(), &HashMap::new(), lacking);
        let found = survey.unrecorded(|_| false);
        assert_eq!(found[0].evidence.jobs, [ended]);
        assert_eq!(found[0].evidence.pods.len(), 1);
        assert!(found[0].removed_jobs.contains("1"));
    }

    #[test]
    fn jobs_and_events_go_to_their_cron_job() {
        let mut survey = LiveSurvey::new([]);
        survey.set_cron_job(cron_job("a"));
        survey.set_cron_job(cron_job("b"));
        survey.set_job(&job("a-1", "a"));
        survey.set_job(&job("a-1", "a"));
        survey.set_job(&job("stranger", "nobody"));
        let event = event("CronJob", "b");
        survey.set_event(event.clone());
        survey.set_event(Event {
            count: Some(2),
            ..event.clone()
        });
        let counts = |survey: &LiveSurvey| {
            let all_evidence = survey.all_evidence();
            let counts = all_evidence.map(|evidence| (evidence.jobs.len(), evidence.events.len()));
            counts.collect::<Vec<_>>()
        };
        assert_eq!(counts(&survey), [(1, 0), (0, 1)]);
        survey.replace_cron_jobs(vec![cron_job("a"), cron_job("c")]);
        assert_eq!(counts(&survey), [(1, 0), (0, 0)]);
        survey.replace_jobs(&[job("c-1", "c"), job("c-2", "c")]);
        assert_eq!(counts(&survey), [(0, 0), (2, 0)]);
        let mut unowned = job("c-manual-x1z", "c");
        unowned.owner_references = Arc::default();
        unowned.annotations = [("cronjob.kubernetes.io/instantiate", "manual")]
            .into_iter()
            .collect();
        survey.set_job(&unowned);
        assert_eq!(counts(&survey), [(0, 0), (3, 0)]);
        survey.remove_job(&unowned);
        survey.remove_job(&job("c-1", "c"));
        survey.remove_event(&event);
        assert_eq!(counts(&survey), [(0, 0), (1, 0)]);
    }
}
