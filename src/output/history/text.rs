//! The past runs of a `CronJob` as text.

use std::io::{self, Write};
use std::ops::RangeInclusive;

use jiff::Timestamp;

use super::columns::{HistoryRow, Shown, status_cell};
use crate::output::columns::{CellColumn, ListingColumn, table_of, text_columns, text_table};
use crate::output::explain::schedule_in_zone;
use crate::output::lines::{TextPage, line_width};
use crate::output::page_times::TimeColumn;
use crate::output::reliability::{in_words, percent, weeks};
use crate::output::scan;
use crate::output::style::Meaning;
use crate::output::table::{Cell, NONE, Table};
use cronjob_controller::controller::MissedCause;
use cronjob_diagnosis::diagnose::{NO_SUCCESS, local};
use cronjob_diagnosis::history::{
    CronJobHistory, History, HistoryEntry, HistorySummary, Percentiles, RecordedRun, Reliability,
    RunReason, RunResult, RunStatus, WindowBasis,
};
use cronjob_text::duration::{human, local_time};
use cronjob_text::printable::{printable, shortened};
use cronjob_text::text::LocalTime;
use cronjob_text::words::{counted, occurring};

/// Writes the past runs of one `CronJob`.
pub fn text(
    out: &mut dyn Write,
    item: &CronJobHistory<'_>,
    wide: bool,
    with_headings: bool,
) -> io::Result<()> {
    let facts = &item.facts;
    let mut page = TextPage::at(facts.input.now, facts.display_zone());
    page.title(&item.facts.input.cron_job.full_name());
    let reliability = Reliability::of(item);
    summary(&mut page, item, reliability.as_ref(), wide);
    if let Some(reliability) = reliability.filter(|one| one.weeks.len() > 1) {
        let weeks = weeks(&reliability, item.facts.display_zone());
        page.heading("Weeks").table(weeks, with_headings);
    }
    let view = View {
        item,
        wide,
        with_headings,
    };
    view.runs(&mut page);
    view.off_schedule(&mut page);
    view.manual(&mut page);
    view.reasons(&mut page);
    page.write(out)
}

fn summary(
    page: &mut TextPage,
    item: &CronJobHistory<'_>,
    reliability: Option<&Reliability>,
    wide: bool,
) {
    let history = &item.history;
    page.entry("Schedule", schedule_in_zone(&item.facts));
    if let Some(error) = &history.error {
        page.entry("Error", error.to_string());
        return;
    }
    let figures = &history.summary;
    let shown = figures.runs;
    if wide {
        let basis = match history.basis {
            WindowBasis::OldestRun => " (since the oldest known run)",
            WindowBasis::Creation => " (since the creation)",
            WindowBasis::Asked | WindowBasis::Nothing => "",
        };
        let zone = item.facts.display_zone().time_zone();
        let (since, until) = (
            LocalTime::new(history.since, zone, ""),
            local(&item.facts, history.until),
        );
        page.dated_entry("Window", &text!("{} to {}{}", since, until, basis));
    }
    let of = match history.omitted_runs {
        None => ", the last ones (--since shows more)".to_owned(),
        Some(0) => String::new(),
        Some(omitted) => format!(" of {} (--since shows more)", omitted + shown),
    };
    let starts = starts_in_words(figures).map_or_else(String::new, |starts| format!(": {starts}"));
    page.entry("Runs", format!("{shown}{of}{starts}"));
    let overlaps = (figures.overlaps > 0).then(|| {
        let runs = counted(figures.overlaps, "run");
        format!("{runs} started while another was running")
    });
    for (label, text) in [
        ("Results", results_in_words(figures)),
        ("Reliability", reliability.map(in_words)),
        (
            "Delay",
            percentiles_text(figures.delay_seconds).filter(|_| wide),
        ),
        (
            "Duration",
            percentiles_text(figures.duration_seconds).filter(|_| wide),
        ),
        ("Overlaps", overlaps),
    ] {
        if let Some(text) = text {
            page.entry(label, text);
        }
    }
    if let Some((line, meaning)) = trend(history) {
        page.entry("Trend", line);
        if wide {
            page.entry("", meaning);
        }
    }
    for note in &history.notes {
        page.entry("Note", note);
    }
}

