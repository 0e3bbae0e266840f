//! A simulation as an SVG chart, for light and dark backgrounds.

mod lane;
mod scale;

use std::io::{self, Write};

use super::{Given, SimulatedCronJob, SimulationHeader, gist, status_label};
use crate::output::xml::Escaped;
use crate::simulate::{SimulatedStatus, TimeSpan, TimeSpans};
use lane::ChartLane;
use scale::ChartScale;

/// Measures of the chart.
const WIDTH: f64 = 1000.0;
const LEFT: f64 = 214.0;
const RIGHT: f64 = 20.0;
const HEAD: f64 = 58.0;
const AXIS: f64 = 24.0;
const GAP: f64 = 26.0;
const LINE: f64 = 16.0;

/// Colors are written twice, since not every viewer supports CSS variables.
const STYLE: &str = "\
text{font:12px system-ui,sans-serif;fill:#1f2328}.faint{fill:#59636e}\
.strong{font-weight:600}.big{font-size:15px}.end{text-anchor:end}.grid{stroke:#d1d9e0;stroke-width:1}\
.paper{fill:#ffffff}.outage{fill:#d1242f;opacity:.14}.suspended{fill:#818b98;opacity:.25}\
.started{fill:#1a7f37}.late{fill:#bf8700}.phantom{fill:#bf3989}\
.wait{stroke:#bf8700;stroke-width:1.5}\
.lost{stroke:#d1242f;stroke-width:1.8;fill:none}\
.blocked{stroke:#8250df;stroke-width:1.8;fill:none}\
@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.faint{fill:#9198a1}.grid{stroke:#3d444d}\
.paper{fill:#0d1117}.outage{fill:#f85149;opacity:.22}.suspended{fill:#9198a1}\
.started{fill:#3fb950}.late{fill:#d29922}.phantom{fill:#f778ba}.wait{stroke:#d29922}\
.lost{stroke:#f85149}.blocked{stroke:#ab7df8}}";

/// Writes the chart of all simulations.
pub(crate) fn svg(
    out: &mut dyn Write,
    header: &SimulationHeader,
    items: &[SimulatedCronJob<'_>],
) -> io::Result<()> {
    let mut body = Vec::new();
    let mut top = HEAD;
    for item in items {
        top = chart(&mut body, &header.given, item, top)?;
    }
    let height = top + 26.0;
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         role=\"img\" aria-labelledby=\"title desc\">"
    )?;
    let names: Vec<String> = items.iter().map(|item| item.subject.name()).collect();
    let title = format!("Simulation of {}", listed(&names));
    writeln!(out, "<title id=\"title\">{}</title>", Escaped(&title))?;
    let gists = items.iter().flat_map(|item| {
        item.simulations.iter().map(|(release, simulation)| {
            format!(
                "{}, Kubernetes {release}: {}.",
                item.subject.name(),
                gist(simulation)
            )
        })
    });
    let gists: Vec<String> = gists.collect();
    writeln!(
        out,
        "<desc id=\"desc\">{}</desc>",
        Escaped(&gists.join(" "))
    )?;
    writeln!(out, "<style>{STYLE}</style>")?;
    writeln!(
        out,
        "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>"
    )?;
    let assumed = format!("Jobs take {}", header.given.job_duration);
    write_text(out, 16.0, 24.0, "big strong", &title)?;
    write_text(out, 16.0, 43.0, "faint", &assumed)?;
    out.write_all(&body)?;
    legend(out, &header.given, items, height - 12.0)?;
    writeln!(out, "</svg>")
}

