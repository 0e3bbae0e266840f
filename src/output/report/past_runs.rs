//! The past runs of one `CronJob`: counts, charts of how long and how late they were, and tables.

use jiff::Timestamp;
use maud::{Markup, html};

use super::explanation::utc;
use super::markup::{badge, folded, foreign, table, time};
use crate::output::history::{starts_in_words, worded};
use cronjob_diagnosis::history::{History, HistoryEntry, RecordedRun, RunResult};
use cronjob_text::duration::human;
use cronjob_text::words::counted_in_groups;

/// The most runs in charts and tables. The document has all.
const CHARTED: usize = 120;

pub(super) fn content(past: &History) -> Markup {
    html! {
        div {
            h3 { "History" }
            @if let Some(error) = &past.error {
                p { (foreign(&error.to_string())) }
            } @else {
                (scheduled(past))
                @let off_schedule: Vec<&RecordedRun> = past.off_schedule.iter().map(|one| &one.run).collect();
                (jobs("Runs outside the schedule", &off_schedule))
                (jobs("Manually created Jobs", &past.manual.iter().collect::<Vec<_>>()))
                @for note in &past.notes { p { (foreign(note)) } }
            }
        }
    }
}

fn scheduled(past: &History) -> Markup {
    let mut shown: Vec<(Timestamp, &HistoryEntry)> = past.runs.iter().rev().take(CHARTED).collect();
    shown.reverse();
    let total = past.summary.runs;
    html! {
        p {
            (counted_in_groups(total, "run")) " from " (utc(past.since)) " to " (utc(past.until))
            @if let Some(starts) = starts_in_words(&past.summary) { ": " (starts) }
            "."
        }
        @if past.runs.iter().nth(CHARTED).is_some() { p { "Showing the last " (CHARTED) "." } }
        @if !shown.is_empty() {
            // Without a run there is nothing to draw.
            @if shown.iter().any(|(_, entry)| entry.run.is_some()) {
                div class="columns" {
                    (chart("Durations", &shown, |run| run.duration_seconds))
                    (chart("Delays", &shown, |run| run.delay_seconds))
                }
            }
            (folded("Past runs as a table", &numbers(&shown)))
        }
    }
}

/// Scheduled times without a run, with the same status and reason, are one row.
fn numbers(shown: &[(Timestamp, &HistoryEntry)]) -> Markup {
    let alike = shown.chunk_by(|(_, one), (_, other)| std::ptr::eq(*one, *other));
    let rows = alike.filter_map(|alike| {
        let [(first, entry), later @ ..] = alike else {
            return None;
        };
        let run = entry.run.as_ref();
        let result = run.and_then(RecordedRun::known_result);
        Some(html! {
            tr {
                td { (time(*first)) @if let Some((last, _)) = later.last() { " to " (time(*last)) } }
                td {
                    span class={ "badge " (entry.known_status().as_str()) } {
                        @if !later.is_empty() { (alike.len()) " " }
                        (worded(entry).0)
                    }
                }
                td { (seconds(run.and_then(|run| run.delay_seconds))) }
                td { (seconds(run.and_then(|run| run.duration_seconds))) }
                td { @if let Some(result) = result { (badge(result.as_str())) } }
                td { @if let Some(reason) = entry.known_reason() { (foreign(&reason.detail)) } }
            }
        })
    });
    let rows = html! { @for row in rows { (row) } };
    let headings = [
        "Scheduled (UTC)",
        "Status",
        "Delay",
        "Duration",
        "Result",
        "Reason",
    ];
    table(
        "numbers",
        "Past runs, oldest first",
        &headings.map(|heading| (heading, false)),
        &rows,
    )
}

fn seconds(value: Option<i64>) -> String {
    value.map_or_else(String::new, human)
}

