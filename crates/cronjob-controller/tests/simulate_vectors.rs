//! What the real controller did when a fake clock drove it: every recorded simulation, all of its
//! runs, and how often each event was recorded.

use crate::support::json::Json;
use cronjob_controller::simulate::{Simulation, SimulationPlan, TimeSpans, simulate};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::support::differences::assert_none;
use crate::support::recorded::{cases, controller, evidence};

#[test]
fn every_recorded_simulation_of_1_36() {
    let text = include_str!("vectors/simulate.jsonl");
    let controller = controller("1.36");
    let mut wrong = Vec::new();
    let mut runs = 0;
    for (line, case) in cases(text) {
        let (cron_job, _) = evidence(&case["cronJob"], &Value::Null);
        let plan = plan(&case);
        let simulation = simulate(&controller, &cron_job, &[], &plan);
        let expect = &case["expect"];
        assert_eq!(expect["truncated"], json!(false));
        runs += expect["runs"].as_array().map_or(0, Vec::len);
        if let Some(difference) = difference(&simulation, expect) {
            let spec = &case["cronJob"]["spec"];
            let (outages, suspended) = (&case["outages"], &case["suspended"]);
            let took = &case["jobDurationSeconds"];
            wrong.push(format!(
                "line {line}: {} {} outages {outages} suspended {suspended} took {took} from {} to {}\n  {difference}",
                spec["schedule"], spec["concurrencyPolicy"], case["from"], case["to"]
            ));
        }
    }
    assert_eq!(text.lines().count(), 500, "a case was left out");
    assert!(runs > 15_000, "only {runs} runs");
    assert_none(&wrong);
}

fn plan(case: &Value) -> SimulationPlan {
    let seconds = case["jobDurationSeconds"].as_i64().unwrap();
    SimulationPlan {
        from: time(&case["from"]),
        to: time(&case["to"]),
        outages: spans(&case["outages"]),
        upgrade: None,
        suspended: spans(&case["suspended"]),
        edits: Vec::new(),
        job_duration: SignedDuration::from_secs(seconds),
    }
}

fn time(text: &Value) -> Timestamp {
    text.text().parse().unwrap()
}

fn spans(spans: &Value) -> TimeSpans {
    let each = spans.items().iter();
    each.map(|one| (time(&one[0]), time(&one[1]))).collect()
}

/// The first run that differs, or the events if only these do.
fn difference(simulation: &Simulation, expect: &Value) -> Option<String> {
    let runs = simulation.runs.iter();
    let mut started: Vec<_> = runs.filter(|run| run.started_at.is_some()).collect();
    started.sort_by_key(|run| run.started_at);
    let got = started.iter().map(|run| {
        let mut got = json!({
            "slot": run.scheduled_time.to_string(),
            "startedAt": format!("{:.3}", run.started_at.unwrap()),
            "jobName": run.job_name.as_deref(),
        });
        if let Some(replaced) = &run.replaced {
            got["replaced"] = json!(replaced.split(", ").collect::<Vec<_>>());
        }
        got
    });
    let got: Vec<Value> = got.collect();
    let empty = Vec::new();
    let expected = expect["runs"].as_array().unwrap_or(&empty);
    for (index, (got, expected)) in got.iter().zip(expected).enumerate() {
        if got != expected {
            return Some(format!("run {index}: got {got}\n  not {expected}"));
        }
    }
    if got.len() != expected.len() {
        return Some(format!("{} runs, not {}", got.len(), expected.len()));
    }
    let mut events = json!({});
    for event in &simulation.events {
        events[format!("{} {}", event.r#type, event.reason)] = json!(event.count);
    }
    (events != expect["events"]).then(|| format!("events {events}\n  not {}", expect["events"]))
}
