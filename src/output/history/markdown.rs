//! For a comment or a chat: a table of the CronJobs, and the runs of each folded.

use std::io::{self, Write};

use super::columns::HistoryRow;
use super::text::{View, percentiles_text, results_in_words, starts_in_words};
use crate::output::DocumentHeader;
use crate::output::columns::markdown_table;
use crate::output::markdown::{MarkdownPage, named, sentence, table};
use cronjob_diagnosis::history::CronJobHistory;
use cronjob_text::duration::local_time;
use cronjob_text::words::counted;

/// More entries of a `CronJob` are counted; the latest ones are shown.
const MOST_ENTRIES: usize = 50;

/// Writes the figures of each `CronJob`, and its runs.
pub(super) fn markdown<'a>(
    out: &mut dyn Write,
    header: &DocumentHeader,
    items: impl Iterator<Item = CronJobHistory<'a>>,
) -> io::Result<()> {
    let items = items.map(|item| (figures(&item), runs(&item)));
    let (figures, runs): (Vec<_>, Vec<_>) = items.unzip();
    let heading = match figures.len() {
        0 => "No CronJobs".to_owned(),
        count => format!("Past runs of {}", counted(count, "CronJob")),
    };
    let mut page = MarkdownPage::new(&heading);
    let headings = ["CronJob", "Window", "Runs", "Results", "Duration"];
    page.table(&headings, figures);
    page.details("Runs", runs);
    page.small_print(&header.in_words());
    page.write(out)
}

fn qualified_name(item: &CronJobHistory<'_>) -> String {
    let cron_job = &*item.facts.input.cron_job;
    named(&cron_job.namespace, &cron_job.name)
}

fn figures(item: &CronJobHistory<'_>) -> Vec<String> {
    let history = &item.history;
    if let Some(error) = &history.error {
        let error = sentence(&error.to_string());
        let empty = || String::new();
        return vec![qualified_name(item), error, empty(), empty(), empty()];
    }
    let zone = item.facts.display_zone();
    let since = local_time(history.since, zone.time_zone(), "");
    let until = local_time(history.until, zone.time_zone(), zone.name());
    let figures = &history.summary;
    let shown = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    vec![
        qualified_name(item),
        sentence(&format!("{since} to {until}")),
        shown(starts_in_words(figures)),
        shown(results_in_words(figures)),
        shown(percentiles_text(figures.duration_seconds)),
    ]
}

fn runs(item: &CronJobHistory<'_>) -> String {
    let history = &item.history;
    let view = &View::wide(item);
    let mut text = format!("\n{}\n", qualified_name(item));
    for note in &history.notes {
        text.push_str(&format!("\n{}\n", sentence(note)));
    }
    let entries = &history.runs.entries;
    let earlier = entries.len().saturating_sub(MOST_ENTRIES);
    let latest = entries.iter().skip(earlier);
    let rows = latest.filter_map(|entry| {
        let mut times = history.runs.times(entry);
        let first = times.next()?;
        let time = match times.next_back() {
            Some(last) => {
                let [first, last] = [first, last].map(|at| view.local(at));
                format!("{} from {first} to {last}", entry.count())
            }
            None => view.local(first),
        };
        Some(HistoryRow::of_entry(view, entry, first).shown_at(time))
    });
    if earlier > 0 {
        text.push_str(&format!("\n{earlier} earlier lines are not shown.\n"));
    }
    let (headings, rows) = markdown_table::<HistoryRow<'_>>(rows);
    text.push_str(&table(&headings, rows));
    let off_schedule = history
        .off_schedule
        .iter()
        .map(|stray| HistoryRow::of_stray(view, stray).shown_at(view.local(stray.scheduled_time)));
    let manual = history.manual.iter().map(|run| {
        let started = run.started_at.map(|at| view.local(at));
        HistoryRow::of_manual(view, run).shown_at(started.unwrap_or_default())
    });
    let (mut headings, rows) = markdown_table::<HistoryRow<'_>>(off_schedule.chain(manual));
    if let Some(time) = headings.first_mut() {
        *time = "Other Jobs";
    }
    text.push_str(&table(&headings, rows));
    let other_jobs = history.off_schedule.len() + history.manual.len();
    if entries.is_empty() && other_jobs == 0 && history.error.is_none() {
        text.push_str("\nNo runs in this window.\n");
    }
    text
}
