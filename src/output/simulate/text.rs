//! A simulation as text.

use std::io::{self, Write};

use jiff::Timestamp;

use super::timeline::{TimelineLine, timeline};
use super::{
    Given, SimulatedCronJob, SimulationHeader, SimulationSubject, gist, status_label, writes,
};
use crate::controller::Release;
use crate::duration::{exact, human};
use crate::output::lines::{entry, hanging, heading, paragraph, title};
use crate::output::style::{Meaning, styled};
use crate::output::table::{Cell, Table};
use crate::printable::printable;
use crate::simulate::{
    JobEnding, ReleaseDifference, SimulatedRun, SimulatedStatus, Simulation, SimulationSummary,
};

/// More lines than these are in the documents.
const MAX_LINES: usize = 40;
const MAX_DIFFERENCES: usize = 20;

/// The column at which the text of a timeline line begins.
const INDENT: usize = 27;

/// Writes the simulation of one `CronJob`.
pub(crate) fn text(
    out: &mut dyn Write,
    header: &SimulationHeader,
    item: &SimulatedCronJob<'_>,
    wide: bool,
) -> io::Result<()> {
    let Some((_, simulation)) = item.simulations.first() else {
        return Ok(());
    };
    title(out, &item.subject.name())?;
    summary(out, header, &item.subject, simulation)?;
    if wide {
        all_runs(out, &item.subject, simulation)?;
    } else {
        lines(
            out,
            &item.subject,
            &timeline(&item.subject, &header.given, simulation),
        )?;
    }
    if item.simulations.len() > 1 {
        comparison(out, header, item)?;
        writes(out, header, std::slice::from_ref(item))?;
    }
    Ok(())
}

fn summary(
    out: &mut dyn Write,
    header: &SimulationHeader,
    subject: &SimulationSubject<'_>,
    simulation: &Simulation,
) -> io::Result<()> {
    let given = &header.given;
    let schedule = &subject.cron_job.spec.schedule;
    let zone = subject.zone.name();
    entry(
        out,
        "Schedule",
        &printable(&format!("{schedule} in {zone}")),
    )?;
    entry(out, "Controller", &controller(header))?;
    let (from, to) = (simulation.from, simulation.to);
    let length = exact(to.as_second() - from.as_second());
    let (from, to) = (subject.day_and_time(from), subject.day_and_time(to));
    let period = format!("{from} to {to} {zone} ({length})");
    entry(out, "Period", &printable(&period))?;
    assumptions(out, given)?;
    entry(out, "Result", &gist(simulation))?;
    if simulation.summary.pending > 0 {
        let count = simulation.summary.pending;
        let text = format!("{count} due at the end of the period, not synced yet");
        entry(out, "Pending", &text)?;
    }
    Ok(())
}

/// What is assumed for all CronJobs.
pub(super) fn assumptions(out: &mut dyn Write, given: &Given) -> io::Result<()> {
    let mut jobs = format!("take {}", given.job_duration);
    if given.failures_per_million > 0 {
        let percent = f64::from(given.failures_per_million) / 1e4;
        jobs.push_str(&format!("; {percent}% fail"));
    }
    entry(out, "Jobs", &jobs)?;
    if !given.changes.is_empty() {
        entry(out, "What if", &printable(&given.changes.join(", ")))?;
    }
    Ok(())
}

fn controller(header: &SimulationHeader) -> String {
    let controller = &header.controller;
    if controller.model == "kubebuilder" {
        return "kubebuilder tutorial".to_owned();
    }
    let newest = if controller.source == "default" {
        " (newest known version)"
    } else {
        ""
    };
    let then = header.given.upgrade.as_ref();
    let then = then.map_or_else(String::new, |upgrade| format!(", then {}", upgrade.release));
    format!("Kubernetes {}{newest}{then}", controller.kubernetes_version)
}

/// The timeline. A day is written only in its first line.
fn lines(
    out: &mut dyn Write,
    subject: &SimulationSubject<'_>,
    lines: &[TimelineLine],
) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let mut day_before = String::new();
    for line in lines.iter().take(MAX_LINES) {
        when(out, subject, line.at, &mut day_before)?;
        styled_text(out, &printable(&line.text), line.meaning)?;
    }
    if let Some(line) = lines.get(MAX_LINES) {
        let more = lines.len() - MAX_LINES;
        let text = format!("{more} more lines (use -o wide to show every run)");
        when(out, subject, line.at, &mut day_before)?;
        styled_text(out, &text, Meaning::Faint)?;
    }
    Ok(())
}

