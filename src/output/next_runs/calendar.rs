//! The upcoming runs as a calendar: an HTML page with the weeks of each time zone.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use jiff::civil::{Date, Weekday};
use jiff::{Span, Timestamp, Zoned};

use super::{NextRuns, full_name, why_none};
use crate::duration::human;
use crate::output::xml::Escaped;
use crate::printable::shortened;
use crate::schedule::{OffsetChange, Zone};
use crate::upcoming::{Upcoming, UpcomingRun};
use crate::words::{counted, counted_in_groups, grouped};

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
/// The style of the rest of the page.
const PAGE: &str = "\
:root { color-scheme: light dark; }
body { max-width: 1200px; margin: 0 auto; padding: 16px 24px; font: 14px/1.5 system-ui, sans-serif; }
h1 { font-size: 20px; }
h2 { font-size: 16px; }
h3 { font-size: 14px; }
";

/// The most runs of a `CronJob` that a day lists one by one.
const TIMES: usize = 4;
/// The most lines of a day.
const LINES: usize = 8;
/// The most notes below a calendar, and the most lines of the list at the end.
const NOTES: usize = 20;
/// The most characters of a name and of a note.
const LETTERS: usize = 300;

/// Writes the page.
pub(super) fn html(out: &mut dyn Write, parts: &[&NextRuns<'_>]) -> io::Result<()> {
    let names = Names::of(parts);
    let title = match names.only.as_deref() {
        Some(name) => format!("Next runs of {}", shortened(name, LETTERS)),
        None => "Next runs".to_owned(),
    };
    let reader = parts.first().map_or("", |part| &part.reader);
    let (title, reader) = (Escaped(&title), Escaped(reader));
    writeln!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>\n{PAGE}{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<p>{reader}</p>\n<main>"
    )?;
    if parts.iter().all(|part| part.items.is_empty()) {
        writeln!(out, "<p>No CronJobs.</p>")?;
    }
    for calendar in Calendar::of_each_zone(parts, &names) {
        calendar.write(out)?;
    }
    left_out(out, parts, &names)?;
    writeln!(out, "</main>\n</body>\n</html>")
}

/// How `CronJob`s are named.
struct Names {
    /// The only one; the days do not repeat its name.
    only: Option<String>,
    is_alone: bool,
    /// Whether all are in one namespace, which is not named then.
    one_namespace: bool,
}

impl Names {
    fn of(parts: &[&NextRuns<'_>]) -> Self {
        let mut all = parts.iter().flat_map(|part| part.items);
        let first = all.next();
        let is_alone = all.next().is_none();
        let namespace = first.map(|item| &item.subject.namespace);
        let mut all = parts.iter().flat_map(|part| part.items);
        Names {
            only: first
                .filter(|_| is_alone)
                .and_then(|item| full_name(&item.subject)),
            is_alone,
            one_namespace: all.all(|item| Some(&item.subject.namespace) == namespace),
        }
    }

    fn name(&self, part: &NextRuns<'_>, item: &Upcoming) -> String {
        let subject = &item.subject;
        let short = subject
            .name
            .clone()
            .filter(|_| self.one_namespace && subject.other_kind.is_none());
        let name = short.or_else(|| full_name(subject));
        let name = name.unwrap_or_else(|| subject.schedule.clone());
        let name = part
            .context
            .map_or(name.clone(), |context| format!("{context}: {name}"));
        shortened(&name, LETTERS)
    }
}

/// The runs in a time zone.
struct Calendar<'a> {
    zone: &'a Zone,
    from: Timestamp,
    until: Timestamp,
    /// The days that have something to show.
    days: BTreeMap<Date, Day<'a>>,
    notes: Vec<Note>,
}

#[derive(Default)]
struct Day<'a> {
    changes: Vec<OffsetChange>,
    starts: Vec<Starts<'a>>,
}

/// The runs of a `CronJob` on a day.
struct Starts<'a> {
    /// The name, if there are several `CronJob`s.
    name: Option<String>,
    runs: &'a [UpcomingRun],
}

/// A note about a run, or about several.
struct Note {
    at: Zoned,
    name: Option<String>,
    text: String,
    others: usize,
}

