//! What the libraries themselves answered: every case of the recorded vectors.

use crate::support::differences::assert_none;
use jiff::Timestamp;
use kube_cron::{BundledZones, Dialect, Location, Schedule, Timetable, load_location};
use serde_json::Value;

#[test]
fn every_recorded_answer_of_the_upstream_library() {
    compare(include_str!("vectors/schedule.jsonl"), Dialect::V3_0, 2500);
}

#[test]
fn every_recorded_answer_of_robfig_1_2_with_seconds() {
    let text = include_str!("vectors/seconds.jsonl");
    compare(text, Dialect::V1_2Seconds, 2000);
}

#[test]
fn every_recorded_answer_of_go_cron() {
    let text = include_str!("vectors/go_cron.jsonl");
    compare(text, Dialect::GoCron0_15, 2000);
}

fn compare(text: &str, dialect: Dialect, count: usize) {
    let mut wrong = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let case: Value = serde_json::from_str(line).unwrap();
        let got = answer(&case, dialect);
        let expected = match case["error"].as_str() {
            Some(error) => vec![format!("error: {error}")],
            None => strings(&case["next"]),
        };
        if got != expected {
            wrong.push(format!("line {}: {line}\n  got {got:?}", number + 1));
        }
    }
    assert_eq!(text.lines().count(), count, "a case was left out");
    assert_none(&wrong);
}

fn answer(case: &Value, dialect: Dialect) -> Vec<String> {
    let spec = case["spec"].as_str().unwrap();
    match Schedule::parse(spec, dialect, &BundledZones) {
        Err(error) => vec![format!("error: {error}")],
        Ok(schedule) => {
            let zone = load_location(case["zone"].as_str().unwrap(), &BundledZones).unwrap();
            let Location::Zone(zone) = zone else {
                panic!("a zone by name")
            };
            let from = case["from"].as_str().unwrap().parse().unwrap();
            let count = usize::try_from(case["n"].as_u64().unwrap()).unwrap();
            runs(&schedule.in_zone(&zone), from, count)
        }
    }
}

fn runs(timetable: &Timetable, from: Timestamp, count: usize) -> Vec<String> {
    let found = timetable.after(from).take(count);
    let mut found: Vec<String> = found.map(|run| run.unwrap().to_string()).collect();
    if let Some(last) = found.last().filter(|_| found.is_sorted()) {
        let counted = timetable.count(from, last.parse().unwrap()).unwrap();
        let found = found.len() as u64;
        assert_eq!(counted.count, found, "{timetable:?} from {from}");
    }
    if found.len() < count {
        found.push("never".to_owned());
    }
    found
}

fn strings(value: &Value) -> Vec<String> {
    let texts = value.as_array().unwrap().iter();
    texts
        .map(|text| text.as_str().unwrap().to_owned())
        .collect()
}
