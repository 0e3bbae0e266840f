//! Properties of every simulation, checked with random schedules, releases, outages and edits.
//! `SEED` picks other random numbers, `CASES` another number of them for each test.

use std::sync::Arc;

use crate::support::expressions::expression;
use crate::support::model;
use crate::support::moments::{at, second};
use crate::support::random::{Random, setting};
use cronjob_controller::controller::{Controller, Generation, Model, Release, decide};
use cronjob_controller::forecast::{Situation, forecast};
use cronjob_controller::simulate::{
    InitialState, PlannedEdit, SimulatedStatus, Simulation, SimulationPlan, TimeSpans,
    initial_state, simulate,
};
use cronjob_controller::upcoming::timetable;
use jiff::{SignedDuration, Timestamp};
use kube_cron::Zone;
use kube_cron::ZoneDatabase;
use kube_model::{ConcurrencyPolicy, CronJob, SpecChange};

/// A release of each row of the table of releases, and one in between.
const RELEASES: [&str; 22] = [
    "1.4", "1.6", "1.11", "1.17", "1.20", "1.21", "1.22", "1.23", "1.24", "1.25.9", "1.25.12",
    "1.26.7", "1.26.9", "1.26.11", "1.27.1", "1.27.4", "1.27.8", "1.28.1", "1.28.4", "1.30",
    "1.36", "1.37",
];
const ZONES: [&str; 8] = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "Pacific/Chatham",
    "America/Sao_Paulo",
    "Asia/Tokyo",
];

struct Trial {
    random: Random,
}

impl Trial {
    fn controller(&mut self, zones: &Arc<ZoneDatabase>, local: &Arc<Zone>) -> Controller {
        let release: Release = self.random.pick(&RELEASES).parse().unwrap();
        let model = if self.random.one_in(10) {
            Model::Kubebuilder
        } else {
            Model::Kubernetes
        };
        Controller {
            model,
            release,
            local: Arc::clone(local),
            zones: zones.clone(),
            display: None,
        }
    }

    fn cron_job(&mut self) -> CronJob {
        let mut cron_job = model::cron_job("report", &expression(&mut self.random));
        cron_job.creation_timestamp = None;
        let zone = (*self.random.pick(&ZONES)).to_owned();
        cron_job.spec.time_zone = (!self.random.one_in(3)).then_some(zone);
        cron_job
    }

    fn from(&mut self) -> Timestamp {
        let [low, high] = ["2010-01-01T00:00:00Z", "2030-01-01T00:00:00Z"].map(second);
        at(self.random.between(low, high))
    }
}

/// Nothing happens, and each Job takes a second.
pub(crate) fn plan(from: Timestamp, to: Timestamp) -> SimulationPlan {
    SimulationPlan {
        from,
        to,
        outages: TimeSpans::default(),
        upgrade: None,
        suspended: TimeSpans::default(),
        edits: Vec::new(),
        job_duration: SignedDuration::from_secs(1),
    }
}

/// The end of a window with a few dozen runs, and at most a year; `None` if there are no runs, or if
/// two runs share a minute, and therefore the name of their Job.
fn end(controller: &Controller, cron_job: &CronJob, from: Timestamp) -> Option<Timestamp> {
    let timetable = timetable(controller, cron_job).ok()?;
    let runs = timetable.after(from).take(40);
    let runs: Vec<Timestamp> = runs.map_while(Result::ok).collect();
    let apart = |pair: &[Timestamp]| pair[1].as_second() - pair[0].as_second() >= 60;
    let last = runs.last().filter(|_| runs.windows(2).all(apart))?;
    let year = from.as_second() + 366 * 86_400;
    // A bit more, since a sync may be a bit late.
    let last = (last.as_second() + 30).min(year);
    Some(at(last.max(from.as_second() + 60)))
}

/// This holds for every schedule, zone and release.
#[test]
fn undisturbed_runs_start_once_and_in_time() {
    let zones = Arc::new(ZoneDatabase::bundled());
    let local = Zone::utc();
    let random = Random::seeded(1);
    let mut trial = Trial { random };
    for _ in 0..setting("CASES").unwrap_or(600) {
        let controller = trial.controller(&zones, &local);
        let (cron_job, from) = (trial.cron_job(), trial.from());
        let Some(to) = end(&controller, &cron_job, from) else {
            continue;
        };
        let (settled, jobs, from) =
            initial_state(&controller, &cron_job, &[], from, InitialState::AllStarted);
        let simulation = simulate(&controller, &settled, &jobs, &plan(from, to));
        let summary = simulation.summary;
        let what = {
            let (spec, model) = (&cron_job.spec, controller.model);
            let (schedule, zone, release) = (&spec.schedule, &spec.time_zone, controller.release);
            let mut runs = simulation.runs.iter();
            let other = runs.find(|run| run.status != SimulatedStatus::Started);
            format!(
                "{schedule:?} {zone:?} {release} {model:?} from {from} to {to}: {summary:?}\n{other:?}"
            )
        };
        assert_eq!(summary.started, summary.runs, "{what}");
        assert_eq!(summary.phantom, 0, "{what}");
        // The last sync of the first generation may be before the last scheduled time.
        let polls = controller.behavior().generation == Generation::V1;
        assert!(summary.pending <= u64::from(polls), "{what}");
        let timetable = timetable(&controller, &settled).unwrap();
        if timetable.zone().is_some() {
            let just_before = |moment: Timestamp| at(moment.as_second() - 1);
            let counted = timetable.count(just_before(from), just_before(to));
            let count = counted.unwrap().count;
            assert_eq!(summary.runs + summary.pending, count, "{what}");
        }
        let mut moments = simulation.runs.iter().map(|run| run.scheduled_time);
        assert!(
            moments.by_ref().is_sorted_by(|one, other| one < other),
            "{what}"
        );
    }
}

