//! The coming runs, in every format.

use std::io::{self, Write};
use std::sync::Arc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::controller::ControllerDocument;
use super::meaning::MeaningDocument;
use super::style::Meaning;
use super::table::{Cell, SCHEDULE, Table};
use super::{csv, ics};
use crate::duration;
use crate::output::envelope::{Body, Envelope};
use crate::printable::printable;
use crate::schedule::Zone;
use crate::upcoming::{Problem, Run, Subject, Upcoming, merged};

/// The coming runs of several subjects, and of those for which nothing can be said, why.
pub struct NextRuns<'a> {
    /// The moment taken for now.
    pub now: Timestamp,
    /// Runs later than this were asked for.
    pub from: Timestamp,
    /// The controller that they were computed for.
    pub controller: ControllerDocument,
    /// The subjects whose runs are known.
    pub items: &'a [Upcoming],
    /// The others.
    pub problems: &'a [(Subject, Problem)],
    /// The zone to show local times in, where it is not each schedule's own.
    pub display_zone: Option<Arc<Zone>>,
}

/// When schedules run next: `next-runs -o json`.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "NextRuns")]
#[serde(rename_all = "camelCase")]
pub struct Document<'a> {
    /// The controller that is modelled.
    controller: &'a ControllerDocument,
    /// The coming runs of each schedule.
    items: Vec<Item<'a>>,
}

impl Body for Document<'_> {
    const KIND: &'static str = "NextRuns";
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "NextRunsOf")]
#[serde(rename_all = "camelCase")]
struct Item<'a> {
    /// The namespace of the `CronJob`; null for a schedule without one.
    namespace: Option<&'a str>,
    /// Its name; null for a schedule without one.
    name: Option<&'a str>,
    /// The schedule.
    schedule: &'a str,
    /// Its time zone.
    time_zone: Option<&'a str>,
    /// Whether the `CronJob` is suspended, so that none of them runs.
    suspended: bool,
    /// Runs after this moment.
    from: Timestamp,
    /// The runs.
    runs: Vec<RunDocument<'a>>,
    /// Whether there is no further run, as far as upstream searches.
    exhausted: bool,
    /// Why there is never any, where that is so.
    never: Option<String>,
    /// Why the controller cannot read it, in upstream's own words.
    error: Option<String>,
    /// What the schedule means, with `--explain`; left out without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<MeaningDocument>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "NextRun")]
#[serde(rename_all = "camelCase")]
struct RunDocument<'a> {
    /// When.
    scheduled_time: Timestamp,
    /// The same in local time.
    local_time: String,
    /// What is special about it.
    notes: &'a [String],
}

