//! Rows in order, and what they come to.

use std::cmp::{Ordering, Reverse};

use schemars::JsonSchema;
use serde::Serialize;

use super::row::{Health, Row};

/// In which order rows are shown. Rows that are equal in it are in the order of their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RowOrder {
    /// The worst first.
    #[default]
    Health,
    /// By namespace and name.
    Name,
    /// The soonest first; what is blocked or overdue comes before all, what will not run last.
    Next,
    /// The longest ago first; what was never started comes before all.
    Last,
    /// The most missed first.
    Missed,
    /// The most running first.
    Active,
}

impl RowOrder {
    /// Which of two rows comes first; those that are equal in it have no order here.
    pub fn compare(self, one: &Row, other: &Row) -> Ordering {
        match self {
            RowOrder::Health => other.health.cmp(&one.health),
            RowOrder::Name => one.place().cmp(&other.place()),
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

/// Which rows are shown, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct RowSelection {
    /// In which order.
    pub order: RowOrder,
    /// Only those with a warning or an error.
    pub problems_only: bool,
}

/// How many `CronJob`s there are of each health.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Default, Serialize)]
#[schemars(rename = "ScanSummary")]
pub struct HealthSummary {
    /// How many `CronJob`s there are.
    pub total: usize,
    /// How many have no findings.
    pub ok: usize,
    /// How many have something worth knowing, and nothing more severe.
    pub info: usize,
    /// How many lose runs, or will, and have nothing more severe.
    pub warning: usize,
    /// How many do not work.
    pub error: usize,
    /// How many are suspended; they are counted above, too.
    pub suspended: usize,
}

/// Rows in order, and how many there are of each health.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct SurveyReport {
    /// How many `CronJob`s have which health, those that are not shown too.
    pub summary: HealthSummary,
    /// The `CronJob`s, in the order that was asked for.
    #[serde(rename = "items")]
    pub rows: Vec<Row>,
    /// Whether the rows, shown or not, are of more than one namespace.
    #[serde(skip)]
    pub many_namespaces: bool,
}

impl HealthSummary {
    /// Sums rows up.
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

    /// The health of the worst.
    pub fn worst(&self) -> Health {
        if self.error > 0 {
            Health::Error
        } else if self.warning > 0 {
            Health::Warning
        } else if self.info > 0 {
            Health::Info
        } else {
            Health::Ok
        }
    }
}

impl SurveyReport {
    /// Sums rows up, and puts those that are to be seen in order.
    pub fn new(mut rows: Vec<Row>, view: RowSelection) -> Self {
        let summary = HealthSummary::of(&rows);
        let mut namespaces = rows.iter().map(|row| &row.namespace);
        let first = namespaces.next();
        let many_namespaces = namespaces.any(|namespace| Some(namespace) != first);
        rows.retain(|row| !view.problems_only || row.health.is_problem());
        rows.sort_by(|one, other| view.order.compare_all(one, other));
        SurveyReport {
            summary,
            rows,
            many_namespaces,
        }
    }
}