impl<'a> Calendar<'a> {
    /// A calendar for each time zone, in the order of the `CronJob`s. Suspended ones do not run.
    fn of_each_zone(parts: &[&'a NextRuns<'a>], names: &Names) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for part in parts {
            for item in part.items.iter().filter(|item| runs(item)) {
                let zone = part.display_zone.as_ref().unwrap_or(&item.zone);
                let name = (!names.is_alone).then(|| names.name(part, item));
                let is_same = |one: &&mut Self| one.zone.name() == zone.name();
                if let Some(calendar) = all.iter_mut().find(is_same) {
                    calendar.add(item, name.as_ref());
                } else {
                    let mut calendar = Calendar::new(zone, part);
                    calendar.add(item, name.as_ref());
                    all.push(calendar);
                }
            }
        }
        for calendar in &mut all {
            calendar.finish();
        }
        all
    }

    fn new(zone: &'a Zone, part: &NextRuns<'_>) -> Self {
        let until = part.limits.until;
        let until = until.or_else(|| end_of_calendar(part.limits.after, zone));
        Calendar {
            zone,
            from: part.limits.after,
            until: until.unwrap_or(part.limits.after),
            days: BTreeMap::new(),
            notes: Vec::new(),
        }
    }

    fn add(&mut self, item: &'a Upcoming, name: Option<&String>) {
        let is_same_day =
            |one: &UpcomingRun, next: &UpcomingRun| one.local_time.date() == next.local_time.date();
        for runs in item.runs.chunk_by(is_same_day) {
            let Some(first) = runs.first() else { continue };
            let day = self.days.entry(first.local_time.date()).or_default();
            let is_before = |other: &Starts<'_>| other.begins() <= first.scheduled_time;
            let place = day.starts.partition_point(is_before);
            let name = name.cloned();
            day.starts.insert(place, Starts { name, runs });
        }
        let mut noted: HashMap<String, usize> = HashMap::new();
        for run in &item.runs {
            self.until = self.until.max(run.scheduled_time);
            for note in &run.notes {
                let text = note.to_string();
                let known = noted.get(&text);
                if let Some(note) = known.and_then(|place| self.notes.get_mut(*place)) {
                    note.others += 1;
                    continue;
                }
                noted.insert(text.clone(), self.notes.len());
                self.notes.push(Note {
                    at: run.local_time.clone(),
                    name: name.cloned(),
                    text,
                    others: 0,
                });
            }
        }
    }

    fn finish(&mut self) {
        for change in self.zone.changes(self.from, self.until) {
            if change.before != change.after {
                let date = self.date(change.at);
                self.days.entry(date).or_default().changes.push(change);
            }
        }
    }

    fn local(&self, at: Timestamp) -> Zoned {
        at.to_zoned(self.zone.time_zone().clone())
    }

    fn date(&self, at: Timestamp) -> Date {
        self.local(at).date()
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let local = |at| self.local(at).strftime("%a %Y-%m-%d %H:%M").to_string();
        writeln!(
            out,
            "<section class=\"zone\">\n<h2>Times in {}</h2>\n<p>{} to {}</p>\n<ol class=\"calendar\">",
            Escaped(self.zone.name()),
            local(self.from),
            local(self.until)
        )?;
        let (first, last) = (self.date(self.from), self.date(self.until));
        let mut monday = Some(monday(first));
        let mut without = 0;
        while let Some(begin) = monday.filter(|begin| *begin <= last) {
            let next = later(begin, 7);
            let is_this = |date: &Date| *date >= begin && next.is_none_or(|next| *date < next);
            let mut known = self.days.range(begin..);
            if known.next().is_some_and(|(date, _)| is_this(date)) {
                gap(out, std::mem::take(&mut without))?;
                let days = (0..7).filter_map(|days| later(begin, days));
                for date in days.filter(|date| (first..=last).contains(date)) {
                    self.day(out, date, date.year() != first.year())?;
                }
            } else {
                without += 1;
            }
            monday = next;
        }
        gap(out, without)?;
        writeln!(out, "</ol>")?;
        self.notes(out)?;
        writeln!(out, "</section>")
    }

    fn day(&self, out: &mut dyn Write, date: Date, with_year: bool) -> io::Result<()> {
        let day = self.days.get(&date);
        let weekday = match date.weekday() {
            Weekday::Monday => "mon",
            Weekday::Tuesday => "tue",
            Weekday::Wednesday => "wed",
            Weekday::Thursday => "thu",
            Weekday::Friday => "fri",
            Weekday::Saturday => "sat",
            Weekday::Sunday => "sun",
        };
        let class = if day.is_none() { " empty" } else { "" };
        let format = if with_year {
            "%a %b %-d, %Y"
        } else {
            "%a %b %-d"
        };
        let shown = date.strftime(format);
        write!(
            out,
            "<li class=\"{weekday}{class}\"><p><time datetime=\"{date}\">{shown}</time></p>"
        )?;
        if let Some(day) = day {
            for change in &day.changes {
                write!(out, "<p class=\"change\">{}</p>", change_in_words(change))?;
            }
            if !day.starts.is_empty() {
                day.starts(out)?;
            }
        }
        writeln!(out, "</li>")
    }

    fn notes(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.notes.is_empty() {
            return Ok(());
        }
        writeln!(out, "<h3>Notes</h3>\n<ul class=\"notes\">")?;
        for note in self.notes.iter().take(NOTES) {
            let at = note.at.strftime("%a %Y-%m-%d %H:%M");
            write!(out, "<li>{at}")?;
            if note.others > 0 {
                let others = counted_in_groups(note.others, "later run");
                write!(out, " and {others}")?;
            }
            named(out, note.name.as_deref())?;
            writeln!(out, ": {}</li>", Escaped(&shortened(&note.text, LETTERS)))?;
        }
        more(out, self.notes.len().saturating_sub(NOTES), "note")?;
        writeln!(out, "</ul>")
    }
}