/// The chart of one `CronJob`, beginning at a height. Returns the height at which it ends.
fn chart(
    out: &mut dyn Write,
    given: &Given,
    item: &SimulatedCronJob<'_>,
    top: f64,
) -> io::Result<f64> {
    let Some((_, first)) = item.simulations.first() else {
        return Ok(top);
    };
    let subject = &item.subject;
    let scale = ChartScale::new(first.from, first.to, LEFT, WIDTH - RIGHT);
    let name = subject.name();
    let zone = format!("in {}", subject.zone.name());
    let mut below = vec![zone.as_str()];
    if subject.is_named {
        below.insert(0, &subject.cron_job.spec.schedule);
    }
    write_text(out, 16.0, top + 14.0, "strong", &shortened(&name, 26))?;
    let lanes: Vec<ChartLane<'_>> = item
        .simulations
        .iter()
        .map(|(release, simulation)| {
            ChartLane::new(subject, release.to_string(), simulation, &scale)
        })
        .collect();
    let height: f64 = lanes.iter().map(ChartLane::height).sum();
    let (upper, lower) = (top + AXIS, top + AXIS + height);
    let mut y = upper + 8.0;
    for line in below {
        write_text(out, 16.0, y, "faint", &shortened(line, 23))?;
        y += LINE;
    }
    for (moment, label) in scale.ticks(subject) {
        let x = scale.x(moment);
        writeln!(
            out,
            "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{upper}\" y2=\"{lower}\"/>"
        )?;
        // At the edge there is no room for it.
        if x + 60.0 < WIDTH {
            write_text(out, x + 3.0, top + 14.0, "faint", &label)?;
        }
    }
    let mut band = |spans: &TimeSpans, class: &str, what: &str| -> io::Result<()> {
        for TimeSpan { from, to } in spans.iter() {
            let (x, end) = (scale.x(from), scale.x(to));
            if end <= x {
                continue;
            }
            let title = format!(
                "{what}: {} to {}",
                subject.day_and_time(from),
                subject.time_beside(to, from)
            );
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
    band(&given.outages, "outage", "the controller is down")?;
    band(&given.suspended, "suspended", "suspended")?;
    let mut y = upper;
    for lane in lanes {
        lane.write(out, y)?;
        y += lane.height();
    }
    Ok(lower + GAP)
}

/// The legend of the colors, marks and bands that occur.
fn legend(
    out: &mut dyn Write,
    given: &Given,
    items: &[SimulatedCronJob<'_>],
    y: f64,
) -> io::Result<()> {
    let mut x = LEFT;
    let simulations = || items.iter().flat_map(|item| &item.simulations);
    let all = [
        SimulatedStatus::Started,
        SimulatedStatus::Late,
        SimulatedStatus::Lost,
        SimulatedStatus::Blocked,
        SimulatedStatus::Phantom,
    ];
    for status in all {
        let count: u64 = simulations()
            .map(|(_, simulation)| {
                let sums = &simulation.summary;
                match status {
                    SimulatedStatus::Started => sums.started,
                    SimulatedStatus::Late => sums.late,
                    SimulatedStatus::Lost => sums.lost,
                    SimulatedStatus::Blocked => sums.blocked,
                    SimulatedStatus::Phantom => sums.phantom,
                }
            })
            .sum();
        if count == 0 {
            continue;
        }
        lane::mark(out, status, x, x + 10.0, y - 9.0, "")?;
        let label = status_label(status);
        write_text(out, x + 16.0, y, "faint", label)?;
        // Room for the mark and for the label at its font size.
        #[allow(clippy::cast_precision_loss, reason = "a short label")]
        let width = 48.0 + 6.0 * label.len() as f64;
        x += width;
    }
    let bands = [
        (&given.outages, "outage", "controller down"),
        (&given.suspended, "suspended", "suspended"),
    ];
    for (spans, class, words) in bands {
        if spans.iter().next().is_none() {
            continue;
        }
        let top = y - 9.0;
        writeln!(
            out,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{top:.1}\" width=\"10\" height=\"11\"/>"
        )?;
        write_text(out, x + 16.0, y, "faint", words)?;
        x += 130.0;
    }
    Ok(())
}

fn write_text(out: &mut dyn Write, x: f64, y: f64, class: &str, text: &str) -> io::Result<()> {
    writeln!(
        out,
        "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
        Escaped(text)
    )
}

/// The text that fits left of a lane.
fn shortened(text: &str, width: usize) -> String {
    crate::printable::shortened(text, width)
}

/// A few names, and the number of further ones.
fn listed(names: &[String]) -> String {
    const MOST: usize = 3;
    let shown: Vec<&str> = names.iter().take(MOST).map(String::as_str).collect();
    match names.len().saturating_sub(MOST) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
