//! A simulation as text.

use std::io::{self, Write};

use jiff::Timestamp;

use super::columns::SimulatedRow;
use super::timeline::{TimelineLine, timeline};
use super::{
    Assumptions, SimulatedCronJob, SimulationHeader, SimulationSubject, status_label, summary_line,
    writes,
};
use crate::output::columns::{table_of, text_columns, text_table};
use crate::output::lines::TextPage;
use crate::output::page_times::TimeColumn;
use crate::output::style::{Meaning, styled};
use crate::output::table::Cell;
use cronjob_controller::controller::Release;
use cronjob_controller::simulate::{
    ReleaseDifference, SimulatedRun, SimulatedStatus, Simulation, SimulationSummary,
};
use cronjob_text::duration::{exact, human};
use cronjob_text::printable::{printable, width};

/// More lines than these are in the documents.
const MAX_LINES: usize = 40;
const MAX_DIFFERENCES: usize = 20;
const FEW_DIFFERENCES: usize = 5;

/// Writes the simulation of one `CronJob`.
pub(super) fn text(
    out: &mut dyn Write,
    header: &SimulationHeader,
    item: &SimulatedCronJob,
    wide: bool,
) -> io::Result<()> {
    let Some((release, simulation)) = item.simulations.first() else {
        return Ok(());
    };
    let mut page = TextPage::default();
    page.title(&item.subject.name());
    summary(&mut page, header, &item.subject, simulation);
    if wide {
        let rows = SimulatedRow::all(&item.subject, *release, simulation);
        let table = text_table(&text_columns::<SimulatedRow<'_>>(|()| true), rows);
        if !simulation.runs.is_empty() {
            page.blank().table(table, true);
        }
    } else {
        let lines = timeline(&item.subject, &header.given, simulation);
        add_lines(&mut page, &item.subject, &lines);
    }
    if item.simulations.len() > 1 {
        comparison(&mut page, header, item);
        writes(&mut page, header, std::slice::from_ref(item));
    }
    page.write(out)
}

fn summary(
    page: &mut TextPage,
    header: &SimulationHeader,
    subject: &SimulationSubject,
    simulation: &Simulation,
) {
    let schedule = &subject.cron_job.spec.schedule;
    let zone = subject.zone.name();
    page.entry("Schedule", format!("{schedule} in {zone}"));
    page.entry("Controller", controller(header));
    let (from, to) = (simulation.from, simulation.to);
    let length = exact(to.as_second() - from.as_second());
    let (from, to) = (subject.day_and_time(from), subject.time_beside(to, from));
    page.entry("Period", format!("{from} to {to} {zone} ({length})"));
    assumptions(page, &header.given);
    page.entry("Result", summary_line(simulation));
    let pending = simulation.summary.pending;
    if pending > 0 {
        let text = format!("{pending} due at the end of the period, not synced yet");
        page.entry("Pending", text);
    }
}

/// What is assumed for all CronJobs.
pub(super) fn assumptions(page: &mut TextPage, given: &Assumptions) {
    page.entry("Jobs", format!("take {}", given.job_duration));
    if !given.changes.is_empty() {
        page.entry("What if", given.changes.join(", "));
    }
}

fn controller(header: &SimulationHeader) -> String {
    let then = header.given.upgrade.as_ref();
    let then = then.map_or_else(String::new, |upgrade| format!(", then {}", upgrade.release));
    format!("{}{then}", header.controller.release())
}

/// The timeline. A day is written only in its first line.
fn add_lines(page: &mut TextPage, subject: &SimulationSubject, lines: &[TimelineLine]) {
    if !lines.is_empty() {
        page.blank();
    }
    let mut column = TimeColumn::in_zone(&subject.zone);
    for line in lines.iter().take(MAX_LINES) {
        let lead = lead(&mut column, line.at);
        let what = styled(line.meaning, printable(&line.what));
        let text = format!("{what}{}", printable(&line.details));
        page.hanging(&lead, width(&lead), &text);
    }
    if let Some(line) = lines.get(MAX_LINES) {
        let more = lines.len() - MAX_LINES;
        let what = styled(Meaning::Faint, format!("{more} more lines"));
        let text = format!("{what} (use -o wide to show every run)");
        let lead = lead(&mut column, line.at);
        page.hanging(&lead, width(&lead), &text);
    }
}

/// What a line begins with: the time, and the day if it is not that of the line before.
fn lead(column: &mut TimeColumn, at: Timestamp) -> String {
    format!("  {:<25}", column.next(at))
}

fn comparison(page: &mut TextPage, header: &SimulationHeader, item: &SimulatedCronJob) {
    page.heading("Comparison");
    let sums = item.simulations.iter();
    let sums: Vec<_> = sums.map(|(release, one)| (*release, one.summary)).collect();
    summaries(page, header, &sums);
    if item.differences.is_empty() {
        page.blank().line("No differences in any run.");
        return;
    }
    page.heading("Differences");
    differences(page, header, item, false);
}

/// Adds the numbers of runs by version.
pub(super) fn summaries(
    page: &mut TextPage,
    header: &SimulationHeader,
    summaries: &[(Release, SimulationSummary)],
) {
    let bad = |count: u64| match count {
        0 => "0".into(),
        count => Cell::new(count.to_string(), Meaning::Bad),
    };
    let table = table_of(
        summaries,
        &[
            ("VERSION", &|(release, _)| header.version(*release).into()),
            ("STARTED", &|(_, sums)| sums.started.to_string().into()),
            ("LATE", &|(_, sums)| sums.late.to_string().into()),
            ("MISSED", &|(_, sums)| bad(sums.lost)),
            ("BLOCKED", &|(_, sums)| bad(sums.blocked)),
            ("UNSCHEDULED", &|(_, sums)| bad(sums.phantom)),
            ("NO EVENT", &|(_, sums)| sums.silent.to_string().into()),
            ("MAX DELAY", &|(_, sums)| {
                human(sums.max_delay_seconds.unwrap_or_default()).into()
            }),
        ],
    );
    page.table(table, true);
}

/// Adds the differences. Of one of many CronJobs only few are shown, and each is explained, as nothing else does.
pub(super) fn differences(
    page: &mut TextPage,
    header: &SimulationHeader,
    item: &SimulatedCronJob,
    is_one_of_many: bool,
) {
    let (most, help) = if is_one_of_many {
        (FEW_DIFFERENCES, "use -o wide or -o json to show all")
    } else {
        (MAX_DIFFERENCES, "use -o json to show all")
    };
    let differences = &item.differences.runs;
    let mut column = TimeColumn::in_zone(&item.subject.zone);
    for difference in differences.iter().take(most) {
        let lead = lead(&mut column, difference.first);
        let text = difference_text(header, item, difference, is_one_of_many);
        page.item(&lead, text);
    }
    if let Some(difference) = differences.get(most) {
        let more = differences.len() - most;
        let lead = lead(&mut column, difference.first);
        page.item(&lead, format!("{more} more ({help})"));
    }
    if item.differences.delays {
        let delays = item.simulations.iter().map(|(release, simulation)| {
            let delay = human(simulation.summary.max_delay_seconds.unwrap_or_default());
            format!("by up to {delay} {}", header.in_version(&[*release]))
        });
        let delays: Vec<String> = delays.collect();
        page.paragraph(2, format!("Runs start late {}.", delays.join(", ")));
    }
    if item.differences.hot_loops {
        let loops = item.simulations.iter();
        let loops = loops.filter(|(_, simulation)| !simulation.hot_loops.is_empty());
        let releases: Vec<Release> = loops.map(|(release, _)| *release).collect();
        let only = match header.given.upgrade {
            None => "only ",
            Some(_) => "",
        };
        let releases = header.in_version(&releases);
        let text = format!("The controller syncs in a loop, without a pause, {only}{releases}.");
        page.paragraph(2, text);
    }
}

/// `111 runs, the last at 10:20: missed in 1.17; late in 1.27.1 and 1.36`
fn difference_text(
    header: &SimulationHeader,
    item: &SimulatedCronJob,
    difference: &ReleaseDifference,
    with_reasons: bool,
) -> String {
    let mut groups: Vec<(Option<SimulatedStatus>, Vec<Release>)> = Vec::new();
    for (release, status) in &difference.statuses {
        match groups.iter_mut().find(|(known, _)| known == status) {
            Some((_, releases)) => releases.push(*release),
            None => groups.push((*status, vec![*release])),
        }
    }
    let groups = groups.iter().map(|(status, releases)| {
        let explained = releases.first().filter(|_| with_reasons);
        let delay = explained.filter(|_| *status == Some(SimulatedStatus::Late));
        let delay = delay.and_then(|release| delay_of(item, *release, difference));
        let mut text = format!(
            "{}{} {}",
            status.map_or("no run", status_label),
            delay.map_or_else(String::new, |delay| format!(" by {}", human(delay))),
            header.in_version(releases)
        );
        if let Some(reason) = explained.and_then(|release| reason(item, *release, difference)) {
            text.push_str(&format!(" ({reason})"));
        }
        text
    });
    let groups: Vec<String> = groups.collect();
    let groups = groups.join("; ");
    if difference.count == 1 {
        return groups;
    }
    let last = item.subject.time_beside(difference.last, difference.first);
    format!("{} runs, the last at {last}: {groups}", difference.count)
}

/// The simulated run of a version at a scheduled time.
fn run_at(item: &SimulatedCronJob, release: Release, time: Timestamp) -> Option<&SimulatedRun> {
    let mut simulations = item.simulations.iter();
    let (_, simulation) = simulations.find(|(known, _)| *known == release)?;
    let runs = &simulation.runs;
    let found = runs.binary_search_by_key(&time, |run| run.scheduled_time);
    runs.get(found.ok()?)
}

/// How late the run of a difference starts in one of the versions, if it is one run.
fn delay_of(
    item: &SimulatedCronJob,
    release: Release,
    difference: &ReleaseDifference,
) -> Option<i64> {
    let run = run_at(item, release, difference.first)?;
    run.delay_seconds().filter(|_| difference.count == 1)
}

/// Why the runs of a difference are not on time in one of the versions, if the same is true of the first and the last.
fn reason(
    item: &SimulatedCronJob,
    release: Release,
    difference: &ReleaseDifference,
) -> Option<String> {
    let of = |time: Timestamp| {
        let run = run_at(item, release, time)?;
        let reason = run.reason(&|at| item.subject.time_beside(at, difference.first))?;
        let event = run.reason.as_ref().and_then(|reason| reason.event);
        let event = match (run.started_at, event) {
            (None, Some(event)) => format!("; event {event}"),
            (None, None) => "; no event".to_owned(),
            (Some(_), _) => String::new(),
        };
        Some(format!("{reason}{event}"))
    };
    let first = of(difference.first)?;
    (difference.count == 1 || of(difference.last).as_ref() == Some(&first)).then_some(first)
}
