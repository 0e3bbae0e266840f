//! Sorted rows and their summary.

use std::cmp::{Ordering, Reverse};
use std::ops::AddAssign;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::causes::{SharedCause, shared_causes};
use super::row::{Health, Row};
use crate::diagnose::ControllerOutage;
use kube_model::Tool;

string_enum! {
    /// In which order rows are shown. Rows that are equal in it are in the order of their names.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub enum RowOrder {
        #[default]
        Health = "health",
        Name = "name",
        /// The soonest first; what is blocked or overdue comes before all, what will not run last.
        Next = "next",
        /// The longest ago first; what was never started comes before all.
        Last = "last",
        Missed = "missed",
        Active = "active",
    }
}

impl RowOrder {
    /// Which of two rows comes first; those that are equal in it have no order here.
    pub fn compare(self, one: &Row, other: &Row) -> Ordering {
        match self {
            RowOrder::Health => other.health.cmp(&one.health),
            RowOrder::Name => (&one.namespace, &one.name).cmp(&(&other.namespace, &other.name)),
            RowOrder::Next => {
                let key = |row: &Row| (row.next_state.is_none(), row.next_run);
                key(one).cmp(&key(other))
            }
            RowOrder::Last => one.last_schedule_time.cmp(&other.last_schedule_time),
            RowOrder::Missed => Reverse(one.missed).cmp(&Reverse(other.missed)),
            RowOrder::Active => other.active.cmp(&one.active),
        }
    }

    /// Which of two rows comes first, in the end by name.
    pub fn compare_all(self, one: &Row, other: &Row) -> Ordering {
        let by_name = || RowOrder::Name.compare(one, other);
        self.compare(one, other).then_with(by_name)
    }
}

/// Which `CronJob`s a scan is about.
#[derive(Clone, Debug, Default, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScanSelection {
    /// The namespace, or several separated by commas; null for all namespaces.
    pub namespace: Option<String>,
    /// The names, sorted; empty for all.
    pub names: Vec<String>,
    /// The label selector of `-l`.
    pub label_selector: Option<String>,
    /// The field selector of `--field-selector`.
    pub field_selector: Option<String>,
    /// The tool of `--managed-by`.
    pub managed_by: Option<String>,
}

impl ScanSelection {
    /// Whether it selects all CronJobs of its namespaces.
    pub fn is_whole(&self) -> bool {
        let selectors = [&self.label_selector, &self.field_selector, &self.managed_by];
        self.names.is_empty() && selectors.into_iter().all(Option::is_none)
    }
}

/// Which rows are shown, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct RowSelection {
    pub order: RowOrder,
    /// Only those with a warning or an error.
    pub problems_only: bool,
    /// Only those that missed runs.
    pub missed_only: bool,
    /// Only those that this tool manages.
    pub managed_by: Option<Manager>,
}

impl RowSelection {
    /// Whether a row counts, even if it is not shown.
    pub(crate) fn selects(self, row: &Row) -> bool {
        self.managed_by
            .is_none_or(|wanted| Manager::of(row) == wanted)
    }

    /// Whether a row that counts is shown.
    pub fn shows(self, row: &Row) -> bool {
        let missed = row.missed.is_some_and(|runs| runs > 0);
        (!self.problems_only || row.health.is_problem()) && (!self.missed_only || missed)
    }
}

string_enum! {
    /// A tool that manages `CronJob`s, or none.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Manager {
        ArgoCd = "argocd",
        /// A Kustomization or a `HelmRelease`.
        Flux = "flux",
        /// Not by way of Argo CD or Flux.
        Helm = "helm",
        /// `kubectl apply`.
        Kubectl = "kubectl",
        None = "none",
    }
}

