//! Upcoming runs: a lane for each `CronJob`.

use std::io;

use jiff::Timestamp;
use maud::{Markup, html};

use super::ShownReport;
use super::markup::{Column, ReportList, count_cell, foreign, link, missing, time, time_cell};
use crate::output::ticks::{DAY, TickStep};
use crate::output::xml::Escaped;
use cronjob_diagnosis::report::{Band, Lane, Outlook, ReportTimeline};
use cronjob_diagnosis::survey::Row;
use cronjob_text::duration::exact;
use cronjob_text::words::{counted_in_groups, some_of};
use kube_cron::Zone;

const COLUMNS: [Column; 4] = [
    Column::ascending("CronJob", "who"),
    Column::descending("Runs", "n"),
    Column::ascending("First (UTC)", "time"),
    Column::new("When", "strip"),
];

/// The width of a run, as a fraction of the lane.
const MARK: i64 = 300;
const WEEK: i64 = 7 * DAY;
/// The most bands described in the title of a lane.
const DESCRIBED: usize = 3;

/// The heading of the section: `The next 24 hours`.
pub(super) fn heading(shown: &ShownReport<'_>) -> String {
    let scale = Scale::of(&shown.report.timeline, &shown.context.zone);
    format!("The next {}", length(scale.length()))
}

pub(super) fn content(shown: &ShownReport<'_>) -> io::Result<Markup> {
    let timeline = &shown.report.timeline;
    if timeline.lanes.is_empty() {
        return Ok(html! { p { "No upcoming runs." } });
    }
    let scale = Scale::of(timeline, &shown.context.zone);
    let rows = &shown.report.survey.rows;
    let now = shown.context.header.now;
    let lanes = timeline.lanes.iter().enumerate();
    let rows = lanes.map(|(index, lane)| lane_row(&scale, now, index, lane, rows.get(index)));
    let names = ["timeline", "Upcoming runs of each CronJob"];
    let list = ReportList::new(names, &COLUMNS, rows).with_axis(scale.axis());
    Ok(html! {
        p class="hint" {
            "From " (time(timeline.from)) " to " (time(timeline.to)) " UTC. Hours in "
            (Escaped(shown.context.zone.name())) ". "
            span class="key starts" { "starts" } " "
            span class="key suspended" { "suspended: not started" } " "
            span class="key blocked" { "blocked until the running Job finishes" } " "
            span class="key refused" { "creating a Job fails, tried again" } " "
            span class="key held" { "not started until something is changed" }
        }
        (scale.grid())
        (list.markup()?)
    })
}

/// `24 hours`, `7 days`.
fn length(seconds: i64) -> String {
    match (seconds % 86_400, seconds % 3_600) {
        (0, _) if seconds > 2 * 86_400 => format!("{} days", seconds / 86_400),
        (_, 0) if seconds > 3_600 => format!("{} hours", seconds / 3_600),
        _ => exact(seconds),
    }
}

fn lane_row(
    scale: &Scale<'_>,
    now: Timestamp,
    index: usize,
    lane: &Lane,
    row: Option<&Row>,
) -> Markup {
    let other = format!("{} {}/{}", lane.kind, lane.namespace, lane.name);
    html! {
        tr data-i=(index) {
            th scope="row" {
                @match row {
                    Some(row) => (link(index, row)),
                    None => (Escaped(&other)),
                }
            }
            @if let Some(error) = &lane.error {
                td class="n" { (missing("unknown")) }
                td { (missing("unknown")) }
                td { (foreign(error)) }
            } @else {
                (count_cell(lane.runs))
                (time_cell(now, lane.bands.first().map(|band| band.from), "none"))
                td class="strip" {
                    svg class=(lane.outlook.as_str()) viewBox={ "0 0 " (scale.length()) " 10" }
                        preserveAspectRatio="none" role="img" {
                        title { (scale.in_words(lane)) }
                        use href="#hours" {}
                        @for band in lane.bands.iter() { (scale.bar(band)) }
                    }
                }
            }
        }
    }
}

/// The time axis of the lanes.
struct Scale<'z> {
    from: i64,
    to: i64,
    zone: &'z Zone,
}

