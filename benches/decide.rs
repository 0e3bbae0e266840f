//! The cost of a decision. `cargo bench --bench decide` prints Markdown.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and may fail"
)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use cronjob_controller::controller::{Controller, Model, Release, decide};
use cronjob_diagnosis::diagnose::Facts;
use kube_cron::Zone;
use kube_cron::ZoneDatabase;
use kube_model::CronJob;

fn main() {
    let zones = Arc::new(ZoneDatabase::bundled());
    println!("| CronJob | release | decision | with all facts |\n|---|---|---:|---:|");
    let cases = [
        (
            "`*/5 * * * *`, one run due",
            "*/5 * * * *",
            "2026-03-10T06:25:00Z",
        ),
        (
            "`* * * * *`, ten years missed",
            "* * * * *",
            "2016-03-10T06:25:00Z",
        ),
        (
            "`0 8-18 * * 1-5`, ten years missed",
            "0 8-18 * * 1-5",
            "2016-03-10T06:25:00Z",
        ),
    ];
    for (what, schedule, last) in cases {
        for release in ["1.20", "1.27.1", "1.36"] {
            let controller = Controller {
                model: Model::Kubernetes,
                release: release.parse::<Release>().unwrap(),
                local: Zone::utc(),
                zones: zones.clone(),
                display: None,
            };
            let mut cron_job = CronJob {
                name: "bench".to_owned(),
                namespace: "bench".to_owned(),
                ..CronJob::default()
            };
            cron_job.spec.schedule = schedule.to_owned();
            cron_job.spec.time_zone = Some("Europe/Berlin".to_owned());
            cron_job.status.last_schedule_time = Some(last.parse().unwrap());
            let now = "2026-03-10T06:30:00.1Z".parse().unwrap();
            let decision = least(|| {
                black_box(decide(&controller, &cron_job, &[], now));
            });
            let facts = least(|| {
                black_box(Facts::gather(&controller, &cron_job, &[], &[], now));
            });
            println!("| {what} | {release} | {decision:.2} µs | {facts:.2} µs |");
        }
    }
}

/// The minimum of seven measurements, in microseconds for each call.
fn least(mut call: impl FnMut()) -> f64 {
    const CALLS: u32 = 20_000;
    (0..7)
        .map(|_| {
            let began = Instant::now();
            (0..CALLS).for_each(|_| call());
            began.elapsed().as_secs_f64() * 1e6 / f64::from(CALLS)
        })
        .fold(f64::INFINITY, f64::min)
}
