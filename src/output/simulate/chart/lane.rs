//! The lane of one Kubernetes version: bars for Jobs, marks for runs that did not start.
//!
//! Runs that would overlap share a mark, so that even a year of minutes has only a few hundred marks. The tooltip
//! of a mark says which runs it stands for.

use std::io::{self, Write};

use super::scale::ChartScale;
use super::{Escaped, write_text};
use crate::output::simulate::{SimulationSubject, status_label, summary_line};
use cronjob_controller::simulate::{JobEnding, SimulatedRun, SimulatedStatus, Simulation};
use cronjob_text::duration::human;

const ROW: f64 = 18.0;
const BAR: f64 = 11.0;
const MARGIN: f64 = 10.0;
/// The line above the marks, with the version and the result.
const LABEL: f64 = 24.0;
/// The maximum number of rows; more concurrent Jobs share the last one.
const MOST_ROWS: usize = 5;
/// The least width of a bar.
const LEAST_WIDTH: f64 = 2.0;
/// Runs within this number of pixels are one mark.
const SPOT: f64 = 3.0;

/// The lane of one Kubernetes version.
pub(super) struct ChartLane<'a> {
    subject: &'a SimulationSubject,
    label: String,
    gist: String,
    marks: Vec<LaneMark<'a>>,
    rows: usize,
}

/// One run, or several at the same position.
struct LaneMark<'a> {
    status: SimulatedStatus,
    first: &'a SimulatedRun,
    last: &'a SimulatedRun,
    count: usize,
    /// How many of the Jobs fail.
    failed: usize,
    /// From the start, or from the scheduled time if there is none, to the end.
    from: f64,
    to: f64,
    /// The position of the scheduled time.
    scheduled_time: f64,
    row: usize,
}

impl<'a> ChartLane<'a> {
    pub(super) fn new(
        subject: &'a SimulationSubject,
        label: String,
        simulation: &'a Simulation,
        scale: &ChartScale,
    ) -> Self {
        let mut marks: Vec<LaneMark<'a>> = Vec::new();
        for run in &simulation.runs {
            let scheduled_time = scale.x(run.scheduled_time);
            let from = scale.x(run.started_at.unwrap_or(run.scheduled_time));
            let to = match (run.started_at, run.finished_at) {
                (Some(_), Some(finished)) => scale.x(finished),
                (Some(_), None) => scale.right(),
                (None, _) => scheduled_time,
            };
            let failed = usize::from(run.result == Some(JobEnding::Failed));
            let is_near =
                |mark: &LaneMark<'_>| mark.status == run.status && (from - mark.from).abs() < SPOT;
            let mut last = marks.iter_mut().rev().take(8);
            match last.find(|mark| is_near(mark)) {
                Some(mark) => {
                    mark.last = run;
                    mark.count += 1;
                    mark.failed += failed;
                    mark.to = mark.to.max(to);
                }
                None => marks.push(LaneMark {
                    status: run.status,
                    first: run,
                    last: run,
                    count: 1,
                    failed,
                    from,
                    to,
                    scheduled_time,
                    row: 0,
                }),
            }
        }
        let rows = lay_out(&mut marks);
        ChartLane {
            subject,
            label,
            gist: summary_line(simulation),
            marks,
            rows,
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "a handful of rows")]
    pub(super) fn height(&self) -> f64 {
        LABEL + self.rows as f64 * ROW + MARGIN
    }

    pub(super) fn write(&self, out: &mut dyn Write, top: f64) -> io::Result<()> {
        writeln!(out, "<g data-release=\"{}\">", Escaped(&self.label))?;
        let label = format!("{}: {}", self.label, self.gist);
        write_text(out, super::LEFT + 4.0, top + LABEL - 6.0, "label", &label)?;
        for one in &self.marks {
            let y = self.y(one, top);
            if one.status == SimulatedStatus::Late && one.from - one.scheduled_time > 1.0 {
                let line = y + BAR / 2.0;
                writeln!(
                    out,
                    "<line class=\"wait\" x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{line:.1}\" \
                     y2=\"{line:.1}\"/>",
                    one.scheduled_time, one.from
                )?;
            }
        }
        for one in &self.marks {
            let title = self.title(one);
            let inside = format!(
                " data-status=\"{}\" data-count=\"{}\"><title>{}</title>",
                one.status.as_str(),
                one.count,
                Escaped(&title)
            );
            mark(out, one.status, one.from, one.to, self.y(one, top), &inside)?;
            if one.failed > 0 {
                failure(out, one.to.max(one.from + LEAST_WIDTH), self.y(one, top))?;
            }
        }
        writeln!(out, "</g>")
    }

