//! The keys and their effects.

use super::app::{App, Page};
use super::dialog::{Dialog, DialogStage, Operation};
use super::list::Filter;
use super::styled_text::StyledText;
use cronjob_diagnosis::survey::RowOrder;
use kube_model::ConcurrencyPolicy;
use kube_model::ObjectKey;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Char(char),
    Ctrl(char),
    Enter,
    Esc,
    Backspace,
    Tab,
    BackTab,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
}

impl Key {
    /// By how many lines a key moves in a list or a text; `height` is how many are visible.
    fn moves_by(self, height: usize) -> Option<isize> {
        let page = isize::try_from(height).unwrap_or(isize::MAX);
        Some(match self {
            Key::Up | Key::Char('k') => -1,
            Key::Down | Key::Char('j') => 1,
            Key::PageUp | Key::Ctrl('u' | 'b') => -page,
            Key::PageDown | Key::Ctrl('d' | 'f') | Key::Char(' ') => page,
            Key::Home | Key::Char('g') => isize::MIN,
            Key::End | Key::Char('G') => isize::MAX,
            _ => return None,
        })
    }
}

/// What the caller must do after a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    Quit,
    /// Stop the process, as ctrl-z does in a shell.
    Stop,
    Redraw,
    BeginChange(Operation, ObjectKey),
    /// Read the logs of the newest Job of a CronJob.
    ReadLogs(ObjectKey),
    /// Ignore the current change, which was not confirmed.
    AbandonChange,
    /// Pass the number of the answer to the change; `None` if the question was canceled.
    Answer(Option<usize>),
}

/// All keys, for the help page and the documents.
pub const KEYS: [(&str, &str); 20] = [
    ("j k, arrows", "move down and up"),
    ("g G, home end", "go to the first and the last row"),
    ("ctrl-d ctrl-u, page keys", "page down and up"),
    ("enter, e, d", "explain the selected CronJob"),
    ("s", "suspend it, or resume it if it is suspended"),
    ("l", "show the logs of its newest Job"),
    ("t, T", "trigger it: create a Job now; T adds --force"),
    ("/", "filter: part of a name, !error, !finding, !suspended"),
    ("!", "show only warnings and errors, or all again"),
    ("esc", "go back; in the list, clear the filter"),
    (
        "v, + -",
        "switch between table and timeline; zoom the timeline",
    ),
    ("H", "sort by health; press again to reverse the order"),
    ("N", "sort by namespace and name"),
    ("X", "sort by next run"),
    ("L", "sort by last run"),
    ("M", "sort by number of missed runs"),
    ("A", "sort by number of active Jobs"),
    (
        "ctrl-l, ctrl-z",
        "redraw; suspend the program (fg to return)",
    ),
    ("?", "show this help"),
    ("q, ctrl-c", "quit; q on a page goes back"),
];

pub(super) fn help() -> String {
    let line = |(keys, what)| format!(" {keys:<26}{what}\n");
    KEYS.into_iter().map(line).collect()
}

impl App {
    pub fn press(&mut self, key: Key) -> Option<Effect> {
        match key {
            Key::Ctrl('c') => return self.quit(),
            Key::Ctrl('z') => return Some(Effect::Stop),
            Key::Ctrl('l') => return Some(Effect::Redraw),
            _ => {}
        }
        if self.dialog.is_some() {
            return self.press_in_dialog(key);
        }
        if self.typing {
            self.press_in_filter(key);
            return None;
        }
        if self.help.is_some() {
            self.press_in_text(key);
            return None;
        }
        match (&self.page, key) {
            (Page::List, Key::Char('q')) => self.quit(),
            (_, Key::Char('?')) => {
                let width = usize::from(self.size.width);
                self.help = Some(StyledText::of(&help(), width));
                None
            }
            (_, Key::Char('s')) => self.begin_suspend_or_resume(),
            (_, Key::Char('t')) => self.begin_change(Operation::Trigger),
            (_, Key::Char('T')) => self.begin_change(Operation::ForcedTrigger),
            (_, Key::Char('l')) => self.open_logs(),
            (Page::Detail { .. } | Page::Logs { .. }, _) => {
                self.press_in_text(key);
                None
            }
            (Page::List, _) => {
                self.press_in_list(key);
                None
            }
        }
    }

