//! The extra run that a moved schedule is predicted to start, compared with a simulation of the controller.

use std::borrow::Cow;
use std::collections::BTreeSet;

use cronjob_controller::controller::Controller;
use cronjob_controller::simulate::{PlannedEdit, SimulationPlan, TimeSpans, simulate};
use cronjob_diagnosis::change::{Application, ExtraKind, ExtraRun, MovedSchedule, extra_run};
use cronjob_diagnosis::load::ScheduleSuggestion;
use jiff::{SignedDuration, Timestamp};
use kube_cron::{BundledZones, Dialect, Schedule, Timetable, Zone};
use kube_model::{CronJob, CronJobEvidence, SpecChange};

use crate::support::cases;
use crate::support::model::{at, cron_job};
use crate::support::random::Random;
use crate::support::recorded::controller;

/// One release for each wake-up behavior.
const RELEASES: [&str; 5] = ["1.20", "1.22", "1.27.1", "1.30", "1.36"];

/// Zero means no deadline.
const DEADLINES: [i64; 6] = [0, 0, 90, 1_800, 7_200, 2 * 86_400];

fn timetable(schedule: &str) -> Timetable {
    let schedule = Schedule::parse(schedule, Dialect::V3_0, &BundledZones).unwrap();
    schedule.in_zone(&Zone::utc())
}

fn seconds(seconds: i64) -> SignedDuration {
    SignedDuration::from_secs(seconds)
}

/// A `CronJob` that has run whenever it was due, and does nothing now.
fn settled(schedule: &str, deadline: Option<i64>, now: Timestamp) -> CronJob {
    let mut cron_job = cron_job("moved", schedule);
    cron_job.creation_timestamp = Some(now - seconds(60 * 86_400));
    cron_job.spec.starting_deadline_seconds = deadline;
    cron_job.status.last_schedule_time = timetable(schedule).previous(now);
    cron_job
}

/// A schedule, the same schedule some minutes later within the hour, and the number of minutes.
fn schedules(random: &mut Random) -> (String, String, u32) {
    let minute = random.between(0, 50);
    let mut later = random.between(1, 59 - minute);
    let (hour, moved) = (random.between(0, 23), minute + later);
    let pair = |rest: &str| (format!("{minute} {rest}"), format!("{moved} {rest}"));
    let (old, new) = match random.below(6) {
        0 => pair(&format!("{hour} * * *")),
        1 => pair("* * * *"),
        2 => pair("8-18 * * 1-5"),
        3 => pair(&format!("{hour} * * 1")),
        4 => pair("*/6 * * *"),
        _ => {
            later = random.between(1, 14);
            let new = format!("{later}-59/15 * * * *");
            ("*/15 * * * *".to_owned(), new)
        }
    };
    (old, new, u32::try_from(later).unwrap())
}

/// The runs that start from the change on, although they are not upcoming runs of the old schedule that were
/// moved: their scheduled times and when they start.
fn extra_starts(
    controller: &Controller,
    cron_job: &CronJob,
    (new, minutes): (&str, u32),
    changed: Timestamp,
) -> Vec<(Timestamp, Timestamp)> {
    let begin = changed - seconds(20);
    let end = changed + seconds(16 * 86_400);
    let plan = SimulationPlan {
        from: begin,
        to: end,
        outages: TimeSpans::default(),
        upgrade: None,
        suspended: TimeSpans::default(),
        edits: vec![PlannedEdit {
            at: changed,
            change: SpecChange::Schedule(new.to_owned()),
        }],
        job_duration: seconds(5),
    };
    let simulation = simulate(controller, cron_job, &[], &plan);
    let old = timetable(&cron_job.spec.schedule);
    let to_come = old.after(changed).map(|run| run.unwrap());
    let later = SignedDuration::from_mins(i64::from(minutes));
    let to_come = to_come.take_while(|run| *run < end);
    let expected: BTreeSet<Timestamp> = to_come.map(|run| run + later).collect();
    let started = simulation.runs.iter();
    started
        .filter_map(|run| Some((run.scheduled_time, run.started_at?)))
        .filter(|(scheduled_time, started)| {
            *started >= changed && !expected.contains(scheduled_time)
        })
        .collect()
}

fn later<'a>(cron_job: &'a CronJob, new: &'a str, minutes: u32) -> MovedSchedule<'a> {
    MovedSchedule {
        cron_job: Cow::Borrowed(cron_job),
        jobs: Cow::Borrowed(&[]),
        schedule: new,
        minutes,
    }
}

