//! The upcoming runs as a page with a month calendar: rare runs day by day, frequent CronJobs once in a legend.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use jiff::civil::{Date, Weekday};
use jiff::{Span, Timestamp};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{NextRuns, full_name, why_none};
use crate::output::xml::Escaped;
use cronjob_controller::upcoming::{Upcoming, UpcomingRun};
use cronjob_text::printable::shortened;
use cronjob_text::words::counted_in_groups;
use kube_cron::Zone;

/// The weeks that are shown after the current one, without `--until`.
const WEEKS: i64 = 4;

/// The last second of a calendar that begins at a moment and has no end of its own.
pub(crate) fn end_of_calendar(from: Timestamp, zone: &Zone) -> Option<Timestamp> {
    let zone = zone.time_zone();
    let monday = monday(zone.to_datetime(from).date());
    let end = later(monday, 7 * (WEEKS + 1))?
        .to_zoned(zone.clone())
        .ok()?;
    Timestamp::from_second(end.timestamp().as_second() - 1).ok()
}

/// The style of the calendar, which the page in the browser uses, too.
const STYLE: &str = include_str!("calendar.css");

/// A CronJob with more runs on a day is frequent.
const RARE: usize = 4;
/// The most runs that a day lists.
const LINES: usize = 12;
/// The most lines of a list below the calendar.
const LISTED: usize = 1_000;
/// The most characters of a name or a note.
const LETTERS: usize = 300;

/// Writes the page.
pub(super) fn html(out: &mut dyn Write, parts: &[&NextRuns<'_>]) -> io::Result<()> {
    let all = parts.iter();
    let all = all.flat_map(|part| part.items.iter().map(move |item| (*part, item)));
    let reader = parts.first().map_or("", |part| &part.reader);
    let runs = |(_, item): &Listed<'_>| !item.subject.suspended && !item.runs.is_empty();
    let (shown, absent): (Vec<Listed<'_>>, Vec<Listed<'_>>) = all.partition(runs);
    let absent = absent.into_iter().map(|one| {
        html! {
            (name(one)) ": "
            @if one.1.subject.suspended { "suspended" }
            @else { (Escaped(&shortened(&why_none(one.1).1, LETTERS))) }
        }
    });
    let absent: Vec<Markup> = absent.collect();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Next runs" }
                style { (PreEscaped(STYLE)) }
            }
            body class="next-runs" {
                h1 { "Next runs" }
                p { (Escaped(reader)) }
                main {
                    @if shown.is_empty() && absent.is_empty() { p { "No CronJobs." } }
                    @if let Some(calendar) = Calendar::of(shown) { (calendar.markup()) }
                    (list("Not in the calendar", &absent))
                }
            }
        }
    };
    writeln!(out, "{}", page.into_string())
}

/// A CronJob, and the answer that it is of.
type Listed<'a> = (&'a NextRuns<'a>, &'a Upcoming);

fn name((part, item): Listed<'_>) -> Markup {
    let name = full_name(&item.subject).unwrap_or_else(|| item.subject.schedule.clone());
    let context = part.context.map(|context| format!("{context}: "));
    let name = shortened(&(context.unwrap_or_default() + &name), LETTERS);
    html! { bdi { (Escaped(&name)) } }
}

/// The time zone in which its runs are shown.
fn zone_of((part, item): Listed<'_>) -> &Zone {
    part.display_zone.as_ref().unwrap_or(&item.zone)
}

/// A list below the calendar; nothing if it is empty.
fn list(title: &str, lines: &[Markup]) -> Markup {
    let more = lines.len().saturating_sub(LISTED);
    html! {
        @if !lines.is_empty() {
            h2 { (title) }
            ul class="notes" {
                @for line in lines.iter().take(LISTED) { li { (line) } }
                @if more > 0 { li { (counted_in_groups(more, "more line")) } }
            }
        }
    }
}

/// The runs in time zones of their own. The days are those of the zone of most CronJobs.
struct Calendar<'a> {
    zone: &'a Zone,
    from: Timestamp,
    until: Timestamp,
    days: BTreeMap<Date, Day<'a>>,
    frequent: Vec<Markup>,
}

#[derive(Default)]
struct Day<'a> {
    changes: Vec<String>,
    rare: Vec<(Listed<'a>, &'a UpcomingRun)>,
    frequent_runs: usize,
}