/// `3 on time, 1 late`
pub(crate) fn starts_in_words(figures: &HistorySummary) -> Option<String> {
    joined(&occurring([
        (figures.on_time, "on time"),
        (figures.late, "late"),
        (figures.backfilled, "backfilled"),
        (figures.running, "running"),
        (figures.waiting, "waiting"),
        (figures.pending, "pending"),
        (figures.skipped, "skipped"),
        (figures.unknown, "unknown"),
    ]))
}

/// `3 succeeded, 1 failed`
pub(super) fn results_in_words(figures: &HistorySummary) -> Option<String> {
    joined(&occurring([
        (figures.succeeded, "succeeded"),
        (figures.failed, "failed"),
    ]))
}

fn joined(counts: &[String]) -> Option<String> {
    (!counts.is_empty()).then(|| counts.join(", "))
}

/// `p50 2s, p95 1m10s, max 3m`
pub(crate) fn percentiles_text(percentiles: Percentiles) -> Option<String> {
    let (p50, p95, max) = (
        human(percentiles.p50?),
        human(percentiles.p95?),
        human(percentiles.max?),
    );
    Some(format!("p50 {p50}, p95 {p95}, max {max}"))
}

/// Writes a line for each `CronJob`.
pub(super) fn overview<'a>(
    out: &mut dyn Write,
    items: impl Iterator<Item = CronJobHistory<'a>>,
    (is_recorded, with_headings): (bool, bool),
) -> io::Result<()> {
    let mut columns: Vec<CellColumn<'_, CronJobHistory<'a>>> = vec![
        ("NAMESPACE", &|it| {
            (&it.facts.input.cron_job.namespace).into()
        }),
        ("NAME", &|it| (&it.facts.input.cron_job.name).into()),
        ("RUNS", &|it| it.history.summary.runs.to_string().into()),
        ("SUCCEEDED", &|it| {
            it.history.summary.succeeded.to_string().into()
        }),
        ("FAILED", &|it| {
            Cell::count(&it.history.summary.failed, Meaning::Bad)
        }),
        ("SKIPPED", &|it| {
            it.history.summary.skipped.to_string().into()
        }),
        ("LAST", &last),
    ];
    let reliability = |item: &CronJobHistory<'_>| {
        let percent = Reliability::of(item).and_then(|one| percent(one.figures.runs));
        percent.unwrap_or_else(|| "-".to_owned()).into()
    };
    // Without a recorder, too little is left of the runs to tell.
    if is_recorded {
        columns.push(("RELIABILITY", &reliability));
    }
    table_of(items, &columns).write(out, with_headings)
}

/// What happened to the last run, and when it was due: `failed 3h ago`
fn last(item: &CronJobHistory<'_>) -> Cell {
    let now = item.facts.input.now;
    let Some((at, entry)) = item.history.runs.iter().next_back() else {
        return scan::NEVER.into();
    };
    let result = entry.run.as_ref().and_then(RecordedRun::known_result);
    let (word, meaning) = match result {
        Some(RunResult::Failed) => (RunResult::Failed.as_str(), Meaning::Bad),
        Some(result) => (result.as_str(), Meaning::Plain),
        None => worded(entry),
    };
    let ago = human((now.as_second() - at.as_second()).max(0));
    Cell::new(format!("{word} {ago} ago"), meaning)
}

/// The tables of one `CronJob`.
pub(super) struct View<'a> {
    pub item: &'a CronJobHistory<'a>,
    pub wide: bool,
    pub with_headings: bool,
}

impl<'a> View<'a> {
    /// With everything that is known.
    pub(super) fn wide(item: &'a CronJobHistory<'a>) -> Self {
        View {
            item,
            wide: true,
            with_headings: true,
        }
    }

