//! Starts at the same time, compared with bursts that were measured on a real control plane without other work: a number
//! of CronJobs that start every minute, and the delays of their Jobs in whole seconds. The model must explain them.

use cronjob_controller::controller::{Controller, Release};
use cronjob_diagnosis::load::{
    ClientLimits, Load, LoadMember, LoadQuestion, LoadWindow, load, nth_start_delay,
};
use jiff::SignedDuration;
use serde_json::Value;

use crate::support::json::Json as _;
use crate::support::model::{at, cron_job};
use crate::support::recorded::{self, controller};

/// The relative error that the model may have.
const TOLERANCE: f64 = 0.25;

fn measured() -> Vec<Value> {
    let cases = recorded::cases(include_str!("vectors/bursts.jsonl"));
    cases.map(|(_, burst)| burst).collect()
}

/// `count` CronJobs with the same schedule.
fn many(count: u64, schedule: &str) -> Vec<LoadMember> {
    let names = (0..count).map(|index| format!("job-{index:02}"));
    names
        .map(|name| LoadMember::from(&cron_job(&name, schedule)))
        .collect()
}

/// The load from a Monday on, for some minutes.
fn of_minutes(
    controller: &Controller,
    members: &[LoadMember],
    minutes: i64,
    change: impl FnOnce(&mut LoadQuestion),
) -> Load {
    let from = at("2026-03-02T00:00:00Z");
    let to = from + SignedDuration::from_mins(minutes);
    let mut question = LoadQuestion {
        window: LoadWindow::new(from, to, 60).unwrap(),
        limits: ClientLimits::of(controller.behavior()),
        include_suspended: false,
        peaks: 5,
        at_most: None,
    };
    change(&mut question);
    load(controller, members, &question)
}

/// The measurement has whole seconds, rounded down: 10 may have been 10.9.
fn explains(predicted: f64, measured: f64) -> bool {
    (measured * (1.0 - TOLERANCE)..=(measured + 1.0) * (1.0 + TOLERANCE)).contains(&predicted)
}

fn limits(burst: &Value) -> ClientLimits {
    let number = |name: &str| u32::try_from(burst[name].as_u64().unwrap()).unwrap();
    ClientLimits {
        qps: burst["qps"].as_f64().unwrap(),
        burst: number("burst"),
        workers: number("workers"),
    }
}

#[test]
fn delay_of_the_last_start_matches_measurements() {
    for burst in measured() {
        let members = many(burst["cronJobs"].as_u64().unwrap(), "* * * * *");
        let limits = limits(&burst);
        let load = of_minutes(&controller("1.36"), &members, 3, |question| {
            question.limits = limits;
        });
        let [peak] = &load.peaks[..] else {
            panic!("the same CronJobs, each minute: {:?}", load.peaks);
        };
        assert_eq!(peak.occurrences, 3);
        let predicted = peak.last_start_delay;
        for run in burst["slots"].items() {
            let last = run["last"].as_f64().unwrap();
            assert!(
                explains(predicted, last),
                "{predicted} is not {last}: {burst}"
            );
        }
    }
}

#[test]
fn delays_of_other_starts_match_measurements() {
    for row in measured()
        .iter()
        .filter(|row| row["slots"][0]["p50"].is_u64())
    {
        let release: Release = row["release"].text().parse().unwrap();
        let starts = u32::try_from(row["cronJobs"].as_u64().unwrap()).unwrap();
        let (limits, requests) = (limits(row), release.behavior().requests);
        for run in row["slots"].items() {
            for (part, percent) in [("p50", 50), ("p95", 95)] {
                let predicted = nth_start_delay(limits, requests, starts, starts * percent / 100);
                let measured = run[part].as_f64().unwrap();
                assert!(
                    explains(predicted, measured),
                    "{part}: {predicted} is not {measured}: {row}"
                );
            }
        }
    }
}

/// Up to 1.20 one loop syncs all CronJobs, with two updates of the status each, and creates one
/// Job after the other: with 250 that start every minute, the loop takes a minute, and each start is
/// late.
#[test]
fn v1_controller_is_late_with_250_cronjobs_each_minute() {
    let last = |count: u64, release: &str| {
        let members = many(count, "* * * * *");
        of_minutes(&controller(release), &members, 2, |_| {}).peaks[0].last_start_delay
    };
    // 10 s between syncs; 4 requests and an event for each CronJob, a burst of 30 and then 20 per second.
    assert!((last(100, "1.17") - (10.0 + (100.0 * 5.0 - 30.0) / 20.0)).abs() < 0.5);
    assert!(last(150, "1.17") < 60.0);
    assert!(last(250, "1.17") > 60.0);
    assert!(last(375, "1.17") > 90.0);
    assert!(last(250, "1.36") < 30.0);
    // From 1.21 to 1.23, five workers take CronJobs from a queue, and update the status before and after a start.
    assert!(last(250, "1.23") > 50.0);
}

