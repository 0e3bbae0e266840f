//! Many CronJobs: the totals, and only those whose runs are not on time, or that differ.

use std::collections::HashMap;
use std::io::{self, Write};

use jiff::Timestamp;

use super::text::{assumptions, differences, summaries};
use super::{SimulateAnswer, SimulatedCronJob, SimulationHeader, is_on_time, summary_line, writes};
use crate::output::comparison::{
    ComparedReleases, Comparison, LONGEST_SCHEDULE, MAX_CRON_JOBS, more_differ,
};
use crate::output::lines::TextPage;
use crate::output::page_times::TimeColumn;
use crate::output::style::{Meaning, styled};
use cronjob_controller::controller::Release;
use cronjob_controller::simulate::{SimulationSummary, TimeSpan};
use cronjob_text::duration::exact;
use cronjob_text::printable::{printable, shortened, width};
use cronjob_text::words::{counted, some_of};
use kube_cron::Zone;

/// A valid namespace with a valid name of a CronJob.
const LONGEST_NAME: usize = 63 + 1 + 52;

/// The most names of CronJobs with the same differences.
const MAX_NAMES: usize = 5;

/// Writes how many CronJobs behave the same in all versions, and how the others differ.
pub(super) fn fleet(
    out: &mut dyn Write,
    header: &SimulationHeader,
    items: &[SimulatedCronJob],
) -> io::Result<()> {
    let differs = |item: &&SimulatedCronJob| !item.differences.is_empty();
    let mut different: Vec<&SimulatedCronJob> = items.iter().filter(differs).collect();
    different.sort_by_key(|item| !item.differences.loses_runs());
    let totals = Comparison::of(items.len(), different.len());
    let mut page = TextPage::default();
    page.title(&totals.sentence(&compared(header)));
    given(&mut page, header);
    writes(&mut page, header, items);
    page.blank();
    if different.is_empty() && header.given.is_undisturbed() {
        let text = "Most differences only show after runs were missed: simulate that with \
                    --upgrade-at, --outage or --suspended.";
        return page.paragraph(0, text).write(out);
    }
    summaries(&mut page, header, &sums(items));
    // Those with one text are shown once, in the place of the first.
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for item in &different {
        let subject = &item.subject;
        let schedule = shortened(&subject.cron_job.spec.schedule, LONGEST_SCHEDULE);
        let how = printable(&format!("{schedule} in {}", subject.zone.name()));
        let mut text = TextPage::default();
        text.line(styled(Meaning::Faint, how));
        differences(&mut text, header, item, true);
        let place = *places.entry(text.into()).or_insert_with_key(|text| {
            groups.push((text.clone(), Vec::new()));
            groups.len() - 1
        });
        if let Some((_, names)) = groups.get_mut(place) {
            names.push(printable(&subject.name()));
        }
    }
    for (text, names) in groups.iter().take(MAX_CRON_JOBS) {
        let name = some_of(names, MAX_NAMES);
        page.blank();
        let lead = match names.len() {
            1 => styled(Meaning::Strong, name),
            all => {
                page.title(&format!("{all} CronJobs: {name}"));
                String::new()
            }
        };
        page.line(format_args!("{lead}  {}", text.trim_end()));
    }
    let rest = groups.iter().skip(MAX_CRON_JOBS);
    more_differ(&mut page, rest.map(|(_, names)| names.len()).sum());
    page.write(out)
}

/// Writes the result of each `CronJob` that has one besides runs on time.
pub(super) fn results(out: &mut dyn Write, answer: &SimulateAnswer<'_>) -> io::Result<()> {
    let (header, items) = (answer.header, answer.items);
    let simulated = items.iter().filter_map(|item| {
        let (_, simulation) = item.simulations.first()?;
        Some((item.subject.name(), simulation))
    });
    let affected = simulated.filter(|(_, simulation)| !is_on_time(&simulation.summary));
    let affected: Vec<_> = affected.collect();
    let on_time = items.len() - affected.len();
    let mut page = TextPage::default();
    page.title(&match affected.len() {
        0 => format!(
            "{}: all runs start on time",
            counted(items.len(), "CronJob")
        ),
        some => format!(
            "{}: {some} with runs that are missed, late, replaced or failed, {on_time} without",
            counted(items.len(), "CronJob")
        ),
    });
    page.entry("Controller", header.controller.release());
    given(&mut page, header);
    if !affected.is_empty() {
        page.blank();
    }
    let shown = |name: &str| shortened(&printable(name), LONGEST_NAME);
    let names = affected.iter().map(|(name, _)| width(&shown(name)));
    let widest = names.max().unwrap_or_default();
    for (name, simulation) in &affected {
        let name = shown(name);
        let lead = format!("{name}{:1$}", "", widest + 2 - width(&name));
        page.hanging(&lead, width(&lead), &summary_line(simulation));
    }
    if answer.hints {
        let more = "Name one CronJob to show its timeline, or use -o wide to show every run.";
        page.blank().hanging("", 0, &styled(Meaning::Faint, more));
    }
    page.write(out)
}

/// Adds the period, and what happens in it.
fn given(page: &mut TextPage, header: &SimulationHeader) {
    let (from, to) = (header.from, header.to);
    let length = exact(to.as_second() - from.as_second());
    page.entry("Period", format!("{} ({length})", span(from, to)));
    if let Some(upgrade) = &header.given.upgrade {
        page.entry("Upgrade", span(upgrade.from, upgrade.to));
    }
    for TimeSpan { from, to } in header.given.outages.iter() {
        page.entry("Outage", span(from, to));
    }
    for TimeSpan { from, to } in header.given.suspended.iter() {
        page.entry("Suspended", span(from, to));
    }
    assumptions(page, &header.given);
}

/// The numbers of runs of all CronJobs by version.
fn sums(items: &[SimulatedCronJob]) -> Vec<(Release, SimulationSummary)> {
    let mut sums: Vec<(Release, SimulationSummary)> = Vec::new();
    for item in items {
        for (index, (release, simulation)) in item.simulations.iter().enumerate() {
            match sums.get_mut(index) {
                Some((_, sum)) => *sum = sum.plus(simulation.summary),
                None => sums.push((*release, simulation.summary)),
            }
        }
    }
    sums
}

/// From one time to another, in UTC, since the CronJobs may have several time zones.
fn span(from: Timestamp, to: Timestamp) -> String {
    let mut times = TimeColumn::in_zone(&Zone::utc());
    let [from, to] = [from, to].map(|at| times.next(at));
    format!("{from} to {} UTC", to.trim_start())
}

fn compared(header: &SimulationHeader) -> ComparedReleases {
    let old = header.controller.kubernetes_version;
    match &header.given.upgrade {
        Some(upgrade) => ComparedReleases::Upgrade {
            from: old,
            to: upgrade.release,
        },
        None => ComparedReleases::versions(old, header.compared.iter().copied()),
    }
}
