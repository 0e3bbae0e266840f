//! The state of the dashboard.

mod change;
mod facts;
mod press;

use jiff::{SignedDuration, Timestamp};

use super::Place;
use super::filter::Filter;
use super::list::List;
use super::paper::Paper;
use super::size::Size;
use super::talk::Talk;
use super::timeline::Timeline;
use crate::controller::Controller;
use crate::diagnose::Coverage;
use crate::survey::{HealthSummary, LiveSurvey, Row, RowOrder};

/// A note stays for so long.
const NOTED: SignedDuration = SignedDuration::from_secs(6);
/// Of the rows that have only grown old, so many are looked at again at a time.
const AGED_AT_A_TIME: usize = 500;

/// What the dashboard is about, which does not change.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// The cluster, in a word.
    pub cluster: String,
    /// The namespace; `None` for all.
    pub namespace: Option<String>,
    /// What is modelled, such as `Kubernetes 1.36.2`.
    pub release: String,
    /// Whether changes are refused.
    pub read_only: bool,
}

/// No changes come from the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// Since when.
    pub since: Timestamp,
    /// Why.
    pub why: String,
}

/// What is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Page {
    /// The rows.
    #[default]
    List,
    /// The explanation of one.
    Detail {
        /// Which one.
        place: Place,
        /// The explanation.
        paper: Paper,
    },
    /// The keys.
    Help(Paper),
}

/// The state of the dashboard.
#[derive(Debug)]
pub struct App {
    about: About,
    board: LiveSurvey,
    coverage: Coverage,
    now: Timestamp,
    size: Size,
    list: List,
    summary: HealthSummary,
    /// The selected row as it is this very second.
    fresh: Option<Row>,
    filter: Filter,
    typing: bool,
    page: Page,
    talk: Option<Talk>,
    timeline: Timeline,
    timeline_wanted: bool,
    lost: Option<Lost>,
    note: Option<(Timestamp, String)>,
    leaving: bool,
    /// Whether something may be in another place since the rows were put in order.
    stale: bool,
}

impl App {
    /// A dashboard of a board.
    pub fn new(about: About, board: LiveSurvey, coverage: Coverage, size: Size) -> Self {
        App {
            about,
            board,
            coverage,
            now: coverage.as_of,
            size,
            list: List::default(),
            summary: HealthSummary::default(),
            fresh: None,
            filter: Filter::default(),
            typing: false,
            page: Page::List,
            talk: None,
            timeline: Timeline::default(),
            timeline_wanted: false,
            lost: None,
            note: None,
            leaving: false,
            stale: true,
        }
    }

    /// Time has gone by, or something has changed: looks again at what that is about.
    pub fn look(&mut self, controller: &Controller<'_>, now: Timestamp) {
        self.now = now;
        self.coverage.as_of = now;
        let changed = self
            .board
            .refresh_some(controller, self.coverage, now, AGED_AT_A_TIME);
        self.stale |= changed > 0 || !self.board.gone().is_empty();
        if self.stale {
            self.summary = HealthSummary::of(self.board.rows());
            self.rebuild();
        }
        self.fresh = self.look_at_selected(controller);
        if self.shows_timeline() {
            self.find_runs(controller);
        }
        if self.note.as_ref().is_some_and(|(until, _)| *until <= now) {
            self.note = None;
        }
    }

    fn rebuild(&mut self) {
        self.list
            .rebuild(&self.board, &self.filter, self.size.rows());
        self.stale = false;
    }

    /// What is told of the selected one in full is as fresh as the clock beside it.
    fn look_at_selected(&self, controller: &Controller<'_>) -> Option<Row> {
        let evidence = self.board.evidence(self.list.selected()?)?;
        Some(Row::of(controller, evidence, self.coverage, self.now))
    }

    fn find_runs(&mut self, controller: &Controller<'_>) {
        self.timeline.begin(self.now, usize::from(self.size.width));
        for (place, _) in self.list.seen(self.size.rows()) {
            if let Some(row) = self.board.row(place) {
                self.timeline.find(controller, row, self.now);
            }
        }
    }

    /// The board, for what changes in the cluster.
    pub fn board_mut(&mut self) -> &mut LiveSurvey {
        &mut self.board
    }

    /// The terminal has another size.
    pub fn resize(&mut self, size: Size) {
        self.size = size;
        self.list.settle(size.rows());
        let width = usize::from(size.width);
        if let Page::Detail { paper, .. } | Page::Help(paper) = &mut self.page {
            paper.set_width(width);
        }
        if let Some(talk) = &mut self.talk {
            talk.paper.set_width(width);
        }
    }

    /// No changes come any more.
    pub fn lose(&mut self, why: String) {
        let since = self.lost.as_ref().map_or(self.now, |lost| lost.since);
        self.lost = Some(Lost { since, why });
    }

    /// Changes come again.
    pub fn find_again(&mut self) {
        if self.lost.take().is_some() {
            self.note("connected again".to_owned());
        }
    }

    /// Something is worth a line at the foot for a while.
    pub fn note(&mut self, text: String) {
        let until = self.now.checked_add(NOTED).unwrap_or(self.now);
        self.note = Some((until, text));
    }

    /// The explanation that is shown, with colours; nothing if what it is about is gone.
    pub fn explain(&mut self, text: Option<&str>) {
        if let Page::Detail { paper, .. } = &mut self.page {
            paper.set(text.unwrap_or("\n  It is gone."));
        }
    }

    /// Puts the rows in another order; the same one again is turned round.
    pub fn sort_by(&mut self, order: RowOrder) {
        self.list.sort_by(order);
        self.rebuild();
    }
}

#[cfg(test)]
mod tests;
