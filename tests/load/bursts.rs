//! Bursts that were measured on a real control plane without other work: a number of CronJobs that start
//! every minute, and the delays of their Jobs in whole seconds. The model must explain them.

use crate::support::prelude::*;

use cronjob_controller::controller::Release;
use cronjob_diagnosis::load::{ClientLimits, nth_start_delay};

use super::{FROM, document, load, many};
use crate::support::files::text;

/// The relative error that the model may have.
const TOLERANCE: f64 = 0.25;

fn measured() -> Vec<Value> {
    let text = text("tests/vectors/bursts.jsonl");
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn manifests(count: u64) -> String {
    many(count, "* * * * *")
}

/// The measurement has whole seconds, rounded down: 10 may have been 10.9.
fn explains(predicted: f64, measured: f64) -> bool {
    (measured * (1.0 - TOLERANCE)..=(measured + 1.0) * (1.0 + TOLERANCE)).contains(&predicted)
}

#[test]
fn delay_of_the_last_start_matches_measurements() {
    for burst in measured() {
        let limits = ["qps", "burst", "workers"].map(|name| format!("--{name}={}", burst[name]));
        let manifests = manifests(burst["cronJobs"].as_u64().unwrap());
        let document = document(&manifests, (FROM, "--for=3m", limits));
        let peaks = document["peaks"].items();
        assert_eq!(peaks.len(), 1, "the same CronJobs, each minute");
        assert_eq!(peaks[0]["occurrences"], 3);
        let predicted = peaks[0]["lastStartDelaySeconds"].as_f64().unwrap();
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
        let number = |name: &str| u32::try_from(row[name].as_u64().unwrap()).unwrap();
        let (starts, requests) = (number("cronJobs"), release.behavior().requests);
        let limits = ClientLimits {
            qps: row["qps"].as_f64().unwrap(),
            burst: number("burst"),
            workers: number("workers"),
        };
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
        let release = ["--kubernetes-version", release];
        let call =
            "load -f - --now=2026-03-02T00:00:00Z --from=2026-03-02T00:00:00Z --for=2m -o=json";
        let ran = crate::support::run::doctor_with_stdin((call, release), &manifests(count));
        let delay = &ran.document()["peaks"][0]["lastStartDelaySeconds"];
        delay.as_f64().unwrap()
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
    let started: f64 = runs
        .iter()
        .map(|run| run["started"].as_f64().unwrap())
        .sum();
    // Whether a run is missed is known when the next one is due, so the window has one more run.
    let document = document(&manifests(700), (FROM, "--for=5m"));
    let lost = document["summary"]["lost"].as_f64().unwrap();
    let predicted = 700.0 * 4.0 - lost;
    assert!(
        (predicted / started - 1.0).abs() < 0.05,
        "{predicted} of {started}"
    );
}

#[test]
fn client_limits_are_explained() {
    let reason = |arguments: &str| {
        let window = "--now=2026-03-02T00:00:00Z --for=1h";
        let text = load(&manifests(2), (arguments, window)).fine();
        let (_, rest) = text.split_once("\nDelays\n").unwrap();
        let (reason, _) = rest.split_once("\n\n").unwrap();
        reason.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    // 52 starts: 104 requests, but ten of the updates are sent later, and a tenth as many events; five more are
    // allowed in the tenth of a second in which they are sent.
    assert_texts!(
        reason("--qps=50 --burst=100 --workers=10"),
        // 36 requests, one after the other, a hundredth of a second each: six more are allowed in that time.
        reason("--controller=kubebuilder"),
    );
}
