//! Changes to `CronJob`s: begun, told of, agreed to, over.

use super::super::keys::{Deed, Effect, Key};
use super::super::talk::Stage;
use super::{App, Talk};

impl App {
    pub(super) fn begin_suspending(&mut self) -> Option<Effect> {
        let row = self.board.row(self.subject()?)?;
        let deed = if row.suspended {
            Deed::Resume
        } else {
            Deed::Suspend
        };
        self.begin(deed)
    }

    pub(super) fn begin(&mut self, deed: Deed) -> Option<Effect> {
        let place = self.subject()?.clone();
        if self.about.read_only {
            self.note(format!(
                "--read-only: nothing can be changed, so no {}",
                deed.verb()
            ));
            return None;
        }
        let width = usize::from(self.size.width);
        self.talk = Some(Talk::new(deed, place.clone(), width));
        Some(Effect::Begin(deed, place))
    }

    /// The change on its way tells something.
    pub fn told(&mut self, text: &str) {
        match &mut self.talk {
            Some(talk) => talk.paper.add(text),
            None => self.note(text.trim_end().to_owned()),
        }
    }

    /// The change on its way asks something.
    pub fn asked(&mut self, question: String, answers: Vec<String>) {
        if let Some(talk) = &mut self.talk {
            talk.ask(question, answers);
        }
    }

    /// The change is over. What went well, and what the user gave up, needs no more than a note.
    pub fn over(&mut self, well: bool) -> Option<Effect> {
        let talk = self.talk.as_mut()?;
        if well || talk.is_given_up() {
            let words = talk.paper.last_words();
            self.talk = None;
            self.note(words.unwrap_or_default());
        } else {
            talk.stage = Stage::Failed;
        }
        self.leaving.then_some(Effect::Leave)
    }

    pub(super) fn press_in_talk(&mut self, key: Key) -> Option<Effect> {
        let room = self.size.dialog();
        let talk = self.talk.as_mut()?;
        match (&talk.stage, key) {
            (_, Key::Up) => talk.paper.scroll_by(-1, room),
            (_, Key::Down) => talk.paper.scroll_by(1, room),
            (Stage::Failed, Key::Esc | Key::Enter | Key::Char('q' | ' ')) => self.talk = None,
            (Stage::Working, Key::Esc | Key::Char('q')) if !talk.is_changing() => {
                self.talk = None;
                self.note("Nothing was changed.".to_owned());
                return Some(Effect::Forget);
            }
            (Stage::Working | Stage::Failed, _) => {}
            (_, Key::Left | Key::BackTab) => talk.choose(false),
            (_, Key::Right | Key::Tab) => talk.choose(true),
            (_, Key::Esc | Key::Char('q')) => return self.answer(None),
            (_, Key::Enter) => {
                let chosen = talk.chosen();
                return self.answer(chosen);
            }
            (_, Key::Char(letter)) => {
                let answer = talk.by_letter(letter)?;
                return self.answer(Some(answer));
            }
            _ => {}
        }
        None
    }

    fn answer(&mut self, answer: Option<usize>) -> Option<Effect> {
        self.talk.as_mut()?.answer(answer);
        Some(Effect::Answer(answer))
    }
}
