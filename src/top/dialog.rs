//! A change on its way: what it would lead to, what is asked, what came of it.

use super::ObjectKey;
use super::keys::Operation;
use super::styled_text::StyledText;

/// A change on its way.
#[derive(Clone, Debug, PartialEq)]
pub struct Dialog {
    /// What is done.
    pub operation: Operation,
    /// To which `CronJob`.
    pub place: ObjectKey,
    /// What was told so far.
    pub text: StyledText,
    /// How far it is.
    pub stage: DialogStage,
    /// The last answer: whether something was agreed to.
    agreed: Option<bool>,
}

/// How far a change is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DialogStage {
    /// Something is read or sent.
    Working,
    /// The user is asked.
    Asking {
        /// The question.
        question: String,
        /// The answers; the last one does the least.
        answers: Vec<String>,
        /// The one that is chosen by enter.
        chosen: usize,
    },
    /// It is over, and not as the user wanted it.
    Failed,
}

impl Dialog {
    pub(super) fn new(operation: Operation, place: ObjectKey, width: usize) -> Self {
        Dialog {
            operation,
            place,
            text: StyledText::new(width),
            stage: DialogStage::Working,
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

    /// Moves to the answer after, or before.
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

    /// The answer that is chosen by its first letter.
    pub(super) fn by_letter(&self, letter: char) -> Option<usize> {
        let DialogStage::Asking { answers, .. } = &self.stage else {
            return None;
        };
        let letter = letter.to_ascii_lowercase();
        answers.iter().position(|answer| answer.starts_with(letter))
    }

    /// The answer that enter gives.
    pub(super) fn chosen(&self) -> Option<usize> {
        match &self.stage {
            DialogStage::Asking { chosen, .. } => Some(*chosen),
            _ => None,
        }
    }

    /// Takes the answer down; all but the last one agree to something.
    pub(super) fn answer(&mut self, answer: Option<usize>) {
        if let DialogStage::Asking { answers, .. } = &self.stage {
            self.agreed = Some(answer.is_some_and(|answer| answer + 1 < answers.len()));
        }
        self.stage = DialogStage::Working;
    }

    /// Whether the user has decided against it.
    pub(super) fn is_given_up(&self) -> bool {
        self.agreed == Some(false)
    }

    /// Whether a change may be under way.
    pub fn is_changing(&self) -> bool {
        self.stage == DialogStage::Working && self.agreed == Some(true)
    }
}
