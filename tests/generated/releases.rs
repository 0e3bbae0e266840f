//! The rows of all releases, and those that were checked, as Markdown tables.

use cronjob_controller::controller::{
    Arithmetic, Behavior, Children, Cleanup, Generation, JobEnds, NameTaken, ROWS, Requests,
    Requeue, Success, TooMany, ZonePrefix, checked_releases,
};

/// What the cells of a release are about.
const ASPECTS: [&str; 14] = [
    "controller",
    "finds the run",
    "above 100 missed",
    "syncs again",
    "robfig/cron",
    "`timeZone`",
    "`TZ=`",
    "deletes old Jobs",
    "recognizes its Jobs",
    "records a success",
    "a Job ends",
    "annotates the scheduled time",
    "Job name taken",
    "requests",
];

/// A Markdown table with a line for each release in which something changed: what is not as in the release that it is
/// compared with, the one before of the same minor version, or the first one of the minor version before.
pub(crate) fn table() -> String {
    let mut text = "| from | compared with | what changed |\n|---|---|---|\n".to_owned();
    let (mut first, mut last) = (None, None);
    for ((minor, patch), behavior) in ROWS {
        let requests = requests(behavior.requests);
        let cells: Vec<String> = cells(behavior)
            .map(str::to_owned)
            .into_iter()
            .chain([requests])
            .collect();
        let name = format!("1.{minor}.{patch}");
        let before = if *patch == 0 {
            first.take()
        } else {
            last.take()
        };
        let before_behavior = before.as_ref().map(|(_, _, behavior)| *behavior);
        let (other, old) = before.map_or(("-".to_owned(), Vec::new()), |(name, cells, _)| {
            (name, cells)
        });
        let pairs = ASPECTS.iter().zip(&cells).enumerate();
        let changed = pairs.filter(|(at, (_, cell))| old.get(*at) != Some(*cell));
        let changed: Vec<String> = changed
            .map(|(_, (aspect, cell))| format!("{aspect}: {cell}"))
            .collect();
        let changed = match (changed.is_empty(), before_behavior) {
            (false, _) => changed.join("; "),
            (true, Some(before)) if before == behavior => "nothing".to_owned(),
            (true, _) => "events".to_owned(),
        };
        text.push_str(&format!("| {name} | {other} | {changed} |\n"));
        last = Some((name, cells, behavior));
        if *patch == 0 {
            first.clone_from(&last);
        }
    }
    text
}

/// A Markdown table with a line for each comparison with a running controller.
pub(crate) fn checked() -> String {
    let head = "| Kubernetes | forecasts compared | different |\n|---|---|---|\n";
    let rows = checked_releases().map(|row| format!("| {} |\n", row.cells.join(" | ")));
    [head.to_owned()].into_iter().chain(rows).collect()
}

/// The requests of a sync and of a start, and the events of a start.
fn requests(requests: Requests) -> String {
    let Requests {
        sync,
        start,
        events,
    } = requests;
    let per_sync = if sync == 0 {
        String::new()
    } else {
        format!("{sync} per sync, ")
    };
    let plural = if events == 1 { "" } else { "s" };
    format!("{per_sync}{start} per start, {events} event{plural}")
}

fn cells(behavior: &Behavior) -> [&'static str; 13] {
    [
        match behavior.generation {
            Generation::V1 => "v1: syncs all every 10s",
            Generation::V2 => "v2: woken by a queue",
            Generation::Tutorial => "kubebuilder tutorial",
        },
        match behavior.arithmetic {
            Arithmetic::List => "lists all missed runs",
            Arithmetic::Multiplied => "multiplies the interval: may start at an unscheduled time",
            Arithmetic::Searched => "searches near an estimate: may find none",
        },
        match behavior.too_many {
            TooMany::Refuses => "starts nothing",
            TooMany::WarnsWithZero => "warns (with the count 0), starts one",
            TooMany::WarnsWithNumber => "warns with its estimate, starts one",
            TooMany::Warns => "warns, starts one",
        },
        match behavior.requeue {
            Requeue::Poll => "10s later",
            Requeue::AtNext => "at the next run",
            Requeue::AfterNow => "just after the next run",
            Requeue::AfterMostRecent => {
                "just after the run following the one it found; may be in the past"
            }
            Requeue::AfterMostRecentOrNow => {
                "just after the run following the one it found, or the next one"
            }
        },
        behavior.dialect.version(),
        if behavior.time_zone_field {
            "supported"
        } else {
            "ignored"
        },
        match behavior.zone_prefix {
            ZonePrefix::NotParsed => "not parsed",
            ZonePrefix::Accepted => "accepted",
            ZonePrefix::Refused => "rejected for new objects",
        },
        match behavior.cleanup {
            Cleanup::After => "last",
            Cleanup::AfterSuccess => "last, if nothing failed",
            Cleanup::Before => "first",
        },
        match behavior.children {
            Children::Uid => "by owner",
            Children::Name => "by the owner's name alone",
            Children::KindAndName => "by the owner's kind and name",
        },
        match behavior.success {
            Success::Never => "no",
            Success::FinishedEarlier => "of Jobs that finished earlier",
            Success::SucceededEarlier => "of Jobs that succeeded earlier",
            Success::Succeeded => "immediately",
        },
        match behavior.job_ends {
            JobEnds::WithVerdict => "with its result",
            JobEnds::WithLastPod => "with its last pod",
        },
        if behavior.annotates_scheduled_time {
            "yes"
        } else {
            "no"
        },
        match behavior.name_taken {
            NameTaken::RecordsFailure => "records a failure",
            NameTaken::Retries => "fails, retries",
            NameTaken::MeansToAdopt => "tries to adopt its own Job",
            NameTaken::Adopts => "adopts its own Job",
        },
    ]
}
