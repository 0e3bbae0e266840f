//! The columns of `scan`.

use super::text::{NEVER, count, detail, distance, health, next, past, result};
use super::{Scan, meaning};
use crate::output::columns::{Listing, ListingColumn};
use crate::output::markdown::{emphasized, named, sentence};
use crate::output::reliability::percent;
use crate::output::table::{Cell, SCHEDULE};
use cronjob_diagnosis::diagnose::utc_or;
use cronjob_diagnosis::survey::{Health, Row, RowOrder};
use kube_model::ManagedBy;

pub(super) struct ScanRow<'a> {
    pub(super) row: &'a Row,
    pub(super) scan: &'a Scan<'a>,
}

/// When a column is in the table. The narrow table has to fit in 80 columns with usual names, so it shows only which
/// `CronJob`, when it runs next, when it ran last, and its health.
#[derive(Clone, Copy)]
pub(super) enum Shown {
    Always,
    WithContexts,
    WithNamespaces,
    /// In a terminal that is wide enough, by rank.
    IfItFits(u8),
    /// In a terminal that is wide enough, by rank, and always if the rows are sorted by it.
    IfSortedBy(RowOrder, u8),
    /// With `-o wide`.
    Wide,
    /// With `-o wide` and a recorder.
    WideIfRecorded,
}

impl Shown {
    pub(super) fn rank(self) -> Option<u8> {
        match self {
            Shown::IfItFits(rank) | Shown::IfSortedBy(_, rank) => Some(rank),
            _ => None,
        }
    }
}

type Column = ListingColumn<ScanRow<'static>>;

impl Listing for ScanRow<'static> {
    type Row<'a> = ScanRow<'a>;
    type Shown = Shown;
    const COLUMNS: &'static [Column] = &[
        Column::new(|it| it.scan.context.into()).text("CONTEXT", Shown::WithContexts),
        Column::new(|it| (&it.row.namespace).into())
            .text("NAMESPACE", Shown::WithNamespaces)
            .csv(0, "namespace"),
        Column::new(|it| (&it.row.name).into())
            .text("NAME", Shown::Always)
            .csv(1, "name")
            .markdown("CronJob", |it| named(&it.row.namespace, &it.row.name)),
        Column::new(|it| (&it.row.schedule).into())
            .cell("SCHEDULE", Shown::IfItFits(2), |it| {
                Cell::from(&it.row.schedule).within(SCHEDULE)
            })
            .csv(2, "schedule"),
        Column::new(|it| it.row.time_zone.as_ref().into())
            .text("TIMEZONE", Shown::IfItFits(6))
            .csv(3, "timeZone"),
        Column::new(|it| it.row.suspended.into())
            .text("SUSPEND", Shown::IfItFits(7))
            .csv(4, "suspended"),
        Column::new(|it| it.row.managed_by.as_ref().map(ManagedBy::text).into()).cell(
            "MANAGED-BY",
            Shown::Wide,
            |it| Cell::or_none(it.row.managed_by.as_ref().map(ManagedBy::text)).within(SCHEDULE),
        ),
        Column::new(|it| it.row.next_run.into())
            .cell("NEXT", Shown::Always, |it| {
                let now = it.scan.now();
                next(it.row, |next| distance(now, next.max(now))).into()
            })
            .csv(5, "nextRun")
            .markdown("Next", next_in_markdown),
        Column::new(|it| it.row.last_schedule_time.into())
            .cell("LAST", Shown::Always, |it| {
                if it.row.in_cluster {
                    past(it.scan.now(), it.row.last_schedule_time).into()
                } else {
                    NOT_IN_CLUSTER.into()
                }
            })
            .csv(6, "lastScheduleTime")
            .markdown("Last", last_in_markdown),
        Column::new(|it| {
            let last = it.row.last_scheduled_run.as_ref();
            last.map(|last| last.state.as_str()).into()
        })
        .cell("RESULT", Shown::IfItFits(1), |it| result(it.row))
        .csv(13, "lastRunState"),
        Column::new(|it| it.row.last_successful_time.into())
            .cell("SUCCESS", Shown::IfItFits(5), |it| {
                past(it.scan.now(), it.row.last_success_at()).into()
            })
            .csv(7, "lastSuccessfulTime"),
        Column::new(|it| it.row.runs_since_success.into())
            .cell("UNSUCCESSFUL", Shown::Wide, |it| {
                count(it.row.runs_since_success)
            })
            .csv(14, "runsSinceSuccess"),
        Column::new(|it| {
            let reliability = it.row.reliability.as_deref();
            let percent = reliability.and_then(|one| percent(one.figures.runs));
            percent.unwrap_or_else(|| "-".to_owned()).into()
        })
        .text("28D", Shown::WideIfRecorded),
        Column::new(|it| it.row.active.into())
            .text("ACTIVE", Shown::IfSortedBy(RowOrder::Active, 4))
            .csv(8, "active"),
        Column::new(|it| it.row.missed.into())
            .cell("MISSED", Shown::IfSortedBy(RowOrder::Missed, 3), |it| {
                count(it.row.missed)
            })
            .csv(9, "missed"),
        Column::new(|it| it.row.health.as_str().into())
            .cell("HEALTH", Shown::Always, |it| {
                Cell::new(health_of(it), meaning(it.row.health))
            })
            .csv(10, "health")
            .markdown("Health", |it| {
                emphasized(it.row.health == Health::Error, sentence(&health_of(it)))
            }),
        Column::new(|it| {
            let codes = it.row.findings.iter().map(|finding| finding.code);
            codes.collect::<Vec<_>>().join("; ").into()
        })
        .csv(11, "findings"),
        Column::new(|it| (&it.row.verdict).into())
            .cell("DETAIL", Shown::Wide, |it| detail(it.row).into())
            .csv(12, "verdict"),
    ];
}

/// Shown instead of the last run.
const NOT_IN_CLUSTER: &str = "not in a cluster";

fn health_of(it: &ScanRow<'_>) -> String {
    health(it.row, it.scan.now(), it.scan.display.as_deref())
}

/// A comment is read later, so its times are not relative.
fn next_in_markdown(it: &ScanRow<'_>) -> String {
    let (now, display) = (it.scan.now(), it.scan.display.as_deref());
    sentence(&next(it.row, |at| utc_or(display, at.max(now)).to_string()))
}

fn last_in_markdown(it: &ScanRow<'_>) -> String {
    let last = it.row.last_schedule_time;
    match &it.row.last_scheduled_run {
        _ if !it.row.in_cluster => sentence(NOT_IN_CLUSTER),
        Some(run) => sentence(&run.text),
        None => last.map_or_else(
            || NEVER.to_owned(),
            |last| sentence(&utc_or(it.scan.display.as_deref(), last).to_string()),
        ),
    }
}
