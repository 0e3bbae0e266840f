//! For a comment or a chat: a table of the CronJobs, and the runs of each folded.

use std::io::{self, Write};

use super::text::{View, percentiles_text, results_in_words, starts_in_words, worded};
use crate::duration::{human, local_time};
use crate::history::{CronJobHistory, HistoryEntry, RecordedRun, RunReason, RunResult};
use crate::output::DocumentHeader;
use crate::output::markdown::{MarkdownPage, code, emphasized, named, sentence, sentences, table};
use crate::words::counted;

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

fn called(item: &CronJobHistory<'_>) -> String {
    let cron_job = &*item.facts.input.cron_job;
    named(&cron_job.namespace, &cron_job.name)
}

fn figures(item: &CronJobHistory<'_>) -> Vec<String> {
    let history = &item.history;
    if let Some(error) = &history.error {
        let error = sentence(&error.to_string());
        let empty = || String::new();
        return vec![called(item), error, empty(), empty(), empty()];
    }
    let zone = item.facts.display_zone();
    let since = local_time(history.since, zone.time_zone(), "");
    let until = local_time(history.until, zone.time_zone(), zone.name());
    let figures = &history.summary;
    let shown = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    vec![
        called(item),
        sentence(&format!("{since} to {until}")),
        shown(starts_in_words(figures)),
        shown(results_in_words(figures)),
        shown(percentiles_text(figures.duration_seconds)),
    ]
}

fn runs(item: &CronJobHistory<'_>) -> String {
    let history = &item.history;
    let view = View {
        item,
        wide: true,
        with_headings: true,
    };
    let mut text = format!("\n{}\n", called(item));
    for note in &history.notes {
        text.push_str(&format!("\n{}\n", sentence(note)));
    }
    let entries = &history.runs.entries;
    let earlier = entries.len().saturating_sub(MOST_ENTRIES);
    let latest = entries.iter().skip(earlier);
    let rows = latest.map(|entry| of_entry(&view, entry));
    if earlier > 0 {
        text.push_str(&format!("\n{earlier} earlier lines are not shown.\n"));
    }
    let mut headings = [
        "Scheduled",
        "Status",
        "Delay",
        "Duration",
        "Result",
        "Job",
        "Reason",
    ];
    text.push_str(&table(&headings, rows));
    let off_schedule = history.off_schedule.iter().map(|stray| {
        let at = sentence(&view.local(stray.scheduled_time));
        of_run(&view, at, "not scheduled", &stray.run, Some(&stray.reason))
    });
    let manual = history.manual.iter().map(|run| {
        let at = run.started_at.map_or_else(String::new, |at| view.local(at));
        of_run(&view, sentence(&at), "manual", run, None)
    });
    headings[0] = "Other Jobs";
    text.push_str(&table(&headings, off_schedule.chain(manual)));
    let other_jobs = history.off_schedule.len() + history.manual.len();
    if entries.is_empty() && other_jobs == 0 && history.error.is_none() {
        text.push_str("\nNo runs in this window.\n");
    }
    text
}

fn of_entry(view: &View<'_>, entry: &HistoryEntry) -> Vec<String> {
    let mut times = view.item.history.runs.times(entry);
    let first = times.next().map_or_else(String::new, |at| view.local(at));
    let last = times.next_back().map(|at| view.local(at));
    let at = match last {
        Some(last) => format!("{} from {first} to {last}", entry.count()),
        None => first,
    };
    let (status, _) = worded(entry);
    if let Some(run) = &entry.run {
        return of_run(view, sentence(&at), status, run, entry.known_reason());
    }
    let reason = entry.known_reason();
    let mut cells = vec![sentence(&at), status.to_owned()];
    cells.resize(6, String::new());
    cells.push(reason.map_or_else(String::new, |reason| sentences(&reason.detail)));
    cells
}

fn of_run(
    view: &View<'_>,
    at: String,
    status: &str,
    run: &RecordedRun,
    reason: Option<&RunReason>,
) -> Vec<String> {
    let delay = run.delay_seconds.map_or_else(String::new, human);
    let result = view.result_in_words(run).unwrap_or_default();
    let result = emphasized(run.result == Some(RunResult::Failed), result);
    let duration = match run.started_at {
        Some(_) => sentence(&view.duration(run)),
        None => String::new(),
    };
    vec![
        at,
        status.to_owned(),
        delay,
        duration,
        result,
        code(&run.job_name),
        reason.map_or_else(String::new, |reason| sentences(&reason.detail)),
    ]
}
