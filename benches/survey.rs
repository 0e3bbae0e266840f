//! The cost of a scan once everything is read. `cargo bench --bench survey` prints Markdown.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and may fail"
)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use cronjob_controller::controller::{Controller, Model, Release};
use cronjob_diagnosis::kubectl::PLAIN;
use cronjob_diagnosis::survey::{RowSelection, SurveyReport, rows};
use jiff::{SignedDuration, Timestamp};
use kube_cron::Zone;
use kube_cron::ZoneDatabase;
use kube_model::{
    Condition, Coverage, CronJob, CronJobEvidence, Job, OwnerReference, RelatedObjects,
    evidence_by_cron_job,
};

const CRON_JOBS: i64 = 10_000;
const JOBS_OF_EACH: i64 = 5;
const SCHEDULES: [&str; 8] = [
    "*/5 * * * *",
    "0 * * * *",
    "30 2 * * *",
    "0 8-18 * * 1-5",
    "15 4 * * 0",
    "0 0 1 * *",
    "@daily",
    "0 0 31 2 *",
];
const ZONES: [Option<&str>; 3] = [None, Some("Europe/Berlin"), Some("America/New_York")];

fn main() {
    let zones = Arc::new(ZoneDatabase::bundled());
    let now: Timestamp = "2026-11-21T02:13:08Z".parse().unwrap();
    println!("| release | rows of {CRON_JOBS} CronJobs with {JOBS_OF_EACH} Jobs each | in order |");
    println!("|---|---:|---:|");
    let all_evidence = cluster(now);
    let coverage = Coverage::all(now);
    for release in ["1.20", "1.27.1", "1.36"] {
        let controller = Controller {
            model: Model::Kubernetes,
            release: release.parse::<Release>().unwrap(),
            local: Zone::utc(),
            zones: zones.clone(),
            display: None,
        };
        let compute = || rows(&controller, &PLAIN, &all_evidence, coverage, now);
        let computed = compute();
        let alone = least(|| drop(black_box(compute())));
        let ordered = least(|| {
            black_box(SurveyReport::new(computed.clone(), RowSelection::default()));
        });
        println!("| {release} | {alone:.0} ms | {ordered:.0} ms |");
    }
}

fn cluster(now: Timestamp) -> Vec<CronJobEvidence> {
    let cron_jobs = (0..CRON_JOBS).map(|index| cron_job(index, now));
    let mut jobs = Vec::new();
    for cron_job in cron_jobs.clone() {
        jobs.extend((0..JOBS_OF_EACH).map(|ago| job(&cron_job, ago)));
    }
    let seen = RelatedObjects {
        jobs,
        ..RelatedObjects::default()
    };
    evidence_by_cron_job(cron_jobs.collect(), seen)
}

fn cron_job(index: i64, now: Timestamp) -> CronJob {
    let pick = |length: usize| usize::try_from(index).unwrap() % length;
    let last = now - SignedDuration::from_mins(index % 600);
    let mut cron_job = CronJob {
        api_version: "batch/v1".to_owned(),
        namespace: format!("team-{}", index % 50),
        name: format!("job-{index}"),
        uid: format!("uid-{index}"),
        creation_timestamp: Some(now - SignedDuration::from_hours(24 * 90)),
        ..CronJob::default()
    };
    cron_job.spec.schedule = SCHEDULES[pick(SCHEDULES.len())].to_owned();
    cron_job.spec.time_zone = ZONES[pick(ZONES.len())].map(str::to_owned);
    cron_job.spec.suspend = Some(index % 20 == 0);
    cron_job.status.last_schedule_time = Some(last);
    cron_job.status.last_successful_time = Some(last);
    cron_job
}

fn job(cron_job: &CronJob, ago: i64) -> Job {
    let run = cron_job.status.last_schedule_time.unwrap() - SignedDuration::from_hours(ago);
    let ended = run + SignedDuration::from_secs(90);
    Job {
        namespace: cron_job.namespace.as_str().into(),
        name: format!("{}-{}", cron_job.name, run.as_second() / 60),
        creation_timestamp: Some(run),
        start_time: Some(run),
        completion_time: Some(ended),
        succeeded: 1,
        owner_references: vec![OwnerReference {
            api_version: "batch/v1".to_owned(),
            kind: "CronJob".to_owned(),
            name: cron_job.name.clone(),
            uid: cron_job.uid.clone(),
            controller: Some(true),
        }]
        .into(),
        conditions: vec![Condition {
            r#type: "Complete".into(),
            status: "True".into(),
            last_transition_time: Some(ended),
            ..Condition::default()
        }],
        ..Job::default()
    }
}

/// The minimum of seven measurements, in milliseconds.
fn least(mut call: impl FnMut()) -> f64 {
    (0..7)
        .map(|_| {
            let began = Instant::now();
            call();
            began.elapsed().as_secs_f64() * 1e3
        })
        .fold(f64::INFINITY, f64::min)
}
