//! Coming runs, and what is unusual about them. `upcoming.txt` has the cases: the schedule, its zone, and which runs are
//! asked for; and each run with its notes, `exhausted` if there are no others, and why it never runs.

use cronjob_controller::upcoming::{RunLimits, Subject, upcoming};

use crate::support::model::{at, cron_job};
use crate::support::recorded::controller;
use crate::support::tables::section;

#[test]
fn coming_runs_and_their_notes() {
    for (given, expected) in section("tests/upcoming.txt", "runs") {
        let parts: Vec<&str> = given.split(" | ").collect();
        let [schedule, zone, after, limits @ ..] = &parts[..] else {
            panic!("{given}");
        };
        let mut limited = RunLimits {
            after: at(after),
            until: None,
            count: None,
        };
        for limit in limits {
            match limit.parse() {
                Ok(count) => limited.count = Some(count),
                Err(_) => limited.until = Some(at(limit)),
            }
        }
        let mut cron_job = cron_job("nightly", schedule);
        cron_job.spec.time_zone = Some((*zone).to_owned());
        let found = upcoming(Subject::from(&cron_job), limited, &controller("1.36"));
        let runs = found.runs.iter().map(|run| {
            let notes = run.notes.iter().map(|note| format!(" ({note})"));
            format!("{}{}", run.scheduled_time, notes.collect::<String>())
        });
        let end = found.exhausted.then(|| "exhausted".to_owned());
        let never = found.never.map(|never| never.to_string());
        let shown: Vec<String> = runs.chain(end).chain(never).collect();
        assert_eq!(shown.join(" | "), expected, "{given}");
    }
}
