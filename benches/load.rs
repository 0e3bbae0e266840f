//! The cost of adding up the starts of a large cluster. `cargo bench --bench load` prints Markdown.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and may fail"
)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use cronjob_controller::controller::{Controller, Model, Release};
use cronjob_controller::upcoming::Subject;
use cronjob_diagnosis::load::{ClientLimits, LoadMember, LoadQuestion, LoadWindow, load};
use jiff::{SignedDuration, Timestamp};
use kube_cron::Zone;
use kube_cron::ZoneDatabase;

const CRON_JOBS: usize = 10_000;
const ZONES: [Option<&str>; 3] = [None, Some("Europe/Berlin"), Some("America/New_York")];

/// The schedule of the CronJob with a number.
type ScheduleOf = fn(usize) -> String;

fn main() {
    let zones = Arc::new(ZoneDatabase::bundled());
    println!("| {CRON_JOBS} CronJobs | window | starts | suggestions | time |");
    println!("|---|---|---:|---:|---:|");
    let kinds: [(&str, ScheduleOf); 3] = [
        ("typical schedules", written),
        ("daily, spread over all minutes", spread_already),
        ("all at midnight", midnight),
    ];
    for (what, schedule) in kinds {
        let members: Vec<LoadMember> = (0..CRON_JOBS)
            .map(|index| member(index, schedule))
            .collect();
        for (window, days) in [("a week", 7), ("a month", 31)] {
            let controller = Controller {
                model: Model::Kubernetes,
                release: "1.36".parse::<Release>().unwrap(),
                local: Zone::utc(),
                zones: zones.clone(),
                display: None,
            };
            let from: Timestamp = "2026-11-21T02:13:00Z".parse().unwrap();
            let to = from + SignedDuration::from_hours(24 * days);
            let question = LoadQuestion {
                window: LoadWindow::new(from, to, 60).unwrap(),
                limits: ClientLimits::of(controller.behavior()),
                include_suspended: false,
                peaks: 5,
                at_most: None,
            };
            let computed = load(&controller, &members, &question);
            let took = least(|| drop(black_box(load(&controller, &members, &question))));
            println!(
                "| {what} | {window} | {} | {} | {took:.0} ms |",
                computed.summary.starts,
                computed.proposal.suggestions.len()
            );
        }
    }
}

/// Mostly full hours, as in real clusters.
fn written(index: usize) -> String {
    const SCHEDULES: [&str; 10] = [
        "*/5 * * * *",
        "0 * * * *",
        "0 2 * * *",
        "30 6-16/4 * * 1-5",
        "15 3 * * 0",
        "0 0 1 * *",
        "@hourly",
        "*/15 9-17 * * mon-fri",
        "* * * * *",
        "7 4 * * *",
    ];
    SCHEDULES[index % SCHEDULES.len()].to_owned()
}

/// Thousands of different schedules.
fn spread_already(index: usize) -> String {
    format!("{} {} * * *", index % 60, index / 60 % 24)
}

fn midnight(_: usize) -> String {
    "0 0 * * *".to_owned()
}

fn member(index: usize, schedule: ScheduleOf) -> LoadMember {
    LoadMember {
        subject: Subject {
            kind: None,
            other_kind: None,
            namespace: Some(format!("team-{}", index % 50)),
            name: Some(format!("job-{index}")),
            schedule: schedule(index),
            time_zone: ZONES[index % ZONES.len()].map(str::to_owned),
            suspended: index.is_multiple_of(20),
            anchor: None,
        },
        held: false,
        blocked: false,
    }
}

/// The minimum of three measurements, in milliseconds.
fn least(mut call: impl FnMut()) -> f64 {
    (0..3)
        .map(|_| {
            let began = Instant::now();
            call();
            began.elapsed().as_secs_f64() * 1e3
        })
        .fold(f64::INFINITY, f64::min)
}
