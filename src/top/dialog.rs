//! The dialog of a change: its plan, its questions and its result.

use super::styled_text::StyledText;
use kube_model::ObjectKey;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Suspend,
    Resume,
    Trigger,
    /// A trigger despite `concurrencyPolicy: Forbid` and a running Job.
    ForcedTrigger,
}

impl Operation {
    /// The command that does the same.
    pub fn verb(self) -> &'static str {
        match self {
            Operation::Suspend => "suspend",
            Operation::Resume => "resume",
            Operation::Trigger | Operation::ForcedTrigger => "trigger",
        }
    }

    pub fn flags(self) -> &'static [&'static str] {
        match self {
            Operation::ForcedTrigger => &["--force"],
            _ => &[],
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Dialog {
    pub operation: Operation,
    pub object: ObjectKey,
    /// The output of the change so far.
    pub text: StyledText,
    pub stage: DialogStage,
    /// Whether `--force` may allow the change if it failed.
    pub can_force: bool,
    /// Whether the last answer confirmed the change: otherwise nothing was sent.
    pub agreed: Option<bool>,
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

    /// Whether the cluster may be changing.
    pub fn is_changing(&self) -> bool {
        self.stage == DialogStage::Working && self.agreed == Some(true)
    }
}