/// Outages, suspensions, edits, long Jobs and failures, all of them combined.
#[test]
fn counts_of_disturbed_simulations_add_up() {
    let zones = Arc::new(ZoneDatabase::bundled());
    let local = Zone::utc();
    let random = Random::seeded(2);
    let mut trial = Trial { random };
    for _ in 0..setting("CASES").unwrap_or(250) {
        let controller = trial.controller(&zones, &local);
        let (mut cron_job, from) = (trial.cron_job(), trial.from());
        let Some(to) = end(&controller, &cron_job, from) else {
            continue;
        };
        let plan = disturbed(&mut trial.random, from, to);
        let policies = [
            ConcurrencyPolicy::Allow,
            ConcurrencyPolicy::Forbid,
            ConcurrencyPolicy::Replace,
        ];
        cron_job.spec.concurrency_policy = trial.random.pick(&policies).clone();
        let deadline = trial.random.between(0, 100_000);
        cron_job.spec.starting_deadline_seconds = trial.random.one_in(3).then_some(deadline);
        let (settled, jobs, _) =
            initial_state(&controller, &cron_job, &[], from, InitialState::AllStarted);
        let simulation = simulate(&controller, &settled, &jobs, &plan);
        let what = format!("{:?} {} {plan:?}", cron_job.spec, controller.release);
        assert_eq!(simulate(&controller, &settled, &jobs, &plan), simulation);
        balanced(&simulation, &what);
        let is_policy =
            |edit: &PlannedEdit| matches!(edit.change, SpecChange::ConcurrencyPolicy(_));
        let changes_policy = plan.edits.iter().any(is_policy);
        if cron_job.spec.concurrency_policy != ConcurrencyPolicy::Allow && !changes_policy {
            one_at_a_time(&simulation, &what);
        }
    }
}

fn disturbed(random: &mut Random, from: Timestamp, to: Timestamp) -> SimulationPlan {
    let mut span = |most: usize| -> TimeSpans {
        let count = random.below(most);
        (0..count)
            .map(|_| {
                let begin = random.between(from.as_second() - 10, to.as_second());
                (at(begin), at(random.between(begin, to.as_second() + 10)))
            })
            .collect()
    };
    let (outages, suspended) = (span(3), span(3));
    let length = to.as_second() - from.as_second();
    let mut edits = Vec::new();
    for _ in 0..random.below(3) {
        let change = match random.below(4) {
            0 => SpecChange::Schedule(expression(random)),
            1 => SpecChange::Suspend(Some(random.one_in(2))),
            2 => SpecChange::StartingDeadlineSeconds(Some(random.between(0, 1000))),
            _ => SpecChange::ConcurrencyPolicy(ConcurrencyPolicy::Forbid),
        };
        let when = at(random.between(from.as_second(), to.as_second() - 1));
        edits.push(PlannedEdit { at: when, change });
    }
    // An edited schedule may be due every minute: such windows are shortened from a year to three days.
    let short = at(to.as_second().min(from.as_second() + 86_400 * 3));
    SimulationPlan {
        outages,
        upgrade: None,
        suspended,
        // Enough for hundreds of Jobs at the same time, and not for thousands.
        job_duration: SignedDuration::from_secs(random.between(0, (length / 20).min(43_200))),
        to: if edits.is_empty() {
            to
        } else {
            short.max(at(from.as_second() + 1))
        },
        edits,
        ..plan(from, to)
    }
}

