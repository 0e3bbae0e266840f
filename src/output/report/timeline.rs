//! What is to come: a line of slots for each `CronJob`.

use std::io::{self, Write};

use jiff::{Timestamp, ToSpan as _};

use super::Sheet;
use super::markup::{Count, Foreign, Named, number, with_distance};
use super::table::{Column, Table};
use crate::duration::exact;
use crate::output::xml::Escaped;
use crate::report::{Band, Lane, Outlook, Timeline};
use crate::schedule::Zone;
use crate::survey::Row;

const COLUMNS: [Column; 4] = [
    Column::up("CronJob", "who"),
    Column::down("Slots", "n"),
    Column::up("First (UTC)", "time"),
    Column::new("When", "strip"),
];

/// A slot is drawn as wide as this part of the line.
const MARK: i64 = 300;
/// More bands than these are not put into words.
const TOLD: usize = 3;

/// The heading of the section: how far it reaches.
pub(super) fn heading(sheet: &Sheet<'_>) -> String {
    let scale = Scale::of(&sheet.report.timeline, &sheet.made.zone);
    format!("The next {}", length(scale.length()))
}

/// Writes what stands in the section.
pub(super) fn content(out: &mut dyn Write, sheet: &Sheet<'_>) -> io::Result<()> {
    let timeline = &sheet.report.timeline;
    if timeline.lanes.is_empty() {
        return writeln!(out, "<p>Nothing is to come.</p>");
    }
    writeln!(
        out,
        "<p class=\"hint\">From {} to {}; the hours above the lines are those of {}. \
         <span class=\"key starts\">started</span> <span class=\"key suspended\">suspended: not started</span> \
         <span class=\"key blocked\">blocked until the running Job finishes</span> \
         <span class=\"key held\">not started until something is changed</span></p>",
        timeline.span.from(),
        timeline.span.to(),
        Escaped(sheet.made.zone.name())
    )?;
    let scale = Scale::of(timeline, &sheet.made.zone);
    scale.grid(out)?;
    let caption = "The slots of each CronJob";
    let mut table = Table::begin(out, "timeline", caption, &COLUMNS, &scale.axis())?;
    let rows = &sheet.report.survey.rows;
    for (index, (lane, row)) in timeline.lanes.iter().zip(rows).enumerate() {
        one(table.row()?, &scale, sheet.made.now, index, lane, row)?;
    }
    table.end()
}

/// `24 hours`, `7 days`.
fn length(seconds: i64) -> String {
    match (seconds % 86_400, seconds % 3_600) {
        (0, _) if seconds > 2 * 86_400 => format!("{} days", seconds / 86_400),
        (_, 0) if seconds > 3_600 => format!("{} hours", seconds / 3_600),
        _ => exact(seconds),
    }
}

fn one(
    out: &mut dyn Write,
    scale: &Scale<'_>,
    now: Timestamp,
    index: usize,
    lane: &Lane,
    row: &Row,
) -> io::Result<()> {
    write!(
        out,
        "<tr data-i=\"{index}\"><th scope=\"row\"><a href=\"#c{index}\">{}</a></th>",
        Named(row)
    )?;
    if let Some(problem) = &lane.problem {
        let problem = problem.to_string();
        return writeln!(
            out,
            "<td class=\"n\"><span class=\"none\">unknown</span></td><td><span class=\"none\">unknown</span></td>\
             <td>{}</td></tr>",
            Foreign(&problem)
        );
    }
    write!(out, "{}", Count(lane.runs))?;
    match lane.bands.first() {
        Some(first) => write!(
            out,
            "<td data-v=\"{}\">{}</td>",
            first.from.as_second(),
            with_distance(now, first.from)
        )?,
        None => write!(out, "<td><span class=\"none\">none</span></td>")?,
    }
    write!(
        out,
        "<td class=\"strip\"><svg class=\"{}\" viewBox=\"0 0 {} 10\" preserveAspectRatio=\"none\" \
         role=\"img\"><title>{}</title><use href=\"#hours\"/>",
        lane.outlook.as_str(),
        scale.length(),
        Escaped(&scale.in_words(lane))
    )?;
    for band in &lane.bands {
        scale.draw(out, band)?;
    }
    writeln!(out, "</svg></td></tr>")
}

/// From moments to places.
struct Scale<'z> {
    from: i64,
    to: i64,
    zone: &'z Zone,
}

impl<'z> Scale<'z> {
    fn of(timeline: &Timeline, zone: &'z Zone) -> Self {
        let span = timeline.span;
        Scale {
            from: span.from().as_second(),
            to: span.to().as_second(),
            zone,
        }
    }

    /// A line is as long as its time has seconds, whatever its width on the screen.
    fn length(&self) -> i64 {
        self.to - self.from
    }