/// A CronJob that is due again before its run was started is in the queue only once: the delay does not grow
/// indefinitely, and the runs that are not started are missed.
#[test]
fn overload_misses_runs() {
    let rows = measured();
    let row = rows.iter().find(|row| row["cronJobs"] == 700).unwrap();
    let runs = row["slots"].items();
    let started = runs.iter().map(|run| run["started"].as_u64().unwrap());
    let started = started.sum::<u64>();
    // Whether a run is missed is known when the next one is due, so the window has one more run.
    let load = of_minutes(&controller("1.36"), &many(700, "* * * * *"), 5, |_| {});
    let predicted = 700 * 4 - load.summary.lost;
    // By at most 5 percent.
    assert!(
        predicted.abs_diff(started) * 20 < started,
        "{predicted} of {started}"
    );
}

/// 400 in one minute become seven in each minute of an hour, and none of them is late.
#[test]
fn proposal_spreads_a_burst_so_that_all_start_on_time() {
    const WEEK: i64 = 7 * 24 * 60;
    let all = many(400, "0 3 * * *");
    let controller = controller("1.36");
    let proposal = |at_most: Option<u32>| {
        let load = of_minutes(&controller, &all, WEEK, |question| {
            question.at_most = at_most;
        });
        let effect = load.proposal.effect;
        let minutes = [effect.before, effect.after].map(|minute| {
            let tenths = (minute.last_start_delay * 10.0).round() / 10.0;
            (minute.most_in_a_minute, tenths.to_string())
        });
        (load.proposal.suggestions.len(), minutes)
    };
    let minute = |starts: u64, delay: &str| (starts, delay.to_owned());
    let now = minute(400, "46.3");
    assert_eq!(proposal(None), (393, [now.clone(), minute(7, "0.1")]));
    assert_eq!(proposal(Some(15)), (385, [now, minute(15, "0.2")]));
}

/// 40 starts: 40 updates and 35 creations until the last Job is created, and the events, which are a sixth of all
/// requests. With a burst of 30 and 20 requests a second, that takes (75 * 6 / 5 - 30) / 20 s, plus the tenth of a second
/// after which the controller wakes.
#[test]
fn last_start_of_a_burst_waits_for_the_requests_before_it() {
    let all = many(40, "0 2 * * 1-5");
    let load = of_minutes(&controller("1.36"), &all, 7 * 24 * 60, |_| {});
    let peak = &load.peaks[0];
    assert_eq!((peak.count, peak.occurrences), (40, 5));
    assert!((peak.last_start_delay - 3.1).abs() < 0.05, "{peak:?}");
    assert_eq!(load.summary.starts, 200);
}

/// startingDeadlineSeconds: 0 prevents every run, and a CronJob that is being deleted starts no more Jobs.
#[test]
fn cron_jobs_that_start_nothing_are_not_counted() {
    let hourly = cron_job("hourly", "0 * * * *");
    let [mut late, mut gone] = ["late", "gone"].map(|name| cron_job(name, "0 * * * *"));
    late.spec.starting_deadline_seconds = Some(0);
    gone.deletion_timestamp = Some(at("2026-03-01T23:45:00Z"));
    let members = [&hourly, &late, &gone].map(LoadMember::from);
    let summary = of_minutes(&controller("1.36"), &members, 3 * 60, |_| {}).summary;
    assert_eq!((summary.cron_jobs, summary.held), (1, 2));
    assert_eq!((summary.starts, summary.most_in_a_bucket), (3, 1));
}

/// One starts on the minute, and one every other time half a minute later: no start waits for another one.
#[test]
fn starts_between_minutes_are_in_order() {
    let mut every = cron_job("every", "@every 90s");
    every.creation_timestamp = Some(at("2026-03-01T00:00:30Z"));
    let members = [cron_job("minutely", "* * * * *"), every];
    let members = members.each_ref().map(LoadMember::from);
    let load = of_minutes(&controller("1.36"), &members, 60, |_| {});
    assert_eq!(load.summary.starts, 60 + 40);
    assert!(load.delays.iter().all(|delay| *delay < 1.0), "{load:?}");
}
