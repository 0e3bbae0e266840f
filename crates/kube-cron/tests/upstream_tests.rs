//! What the unit tests of robfig/cron and of kube-state-metrics expect. `vectors/README.md` says what is left out.

use crate::support::differences::assert_none;
use jiff::{SignedDuration, Timestamp};
use kube_cron::{BundledZones, Dialect, Location, Schedule, Timetable, load_location};
use serde_json::Value;

#[test]
fn every_case_of_the_unit_tests_of_robfig_cron() {
    let cases = include_str!("vectors/robfig_tests.jsonl");
    compare(cases, Dialect::V3_0, 102);
}

#[test]
fn every_case_of_the_unit_tests_of_kube_state_metrics() {
    let cases = include_str!("vectors/kube_state_metrics_tests.jsonl");
    compare(cases, Dialect::GoCron0_15, 11);
}

fn compare(text: &str, dialect: Dialect, count: usize) {
    let cases = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let wrong: Vec<String> = cases.filter_map(|case| wrong(&case, dialect)).collect();
    assert_eq!(text.lines().count(), count, "a case was left out");
    assert_none(&wrong);
}

/// What is wrong with a case.
fn wrong(case: &Value, dialect: Dialect) -> Option<String> {
    let spec = case["spec"].as_str().unwrap();
    let zone = case["zone"].as_str();
    let parsed = match zone {
        Some(name) if load_location(name, &BundledZones).is_err() => {
            Schedule::parse_in(spec, zone, dialect, &BundledZones)
        }
        _ => Schedule::parse(spec, dialect, &BundledZones),
    };
    let schedule = match (parsed, case["error"].as_str()) {
        (Ok(schedule), None) => schedule,
        (Ok(_), Some(_)) => return Some(format!("{case}: parsed")),
        (Err(error), Some(part)) if error.to_string().contains(part) => return None,
        (Err(error), _) => return Some(format!("{case}: {error}")),
    };
    let timetable = in_zone(&schedule, zone);
    if let Some(other) = case["sameAs"].as_str() {
        let other = Schedule::parse(other, dialect, &BundledZones).unwrap();
        let runs = |timetable: &Timetable| -> Vec<Timestamp> {
            let from = "2026-11-21T08:00:00Z".parse().unwrap();
            timetable.after(from).take(10).map(Result::unwrap).collect()
        };
        let (runs, others) = (runs(&timetable), runs(&in_zone(&other, zone)));
        return (runs != others).then(|| format!("{case}: {runs:?}, not {others:?}"));
    }
    if let Some(activates) = case["activates"].as_bool() {
        let at = time(&case["at"]).unwrap();
        let before = at - SignedDuration::from_secs(1);
        let next = timetable.next(before).unwrap();
        return ((next == Some(at)) != activates).then(|| format!("{case}: {next:?}"));
    }
    let next = timetable.next(time(&case["from"]).unwrap()).unwrap();
    (next != time(&case["next"])).then(|| format!("{case}: {next:?}"))
}

/// Local time is UTC.
fn in_zone(schedule: &Schedule, zone: Option<&str>) -> Timetable {
    let location = load_location(zone.unwrap_or("UTC"), &BundledZones).unwrap();
    let Location::Zone(zone) = location else {
        panic!("a zone by name")
    };
    schedule.in_zone(&zone)
}

fn time(value: &Value) -> Option<Timestamp> {
    value.as_str().map(|text| text.parse().unwrap())
}
