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
use crate::duration;
use crate::printable::printable;
use crate::schedule::Zone;
use crate::upcoming::{Subject, SubjectKind, Upcoming, UpcomingRun, merged, with_offset};

/// The upcoming runs: `next-runs -o json`.
#[derive(JsonSchema, Serialize)]
pub(crate) struct NextRuns<'a> {
    /// The time used as now.
    #[serde(skip)]
    pub now: Timestamp,
    /// The controller that is modeled.
    pub controller: ControllerDocument,
    /// The upcoming runs of each schedule.
    pub items: &'a [Upcoming],
    /// The time zone of the local times, if it is not that of each schedule.
    #[serde(skip)]
    pub display_zone: Option<Arc<Zone>>,
}

impl DocumentBody for NextRuns<'_> {
    const KIND: &'static str = "NextRuns";
}

impl NextRuns<'_> {
    pub(crate) fn table(
        &self,
        out: &mut dyn Write,
        wide: bool,
        with_headings: bool,
    ) -> io::Result<()> {
        let columns = self.columns(wide);
        let mut table = Table::new(columns.iter().map(|column| column.heading()));
        for (item, run) in merged(self.items) {
            table.push(
                columns
                    .iter()
                    .map(|column| self.cell(*column, item, run))
                    .collect(),
            );
        }
        for item in self.items.iter().filter(|item| item.runs.is_empty()) {
            let (when, why) = match (&item.error, &item.never) {
                (Some(error), _) => ("invalid", error.to_string()),
                (None, Some(never)) => ("never", never.to_string()),
                (None, None) => ("none", "no run in this window".to_owned()),
            };
            table.push(row_without_run(&columns, &item.subject, when, &why));
        }
        table.write(out, with_headings)
    }

    fn columns(&self, wide: bool) -> Vec<Column> {
        let subjects = || self.items.iter().map(|item| &item.subject);
        let mut columns = vec![Column::Local, Column::In];
        if subjects().any(|subject| subject.namespace.is_some()) {
            columns.push(Column::Namespace);
        }
        if subjects().any(|subject| subject.other_kind().is_some()) {
            columns.push(Column::Kind);
        }
        if subjects().any(|subject| subject.name.is_some()) {
            columns.push(Column::Name);
        }
        if wide {
            columns.extend([Column::Utc, Column::Schedule]);
        }
        let remarkable = |item: &Upcoming| {
            item.subject.suspended
                || item.runs.is_empty()
                || item.runs.iter().any(|run| !run.notes.is_empty())
        };
        if self.items.iter().any(remarkable) {
            columns.push(Column::Note);
        }
        columns
    }

    fn cell(&self, column: Column, item: &Upcoming, run: &UpcomingRun) -> Cell {
        match column {
            Column::Utc => run.scheduled_time.to_string().into(),
            Column::In => distance(self.now, run.scheduled_time).into(),
            Column::Local => {
                let zone = self.display_zone.as_ref().unwrap_or(&item.zone);
                duration::local_time(run.scheduled_time, zone.time_zone(), zone.name()).into()
            }
            Column::Note => {
                let suspended = item.subject.suspended.then_some("suspended");
                let notes: Vec<&str> = suspended
                    .into_iter()
                    .chain(run.notes.iter().map(String::as_str))
                    .collect();
                Cell::new(notes.join("; "), Meaning::Odd)
            }
            Column::Namespace | Column::Kind | Column::Name | Column::Schedule => {
                column.of(&item.subject)
            }
        }
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
                &run.notes.join("; "),
                subject.kind.map_or("", SubjectKind::name),
            ];
            csv::record(out, values)?;
        }
        Ok(())
    }

    /// A calendar. Suspended CronJobs will not run and are left out.
    pub(crate) fn ics(&self, out: &mut dyn Write) -> io::Result<()> {
        let running = merged(self.items)
            .into_iter()
            .filter(|(item, _)| !item.subject.suspended);
        let events = running.map(|(item, run)| {
            let subject = &item.subject;
            let who = full_name(subject).unwrap_or_else(|| subject.schedule.clone());
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
        ics::calendar(out, self.now, events)
    }

    /// The names, each once, in the order of their next run.
    pub(crate) fn names(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut seen = std::collections::HashSet::new();
        for (item, _) in merged(self.items) {
            let subject = &item.subject;
            let Some(name) = &subject.name else { continue };
            let other = subject.other_kind();
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Local,
    In,
    Utc,
    Namespace,
    Kind,
    Name,
    Schedule,
    Note,
}

impl Column {
    fn heading(self) -> &'static str {
        match self {
            Column::Local => "LOCAL TIME",
            Column::In => "IN",
            Column::Utc => "UTC",
            Column::Namespace => "NAMESPACE",
            Column::Kind => "KIND",
            Column::Name => "NAME",
            Column::Schedule => "SCHEDULE",
            Column::Note => "NOTE",
        }
    }

    /// What a column says of the subject itself.
    fn of(self, subject: &Subject) -> Cell {
        let text = match self {
            Column::Namespace => subject.namespace.as_deref(),
            Column::Kind => subject.kind.map(SubjectKind::name),
            Column::Name => subject.name.as_deref(),
            Column::Schedule => Some(subject.schedule.as_str()),
            _ => None,
        };
        let cell = Cell::from(text.unwrap_or("<none>"));
        match self {
            Column::Schedule => cell.within(SCHEDULE),
            _ => cell,
        }
    }
}

fn row_without_run(columns: &[Column], subject: &Subject, when: &str, why: &str) -> Vec<Cell> {
    let cell = |column: &Column| match column {
        Column::Local => Cell::new(when, Meaning::Odd),
        Column::Note => Cell::new(why, Meaning::Odd),
        column => column.of(subject),
    };
    columns.iter().map(cell).collect()
}

fn full_name(subject: &Subject) -> Option<String> {
    let name = subject.name.as_deref()?;
    let kind = subject.other_kind();
    let kind = kind.map_or_else(String::new, |kind| format!("{} ", kind.name));
    Some(match &subject.namespace {
        Some(namespace) => format!("{kind}{namespace}/{name}"),
        None => format!("{kind}{name}"),
    })
}

fn distance(now: Timestamp, at: Timestamp) -> String {
    let seconds = at.as_second() - now.as_second();
    if seconds < 0 {
        format!("{} ago", duration::human(-seconds))
    } else {
        duration::human(seconds)
    }
}