fn when(
    out: &mut dyn Write,
    subject: &SimulationSubject<'_>,
    at: Timestamp,
    day_before: &mut String,
) -> io::Result<()> {
    let day = subject.local(at, "%a %Y-%m-%d");
    let time = subject.time_beside(at, at);
    let shown = if day == *day_before { "" } else { &day };
    write!(out, "  {shown:<14} {time:<10}")?;
    *day_before = day;
    Ok(())
}

/// Text of which only the part before the reason is colored.
fn styled_text(out: &mut dyn Write, text: &str, meaning: Meaning) -> io::Result<()> {
    let mut plain = Vec::new();
    hanging(&mut plain, INDENT, text)?;
    let plain = String::from_utf8_lossy(&plain);
    let end = plain.find([':', ',', '(', '\n']).unwrap_or(plain.len());
    let (head, rest) = plain.split_at_checked(end).unwrap_or((&plain, ""));
    write!(out, "{}{rest}", styled(meaning, head))
}

fn all_runs(
    out: &mut dyn Write,
    subject: &SimulationSubject<'_>,
    simulation: &Simulation,
) -> io::Result<()> {
    if simulation.runs.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let mut table = Table::new(
        "SCHEDULED, LOCAL TIME, STATUS, DELAY, DURATION, RESULT, JOB, REPLACED, EVENT, REASON"
            .split(", "),
    );
    for run in &simulation.runs {
        table.push(row(subject, run));
    }
    table.write(out, true)
}

fn row(subject: &SimulationSubject<'_>, run: &SimulatedRun) -> Vec<Cell> {
    const NONE: &str = "<none>";
    let or_none = |text: Option<String>| Cell::from(text.unwrap_or_else(|| NONE.to_owned()));
    let lasted = run.started_at.zip(run.finished_at);
    let lasted = lasted.map(|(from, to)| human(to.as_second() - from.as_second()));
    let result = match (run.started_at, run.result) {
        (None, _) => None,
        (Some(_), None) => Some("running"),
        (Some(_), Some(ending)) => Some(ending.as_str()),
    };
    let failed = run.result == Some(JobEnding::Failed);
    let event = run.reason.as_ref().and_then(|reason| reason.event);
    vec![
        run.scheduled_time.to_string().into(),
        subject
            .local(run.scheduled_time, "%a %Y-%m-%d %H:%M:%S %Z")
            .into(),
        Cell::new(status_label(run.status), meaning(run.status)),
        or_none(run.delay_seconds().map(human)),
        or_none(lasted),
        Cell::new(
            result.unwrap_or(NONE),
            if failed { Meaning::Bad } else { Meaning::Plain },
        ),
        or_none(run.job_name.as_deref().map(str::to_owned)),
        or_none(run.replaced.as_deref().map(str::to_owned)),
        or_none(event.map(str::to_owned)),
        SimulationSubject::reason(run).unwrap_or_default().into(),
    ]
}

fn meaning(status: SimulatedStatus) -> Meaning {
    match status {
        SimulatedStatus::Started => Meaning::Plain,
        SimulatedStatus::Late => Meaning::Odd,
        SimulatedStatus::Lost | SimulatedStatus::Blocked | SimulatedStatus::Phantom => Meaning::Bad,
    }
}

fn comparison(
    out: &mut dyn Write,
    header: &SimulationHeader,
    item: &SimulatedCronJob<'_>,
) -> io::Result<()> {
    heading(out, "Comparison")?;
    let sums = item.simulations.iter();
    let sums: Vec<_> = sums.map(|(release, one)| (*release, one.summary)).collect();
    summaries(out, header, &sums)?;
    if item.differences.is_empty() {
        return writeln!(out, "\nNo differences in any run.");
    }
    heading(out, "Differences")?;
    let few = FewDifferences {
        most: MAX_DIFFERENCES,
        help: "use -o json to show all",
        with_reasons: false,
    };
    differences(out, header, item, &few)
}