    fn runs(&self, page: &mut TextPage) {
        let history = &self.item.history;
        if history.runs.entries.is_empty() {
            return;
        }
        let columns = text_columns::<HistoryRow<'_>>(|shown| shown != Shown::Wide || self.wide);
        let mut table = Table::new(columns.iter().map(|column| column.heading()));
        let mut column = self.column();
        for entry in &history.runs.entries {
            let mut times = history.runs.times(entry);
            let Some(first) = times.next() else { continue };
            let last = times.next_back();
            let row = HistoryRow::of_entry(self, entry, first);
            let row = row.shown_at(self.time_below(&mut column, first));
            table.push(match &entry.run {
                Some(_) => columns.iter().map(|column| column.cell_of(&row)).collect(),
                None => self.no_run(&columns, &row, entry, first..=last.unwrap_or(first)),
            });
        }
        page.blank().table(table, self.with_headings);
    }

    /// The time of a row. The narrow table does not repeat the day.
    fn time_below(&self, column: &mut TimeColumn, at: Timestamp) -> String {
        if self.wide {
            self.local(at)
        } else {
            column.next(at)
        }
    }

    fn column(&self) -> TimeColumn {
        TimeColumn::in_zone(self.item.facts.display_zone())
    }

    /// Why a run was late, or did not succeed.
    pub(super) fn why_of_run(&self, run: &RecordedRun, reason: Option<&RunReason>) -> String {
        let reason = reason.filter(|reason| self.wide || is_worth_saying(run, reason));
        let why = reason.map(|reason| self.why(reason));
        let awaited = run.awaited.as_ref().filter(|_| self.wide);
        let why = why.or_else(|| awaited.map(ToString::to_string));
        let template = (self.wide && run.has_new_template).then(|| "new Job template".to_owned());
        let both: Vec<String> = why.into_iter().chain(template).collect();
        both.join("; ")
    }

    /// The cells of scheduled times without a run: the reason of one, or of several a sentence from the status on.
    fn no_run(
        &self,
        columns: &[&ListingColumn<HistoryRow<'static>>],
        row: &HistoryRow<'_>,
        entry: &HistoryEntry,
        times: RangeInclusive<Timestamp>,
    ) -> Vec<Cell> {
        let is_before = |column: &&&ListingColumn<HistoryRow<'static>>| {
            column.shown() != Some(Shown::IfScheduled)
        };
        let before = columns.iter().take_while(is_before);
        let mut cells: Vec<Cell> = before.map(|column| column.cell_of(row)).collect();
        let why = entry.known_reason();
        let why = why.map_or_else(String::new, |reason| self.why(reason));
        if times.start() == times.end() {
            cells.push(status_cell(row));
            cells.resize_with(columns.len().saturating_sub(1), || "".into());
            cells.push(Cell::spanning(why, Meaning::Plain));
        } else {
            // Below a row of the same day, its time is enough.
            let last = self.column().beside(*times.end(), *times.start());
            let (word, meaning) = worded(entry);
            let text = format!("{} {word}, last {last}: {why}", entry.count());
            cells.push(Cell::spanning(text, meaning));
        }
        cells.resize_with(columns.len(), || "".into());
        cells
    }

    fn why(&self, reason: &RunReason) -> String {
        if self.wide {
            reason.detail.to_string()
        } else {
            short(reason)
        }
    }

