//! A simulation as an SVG chart, for light and dark backgrounds.

mod lane;
mod scale;

use std::io::{self, Write};

use super::{Assumptions, SimulatedCronJob, SimulationHeader, status_label, summary_line};
use crate::output::xml::{Escaped, begin_svg};
use cronjob_controller::simulate::{SimulatedStatus, SimulationSummary, TimeSpan, TimeSpans};
use cronjob_text::printable::{shortened, width};
use cronjob_text::words::some_of;
use lane::ChartLane;
use scale::ChartScale;

/// Measures of the chart. It is also read at 400 pixels, where the text is larger in relation to the rest.
const WIDTH: f64 = 700.0;
const LEFT: f64 = 16.0;
const RIGHT: f64 = 16.0;
const HEAD: f64 = 58.0;
/// The name, the schedule, the days and the hours above the lanes.
const AXIS: f64 = 92.0;
const GAP: f64 = 30.0;
const LINE: f64 = 22.0;
/// The width of a letter of the larger text.
const LETTER: f64 = 10.5;

/// The most letters of a line at 400 pixels.
fn most_letters(class: &str) -> usize {
    match class {
        "big strong" => 50,
        "strong" => 58,
        _ => 70,
    }
}

/// Colors are written twice, since not every viewer supports CSS variables. Whatever has a color of its own also has
/// a shape or an outline of its own.
const STYLE: &str = include_str!("chart.css");

/// Writes the chart of all simulations.
pub(super) fn svg(
    out: &mut dyn Write,
    header: &SimulationHeader,
    items: &[SimulatedCronJob],
) -> io::Result<()> {
    let mut body = Vec::new();
    let mut top = HEAD;
    for item in items {
        top = chart(&mut body, header, item, top)?;
    }
    let mut below = Vec::new();
    let height = legend(&mut below, &header.given, items, top)? + 14.0;
    let size = format!("viewBox=\"0 0 {WIDTH} {height}\"");
    let paper = "width=\"100%\" height=\"100%\"";
    let names: Vec<String> = items.iter().map(|item| item.subject.name()).collect();
    let title = format!("Simulation of {}", some_of(&names, 3));
    let gists = items.iter().flat_map(|item| {
        item.simulations.iter().map(|(release, simulation)| {
            let (name, version) = (item.subject.name(), header.version(*release));
            format!(
                "{name}, Kubernetes {version}: {}.",
                summary_line(simulation)
            )
        })
    });
    let gists: Vec<String> = gists.collect();
    begin_svg(out, &size, paper, &title, &gists.join(" "), STYLE)?;
    let assumed = format!("Jobs take {}", header.given.job_duration);
    // All names are also above the lanes.
    let shown = if width(&title) > most_letters("big strong") {
        format!("Simulation of {}", some_of(&names, 1))
    } else {
        title
    };
    write_text(out, LEFT, 26.0, "big strong", &shown)?;
    write_text(out, LEFT, 48.0, "faint", &assumed)?;
    out.write_all(&body)?;
    out.write_all(&below)?;
    writeln!(out, "</svg>")
}