/// Writes the numbers of runs by version.
pub(super) fn summaries(
    out: &mut dyn Write,
    header: &SimulationHeader,
    summaries: &[(Release, SimulationSummary)],
) -> io::Result<()> {
    let mut table = Table::new(
        "VERSION, STARTED, LATE, MISSED, BLOCKED, UNSCHEDULED, NO EVENT, MAX DELAY".split(", "),
    );
    for (release, sums) in summaries {
        let bad = |count: u64| {
            let meaning = if count > 0 {
                Meaning::Bad
            } else {
                Meaning::Plain
            };
            Cell::new(count.to_string(), meaning)
        };
        table.push(vec![
            header.version(*release).into(),
            sums.started.to_string().into(),
            sums.late.to_string().into(),
            bad(sums.lost),
            bad(sums.blocked),
            bad(sums.phantom),
            sums.silent.to_string().into(),
            human(sums.max_delay_seconds.unwrap_or_default()).into(),
        ]);
    }
    table.write(out, true)
}

pub(super) struct FewDifferences {
    pub(super) most: usize,
    pub(super) help: &'static str,
    /// Whether each is explained, as nothing else does.
    pub(super) with_reasons: bool,
}

pub(super) fn differences(
    out: &mut dyn Write,
    header: &SimulationHeader,
    item: &SimulatedCronJob<'_>,
    few: &FewDifferences,
) -> io::Result<()> {
    let &FewDifferences { most, help, .. } = few;
    let differences = &item.differences.runs;
    let mut day_before = String::new();
    for difference in differences.iter().take(most) {
        when(out, &item.subject, difference.first, &mut day_before)?;
        let text = difference_text(header, item, difference, few.with_reasons);
        hanging(out, INDENT, &printable(&text))?;
    }
    if let Some(difference) = differences.get(most) {
        let more = differences.len() - most;
        when(out, &item.subject, difference.first, &mut day_before)?;
        hanging(out, INDENT, &format!("{more} more ({help})"))?;
    }
    if item.differences.delays {
        let delays = item.simulations.iter().map(|(release, simulation)| {
            let delay = human(simulation.summary.max_delay_seconds.unwrap_or_default());
            format!("by up to {delay} {}", header.in_version(&[*release]))
        });
        let delays: Vec<String> = delays.collect();
        paragraph(out, 2, &format!("Runs start late {}.", delays.join(", ")))?;
    }
    if item.differences.hot_loops {
        let loops = item.simulations.iter();
        let loops = loops.filter(|(_, simulation)| !simulation.hot_loops.is_empty());
        let releases: Vec<Release> = loops.map(|(release, _)| *release).collect();
        let text = format!(
            "The controller syncs in a loop, without a pause, {}.",
            if header.given.upgrade.is_none() {
                format!("only {}", header.in_version(&releases))
            } else {
                header.in_version(&releases)
            }
        );
        paragraph(out, 2, &text)?;
    }
    Ok(())
}

/// `111 runs, the last at 10:20: missed in 1.17; late in 1.27.1 and 1.36`
fn difference_text(
    header: &SimulationHeader,
    item: &SimulatedCronJob<'_>,
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
fn run_at<'a>(
    item: &'a SimulatedCronJob<'_>,
    release: Release,
    time: Timestamp,
) -> Option<&'a SimulatedRun> {
    let mut simulations = item.simulations.iter();
    let (_, simulation) = simulations.find(|(known, _)| *known == release)?;
    let runs = &simulation.runs;
    let found = runs.binary_search_by_key(&time, |run| run.scheduled_time);
    runs.get(found.ok()?)
}

/// How late the run of a difference starts in one of the versions, if it is one run.
fn delay_of(
    item: &SimulatedCronJob<'_>,
    release: Release,
    difference: &ReleaseDifference,
) -> Option<i64> {
    let run = run_at(item, release, difference.first)?;
    run.delay_seconds().filter(|_| difference.count == 1)
}

/// Why the runs of a difference are not on time in one of the versions, if the same is true of the first and the last.
fn reason(
    item: &SimulatedCronJob<'_>,
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