    fn off_schedule(&self, page: &mut TextPage) {
        let strays = &self.item.history.off_schedule;
        if strays.is_empty() {
            return;
        }
        let columns = text_columns::<HistoryRow<'_>>(|shown| match shown {
            Shown::Always => true,
            Shown::IfScheduled => false,
            Shown::Wide => self.wide,
        });
        let mut column = self.column();
        let rows = strays.iter().map(|stray| {
            let time = self.time_below(&mut column, stray.scheduled_time);
            HistoryRow::of_stray(self, stray).shown_at(time)
        });
        let table = text_table(&columns, rows);
        let page = page.heading("Runs outside the schedule");
        page.table(table, self.with_headings);
    }

    fn manual(&self, page: &mut TextPage) {
        let runs = &self.item.history.manual;
        if runs.is_empty() {
            return;
        }
        let mut table = Table::new(["STARTED", "DURATION", "RESULT", "JOB"]);
        let mut column = self.column();
        for run in runs {
            let started = match run.started_at {
                Some(at) if !self.wide => column.next(at).into(),
                at => Cell::or_none(at.map(|at| at.to_string())),
            };
            table.push(vec![
                started,
                self.duration(run).into(),
                self.result(run),
                run.job_name.as_str().into(),
            ]);
        }
        let page = page.heading("Manually created Jobs");
        page.table(table, self.with_headings);
    }

    /// A line for each reason; the wide table has them in full in each line.
    fn reasons(&self, page: &mut TextPage) {
        let history = &self.item.history;
        let entries = history.runs.entries.iter();
        let is_said = |run: Option<&RecordedRun>, reason: &RunReason| {
            run.is_none_or(|run| is_worth_saying(run, reason))
        };
        let of_runs = entries.filter_map(|entry| {
            let reason = entry.known_reason();
            reason.filter(|reason| is_said(entry.run.as_ref(), reason))
        });
        let of_strays = history.off_schedule.iter();
        let of_strays = of_strays.filter(|stray| is_said(Some(&stray.run), &stray.reason));
        let of_strays = of_strays.map(|stray| &stray.reason);
        // Reasons of the same kind differ only in times and names of Jobs.
        let mut kinds: Vec<(String, &RunReason, usize)> = Vec::new();
        for reason in of_runs.chain(of_strays) {
            let word = short(reason);
            match kinds.iter_mut().find(|(known, ..)| *known == word) {
                Some((_, _, times)) => *times += 1,
                None => kinds.push((word, reason, 1)),
            }
        }
        if self.wide || kinds.is_empty() {
            return;
        }
        page.heading("Reasons");
        for (word, reason, times) in kinds {
            let several = if times > 1 {
                format!(" ({times} runs)")
            } else {
                String::new()
            };
            let detail = &reason.detail;
            let before = detail.strip_suffix(&*word);
            let text = if before.is_some_and(|before| before.is_empty() || before.ends_with(' ')) {
                text!("{}{}", detail, several)
            } else {
                text!("{}{}: {}", word, several, detail)
            };
            let text = printable(&page.shortened(&text));
            page.line(format_args!("  {}", shortened(&text, line_width() - 2)));
        }
    }

    /// A time in the time zone of the schedule, which is shown above the table.
    pub(super) fn local(&self, at: Timestamp) -> String {
        local_time(at, self.item.facts.display_zone().time_zone(), "")
    }

    pub(super) fn result(&self, run: &RecordedRun) -> Cell {
        match self.result_in_words(run) {
            None if run.is_unsuccessful => Cell::new(NO_SUCCESS, Meaning::Bad),
            None => NONE.into(),
            Some(words) if run.result == Some(RunResult::Failed) => Cell::new(words, Meaning::Bad),
            Some(words) => words.into(),
        }
    }

    /// `failed`, or `failed, ending for 3m`; `None` if it is not known, or nothing has run yet.
    pub(super) fn result_in_words(&self, run: &RecordedRun) -> Option<String> {
        let word = run.known_result()?.as_str();
        let Some(since) = run.ending_since else {
            return Some(word.to_owned());
        };
        let seconds = self.item.history.as_of.as_second() - since.as_second();
        Some(format!("{word}, ending for {}", human(seconds.max(0))))
    }

    /// How long a run took; with a plus, how long it has been going.
    pub(super) fn duration(&self, run: &RecordedRun) -> String {
        let result = run.result.filter(|_| run.silence.is_none());
        match (run.duration_seconds, result, run.started_at) {
            (Some(seconds), _, _) => human(seconds),
            (None, Some(RunResult::Running), Some(started)) => {
                let seconds = self.item.history.as_of.as_second() - started.as_second();
                format!("{}+", human(seconds.max(0)))
            }
            _ => NONE.to_owned(),
        }
    }
}

/// How a success is known is nothing to act on.
fn is_worth_saying(run: &RecordedRun, reason: &RunReason) -> bool {
    run.result != Some(RunResult::Succeeded) || !reason.is_known_from_events()
}

/// That a run is known from events, because its Job was deleted.
const DELETED_SINCE: &str = "deleted since";

