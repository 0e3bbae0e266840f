//! The figures and the timeline of a report, derived manually.
//!
//! `shop/nightly` is due at 02:00, started at 02:00:03 and took 90 seconds. `shop/quarters` is suspended and runs only
//! from 9 to 11, which is a finding, so that it is first. The time is 02:13:08.

use cronjob_controller::forecast::NextState;
use jiff::SignedDuration;

use crate::support::model::at;
use crate::support::world::reported;

#[test]
fn figures_and_timeline_count_the_known_and_future_runs() {
    let manifest = include_str!("report.yaml");
    // The first full minute is 02:14.
    let ahead = ["2026-11-21T02:14:00Z", "2026-11-22T02:14:00Z"];
    let report = reported(manifest, "1.36", "2026-11-21T02:13:08Z", ahead);
    let first = report.figures.findings[0].code;
    assert_eq!(first, "uneven-schedule-can-miss-runs");
    let figures = serde_json::to_value(&report.figures).unwrap();
    assert_eq!([&figures["runs"], &figures["onTime"]], [1, 1]);
    // Tomorrow's 02:00 is before tomorrow's 02:14; two hours have eight quarters.
    let timeline = serde_json::to_value(&report.timeline).unwrap();
    let runs = [0, 1].map(|index| timeline["items"][index]["runs"].clone());
    assert_eq!(runs, [8, 1]);
    assert_texts!(
        serde_json::to_string_pretty(&figures).unwrap(),
        serde_json::to_string_pretty(&timeline).unwrap(),
    );
}

/// While the creation of each Job is rejected, the runs are no starts.
#[test]
fn refused_runs_are_not_starts_in_the_timeline() {
    let text = include_str!("../../../examples/findings/job-creation-fails.yaml");
    let now = text.lines().find_map(|line| line.strip_prefix("# now: "));
    let now = now.unwrap();
    let later = at(now) + SignedDuration::from_hours(1);
    let report = reported(text, "1.36", now, [now, &later.to_string()]);
    assert_eq!(report.survey.rows[0].next_state, Some(NextState::Retry));
    let timeline = serde_json::to_value(&report.timeline).unwrap();
    assert_eq!(timeline["items"][0]["outlook"], "refused");
}