    #[allow(clippy::cast_precision_loss, reason = "a handful of rows")]
    fn y(&self, mark: &LaneMark<'_>, top: f64) -> f64 {
        let row = mark.row.min(self.rows) as f64;
        top + LABEL + MARGIN / 2.0 + row * ROW + (ROW - BAR) / 2.0
    }

    fn title(&self, mark: &LaneMark<'_>) -> String {
        let status = status_label(mark.status);
        let first = self.subject.day_and_time(mark.first.scheduled_time);
        if mark.count > 1 {
            let (first_time, last) = (mark.first.scheduled_time, mark.last.scheduled_time);
            let last = self.subject.time_beside(last, first_time);
            let failed = match mark.failed {
                0 => String::new(),
                failed => format!(", {failed} failed"),
            };
            return format!("{first} to {last}: {} {status}{failed}", mark.count);
        }
        let run = mark.first;
        let mut title = format!("{first}: {status}");
        let is_late = mark.status == SimulatedStatus::Late;
        if let Some(delay) = run.delay_seconds().filter(|_| is_late) {
            title.push_str(&format!(" by {}", human(delay)));
        }
        if let Some(job) = &run.job_name {
            title.push_str(&format!("\n{job}"));
        }
        if let Some((from, to)) = run.started_at.zip(run.finished_at) {
            let took = human(to.as_second() - from.as_second());
            let how = run.result.map_or("", |ending| ending.as_str());
            title.push_str(&format!(", {how} after {took}"));
        }
        if let Some(replaced) = &run.replaced {
            title.push_str(&format!("\nreplaces {replaced}"));
        }
        let near = |at| self.subject.time_beside(at, run.scheduled_time);
        if let Some(reason) = run.reason(&near) {
            title.push_str(&format!("\n{reason}"));
        }
        title
    }
}

/// Gives each mark a row in which it overlaps no other. Returns the number of rows.
fn lay_out(marks: &mut [LaneMark<'_>]) -> usize {
    let mut ends = vec![f64::NEG_INFINITY];
    for mark in marks.iter_mut() {
        let free = ends.iter().position(|end| *end <= mark.from + 0.5);
        mark.row = match free {
            Some(row) => row,
            None if ends.len() < MOST_ROWS => {
                ends.push(f64::NEG_INFINITY);
                ends.len() - 1
            }
            None => ends.len() - 1,
        };
        if let Some(end) = ends.get_mut(mark.row) {
            *end = end.max(mark.to.max(mark.from));
        }
    }
    ends.len()
}

/// A bar for a run that started, a cross for one that did not. `inside` is the rest of the element after its own
/// attributes: more attributes, the end of the tag, and the content.
pub(super) fn mark(
    out: &mut dyn Write,
    status: SimulatedStatus,
    from: f64,
    to: f64,
    y: f64,
    inside: &str,
) -> io::Result<()> {
    let class = status.as_str();
    let inside = if inside.is_empty() { ">" } else { inside };
    match status {
        SimulatedStatus::Started | SimulatedStatus::Late | SimulatedStatus::Phantom => {
            let width = (to - from).max(LEAST_WIDTH);
            writeln!(
                out,
                "<rect class=\"{class}\" x=\"{from:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" \
                 height=\"{BAR}\" rx=\"1.5\"{inside}</rect>"
            )
        }
        SimulatedStatus::Lost => {
            let (left, right, lower) = (from - 3.0, from + 3.0, y + BAR - 2.0);
            let upper = y + 3.0;
            writeln!(
                out,
                "<path class=\"{class}\" d=\"M{left:.1} {upper:.1}L{right:.1} {lower:.1}M{right:.1} \
                 {upper:.1}L{left:.1} {lower:.1}\"{inside}</path>"
            )
        }
        SimulatedStatus::Blocked => {
            let middle = y + BAR / 2.0;
            writeln!(
                out,
                "<circle class=\"{class}\" cx=\"{from:.1}\" cy=\"{middle:.1}\" r=\"3.2\"{inside}</circle>"
            )
        }
    }
}

/// A triangle below the end of a bar: the Job fails.
pub(super) fn failure(out: &mut dyn Write, end: f64, y: f64) -> io::Result<()> {
    let (left, right) = (end - 4.5, end + 4.5);
    let (upper, lower) = (y + BAR - 1.0, y + BAR + 6.0);
    writeln!(
        out,
        "<path class=\"failed\" d=\"M{end:.1} {upper:.1}L{right:.1} {lower:.1}L{left:.1} {lower:.1}Z\"/>"
    )
}