impl Day<'_> {
    fn starts(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "<ul>")?;
        let (mut lines, mut rest) = (0, 0);
        for starts in &self.starts {
            if let (TIMES.., Some((first, last))) = (starts.runs.len() - 1, starts.ends()) {
                if lines == LINES {
                    rest += starts.runs.len();
                    continue;
                }
                lines += 1;
                let count = counted_in_groups(starts.runs.len(), "run");
                write!(out, "<li>{count}, ")?;
                match starts.interval() {
                    Some(interval) => write!(out, "every {}", human(interval))?,
                    None => write!(out, "{} to {}", clock(first), clock(last))?,
                }
                named(out, starts.name.as_deref())?;
                write!(out, "</li>")?;
                continue;
            }
            for run in starts.runs {
                if lines == LINES {
                    rest += 1;
                    continue;
                }
                lines += 1;
                let mark = if run.notes.is_empty() { "" } else { "*" };
                write!(out, "<li>{}{mark}", clock(run))?;
                named(out, starts.name.as_deref())?;
                write!(out, "</li>")?;
            }
        }
        more(out, rest, "run")?;
        write!(out, "</ul>")
    }
}

impl Starts<'_> {
    fn begins(&self) -> Timestamp {
        let first = self.runs.first();
        first.map_or(Timestamp::MIN, |run| run.scheduled_time)
    }

    fn ends(&self) -> Option<(&UpcomingRun, &UpcomingRun)> {
        Some((self.runs.first()?, self.runs.last()?))
    }

    /// The seconds between two runs, if they are always the same.
    fn interval(&self) -> Option<i64> {
        let times = self.runs.iter().map(|run| run.scheduled_time.as_second());
        let mut intervals = times
            .clone()
            .skip(1)
            .zip(times)
            .map(|(next, one)| next - one);
        let first = intervals.next()?;
        intervals.all(|one| one == first).then_some(first)
    }
}

/// Whether a `CronJob` has a place in the calendar.
fn runs(item: &Upcoming) -> bool {
    !item.subject.suspended && !item.runs.is_empty()
}

/// Lists what does not run, and why.
fn left_out(out: &mut dyn Write, parts: &[&NextRuns<'_>], names: &Names) -> io::Result<()> {
    let all = parts
        .iter()
        .flat_map(|part| part.items.iter().map(move |item| (part, item)));
    let absent: Vec<_> = all.filter(|(_, item)| !runs(item)).collect();
    if absent.is_empty() {
        return Ok(());
    }
    writeln!(out, "<h2>Not in the calendar</h2>\n<ul class=\"notes\">")?;
    for (part, item) in absent.iter().take(NOTES) {
        let name = names.name(part, item);
        let why = if item.subject.suspended {
            "suspended".to_owned()
        } else {
            shortened(&why_none(item).1, LETTERS)
        };
        let (name, why) = (Escaped(&name), Escaped(&why));
        writeln!(out, "<li><bdi>{name}</bdi>: {why}</li>")?;
    }
    more(out, absent.len().saturating_sub(NOTES), "CronJob")?;
    writeln!(out, "</ul>")
}

fn named(out: &mut dyn Write, name: Option<&str>) -> io::Result<()> {
    match name {
        Some(name) => write!(out, " <bdi>{}</bdi>", Escaped(name)),
        None => Ok(()),
    }
}

fn more(out: &mut dyn Write, count: usize, what: &str) -> io::Result<()> {
    match count {
        0 => Ok(()),
        1 => write!(out, "<li>+1 more {what}</li>"),
        _ => write!(out, "<li>+{} more {what}s</li>", grouped(count)),
    }
}

fn gap(out: &mut dyn Write, weeks: usize) -> io::Result<()> {
    match weeks {
        0 => Ok(()),
        _ => writeln!(
            out,
            "<li class=\"gap\">{} without a run</li>",
            counted(weeks, "week")
        ),
    }
}

/// `02:30`, with seconds only if there are any.
fn clock(run: &UpcomingRun) -> String {
    let time = run.local_time.time();
    let format = if time.second() == 0 {
        "%H:%M"
    } else {
        "%H:%M:%S"
    };
    time.strftime(format).to_string()
}

/// `Clocks go forward from 02:00 to 03:00`
fn change_in_words(change: &OffsetChange) -> String {
    let clock = |offset: i64| {
        let second = (change.at.as_second() + offset).rem_euclid(86_400);
        format!("{:02}:{:02}", second / 3_600, second / 60 % 60)
    };
    let direction = if change.after > change.before {
        "forward"
    } else {
        "back"
    };
    let (before, after) = (clock(change.before), clock(change.after));
    format!("Clocks go {direction} from {before} to {after}")
}

fn later(date: Date, days: i64) -> Option<Date> {
    date.checked_add(Span::new().days(days)).ok()
}

fn monday(date: Date) -> Date {
    let days = date.weekday().since(Weekday::Monday);
    later(date, -i64::from(days)).unwrap_or(date)
}
