//! What those see who draw the dashboard.

use jiff::Timestamp;

use super::{About, App, Filter, List, Lost, Page, Place, Size, Talk, Timeline};
use crate::diagnose::Coverage;
use crate::survey::{HealthSummary, LiveSurvey, Row};

impl App {
    /// What keys are about: what is explained, or else what is selected.
    pub fn subject(&self) -> Option<&Place> {
        self.explained().or_else(|| self.list.selected())
    }

    /// Whose explanation is shown.
    pub fn explained(&self) -> Option<&Place> {
        match &self.page {
            Page::Detail { place, .. } => Some(place),
            _ => None,
        }
    }

    /// Whether the timeline is seen: on its own where it was asked for, beside the table where there
    /// is room.
    pub fn shows_timeline(&self) -> bool {
        self.timeline_wanted || self.size.is_wide()
    }

    /// Whether the timeline is seen in place of some of the columns.
    pub fn is_timeline_alone(&self) -> bool {
        self.timeline_wanted
    }

    /// What the dashboard is about.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The moment taken for now.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// How far the evidence reaches.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }

    /// The size of the screen.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The rows in order.
    pub fn list(&self) -> &List {
        &self.list
    }

    /// A row.
    pub fn row(&self, place: &Place) -> Option<&Row> {
        self.board.row(place)
    }

    /// The selected row as it is this very second.
    pub fn selected_row(&self) -> Option<&Row> {
        self.fresh.as_ref()
    }

    /// The board.
    pub fn board(&self) -> &LiveSurvey {
        &self.board
    }

    /// What all rows come to, those that are left out too.
    pub fn summary(&self) -> &HealthSummary {
        &self.summary
    }

    /// Which rows are shown.
    pub fn filter(&self) -> &Filter {
        &self.filter
    }

    /// Whether the filter is being typed.
    pub fn is_typing(&self) -> bool {
        self.typing
    }

    /// What is shown.
    pub fn page(&self) -> &Page {
        &self.page
    }

    /// The change on its way.
    pub fn talk(&self) -> Option<&Talk> {
        self.talk.as_ref()
    }

    /// The runs of the next hours.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// Why no changes come, if none do.
    pub fn lost(&self) -> Option<&Lost> {
        self.lost.as_ref()
    }

    /// What is worth a line at the foot.
    pub fn noted(&self) -> Option<&str> {
        self.note.as_ref().map(|(_, text)| text.as_str())
    }
}