impl<'z> Scale<'z> {
    fn of(timeline: &ReportTimeline, zone: &'z Zone) -> Self {
        Scale {
            from: timeline.from.as_second(),
            to: timeline.to.as_second(),
            zone,
        }
    }

    /// The length of a lane: a unit of the drawing is a second.
    fn length(&self) -> i64 {
        self.to - self.from
    }

    fn bar(&self, band: &Band) -> Markup {
        let mark = (self.length() / MARK).max(1);
        let x = band.from.as_second() - self.from;
        let width = band.to.as_second() - band.from.as_second() + mark;
        let gap = band
            .every_seconds
            .map(|every| every - mark)
            .filter(|gap| *gap >= mark);
        let dashes = gap.map(|gap| format!("{mark} {gap}"));
        // Runs that cannot be distinguished are drawn as one bar.
        let class = (dashes.is_none() && band.count > 1).then_some("often");
        html! { path d={ "M" (x) " 5h" (width) } stroke-dasharray=[dashes] class=[class] {} }
    }

    fn clock(&self, at: Timestamp, format: &str) -> String {
        let zone = self.zone.time_zone().clone();
        at.to_zoned(zone).strftime(format).to_string()
    }

    fn in_words(&self, lane: &Lane) -> String {
        let format = if self.length() > 86_400 {
            "%a %H:%M"
        } else {
            "%H:%M"
        };
        let band = |band: &Band| {
            let from = self.clock(band.from, format);
            let to = self.clock(band.to, format);
            match (band.every_seconds, band.count) {
                (_, 1) => from,
                (Some(every), _) => format!("every {} from {from} to {to}", exact(every)),
                (None, count) => format!("{count} from {from} to {to}"),
            }
        };
        let described: Vec<String> = lane.bands.iter().map(band).collect();
        let outlook = match lane.outlook {
            Outlook::Starts => "",
            Outlook::Suspended => ", suspended",
            Outlook::Blocked => ", blocked by a running Job",
            Outlook::Refused => ", creating a Job fails",
            Outlook::Held => ", not started until something is changed",
        };
        let colon = if described.is_empty() { "" } else { ": " };
        format!(
            "{}{outlook}{colon}{}",
            counted_in_groups(lane.runs, "run"),
            some_of(&described, DESCRIBED)
        )
    }

    /// The positions of the hour lines, and their labels.
    fn ticks(&self) -> Vec<(i64, String)> {
        const MOST: i64 = 9;
        let ends = [self.from, self.to].map(|end| Timestamp::from_second(end).unwrap_or_default());
        let Some(step) = TickStep::fitting(self.length(), MOST) else {
            return Vec::new();
        };
        let format = match step.seconds {
            ..43_200 => "%H:%M",
            43_200..DAY => "%a %H:%M",
            DAY..WEEK => "%a %d",
            WEEK.. => "%Y-%m-%d",
        };
        let ticks = step.between(ends, self.zone.time_zone()).into_iter();
        ticks
            .map(|tick| (tick.as_second() - self.from, self.clock(tick, format)))
            .collect()
    }

    /// The hour lines, which all lanes use.
    fn grid(&self) -> Markup {
        let ticks = self.ticks();
        let lines: Vec<String> = ticks.iter().map(|(x, _)| format!("M{x} 0v10")).collect();
        html! {
            svg class="unseen" aria-hidden="true" {
                defs { path id="hours" class="hours" d=(lines.concat()) {} }
            }
        }
    }

    /// The labels of the hour lines.
    fn axis(&self) -> Markup {
        let length = self.length().max(1);
        let labels = self.ticks().into_iter();
        let labels = labels.map(|(x, label)| (x * 10_000 / length, label));
        html! {
            svg class="axis" aria-hidden="true" {
                // A label at the right edge would be cut.
                @for (hundredths, label) in labels.filter(|(hundredths, _)| *hundredths < 9_400) {
                    @let x = format!("{}.{:02}%", hundredths / 100, hundredths % 100);
                    text x=(x) y="11" { (label) }
                }
            }
        }
    }
}
