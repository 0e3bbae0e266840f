//! Counts what happened to the runs that were due, for the metrics of a recorder.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::history::{RecordedHistory, scheduled_times};
use super::{Event, EventSender, ask};
use crate::evidence::World;
use crate::output::scan::served::CountedRuns;
use crate::recorder::RunStore;
use cronjob_controller::controller::Controller;
use cronjob_diagnosis::history::{CronJobHistory, DueRuns, HistoryWindow, count_settled};
use cronjob_diagnosis::survey::LiveSurvey;
use kube_model::{CronJobEvidence, CronJobRecord, ObjectKey};

const COUNT_EVERY: Duration = Duration::from_secs(15);
/// The recorder stores at least every ten seconds that it is watching. After this many seconds without it, it does not record.
const UNRECORDED_FOR: i64 = 60;
const SECONDS_A_DAY: i64 = 86_400;
/// The days of the window, by UTC; the last one is not over.
const DAYS: i64 = 28;
/// The most runs that are counted of a `CronJob` at a time. The others are counted the next time.
const MOST_RUNS: usize = 50_000;

/// The most successful runs whose durations show what is usual.
const MOST_SUCCESSES: i64 = 100;

/// What happened to the due runs of each `CronJob`.
#[derive(Clone, Default)]
pub(super) struct RunCounts(Arc<Mutex<BTreeMap<ObjectKey, Counts>>>);

/// Each run is counted once, in order, when its outcome is known.
#[derive(Clone, Debug, Default)]
struct Counts {
    /// The last run that was counted, or where counting begins.
    until: Timestamp,
    /// Since the process started.
    total: DueRuns,
    /// By the number of the day since 1970, for the days of the window that had runs.
    days: VecDeque<(i64, DueRuns)>,
    /// Its newest successes in the window.
    successes: Arc<CronJobRecord>,
}

impl Counts {
    fn count(&mut self, at: Timestamp, run: DueRuns) {
        let day = at.as_second().div_euclid(SECONDS_A_DAY);
        self.until = at;
        match self.days.back_mut() {
            Some((last, runs)) if *last == day => *runs += run,
            _ => self.days.push_back((day, run)),
        }
    }

    fn forget_before(&mut self, day: i64) {
        while self.days.front().is_some_and(|(first, _)| *first < day) {
            self.days.pop_front();
        }
    }

    fn recent(&self) -> DueRuns {
        let mut sum = DueRuns::default();
        self.days.iter().for_each(|(_, runs)| sum += *runs);
        sum
    }
}