impl<'a> NextRuns<'a> {
    /// The machine-readable document.
    pub fn document(&'a self) -> Envelope<Document<'a>> {
        let known = self.items.iter().map(|item| Item {
            runs: item.runs.iter().map(|run| self.run(item, run)).collect(),
            exhausted: item.exhausted,
            never: item.never.as_ref().map(ToString::to_string),
            explanation: item.meaning.as_ref().map(MeaningDocument::from),
            ..self.item(&item.subject)
        });
        let unknown = self.problems.iter().map(|(subject, problem)| Item {
            error: Some(problem.to_string()),
            ..self.item(subject)
        });
        Document {
            controller: &self.controller,
            items: known.chain(unknown).collect(),
        }
        .into()
    }

    fn item(&self, subject: &'a Subject) -> Item<'a> {
        Item {
            namespace: subject.namespace.as_deref(),
            name: subject.name.as_deref(),
            schedule: &subject.schedule,
            time_zone: subject.time_zone.as_deref(),
            suspended: subject.suspended,
            from: self.from,
            runs: Vec::new(),
            exhausted: false,
            never: None,
            error: None,
            explanation: None,
        }
    }

    fn run(&self, item: &Upcoming, run: &'a Run) -> RunDocument<'a> {
        RunDocument {
            scheduled_time: run.at,
            local_time: self.local(item, run, "%Y-%m-%dT%H:%M:%S%:z"),
            notes: &run.notes,
        }
    }

    fn local(&self, item: &Upcoming, run: &Run, format: &str) -> String {
        let zone = self.display_zone.as_ref().unwrap_or(&item.zone);
        run.at
            .to_zoned(zone.time_zone().clone())
            .strftime(format)
            .to_string()
    }

    /// The table for people.
    pub fn table(&self, out: &mut dyn Write, wide: bool, with_headings: bool) -> io::Result<()> {
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
            let (when, why) = match &item.never {
                Some(never) => ("never", never.to_string()),
                None => ("none", "no run in the time asked for".to_owned()),
            };
            table.push(row_without_run(&columns, &item.subject, when, &why));
        }
        for (subject, problem) in self.problems {
            table.push(row_without_run(
                &columns,
                subject,
                "invalid",
                &problem.to_string(),
            ));
        }
        table.write(out, with_headings)
    }

    fn columns(&self, wide: bool) -> Vec<Column> {
        let subjects = || {
            self.items
                .iter()
                .map(|item| &item.subject)
                .chain(self.problems.iter().map(|p| &p.0))
        };
        let mut columns = vec![Column::When, Column::In, Column::Local];
        if subjects().any(|subject| subject.namespace.is_some()) {
            columns.push(Column::Namespace);
        }
        if subjects().any(|subject| subject.name.is_some()) {
            columns.push(Column::Name);
        }
        if wide {
            columns.extend([Column::Schedule, Column::Zone]);
        }
        let remarkable = |item: &Upcoming| {
            item.subject.suspended
                || item.runs.is_empty()
                || item.runs.iter().any(|run| !run.notes.is_empty())
        };
        if !self.problems.is_empty() || self.items.iter().any(remarkable) {
            columns.push(Column::Note);
        }
        columns
    }

    fn cell(&self, column: Column, item: &Upcoming, run: &Run) -> Cell {
        match column {
            Column::When => run.at.to_string().into(),
            Column::In => distance(self.now, run.at).into(),
            Column::Local => {
                let seconds = if run.at.as_second() % 60 == 0 {
                    ""
                } else {
                    ":%S"
                };
                self.local(item, run, &format!("%a %Y-%m-%d %H:%M{seconds} %Z"))
                    .into()
            }
            Column::Zone => {
                let zone = self.display_zone.as_ref().unwrap_or(&item.zone);
                zone.name().into()
            }
            Column::Note => {
                let suspended = item.subject.suspended.then_some("suspended");
                let notes: Vec<&str> = suspended
                    .into_iter()
                    .chain(run.notes.iter().map(String::as_str))
                    .collect();
                Cell::new(notes.join("; "), Meaning::Odd)
            }
            Column::Namespace | Column::Name | Column::Schedule => column.of(&item.subject),
        }
    }

    /// Comma-separated values with a line of headings.
    pub fn csv(&self, out: &mut dyn Write, with_headings: bool) -> io::Result<()> {
        if with_headings {
            let headings = [
                "namespace",
                "name",
                "schedule",
                "timeZone",
                "scheduledTime",
                "localTime",
                "suspended",
                "notes",
            ];
            csv::record(out, headings)?;
        }
        for (item, run) in merged(self.items) {
            let subject = &item.subject;
            let values = [
                subject.namespace.as_deref().unwrap_or_default(),
                subject.name.as_deref().unwrap_or_default(),
                &subject.schedule,
                subject.time_zone.as_deref().unwrap_or_default(),
                &run.at.to_string(),
                &self.local(item, run, "%Y-%m-%dT%H:%M:%S%:z"),
                if subject.suspended { "true" } else { "false" },
                &run.notes.join("; "),
            ];
            csv::record(out, values)?;
        }
        Ok(())
    }

    /// A calendar. Suspended CronJobs will not run and are left out.
    pub fn ics(&self, out: &mut dyn Write) -> io::Result<()> {
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
            ics::Event {
                uid: format!("{}/{who}@cronjob-doctor", run.at.as_second()),
                at: run.at,
                summary: who,
                description,
            }
        });
        ics::calendar(out, self.now, events)
    }

    /// The names, each once, in the order of their next run.
    pub fn names(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut seen = std::collections::HashSet::new();
        for (item, _) in merged(self.items) {
            let subject = &item.subject;
            let Some(name) = &subject.name else { continue };
            if seen.insert((&subject.namespace, name)) {
                writeln!(out, "cronjob.batch/{}", printable(name))?;
            }
        }
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    When,
    In,
    Local,
    Namespace,
    Name,
    Schedule,
    Zone,
    Note,
}

impl Column {
    fn heading(self) -> &'static str {
        match self {
            Column::When => "WHEN",
            Column::In => "IN",
            Column::Local => "LOCAL TIME",
            Column::Namespace => "NAMESPACE",
            Column::Name => "NAME",
            Column::Schedule => "SCHEDULE",
            Column::Zone => "TIMEZONE",
            Column::Note => "NOTE",
        }
    }

    /// What a column says of the subject itself.
    fn of(self, subject: &Subject) -> Cell {
        let text = match self {
            Column::Namespace => subject.namespace.as_deref(),
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
        Column::When => Cell::new(when, Meaning::Odd),
        Column::Note => Cell::new(why, Meaning::Odd),
        column => column.of(subject),
    };
    columns.iter().map(cell).collect()
}

fn full_name(subject: &Subject) -> Option<String> {
    let name = subject.name.as_deref()?;
    Some(match &subject.namespace {
        Some(namespace) => format!("{namespace}/{name}"),
        None => name.to_owned(),
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