fn balanced(simulation: &Simulation, what: &str) {
    let summary = simulation.summary;
    let all = summary.started + summary.late + summary.lost + summary.blocked;
    assert_eq!(summary.runs, all, "{what}");
    for pair in simulation.runs.windows(2) {
        assert!(pair[0].scheduled_time <= pair[1].scheduled_time, "{what}");
    }
    for run in &simulation.runs {
        use SimulatedStatus::{Blocked, Late, Lost, Phantom, Started};

        let started = matches!(run.status, Started | Late | Phantom);
        let explained = matches!(run.status, Late | Lost | Blocked);
        let found = [
            run.started_at.is_some(),
            run.job_name.is_some(),
            run.reason.is_some(),
        ];
        assert_eq!(found, [started, started, explained], "{run:?} {what}");
        let in_time = |at: Timestamp| run.scheduled_time <= at && at < simulation.to;
        assert!(run.started_at.is_none_or(in_time), "{run:?} {what}");
        assert!(run.finished_at >= run.started_at.filter(|_| run.finished_at.is_some()));
    }
    let mut events = simulation.events.iter();
    let created = events.find(|event| event.reason == "SuccessfulCreate");
    let started = summary.started + summary.late + summary.phantom;
    if let Some(created) = created {
        assert_eq!(created.count, started, "{what}");
    }
}

/// Neither Forbid nor Replace has two Jobs at a time.
fn one_at_a_time(simulation: &Simulation, what: &str) {
    let runs = simulation.runs.iter();
    let mut jobs: Vec<_> = runs
        .filter_map(|run| Some((run.started_at?, run.finished_at.unwrap_or(simulation.to))))
        .collect();
    jobs.sort_unstable();
    for pair in jobs.windows(2) {
        assert!(pair[0].1 <= pair[1].0, "{pair:?} {what}");
    }
}

/// A forecast from any state without Jobs starts what a simulation starts: the controller has just begun, and its Jobs
/// end at once. Both ask the same decisions; when they ask, each finds out by itself.
#[test]
fn forecast_starts_what_a_simulation_starts() {
    let zones = Arc::new(ZoneDatabase::bundled());
    let local = Zone::utc();
    let random = Random::seeded(7);
    let mut trial = Trial { random };
    let mut compared = 0;
    for _ in 0..setting("CASES").unwrap_or(1500) {
        let controller = trial.controller(&zones, &local);
        if controller.model == Model::Kubebuilder {
            continue;
        }
        let (mut cron_job, from) = (trial.cron_job(), trial.from());
        let Some(to) = end(&controller, &cron_job, from) else {
            continue;
        };
        let deadline = *trial.random.pick(&[5, 60, 900, 7200, 86_400, 700_000]);
        cron_job.spec.starting_deadline_seconds = (!trial.random.one_in(3)).then_some(deadline);
        // It has not been started for up to 150 runs of the window.
        let missing = (to.as_second() - from.as_second()) * 4;
        let missing = trial.random.between(0, missing);
        cron_job.creation_timestamp = Some(at(from.as_second() - missing - 1));
        cron_job.status.last_schedule_time = Some(at(from.as_second() - missing));
        let (settled, jobs, from) =
            initial_state(&controller, &cron_job, &[], from, InitialState::AsFound);
        let simulation = simulate(&controller, &settled, &jobs, &plan(from, to));
        let mut started: Vec<(Timestamp, Timestamp)> = simulation
            .runs
            .iter()
            .filter_map(|run| Some((run.started_at?, run.scheduled_time)))
            .collect();
        started.sort_unstable();
        let decision = decide(&controller, &settled, &[], from);
        let timetable = timetable(&controller, &settled).ok();
        let situation = Situation {
            controller: &controller,
            cron_job: &settled,
            jobs: &[],
            events: &[],
            now: from,
            as_of: from,
            jobs_read: true,
            decision: &decision,
            timetable: timetable.as_ref(),
            usual_seconds: None,
            quota_is_full: false,
            longest_delay: 0,
            syncs_now: true,
            controller_is_down: false,
            passed_over_since: None,
        };
        let forecast = forecast(&situation, 3);
        let facts = forecast
            .syncs
            .iter()
            .take_while(|sync| sync.condition.is_none());
        let facts = facts.filter(|sync| sync.starts());
        let facts = facts.filter_map(|sync| Some((sync.at?, sync.scheduled_time?)));
        let facts: Vec<(Timestamp, Timestamp)> = facts.filter(|(at, _)| *at < to).collect();
        let what = format!(
            "{:?} last {:?} {} from {from}:\n{:#?}\n{started:?}",
            settled.spec, settled.status.last_schedule_time, controller.release, forecast.syncs
        );
        assert!(started.len() >= facts.len(), "{what}");
        // It is about three runs. Those at the end of the window may be a few seconds later.
        let is_certain = forecast.syncs.iter().all(|sync| sync.condition.is_none());
        let clear = started
            .iter()
            .filter(|run| run.0.as_second() < to.as_second() - 30);
        assert!(!is_certain || facts.len() >= clear.count().min(3), "{what}");
        for (fact, run) in facts.iter().zip(&started) {
            assert_eq!(fact.1, run.1, "{what}");
            // The first generation syncs within ten seconds.
            assert!(
                run.0.as_second().abs_diff(fact.0.as_second()) <= 11,
                "{what}"
            );
        }
        compared += facts.len();
    }
    assert!(compared > 1000, "{compared}");
}