/// The word for a reason in a narrow column.
fn short(reason: &RunReason) -> String {
    if reason.is_known_from_events() {
        return DELETED_SINCE.to_owned();
    }
    if reason.code.as_ref() == MissedCause::Unknown.as_str() {
        return MissedCause::Unknown.in_words().to_owned();
    }
    let mut words = String::new();
    for character in reason.code.chars() {
        if character.is_ascii_uppercase() {
            words.push(' ');
        }
        words.push(character.to_ascii_lowercase());
    }
    let words = words.split(' ').map(|word| match word {
        "job" => "Job",
        "jobs" => "Jobs",
        word => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

pub(crate) fn worded(entry: &HistoryEntry) -> (&'static str, Meaning) {
    match entry.known_status() {
        RunStatus::OnTime => ("on time", Meaning::Plain),
        RunStatus::Late => ("late", Meaning::Odd),
        RunStatus::Backfilled => ("backfilled", Meaning::Plain),
        RunStatus::Running => ("running", Meaning::Plain),
        RunStatus::Waiting => ("waiting", Meaning::Plain),
        RunStatus::Pending => ("pending", Meaning::Plain),
        RunStatus::Skipped => ("skipped", Meaning::Odd),
        RunStatus::Unknown => ("unknown", Meaning::Faint),
    }
}

/// How many runs fit in a line.
const LENGTH: usize = 60;

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

const FAILED: char = 'x';
const RUNNING: char = '>';
const WAITING: char = '~';
const SKIPPED: char = '-';
const UNKNOWN: char = '?';
/// It ran, and its duration or its end is not known.
const RAN: char = '.';

/// The line, oldest first, and the meaning of its marks.
fn trend(history: &History) -> Option<(String, String)> {
    let mut last: Vec<&HistoryEntry> = history
        .runs
        .iter()
        .rev()
        .take(LENGTH)
        .map(|(_, entry)| entry)
        .collect();
    last.reverse();
    if last.is_empty() {
        return None;
    }
    let durations = last.iter().filter_map(|entry| duration(entry));
    let longest = durations.max().unwrap_or(0);
    let line: String = last.iter().map(|entry| mark(entry, longest)).collect();
    let mut meanings = Vec::new();
    if line.contains(BARS) {
        meanings.push(format!("bar height: duration (max {})", human(longest)));
    }
    let marks = [
        (FAILED, "failed"),
        (RUNNING, "running"),
        (WAITING, "waiting or pending"),
        (SKIPPED, "skipped"),
        (UNKNOWN, "unknown"),
        (RAN, "ran, duration unknown"),
    ];
    for (mark, meaning) in marks {
        if line.contains(mark) {
            meanings.push(format!("{mark} {meaning}"));
        }
    }
    Some((line, meanings.join("; ")))
}

/// How long a run took that did not fail.
fn duration(entry: &HistoryEntry) -> Option<i64> {
    let run = entry.run.as_ref()?;
    run.duration_seconds
        .filter(|_| run.result == Some(RunResult::Succeeded))
}

fn mark(entry: &HistoryEntry, longest: i64) -> char {
    let result = entry.run.as_ref().and_then(RecordedRun::known_result);
    match (result, entry.known_status()) {
        (Some(RunResult::Failed), _) => FAILED,
        (Some(RunResult::Running), _) => RUNNING,
        (Some(RunResult::Succeeded), _) => duration(entry).map_or(RAN, |took| bar(took, longest)),
        (None, RunStatus::Waiting | RunStatus::Pending) => WAITING,
        (None, RunStatus::Skipped) => SKIPPED,
        (None, RunStatus::Unknown) => UNKNOWN,
        (None, _) => RAN,
    }
}

/// The longest is as high as a line, one that took no time as low as can be seen.
fn bar(took: i64, longest: i64) -> char {
    let steps = i128::from(took) * 8;
    let height = steps.checked_div(i128::from(longest)).unwrap_or(0);
    let index = usize::try_from(height - 1).unwrap_or(0);
    BARS.get(index).copied().unwrap_or('█')
}

#[cfg(test)]
mod tests {
    use super::bar;

    #[test]
    fn bars_grow_with_the_duration() {
        assert_eq!(bar(0, 0), '▁');
        assert_eq!(bar(0, 100), '▁');
        assert_eq!(bar(50, 100), '▄');
        assert_eq!(bar(100, 100), '█');
        assert_eq!(bar(i64::MAX, i64::MAX), '█');
    }
}
