//! A history for a person at a terminal.

use std::io::{self, Write};

use jiff::Timestamp;

use super::Item;
use super::trend::trend;
use crate::diagnose::MissedCause;
use crate::duration::human;
use crate::history::{Basis, Entry, Reason, Run, RunResult, Spread, Status};
use crate::output::lines::{entry, heading, paragraph, title};
use crate::output::style::Meaning;
use crate::output::table::{Cell, Table};
use crate::printable::printable;

/// Writes what became of the slots of one `CronJob`.
pub fn text(
    out: &mut dyn Write,
    item: &Item<'_>,
    wide: bool,
    with_headings: bool,
) -> io::Result<()> {
    let cron_job = item.facts.cron_job;
    title(out, &format!("{}/{}", cron_job.namespace, cron_job.name))?;
    summary(out, item)?;
    let view = View {
        item,
        wide,
        with_headings,
    };
    view.slots(out)?;
    view.off_schedule(out)?;
    view.manual(out)?;
    view.reasons(out)
}

fn summary(out: &mut dyn Write, item: &Item<'_>) -> io::Result<()> {
    let history = &item.history;
    let spec = &item.facts.cron_job.spec;
    let timetable = item.facts.timetable.as_ref();
    let zone = timetable.and_then(|timetable| timetable.zone());
    let zone = zone.map_or_else(String::new, |zone| format!(" in {}", zone.name()));
    let schedule = printable(&format!("{}{zone}", spec.schedule));
    entry(out, "Schedule", &schedule)?;
    if let Some(trouble) = &history.trouble {
        return entry(out, "Error", &printable(&trouble.to_string()));
    }
    let shown = history.summary.slots;
    let basis = match history.basis {
        _ if history.omitted.is_none() => {
            format!(": the last {shown} slots (--since shows more)")
        }
        _ if history.omitted > Some(0) => {
            let all = history.omitted.unwrap_or_default() + shown;
            format!(": the last {shown} of {all} slots (--since shows more)")
        }
        Basis::OldestRun => ": from the oldest run on that is known".to_owned(),
        Basis::Creation => ": from its creation on".to_owned(),
        Basis::Asked | Basis::Nothing => String::new(),
    };
    let window = format!("{} to {}{basis}", history.since, history.until);
    entry(out, "Window", &window)?;
    let figures = &history.summary;
    let slots = [
        (figures.on_time, "on time"),
        (figures.late, "late"),
        (figures.backfilled, "backfilled"),
        (figures.running, "running"),
        (figures.skipped, "skipped"),
        (figures.unknown, "unknown"),
    ];
    let word = if figures.slots == 1 { "slot" } else { "slots" };
    let slots = listed(&slots).map_or_else(String::new, |slots| format!(": {slots}"));
    entry(out, "Slots", &format!("{} {word}{slots}", figures.slots))?;
    let results = [(figures.succeeded, "succeeded"), (figures.failed, "failed")];
    if let Some(results) = listed(&results) {
        entry(out, "Runs", &results)?;
    }
    for (label, spread) in [("Delay", figures.delay), ("Duration", figures.duration)] {
        if let Some(spread) = spread_text(spread) {
            entry(out, label, &spread)?;
        }
    }
    match figures.overlaps {
        0 => {}
        1 => entry(out, "Overlaps", "1 run began while another one ran")?,
        more => {
            let runs = format!("{more} runs began while another one ran");
            entry(out, "Overlaps", &runs)?;
        }
    }
    if let Some((line, meaning)) = trend(history) {
        entry(out, "Trend", &line)?;
        entry(out, "", &meaning)?;
    }
    for note in &history.notes {
        entry(out, "Note", &printable(note))?;
    }
    Ok(())
}

/// `3 on time, 1 late`; what there is none of is not mentioned.
fn listed(counts: &[(u64, &str)]) -> Option<String> {
    let some = counts.iter().filter(|(count, _)| *count > 0);
    let some: Vec<String> = some
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    (!some.is_empty()).then(|| some.join(", "))
}

fn spread_text(spread: Spread) -> Option<String> {
    let (p50, p95, max) = (human(spread.p50?), human(spread.p95?), human(spread.max?));
    Some(format!("p50 {p50}, p95 {p95}, max {max}"))
}

/// The tables of one `CronJob`.
struct View<'a> {
    item: &'a Item<'a>,
    wide: bool,
    with_headings: bool,
}

