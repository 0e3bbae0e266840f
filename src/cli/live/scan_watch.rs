//! `scan --watch`: a table that follows the cluster. A terminal is painted again, any other output gets more
//! lines.

use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::sync::mpsc;
use std::time::Duration;

use anstream::AutoStream;
use anyhow::{Context as _, bail};

use crate::cli::args::Common;
use crate::cli::live::live_survey::apply_change;
use crate::cli::live::unwatched::{READ_EVERY, UnwatchedReader};
use crate::cli::live::watch::{Next, WatchLoop};
use crate::cli::query::Query as _;
use crate::cli::scan::{ScanArgs, layout, view};
use crate::cli::stdio::{self, hint, is_quiet, terminal_size};
use crate::cli::world::document_header;
use crate::evidence::Basis;
use crate::output::contexts::ContextAnswers;
use crate::output::filtered::Filtered;
use crate::output::scan::causes::above;
use crate::output::scan::text::{self, table};
use crate::output::scan::{Layout, Scan};
use crate::output::{Format, ReadHeader};
use cronjob_diagnosis::survey::{LiveSurvey, Row, RowSelection, ScanSelection, SurveyReport};
use cronjob_text::printable::{clipped, printable};
use kube_access::WatchEvent;

/// A countdown in seconds moves every second.
const TICK: Duration = Duration::from_secs(1);

/// Follows the cluster until a signal ends it.
pub(crate) fn watch(common: &Common, args: &ScanArgs) -> anyhow::Result<()> {
    if !matches!(args.output, None | Some(Format::Wide)) {
        bail!("--watch only works with the table output (-o wide)");
    }
    let basis = common.basis(&args.basis)?;
    let (live, world) = common.load_live(basis, &args.selection, args.needs()?)?;
    let live = &live;
    let mut screen = Screen::new(view(args), layout(args, false));
    let (read_at, coverage) = (world.basis.clone(), world.coverage);
    let mut survey = LiveSurvey::new(world.into_evidence());
    // Why no changes come, if none do.
    let mut lost: Option<String> = None;
    let changes = live.session.changes(&live.wanted, &live.versions);
    // A terminal has the warning below the table.
    let warns = !is_quiet() && !screen.is_terminal;
    let mut reader = UnwatchedReader::new(READ_EVERY);
    let (sender, readings) = mpsc::channel();
    let ended = WatchLoop::new(changes, warns).run(|_, updates| {
        for update in updates {
            match update.change()? {
                Some(WatchEvent::Lost { why, .. }) => lost = Some(why),
                Some(WatchEvent::Back { .. }) => lost = None,
                Some(change) => apply_change(&mut survey, change),
                None => {}
            }
        }
        for unwatched in readings.try_iter() {
            reader.store(unwatched, &mut survey, lost.is_some());
        }
        let sender = sender.clone();
        // The program may have ended.
        reader.read_if_due(live, &mut survey, move |_, read| drop(sender.send(read)));
        let basis = read_at.at(live.clock.now());
        let coverage = live.judge_together(&mut survey, &basis, coverage);
        survey.refresh(&basis.controller, &basis.kubectl, coverage, basis.now);
        let gone = survey.gone();
        if screen.is_terminal {
            let rows = survey.rows().cloned().collect();
            let report = SurveyReport::new(rows, screen.view);
            screen.paint(&report, &basis, lost.as_deref())?;
        } else {
            for key in &gone {
                hint(&format!("{key} deleted"));
            }
            screen.append(survey.news(), &basis)?;
        }
        Ok(Next::Wait::<()>(TICK))
    });
    ended.map(drop)
}

/// Below the rows: an empty line, the summary, and the time.
const LINES_BELOW: usize = 4;

/// The terminal or stream on which the table is kept up to date.
struct Screen {
    view: RowSelection,
    layout: Layout,
    is_terminal: bool,
    is_clear: bool,
    /// How wide the columns are of what was written already.
    widths: Vec<usize>,
}

impl Screen {
    fn new(view: RowSelection, layout: Layout) -> Self {
        Screen {
            view,
            layout,
            is_terminal: io::stdout().is_terminal() && !is_dumb(),
            is_clear: false,
            widths: Vec::new(),
        }
    }

    /// Paints the table over the one before. Rows that do not fit are only counted.
    fn paint(
        &mut self,
        report: &SurveyReport,
        basis: &Basis,
        lost: Option<&str>,
    ) -> anyhow::Result<()> {
        let (width, height) = terminal_size();
        self.layout.width = Some(width);
        let above = above(&scan_of(report, basis)).lines().count();
        let others = LINES_BELOW + usize::from(self.layout.headings) + above;
        let row_count = height.saturating_sub(others);
        let hidden = report.rows.len().saturating_sub(row_count);
        let mut shown = report.clone();
        shown.rows.truncate(row_count);
        // Without colors the table has no escape sequences, but the screen still needs some.
        let colors = AutoStream::choice(&io::stdout());
        let mut text = Vec::new();
        let scan = scan_of(&shown, basis);
        text::text(
            &mut Filtered::new(&mut text, colors),
            &ContextAnswers::one(scan),
            Layout {
                wraps: false,
                height: None,
                ..self.layout
            },
            None,
        )?;
        let mut status = match lost {
            None => format!("as of {}", basis.now.strftime("%H:%M:%SZ")),
            Some(why) => printable(&format!("connection lost, retrying: {why}")),
        };
        if hidden > 0 {
            status.insert_str(0, &format!("{hidden} more not shown; "));
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

    /// Adds rows that are new or have changed.
    fn append(&mut self, mut news: Vec<Row>, basis: &Basis) -> anyhow::Result<()> {
        news.retain(|row| self.view.shows(row));
        if news.is_empty() {
            return Ok(());
        }
        let mut report = SurveyReport::new(news, self.view);
        // Rows come one by one: whether there are several namespaces shows only later.
        report.many_namespaces = true;
        let mut out = BufWriter::new(stdio::stdout());
        let scan = scan_of(&report, basis);
        table(&mut out, &[&scan], self.layout, &mut self.widths, false)
            .and_then(|()| out.flush())
            .context("cannot write the table")?;
        self.layout.headings = false;
        Ok(())
    }
}

fn scan_of<'a>(report: &'a SurveyReport, basis: &Basis) -> Scan<'a> {
    Scan {
        read: ReadHeader {
            header: document_header(basis),
            lacks: Vec::new(),
        },
        display: basis.controller.display.clone(),
        context: None,
        selection: ScanSelection::default(),
        report,
    }
}

/// Whether the cursor of the terminal can only move to the next line.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}