    /// Quits after a running change; a second key quits immediately.
    fn quit(&mut self) -> Option<Effect> {
        let is_changing = self.dialog.as_ref().is_some_and(Dialog::is_changing);
        if is_changing && !self.quitting {
            self.quitting = true;
            self.show_note(
                "waiting for the change to finish; ctrl-c again quits immediately".to_owned(),
            );
            return None;
        }
        Some(Effect::Quit)
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
            // The next key may come before the next refresh, and must act on the filtered rows.
            self.rebuild();
        }
    }

    fn press_in_text(&mut self, key: Key) {
        let height = self.size.page();
        if let (Some(lines), Some(text)) = (key.moves_by(height), self.text()) {
            text.scroll_by(lines, height);
        }
        let leaves = matches!(
            key,
            Key::Esc | Key::Backspace | Key::Enter | Key::Char('e' | 'd' | 'q' | '?')
        );
        // The help is closed first.
        if leaves && self.help.take().is_none() {
            self.page = Page::List;
        }
    }

    fn press_in_list(&mut self, key: Key) {
        let height = self.size.rows();
        if let Some(rows) = key.moves_by(height) {
            self.list.move_by(rows, height);
        }
        match key {
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
            Key::Char('+' | '=') => self.timeline.zoom_in(),
            Key::Char('-') => self.timeline.zoom_out(),
            Key::Char('H') => self.sort_by(RowOrder::Health),
            Key::Char('N') => self.sort_by(RowOrder::Name),
            Key::Char('X') => self.sort_by(RowOrder::Next),
            Key::Char('L') => self.sort_by(RowOrder::Last),
            Key::Char('M') => self.sort_by(RowOrder::Missed),
            Key::Char('A') => self.sort_by(RowOrder::Active),
            _ => {}
        }
    }

    fn open_logs(&mut self) -> Option<Effect> {
        let object = self.target()?.clone();
        let mut text = StyledText::new(usize::from(self.size.width));
        text.set("\n reading…");
        self.page = Page::Logs {
            object: object.clone(),
            text,
        };
        Some(Effect::ReadLogs(object))
    }

    fn open(&mut self) {
        if let Some(object) = self.list.selected().cloned() {
            let text = StyledText::new(usize::from(self.size.width));
            self.page = Page::Detail { object, text };
        }
    }

    pub(super) fn begin_suspend_or_resume(&mut self) -> Option<Effect> {
        let row = self.survey.row(self.target()?)?;
        let operation = if row.suspended {
            Operation::Resume
        } else {
            Operation::Suspend
        };
        self.begin_change(operation)
    }

    pub(super) fn begin_change(&mut self, operation: Operation) -> Option<Effect> {
        let object = self.target()?.clone();
        if self.context.read_only {
            self.show_note(format!("--read-only: cannot {}", operation.verb()));
            return None;
        }
        let width = usize::from(self.size.width);
        let policy = self.survey.evidence(&object);
        let policy = policy.map(|evidence| &evidence.cron_job.spec.concurrency_policy);
        let forbids = policy == Some(&ConcurrencyPolicy::Forbid);
        let mut dialog = Dialog::new(operation, object.clone(), width);
        dialog.can_force = operation == Operation::Trigger && forbids;
        self.dialog = Some(dialog);
        Some(Effect::BeginChange(operation, object))
    }

    pub fn show_change_text(&mut self, text: &str) {
        match &mut self.dialog {
            Some(dialog) => dialog.text.add(text),
            None => self.show_note(text.trim_end().to_owned()),
        }
    }

    pub fn ask_about_change(&mut self, question: String, answers: Vec<String>) {
        if let Some(dialog) = &mut self.dialog {
            dialog.ask(question, answers);
        }
    }

    /// Closes the dialog of a change that succeeded or was declined. If it failed, the dialog stays open.
    pub fn finish_change(&mut self, succeeded: bool) -> Option<Effect> {
        let dialog = self.dialog.as_mut()?;
        if succeeded || dialog.agreed == Some(false) {
            let words = dialog.text.last_line();
            self.dialog = None;
            self.show_note(words.unwrap_or_default());
        } else {
            dialog.stage = DialogStage::Failed;
        }
        self.quitting.then_some(Effect::Quit)
    }

    pub(super) fn press_in_dialog(&mut self, key: Key) -> Option<Effect> {
        let height = self.size.dialog();
        let dialog = self.dialog.as_mut()?;
        match (&dialog.stage, key) {
            (_, Key::Up) => dialog.text.scroll_by(-1, height),
            (_, Key::Down) => dialog.text.scroll_by(1, height),
            (DialogStage::Failed, Key::Char('T')) if dialog.can_force => {
                return self.begin_change(Operation::ForcedTrigger);
            }
            (DialogStage::Failed, Key::Esc | Key::Enter | Key::Char('q' | ' ')) => {
                self.dialog = None;
            }
            (DialogStage::Working, Key::Esc | Key::Char('q')) if !dialog.is_changing() => {
                self.dialog = None;
                self.show_note("Nothing was changed.".to_owned());
                return Some(Effect::AbandonChange);
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
                let answer = dialog.answer_by_letter(letter)?;
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
