//! The comparison finds what did not come true.

#![cfg(test)]

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::compare::{Comparison, Evidence, Forecast, Kind, Verdict, compare};
use super::history::{Created, End, History, Sync};

/// A moment of the hour from 10:00, in seconds.
fn at(seconds: f64) -> Timestamp {
    let begin: Timestamp = "2026-11-22T10:00:00Z".parse().unwrap();
    begin + SignedDuration::from_secs_f64(seconds)
}

/// An entry for the run of a minute past 10:00, just after it.
fn entry(outcome: &str, minute: i32, kind: Option<&str>) -> Value {
    json!({
        "at": at(f64::from(minute) * 60.0 + 0.1).to_string(),
        "outcome": outcome,
        "scheduledTime": at(f64::from(minute) * 60.0).to_string(),
        "jobName": name(minute),
        "conditionKind": kind,
    })
}

/// The name of the Job of a minute past 10:00.
fn name(minute: i32) -> String {
    History {
        cron_job: "a".to_owned(),
        ..History::default()
    }
    .job_name(at(f64::from(minute) * 60.0))
}

/// A forecast made at 10:00:30.
fn forecast(entries: &[Value]) -> Forecast {
    Forecast::read(at(30.0), &json!(entries), Evidence::default())
}

/// What happened: Jobs created at seconds past 10:00, by the minute of their run.
fn history(created: &[(f64, i32)]) -> History {
    let created = created.iter().map(|(seconds, minute)| Created {
        at: at(*seconds),
        job: name(*minute),
    });
    History {
        cron_job: "a".to_owned(),
        created: created.collect(),
        ..History::default()
    }
}

/// With a Job that runs since before the forecast.
fn with_running(mut history: History, end: Option<End>) -> History {
    history.active.push((at(0.0), vec!["x".to_owned()]));
    history.ended.extend(end.map(|end| ("x".to_owned(), end)));
    history
}

/// The comparison until 10:05.
fn compared(entries: &[Value], history: &History) -> Comparison {
    compare(&forecast(entries), history, at(300.0))
}

fn verdict(entries: &[Value], history: &History) -> Verdict {
    let (_, verdict) = compared(entries, history).entries.remove(0);
    verdict
}

fn is_wrong(entries: &[Value], history: &History) -> bool {
    matches!(verdict(entries, history), Verdict::Wrong(_))
}

#[test]
fn start_as_forecast_comes_true() {
    let entries = [entry("start", 1, None)];
    let comparison = compared(&entries, &history(&[(60.2, 1)]));
    assert_eq!(comparison.entries, [(Kind::Fact, Verdict::CameTrue)]);
    assert_eq!(comparison.mismatches(), Vec::<String>::new());
    assert_eq!(verdict(&entries, &history(&[(64.0, 1)])), Verdict::CameLate);
}

#[test]
fn start_that_does_not_come_is_wrong() {
    let entries = [entry("start", 1, None)];
    assert!(is_wrong(&entries, &history(&[])));
    // Too late and too early are wrong as well, and so is a creation that is not in the forecast.
    for seconds in [50.0, 70.0] {
        let comparison = compared(&entries, &history(&[(seconds, 1)]));
        assert_eq!(comparison.mismatches().len(), 2, "{comparison:?}");
    }
}

#[test]
fn start_with_another_name_is_wrong() {
    let comparison = compared(&[entry("start", 2, None)], &history(&[(120.2, 1)]));
    assert_eq!(comparison.mismatches().len(), 2, "{comparison:?}");
}

#[test]
fn start_that_is_not_in_the_forecast_is_unexpected() {
    let entries = [entry("start", 1, None)];
    let comparison = compared(&entries, &history(&[(60.2, 1), (120.2, 2)]));
    assert_eq!(comparison.unexpected.len(), 1);
    let suspended = [json!({"at": null, "outcome": "suspended"})];
    for entries in [&suspended[..], &[]] {
        let comparison = compared(entries, &history(&[(60.2, 1)]));
        assert_eq!(comparison.unexpected.len(), 1);
        assert_eq!(
            compared(entries, &history(&[])).mismatches(),
            Vec::<String>::new()
        );
    }
}

#[test]
fn forecast_of_five_runs_says_nothing_about_the_sixth() {
    let five: Vec<Value> = (1..=5).map(|minute| entry("start", minute, None)).collect();
    let started: Vec<(f64, i32)> = (1..=6)
        .map(|minute| (f64::from(minute) * 60.0 + 0.2, minute))
        .collect();
    let comparison = compare(&forecast(&five), &history(&started), at(400.0));
    assert_eq!(comparison.mismatches(), Vec::<String>::new());
    let comparison = compare(&forecast(&five[..4]), &history(&started), at(400.0));
    assert_eq!(comparison.unexpected.len(), 2);
}

#[test]
fn start_while_blocked_is_wrong() {
    let entries = [
        entry("start", 1, Some("jobFinishesFirst")),
        entry("blocked", 1, Some("jobStillRuns")),
    ];
    let mut history = with_running(history(&[(60.2, 1)]), None);
    let comparison = compared(&entries, &history);
    assert_eq!(comparison.entries[0].1, Verdict::ConditionNotMet);
    assert!(matches!(comparison.entries[1].1, Verdict::Wrong(_)));
    assert_eq!(comparison.unexpected.len(), 1);
    // As forecast, it is blocked, and nothing starts.
    history.created.clear();
    history.syncs.push((at(60.1), Sync::Blocked));
    let comparison = compared(&entries, &history);
    assert_eq!(comparison.entries[1].1, Verdict::CameTrue);
    assert_eq!(comparison.mismatches(), Vec::<String>::new());
}

