//! When alerts about a `CronJob` fire: thresholds from its own schedule and durations.
//!
//! The alerts compare metrics of kube-state-metrics with these thresholds, so that they work without this
//! program running. What the rules look like is in `output/alerts.rs`.

mod gap;

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnose::{DurationSource, Facts};
use cronjob_controller::upcoming::{Subject, read};
use gap::{longest_gap, longest_span};

/// What is not known of a `CronJob`.
#[derive(Clone, Copy, Debug)]
pub struct AlertSettings {
    /// How long a run takes of which nothing is stated or known, in seconds; `None` to go by the schedule.
    pub run_duration: Option<i64>,
    /// How late a run may start and an alert may fire, in seconds.
    pub grace: i64,
    /// After how many runs without success to alert.
    pub after: Option<u8>,
}

/// Why no alerts are written for a `CronJob`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOut {
    /// Its schedule or its time zone is invalid, or it never runs.
    NeverRuns,
    /// Its name is not one that the API server accepts.
    InvalidName,
}

impl LeftOut {
    /// After a number: `2 suspended`.
    pub fn as_str(self) -> &'static str {
        match self {
            LeftOut::NeverRuns => "without any run",
            LeftOut::InvalidName => "with an invalid name",
        }
    }
}

/// All `CronJob`s of a selection, so that a rule can find others.
#[derive(Clone, Debug, Default)]
pub struct AlertScope {
    /// Whether all namespaces were read.
    pub is_everywhere: bool,
    /// The names in each namespace, with those that never run.
    pub names: BTreeMap<String, BTreeSet<String>>,
}

impl AlertScope {
    pub fn add(&mut self, namespace: &str, name: &str) {
        if is_name(namespace) && is_name(name) {
            let names = self.names.entry(namespace.to_owned()).or_default();
            names.insert(name.to_owned());
        }
    }
}

/// When the alerts about a `CronJob` fire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertThresholds {
    pub namespace: String,
    pub name: String,
    pub schedule: String,
    /// The time zone of the schedule, unless it is the same in all.
    pub time_zone: Option<String>,
    /// After how many runs without success to alert; `None` for alerts about the last one.
    pub after: Option<u8>,
    /// The longest time between two consecutive runs, or for that number of runs, in seconds.
    pub longest_gap: i64,
    /// How long a run may take, in seconds.
    pub takes: i64,
    pub takes_source: DurationSource,
    /// How old the last success may be, in seconds.
    pub success_within: i64,
    /// Whether the annotation `cronjob-doctor/success-within` states that.
    pub success_is_stated: bool,
    /// How long after its scheduled time the last run must have succeeded, in seconds. `None` where the next
    /// run may be scheduled before that.
    pub run_within: Option<i64>,
    /// How old the last scheduled time may be, in seconds: the controller starts a run in the meantime. `None` where
    /// a running Job may delay it (`concurrencyPolicy: Forbid`).
    pub start_within: Option<i64>,
    /// What to do then: a URL or text.
    pub runbook: Option<String>,
}

impl AlertThresholds {
    /// The thresholds of a `CronJob`.
    ///
    /// A success at time S belongs to a run scheduled at S or before. The next run is scheduled at most the
    /// longest gap later, and succeeds within its duration and the grace: where the last success is older
    /// than the sum of the three, a run did not succeed. The same holds for several runs.
    pub fn of(facts: &Facts<'_>, settings: AlertSettings) -> Result<Self, LeftOut> {
        let cron_job = &*facts.input.cron_job;
        if !is_name(&cron_job.namespace) || !is_name(&cron_job.name) {
            return Err(LeftOut::InvalidName);
        }
        let schedule = read(facts.input.controller, &Subject::from(cron_job));
        let schedule = schedule.map_err(|_| LeftOut::NeverRuns)?;
        let timetable = facts.timetable.as_ref().ok_or(LeftOut::NeverRuns)?;
        let period = schedule.period().ok_or(LeftOut::NeverRuns)?;
        let gap = longest_gap(period, timetable, facts.input.now);
        let (takes, takes_source) = takes(facts, settings.run_duration, gap);
        let runs = settings.after.map_or(1, usize::from);
        let longest_gap = longest_span(gap, timetable, facts.input.now, runs);
        let expected = facts.input.expectations();
        let stated = expected.success_within_seconds;
        let stated = stated.filter(|_| settings.after.is_none());
        let run_within = takes.saturating_add(settings.grace);
        Ok(AlertThresholds {
            namespace: cron_job.namespace.clone(),
            name: cron_job.name.clone(),
            schedule: cron_job.spec.schedule.clone(),
            time_zone: timetable.zone().map(|zone| zone.name().to_owned()),
            after: settings.after,
            longest_gap,
            takes,
            takes_source,
            success_within: stated.unwrap_or_else(|| longest_gap.saturating_add(run_within)),
            success_is_stated: stated.is_some(),
            run_within: Some(run_within).filter(|within| *within < period.shortest),
            start_within: (!facts.input.forbids_overlap())
                .then(|| gap.saturating_add(settings.grace)),
            runbook: expected.runbook.clone(),
        })
    }
}

/// A run may take this long, in seconds.
const ASSUMED: i64 = 3_600;
/// A run may take this many times the longest time between two runs, if that is shorter.
const ASSUMED_GAPS: i64 = 2;

/// How long a run may take, and how that is known. What is usual is rounded.
fn takes(facts: &Facts<'_>, given: Option<i64>, longest_gap: i64) -> (i64, DurationSource) {
    match facts.longest_run(given.unwrap_or(ASSUMED)) {
        (usual, DurationSource::Usual) => (rounded_up(usual), DurationSource::Usual),
        (assumed, DurationSource::Assumed) if given.is_none() => {
            let by_schedule = longest_gap.saturating_mul(ASSUMED_GAPS);
            (assumed.min(by_schedule), DurationSource::Assumed)
        }
        other => other,
    }
}

/// A duration that stays the same while the durations of runs vary a little, so that rules in Git do, too.
fn rounded_up(seconds: i64) -> i64 {
    let step = match seconds {
        ..=600 => 60,
        601..=3_600 => 300,
        3_601..=21_600 => 900,
        _ => 3_600,
    };
    let steps = seconds.max(1).checked_add(step - 1).map(|sum| sum / step);
    steps.map_or(seconds, |steps| steps.saturating_mul(step))
}

/// Whether the API server accepts a name, which therefore needs no quotes anywhere.
fn is_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.');
    !name.is_empty() && name.len() <= 253 && name.chars().all(allowed)
}
