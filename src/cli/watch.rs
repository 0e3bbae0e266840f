//! `scan --watch`: a table that follows the cluster. A terminal is painted again, everything else
//! gets more lines.

use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::time::Duration;

use anstream::AutoStream;
use anyhow::Context as _;

use super::stdio::{self, say_plainly, terminal_size, warn};
use super::world::controller_document;
use crate::cluster::{WatchEvent, WatchedObject, WatchedObjects};
use crate::diagnose::Coverage;
use crate::evidence::{Basis, Live, World};
use crate::output::filtered::Filtered;
use crate::output::scan::{self, Layout, Scan};
use crate::printable::{clipped, printable};
use crate::survey::{LiveSurvey, Row, RowSelection, SurveyReport};

/// A countdown in seconds moves every second.
const TICK: Duration = Duration::from_secs(1);

/// Follows the cluster until a signal ends it.
pub(super) fn watch(live: &Live, world: World, mut screen: Screen) -> anyhow::Result<()> {
    let (read_at, coverage) = (world.basis.clone(), world.coverage);
    let mut board = LiveSurvey::new(world.into_dossiers());
    // Why no changes come, if none do.
    let mut lost: Option<String> = None;
    let mut changes = live.session.changes(&live.wanted, &live.versions);
    loop {
        let basis = read_at.at(live.clock.now());
        let coverage = Coverage {
            as_of: basis.now,
            ..coverage
        };
        board.refresh(&basis.controller(), coverage, basis.now);
        let gone = board.gone();
        if screen.is_terminal() {
            let rows = board.rows().cloned().collect();
            let report = SurveyReport::new(rows, screen.view());
            screen.paint(&report, &basis, lost.as_deref())?;
        } else {
            screen.tell_gone(&gone);
            screen.tell_lost(lost.as_deref());
            screen.append(board.news(), &basis)?;
        }
        for change in changes.wait(TICK)? {
            apply(&mut board, &mut lost, change);
        }
    }
}

/// Warns once while no changes come, and of each object that cannot be read.
pub(super) struct LossWarning {
    quiet: bool,
    is_lost: bool,
}

impl LossWarning {
    pub(super) fn new(quiet: bool) -> Self {
        LossWarning {
            quiet,
            is_lost: false,
        }
    }

    pub(super) fn note(&mut self, change: &WatchEvent) {
        match change {
            WatchEvent::Lost(why) if !std::mem::replace(&mut self.is_lost, true) && !self.quiet => {
                warn(&format!("no news from the cluster, trying again: {why}"));
            }
            WatchEvent::Back => self.is_lost = false,
            WatchEvent::Unreadable(why) => warn(why),
            _ => {}
        }
    }
}

/// Does to the board what happened in the cluster.
pub(super) fn apply(board: &mut LiveSurvey, lost: &mut Option<String>, change: WatchEvent) {
    match change {
        WatchEvent::Now(WatchedObject::CronJob(cron_job)) => board.set_cron_job(*cron_job),
        WatchEvent::Now(WatchedObject::Job(job)) => board.set_job(&job),
        WatchEvent::Now(WatchedObject::Event(event)) => board.set_event(*event),
        WatchEvent::Gone(WatchedObject::CronJob(cron_job)) => board.remove_cron_job(&cron_job),
        WatchEvent::Gone(WatchedObject::Job(job)) => board.remove_job(&job),
        WatchEvent::Gone(WatchedObject::Event(event)) => board.remove_event(&event),
        WatchEvent::All(WatchedObjects::CronJobs(cron_jobs)) => board.replace_cron_jobs(cron_jobs),
        WatchEvent::All(WatchedObjects::Jobs(jobs)) => board.replace_jobs(&jobs),
        WatchEvent::All(WatchedObjects::Events(events)) => board.replace_events(events),
        WatchEvent::Now(WatchedObject::Pod(_))
        | WatchEvent::Gone(WatchedObject::Pod(_))
        | WatchEvent::All(WatchedObjects::Pods(_)) => {}
        WatchEvent::Unreadable(why) => super::warn(&why),
        WatchEvent::Lost(why) => *lost = Some(why),
        WatchEvent::Back => *lost = None,
    }
}

/// Below the rows: an empty line, what they come to, and how fresh they are.
const LINES_BELOW: usize = 4;

/// What a table is kept up to date on.
pub(super) struct Screen {
    view: RowSelection,
    layout: Layout,
    is_terminal: bool,
    is_clear: bool,
    told_lost: bool,
    quiet: bool,
    /// How wide the columns are of what was written already.
    widths: Vec<usize>,
}

impl Screen {
    pub(super) fn new(view: RowSelection, layout: Layout, quiet: bool) -> Self {
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

    pub(super) fn view(&self) -> RowSelection {
        self.view
    }

    /// Paints the table over the one before. Rows that have no room are counted only.
    pub(super) fn paint(
        &mut self,
        report: &SurveyReport,
        basis: &Basis,
        lost: Option<&str>,
    ) -> anyhow::Result<()> {
        let (width, height) = terminal_size();
        self.layout.room = Some(width);
        let room = height.saturating_sub(LINES_BELOW + usize::from(self.layout.headings));
        let hidden = report.rows.len().saturating_sub(room);
        let mut shown = report.clone();
        shown.rows.truncate(room);
        // Without colours the table has no escape sequences, but the screen still needs some.
        let colours = AutoStream::choice(&io::stdout());
        let mut text = AutoStream::new(Vec::new(), colours);
        let scan = scan_of(&shown, basis);
        scan::text(&mut Filtered::new(&mut text), &scan, self.layout)?;
        let text = text.into_inner();
        let mut status = match lost {
            None => format!("as of {}", basis.now.strftime("%H:%M:%SZ")),
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
    pub(super) fn append(&mut self, mut news: Vec<Row>, basis: &Basis) -> anyhow::Result<()> {
        news.retain(|row| !self.view.problems_only || row.health.is_problem());
        if news.is_empty() {
            return Ok(());
        }
        let mut report = SurveyReport::new(news, self.view);
        // Rows come one by one: whether there are several namespaces shows only later.
        report.many_namespaces = true;
        let mut out = BufWriter::new(stdio::stdout());
        let scan = scan_of(&report, basis);
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

fn scan_of<'a>(report: &'a SurveyReport, basis: &Basis) -> Scan<'a> {
    Scan {
        controller: controller_document(basis),
        now: basis.now,
        lacks: Vec::new(),
        report,
    }
}

/// Whether the terminal can only go on to the next line.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}