#[test]
fn start_when_the_job_finishes_is_allowed_only_then() {
    let blocked = [
        entry("start", 1, Some("jobFinishesFirst")),
        entry("blocked", 1, Some("jobStillRuns")),
    ];
    let finished = Some(End::Finished(at(90.0)));
    let mut history = with_running(history(&[(90.2, 1)]), finished);
    history.syncs.push((at(60.1), Sync::Blocked));
    assert_eq!(
        compared(&blocked, &history).mismatches(),
        Vec::<String>::new()
    );
    history.created[0].at = at(80.0);
    assert_eq!(compared(&blocked, &history).unexpected.len(), 1);
}

#[test]
fn start_at_the_end_of_a_job_is_expected_until_it_is_too_late() {
    let mut waiting = entry("start", 0, Some("jobFinishesFirst"));
    waiting["at"] = Value::Null;
    waiting["conditionUntil"] = json!(at(60.1).to_string());
    let entries = [waiting];
    let finished = |seconds| Some(End::Finished(at(seconds)));
    let started = with_running(history(&[(40.3, 0)]), finished(40.0));
    assert_eq!(verdict(&entries, &started), Verdict::CameTrue);
    assert!(is_wrong(
        &entries,
        &with_running(history(&[]), finished(40.0))
    ));
    let late = with_running(history(&[]), finished(90.0));
    assert_eq!(verdict(&entries, &late), Verdict::ConditionNotMet);
    let unexpected = with_running(history(&[(40.3, 0)]), None);
    assert_eq!(compared(&entries, &unexpected).unexpected.len(), 1);
}

#[test]
fn job_that_ends_just_then_decides_nothing() {
    let entries = [entry("start", 1, Some("jobFinishesFirst"))];
    let history = with_running(history(&[]), Some(End::Finished(at(60.0))));
    assert!(matches!(verdict(&entries, &history), Verdict::Undecided(_)));
}

#[test]
fn replaced_job_has_to_be_deleted() {
    let entries = [entry("replace", 1, Some("jobStillRuns"))];
    let deleted = Some(End::Deleted(at(60.2)));
    let replaced = with_running(history(&[(60.2, 1)]), deleted);
    assert_eq!(verdict(&entries, &replaced), Verdict::CameTrue);
    assert!(is_wrong(
        &entries,
        &with_running(history(&[(60.2, 1)]), None)
    ));
}

#[test]
fn estimate_allows_a_tenth_of_its_distance() {
    let mut retry = entry("retry", 4, Some("estimatedTime"));
    retry["at"] = json!(at(230.0).to_string());
    let entries = [retry];
    // 200 s ahead: 22 s either way. An attempt that fails is one, too.
    let mut history = history(&[]);
    for seconds in [210.0, 250.0] {
        history.syncs = vec![(at(seconds), Sync::Failed)];
        assert_eq!(verdict(&entries, &history), Verdict::CameTrue);
    }
    for seconds in [205.0, 260.0] {
        history.syncs = vec![(at(seconds), Sync::Failed)];
        assert!(is_wrong(&entries, &history));
    }
}

#[test]
fn job_that_finishes_makes_the_controller_retry_earlier() {
    let mut retry = entry("retry", 1, Some("estimatedTime"));
    retry["at"] = json!(at(200.0).to_string());
    let entries = [retry];
    let finished = Some(End::Finished(at(100.0)));
    let history = with_running(history(&[(100.2, 1)]), finished);
    assert_eq!(
        compared(&entries, &history).mismatches(),
        Vec::<String>::new()
    );
}

#[test]
fn what_follows_a_retry_depends_on_it() {
    let mut retry = entry("retry", 1, Some("estimatedTime"));
    retry["at"] = json!(at(90.0).to_string());
    let entries = [retry, entry("start", 2, Some("creationSucceeds"))];
    let mut history = history(&[(90.2, 1)]);
    let comparison = compared(&entries, &history);
    assert!(matches!(comparison.entries[1].1, Verdict::Wrong(_)));
    history.created.clear();
    history.syncs.push((at(90.0), Sync::Failed));
    let comparison = compared(&entries, &history);
    assert_eq!(comparison.entries[0].1, Verdict::CameTrue);
    assert_eq!(comparison.entries[1].1, Verdict::ConditionNotMet);
}

#[test]
fn refused_start_has_to_be_conditional() {
    let mut history = history(&[]);
    history.refused.push((at(10.0), None));
    assert!(is_wrong(&[entry("start", 1, None)], &history));
    let entries = [entry("start", 1, Some("creationSucceeds"))];
    assert_eq!(verdict(&entries, &history), Verdict::ConditionNotMet);
    history.refused.clear();
    assert!(is_wrong(&entries, &history));
}

#[test]
fn back_off_that_nothing_shows_decides_nothing() {
    let entries = json!([entry("start", 1, None)]);
    let mut history = history(&[]);
    history.syncs.push((at(20.0), Sync::Failed));
    let shown = |evidence| {
        let forecast = Forecast::read(at(30.0), &entries, evidence);
        let comparison = compare(&forecast, &history, at(300.0));
        matches!(comparison.entries[0].1, Verdict::Wrong(_))
    };
    let refused_at = |seconds| Evidence {
        refused_at: Some(at(seconds)),
        ..Evidence::default()
    };
    assert!(shown(refused_at(20.0)));
    // Nothing was recorded, or not the last attempt.
    assert!(!shown(Evidence::default()) && !shown(refused_at(10.0)));
    let taken = |was_disturbed| Evidence {
        name_taken: true,
        was_disturbed,
        ..Evidence::default()
    };
    assert!(shown(taken(false)) && !shown(taken(true)));
}
