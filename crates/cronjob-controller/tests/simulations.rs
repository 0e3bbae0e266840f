//! Simulations of objects. `simulations.txt` has the cases: what is simulated, from when on and for how long, and what
//! happens.
//!
//! `RELEASE FROM DURATION [CONDITION …] [/FIELD …] => RUN | RUN`, with a run as `scheduled status started`, all of them if
//! `end` is the last; or fields of the simulation, as `tests/support/answers.rs` describes them. Several releases are
//! separated by commas, and compared if colons are between them. Conditions are `takes=DURATION`, `down=FROM/TO`, `suspended=FROM/TO`, `upgrade=FROM/TO/RELEASE`,
//! `edit=TIME/FIELD=VALUE`, and `found` if the state is not the assumed one.

use cronjob_controller::controller::Controller;
use cronjob_controller::simulate::{
    InitialState, PlannedEdit, SimulatedRun, Simulation, SimulationDifferences, SimulationPlan,
    TimeSpan, TimeSpans, initial_state, simulate, simulate_upgrade,
};
use cronjob_text::duration;
use jiff::{SignedDuration, Timestamp};
use kube_model::SpecChange;
use serde_json::{Value, json};

use crate::answers::first_of;
use crate::simulate_properties::plan;
use crate::support::answers::{Answer, Call};
use crate::support::differences::assert_none;
use crate::support::json::list;
use crate::support::model::at;
use crate::support::objects::{Objects, moment};
use crate::support::recorded::controller;
use crate::support::tables::sections;

fn span(text: &str) -> (Timestamp, Timestamp) {
    let (from, to) = text.split_once('/').unwrap();
    (at(&moment(from)), at(&moment(to)))
}

fn lasting(text: &str) -> SignedDuration {
    SignedDuration::from_secs(duration::parse(text).unwrap())
}

fn change(text: &str) -> SpecChange {
    let (field, value) = text.split_once('=').unwrap();
    match field {
        "schedule" => SpecChange::Schedule(value.to_owned()),
        "suspend" => SpecChange::Suspend(value.parse().ok()),
        "timeZone" => SpecChange::TimeZone(Some(value.to_owned())),
        "concurrencyPolicy" => SpecChange::ConcurrencyPolicy(value.into()),
        _ => SpecChange::StartingDeadlineSeconds(value.parse().ok()),
    }
}

/// What is simulated beside the objects.
struct Conditions {
    plan: SimulationPlan,
    before: InitialState,
    successor: Option<Controller>,
}

fn conditions(from: Timestamp, length: &str, words: &[String]) -> Conditions {
    let mut conditions = Conditions {
        plan: SimulationPlan {
            job_duration: SignedDuration::from_mins(1),
            ..plan(from, from + lasting(length))
        },
        before: InitialState::AllStarted,
        successor: None,
    };
    let plan = &mut conditions.plan;
    let and = |spans: &TimeSpans, more: &str| {
        let spans = spans.iter().map(|span| (span.from, span.to));
        spans.chain([span(more)]).collect::<TimeSpans>()
    };
    for word in words {
        match word.split_once('=').unwrap_or((word, "")) {
            ("takes", value) => plan.job_duration = lasting(value),
            ("down", value) => plan.outages = and(&plan.outages, value),
            ("suspended", value) => plan.suspended = and(&plan.suspended, value),
            ("upgrade", value) => {
                let (times, release) = value.rsplit_once('/').unwrap();
                let (from, to) = span(times);
                plan.upgrade = Some(TimeSpan { from, to });
                conditions.successor = Some(controller(release));
            }
            ("edit", value) => {
                let (time, edit) = value.split_once('/').unwrap();
                let (at, change) = (at(&moment(time)), change(edit));
                plan.edits.push(PlannedEdit { at, change });
            }
            ("found", _) => conditions.before = InitialState::AsFound,
            _ => panic!("{word}"),
        }
    }
    conditions
}

