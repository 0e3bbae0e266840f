//! How the simulations of several Kubernetes versions differ.

use jiff::Timestamp;
use serde::{Serialize, Serializer};

use super::run::{SimulatedRun, SimulatedStatus};
use super::simulation::Simulation;
use crate::controller::ON_TIME;
use crate::controller::Release;

/// How the simulations of one `CronJob` differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimulationDifferences {
    /// The scheduled times with different results.
    pub runs: Vec<ReleaseDifference>,
    /// Whether runs start at other times, although their results are the same.
    pub delays: bool,
    /// Whether the controller syncs in a loop, without a pause, in only some of them.
    pub hot_loops: bool,
}

impl SimulationDifferences {
    /// Compares simulations of the same period.
    pub fn of(simulations: &[(Release, Simulation)]) -> Self {
        let others = simulations.get(1..).unwrap_or_default();
        let differ = |is_other: &dyn Fn(&Simulation, &Simulation) -> bool| {
            let first = simulations.first();
            first.is_some_and(|(_, first)| others.iter().any(|(_, other)| is_other(first, other)))
        };
        let runs = run_differences(simulations);
        SimulationDifferences {
            delays: runs.is_empty() && differ(&starts_differ),
            hot_loops: differ(&|one, other| one.hot_loops.is_empty() != other.hot_loops.is_empty()),
            runs,
        }
    }

    /// Whether all versions behave the same.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty() && !self.delays && !self.hot_loops
    }

    /// Whether a version does not start runs that another one starts, or starts unscheduled ones.
    pub fn loses_runs(&self) -> bool {
        let is_lost = |status: &Option<SimulatedStatus>| {
            use SimulatedStatus::{Blocked, Late, Lost, Phantom, Started};
            match status {
                Some(Lost | Blocked | Phantom) => true,
                Some(Started | Late) | None => false,
            }
        };
        let mut statuses = self.runs.iter().flat_map(|one| &one.statuses);
        statuses.any(|(_, status)| is_lost(status))
    }
}

/// Whether a run starts clearly earlier in one of them. Both have the same runs.
fn starts_differ(one: &Simulation, other: &Simulation) -> bool {
    let mut pairs = one.runs.iter().zip(&other.runs);
    pairs.any(|(one, other)| {
        let delays = one.delay_seconds().zip(other.delay_seconds());
        delays.is_some_and(|(one, other)| one.abs_diff(other) > ON_TIME.unsigned_abs())
    })
}

/// Consecutive scheduled times at which Kubernetes versions differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Difference")
)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseDifference {
    /// The first scheduled time.
    #[serde(rename = "firstScheduledTime")]
    pub first: Timestamp,
    /// The last scheduled time.
    #[serde(rename = "lastScheduledTime")]
    pub last: Timestamp,
    /// The number of scheduled times.
    pub count: u64,
    /// The status by Kubernetes version; null if the time is not scheduled in that version.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "std::collections::BTreeMap<String, Option<SimulatedStatus>>")
    )]
    #[serde(serialize_with = "by_release")]
    pub statuses: Vec<(Release, Option<SimulatedStatus>)>,
}

fn by_release<S: Serializer>(
    statuses: &[(Release, Option<SimulatedStatus>)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(statuses.iter().map(|(release, status)| (release, status)))
}

/// Where simulations of the same plan differ; neighbors with the same differences are one.
fn run_differences(simulations: &[(Release, Simulation)]) -> Vec<ReleaseDifference> {
    let rest = simulations.iter();
    let rest = rest.map(|(release, simulation)| (*release, simulation.runs.as_slice()));
    let mut rest: Vec<(Release, &[SimulatedRun])> = rest.collect();
    let mut found: Vec<ReleaseDifference> = Vec::new();
    let mut continues = false;
    while let Some(time) = rest
        .iter()
        .filter_map(|(_, runs)| Some(runs.first()?.scheduled_time))
        .min()
    {
        let status = |(release, runs): &mut (Release, &[SimulatedRun])| match runs.split_first() {
            Some((run, others)) if run.scheduled_time == time => {
                *runs = others;
                (*release, Some(run.status))
            }
            _ => (*release, None),
        };
        let statuses: Vec<(Release, Option<SimulatedStatus>)> =
            rest.iter_mut().map(status).collect();
        let mut pairs = statuses.windows(2);
        if pairs.all(|pair| matches!(pair, [(_, one), (_, other)] if one == other)) {
            continues = false;
            continue;
        }
        match found.last_mut() {
            Some(last) if continues && last.statuses == statuses => {
                last.last = time;
                last.count += 1;
            }
            _ => found.push(ReleaseDifference {
                first: time,
                last: time,
                count: 1,
                statuses,
            }),
        }
        continues = true;
    }
    found
}
