//! The run whose logs are meant, or why there is none.

use cronjob_diagnosis::history::{RunChoice, choose_run};

use crate::support::json::list;
use crate::support::model::at;
use crate::support::objects::Objects;
use crate::support::world::with_facts;

/// Hourly; the run of 09:00 has failed, that of 10:00 succeeded, and it is 10:30.
fn chosen(choice: &RunChoice) -> Result<String, String> {
    let objects = Objects::default().read(
        "cronjob a 0 * * * *; last 22T10:00:00 | job a-29922300 22T09:00:00; ended Failed 22T09:05:00 \
         | job a-29922360 22T10:00:00; finished 22T10:05:00",
    );
    let now = "2026-11-22T10:30:00Z";
    with_facts(&list(&objects), None, "1.36", now, |facts| {
        let chosen = choose_run(&facts, choice).map(|run| run.job.name.clone());
        chosen.map_err(|none| none.why)
    })
}

#[test]
fn run_is_chosen_by_its_result_its_time_or_its_job() {
    let of = |choice| chosen(&choice).unwrap();
    assert_eq!(of(RunChoice::Last), "a-29922360");
    assert_eq!(of(RunChoice::Succeeded), "a-29922360");
    assert_eq!(of(RunChoice::Failed), "a-29922300");
    assert_eq!(of(RunChoice::At(at("2026-11-22T09:00:00Z"))), "a-29922300");
    assert_eq!(of(RunChoice::Job("a-29922300".to_owned())), "a-29922300");
}

#[test]
fn time_without_a_job_is_in_the_future_or_not() {
    let why = |time: &str| chosen(&RunChoice::At(at(time))).unwrap_err();
    assert_contains!(why("2026-11-22T11:00:00Z"), "is in the future");
    assert_lacks!(why("2026-11-22T08:00:00Z"), "is in the future");
}