impl View<'_> {
    fn slots(&self, out: &mut dyn Write) -> io::Result<()> {
        let history = &self.item.history;
        if history.entries.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
        let mut table = Table::new(if self.wide {
            vec![
                "SLOT",
                "LOCAL TIME",
                "STATUS",
                "DELAY",
                "DURATION",
                "RESULT",
                "JOB",
                "STARTED",
                "FINISHED",
                "REASON",
            ]
        } else {
            vec!["SLOT", "STATUS", "DELAY", "DURATION", "RESULT", "REASON"]
        });
        for entry in &history.entries {
            let mut times = history.times(entry);
            let Some(first) = times.next() else { continue };
            let last = times.next_back();
            let mut row: Vec<Cell> = vec![first.to_string().into()];
            if self.wide {
                row.push(self.local(first).into());
            }
            match &entry.run {
                Some(run) => {
                    row.push(status(entry.status));
                    row.extend(self.run(run, entry.reason.as_ref()));
                }
                None => row.extend(self.no_run(entry, last)),
            }
            table.push(row);
        }
        table.write(out, self.with_headings)
    }

    /// The cells after the status, where there is a run.
    fn run(&self, run: &Run, reason: Option<&Reason>) -> Vec<Cell> {
        let mut cells = vec![
            delay(run.delay_seconds),
            self.duration(run).into(),
            result(run.result),
        ];
        if self.wide {
            cells.push(run.job_name.as_str().into());
            cells.push(time(run.started_at));
            cells.push(time(run.finished_at));
        }
        let why = reason.map_or("", |reason| self.why(reason));
        cells.push(Cell::spanning(why, Meaning::Plain));
        cells
    }

    /// The cells from the status on, where there is no run: a sentence across them.
    fn no_run(&self, entry: &Entry, last: Option<Timestamp>) -> Vec<Cell> {
        let (word, meaning) = worded(entry.status);
        let why = entry.reason.as_ref().map_or("", |reason| self.why(reason));
        let mut cells = match last {
            None => vec![
                Cell::new(word, meaning),
                Cell::spanning(why, Meaning::Plain),
            ],
            Some(last) => {
                let text = format!("{} {word} to {last}: {why}", entry.count());
                vec![Cell::spanning(text, meaning)]
            }
        };
        cells.resize_with(if self.wide { 8 } else { 5 }, || "".into());
        cells
    }

    fn why<'r>(&self, reason: &'r Reason) -> &'r str {
        if self.wide {
            &reason.detail
        } else {
            short(reason)
        }
    }

    fn off_schedule(&self, out: &mut dyn Write) -> io::Result<()> {
        let strays = &self.item.history.off_schedule;
        if strays.is_empty() {
            return Ok(());
        }
        heading(out, "Started for times that are no slots")?;
        let mut table = Table::new(if self.wide {
            vec![
                "TIME",
                "LOCAL TIME",
                "DELAY",
                "DURATION",
                "RESULT",
                "JOB",
                "STARTED",
                "FINISHED",
                "REASON",
            ]
        } else {
            vec!["TIME", "DELAY", "DURATION", "RESULT", "REASON"]
        });
        for stray in strays {
            let mut row: Vec<Cell> = vec![stray.scheduled_time.to_string().into()];
            if self.wide {
                row.push(self.local(stray.scheduled_time).into());
            }
            row.extend(self.run(&stray.run, Some(&stray.reason)));
            table.push(row);
        }
        table.write(out, self.with_headings)
    }

    fn manual(&self, out: &mut dyn Write) -> io::Result<()> {
        let runs = &self.item.history.manual;
        if runs.is_empty() {
            return Ok(());
        }
        heading(out, "Made by hand")?;
        let mut table = Table::new(["STARTED", "DURATION", "RESULT", "JOB"]);
        for run in runs {
            table.push(vec![
                time(run.started_at),
                self.duration(run).into(),
                result(run.result),
                run.job_name.as_str().into(),
            ]);
        }
        table.write(out, self.with_headings)
    }

    /// What the words of the table are based on; the wide one says so in each line.
    fn reasons(&self, out: &mut dyn Write) -> io::Result<()> {
        let history = &self.item.history;
        let of_slots = history
            .entries
            .iter()
            .filter_map(|entry| entry.reason.as_ref());
        let of_strays = history.off_schedule.iter().map(|stray| &stray.reason);
        let mut told: Vec<&Reason> = Vec::new();
        let mut more = false;
        for reason in of_slots.chain(of_strays) {
            if told.contains(&reason) {
                continue;
            }
            if told.len() == MOST_REASONS {
                more = true;
                break;
            }
            told.push(reason);
        }
        if self.wide || told.is_empty() {
            return Ok(());
        }
        heading(out, "Why")?;
        for reason in told {
            let text = format!("{}: {}", short(reason), reason.detail);
            paragraph(out, 2, &printable(&text))?;
        }
        if more {
            paragraph(out, 2, "and more: -o wide shows them beside their slots")?;
        }
        Ok(())
    }

    fn local(&self, at: Timestamp) -> String {
        let seconds = if at.as_second() % 60 == 0 { "" } else { ":%S" };
        self.item
            .local(at, &format!("%a %Y-%m-%d %H:%M{seconds} %Z"))
    }

    /// How long a run took; with a plus, how long it has been going.
    fn duration(&self, run: &Run) -> String {
        match (run.duration_seconds, run.result, run.started_at) {
            (Some(seconds), _, _) => human(seconds),
            (None, Some(RunResult::Running), Some(started)) => {
                let seconds = self.item.history.as_of.as_second() - started.as_second();
                format!("{}+", human(seconds.max(0)))
            }
            _ => NONE.to_owned(),
        }
    }
}

/// The word for a reason in a narrow column.
fn short(reason: &Reason) -> &str {
    if reason.code == MissedCause::Unknown.as_str() {
        "cause unknown"
    } else {
        reason.code
    }
}

/// More reasons than these are in the documents, and in the wide table.
const MOST_REASONS: usize = 12;

const NONE: &str = "<none>";

fn status(status: Status) -> Cell {
    let (word, meaning) = worded(status);
    Cell::new(word, meaning)
}

fn worded(status: Status) -> (&'static str, Meaning) {
    match status {
        Status::OnTime => ("on time", Meaning::Plain),
        Status::Late => ("late", Meaning::Odd),
        Status::Backfilled => ("backfilled", Meaning::Plain),
        Status::Running => ("running", Meaning::Plain),
        Status::Skipped => ("skipped", Meaning::Odd),
        Status::Unknown => ("unknown", Meaning::Faint),
    }
}

fn result(result: Option<RunResult>) -> Cell {
    match result {
        Some(RunResult::Failed) => Cell::new("failed", Meaning::Bad),
        Some(other) => other.as_str().into(),
        None => NONE.into(),
    }
}

fn delay(seconds: Option<i64>) -> Cell {
    seconds.map_or_else(|| NONE.to_owned(), human).into()
}

fn time(at: Option<Timestamp>) -> Cell {
    at.map_or_else(|| NONE.to_owned(), |at| at.to_string())
        .into()
}
