//! A history for a person at a terminal.

use std::io::{self, Write};

use jiff::Timestamp;

use super::trend::trend;
use super::{Header, Item};
use crate::duration::human;
use crate::history::{Basis, Entry, Reason, Run, RunResult, Spread, Status};
use crate::output::lines::{entry, heading, paragraph};
use crate::output::style::{Meaning, styled};
use crate::output::table::{Cell, Table, printable};

/// Writes what became of the slots of one `CronJob`.
pub fn text(
    out: &mut dyn Write,
    header: &Header,
    item: &Item<'_>,
    wide: bool,
    with_headings: bool,
) -> io::Result<()> {
    let cron_job = item.facts.cron_job;
    let name = printable(&format!("{}/{}", cron_job.namespace, cron_job.name));
    writeln!(out, "{}", styled(Meaning::Strong, &name))?;
    summary(out, item)?;
    let view = View {
        item,
        now: header.now,
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
    let basis = match history.basis {
        _ if history.omitted > 0 => {
            let all = history.summary.slots + history.omitted;
            format!(
                ": the last {} of {all} slots (--since shows more)",
                history.summary.slots
            )
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
    Some(format!(
        "{p50} in the middle (p50), p95 {p95}, {max} at most"
    ))
}

/// The tables of one `CronJob`.
struct View<'a> {
    item: &'a Item<'a>,
    now: Timestamp,
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
            row.push(status(entry.status));
            match &entry.run {
                Some(run) => row.extend(self.run(run, entry.reason.as_ref())),
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
            cells.push(Cell::spanning(
                reason.map_or("", |reason| &reason.detail),
                Meaning::Plain,
            ));
        } else {
            let reason = reason.map_or("", |reason| short(reason));
            cells.push(Cell::spanning(reason, Meaning::Plain));
        }
        cells
    }

    /// The cells after the status, where there is none: a sentence across them.
    fn no_run(&self, entry: &Entry, last: Option<Timestamp>) -> Vec<Cell> {
        let reason = entry.reason.as_ref();
        let why = reason.map_or("", |reason| {
            if self.wide {
                &reason.detail
            } else {
                reason.code
            }
        });
        let text = match last {
            Some(last) => format!("{} slots to {last}: {why}", entry.count()),
            None => why.to_owned(),
        };
        let columns = if self.wide { 7 } else { 4 };
        let mut cells = vec![Cell::spanning(text, Meaning::Plain)];
        cells.resize_with(columns, || "".into());
        cells
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
        for reason in of_slots.chain(of_strays) {
            if told.len() < MOST_REASONS && !told.contains(&reason) {
                told.push(reason);
            }
        }
        if self.wide || told.is_empty() {
            return Ok(());
        }
        heading(out, "Why")?;
        for reason in told {
            let text = format!("{}: {}", short(reason), reason.detail);
            paragraph(out, 2, &printable(&text))?;
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
                let seconds = self.now.as_second() - started.as_second();
                format!("{}+", human(seconds.max(0)))
            }
            _ => NONE.to_owned(),
        }
    }
}

/// More reasons than these are in the documents, and in the wide table.
const MOST_REASONS: usize = 12;

const NONE: &str = "<none>";

/// The word for a reason in a narrow column. For a failure it is the Job's own.
fn short(reason: &Reason) -> &str {
    match reason.detail.split_once(": ") {
        Some((own, _)) if reason.code == "jobFailed" => own,
        _ => reason.code,
    }
}

fn status(status: Status) -> Cell {
    match status {
        Status::OnTime => "on time".into(),
        Status::Late => Cell::new("late", Meaning::Odd),
        Status::Running => "running".into(),
        Status::Skipped => Cell::new("skipped", Meaning::Odd),
        Status::Unknown => Cell::new("unknown", Meaning::Faint),
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
