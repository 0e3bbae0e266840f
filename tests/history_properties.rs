//! The history of any evidence can be printed.

use cronjob_diagnosis::diagnose::Facts;
use cronjob_diagnosis::history::{CronJobHistory, history};
use cronjob_doctor::output::history::{csv, text};

use crate::support::cases;
use crate::support::mutate::{
    any_controller, any_now, any_window, any_zone, mangled, recorded_lists,
};

const RELEASES: [&str; 5] = ["1.10", "1.20", "1.24", "1.27.1", "1.36"];

#[test]
fn histories_of_mangled_evidence_are_printed() {
    let lists = recorded_lists("cronjobs jobs events");
    let mut random = cases::random(20_261_121);
    let mut printed = 0;
    for _ in 0..cases::cases(60) {
        let evidence = mangled(&mut random, &lists);
        let mut controller = any_controller(&mut random, &RELEASES);
        controller.local = any_zone(&mut random);
        let now = any_now(&mut random);
        for located in &evidence.cron_jobs {
            let cron_job = &located.object;
            let mut facts =
                Facts::gather(&controller, cron_job, &evidence.jobs, &evidence.events, now);
            if random.one_in(2) {
                facts.input.coverage.as_of = now;
            }
            let history = history(&facts, &any_window(&mut random, now));
            let item = CronJobHistory { facts, history };
            if item.history.summary.runs < 10_000 {
                let mut out = Vec::new();
                text(&mut out, &item, random.one_in(2), true).unwrap();
                csv(&mut out, &item).unwrap();
                assert!(!out.is_empty());
                printed += 1;
            }
        }
    }
    assert!(printed > 50, "only {printed} were printed");
}