/// The chart of one `CronJob`, beginning at a height. Returns the height at which it ends.
fn chart(
    out: &mut dyn Write,
    header: &SimulationHeader,
    item: &SimulatedCronJob,
    top: f64,
) -> io::Result<f64> {
    let Some((_, first)) = item.simulations.first() else {
        return Ok(top);
    };
    let (subject, given) = (&item.subject, &header.given);
    let scale = ChartScale::new(first.from, first.to, LEFT, WIDTH - RIGHT);
    let zone = subject.zone.name();
    let below = if subject.is_named {
        format!("{} in {zone}", subject.cron_job.spec.schedule)
    } else {
        format!("in {zone}")
    };
    write_text(out, LEFT, top + 16.0, "strong", &subject.name())?;
    write_text(out, LEFT, top + 16.0 + LINE, "faint", &below)?;
    let lanes = item.simulations.iter().map(|(release, simulation)| {
        ChartLane::new(subject, header.version(*release), simulation, &scale)
    });
    let lanes: Vec<ChartLane<'_>> = lanes.collect();
    let height: f64 = lanes.iter().map(ChartLane::height).sum();
    let (upper, lower) = (top + AXIS, top + AXIS + height);
    for (moment, label) in scale.days(subject) {
        write_text(out, scale.x(moment), upper - 6.0 - LINE, "faint", &label)?;
    }
    for (moment, label) in scale.ticks(subject) {
        let x = scale.x(moment);
        writeln!(
            out,
            "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{upper}\" y2=\"{lower}\"/>"
        )?;
        // At the edge it does not fit.
        if x + 6.0 * LETTER < WIDTH {
            write_text(out, x, upper - 6.0, "faint", &label)?;
        }
    }
    let mut band = |spans: &TimeSpans, class: &str, height: f64, what: &str| -> io::Result<()> {
        for TimeSpan { from, to } in spans.iter() {
            let (x, end) = (scale.x(from), scale.x(to));
            if end <= x {
                continue;
            }
            let (first, last) = (subject.day_and_time(from), subject.time_beside(to, from));
            let title = format!("{what}: {first} to {last}");
            writeln!(
                out,
                "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{upper}\" width=\"{:.1}\" \
                 height=\"{height}\"><title>{}</title></rect>",
                end - x,
                Escaped(&title)
            )?;
        }
        Ok(())
    };
    band(&given.outages, "outage", height, "the controller is down")?;
    band(&given.suspended, "suspended", height, "suspended")?;
    if let Some(upgrade) = &given.upgrade {
        let span = TimeSpans::from_iter([(upgrade.from, upgrade.to)]);
        let upgraded = lanes.first().map_or(0.0, ChartLane::height);
        let what = format!("upgrade to {}", upgrade.release);
        band(&span, "upgrade", upgraded, &what)?;
    }
    let mut y = upper;
    for lane in lanes {
        lane.write(out, y)?;
        y += lane.height();
    }
    Ok(lower + GAP)
}

/// The legend of the marks and bands that occur, from a height on. Returns the height at which it ends.
fn legend(
    out: &mut dyn Write,
    given: &Assumptions,
    items: &[SimulatedCronJob],
    top: f64,
) -> io::Result<f64> {
    let (mut x, mut y) = (LEFT, top);
    // The place of the next entry.
    let mut place = |label: &str| {
        // Room for the mark and for the label.
        #[allow(clippy::cast_precision_loss, reason = "a short label")]
        let width = 34.0 + LETTER * label.len() as f64;
        if x > LEFT && x + width > WIDTH - RIGHT {
            (x, y) = (LEFT, y + LINE);
        }
        let at = (x, y);
        x += width;
        at
    };
    let simulations = items.iter().flat_map(|item| &item.simulations);
    let summaries = simulations.map(|(_, simulation)| simulation.summary);
    let sums = summaries.fold(SimulationSummary::default(), SimulationSummary::plus);
    let all = [
        (SimulatedStatus::Started, sums.started),
        (SimulatedStatus::Late, sums.late),
        (SimulatedStatus::Lost, sums.lost),
        (SimulatedStatus::Blocked, sums.blocked),
        (SimulatedStatus::Phantom, sums.phantom),
    ];
    for (status, _) in all.into_iter().filter(|(_, count)| *count > 0) {
        let label = status_label(status);
        let (x, y) = place(label);
        lane::mark(out, status, x, x + 12.0, y - 10.0, "")?;
        write_text(out, x + 18.0, y, "faint", label)?;
    }
    if sums.failed > 0 {
        let (x, y) = place("failed");
        lane::mark(out, SimulatedStatus::Started, x, x + 12.0, y - 12.0, "")?;
        lane::failure(out, x + 12.0, y - 12.0)?;
        write_text(out, x + 18.0, y, "faint", "failed")?;
    }
    let is_any = |spans: &TimeSpans| spans.iter().next().is_some();
    let bands = [
        (is_any(&given.outages), "outage", "controller down"),
        (given.upgrade.is_some(), "upgrade", "upgrade"),
        (is_any(&given.suspended), "suspended", "suspended"),
    ];
    for (_, class, label) in bands.into_iter().filter(|(occurs, ..)| *occurs) {
        let (x, y) = place(label);
        let top = y - 10.0;
        writeln!(
            out,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{top:.1}\" width=\"12\" height=\"11\"/>"
        )?;
        write_text(out, x + 18.0, y, "faint", label)?;
    }
    Ok(y)
}

/// Writes one line of text. What is cut is in its tooltip.
fn write_text(out: &mut dyn Write, x: f64, y: f64, class: &str, text: &str) -> io::Result<()> {
    let shown = shortened(text, most_letters(class));
    write!(
        out,
        "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{}",
        Escaped(&shown)
    )?;
    if shown != text {
        write!(out, "<title>{}</title>", Escaped(text))?;
    }
    writeln!(out, "</text>")
}
