//! The dialog of a change: its plan, its questions and its result.

use super::ObjectKey;
use super::app::App;
use super::keys::{Effect, Key, Operation};
use super::styled_text::StyledText;
use crate::model::ConcurrencyPolicy;

#[derive(Clone, Debug, PartialEq)]
pub struct Dialog {
    pub operation: Operation,
    /// The `CronJob` to change.
    pub object: ObjectKey,
    /// The output of the change so far.
    pub text: StyledText,
    pub stage: DialogStage,
    /// Whether `--force` may allow the change if it failed.
    pub can_force: bool,
    /// Whether the last answer confirmed the change.
    agreed: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DialogStage {
    Working,
    Asking {
        question: String,
        /// The answers; the last one changes nothing.
        answers: Vec<String>,
        chosen: usize,
    },
    Failed,
}

impl Dialog {
    pub(super) fn new(operation: Operation, object: ObjectKey, width: usize) -> Self {
        Dialog {
            operation,
            object,
            text: StyledText::new(width),
            stage: DialogStage::Working,
            can_force: false,
            agreed: None,
        }
    }

    pub(super) fn ask(&mut self, question: String, answers: Vec<String>) {
        let chosen = answers.len().saturating_sub(1);
        self.stage = DialogStage::Asking {
            question,
            answers,
            chosen,
        };
    }

    /// Selects the next or the previous answer.
    pub(super) fn choose(&mut self, forward: bool) {
        if let DialogStage::Asking {
            answers, chosen, ..
        } = &mut self.stage
        {
            let count = answers.len().max(1);
            let step = if forward { 1 } else { count - 1 };
            *chosen = (*chosen + step) % count;
        }
    }

    /// The answer that begins with the letter.
    pub(super) fn answer_by_letter(&self, letter: char) -> Option<usize> {
        let DialogStage::Asking { answers, .. } = &self.stage else {
            return None;
        };
        let letter = letter.to_ascii_lowercase();
        answers.iter().position(|answer| answer.starts_with(letter))
    }

    pub(super) fn chosen(&self) -> Option<usize> {
        match &self.stage {
            DialogStage::Asking { chosen, .. } => Some(*chosen),
            _ => None,
        }
    }

    /// Records the answer. All but the last one confirm the change.
    pub(super) fn answer(&mut self, answer: Option<usize>) {
        if let DialogStage::Asking { answers, .. } = &self.stage {
            self.agreed = Some(answer.is_some_and(|answer| answer + 1 < answers.len()));
        }
        self.stage = DialogStage::Working;
    }

    /// Whether the user declined the change.
    pub(super) fn is_declined(&self) -> bool {
        self.agreed == Some(false)
    }

    /// Whether the cluster may be changing.
    pub fn is_changing(&self) -> bool {
        self.stage == DialogStage::Working && self.is_agreed()
    }

    /// Whether the change was confirmed: otherwise nothing was sent.
    pub fn is_agreed(&self) -> bool {
        self.agreed == Some(true)
    }
}

impl App {
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

    /// Shows a question of the change.
    pub fn ask_about_change(&mut self, question: String, answers: Vec<String>) {
        if let Some(dialog) = &mut self.dialog {
            dialog.ask(question, answers);
        }
    }

    /// Closes the dialog of a change that succeeded or was declined. If it failed, the dialog stays open.
    pub fn finish_change(&mut self, succeeded: bool) -> Option<Effect> {
        let dialog = self.dialog.as_mut()?;
        if succeeded || dialog.is_declined() {
            let words = dialog.text.last_line();
            self.dialog = None;
            self.show_note(words.unwrap_or_default());
        } else {
            dialog.stage = DialogStage::Failed;
        }
        self.quitting.then_some(Effect::Quit)
    }

    pub(super) fn press_in_dialog(&mut self, key: Key) -> Option<Effect> {
        let room = self.size.dialog();
        let dialog = self.dialog.as_mut()?;
        match (&dialog.stage, key) {
            (_, Key::Up) => dialog.text.scroll_by(-1, room),
            (_, Key::Down) => dialog.text.scroll_by(1, room),
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