impl<'a> Calendar<'a> {
    fn of(mut shown: Vec<Listed<'a>>) -> Option<Self> {
        let mut zones: BTreeMap<&str, (usize, &Zone)> = BTreeMap::new();
        for zone in shown.iter().copied().map(zone_of) {
            zones.entry(zone.name()).or_insert((0, zone)).0 += 1;
        }
        let (_, zone) = zones.values().max_by_key(|(count, _)| *count)?;
        let limits = shown.first()?.0.limits;
        let until = limits.until.or(end_of_calendar(limits.after, zone));
        let mut calendar = Calendar {
            zone,
            from: limits.after,
            until: until.unwrap_or(limits.after),
            days: BTreeMap::new(),
            frequent: Vec::new(),
        };
        shown.sort_by_key(|(_, item)| item.runs.len());
        for one in shown {
            calendar.add(one);
        }
        for (_, zone) in zones.values() {
            let changes = zone.changes(calendar.from, calendar.until).into_iter();
            for change in changes.filter(|change| change.before != change.after) {
                let is_forward = change.after > change.before;
                let direction = if is_forward { "forward" } else { "back" };
                let to = zone.time_zone().to_datetime(change.at);
                let (clock, label) = (to.strftime("%H:%M"), calendar.label(zone));
                let text = format!("Clocks go {direction} to {clock}{label}");
                let day = calendar.days.entry(to.date()).or_default();
                day.changes.push(text);
            }
        }
        let rarest =
            |((_, item), run): &(Listed<'_>, &UpcomingRun)| (item.runs.len(), run.scheduled_time);
        let days = calendar.days.values_mut();
        days.for_each(|day| day.rare.sort_by_key(rarest));
        Some(calendar)
    }

    fn add(&mut self, one: Listed<'a>) {
        let (item, label) = (one.1, self.label(zone_of(one)));
        let date = |run: &UpcomingRun| run.local_time.date();
        let days = || item.runs.chunk_by(|run, next| date(run) == date(next));
        let most = days().map(<[UpcomingRun]>::len).max().unwrap_or(0);
        for run in &item.runs {
            self.until = self.until.max(run.scheduled_time);
            let day = self.days.entry(date(run)).or_default();
            if most > RARE {
                day.frequent_runs += 1;
            } else {
                day.rare.push((one, run));
            }
        }
        if most > RARE {
            let schedule = shortened(&item.subject.schedule, LETTERS);
            self.frequent.push(html! {
                (name(one))
                @if item.subject.name.is_some() { ": " bdi { (Escaped(&schedule)) } }
                (Escaped(&label)) ", up to " (counted_in_groups(most, "run")) " a day"
            });
        }
    }

    /// The time zone behind a time, if it is not that of the calendar.
    fn label(&self, zone: &Zone) -> String {
        let other = Some(zone.name()).filter(|name| *name != self.zone.name());
        other.map_or_else(String::new, |name| format!(" {name}"))
    }

    fn markup(&self) -> Markup {
        let local = |at: Timestamp| at.to_zoned(self.zone.time_zone().clone());
        let [from, until] =
            [self.from, self.until].map(|at| local(at).strftime("%a %Y-%m-%d %H:%M"));
        let weeks: BTreeSet<Date> = self.days.keys().copied().map(monday).collect();
        let week = |monday: Date| (0..7).filter_map(move |days| later(monday, days));
        html! {
            section class="zone" {
                h2 { "Times in " (Escaped(self.zone.name())) }
                p { (from) " to " (until) }
                ol class="calendar" { @for date in weeks.into_iter().flat_map(week) { (self.day(date)) } }
                (list("Frequent", &self.frequent))
            }
        }
    }

    fn day(&self, date: Date) -> Markup {
        let day = self.days.get(&date);
        let weekday = date.strftime("%a").to_string().to_lowercase();
        html! {
            li class={ (weekday) @if day.is_none() { " empty" } } {
                p { time datetime=(date) { (date.strftime("%a %Y-%m-%d")) } }
                @for change in day.iter().flat_map(|day| &day.changes) { p class="change" { (Escaped(change)) } }
                @if let Some(day) = day.filter(|day| day.frequent_runs + day.rare.len() > 0) {
                    ul {
                        @for (one, run) in day.rare.iter().take(LINES) { li { (self.run(*one, run)) } }
                        @if let Some(more @ 1..) = day.rare.len().checked_sub(LINES) {
                            li { (counted_in_groups(more, "more run")) }
                        }
                        @if day.frequent_runs > 0 { li { (counted_in_groups(day.frequent_runs, "frequent run")) } }
                    }
                }
            }
        }
    }

    /// `02:30 Europe/Berlin shop/backup`, with seconds only if there are any.
    fn run(&self, one: Listed<'_>, run: &UpcomingRun) -> Markup {
        let time = run.local_time.strftime("%H:%M:%S").to_string();
        html! {
            (time.strip_suffix(":00").unwrap_or(&time))
            (Escaped(&self.label(zone_of(one))))
            @if one.1.subject.name.is_some() { " " (name(one)) }
            @for note in &run.notes { ": " (Escaped(&shortened(note, LETTERS))) }
        }
    }
}

fn later(date: Date, days: i64) -> Option<Date> {
    date.checked_add(Span::new().days(days)).ok()
}

fn monday(date: Date) -> Date {
    let days = date.weekday().since(Weekday::Monday);
    later(date, -i64::from(days)).unwrap_or(date)
}