#[test]
fn extra_runs_match_the_simulated_controller() {
    let mut random = cases::random(20_261_122);
    let (mut repeated, mut retroactive, mut none) = (0, 0, 0);
    for _ in 0..cases::cases(150) {
        let (old, new, minutes) = schedules(&mut random);
        let release = *random.pick(&RELEASES);
        let controller = controller(release);
        let minute = random.between(0, 14 * 1440);
        let now = at("2026-03-02T00:00:30Z") + seconds(minute * 60);
        let deadline = Some(*random.pick(&DEADLINES)).filter(|seconds| *seconds > 0);
        let cron_job = settled(&old, deadline, now);
        let found = extra_run(&controller, &later(&cron_job, &new, minutes), now);
        let starts = extra_starts(&controller, &cron_job, (&new, minutes), now);
        let message = format!(
            "{release}: {old} -> {new} at {now}, deadline {deadline:?}: {found:?}, {starts:?}"
        );
        let Some(extra) = found else {
            assert_eq!(starts, [], "{message}");
            none += 1;
            continue;
        };
        let [(scheduled_time, started)] = starts[..] else {
            panic!("{message}");
        };
        assert_eq!(scheduled_time, extra.scheduled_time, "{message}");
        let early = extra.starts_at.as_second() - started.as_second();
        match extra.kind {
            ExtraKind::Repeated => {
                repeated += 1;
                assert!((-11..=0).contains(&early), "{message}");
            }
            // The predicted start is the latest one: the first generation syncs every ten seconds.
            ExtraKind::Retroactive => {
                retroactive += 1;
                assert!((0..=11).contains(&early), "{message}");
            }
        }
    }
    assert!(repeated > 7 && retroactive > 7 && none > 7);
}

/// Two CronJobs that ran an hour ago; one of them has a deadline of ten minutes.
#[test]
fn without_deadline_every_time_has_extra_runs() {
    let now = at("2026-03-10T03:00:30Z");
    let application = |deadlines: [Option<i64>; 2]| {
        let all_evidence = deadlines.map(|deadline| CronJobEvidence {
            cron_job: settled("0 2 * * *", deadline, now),
            ..CronJobEvidence::default()
        });
        let suggestion = |member, minutes: u32| ScheduleSuggestion {
            member,
            schedule: format!("{minutes} 2 * * *"),
            minutes_later: minutes,
        };
        let suggestions = [suggestion(0, 10), suggestion(1, 40)];
        let found = |member: usize| all_evidence.get(member);
        Application::of(&controller("1.36"), found, &suggestions, now)
    };
    // The other one is past its deadline, whatever makes the controller sync.
    let unbounded = application([None, Some(600)]);
    assert_eq!(unbounded.in_cluster, 2);
    let extra = ExtraRun {
        kind: ExtraKind::Retroactive,
        scheduled_time: at("2026-03-10T02:10:00Z"),
        job_name: "moved-29551810".to_owned(),
        starts_at: at("2026-03-11T02:00:00Z"),
        running: Vec::new(),
    };
    let found: Vec<_> = unbounded.extra_runs.into_iter().collect();
    assert_eq!(found, [(0, extra)]);
    assert_eq!(unbounded.quiet_at, None);
    let bounded = application([Some(600), Some(7_200)]);
    assert_eq!(bounded.extra_runs.len(), 0, "{bounded:?}");
    assert_eq!(bounded.quiet_at, None, "now is as good");
}

#[test]
fn proposed_time_has_no_extra_runs() {
    let mut random = Random::new(20_261_123);
    let mut found = 0;
    for _ in 0..60 {
        let now = at("2026-03-02T00:00:30Z") + seconds(random.between(0, 7 * 1440) * 60);
        let moved: Vec<(String, String, u32)> = (0..3).map(|_| schedules(&mut random)).collect();
        let mut evidence_of = |old: &str| CronJobEvidence {
            cron_job: settled(old, Some(*random.pick(&[60, 300, 3_600])), now),
            ..CronJobEvidence::default()
        };
        let all_evidence = moved.iter().map(|(old, ..)| evidence_of(old));
        let all_evidence: Vec<_> = all_evidence.collect();
        let suggestion =
            |(member, (_, new, minutes)): (usize, &(String, String, u32))| ScheduleSuggestion {
                member,
                schedule: new.clone(),
                minutes_later: *minutes,
            };
        let suggestions: Vec<_> = moved.iter().enumerate().map(suggestion).collect();
        let controller = controller("1.36");
        let evidence = |member: usize| all_evidence.get(member);
        let application = Application::of(&controller, evidence, &suggestions, now);
        let Some(quiet) = application.quiet_at else {
            continue;
        };
        found += 1;
        assert!(quiet > now && quiet <= now + seconds(86_400));
        for (evidence, (old, new, minutes)) in all_evidence.iter().zip(&moved) {
            let deadline = evidence.cron_job.spec.starting_deadline_seconds;
            for moment in [quiet, quiet + seconds(239)] {
                let then = settled(old, deadline, moment);
                let starts = extra_starts(&controller, &then, (new, *minutes), moment);
                let message = format!("{old} -> {new}, deadline {deadline:?}, at {moment}");
                assert_eq!(starts, [], "{message}");
            }
        }
    }
    assert!(found > 10, "{found}");
}
