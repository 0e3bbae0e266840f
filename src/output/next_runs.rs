//! The upcoming runs, in every format.

use std::io::{self, Write};
use std::sync::Arc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::controller::ControllerDocument;
use super::envelope::DocumentBody;
use super::style::Meaning;
use super::table::{Cell, SCHEDULE, Table};
use super::{csv, ics};
use crate::duration::{from_now, local_time};
use crate::printable::printable;
use crate::schedule::Zone;
use crate::text::Text;
use crate::upcoming::{Subject, Upcoming, UpcomingRun, merged, with_offset};

/// The upcoming runs: `next-runs -o json`.
#[derive(JsonSchema, Serialize)]
pub struct NextRuns<'a> {
    /// The time used as now.
    #[serde(skip)]
    pub(crate) now: Timestamp,
    /// The context, if several were asked for.
    #[serde(skip)]
    pub(crate) context: Option<&'a str>,
    /// The controller that is modeled.
    pub(crate) controller: ControllerDocument,
    /// The upcoming runs of each schedule.
    pub(crate) items: &'a [Upcoming],
    /// The time zone of the local times, if it is not that of each schedule.
    #[serde(skip)]
    pub(crate) display_zone: Option<Arc<Zone>>,
}

impl DocumentBody for NextRuns<'_> {}

/// Writes a table of the runs of one context or of several.
pub(crate) fn table(
    out: &mut dyn Write,
    parts: &[&NextRuns<'_>],
    wide: bool,
    with_headings: bool,
) -> io::Result<()> {
    let items = || parts.iter().flat_map(|part| part.items);
    let has = |test: fn(&Upcoming) -> bool| items().any(test);
    let columns: [(bool, &str, CellOf); 9] = [
        (
            parts.iter().any(|part| part.context.is_some()),
            "CONTEXT",
            |all, _, _| all.context.unwrap_or_default().into(),
        ),
        (true, "LOCAL TIME", |all, item, run| {
            all.local_time(item, run)
        }),
        (true, "IN", |all, _, run| {
            let wait = run.map(|run| from_now(all.now, run.scheduled_time));
            Cell::or_none(wait.map(|wait| wait.replace("in ", "")))
        }),
        (
            has(|item| item.subject.namespace.is_some()),
            "NAMESPACE",
            |_, item, _| Cell::or_none(item.subject.namespace.as_ref()),
        ),
        (
            has(|item| item.subject.other_kind.is_some()),
            "KIND",
            |_, item, _| Cell::or_none(item.subject.kind),
        ),
        (
            has(|item| item.subject.name.is_some()),
            "NAME",
            |_, item, _| Cell::or_none(item.subject.name.as_ref()),
        ),
        (wide, "UTC", |_, _, run| {
            Cell::or_none(run.map(|run| run.scheduled_time.to_string()))
        }),
        (wide, "SCHEDULE", |_, item, _| {
            Cell::from(&item.subject.schedule).within(SCHEDULE)
        }),
        (has(is_remarkable), "NOTE", |_, item, run| note(item, run)),
    ];
    let columns = columns.into_iter().filter(|(is_shown, ..)| *is_shown);
    let (headings, cells): (Vec<&str>, Vec<CellOf>) =
        columns.map(|(_, heading, cell)| (heading, cell)).unzip();
    let mut table = Table::new(headings);
    let runs = merged_parts(parts).into_iter();
    let runs = runs.map(|(part, item, run)| (part, item, Some(run)));
    let of_each = parts
        .iter()
        .map(|part| part.items.iter().map(|item| (*part, item, None)));
    let without = of_each
        .flatten()
        .filter(|(_, item, _)| item.runs.is_empty());
    for (part, item, run) in runs.chain(without) {
        table.push(cells.iter().map(|cell| cell(part, item, run)).collect());
    }
    table.write(out, with_headings)
}

/// The runs of all parts in the order of their times.
fn merged_parts<'a>(
    parts: &[&'a NextRuns<'a>],
) -> Vec<(&'a NextRuns<'a>, &'a Upcoming, &'a UpcomingRun)> {
    let mut all = Vec::new();
    for part in parts {
        all.extend(
            merged(part.items)
                .into_iter()
                .map(|(item, run)| (*part, item, run)),
        );
    }
    all.sort_by_key(|(_, _, run)| run.scheduled_time);
    all
}

