//! The upcoming runs, in every format.

mod calendar;

pub(crate) use calendar::end_of_calendar;

use std::io::{self, Write};
use std::sync::Arc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{Answer, Documented, Format, Formats, separated};
use super::columns::{Listing, ListingColumn, csv_columns, text_columns, write_table};
use super::contexts::{self, ContextAnswers};
use super::controller::ControllerDocument;
use super::envelope::{DocumentBody, Envelope};
use super::meaning;
use super::style::Meaning;
use super::table::{Cell, SCHEDULE};
use super::{csv, ics};
use cronjob_controller::kinds::{KindCatchUp, ScheduledKind};
use cronjob_controller::upcoming::{
    RunLimits, Subject, Upcoming, UpcomingRun, merged, with_offset,
};
use cronjob_text::duration::{from_now, local_time};
use cronjob_text::printable::printable;
use cronjob_text::text::Text;
use kube_cron::Zone;

/// The upcoming runs: `next-runs -o json`.
#[derive(Clone, JsonSchema, Serialize)]
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
    /// What reads the schedules: the controller, and its cron library.
    #[serde(skip)]
    pub(crate) reader: String,
    /// The span of time that was asked about.
    #[serde(skip)]
    pub(crate) limits: RunLimits,
}

impl DocumentBody for NextRuns<'_> {}

/// What `next-runs` found.
pub(crate) struct NextRunsAnswer<'a> {
    pub runs: ContextAnswers<NextRuns<'a>>,
    /// Whether the text explains each schedule.
    pub explains: bool,
    pub with_headings: bool,
}

impl Answer for NextRunsAnswer<'_> {
    fn formats() -> Formats<Self> {
        Formats::<Self>::text(|out, answer| answer.text(out, false))
            .and(Format::Wide, |out, answer| answer.text(out, true))
            .and_documents()
            .and(Format::Csv, |out, answer| {
                let (columns, headings) = (csv_columns::<RunRow<'_>>(), answer.with_headings);
                csv::write(out, &columns, &answer.runs, headings, |part, records| {
                    let mut runs = merged(part.items).into_iter();
                    runs.try_for_each(|(item, run)| {
                        let run = Some(run);
                        records.push(&RunRow { part, item, run })
                    })
                })
            })
            .and(Format::Ics, |out, answer| ics(out, &answer.parts()))
            .and(Format::Html, |out, answer| {
                calendar::html(out, &answer.parts())
            })
            .and(Format::Name, |out, answer| {
                let mut parts = answer.parts().into_iter();
                parts.try_for_each(|runs| runs.names(out))
            })
    }
}

impl Documented for NextRunsAnswer<'_> {
    fn document(&self) -> impl Serialize {
        self.runs.map(|_, runs| Envelope::from(runs))
    }
}

impl<'a> NextRunsAnswer<'a> {
    fn parts(&self) -> Vec<&NextRuns<'a>> {
        self.runs.each().map(|(_, runs)| runs).collect()
    }

    fn text(&self, out: &mut dyn Write, wide: bool) -> io::Result<()> {
        if self.explains {
            return contexts::sections(out, &self.runs, |out, runs| {
                runs.explained(out, wide, self.with_headings)
            });
        }
        let parts = self.parts();
        if parts.iter().all(|runs| runs.items.is_empty()) {
            return Ok(());
        }
        table(out, &parts, wide, self.with_headings)
    }
}

/// Writes a table of the runs of one context or of several.
fn table(
    out: &mut dyn Write,
    parts: &[&NextRuns<'_>],
    wide: bool,
    with_headings: bool,
) -> io::Result<()> {
    let columns = text_columns::<RunRow<'_>>(|is_shown| is_shown(&RunTable { parts, wide }));
    let runs = merged_parts(parts).into_iter();
    let runs = runs.map(|(part, item, run)| (part, item, Some(run)));
    let of_each = parts
        .iter()
        .map(|part| part.items.iter().map(|item| (*part, item, None)));
    let without = of_each
        .flatten()
        .filter(|(_, item, _)| item.runs.is_empty());
    let rows = runs.chain(without);
    let rows = rows.map(|(part, item, run)| RunRow { part, item, run });
    write_table(out, &columns, rows, with_headings)
}

/// A run, or a schedule without one.
struct RunRow<'a> {
    part: &'a NextRuns<'a>,
    item: &'a Upcoming,
    run: Option<&'a UpcomingRun>,
}

