//! The cost of a simulation. `cargo bench --bench simulate` prints Markdown.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and may fail"
)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use cronjob_controller::controller::{Controller, Model, Release};
use cronjob_controller::simulate::{Simulation, SimulationPlan, TimeSpans, simulate};
use cronjob_doctor::cli::side_by_side;
use jiff::{SignedDuration, Timestamp};
use kube_cron::Zone;
use kube_cron::ZoneDatabase;
use kube_model::CronJob;

const SCHEDULES: [&str; 8] = [
    "*/5 * * * *",
    "0 * * * *",
    "30 2 * * *",
    "0 8-18 * * 1-5",
    "15 4 * * 0",
    "* * * * *",
    "@daily",
    "@every 90s",
];

fn main() {
    let zones = Arc::new(ZoneDatabase::bundled());
    let controller = |release: &str| Controller {
        model: Model::Kubernetes,
        release: release.parse::<Release>().unwrap(),
        local: Zone::utc(),
        zones: zones.clone(),
        display: None,
    };
    println!("| release | a year of `* * * * *` | 10,000 CronJobs over a day, 2 threads |");
    println!("|---|---:|---:|");
    for release in ["1.20", "1.27.1", "1.36"] {
        let controller = controller(release);
        let minutely = cron_job(5);
        let year = plan(SignedDuration::from_hours(24 * 365));
        let alone = least(|| {
            let simulation: Simulation = simulate(&controller, &minutely, &[], &year);
            assert_eq!(simulation.summary.started, 525_600);
            black_box(simulation);
        });
        let cron_jobs: Vec<CronJob> = (0..10_000).map(cron_job).collect();
        let day = plan(SignedDuration::from_hours(24));
        let many = least(|| {
            let runs = |cron_job: &CronJob| simulate(&controller, cron_job, &[], &day).summary;
            black_box(side_by_side(&cron_jobs, 2, runs));
        });
        println!("| {release} | {alone:.2} s | {many:.2} s |");
    }
}

fn cron_job(index: usize) -> CronJob {
    let mut cron_job = CronJob {
        api_version: "batch/v1".to_owned(),
        namespace: format!("team-{}", index % 50),
        name: format!("job-{index}"),
        uid: format!("uid-{index}"),
        creation_timestamp: Some("2025-12-31T23:59:59Z".parse().unwrap()),
        ..CronJob::default()
    };
    cron_job.spec.schedule = SCHEDULES[index % SCHEDULES.len()].to_owned();
    cron_job.spec.successful_jobs_history_limit = Some(3);
    cron_job.spec.failed_jobs_history_limit = Some(1);
    cron_job
}

fn plan(length: SignedDuration) -> SimulationPlan {
    let from: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    SimulationPlan {
        from,
        to: from + length,
        outages: TimeSpans::default(),
        upgrade: None,
        suspended: TimeSpans::default(),
        edits: Vec::new(),
        job_duration: SignedDuration::from_secs(30),
    }
}

/// The minimum of three measurements, in seconds.
fn least(mut call: impl FnMut()) -> f64 {
    (0..3)
        .map(|_| {
            let began = Instant::now();
            call();
            began.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min)
}
