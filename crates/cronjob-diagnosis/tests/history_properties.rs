//! For any evidence, each scheduled time in the window appears once, and the figures add up.

use crate::support::cases;
use crate::support::mutate::{
    any_controller, any_now, any_window, any_zone, mangled, recorded_lists,
};
use crate::support::random::Random;
use cronjob_diagnosis::diagnose::Facts;
use cronjob_diagnosis::history::{History, HistoryError, HistoryWindow, RunStatus, history};
use jiff::Timestamp;
use kube_objects::snapshot::Evidence;

const RELEASES: [&str; 5] = ["1.10", "1.20", "1.24", "1.27.1", "1.36"];
const ROUNDS: u32 = 60;
/// Histories with more runs are not searched a second time.
const MOST_COMPARED: usize = 50_000;

#[test]
fn histories_of_mangled_evidence_are_complete() {
    let lists = recorded_lists("cronjobs jobs events");
    let mut random = cases::random(20_261_121);
    let rounds = cases::cases(ROUNDS);
    let mut checked = 0;
    for _ in 0..rounds {
        let evidence = mangled(&mut random, &lists);
        checked += check_all(&mut random, &evidence);
    }
    let enough = usize::try_from(rounds).unwrap() * 2;
    assert!(checked > enough, "only {checked} could be read");
}

fn check_all(random: &mut Random, evidence: &Evidence) -> usize {
    let mut controller = any_controller(random, &RELEASES);
    controller.local = any_zone(random);
    let now = any_now(random);
    for located in &evidence.cron_jobs {
        let cron_job = &located.object;
        let mut facts = Facts::gather(&controller, cron_job, &evidence.jobs, &evidence.events, now);
        if random.one_in(2) {
            facts.input.coverage.as_of = now;
        }
        let window = any_window(random, now);
        check(&facts, &window, &history(&facts, &window));
    }
    evidence.cron_jobs.len()
}

fn check(facts: &Facts<'_>, window: &HistoryWindow, history: &History) {
    let scheduled_times: Vec<Timestamp> = history.runs.iter().map(|(at, _)| at).collect();
    let is_sorted = scheduled_times.is_sorted_by(|one, other| one < other);
    assert!(is_sorted, "{:?}", facts.input.cron_job);
    let summary = &history.summary;
    assert_eq!(summary.runs, u64::try_from(scheduled_times.len()).unwrap());
    let unfinished = summary.running + summary.waiting + summary.pending;
    let by_status = summary.on_time + summary.late + unfinished + summary.skipped + summary.unknown;
    assert_eq!(summary.runs, by_status);
    assert!(summary.succeeded + summary.failed <= summary.runs);
    for entry in &history.runs.entries {
        assert!(entry.count() == 1 || entry.run.is_none());
        let explained = entry.reason.is_some();
        let ran = entry.run.is_some();
        assert!(ran || explained, "{entry:?}");
        assert!(ran || matches!(entry.status, RunStatus::Skipped | RunStatus::Unknown));
    }
    assert!(
        window.since.is_some() || scheduled_times.len() <= 100 || history.omitted_runs == Some(0)
    );
    if !matches!(history.error, Some(HistoryError::TooMany)) {
        expect_timetable(facts, history, &scheduled_times);
    }
}

/// The scheduled times are all those that a search from the beginning of the window finds.
fn expect_timetable(facts: &Facts<'_>, history: &History, scheduled_times: &[Timestamp]) {
    let Some(timetable) = &facts.timetable else {
        assert!(scheduled_times.is_empty());
        return;
    };
    // Those of `@every` depend on what was started.
    let too_long = scheduled_times.len() > MOST_COMPARED;
    if timetable.zone().is_none() || history.since > history.until || too_long {
        return;
    }
    let rounded = history.since.as_second() + i64::from(history.since.subsec_nanosecond() > 0);
    let before = Timestamp::from_second(rounded - 1).unwrap_or(Timestamp::MIN);
    let mut expected: Vec<Timestamp> = Vec::new();
    for run in timetable.after(before).map_while(Result::ok) {
        let is_new = expected.last().is_none_or(|last| run > *last) && run >= history.since;
        if run > history.until || !is_new {
            break;
        }
        expected.push(run);
    }
    assert_eq!(
        scheduled_times, expected,
        "{:?}",
        facts.input.cron_job.spec.schedule
    );
}