impl NextRuns<'_> {
    fn local_time(&self, item: &Upcoming, run: Option<&UpcomingRun>) -> Cell {
        let Some(run) = run else {
            return Cell::new(why_none(item).0, Meaning::Odd);
        };
        let zone = self.display_zone.as_ref().unwrap_or(&item.zone);
        local_time(run.scheduled_time, zone.time_zone(), zone.name()).into()
    }

    /// Comma-separated values with a line of headings.
    pub(crate) fn csv(&self, out: &mut dyn Write, with_headings: bool) -> io::Result<()> {
        if with_headings {
            let headings =
                "namespace,name,schedule,timeZone,scheduledTime,localTime,suspended,notes,kind";
            csv::record(out, headings.split(','))?;
        }
        for (item, run) in merged(self.items) {
            let subject = &item.subject;
            let values = [
                subject.namespace.as_deref().unwrap_or_default(),
                subject.name.as_deref().unwrap_or_default(),
                &subject.schedule,
                subject.time_zone.as_deref().unwrap_or_default(),
                &run.scheduled_time.to_string(),
                &with_offset(&run.local_time).to_string(),
                if subject.suspended { "true" } else { "false" },
                &Text::join(&run.notes, "; "),
                subject.kind.unwrap_or_default(),
            ];
            csv::record(out, values)?;
        }
        Ok(())
    }

    /// The names, each once, in the order of their next run.
    pub(crate) fn names(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut seen = std::collections::HashSet::new();
        for (item, _) in merged(self.items) {
            let subject = &item.subject;
            let Some(name) = &subject.name else { continue };
            let other = subject.other_kind;
            if seen.insert((&subject.namespace, name, other.map(|kind| kind.name))) {
                let resource = other.map_or("cronjob.batch".to_owned(), |kind| {
                    format!("{}.{}", kind.name.to_ascii_lowercase(), kind.group)
                });
                writeln!(out, "{resource}/{}", printable(name))?;
            }
        }
        Ok(())
    }
}

/// A calendar. Suspended CronJobs will not run and are left out.
pub(crate) fn ics(out: &mut dyn Write, parts: &[&NextRuns<'_>]) -> io::Result<()> {
    let running = merged_parts(parts).into_iter();
    let running = running.filter(|(_, item, _)| !item.subject.suspended);
    let events = running.map(|(part, item, run)| {
        let subject = &item.subject;
        let who = full_name(subject).unwrap_or_else(|| subject.schedule.clone());
        let who = match part.context {
            Some(context) => format!("{context}: {who}"),
            None => who,
        };
        let mut description = format!("{} in {}", subject.schedule, item.zone.name());
        for note in &run.notes {
            description.push('\n');
            description.push_str(note);
        }
        ics::CalendarEvent {
            uid: format!("{}/{who}@cronjob-doctor", run.scheduled_time.as_second()),
            at: run.scheduled_time,
            summary: who,
            description,
        }
    });
    let now = parts.first().map_or(Timestamp::UNIX_EPOCH, |part| part.now);
    ics::calendar(out, now, events)
}

/// The cell of a run, or of a schedule without one.
type CellOf = fn(&NextRuns<'_>, &Upcoming, Option<&UpcomingRun>) -> Cell;

/// Whether there is something to note.
fn is_remarkable(item: &Upcoming) -> bool {
    let mut runs = item.runs.iter();
    item.subject.suspended || item.runs.is_empty() || runs.any(|run| !run.notes.is_empty())
}

fn note(item: &Upcoming, run: Option<&UpcomingRun>) -> Cell {
    let Some(run) = run else {
        return Cell::new(why_none(item).1, Meaning::Odd);
    };
    let suspended = item.subject.suspended.then_some("suspended");
    let notes = run.notes.iter().map(|note| &**note);
    let notes: Vec<&str> = suspended.into_iter().chain(notes).collect();
    Cell::new(notes.join("; "), Meaning::Odd)
}

/// Why a schedule has no run, in a word and in a sentence.
fn why_none(item: &Upcoming) -> (&'static str, String) {
    match (&item.error, &item.never) {
        (Some(error), _) => ("invalid", error.to_string()),
        (None, Some(never)) => ("never", never.to_string()),
        (None, None) => ("none", "no run in this window".to_owned()),
    }
}

fn full_name(subject: &Subject) -> Option<String> {
    let name = subject.name.as_deref()?;
    let kind = subject.other_kind;
    let kind = kind.map_or_else(String::new, |kind| format!("{} ", kind.name));
    Some(match &subject.namespace {
        Some(namespace) => format!("{kind}{namespace}/{name}"),
        None => format!("{kind}{name}"),
    })
}