    fn draw(&self, out: &mut dyn Write, band: &Band) -> io::Result<()> {
        let mark = (self.length() / MARK).max(1);
        let x = band.from.as_second() - self.from;
        let width = band.to.as_second() - band.from.as_second() + mark;
        write!(out, "<path d=\"M{x} 5h{width}\"")?;
        match band.every {
            Some(every) if every >= 2 * mark => {
                write!(out, " stroke-dasharray=\"{mark} {}\"", every - mark)?;
            }
            // Slots that cannot be told apart are drawn as one bar.
            _ if band.count > 1 => write!(out, " class=\"often\"")?,
            _ => {}
        }
        write!(out, "/>")
    }

    fn clock(&self, at: Timestamp, format: &str) -> String {
        let zone = self.zone.time_zone().clone();
        at.to_zoned(zone).strftime(format).to_string()
    }

    /// What a line shows.
    fn in_words(&self, lane: &Lane) -> String {
        let format = if self.length() > 86_400 {
            "%a %H:%M"
        } else {
            "%H:%M"
        };
        let band = |band: &Band| {
            let from = self.clock(band.from, format);
            let to = self.clock(band.to, format);
            match (band.every, band.count) {
                (_, 1) => from,
                (Some(every), _) => format!("every {} from {from} to {to}", exact(every)),
                (None, count) => format!("{count} from {from} to {to}"),
            }
        };
        let told: Vec<String> = lane.bands.iter().take(TOLD).map(band).collect();
        let more = lane.bands.len().saturating_sub(TOLD);
        let more = match more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let outlook = match lane.outlook {
            Outlook::Starts => "",
            Outlook::Suspended => ", suspended",
            Outlook::Blocked => ", blocked by a running Job",
            Outlook::Held => ", not started until something is changed",
        };
        let slots = if lane.runs == 1 { "slot" } else { "slots" };
        let colon = if told.is_empty() { "" } else { ": " };
        format!(
            "{} {slots}{outlook}{colon}{}{more}",
            number(lane.runs),
            told.join(", ")
        )
    }

    /// Where lines of the clock are drawn, and what they are called.
    fn ticks(&self) -> Vec<(i64, String)> {
        const STEPS: [(i64, i64, &str); 9] = [
            (900, 0, "%H:%M"),
            (3_600, 1, "%H:%M"),
            (2 * 3_600, 2, "%H:%M"),
            (3 * 3_600, 3, "%H:%M"),
            (6 * 3_600, 6, "%H:%M"),
            (12 * 3_600, 12, "%a %H:%M"),
            (86_400, 24, "%a %d"),
            (7 * 86_400, 7 * 24, "%m-%d"),
            (28 * 86_400, 28 * 24, "%Y-%m-%d"),
        ];
        let length = self.length();
        let fits = |(seconds, ..): &&(i64, i64, &str)| length / seconds <= 9;
        let Some((seconds, hours, format)) = STEPS.iter().find(fits).or(STEPS.last()) else {
            return Vec::new();
        };
        let Ok(from) = Timestamp::from_second(self.from) else {
            return Vec::new();
        };
        let Ok(day) = from.to_zoned(self.zone.time_zone().clone()).start_of_day() else {
            return Vec::new();
        };
        let mut ticks = Vec::new();
        for step in 0..=(2 * length / seconds + 96) {
            let at = match hours {
                0 => day.checked_add((step * 15).minutes()),
                // On the clock, so that days begin at midnight when clocks are turned, too.
                hours if hours % 24 == 0 => day.checked_add((step * hours / 24).days()),
                hours => day
                    .checked_add((step * hours / 24).days())
                    .and_then(|day| day.datetime().checked_add((step * hours % 24).hours()))
                    .and_then(|local| local.to_zoned(self.zone.time_zone().clone())),
            };
            let Ok(at) = at else { break };
            let second = at.timestamp().as_second();
            if second >= self.to {
                break;
            }
            if second >= self.from {
                ticks.push((second - self.from, at.strftime(format).to_string()));
            }
        }
        ticks
    }

    /// The lines of the clock, once for all.
    fn grid(&self, out: &mut dyn Write) -> io::Result<()> {
        let ticks = self.ticks();
        let lines: Vec<String> = ticks.iter().map(|(x, _)| format!("M{x} 0v10")).collect();
        let lines = lines.concat();
        writeln!(
            out,
            "<svg class=\"unseen\" aria-hidden=\"true\"><defs><path id=\"hours\" class=\"hours\" d=\"{lines}\"/>\
             </defs></svg>"
        )
    }

    /// The labels of the lines of the clock.
    fn axis(&self) -> String {
        let mut axis = "<svg class=\"axis\" aria-hidden=\"true\">".to_owned();
        for (x, label) in self.ticks() {
            // At the edge there is no room for it.
            let hundredths = x * 10_000 / self.length().max(1);
            if hundredths < 9_400 {
                let percent = format!("{}.{:02}", hundredths / 100, hundredths % 100);
                axis.push_str(&format!("<text x=\"{percent}%\" y=\"11\">{label}</text>"));
            }
        }
        axis.push_str("</svg>");
        axis
    }
}
