//! All that is said about one `CronJob`.

use super::{Facts, Finding, MissedFor, causes, diagnose, verdict};
use crate::controller::{Decision, EditEffect, Outcome, Release};
use crate::forecast::Forecast;
use crate::upcoming::{Run, coming_runs};

/// So many next slots are told.
const NEXT_SLOTS: usize = 5;

/// All that is said about one `CronJob`.
pub struct Explanation<'a> {
    /// What is known.
    pub facts: Facts<'a>,
    /// One sentence.
    pub verdict: String,
    /// What its schedule means.
    pub description: Option<String>,
    /// Why slots were missed.
    pub causes: Vec<MissedFor>,
    /// What happens from now on if nobody does anything.
    pub forecast: Forecast,
    /// The next runs, with what is unusual about them.
    pub next_runs: Vec<Run>,
    /// What is wrong or risky.
    pub findings: Vec<Finding>,
    /// What would be if something were different, with what was changed.
    pub what_if: Option<WhatIf>,
    /// What other releases would do.
    pub compared: Vec<(Release, Decision)>,
}

/// The same `CronJob` with some fields changed.
pub struct WhatIf {
    /// What was changed, as it was given.
    pub changes: Vec<String>,
    /// What the controller would do then.
    pub decision: Decision,
    /// In one sentence.
    pub verdict: String,
    /// What making the change would lead to.
    pub effect: EditEffect,
}

impl<'a> Explanation<'a> {
    /// Explains the facts as they are: without what would be, and without other releases.
    pub fn of(facts: Facts<'a>) -> Self {
        // What the controller has given up on has no next slot.
        let given_up = facts.decision.outcome == Outcome::InvalidSchedule;
        let timetable = facts.timetable.as_ref().filter(|_| !given_up);
        let mut next_runs = timetable.map_or_else(Vec::new, |timetable| {
            coming_runs(timetable, facts.now, NEXT_SLOTS)
        });
        let forecast = facts.forecast(NEXT_SLOTS);
        for run in &mut next_runs {
            run.notes.extend(forecast.note(run.at));
        }
        let schedule = facts.schedule.as_ref().ok();
        Explanation {
            verdict: verdict(&facts),
            description: schedule.map(|schedule| schedule.describe().sentence),
            causes: causes(&facts),
            next_runs,
            forecast,
            findings: diagnose(&facts),
            what_if: None,
            compared: Vec::new(),
            facts,
        }
    }
}
