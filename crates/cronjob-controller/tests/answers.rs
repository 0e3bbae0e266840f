//! Forecasts about objects. `tests/answers/` of the project has the tables, and `tests/support/answers.rs` describes their
//! form.

use cronjob_controller::controller::decide;
use cronjob_controller::forecast::{Forecast, Situation};
use cronjob_controller::upcoming::{coming_runs, timetable};
use jiff::Timestamp;
use kube_model::{Coverage, CronJobEvidence, Event, Job};
use serde_json::json;

use crate::support::answers::{Answer, Document, Question, shown};
use crate::support::manifest::read;
use crate::support::model::at;
use crate::support::recorded::controller;

/// As many as an explanation asks for.
const RUNS: usize = 5;

/// The first of the CronJobs in a manifest, and what is about it.
pub(crate) fn first_of(manifest: &str, now: Timestamp) -> (CronJobEvidence, Coverage) {
    let (mut all_evidence, coverage) = read(manifest, now);
    (all_evidence.swap_remove(0), coverage)
}

/// The forecast for the first of the CronJobs in a manifest, without what only several of them show together.
fn forecast_of(manifest: &str, release: &str, now: Timestamp, runs: usize) -> Forecast {
    let controller = controller(release);
    let (evidence, coverage) = first_of(manifest, now);
    let (cron_job, jobs) = (&evidence.cron_job, &evidence.jobs);
    let involved = |event: &&Event| {
        let involved = &event.involved_object;
        involved.kind == "CronJob" && involved.name == cron_job.name
    };
    let events: Vec<&Event> = evidence.events.iter().filter(involved).collect();
    let succeeded = jobs.iter().filter(|job| job.completion_time.is_some());
    let timetable = timetable(&controller, cron_job).ok();
    let situation = Situation {
        controller: &controller,
        cron_job,
        jobs,
        events: &events,
        now,
        as_of: coverage.as_of,
        jobs_read: coverage.jobs_read || !jobs.is_empty(),
        decision: &decide(&controller, cron_job, jobs, now),
        timetable: timetable.as_ref(),
        usual_seconds: succeeded.filter_map(Job::run_seconds).max(),
        quota_is_full: false,
        longest_delay: 0,
        syncs_now: false,
        controller_is_down: false,
        passed_over_since: None,
    };
    cronjob_controller::forecast::forecast(&situation, runs)
}

fn answer(question: &Question<'_>) -> Option<Answer> {
    let Document::Forecast = question.call.answered_by()? else {
        return None;
    };
    let now = at(&question.now());
    let (manifest, release) = (question.manifest(), question.version);
    let of = |runs| forecast_of(&manifest, release, now, runs);
    let call = &question.call;
    Some(match call.words.first().map_or("", String::as_str) {
        "next" => {
            let next = of(1).next();
            let shown = next.map(|(state, at)| format!("{} {}", state.as_str(), shown(&json!(at))));
            Answer::Begins(shown.into_iter().collect())
        }
        "pending" => {
            let pending = of(1).pending(now);
            Answer::Text(pending.map_or_else(|| "-".to_owned(), |text| text.to_string()))
        }
        "notes" => {
            let (cron_job, forecast) = (first_of(&manifest, now).0.cron_job, of(RUNS));
            let controller = controller(release);
            let timetable = timetable(&controller, &cron_job).unwrap();
            let zone = controller.zone_of(Some(&timetable));
            let runs = coming_runs(&timetable, zone, cron_job.anchor(), now, RUNS).into_iter();
            let notes = runs.map(|run| {
                let notes = run
                    .notes
                    .into_iter()
                    .chain(forecast.note(run.scheduled_time));
                notes
                    .map(|note| note.to_string())
                    .collect::<Vec<_>>()
                    .join("; ")
            });
            Answer::Begins(notes.collect())
        }
        _ => {
            let syncs = of(RUNS).within_a_day(now);
            call.of_document(&json!({"items": [{"forecast": syncs}]}))
        }
    })
}

answers! {
    "../../tests/answers/", answer: attempts ending forecast last_run outage waiting
}