impl RunCounts {
    /// Counts until the server ends.
    pub(super) async fn keep(self, recorded: RecordedHistory, events: EventSender) {
        while let Ok(input) = ask(&events, Event::Report).await {
            let (counts, recorded) = (self.clone(), recorded.clone());
            let _ =
                spawn_blocking(move || counts.update(&recorded, &input.world, &input.all_evidence))
                    .await;
            sleep(COUNT_EVERY).await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<ObjectKey, Counts>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn update(
        &self,
        recorded: &RecordedHistory,
        world: &World,
        all_evidence: &[Arc<CronJobEvidence>],
    ) {
        let Some(intervals) = recorded.read(RunStore::intervals) else {
            return;
        };
        let now = world.basis.now;
        // While nothing is recorded, nothing is known for good.
        let is_recent = |until: &Timestamp| *until >= moved(now, -UNRECORDED_FOR);
        let until = intervals.last().map(|last| last.end).filter(is_recent);
        let Some(until) = until else { return };
        let until = until.min(now);
        let first_day = now.as_second().div_euclid(SECONDS_A_DAY) - DAYS + 1;
        let begin = Timestamp::from_second(first_day * SECONDS_A_DAY).unwrap_or(now);
        let mut all = BTreeMap::new();
        for one in all_evidence {
            let key = one.cron_job.key();
            let known = self.lock().get(&key).cloned();
            let is_new = known.is_none();
            let mut counts = known.unwrap_or_default();
            let from = moved(counts.until, 1).max(begin);
            let read = || {
                let (namespace, name) = (&key.namespace, &key.name);
                recorded.read(|store| store.record(namespace, name, &intervals, from, MOST_RUNS))
            };
            if is_new || is_due(&world.basis.controller, one, from, until) {
                // What cannot be read, or is not stored yet, is counted the next time.
                let Some(record) = read() else { continue };
                let Some(begins) = record.begins() else {
                    continue;
                };
                let (namespace, name) = (&key.namespace, &key.name);
                let successes = recorded
                    .read(|store| store.newest_successes(namespace, name, begin, MOST_SUCCESSES));
                if let Some(runs) = successes {
                    counts.successes = Arc::new(CronJobRecord {
                        runs,
                        ..CronJobRecord::default()
                    });
                }
                let since = begins.max(from);
                counts.until = counts.until.max(moved(since, -1));
                each_settled(one, record, since..until, world, |at, run| {
                    counts.count(at, run);
                    // What happened before the start is part of the window only.
                    if !is_new {
                        counts.total += run;
                    }
                });
            }
            counts.forget_before(first_day);
            all.insert(key, counts);
        }
        *self.lock() = all;
    }

    /// Adds the stored successes to what is known of the CronJobs.
    pub(super) fn complete(&self, survey: &mut LiveSurvey) {
        for (key, counts) in &*self.lock() {
            survey.set_record(key, &counts.successes);
        }
    }

    /// Calls `write` with the counts, in the order of the CronJobs.
    pub(super) fn write<T>(&self, write: impl FnOnce(&[CountedRuns<'_>]) -> T) -> T {
        let counts = self.lock();
        let all = counts.iter().map(|(key, counts)| CountedRuns {
            namespace: &key.namespace,
            name: &key.name,
            total: counts.total,
            recent: counts.recent(),
        });
        write(&all.collect::<Vec<_>>())
    }
}

/// Whether a run was due in a time.
fn is_due(
    controller: &Controller,
    one: &CronJobEvidence,
    from: Timestamp,
    until: Timestamp,
) -> bool {
    let mut times = scheduled_times(controller, &one.cron_job, from, until);
    times.next().is_some()
}

/// Calls `count` with each due run of a time whose outcome is known for good.
fn each_settled(
    one: &CronJobEvidence,
    record: CronJobRecord,
    time: Range<Timestamp>,
    world: &World,
    count: impl FnMut(Timestamp, DueRuns),
) {
    let window = HistoryWindow {
        since: Some(time.start),
        until: record.cut_at.map(|cut_at| moved(cut_at, -1)),
    };
    let evidence = CronJobEvidence {
        record: Some(Arc::new(record)),
        ..one.clone()
    };
    let facts = world.facts(&evidence);
    count_settled(&CronJobHistory::of(facts, &window), time.end, count);
}

fn moved(at: Timestamp, seconds: i64) -> Timestamp {
    let moved = at.checked_add(SignedDuration::from_secs(seconds));
    moved.unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Basis, FixedValues};
    use crate::recorder::{CronJobUpdate, StoreLocation};
    use cronjob_diagnosis::kubectl::Kubectl;
    use kube_cron::ZoneDatabase;
    use kube_model::testing::{at, cron_job, job, owner};
    use kube_model::{Job, OwnerReference, RunKind, RunResult, RunStatus, StoredRun};

    fn run(succeeded: u64) -> DueRuns {
        DueRuns {
            due: 1,
            succeeded,
            failed: 1 - succeeded,
            ..DueRuns::default()
        }
    }

    /// Two runs of the first day leave the window; of the three others, two succeeded.
    #[test]
    fn window_forgets_days_and_keeps_the_others() {
        let mut counts = Counts::default();
        let second = |seconds: i64| Timestamp::from_second(seconds).unwrap();
        for (seconds, succeeded) in [(0, 0), (86_399, 0), (86_400, 1), (90_000, 0), (172_800, 1)] {
            counts.count(second(seconds), run(succeeded));
        }
        assert_eq!(counts.recent().due, 5);
        counts.forget_before(1);
        let recent = counts.recent();
        assert_eq!((recent.due, recent.succeeded, recent.failed), (3, 2, 1));
        assert_eq!(counts.until, second(172_800));
    }

    fn stored(scheduled: &str, result: RunResult) -> StoredRun {
        StoredRun {
            kind: RunKind::Scheduled,
            at: at(scheduled),
            status: Some(RunStatus::OnTime),
            result: Some(result),
            job_name: Some(format!("hourly-{}", at(scheduled).as_second() / 60)),
            job_uid: Some(scheduled.to_owned()),
            started_at: Some(at(scheduled)),
            finished_at: Some(moved(at(scheduled), 60)),
            ..StoredRun::default()
        }
    }

    #[test]
    fn each_run_is_counted_once_when_its_result_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let location = StoreLocation::File(folder.path().join("runs.db"));
        let mut store = location.create().unwrap();
        let mut write = |runs: Vec<StoredRun>, now: &str| {
            let update = CronJobUpdate {
                uid: "u".to_owned(),
                namespace: "shop".to_owned(),
                name: "hourly".to_owned(),
                judged_until: at(now),
                spec: None,
                runs,
            };
            let watched = at("2026-11-21T09:30:00Z")..at(now);
            store
                .write(&[update], &[], Some(&watched), at(now))
                .unwrap();
        };
        let mut hourly = cron_job("hourly");
        hourly.spec.schedule = "0 * * * *".to_owned();
        hourly.uid = "u".to_owned();
        hourly.creation_timestamp = Some(at("2026-11-01T00:00:00Z"));
        let zones = Arc::new(ZoneDatabase::bundled());
        let counts = RunCounts::default();
        let recorded = RecordedHistory::new(location.open().unwrap());
        let counted = |now: &str, jobs: Vec<Job>| {
            let basis = Basis::new(
                FixedValues::default(),
                at(now),
                Arc::clone(&zones),
                Kubectl::default(),
            );
            let evidence = CronJobEvidence {
                cron_job: hourly.clone(),
                jobs,
                ..CronJobEvidence::default()
            };
            let world = World::of_one(basis, hourly.clone());
            counts.update(&recorded, &world, &[Arc::new(evidence)]);
            counts.write(|all| {
                let all = all.iter().map(|one| {
                    let known = |runs: DueRuns| {
                        let others = runs.late + runs.skipped + runs.unknown;
                        [runs.succeeded, runs.failed, others]
                    };
                    (known(one.total), known(one.recent))
                });
                all.collect::<Vec<_>>()
            })
        };
        assert_eq!(counted("2026-11-21T12:20:00Z", Vec::new()), []);
        let (succeeded, failed) = (RunResult::Succeeded, RunResult::Failed);
        write(
            vec![
                stored("2026-11-21T10:00:00Z", succeeded),
                stored("2026-11-21T11:00:00Z", failed),
            ],
            "2026-11-21T12:30:00Z",
        );
        // What ended before the first count is in the window only, and what has not ended is in neither.
        let mut running = job("hourly-29921040", "hourly");
        running.owner_references = Arc::new(vec![OwnerReference {
            uid: "u".to_owned(),
            ..owner("CronJob", "hourly")
        }]);
        running.creation_timestamp = Some(at("2026-11-21T12:00:00Z"));
        running.active = 1;
        let mut unfinished = stored("2026-11-21T12:00:00Z", RunResult::Running);
        (unfinished.status, unfinished.finished_at) = (Some(RunStatus::Running), None);
        write(vec![unfinished], "2026-11-21T12:30:00Z");
        let first = [([0, 0, 0], [1, 1, 0])];
        for now in ["2026-11-21T12:30:00Z", "2026-11-21T12:31:00Z"] {
            assert_eq!(counted(now, vec![running.clone()]), first, "{now}");
        }
        let last = stored("2026-11-21T13:00:00Z", succeeded);
        write(vec![last], "2026-11-21T13:10:00Z");
        assert_eq!(counted("2026-11-21T13:10:00Z", vec![running]), first);
        let ended = stored("2026-11-21T12:00:00Z", failed);
        write(vec![ended], "2026-11-21T13:11:00Z");
        for now in ["2026-11-21T13:12:00Z", "2026-11-21T13:13:00Z"] {
            let both = [([1, 1, 0], [2, 2, 0])];
            assert_eq!(counted(now, Vec::new()), both, "{now}");
        }
        // All of it is older than the window.
        write(Vec::new(), "2026-12-20T00:00:00Z");
        let [(_, recent)] = counted("2026-12-20T00:00:00Z", Vec::new())[..] else {
            panic!("one CronJob");
        };
        assert_eq!(recent[..2], [0, 0]);
    }
}