fn jobs(title: &str, jobs: &[&RecordedRun]) -> Markup {
    let rows = html! {
        @for job in jobs {
            tr {
                td { (foreign(&job.job_name)) }
                td { @if let Some(at) = job.started_at { (time(at)) } }
                td { (seconds(job.duration_seconds)) }
                td { @if let Some(result) = job.known_result() { (badge(result.as_str())) } }
            }
        }
    };
    let headings = ["Job", "Started (UTC)", "Duration", "Result"].map(|heading| (heading, false));
    html! {
        @if !jobs.is_empty() {
            h4 { (title) }
            (table("jobs", title, &headings, &rows))
        }
    }
}

const WIDTH: i64 = 560;
/// Above the highest bar is the sign of a failure.
const TOP: i64 = 12;
const GROUND: i64 = 90;

/// A bar for each run, oldest first. It is stretched to the width that there is, so its words are beside it.
fn chart(
    title: &str,
    runs: &[(Timestamp, &HistoryEntry)],
    value: fn(&RecordedRun) -> Option<i64>,
) -> Markup {
    let value = |entry: &HistoryEntry| entry.run.as_ref().and_then(value);
    let known = || runs.iter().filter_map(|(_, entry)| value(entry));
    let greatest = known().max();
    let range = known().min().zip(greatest).map_or_else(
        || "no data".to_owned(),
        |(least, greatest)| format!("from {} to {}", human(least), human(greatest)),
    );
    let count = i64::try_from(runs.len()).unwrap_or(1).max(1);
    let (first, last) = (runs.first(), runs.last().filter(|_| runs.len() > 1));
    let described = format!(
        "{title}: {}, {range}. The numbers are in the table below.",
        counted_in_groups(runs.len(), "run")
    );
    html! {
        figure {
            figcaption {
                (title) " " small { @if let Some(greatest) = greatest { "up to " (human(greatest)) } @else { "no data" } }
            }
            svg class="runs" viewBox={ "0 0 " (WIDTH) " " (GROUND) } preserveAspectRatio="none" role="img"
                aria-label=(described) {
                @for (place, (at, entry)) in (0..).zip(runs) {
                    // A few bars are not as wide as the chart.
                    @let (left, right) = ((place * WIDTH / count).min(place * 40), ((place + 1) * WIDTH / count).min((place + 1) * 40));
                    (bar(*at, entry, value(entry), greatest.unwrap_or(0), [left, (right - left) * 4 / 5]))
                }
                path class="ground" d={ "M0 " (GROUND) "h" (WIDTH) } {}
            }
            div class="ends" {
                @if let Some((at, _)) = first { span { (utc(*at)) } }
                @if let Some((at, _)) = last { span { (utc(*at)) } }
            }
        }
    }
}

fn bar(
    at: Timestamp,
    entry: &HistoryEntry,
    value: Option<i64>,
    greatest: i64,
    [left, width]: [i64; 2],
) -> Markup {
    let width = width.max(1);
    let has_failed =
        entry.run.as_ref().and_then(RecordedRun::known_result) == Some(RunResult::Failed);
    let (class, words) = if has_failed {
        ("failed", "failed")
    } else {
        (entry.known_status().as_str(), worded(entry).0)
    };
    let at = at.strftime("%Y-%m-%d %H:%M UTC");
    html! {
        g class=(class) data-seconds=[value] {
            title { (at) ": " (words) @if let Some(value) = value { ", " (human(value)) } }
            @if let Some(value) = value {
                // Even a short one can be seen.
                @let height = ((GROUND - TOP).saturating_mul(value.max(0)) / greatest.max(1)).max(2);
                @let top = GROUND - height;
                rect x=(left) y=(top) width=(width) height=(height) {}
                @if has_failed { path d={ "M" (left + width / 2 - 3) " " (top - 9) "l6 6m0-6l-6 6" } {} }
            } @else if class == "running" {
                rect x=(left) y=(GROUND - 20) width=(width) height="20" {}
            } @else {
                path d={ "M" (left) " " (GROUND - 3) "h" (width) } {}
            }
        }
    }
}