/// The table as a whole, on which it depends what is shown.
struct RunTable<'a> {
    parts: &'a [&'a NextRuns<'a>],
    wide: bool,
}

impl RunTable<'_> {
    fn has(&self, test: fn(&Upcoming) -> bool) -> bool {
        self.parts.iter().flat_map(|part| part.items).any(test)
    }
}

type Column = ListingColumn<RunRow<'static>>;

impl Listing for RunRow<'static> {
    type Row<'a> = RunRow<'a>;
    type Shown = fn(&RunTable<'_>) -> bool;
    const COLUMNS: &'static [Column] = &[
        Column::new(|it| it.part.context.into()).text("CONTEXT", |table| {
            table.parts.iter().any(|part| part.context.is_some())
        }),
        Column::new(|it| {
            let local = it.run.map(|run| with_offset(&run.local_time).to_string());
            local.into()
        })
        .cell(
            "LOCAL TIME",
            |_| true,
            |it| it.part.local_time(it.item, it.run),
        )
        .csv(5, "localTime"),
        Column::new(|it| {
            let wait = it.run.map(|run| from_now(it.part.now, run.scheduled_time));
            wait.map(|wait| wait.replace("in ", "")).into()
        })
        .text("IN", |_| true),
        Column::new(|it| it.item.subject.namespace.as_ref().into())
            .text("NAMESPACE", |table| {
                table.has(|item| item.subject.namespace.is_some())
            })
            .csv(0, "namespace"),
        Column::new(|it| it.item.subject.kind.into())
            .text("KIND", |table| {
                table.has(|item| item.subject.other_kind.is_some())
            })
            .csv(8, "kind"),
        Column::new(|it| it.item.subject.name.as_ref().into())
            .text("NAME", |table| {
                table.has(|item| item.subject.name.is_some())
            })
            .csv(1, "name"),
        Column::new(|it| it.run.map(|run| run.scheduled_time).into())
            .text("UTC", |table| table.wide)
            .csv(4, "scheduledTime"),
        Column::new(|it| (&it.item.subject.schedule).into())
            .cell(
                "SCHEDULE",
                |table| table.wide,
                |it| Cell::from(&it.item.subject.schedule).within(SCHEDULE),
            )
            .csv(2, "schedule"),
        Column::new(|it| it.item.subject.time_zone.as_ref().into()).csv(3, "timeZone"),
        Column::new(|it| it.item.subject.suspended.into()).csv(6, "suspended"),
        Column::new(|it| {
            it.run
                .map(|run| Text::join(&run.notes, "; ").to_string())
                .into()
        })
        .cell(
            "NOTE",
            |table| table.has(is_remarkable),
            |it| note(it.item, it.run),
        )
        .csv(7, "notes"),
    ];
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

    /// Writes for each CronJob the meaning of its schedule, and its runs.
    fn explained(&self, out: &mut dyn Write, wide: bool, with_headings: bool) -> io::Result<()> {
        let readable = self.items.iter().filter(|item| item.error.is_none());
        separated(out, readable, |out, item| {
            if let Some(meaning) = &item.meaning {
                let read_by = format!("{}, {}", self.reader, item.zone.name());
                meaning::text(out, &item.subject, &read_by, meaning)?;
                writeln!(out)?;
            }
            let alone = NextRuns {
                context: None,
                items: std::slice::from_ref(item),
                ..self.clone()
            };
            table(out, &[&alone], wide, with_headings)
        })
    }

    /// The names, each once, in the order of their next run.
    fn names(&self, out: &mut dyn Write) -> io::Result<()> {
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
fn ics(out: &mut dyn Write, parts: &[&NextRuns<'_>]) -> io::Result<()> {
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
        (None, Some(never)) => {
            let kind = item.subject.other_kind;
            let starts = kind
                .filter(|kind| kind.catch_up == KindCatchUp::One)
                .map(|kind| {
                    let ScheduledKind {
                        controller, starts, ..
                    } = kind;
                    format!(", so that {controller} starts a {starts} again and again")
                });
            ("never", format!("{never}{}", starts.unwrap_or_default()))
        }
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
