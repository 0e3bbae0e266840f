//! The state of the dashboard.

use jiff::{SignedDuration, Timestamp};

use super::ObjectKey;
use super::dialog::{Dialog, DialogStage};
use super::keys::{Effect, Key, Operation, help};
use super::layout::Size;
use super::list::{Filter, List};
use super::styled_text::StyledText;
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
pub struct Disconnected {
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
        place: ObjectKey,
        /// The explanation.
        text: StyledText,
    },
    /// The keys.
    Help(StyledText),
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
    dialog: Option<Dialog>,
    timeline: Timeline,
    timeline_wanted: bool,
    lost: Option<Disconnected>,
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
            dialog: None,
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
        if let Page::Detail { text, .. } | Page::Help(text) = &mut self.page {
            text.set_width(width);
        }
        if let Some(dialog) = &mut self.dialog {
            dialog.text.set_width(width);
        }
    }

    /// No changes come any more.
    pub fn lose(&mut self, why: String) {
        let since = self.lost.as_ref().map_or(self.now, |lost| lost.since);
        self.lost = Some(Disconnected { since, why });
    }

    /// Changes come again.
    pub fn find_again(&mut self) {
        if self.lost.take().is_some() {
            self.note("reconnected".to_owned());
        }
    }

    /// Something is worth a line at the foot for a while.
    pub fn note(&mut self, text: String) {
        let until = self.now.checked_add(NOTED).unwrap_or(self.now);
        self.note = Some((until, text));
    }

    /// The explanation that is shown, with colors; nothing if what it is about is gone.
    pub fn explain(&mut self, explanation: Option<&str>) {
        if let Page::Detail { text, .. } = &mut self.page {
            text.set(explanation.unwrap_or("\n  This CronJob no longer exists."));
        }
    }

    /// Puts the rows in another order; the same one again is turned round.
    pub fn sort_by(&mut self, order: RowOrder) {
        self.list.sort_by(order);
        self.rebuild();
    }
}

// What the dashboard is drawn from.

impl App {
    /// What keys are about: what is explained, or else what is selected.
    pub fn subject(&self) -> Option<&ObjectKey> {
        self.explained().or_else(|| self.list.selected())
    }

