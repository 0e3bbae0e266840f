//! Where a table is kept up to date: a terminal is painted anew, everything else gets more lines.

use std::io::{self, BufWriter, IsTerminal as _, Write};

use anstream::AutoStream;
use anyhow::Context as _;

use super::settings::Settings;
use super::{say_plainly, voice, warn};
use crate::output::filtered::Filtered;
use crate::output::scan::{self, Layout, Scan};
use crate::printable::{clipped, printable};
use crate::survey::{Report, Row, View};

/// Below the rows: an empty line, what they come to, and how fresh they are.
const LINES_BELOW: usize = 4;
/// The size of a terminal that does not tell.
const USUAL: (usize, usize) = (80, 24);

/// What a table is kept up to date on.
pub(super) struct Screen {
    view: View,
    layout: Layout,
    is_terminal: bool,
    is_clear: bool,
    told_lost: bool,
    quiet: bool,
    /// How wide the columns are of what was written already.
    widths: Vec<usize>,
}

impl Screen {
    pub(super) fn new(view: View, layout: Layout, quiet: bool) -> Self {
        Screen {
            view,
            layout,
            is_terminal: io::stdout().is_terminal() && !is_dumb(),
            is_clear: false,
            told_lost: false,
            quiet,
            widths: Vec::new(),
        }
    }

    pub(super) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    pub(super) fn view(&self) -> View {
        self.view
    }

    /// Paints the table over the one before. Rows that have no room are counted only.
    pub(super) fn paint(
        &mut self,
        report: &Report,
        settings: &Settings,
        lost: Option<&str>,
    ) -> anyhow::Result<()> {
        let (width, height) = size();
        self.layout.room = Some(width);
        let room = height.saturating_sub(LINES_BELOW + usize::from(self.layout.headings));
        let hidden = report.rows.len().saturating_sub(room);
        let mut shown = report.clone();
        shown.rows.truncate(room);
        // Without colours the table has no escape sequences, but the screen still needs some.
        let colours = AutoStream::choice(&io::stdout());
        let mut text = AutoStream::new(Vec::new(), colours);
        let scan = scan_of(&shown, settings);
        scan::text(&mut Filtered::new(&mut text), &scan, self.layout)?;
        let text = text.into_inner();
        let mut status = match lost {
            None => format!("as of {}", settings.now.strftime("%H:%M:%SZ")),
            Some(why) => printable(&format!("no news, trying again: {why}")),
        };
        if hidden > 0 {
            status.insert_str(0, &format!("{hidden} more have no room here; "));
        }
        let text = String::from_utf8_lossy(&text);
        let mut out = BufWriter::new(io::stdout().lock());
        let start = if self.is_clear {
            "\x1b[H"
        } else {
            "\x1b[2J\x1b[H"
        };
        self.is_clear = true;
        write!(out, "{start}")?;
        for line in text.lines().chain([status.as_str()]) {
            writeln!(out, "{}\x1b[K", clipped(line, width))?;
        }
        write!(out, "\x1b[J")?;
        out.flush().context("cannot write the table")
    }

    /// Adds the rows of which there is something to tell.
    pub(super) fn append(&mut self, mut news: Vec<Row>, settings: &Settings) -> anyhow::Result<()> {
        news.retain(|row| !self.view.problems_only || row.health.is_problem());
        if news.is_empty() {
            return Ok(());
        }
        let mut report = Report::new(news, self.view);
        // Rows come one by one: whether there are several namespaces shows only later.
        report.many_namespaces = true;
        let mut out = BufWriter::new(voice::stdout());
        let scan = scan_of(&report, settings);
        scan::rows(&mut out, &scan, self.layout, &mut self.widths)
            .and_then(|()| out.flush())
            .context("cannot write the table")?;
        self.layout.headings = false;
        Ok(())
    }

    /// Says which CronJobs are gone. They have no row any more.
    pub(super) fn tell_gone(&self, gone: &[(String, String)]) {
        for (namespace, name) in gone.iter().filter(|_| !self.quiet) {
            say_plainly(&format!("{namespace}/{name} is gone"));
        }
    }

    /// Says once that no news come.
    pub(super) fn tell_lost(&mut self, lost: Option<&str>) {
        match lost {
            Some(why) if !self.told_lost && !self.quiet => {
                warn(&format!("no news from the cluster, trying again: {why}"));
                self.told_lost = true;
            }
            Some(_) => {}
            None => self.told_lost = false,
        }
    }
}

fn scan_of<'a>(report: &'a Report, settings: &Settings) -> Scan<'a> {
    Scan {
        controller: settings.controller_document(),
        now: settings.now,
        lacks: Vec::new(),
        report,
    }
}

/// Whether the terminal can only go on to the next line.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// How wide the terminal is, if the result goes to one.
pub(super) fn width() -> Option<usize> {
    io::stdout().is_terminal().then(|| size().0)
}

/// Columns and lines.
fn size() -> (usize, usize) {
    terminal_size::terminal_size().map_or(USUAL, |(width, height)| {
        (usize::from(width.0), usize::from(height.0))
    })
}