fn run(run: &SimulatedRun) -> Value {
    let reason = run.reason.as_ref();
    let outcome = reason.map(|reason| format!("{:?}", reason.outcome));
    json!({
        "scheduledTime": run.scheduled_time, "status": run.status, "startedAt": run.started_at,
        "finishedAt": run.finished_at, "result": run.result, "jobName": run.job_name.as_deref(),
        "replacedJob": run.replaced.as_deref(), "delaySeconds": run.delay_seconds(), "outcome": outcome,
        "cause": reason.map(|reason| reason.cause.as_str()), "event": reason.and_then(|reason| reason.event),
        "blocker": reason.and_then(|reason| reason.blocker.as_deref()),
    })
}

fn document(simulation: &Simulation) -> Value {
    json!({"items": [{
        "from": simulation.from, "summary": simulation.summary, "events": simulation.events,
        "hotLoops": simulation.hot_loops, "runs": simulation.runs.iter().map(run).collect::<Vec<_>>(),
    }]})
}

/// Each run as `scheduled status started`, in whole seconds of the day.
fn course(simulation: &Simulation) -> Vec<String> {
    let time = |time: Timestamp| time.to_string()[11..19].to_owned();
    let line = |run: &SimulatedRun| {
        let started = run.started_at.map_or_else(|| "-".to_owned(), time);
        format!(
            "{} {} {started}",
            time(run.scheduled_time),
            run.status.as_str()
        )
    };
    simulation.runs.iter().map(line).collect()
}

/// What the controller of a release does under the conditions of a call.
fn simulated(objects: &[Value], call: &Call, release: &str) -> Simulation {
    let [_, from, length, words @ ..] = &call.words[..] else {
        panic!("{:?}", call.words);
    };
    let from = at(&moment(from));
    let Conditions {
        mut plan,
        before,
        successor,
    } = conditions(from, length, words);
    let controller = controller(release);
    let (found, _) = first_of(&list(objects), from);
    let (cron_job, jobs, from) =
        initial_state(&controller, &found.cron_job, &found.jobs, from, before);
    plan.from = from;
    match &successor {
        Some(successor) => simulate_upgrade(&controller, successor, &cron_job, &jobs, &plan),
        None => simulate(&controller, &cron_job, &jobs, &plan),
    }
}

/// How the simulations of several releases differ.
fn compared(objects: &[Value], call: &Call, releases: &str) -> Value {
    let simulations = releases.split(':').map(|release| {
        let simulation = simulated(objects, call, release);
        (release.parse().unwrap(), simulation)
    });
    let simulations: Vec<_> = simulations.collect();
    let differences = SimulationDifferences::of(&simulations);
    json!({"items": [{
        "runs": differences.runs, "delays": differences.delays, "hotLoops": differences.hot_loops,
        "isEmpty": differences.is_empty(), "losesRuns": differences.loses_runs(),
    }]})
}

/// What comes instead of what is expected, if it does.
fn difference(objects: &[Value], given: &str, release: &str, expected: &str) -> Option<String> {
    let call = Call::new(shlex::split(given).unwrap());
    let answer = if release.contains(':') {
        call.fields_of(&compared(objects, &call, release))
    } else if call.fields.is_empty() {
        Answer::Begins(course(&simulated(objects, &call, release)))
    } else {
        call.fields_of(&document(&simulated(objects, &call, release)))
    };
    let other = answer.differs(expected)?;
    Some(format!(
        "{given} ({release})\n  expected {expected}\n  found {other}"
    ))
}

#[test]
fn simulations_have_the_runs_that_were_derived() {
    let mut sets = Objects::default();
    let mut wrong = Vec::new();
    for (heading, cases) in sections("tests/simulations.txt") {
        let objects = sets.read(&heading);
        for (given, expected) in cases {
            let (releases, _) = given.split_once(' ').unwrap();
            let releases = releases.split(',');
            wrong.extend(
                releases.filter_map(|release| difference(&objects, &given, release, &expected)),
            );
        }
    }
    assert_none(&wrong);
}