impl Manager {
    fn of(row: &Row) -> Self {
        match row.managed_by.as_ref().map(|managed| managed.tool) {
            Some(Tool::ArgoCd) => Manager::ArgoCd,
            Some(Tool::FluxKustomization | Tool::FluxHelmRelease) => Manager::Flux,
            Some(Tool::Helm) => Manager::Helm,
            Some(Tool::Kubectl) => Manager::Kubectl,
            None => Manager::None,
        }
    }
}

/// The number of `CronJob`s by health.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Default, Serialize)]
#[schemars(rename = "ScanSummary")]
pub struct HealthSummary {
    /// The number of `CronJob`s.
    pub total: usize,
    /// `CronJob`s without findings.
    pub ok: usize,
    /// `CronJob`s whose most severe finding is info.
    pub info: usize,
    /// `CronJob`s whose most severe finding is a warning.
    pub warning: usize,
    /// `CronJob`s with an error.
    pub error: usize,
    /// `CronJob`s that are suspended; they are also counted above.
    pub suspended: usize,
}

/// Sorted rows and their summary.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct SurveyReport {
    /// The number of `CronJob`s by health, including those that are not shown.
    pub summary: HealthSummary,
    /// That the controller seems to be down; null if it does not, or if that cannot be judged: its lease could not be
    /// read, and fewer than two `CronJob`s were due.
    pub outage: Option<Arc<ControllerOutage>>,
    /// The objects that several `CronJob`s fail for, sorted by how many do, including those that are not shown.
    pub causes: Vec<SharedCause>,
    /// The `CronJob`s in the requested order.
    #[serde(rename = "items")]
    pub rows: Vec<Row>,
    /// Whether the rows, shown or not, are of more than one namespace.
    #[serde(skip)]
    pub many_namespaces: bool,
}

impl AddAssign for HealthSummary {
    fn add_assign(&mut self, other: Self) {
        self.total += other.total;
        self.ok += other.ok;
        self.info += other.info;
        self.warning += other.warning;
        self.error += other.error;
        self.suspended += other.suspended;
    }
}

impl HealthSummary {
    pub fn of<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Self {
        let mut summary = HealthSummary::default();
        for row in rows {
            summary.total += 1;
            let count = match row.health {
                Health::Ok => &mut summary.ok,
                Health::Info => &mut summary.info,
                Health::Warning => &mut summary.warning,
                Health::Error => &mut summary.error,
            };
            *count += 1;
            summary.suspended += usize::from(row.suspended);
        }
        summary
    }

    pub fn worst(&self) -> Health {
        match self {
            HealthSummary { error: 1.., .. } => Health::Error,
            HealthSummary { warning: 1.., .. } => Health::Warning,
            HealthSummary { info: 1.., .. } => Health::Info,
            _ => Health::Ok,
        }
    }
}

impl SurveyReport {
    /// Sums rows up, and puts those that are to be seen in order.
    pub fn new(mut rows: Vec<Row>, view: RowSelection) -> Self {
        rows.retain(|row| view.selects(row));
        let summary = HealthSummary::of(&rows);
        let outage = rows.iter().find_map(|row| row.outage.clone());
        let causes = shared_causes(&rows.iter());
        let mut namespaces = rows.iter().map(|row| &row.namespace);
        let first = namespaces.next();
        let many_namespaces = namespaces.any(|namespace| Some(namespace) != first);
        rows.retain(|row| view.shows(row));
        rows.sort_by(|one, other| view.order.compare_all(one, other));
        SurveyReport {
            summary,
            outage,
            causes,
            rows,
            many_namespaces,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worst_health_is_that_of_the_most_severe_row() {
        let worst = |[info, warning, error]: [usize; 3]| {
            let summary = HealthSummary {
                ok: 1,
                info,
                warning,
                error,
                ..HealthSummary::default()
            };
            summary.worst()
        };
        assert_eq!(worst([1, 2, 3]), Health::Error);
        assert_eq!(worst([1, 2, 0]), Health::Warning);
        assert_eq!(worst([1, 0, 0]), Health::Info);
        assert_eq!(worst([0, 0, 0]), Health::Ok);
    }
}
