//! The state of the dashboard.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::dialog::Dialog;
use super::list::{Filter, List};
use super::styled_text::StyledText;
use super::timeline::Timeline;
use cronjob_controller::controller::Controller;
use cronjob_diagnosis::kubectl::Kubectl;
use cronjob_diagnosis::survey::{
    HealthSummary, LiveSurvey, Row, RowOrder, SharedCause, shared_causes,
};
use kube_cron::Zone;
use kube_model::{Coverage, ObjectKey};

/// How long a note is shown.
const NOTED: SignedDuration = SignedDuration::from_secs(6);
/// The most rows without changes that one refresh recomputes.
const AGED_AT_A_TIME: usize = 500;

/// What the dashboard shows, which does not change.
#[derive(Clone, Debug, Default)]
pub struct DashboardContext {
    pub cluster: String,
    /// Namespace; `None` for all namespaces.
    pub namespace: Option<String>,
    /// The version of the modeled controller, such as `Kubernetes 1.36.2`.
    pub version: String,
    pub read_only: bool,
    /// The time zone that times are shown in, if not in UTC.
    pub display: Option<Arc<Zone>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disconnected {
    /// Since when the cluster has not sent updates.
    pub since: Timestamp,
    pub reason: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Page {
    #[default]
    List,
    Detail {
        object: ObjectKey,
        text: StyledText,
    },
    /// The logs of the newest Job of a CronJob.
    Logs {
        object: ObjectKey,
        text: StyledText,
    },
}

#[derive(Debug)]
pub struct App {
    pub context: DashboardContext,
    pub survey: LiveSurvey,
    pub coverage: Coverage,
    pub now: Timestamp,
    pub size: Size,
    pub list: List,
    /// The counts by health, including rows that the filter hides.
    pub summary: HealthSummary,
    /// What several CronJobs fail for.
    pub causes: Vec<SharedCause>,
    /// The selected row, recomputed at every refresh.
    pub selected_row: Option<Row>,
    pub filter: Filter,
    pub typing: bool,
    pub page: Page,
    /// The keys, shown instead of the page.
    pub help: Option<StyledText>,
    pub dialog: Option<Dialog>,
    pub timeline: Timeline,
    /// Whether the timeline is shown instead of some columns.
    pub timeline_wanted: bool,
    /// Why the cluster sends no updates; `None` if it does.
    pub disconnected: Option<Disconnected>,
    pub(super) note: Option<(Timestamp, String)>,
    pub(super) quitting: bool,
    /// Whether the rows must be sorted and filtered again.
    pub(super) stale: bool,
}

impl App {
    pub fn new(
        context: DashboardContext,
        survey: LiveSurvey,
        coverage: Coverage,
        size: Size,
    ) -> Self {
        App {
            context,
            survey,
            coverage,
            now: coverage.as_of,
            size,
            list: List::default(),
            summary: HealthSummary::default(),
            causes: Vec::new(),
            selected_row: None,
            filter: Filter::default(),
            typing: false,
            page: Page::List,
            help: None,
            dialog: None,
            timeline: Timeline::default(),
            timeline_wanted: false,
            disconnected: None,
            note: None,
            quitting: false,
            stale: true,
        }
    }

    /// Recomputes what changed since the last refresh.
    pub fn refresh(&mut self, controller: &Controller, kubectl: &Kubectl, now: Timestamp) {
        self.now = now;
        self.coverage.as_of = now;
        let changed =
            self.survey
                .refresh_some(controller, kubectl, self.coverage, now, AGED_AT_A_TIME);
        self.stale |= changed > 0 || !self.survey.gone().is_empty();
        if self.stale {
            self.summary = HealthSummary::of(self.survey.rows());
            self.causes = shared_causes(&self.survey.rows());
            self.rebuild();
        }
        self.selected_row = self.selected_row_now(controller, kubectl);
        if self.shows_timeline() {
            self.count_runs(controller);
        }
        if self.note.as_ref().is_some_and(|(until, _)| *until <= now) {
            self.note = None;
        }
    }

    pub(super) fn rebuild(&mut self) {
        self.list
            .rebuild(&self.survey, &self.filter, self.size.rows());
        self.stale = false;
    }

    /// Recomputes the selected row: its relative times must agree with the clock on the screen.
    fn selected_row_now(&self, controller: &Controller, kubectl: &Kubectl) -> Option<Row> {
        let evidence = self.survey.evidence(self.list.selected()?)?;
        Some(Row::of(
            controller,
            kubectl,
            evidence,
            self.coverage,
            self.now,
        ))
    }

    fn count_runs(&mut self, controller: &Controller) {
        self.timeline
            .set_window(self.now, usize::from(self.size.width));
        for (object, _) in self.list.visible(self.size.rows()) {
            if let Some(row) = self.survey.row(object) {
                self.timeline.count_runs(controller, row, self.now);
            }
        }
    }

    pub fn resize(&mut self, size: Size) {
        self.size = size;
        self.list.keep_selection_visible(size.rows());
        let width = usize::from(size.width);
        if let Page::Detail { text, .. } | Page::Logs { text, .. } = &mut self.page {
            text.set_width(width);
        }
        if let Some(help) = &mut self.help {
            help.set_width(width);
        }
        if let Some(dialog) = &mut self.dialog {
            dialog.text.set_width(width);
        }
    }

    /// The text that keys scroll.
    pub(super) fn text(&mut self) -> Option<&mut StyledText> {
        match &mut self.page {
            _ if self.help.is_some() => self.help.as_mut(),
            Page::Detail { text, .. } | Page::Logs { text, .. } => Some(text),
            Page::List => None,
        }
    }

    pub fn set_disconnected(&mut self, reason: String) {
        let since = self
            .disconnected
            .as_ref()
            .map_or(self.now, |disconnected| disconnected.since);
        self.disconnected = Some(Disconnected { since, reason });
    }

    pub fn set_connected(&mut self) {
        if self.disconnected.take().is_some() {
            self.show_note("reconnected".to_owned());
        }
    }

    /// Shows a line at the bottom for some seconds.
    pub fn show_note(&mut self, text: String) {
        let until = self.now.checked_add(NOTED).unwrap_or(self.now);
        self.note = Some((until, text));
    }

    /// Sets the explanation to show, with colors; `None` if the CronJob was deleted.
    pub fn explain(&mut self, explanation: Option<&str>) {
        if let Page::Detail { text, .. } = &mut self.page {
            text.set(explanation.unwrap_or("\n  This CronJob no longer exists."));
        }
    }

    /// Sets the logs to show, from their end, unless those of another CronJob are wanted by now.
    pub fn show_logs(&mut self, of: &ObjectKey, logs: &str) {
        let page = self.size.page();
        if let Page::Logs { object, text } = &mut self.page
            && object == of
        {
            text.set(logs);
            text.scroll_by(isize::MAX, page);
        }
    }

    pub fn sort_by(&mut self, order: RowOrder) {
        self.list.sort_by(order);
        self.rebuild();
    }
}

// What the screen is drawn from.

impl App {
    /// The CronJob that keys act on: that of the page, or else the selected one.
    pub fn target(&self) -> Option<&ObjectKey> {
        match &self.page {
            Page::Detail { object, .. } | Page::Logs { object, .. } => Some(object),
            Page::List => self.list.selected(),
        }
    }

    /// The CronJob whose explanation is shown.
    pub fn explained_cron_job(&self) -> Option<&ObjectKey> {
        match &self.page {
            Page::Detail { object, .. } => Some(object),
            _ => None,
        }
    }

    /// Whether the timeline is shown: instead of columns if the user chose it, next to the table on a wide screen.
    pub fn shows_timeline(&self) -> bool {
        self.timeline_wanted || self.size.is_wide()
    }

    pub fn note(&self) -> Option<&str> {
        self.note.as_ref().map(|(_, text)| text.as_str())
    }
}

/// The size of the screen, and how it is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub width: u16,
    pub height: u16,
}

impl Size {
    /// The smallest screen that can show anything useful.
    pub const MINIMUM: Size = Size {
        width: 40,
        height: 10,
    };
    /// The smallest width with the timeline next to the table.
    const WIDE: u16 = 120;
    pub const HEADER_LINES: u16 = 2;

    pub fn is_enough(self) -> bool {
        self.width >= Self::MINIMUM.width && self.height >= Self::MINIMUM.height
    }

    /// Whether the timeline fits next to the table.
    pub fn is_wide(self) -> bool {
        self.width >= Self::WIDE
    }

    /// Lines of the findings of the selected row, with their title.
    pub fn findings(self) -> u16 {
        match self.height {
            0..14 => 0,
            14..20 => 4,
            height => (height / 4).min(12),
        }
    }

    /// Lines of the table: without header, headings, findings and footer.
    pub fn rows(self) -> usize {
        let others = Self::HEADER_LINES + 1 + self.findings() + 1;
        usize::from(self.height.saturating_sub(others))
    }

    /// Lines of a text that fills the page: without header, title and footer.
    pub fn page(self) -> usize {
        usize::from(self.height.saturating_sub(Self::HEADER_LINES + 2))
    }

    /// Lines of the text of a dialog: without header, title, question and footer.
    pub fn dialog(self) -> usize {
        usize::from(self.height.saturating_sub(Self::HEADER_LINES + 3))
    }
}

#[cfg(test)]
#[path = "app_tests.rs"]
mod tests;