    /// Whose explanation is shown.
    pub fn explained(&self) -> Option<&ObjectKey> {
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
    pub fn row(&self, place: &ObjectKey) -> Option<&Row> {
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
    pub fn dialog(&self) -> Option<&Dialog> {
        self.dialog.as_ref()
    }

    /// The runs of the next hours.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// Why no changes come, if none do.
    pub fn lost(&self) -> Option<&Disconnected> {
        self.lost.as_ref()
    }

    /// What is worth a line at the foot.
    pub fn noted(&self) -> Option<&str> {
        self.note.as_ref().map(|(_, text)| text.as_str())
    }
}

// What keys do.

impl App {
    /// A key was pressed.
    pub fn press(&mut self, key: Key) -> Option<Effect> {
        match key {
            Key::Ctrl('c') => return self.leave(),
            Key::Ctrl('z') => return Some(Effect::Stop),
            Key::Ctrl('l') => return Some(Effect::Repaint),
            _ => {}
        }
        if self.dialog.is_some() {
            return self.press_in_talk(key);
        }
        if self.typing {
            self.press_in_filter(key);
            return None;
        }
        match (&self.page, key) {
            (Page::List, Key::Char('q')) => self.leave(),
            (Page::Help(_), _) => {
                self.press_in_text(key);
                None
            }
            (_, Key::Char('?')) => {
                let width = usize::from(self.size.width);
                self.page = Page::Help(StyledText::of(&help(), width));
                None
            }
            (_, Key::Char('s')) => self.begin_suspending(),
            (_, Key::Char('t')) => self.begin(Operation::Trigger),
            (Page::Detail { .. }, _) => {
                self.press_in_text(key);
                None
            }
            (Page::List, _) => {
                self.press_in_list(key);
                None
            }
        }
    }

    /// A change that may be under way is finished first, unless somebody insists.
    fn leave(&mut self) -> Option<Effect> {
        let is_changing = self.dialog.as_ref().is_some_and(Dialog::is_changing);
        if is_changing && !self.leaving {
            self.leaving = true;
            self.note(
                "waiting for the change to finish; ctrl-c again quits immediately".to_owned(),
            );
            return None;
        }
        Some(Effect::Leave)
    }

    fn press_in_filter(&mut self, key: Key) {
        let mut text = self.filter.text().to_owned();
        match key {
            Key::Enter => self.typing = false,
            Key::Esc => {
                self.typing = false;
                text.clear();
            }
            Key::Backspace => {
                text.pop();
            }
            Key::Ctrl('u') => text.clear(),
            Key::Char(letter) => text.push(letter),
            _ => self.press_in_list(key),
        }
        self.set_filter(&text);
    }

    fn set_filter(&mut self, text: &str) {
        if self.filter.text() != text {
            self.filter = Filter::new(text);
            // At once: the next key may come before anything is drawn, and is about what fits.
            self.rebuild();
        }
    }

    fn press_in_text(&mut self, key: Key) {
        let (Page::Detail { text, .. } | Page::Help(text)) = &mut self.page else {
            return;
        };
        let room = self.size.page();
        let page = isize::try_from(room).unwrap_or(isize::MAX);
        match key {
            Key::Esc | Key::Backspace | Key::Enter | Key::Char('e' | 'd' | 'q' | '?') => {
                self.page = Page::List;
            }
            Key::Up | Key::Char('k') => text.scroll_by(-1, room),
            Key::Down | Key::Char('j') => text.scroll_by(1, room),
            Key::PageUp | Key::Ctrl('u' | 'b') => text.scroll_by(-page, room),
            Key::PageDown | Key::Ctrl('d' | 'f') | Key::Char(' ') => text.scroll_by(page, room),
            Key::Home | Key::Char('g') => text.scroll_by(isize::MIN, room),
            Key::End | Key::Char('G') => text.scroll_by(isize::MAX, room),
            _ => {}
        }
    }

    fn press_in_list(&mut self, key: Key) {
        let room = self.size.rows();
        let page = isize::try_from(room).unwrap_or(isize::MAX);
        let list = &mut self.list;
        match key {
            Key::Up | Key::Char('k') => list.move_by(-1, room),
            Key::Down | Key::Char('j') => list.move_by(1, room),
            Key::PageUp | Key::Ctrl('u' | 'b') => list.move_by(-page, room),
            Key::PageDown | Key::Ctrl('d' | 'f') | Key::Char(' ') => list.move_by(page, room),
            Key::Home | Key::Char('g') => list.select_first(room),
            Key::End | Key::Char('G') => list.select_last(room),
            Key::Enter | Key::Char('e' | 'd') => self.open(),
            Key::Esc => self.set_filter(""),
            Key::Char('/') => {
                self.typing = true;
                self.set_filter("");
            }
            Key::Char('!') => {
                let text = if self.filter.text() == "!" { "" } else { "!" };
                self.set_filter(text);
            }
            Key::Char('v') => self.timeline_wanted = !self.timeline_wanted,
            Key::Char('+' | '=') => self.timeline.nearer(),
            Key::Char('-') => self.timeline.farther(),
            Key::Char('H') => self.sort_by(RowOrder::Health),
            Key::Char('N') => self.sort_by(RowOrder::Name),
            Key::Char('X') => self.sort_by(RowOrder::Next),
            Key::Char('L') => self.sort_by(RowOrder::Last),
            Key::Char('M') => self.sort_by(RowOrder::Missed),
            Key::Char('A') => self.sort_by(RowOrder::Active),
            _ => {}
        }
    }

    fn open(&mut self) {
        if let Some(place) = self.list.selected().cloned() {
            let text = StyledText::new(usize::from(self.size.width));
            self.page = Page::Detail { place, text };
        }
    }
}

// Changes of CronJobs: begun, reported, agreed to, over.

impl App {
    pub(super) fn begin_suspending(&mut self) -> Option<Effect> {
        let row = self.board.row(self.subject()?)?;
        let operation = if row.suspended {
            Operation::Resume
        } else {
            Operation::Suspend
        };
        self.begin(operation)
    }

    pub(super) fn begin(&mut self, operation: Operation) -> Option<Effect> {
        let place = self.subject()?.clone();
        if self.about.read_only {
            self.note(format!("--read-only: cannot {}", operation.verb()));
            return None;
        }
        let width = usize::from(self.size.width);
        self.dialog = Some(Dialog::new(operation, place.clone(), width));
        Some(Effect::Begin(operation, place))
    }

    /// The change on its way tells something.
    pub fn told(&mut self, text: &str) {
        match &mut self.dialog {
            Some(dialog) => dialog.text.add(text),
            None => self.note(text.trim_end().to_owned()),
        }
    }

    /// The change on its way asks something.
    pub fn asked(&mut self, question: String, answers: Vec<String>) {
        if let Some(dialog) = &mut self.dialog {
            dialog.ask(question, answers);
        }
    }

    /// The change is over. What went well, and what the user gave up, needs no more than a note.
    pub fn over(&mut self, well: bool) -> Option<Effect> {
        let dialog = self.dialog.as_mut()?;
        if well || dialog.is_given_up() {
            let words = dialog.text.last_words();
            self.dialog = None;
            self.note(words.unwrap_or_default());
        } else {
            dialog.stage = DialogStage::Failed;
        }
        self.leaving.then_some(Effect::Leave)
    }

    pub(super) fn press_in_talk(&mut self, key: Key) -> Option<Effect> {
        let room = self.size.dialog();
        let dialog = self.dialog.as_mut()?;
        match (&dialog.stage, key) {
            (_, Key::Up) => dialog.text.scroll_by(-1, room),
            (_, Key::Down) => dialog.text.scroll_by(1, room),
            (DialogStage::Failed, Key::Esc | Key::Enter | Key::Char('q' | ' ')) => {
                self.dialog = None;
            }
            (DialogStage::Working, Key::Esc | Key::Char('q')) if !dialog.is_changing() => {
                self.dialog = None;
                self.note("Nothing was changed.".to_owned());
                return Some(Effect::Forget);
            }
            (DialogStage::Working | DialogStage::Failed, _) => {}
            (_, Key::Left | Key::BackTab) => dialog.choose(false),
            (_, Key::Right | Key::Tab) => dialog.choose(true),
            (_, Key::Esc | Key::Char('q')) => return self.answer(None),
            (_, Key::Enter) => {
                let chosen = dialog.chosen();
                return self.answer(chosen);
            }
            (_, Key::Char(letter)) => {
                let answer = dialog.by_letter(letter)?;
                return self.answer(Some(answer));
            }
            _ => {}
        }
        None
    }

    fn answer(&mut self, answer: Option<usize>) -> Option<Effect> {
        self.dialog.as_mut()?.answer(answer);
        Some(Effect::Answer(answer))
    }
}

#[cfg(test)]
#[path = "app_tests.rs"]
mod tests;
